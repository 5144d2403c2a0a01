package gate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore"
	"crscore/change"
	"crscore/change/changetest"
	"crscore/internal/comments"
	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/sts"
)

// words is a similarity that needs no model: the share of a sentence's words that
// the reference has, too.
type words struct {
	fail error
	deaf bool // finds nothing, at once
}

func (words) Signature() sts.Signature {
	return sts.Signature{{Name: "similarity", Value: "words"}}
}

func (w words) Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error) {
	if w.fail != nil {
		return nil, w.fail
	}
	m := make([][]float32, len(sentences))
	for i, s := range sentences {
		own := strings.Fields(strings.Trim(s, "."))
		m[i] = make([]float32, len(refs))
		if w.deaf {
			continue
		}
		for j, r := range refs {
			n := 0
			for _, w := range own {
				if slices.Contains(strings.Fields(r), w) {
					n++
				}
			}
			m[i][j] = float32(n) / float32(max(len(own), 1))
		}
	}
	return m, ctx.Err()
}

// source gives ready references.
type source struct {
	refs   []pseudoref.Ref
	err    error
	signed string
}

func (source) Signature() string { return "test" }

func (s source) Refs(context.Context, *crscore.ChangeRun) (crscore.Found, error) {
	return crscore.Found{Refs: s.refs, Signature: s.signed}, s.err
}

// twoFiles has two hunks in a.go and one in a file that was renamed.
const twoFiles = `diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -1,3 +1,4 @@
 one
+two
 three
 four
@@ -20,3 +21,2 @@
 twenty
-old
 last
diff --git a/was.go b/now.go
similarity index 90%
rename from was.go
rename to now.go
--- a/was.go
+++ b/now.go
@@ -5,2 +5,3 @@
 five
+six
 seven
`

// refs are a reference of each hunk, of a file and of the change, and then two more
// of each hunk that nobody talks about, so that there are enough.
func refs() []pseudoref.Ref {
	at := func(text, path, side string, from, to int) pseudoref.Ref {
		return pseudoref.Ref{Kind: pseudoref.Claim, Source: "test", Text: text, Path: path, Side: side, StartLine: from, EndLine: to}
	}
	return []pseudoref.Ref{
		at("alpha beta", "a.go", "new", 2, 2), at("gamma delta", "a.go", "old", 20, 20), at("epsilon zeta", "now.go", "new", 6, 6),
		at("eta theta", "a.go", "", 0, 0), at("iota kappa", "", "", 0, 0),
		at("mu", "a.go", "new", 2, 2), at("nu", "a.go", "new", 2, 2), at("xi", "a.go", "old", 20, 20), at("pi", "a.go", "new", 22, 22),
		at("rho", "now.go", "new", 6, 6), at("tau", "now.go", "new", 5, 7),
	}
}

