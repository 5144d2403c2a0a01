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
	want := `Gate failed: 2 of 3 comments kept, con 0.500, comp 0.182, rel 0.267
  ✗ comment 4 has con 0.500, less than 0.6
  ✗ the review has rel 0.267, less than 0.9

Comments
  ✓ 1  con 0.00  summary Hello.
      against 11 references of the change
  ✓ 2  con 1.00  a.go:2 alpha beta.
      against 5 references of the hunk
  ✗ 3  con 0.00  a.go:2 No | <b>@you</b>.
      dropped: too-many; against 5 references of the hunk
  ✗ 4  con 0.50  x.go:3 gamma No. No.
      against 11 references of the change; the diff has no file x.go

Missed: 9 of 11 points
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
  ✗ xi
      claim a.go:20
  ✗ pi
      claim a.go:22
  ✗ rho
      claim now.go:6
  ✗ tau
      claim now.go:5

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
		"### crscore: failed\n\n- comment 4 has con 0.500, less than 0.6\n",
		"Con **0.500**, Comp **0.182**, Rel **0.267** by 11 references.\n",
		"| 3 | a.go&#58;2: No &#124; &#60;b&#62;@&#8203;you&#60;/b&#62;. | 0.00 | dropped&#58; too-many; against 5 references of the hunk |\n",
		"| 4 | x.go&#58;3: gamma No. No. | 0.50 | kept; against 11 references of the change; the diff has no file x.go |\n",
		"<details><summary>Missed: 9 of 11 points</summary>\n\n- epsilon zeta (claim now.go&#58;6)\n",
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
	for _, c := range []struct{ in, want string }{
		{"a-b. (c)", "a-b. (c)"},
		{"- a", "&#45; a"},
		{"12. a 1.5", "12&#46; a 1.5"},
		{"1) a", "1&#41; a"},
		{"# a #12", "#&#8203; a #&#8203;12"},
		{"see WWW.x.y https://x", "see WWW&#46;x.y https&#58;//x"},
		{"![a](b) `c` $d$ \\*", "!&#91;a&#93;(b) &#96;c&#96; &#36;d&#36; &#92;&#42;"},
		{"a\n\n    b\x1b[2J", "a b&#91;2J"},
	} {
		if got := plain(c.in); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

// TestWriteUndecided has nothing to show but the reason.
func TestWriteUndecided(t *testing.T) {
	e := engine(t, words{}, source{err: errors.New("gone")}, crscore.Options{})
	d, err := Judge(context.Background(), e, crscore.Input{Change: parse(t, twoFiles)}, []comments.Comment{on("a.go", 2, "x")}, Policy{})
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
