package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crscore/score"
	"crscore/sts"
	"crscore/sts/builtin"
)

var update = flag.Bool("update", false, "write the models and the table of docs/modes.md anew")

const (
	modelsFile = "../../sts/builtin/pairs.json"
	linksFile  = "../../docs/links-rating.tsv"
	page       = "../../docs/modes.md"
)

// TestModels trains the built-in models again, and measures the table of docs/modes.md again.
// After a change of the similarity, of claims or smells: -update.
func TestModels(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("NOT TRAINED: CRSCORE_DATA does not name the folder of dev.jsonl")
	}
	out := filepath.Join(t.TempDir(), "pairs.json")
	var table bytes.Buffer
	if err := run(t.Context(), []string{"--data", filepath.Join(dir, "dev.jsonl"), "--links", linksFile, "--table", "--resamples", "500", "--out", out}, &table); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- pairs -->\n", "<!-- end of pairs -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	shown, after, also := strings.Cut(rest, end)
	if !ok || !also {
		t.Fatalf("%s lacks %q or %q", page, begin, end)
	}
	if *update {
		if err := os.WriteFile(modelsFile, made, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(page, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		updateProfile(t, made)
		return
	}
	profiles, err := score.ParseProfiles(builtin.Profiles())
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := os.ReadFile("../../docs/numbers.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(table.String()) {
		cells := strings.Split(line, " | ")
		if len(cells) < 5 || cells[1] != "pair, ramp noisy-or" || strings.Contains(cells[0], "annotators") {
			continue
		}
		short := func(k int) string { value, _, _ := strings.Cut(cells[k], " ("); return value }
		if row := fmt.Sprintf(" | ramp | %s | %s | %s |\n", short(3), short(4), short(2)); !strings.Contains(string(numbers), row) {
			t.Errorf("docs/numbers.md has no row %q for %s", row, cells[0])
		}
	}
	for _, want := range defaults() {
		has := func(p score.Profile) bool {
			rule, err := p.Scoring()
			return err == nil && rule.Signature() == want.Signature()
		}
		if !slices.ContainsFunc(profiles, has) {
			t.Errorf("no default profile has the rule %s", want.Signature())
		}
	}
	want, err := sts.ParsePairModels(made)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sts.ParsePairModels(builtin.Pairs())
	if err != nil {
		t.Fatal(err)
	}
	// A rounding error on another processor is not another model.
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-3, 1e-3)); diff != "" {
		t.Errorf("the built-in models are not what is trained (-), but (+):\n%s(go test ./eval/pairs -update writes them)", diff)
	}
	if shown != table.String() {
		t.Errorf("%s does not show what the data give (go test ./eval/pairs -update writes it):\n%s", page, cmp.Diff(shown, table.String()))
	}
}

// TestWeights: docs/modes.md shows the weights of the built-in model.
func TestWeights(t *testing.T) {
	m, err := sts.ParsePairModels(builtin.Pairs())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Diff.Features {
		if row := fmt.Sprintf("| %s | %.2f | ", f.Name, f.Weight); !strings.Contains(string(text), row) {
			t.Errorf("%s has no row %s", page, row)
		}
	}
}

