package crscore_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/rogpeppe/go-internal/txtar"

	"crscore"
	"crscore/change"
	"crscore/score"
	"crscore/sts"
)

// attacks are the kinds of reviews of testdata/adversarial that try to get a
// score without telling anything about the change. A read-only table.
var attacks = []string{"pasted", "pasted-fenced", "identifiers", "negated", "other", "filler"}

// honest are the other kinds: a sound review, a sound one of one or two
// sentences, and a sound question. A read-only table.
var honest = []string{"sound", "brief", "question"}

// sources are what the reviews are held against: the claims of claims.txt, which
// a careful reader of the diff has written, so that what fails is the similarity's
// doing; and what the default engine finds by itself. A read-only table.
var sources = map[string]crscore.Options{
	"ready": {Claims: []crscore.Source{crscore.DataClaims("ready")}, Smells: []crscore.Source{}},
	"own":   {},
}

// known are the cases that fail today, each with the reason: against these claims,
// in this mode, this kind of review fails for these changes (names, by spaces). A
// case that does not fail any more must leave the table. A read-only table.
var known = []struct{ claims, mode, kind, reason, changes string }{
	{"ready", "hard", "negated", "what is left of an opposed pair is above τ in hard mode; to stop that would lower the similarity of honest sentences with a \"not\" in them", "search-abort invoice-decimals"},
	{"ready", "hard", "other", "the names BigDecimal and double are in the claims, too, so it is not elsewhere; the second sentence has no names", "invoice-decimals"},

	{"own", "ramp", "negated", "no claim is about the lock since the rules about locks went, which 0.05% of real changes had; the sound review argues from what the lock is for", "registry-lock"},
	{"own", "ramp", "pasted", "as negated: an attack that names everything in the diff hits the claims about calls", "registry-lock"},
	{"own", "ramp", "question", "no claim is about the lock", "registry-lock"},
	{"own", "hard", "negated", "as with ready claims and as in ramp mode", "invoice-decimals upload-async search-abort registry-lock"},
	{"own", "hard", "pasted", "as in ramp mode", "registry-lock"},
	{"own", "hard", "identifiers", "as pasted", "registry-lock"},
	{"own", "hard", "other", "as pasted", "registry-lock"},
	{"own", "hard", "question", "no claim says that keys are ignored, what strncpy does to a name, or that there is a lock",
		"config-result record-overflow registry-lock"},
	{"own", "soft", "pasted", "as in ramp mode", "registry-lock"},
}

// TestAdversarial holds the default similarity and τ against reviews that want to
// look better than they are: none of them may have a higher Rel than the sound
// review of the same change, and a sound question may not have 0. With -v it prints
// all values, and beside them, for information, those of the cosine alone.
func TestAdversarial(t *testing.T) {
	ctx := context.Background()
	encoder, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { encoder.Close() })
	cosine, err := sts.NewSimilarity(sts.SimilarityCosine, encoder)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/adversarial/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no changes: %v", err)
	}
	reviews := make(map[string]map[string]string, len(files))
	for _, file := range files {
		reviews[strings.TrimSuffix(filepath.Base(file), ".txtar")] = readTexts(t, file)
	}
	for _, k := range known {
		if _, ok := sources[k.claims]; !ok || k.mode != "ramp" && k.mode != "hard" && k.mode != "soft" {
			t.Errorf("the known failures name %s claims in mode %s, which is not tested", k.claims, k.mode)
		}
	}
	for _, m := range []struct {
		name       string
		mode       score.Mode
		comp       score.Coverage
		similarity sts.Similarity
		binds      bool
	}{
		{"ramp", score.Ramp, "", nil, true},
		{"hard", score.Hard, "", nil, true},
		{"soft", score.Soft, "", nil, true},
		{"ramp, best", score.Ramp, score.CoverBest, nil, false},
		{"soft, cosine", score.Soft, "", cosine, false},
	} {
		for _, claims := range slices.Sorted(maps.Keys(sources)) {
			t.Run(claims+"/"+m.name, func(t *testing.T) {
				opts := sources[claims]
				opts.Mode, opts.Comp, opts.Similarity = m.mode, m.comp, m.similarity
				engine, err := crscore.New(ctx, opts)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { engine.Close() })
				failed := judgeAll(t, engine, reviews)
				if !m.binds {
					return
				}
				for _, k := range known {
					if k.claims != claims || k.mode != m.name {
						continue
					}
					for _, name := range strings.Fields(k.changes) {
						c := [2]string{k.kind, name}
						if _, ok := failed[c]; !ok {
							t.Errorf("%s of %s does not fail any more (or is twice in the table): take it out of the known failures (%s)", k.kind, name, k.reason)
						}
						delete(failed, c)
					}
				}
				for _, c := range slices.SortedFunc(maps.Keys(failed), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
					t.Errorf("%s of %s: %s", c[0], c[1], failed[c])
				}
			})
		}
	}
}

