package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore"
	"crscore/change/changetest"
	"crscore/internal/comments"
	"crscore/internal/report"
)

// shown is a decision with something of everything.
func shown(t *testing.T) *Decision {
	return decide(t, []comments.Comment{
		{Summary: true, Body: "Hello."}, on("a.go", 2, "alpha beta."), on("a.go", 2, "No\n| <b>@you</b>."), on("x.go", 3, "gamma No. No."),
	}, Policy{MinCon: 0.6, MinRel: 0.9, MaxComments: 2})
}

func TestWriteText(t *testing.T) {
	var b bytes.Buffer
	if err := shown(t).WriteText(&b, report.TextOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	got, signature, _ := strings.Cut(b.String(), "signature ")
	want := `Gate failed: 2 of 3 comments kept (1 empty, 2 undecided), con 0.500, comp 0.182, rel 0.267
  ✗ comment 3 has con 0.500, less than 0.6
  ✗ the review has rel 0.267, less than 0.9

Comments
  ·    con 0.00  summary Hello.
      against 11 references of the change
  · 1  con 1.00  a.go:2 alpha beta.
      undecided; no word in common; against 5 references of the hunk
  ✗ 2  con 0.00  a.go:2 No | <b>@you</b>.
      dropped: too-many; empty; nothing but praise, process remarks or boilerplate; against 5
      references of the hunk
  ✗ 3  con 0.50  x.go:3 gamma No. No.
      undecided; no word in common; against 11 references of the change; the diff has no file x.go

Missed: 9 of 11 references
  ✗ epsilon zeta
      claim now.go:6
  ✗ eta theta
      claim a.go
  ✗ iota kappa
      claim
  ✗ mu
      claim a.go:2
  ✗ nu
      claim a.go:2
  · and 4 more

warning: comments about files that the change does not have, judged by the whole change: 1 of 4 (the
first: the diff has no file x.go)
`
	if d := cmp.Diff(want, got); d != "" || signature == "" {
		t.Error(d)
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := shown(t).WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"### crscore: failed\n\n- comment 3 has con 0.500, less than 0.6\n",
		"Con **0.500**, Comp **0.182**, Rel **0.267** by 11 references.\n",
		"|  | summary: Hello. | 0.00 | against 11 references of the change |\n",
		"| 2 | a.go:2: No \\| &lt;b>@&#8203;you&lt;/b>. | 0.00 | dropped: too-many; empty; nothing but praise, process remarks or boilerplate; against 5 references of the hunk |\n",
		"| 3 | x.go:3: gamma No. No. | 0.50 | kept; undecided; no word in common; against 11 references of the change; the diff has no file x.go |\n",
		"<details><summary>Missed: 9 of 11 references</summary>\n\n- epsilon zeta (claim now.go:6)\n",
		"- nu (claim a.go:2)\n- and 4 more\n\n</details>\n",
		"\nWarning: comments about files that the change does not have, judged by the whole change: 1 of 4 (the first: the diff has no file x.go).\n\n<sub>",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestWriteMany does not fill a screen with what is all the same.
func TestWriteMany(t *testing.T) {
	var list []comments.Comment
	for range 300 {
		list = append(list, on("a.go", 2, "No."))
	}
	d := decide(t, list, Policy{MinCon: 0.5})
	var text, markdown bytes.Buffer
	if err := errors.Join(d.WriteText(&text, report.TextOptions{}), d.WriteMarkdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), markdown.String()} {
		if !strings.Contains(out, "and 280 more reasons\n") || !strings.Contains(out, "the first 200 of 300") || strings.Contains(out, "comment 21 has") {
			t.Error(out)
		}
	}
	if len(d.Reasons) != 300 {
		t.Errorf("%d reasons", len(d.Reasons))
	}
}

func TestPlain(t *testing.T) {
	if got, want := plain("a\n\n    `b`\x1b[2J |"), `a <code>b</code>[2J \|`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := plain(strings.Repeat("a", 2000)); len([]rune(got)) != plainRunes {
		t.Errorf("%d characters", len([]rune(got)))
	}
}

// TestWriteUndecided has nothing to show but the reason.
func TestWriteUndecided(t *testing.T) {
	e := engine(t, words{}, source{err: errors.New("gone")}, crscore.Options{})
	d, err := Judge(context.Background(), e, crscore.Input{Change: changetest.Parse(t, twoFiles)}, []comments.Comment{on("a.go", 2, "x")}, Policy{})
	if err != nil {
		t.Fatal(err)
	}
	var text, markdown bytes.Buffer
	if err := errors.Join(d.WriteText(&text, report.TextOptions{}), d.WriteMarkdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), markdown.String()} {
		if !strings.Contains(out, "could not be decided") || !strings.Contains(out, "comment 1 has no score") || strings.Contains(out, "0.0") {
			t.Error(out)
		}
	}
	whole, marks, err := d.Marks()
	if err != nil || marks[0].Drop || !json.Valid(whole) {
		t.Errorf("%s, %+v, %v", whole, marks, err)
	}
	if want := `{"status":"unscored","reason":"test: gone","sentences":0,"refs":0,"kept":true}`; string(marks[0].Note) != want {
		t.Errorf("%s, want %s", marks[0].Note, want)
	}
}