// updateProfile writes the default rules. crscore calibrate finds those of mode calibrated
// (TestDefaultProfile of internal/cli).
func updateProfile(t *testing.T, models []byte) {
	t.Helper()
	encoder, err := sts.NewBuiltin(t.Context(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	lexicon, err := sts.ParseLexicon(builtin.Words())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := sts.NewPair(encoder, lexicon, models)
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := score.ParseProfiles(builtin.Profiles())
	if err != nil {
		t.Fatal(err)
	}
	for i := range profiles {
		p := &profiles[i]
		p.Similarity = score.Signature(pair.Signature().Portable())
		for _, rule := range defaults() {
			if p.Mode == rule.Mode {
				p.Tau, p.Low, p.Comp = rule.Tau, rule.Low, rule.Comp
				p.Rule = "spearman: rank agreement of rel with human labels, on changes that the similarity was not trained on, and the adversarial set (eval/pairs)"
			}
		}
	}
	text, err := json.MarshalIndent(profiles, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../../sts/builtin/profile.json", append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// small is a dataset in which good reviews are about a claim and poor reviews are not.
func small(changes int) string {
	var b strings.Builder
	for c := range changes {
		review := func(system, text, addressed string, label int) string {
			return fmt.Sprintf(`{"id":%q,"text":%q,"human":{"con":%d,"comp":%[3]d,"rel":%[3]d},"addressed":[%s]}`, system, text, label, addressed)
		}
		fmt.Fprintf(&b, `{"id":"%d","lang":"py","path":"a.py","diff":"@@ -1 +1 @@\n-x = load(%d)\n+x = retry(load, %d)\n","claims":{"magicoder":["The load of x is tried again by retry.","A limit of retries is missing."]},`+
			`"smells":[],"refs_edited":[{"text":"The load of x is tried again by retry.","kind":"claim","necessary":true},{"text":"A limit of retries is missing.","kind":"issue","necessary":true}],"reviews":[%s]}`+"\n",
			c, c, c+1, strings.Join([]string{
				review("good", "Now retry calls load again. How often? There is no limit of retries.", "1,2", 5),
				review("fair", []string{"Why is x tried again by retry?", "Is retry needed for this load?"}[c%2], "1", 3),
				review("poor", []string{"Nice work.", "Please rebase onto main.", ""}[c%3], "", 1),
			}, ","))
	}
	return b.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSmall trains on a dataset that can be learnt, twice with the same bytes.
func TestSmall(t *testing.T) {
	data := write(t, "small.jsonl", small(10))
	var first []byte
	for range 2 {
		out := filepath.Join(t.TempDir(), "pairs.json")
		var b bytes.Buffer
		if err := run(t.Context(), []string{"--data", data, "--table", "--folds", "2", "--resamples", "100", "--out", out}, &b); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !bytes.Equal(first, text) {
			t.Error("two trainings give other bytes")
		}
		first = text
		learnt := func(row string) bool {
			return strings.HasPrefix(row, "| the annotators' list | pair, soft |") && strings.Contains(row, "| 1.000 (")
		}
		if !slices.ContainsFunc(strings.Split(b.String(), "\n"), learnt) {
			t.Errorf("the pair similarity does not learn:\n%s", &b)
		}
		if strings.Contains(b.String(), "Readers:") {
			t.Error("there are no readers")
		}
	}
	var m sts.PairModels
	if err := json.Unmarshal(first, &m); err != nil || len(m.Diff.Features) != len(sts.PairFeatureNames()) || len(m.Data) != 1 {
		t.Errorf("%v: %s", err, first)
	}
}

// TestLinks: readers' links count.
func TestLinks(t *testing.T) {
	data := write(t, "small.jsonl", small(4))
	set, err := read(t.Context(), data, "")
	if err != nil {
		t.Fatal(err)
	}
	line := func(change, review, sentence, sum, first, second string) string {
		return strings.Join([]string{change, review, sentence, "1", sum, first, second}, "\t") + "\n"
	}
	const header = "change\treview\tsentence\treference\tchecksum\tfirst\tsecond\n"
	sum := checksum(set.changes[0].sources["own"].refs[0])
	if err := set.addLinks(header + line("0", "good", "2", sum, "2", "x") + line("0", "good", "1", "0123456789ab", "1", "1")); err != nil {
		t.Fatal(err)
	}
	own := set.changes[0].sources["own"]
	if own.links[1][0] != (link{'2', 'x'}) || set.lost != 1 || !set.changes[0].read || set.changes[1].read {
		t.Errorf("%v, %d lost", own.links, set.lost)
	}
	if err := set.addLinks(line("0", "good", "1", sum, "2", "2")); err == nil || !strings.Contains(err.Error(), "is no header") {
		t.Errorf("without a header: %v", err)
	}
	for _, tt := range []struct{ name, line, want string }{
		{"twice", line("0", "good", "2", sum, "1", "1"), "line 2: this pair occurs twice"},
		{"fields", "0\tgood\n", "line 2: 2 fields, not 7"},
		{"change", line("9", "good", "1", sum, "1", "1"), `no change "9"`},
		{"review", line("0", "best", "1", sum, "1", "1"), `no review "best"`},
		{"sentence", line("0", "good", "9", sum, "1", "1"), "with a sentence 9"},
		{"no number", line("0", "good", "a", sum, "1", "1"), "with a sentence a"},
		{"code", line("0", "good", "1", sum, "3", "1"), `"3" is none of the codes`},
		{"checksum", line("0", "good", "1", "", "1", "1"), "has 0 characters"},
	} {
		if err := set.addLinks(header + tt.line); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestBadInput(t *testing.T) {
	good := write(t, "good.jsonl", small(4))
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"usage", nil},
		{"usage", []string{"--data", good}},
		{"no such file", []string{"--data", "none", "--table"}},
		{"no such file", []string{"--data", good, "--links", "none", "--table"}},
		{"no such file", []string{"--comments", "none"}},
		{"--folds is 5, but must be from 2 to the number of changes, 4", []string{"--data", good, "--table"}},
		{"line 1", []string{"--data", write(t, "bad.jsonl", "{"), "--table"}},
		{"nobody linked", []string{"--data", write(t, "unlinked.jsonl", strings.ReplaceAll(small(4), `"addressed"`, `"ignored"`)), "--out", filepath.Join(t.TempDir(), "x")}},
	} {
		if err := run(t.Context(), tt.args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.args, err, tt.want)
		}
	}
}