// judgeAll scores the reviews of every change and logs a table of Rel. The result
// is what failed, by kind and change.
func judgeAll(t *testing.T, engine *crscore.Engine, reviews map[string]map[string]string) map[[2]string]string {
	t.Helper()
	kinds := slices.Concat(honest, attacks)
	failed := make(map[[2]string]string)
	above := make([]int, len(kinds))
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\trefs\t%s\t\n", strings.Join(kinds, "\t"))
	for _, name := range slices.Sorted(maps.Keys(reviews)) {
		refs, rel := judgeChange(t, engine, name, reviews[name], kinds)
		fmt.Fprintf(w, "%s\t%d\t", name, refs)
		for i, kind := range kinds {
			mark := ""
			switch {
			case slices.Contains(attacks, kind) && rel[i] > rel[0]:
				failed[[2]string{kind, name}] = fmt.Sprintf("an attack with Rel %.3f, above the %.3f of the %s review", rel[i], rel[0], kinds[0])
				mark = "!"
			case kind == "question" && rel[i] == 0:
				failed[[2]string{kind, name}] = "a sound question with Rel 0"
				mark = "!"
			}
			if rel[i] > rel[0] {
				above[i]++
			}
			fmt.Fprintf(w, "%s%.3f\t", mark, rel[i])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "above %s\t\t", kinds[0])
	for _, n := range above {
		fmt.Fprintf(w, "%d\t", n)
	}
	fmt.Fprintln(w)
	w.Flush()
	t.Logf("Rel of each review (! fails), %s\n%s", engine.Signature(), &table)
	return failed
}

// judgeChange scores one review a kind, and returns the number of references and
// Rel in the order of kinds.
func judgeChange(t *testing.T, engine *crscore.Engine, name string, texts map[string]string, kinds []string) (int, []float64) {
	t.Helper()
	ch, err := change.Parse([]byte(texts["change.diff"]), change.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	reviews := make([]string, len(kinds))
	for i, kind := range kinds {
		text, ok := texts[kind+".md"]
		if !ok {
			t.Fatalf("%s has no %s.md", name, kind)
		}
		reviews[i] = text
	}
	claims := strings.Split(strings.TrimSpace(texts["claims.txt"]), "\n")
	in := crscore.Input{Change: ch, Claims: map[string][]string{"ready": claims}}
	set, results, err := engine.Judge(context.Background(), in, reviews...)
	if err != nil {
		t.Fatal(err)
	}
	rel := make([]float64, len(kinds))
	for i, r := range results {
		if r.Status != crscore.Scored {
			t.Fatalf("%s: %s.md is unscored: %s", name, kinds[i], r.Reason)
		}
		rel[i] = r.Rel
	}
	return len(set.Refs), rel
}

// readTexts reads one file of the adversarial set: its parts by name.
func readTexts(t *testing.T, file string) map[string]string {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string, len(ar.Files))
	for _, f := range ar.Files {
		texts[f.Name] = string(f.Data)
	}
	return texts
}