func engine(t testing.TB, w words, s source, opts crscore.Options) *crscore.Engine {
	t.Helper()
	opts.Similarity, opts.Claims, opts.Smells = w, []crscore.Source{s}, []crscore.Source{}
	if opts.Mode == "" {
		tau := 0.4
		opts.Mode, opts.Tau = score.Hard, &tau
	}
	e, err := crscore.New(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func decide(t testing.TB, list []comments.Comment, p Policy) *Decision {
	t.Helper()
	d, err := Judge(context.Background(), engine(t, words{}, source{refs: refs()}, crscore.Options{}), crscore.Input{Change: changetest.Parse(t, twoFiles)}, list, p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func on(path string, line int, body string) comments.Comment {
	return comments.Comment{Path: path, Side: comments.New, StartLine: line, EndLine: line, Body: body}
}

func placesIn(c *change.Change, refs []pseudoref.Ref, weights score.Weights) *places {
	return newPlaces(newFiles(c), refs, weights)
}

func TestPlace(t *testing.T) {
	old := func(c comments.Comment) comments.Comment { c.Side = comments.Old; return c }
	var all []int
	for i := range refs() {
		all = append(all, i)
	}
	diffLine := func(path string, n int) comments.Comment { return comments.Comment{Path: path, DiffLine: n} }
	for _, c := range []struct {
		name    string
		comment comments.Comment
		scope   Scope
		refs    []int
		note    string
	}{
		{"first hunk", on("a.go", 2, ""), ScopeHunk, []int{0, 3, 4, 5, 6}, ""},
		{"a line of context", on("a.go", 4, ""), ScopeHunk, []int{0, 3, 4, 5, 6}, ""},
		{"second hunk", on("a.go", 22, ""), ScopeHunk, []int{1, 3, 4, 7, 8}, ""},
		{"its old side", old(on("a.go", 20, "")), ScopeHunk, []int{1, 3, 4, 7, 8}, ""},
		{"both hunks", comments.Comment{Path: "a.go", Side: comments.New, StartLine: 3, EndLine: 21}, ScopeHunk, []int{0, 1, 3, 4, 5, 6, 7, 8}, ""},
		{"between the hunks", on("a.go", 10, ""), ScopeChange, all, "the diff has no line 10 of the new side of a.go"},
		{"only on the old side", on("a.go", 23, ""), ScopeChange, all, "the diff has no line 23 of the new side of a.go"},
		{"a line below the first @@", diffLine("a.go", 4), ScopeHunk, []int{0, 3, 4, 5, 6}, ""},
		{"the second @@", diffLine("a.go", 5), ScopeHunk, []int{1, 3, 4, 7, 8}, ""},
		{"a line below the second @@", diffLine("a.go", 6), ScopeHunk, []int{1, 3, 4, 7, 8}, ""},
		{"below the diff", diffLine("a.go", 99), ScopeChange, all, "the diff of a.go has no line 99"},
		{"the whole file", on("a.go", 0, ""), ScopeFile, []int{0, 1, 3, 4, 5, 6, 7, 8}, ""},
		{"a renamed file", on("now.go", 5, ""), ScopeHunk, []int{2, 4, 9, 10}, ""},
		{"its old name", old(on("was.go", 5, "")), ScopeHunk, []int{2, 4, 9, 10}, ""},
		{"a path of Windows", on(`.\now.go`, 5, ""), ScopeHunk, []int{2, 4, 9, 10}, ""},
		{"where it lies", on("/home/someone/now.go", 5, ""), ScopeHunk, []int{2, 4, 9, 10}, ""},
		{"as the URI of a file", on("file:///home/someone/now.go", 5, ""), ScopeHunk, []int{2, 4, 9, 10}, ""},
		{"with another letter encoded", on("file:/home/someone/n%6fw.go", 5, ""), ScopeHunk, []int{2, 4, 9, 10}, ""},
		{"the end of a name only", on("/home/someone/know.go", 5, ""), ScopeChange, all, "the diff has no file /home/someone/know.go"},
		{"the same name elsewhere", on("lib/now.go", 5, ""), ScopeChange, all, "the diff has no file lib/now.go"},
		{"controls in the name", on("x\x1b[31m\n.go", 5, ""), ScopeChange, all, "the diff has no file x[31m .go"},
		{"lines that are gone", comments.Comment{Path: "a.go", Lost: true}, ScopeChange, all, "its lines of a.go are not in the diff any more"},
		{"no place", comments.Comment{Body: "x"}, ScopeChange, all, ""},
		{"a summary", comments.Comment{Summary: true}, ScopeChange, all, ""},
	} {
		p := placesIn(changetest.Parse(t, twoFiles), refs(), nil)
		got := p.of(p.settle(c.comment))
		if d := cmp.Diff(place{c.scope, c.refs, c.note}, got, cmp.AllowUnexported(place{})); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestFile tells what the change calls the file of a comment, whether there is a
// score or not.
func TestFile(t *testing.T) {
	old := on("was.go", 5, "alpha beta.")
	old.Side = comments.Old
	list := []comments.Comment{
		on("./a.go", 2, "alpha beta."), on("/home/ci/repo/a.go", 2, "alpha beta."), on(`C:\repo\a.go`, 99, "alpha beta."), on("file:///r/now.go", 0, "alpha beta."), old,
		{Path: "a.go", Lost: true, Body: "alpha beta."}, {OldPath: "was.go", Body: "alpha beta."},
		on("./docs//x.md", 1, "alpha beta."), on("/elsewhere/x%20y.go", 1, "alpha beta."), on("https://example.org/a.go", 1, "alpha beta."),
		{Body: "alpha beta."}, {Body: "alpha beta.", Summary: true},
	}
	want := []string{"a.go", "a.go", "a.go", "now.go", "now.go", "a.go", "now.go", "docs/x.md", "/elsewhere/x%20y.go", "https://example.org/a.go", "", ""}
	for _, s := range []source{{refs: refs()}, {err: errors.New("gone")}} {
		d, err := Judge(context.Background(), engine(t, words{}, s, crscore.Options{}), crscore.Input{Change: changetest.Parse(t, twoFiles)}, list, Policy{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, v := range d.Comments {
			got = append(got, v.File)
			if v.Path != list[i].Path {
				t.Errorf("the path %q became %q", list[i].Path, v.Path)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", d.Outcome, diff)
		}
	}
	// Bare hunks name no file.
	if got := newFiles(changetest.Parse(t, "@@ -1 +1 @@\n-a\n+b\n")).path(on("./a.go", 1, "")); got != "a.go" {
		t.Errorf("bare hunks: %q", got)
	}
	if d, err := Judge(context.Background(), engine(t, words{}, source{refs: refs()}, crscore.Options{}), crscore.Input{}, list[:1], Policy{}); err != nil || d.Outcome != Undecided {
		t.Errorf("no change: %+v, %v", d, err)
	}
}

func TestPlaceFallsBack(t *testing.T) {
	for _, c := range []struct {
		name    string
		refs    []int // of refs
		weights score.Weights
		comment comments.Comment
		scope   Scope
		note    string
	}{
		{"nothing about the hunk", []int{0, 2, 3, 5, 6}, nil, on("a.go", 21, ""), ScopeFile, "no reference is about its hunk"},
		{"little about the hunk", []int{0, 3, 5, 6, 7, 8}, nil, on("a.go", 21, ""), ScopeFile, "only 2 references are about its hunk"},
		{"little of any weight", []int{0, 3, 5, 6}, score.Weights{"claim": 1, "smell": 0}, on("a.go", 2, ""), ScopeHunk, ""},
		{"enough about the hunk", []int{0, 1, 5, 6}, nil, on("a.go", 2, ""), ScopeHunk, ""},
		{"little about the file", []int{0, 2, 3}, nil, on("a.go", 2, ""), ScopeChange, "only 2 references are about its file"},
		{"little about the whole file", []int{0, 2}, nil, on("a.go", 0, ""), ScopeChange, "only 1 reference is about its file"},
		{"no more elsewhere", []int{0, 4}, nil, on("a.go", 2, ""), ScopeHunk, ""},
		{"no more anywhere", []int{0, 5}, nil, on("a.go", 2, ""), ScopeHunk, ""},
		{"no more in the file", []int{0, 3}, nil, on("a.go", 2, ""), ScopeHunk, ""},
		{"only of the file", []int{3}, nil, on("a.go", 2, ""), ScopeFile, "no reference is about its hunk"},
		{"nothing about the file", []int{2, 4}, nil, on("a.go", 2, ""), ScopeChange, "no reference is about its file"},
		{"nothing about the whole file", []int{2}, nil, on("a.go", 0, ""), ScopeChange, "no reference is about its file"},
		{"nothing with any weight", []int{0, 2}, score.Weights{"claim": 0}, on("a.go", 2, ""), ScopeChange, "no reference is about its file"},
	} {
		var list []pseudoref.Ref
		for _, i := range c.refs {
			list = append(list, refs()[i])
		}
		got := placesIn(changetest.Parse(t, twoFiles), list, c.weights).of(c.comment)
		if got.scope != c.scope || got.note != c.note {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	// A hunk that only takes away is where its side is empty.
	gone := changetest.Parse(t, "--- a/a.go\n+++ b/a.go\n@@ -5 +4,0 @@\n-five\n")
	was := on("a.go", 5, "")
	was.Side = comments.Old
	if got := placesIn(gone, []pseudoref.Ref{{Path: "a.go", Side: "new", StartLine: 4, EndLine: 4}}, nil).of(was); got.scope != ScopeHunk {
		t.Errorf("a deletion: %+v", got)
	}
	// Two files that change their names: each side has its own.
	swapped := changetest.Parse(t, "diff --git a/a.go b/b.go\nsimilarity index 100%\nrename from a.go\nrename to b.go\ndiff --git a/b.go b/a.go\nsimilarity index 100%\nrename from b.go\nrename to a.go\n")
	for side, want := range map[comments.Side]int{comments.Old: 0, comments.New: 1} {
		if got, _ := placesIn(swapped, nil, nil).file(comments.Comment{Path: "a.go", Side: side}); got != want {
			t.Errorf("%s: file %d, want %d", side, got, want)
		}
	}
	added := changetest.Parse(t, "--- /dev/null\n+++ b/a.go\n@@ -0,0 +1 @@\n+a\n")
	if got, _ := placesIn(added, nil, nil).file(comments.Comment{Path: "/"}); got != -1 {
		t.Errorf("the root is file %d", got)
	}
	// The longest name that fits is meant.
	nested := changetest.Parse(t, "--- a/lib/x.go\n+++ b/lib/x.go\n@@ -1 +1 @@\n-a\n+b\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n--- a/b/x.go\n+++ b/b/x.go\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n")
	if got, err := placesIn(nested, nil, nil).file(comments.Comment{Path: "C:\\work\\lib\\x.go"}); got != 0 || err != nil {
		t.Errorf("file %d", got)
	}
	bare := changetest.Parse(t, "@@ -1,2 +1,2 @@\n-a\n+b\n c\n")
	list := []pseudoref.Ref{{Kind: pseudoref.Claim, Text: "x", Side: "new", StartLine: 1, EndLine: 1}}
	if got := placesIn(bare, list, nil).of(on("what.go", 2, "")); got.scope != ScopeHunk {
		t.Errorf("bare hunks: %+v", got)
	}
}

func TestJudge(t *testing.T) {
	list := []comments.Comment{
		on("a.go", 2, "alpha beta. Nothing else matters."),
		on("a.go", 2, "gamma delta."), // of the other hunk
		on("x.go", 2, "gamma delta."),
		on("now.go", 6, " \n"),
	}
	d := decide(t, list, Policy{})
	if d.Outcome != Pass || len(d.Reasons) != 0 || d.Given != nil {
		t.Errorf("%+v", d)
	}
	type line struct {
		con, comp float64
		scope     Scope
		sentences int
		refs      int
		note      string
	}
	var got []line
	for _, v := range d.Comments {
		got = append(got, line{*v.Con, *v.Comp, v.Scope, v.Sentences, v.Refs, v.Note})
	}
	want := []line{
		{0.5, 1. / 5, ScopeHunk, 2, 5, ""},
		{0, 0, ScopeHunk, 1, 5, ""},
		{1, 1. / 11, ScopeChange, 1, 11, "the diff has no file x.go"},
		{0, 0, ScopeHunk, 0, 4, "it has no sentence"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Error(diff)
	}
	// As one review: three of four sentences, two of eleven references.
	if r := d.Review; *r.Con != 0.75 || *r.Comp != 2./11 || r.Comments != 4 || r.Sentences != 4 || r.Refs != 11 {
		t.Errorf("%+v: con %v, comp %v", r, *r.Con, *r.Comp)
	}
	var missed []string
	for _, m := range d.Missed {
		missed = append(missed, m.Text)
	}
	if diff := cmp.Diff([]string{"epsilon zeta", "eta theta", "iota kappa", "mu", "nu", "xi", "pi", "rho", "tau"}, missed); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]About{{"alpha beta.", 1, 1, 1}, {"Nothing else matters.", 1, 0, 0}}, d.Comments[0].About); diff != "" {
		t.Error(diff)
	}
	if want := "claims=test smells=none aboutness=1:"; !strings.Contains(d.Signature, want) {
		t.Errorf("signature %s lacks %s", d.Signature, want)
	}
}

func TestPolicy(t *testing.T) {
	good, half, bad := on("a.go", 2, "alpha beta."), on("a.go", 2, "alpha beta. Kettle."), on("a.go", 2, "Kettle.")
	sixth, seventh := on("a.go", 2, "alpha beta."+strings.Repeat(" Kettle.", 5)), on("a.go", 2, "alpha beta."+strings.Repeat(" Kettle.", 6))
	thanks, rebase := on("a.go", 2, "Thanks, good change!"), on("a.go", 2, "Please rebase. Thanks!")
	hello := comments.Comment{Body: "Thank you! Nice work. I left some comments below.", Summary: true}
	all := []Drop{DropElsewhere, DropEmpty, DropVague}
	away := on("a.go", 2, "The `quux_handler` writes each `zorp_table` to the printer whenever the outer scheduler is stopped early.")
	summary, said := comments.Comment{Body: "Kettle.", Summary: true}, comments.Comment{Body: "alpha beta.", Summary: true}
	for _, c := range []struct {
		name    string
		list    []comments.Comment
		policy  Policy
		outcome Outcome
		reasons string
		dropped []Drop
	}{
		{"nothing asked", []comments.Comment{bad}, Policy{}, Pass, "", []Drop{""}},
		{"con", []comments.Comment{good, half, bad}, Policy{MinCon: 0.6}, Fail, "comment 2 has con 0.500, less than 0.6\ncomment 3 has con 0.000, less than 0.6", []Drop{"", "", ""}},
		{"con as asked", []comments.Comment{good, half}, Policy{MinCon: 0.5}, Pass, "", []Drop{"", ""}},
		{"con is not asked of a summary", []comments.Comment{summary, good}, Policy{MinCon: 0.6, Drop: all}, Pass, "", []Drop{"", ""}},
		{"con, with anything dropped", []comments.Comment{good, half, bad}, Policy{MinCon: 0.6, Drop: all}, Pass, "", []Drop{"", DropCon, DropVague}},
		{"elsewhere", []comments.Comment{good, bad, away}, Policy{DropOffTopic: true}, Pass, "", []Drop{"", "", DropElsewhere}},
		{"vague alone", []comments.Comment{good, bad, away, thanks}, Policy{Drop: []Drop{DropVague}}, Pass, "", []Drop{"", DropVague, "", ""}},
		{"repeated", []comments.Comment{half, good, bad}, Policy{Drop: []Drop{DropRepeated}}, Pass, "", []Drop{DropRepeated, "", ""}},
		{"two concerns about one statement", []comments.Comment{good, on("a.go", 2, "alpha beta. The printer of the outer scheduler never stops on a timeout.")}, Policy{Drop: []Drop{DropRepeated}}, Pass, "", []Drop{"", ""}},
		{"vague by itself", []comments.Comment{good, half, bad}, Policy{Drop: all}, Pass, "", []Drop{"", "", DropVague}},
		{"comp", []comments.Comment{good}, Policy{MinComp: 0.3}, Fail, "the review has comp 0.091, less than 0.3", []Drop{""}},
		{"rel", []comments.Comment{good, bad}, Policy{MinRel: 0.16}, Fail, "the review has rel 0.154, less than 0.16", []Drop{"", ""}},
		{"rel of what is kept", []comments.Comment{good, bad}, Policy{MinRel: 0.16, Drop: all}, Pass, "", []Drop{"", DropVague}},
		{"nothing left", []comments.Comment{bad}, Policy{Drop: all, MinRel: 0.9}, Pass, "", []Drop{DropVague}},
		{"nothing left, which fails", []comments.Comment{bad}, Policy{Drop: all, Empty: EmptyFail}, Fail, "no comment is left", []Drop{DropVague}},
		{"nothing left but a summary", []comments.Comment{summary, bad}, Policy{Drop: all, Empty: EmptyFail}, Fail, "no comment is left", []Drop{"", DropVague}},
		{"nothing left but a summary, held against the rest", []comments.Comment{said, bad}, Policy{Drop: all, MinRel: 0.9}, Fail, "the review has rel 0.167, less than 0.9", []Drop{"", DropVague}},
		{"nothing left but a summary that is enough", []comments.Comment{said, bad}, Policy{Drop: all, MinRel: 0.16}, Pass, "", []Drop{"", DropVague}},
		{"a summary that is too little, which fails twice", []comments.Comment{summary, bad}, Policy{Drop: all, MinComp: 0.1, Empty: EmptyFail}, Fail,
			"the review has comp 0.000, less than 0.1\nno comment is left", []Drop{"", DropVague}},
		{"the bound of vague", []comments.Comment{good, sixth, seventh}, Policy{Drop: all}, Pass, "", []Drop{"", "", DropVague}},
		{"a Con above 0 is not vague", []comments.Comment{good, sixth, bad}, Policy{Drop: all}, Pass, "", []Drop{"", "", DropVague}},
		{"nothing is dropped unasked", []comments.Comment{good, sixth, bad, thanks}, Policy{}, Pass, "", []Drop{"", "", "", ""}},
		{"remarks", []comments.Comment{thanks, rebase, good}, Policy{DropOffTopic: true}, Pass, "", []Drop{DropEmpty, DropEmpty, ""}},
		{"thanks as a summary", []comments.Comment{hello, good}, Policy{MinRel: 0.16}, Pass, "", []Drop{"", ""}},
		{"thanks as a summary alone", []comments.Comment{hello}, Policy{MinRel: 0.1}, Pass, "", []Drop{""}},
		{"thanks as a summary alone, which fails", []comments.Comment{hello}, Policy{Empty: EmptyFail}, Fail, "there is no comment", []Drop{""}},
		{"thanks as a summary with nothing left", []comments.Comment{hello, bad}, Policy{Drop: all, MinRel: 0.1}, Pass, "", []Drop{"", DropVague}},
		{"empty", nil, Policy{MinRel: 1}, Pass, "", nil},
		{"empty, which fails", nil, Policy{Empty: EmptyFail}, Fail, "there is no comment", nil},
		{"a summary alone", []comments.Comment{summary}, Policy{MinRel: 0.1}, Fail, "the review has rel 0.000, less than 0.1", []Drop{""}},
		{"a summary alone is no comment", []comments.Comment{said}, Policy{Empty: EmptyFail}, Fail, "there is no comment", []Drop{""}},
		{"a summary alone that is enough", []comments.Comment{said}, Policy{MinRel: 0.16}, Pass, "", []Drop{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := decide(t, c.list, c.policy)
			if got := strings.Join(d.Reasons, "\n"); d.Outcome != c.outcome || got != c.reasons {
				t.Errorf("%s: %s", d.Outcome, got)
			}
			for i, v := range d.Comments {
				if v.Dropped != c.dropped[i] || v.Kept != (v.Dropped == "") {
					t.Errorf("comment %d: kept %t, dropped %q, want %q", i+1, v.Kept, v.Dropped, c.dropped[i])
				}
			}
			if gone := slices.ContainsFunc(c.dropped, func(d Drop) bool { return d != "" }); gone != (d.Given != nil) {
				t.Errorf("given: %+v", d.Given)
			}
		})
	}
}

// TestRemarks says what is praise and what is process, whatever its Con.
func TestRemarks(t *testing.T) {
	list := refs()
	list[0].Text = "Thanks good change! rebase"
	said := []comments.Comment{
		{Body: "Great job! gamma delta.", Summary: true}, on("a.go", 2, "Thanks, good change!"), on("a.go", 2, "Please rebase."), on("a.go", 2, "good alpha"),
	}
	e := engine(t, words{}, source{refs: list}, crscore.Options{})
	judge := func(p Policy) (*Decision, error) {
		return Judge(context.Background(), e, crscore.Input{Change: changetest.Parse(t, twoFiles)}, said, p)
	}
	d, err := judge(Policy{DropOffTopic: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range d.Comments {
		got = append(got, fmt.Sprintf("%d %s/%s %.1f", v.Comment, v.Dropped, v.OffTopic, *v.Con))
	}
	if diff := cmp.Diff([]string{"0 / 0.5", "1 empty/praise 1.0", "2 empty/process 1.0", "3 / 1.0"}, got); diff != "" {
		t.Error(diff)
	}
	if d.Review.Sentences != 2 || *d.Review.Con != 1 || !strings.HasPrefix(d.Comments[0].Note, "1 of 2 sentences are praise") {
		t.Errorf("the summary's thanks are a part of the review: %+v, %q", d.Review, d.Comments[0].Note)
	}
	var b strings.Builder
	if err := d.WriteText(&b, report.TextOptions{}); err != nil || !strings.Contains(b.String(), "dropped: empty; nothing but praise;") {
		t.Errorf("%v\n%s", err, b.String())
	}
	if d, err = judge(Policy{MinCon: 0.1}); err != nil || strings.Join(d.Reasons, "\n") != "comment 1 has no sentence about the code: praise\ncomment 2 has no sentence about the code: process" {
		t.Errorf("%v, %v", d.Reasons, err)
	}
}

// TestMissed ranks references by weight, then by what is covered of them.
func TestMissed(t *testing.T) {
	list := refs()[:4]
	list[1].Kind, list[3].Text = pseudoref.Smell, "alpha nothing"
	tau, low := 0.9, 0.0
	e := engine(t, words{}, source{refs: list}, crscore.Options{Mode: score.Ramp, Tau: &tau, Low: &low, Weights: score.Weights{"claim": 1, "smell": 2}})
	d, err := Judge(context.Background(), e, crscore.Input{Change: changetest.Parse(t, twoFiles)}, []comments.Comment{on("a.go", 2, "alpha x y z.")}, Policy{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range d.Missed {
		got = append(got, m.Text)
	}
	if diff := cmp.Diff([]string{"gamma delta", "epsilon zeta", "alpha beta", "alpha nothing"}, got); diff != "" || *d.Missed[0].Weight != 2 {
		t.Error(diff)
	}
}

func TestPolicyCheck(t *testing.T) {
	for _, c := range []struct {
		policy Policy
		want   string
	}{
		{Policy{MinCon: 1.1}, "the least con of a comment is 1.1, but must be a number from 0 to 1"},
		{Policy{MinComp: -1}, "the least comp is -1"},
		{Policy{MinRel: math.NaN()}, "the least rel is NaN"},
		{Policy{Drop: []Drop{"about"}}, `no kind of comment to drop is "about": choose of [elsewhere empty vague repeated]`},
		{Policy{MaxComments: -1}, "the most comments are -1"},
		{Policy{Empty: "maybe"}, `an empty review can pass or fail, not "maybe"`},
	} {
		if _, err := Judge(context.Background(), nil, crscore.Input{}, nil, c.policy); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.policy, err, c.want)
		}
	}
}

func TestMaxComments(t *testing.T) {
	list := []comments.Comment{
		on("a.go", 2, "alpha beta. No."),
		on("a.go", 2, "alpha beta."),  // the same reference, better
		on("a.go", 2, "alpha beta. "), // once more
		on("now.go", 6, "No."),
		on("now.go", 6, "epsilon zeta. No. No."),
		{Summary: true, Body: "Hello."},
	}
	for _, c := range []struct {
		n    int
		want []Drop
	}{
		{1, []Drop{DropRepeated, "", DropRepeated, DropTooMany, DropTooMany, ""}},
		{2, []Drop{DropRepeated, "", DropRepeated, DropTooMany, "", ""}},
		{3, []Drop{DropRepeated, "", "", DropTooMany, "", ""}}, // there is room for it
		{4, []Drop{"", "", "", DropTooMany, "", ""}},
		{5, []Drop{"", "", "", "", "", ""}},
		{0, []Drop{"", "", "", "", "", ""}},
	} {
		d := decide(t, list, Policy{MaxComments: c.n})
		var got []Drop
		for _, v := range d.Comments {
			got = append(got, v.Dropped)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d: %s", c.n, diff)
		}
	}
	// What is not posted does not fail.
	if d := decide(t, list, Policy{MaxComments: 1, MinCon: 1.0}); d.Outcome != Pass {
		t.Errorf("%s: %s", d.Outcome, d.Reasons)
	}
}

func TestUndecided(t *testing.T) {
	gone := errors.New("the model is gone")
	tau := 0.4
	huge := comments.Comment{Body: strings.Repeat("alpha ", crscore.MaxReviewBytes/6+1)}
	long := comments.Comment{Body: strings.Repeat("No. ", crscore.MaxReviewSentences+1)}
	good := on("a.go", 2, "alpha beta.")
	strict := Policy{MinCon: 1.0, MinRel: 1, DropOffTopic: true, MaxComments: 1}
	for _, c := range []struct {
		name   string
		words  words
		source source
		opts   crscore.Options
		list   []comments.Comment
		reason string
	}{
		{"no references", words{}, source{}, crscore.Options{}, []comments.Comment{good}, "comment 1 has no score: the change has no pseudo-references"},
		{"a source failed", words{}, source{err: gone}, crscore.Options{}, []comments.Comment{good, good}, "2 comments, comment 1 the first, have no score: test: the model is gone"},
		{"the encoder failed", words{fail: gone}, source{refs: refs()}, crscore.Options{}, []comments.Comment{good}, "comment 1 has no score: the model is gone"},
		{"nothing weighs", words{}, source{refs: refs()}, crscore.Options{Mode: score.Hard, Tau: &tau, Weights: score.Weights{"claim": 0}}, []comments.Comment{good}, "all pseudo-references of the change weigh 0"},
		{"one is too large", words{}, source{refs: refs()}, crscore.Options{}, []comments.Comment{good, huge, good}, "comment 2 has no score: the review has 4194306 bytes"},
		{"one is too long", words{}, source{refs: refs()}, crscore.Options{}, []comments.Comment{good, long}, "comment 2 has no score: the review has 50001 sentences, more than the limit of 50000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Judge(context.Background(), engine(t, c.words, c.source, c.opts), crscore.Input{Change: changetest.Parse(t, twoFiles)}, c.list, strict)
			if err != nil {
				t.Fatal(err)
			}
			if d.Outcome != Undecided || len(d.Reasons) != 1 || !strings.Contains(d.Reasons[0], c.reason) {
				t.Errorf("%s: %s", d.Outcome, d.Reasons)
			}
			if d.Review.Status != crscore.Unscored || d.Review.Con != nil {
				t.Errorf("%+v", d.Review)
			}
			for _, v := range d.Comments {
				if !v.Kept {
					t.Errorf("comment %d is dropped", v.Comment)
				}
			}
		})
	}
	many := make([]pseudoref.Ref, limits.ChangeRefs)
	for i := range many {
		many[i] = pseudoref.Ref{Kind: pseudoref.Claim, Text: fmt.Sprint("text ", i)}
	}
	list := []comments.Comment{{Body: strings.Repeat("No. ", 1000)}, {Body: strings.Repeat("No. ", 1000)}, good}
	all, err := Judge(context.Background(), engine(t, words{deaf: true}, source{refs: many}, crscore.Options{}), crscore.Input{Change: changetest.Parse(t, twoFiles)}, list, strict)
	if err != nil || all.Outcome != Undecided || !strings.Contains(all.Comments[1].Reason, "the limit of 16777216 pairs") || all.Comments[0].Reason != "" {
		t.Errorf("too many pairs: %v, %v", all.Reasons, err)
	}
	// Nor more sentences than are bounded for one alone, however many comments they are in.
	list = slices.Repeat([]comments.Comment{{Body: strings.Repeat("No. ", crscore.MaxSentences/20)}}, 21)
	if all, err = Judge(context.Background(), engine(t, words{deaf: true}, source{refs: refs()[:1]}, crscore.Options{}), crscore.Input{Change: changetest.Parse(t, twoFiles)}, list, strict); err != nil {
		t.Fatal(err)
	}
	if all.Outcome != Undecided || all.Comments[19].Reason != "" || !strings.Contains(all.Comments[20].Reason, "more sentences than the limit of 200000") {
		t.Errorf("too many sentences: %v", all.Reasons)
	}
	// An empty list is the policy's to decide, whatever is out of order.
	d, err := Judge(context.Background(), engine(t, words{fail: gone}, source{err: gone}, crscore.Options{}), crscore.Input{}, nil, strict)
	if err != nil || d.Outcome != Pass {
		t.Errorf("%+v, %v", d, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range []source{{refs: refs()}, {err: context.Canceled}} {
		if _, err := Judge(ctx, engine(t, words{}, s, crscore.Options{}), crscore.Input{Change: changetest.Parse(t, twoFiles)}, []comments.Comment{good}, Policy{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// TestHolds: of what comments were compared with, a decision holds nothing.
func TestHolds(t *testing.T) {
	many := make([]pseudoref.Ref, 1000)
	for i := range many {
		many[i] = pseudoref.Ref{Kind: pseudoref.Claim, Text: fmt.Sprint("text ", i)}
	}
	list := slices.Repeat([]comments.Comment{{Body: "No."}}, 1000)
	e, in := engine(t, words{deaf: true}, source{refs: many}, crscore.Options{}), crscore.Input{Change: changetest.Parse(t, twoFiles)}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	if _, err := e.Vectors(t.Context(), nil); err != nil { // opens the encoder
		t.Fatal(err)
	}
	before := heap()
	d, err := Judge(context.Background(), e, in, list, Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if after := heap(); after > before+20<<20 {
		t.Errorf("a decision about %d comments holds %d MiB", len(d.Comments), (after-before)>>20)
	}
	runtime.KeepAlive(d)
}

// TestRule tells what of a decision depends on the engine's rule and sources.
func TestRule(t *testing.T) {
	judge := func(s source, opts crscore.Options) *Decision {
		d, err := Judge(context.Background(), engine(t, words{}, s, opts), crscore.Input{Change: changetest.Parse(t, twoFiles)}, []comments.Comment{on("a.go", 2, "alpha beta.")}, Policy{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := judge(source{refs: refs()}, crscore.Options{Mode: score.Soft}); d.Missed != nil || d.Mode != "soft" {
		t.Errorf("a mode without a threshold: %+v", d.Missed)
	}
	light := refs()
	light[2].Kind = pseudoref.Smell
	tau := 0.4
	if d := judge(source{refs: light}, crscore.Options{Mode: score.Hard, Tau: &tau, Weights: score.Weights{"smell": 0}}); len(d.Missed) != 9 {
		t.Errorf("what weighs nothing is missed: %+v", d.Missed)
	}
	if d := judge(source{refs: refs(), signed: "instead"}, crscore.Options{}); !strings.Contains(d.Signature, " tau=0.4 claims=instead smells=none aboutness=1:") {
		t.Errorf("signature %s", d.Signature)
	}
}

func TestBest(t *testing.T) {
	one := func(ref int, credit, similarity float64) coverage { return coverage{ref, credit, similarity} }
	for _, c := range []struct {
		name string
		list [][]coverage
		want string // in the order in which they are kept
	}{
		{"by con", [][]coverage{{one(0, 0.2, 0.2)}, {one(1, 0.9, 0.9)}, {one(2, 0.5, 0.5)}}, "[1 2 0]"},
		{"by similarity where all have full credit", [][]coverage{{one(0, 1, 0.7)}, {one(1, 1, 0.9)}, {one(2, 1, 0.8)}}, "[1 2 0]"},
		{"as they came", [][]coverage{{one(0, 1, 0.7)}, {one(1, 1, 0.7)}}, "[0 1]"},
		{"a reference is covered once", [][]coverage{{one(0, 1, 1)}, {one(0, 0.9, 0.9)}, {one(1, 0.5, 0.5)}}, "[0 2 1]"},
		{"what is left of a reference has a value", [][]coverage{{one(0, 0.6, 1), one(1, 0.8, 1)}, {one(0, 0.65, 1)}, {one(1, 0.6, 1)}}, "[0 1 2]"},
		{"a well covered reference stays so", [][]coverage{{one(0, 1, 1)}, {one(0, 0.2, 1), one(1, 1, 1)}, {one(0, 0.45, 1)}, {one(2, 0.1, 1)}}, "[0 1 3 2]"},
		{"repetitions by con", [][]coverage{{one(0, 0.2, 0.9)}, {one(0, 0.7, 0.1)}, {one(0, 1, 1)}}, "[2 1 0]"},
		{"nothing said", [][]coverage{nil, {one(0, 0.1, 1)}}, "[1 0]"},
	} {
		var list []*candidate
		for i, covers := range c.list {
			c := newCandidate(i, covers, 0)
			c.revalue(nil)
			c.con = c.value
			list = append(list, c)
		}
		kept, rest := best(list, len(list))
		var order []int
		for _, k := range kept {
			order = append(order, k.index)
		}
		if got := fmt.Sprint(order); got != c.want || len(rest) != 0 {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMany has more comments than one look at the references can take.
func TestMany(t *testing.T) {
	var list []comments.Comment
	for i := range 10_000 {
		list = append(list, on("a.go", 2, fmt.Sprintf("alpha beta. Number %d. No. No. No. No.", i)))
	}
	d := decide(t, list, Policy{MaxComments: 10})
	if d.Outcome != Pass || d.Review.Comments != 10 || d.Given.Sentences != 60_000 || *d.Given.Comp != 1./11 {
		t.Errorf("%s %v: %+v, %+v", d.Outcome, d.Reasons, d.Review, d.Given)
	}
}

// TestTouched holds the search for hunks against looking at each of them.
func TestTouched(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var f change.File
		line := [2]int{1, 1}
		for range rng.IntN(6) {
			h := change.Hunk{OldLines: rng.IntN(3), NewLines: rng.IntN(3)}
			line[0], line[1] = line[0]+rng.IntN(3), line[1]+rng.IntN(3)
			h.OldStart, h.NewStart = line[0], line[1]
			line[0], line[1] = line[0]+h.OldLines, line[1]+h.NewLines
			f.Hunks = append(f.Hunks, h)
		}
		l := placesIn(&change.Change{Files: []change.File{f}}, nil, nil).layout(0)
		for first := 1; first < 20; first++ {
			for last := first; last < 20; last++ {
				for _, side := range []comments.Side{comments.Old, comments.New} {
					var want *stretch
					for i, h := range f.Hunks {
						start, n := h.NewStart, h.NewLines
						if side == comments.Old {
							start, n = h.OldStart, h.OldLines
						}
						if n > 0 && first < start+n && last >= start {
							want = want.take(&f.Hunks[i])
						}
					}
					if got := l.touched(&f, side, first, last); fmt.Sprint(got) != fmt.Sprint(want) {
						t.Fatalf("%+v, lines %d to %d %s: %v, want %v", f.Hunks, first, last, side, got, want)
					}
				}
			}
		}
	}
}
