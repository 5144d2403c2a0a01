package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/dataset"
)

func ptr[T any](v T) *T { return &v }

func rows() []dataset.Row {
	return []dataset.Row{
		{
			ID: "7", Review: "good", Status: "scored", Con: ptr(0.5), Comp: ptr(1.0 / 3), Rel: ptr(0.4), Sentences: ptr(2), Refs: ptr(3),
			Mode: "hard", Tau: ptr(0.3), Signature: "crscore/0 x=y",
			Explain: &dataset.Explain{
				Sentences: []dataset.Sentence{
					{Text: "Callers of push must pass a hash<T> & more.", Start: 0, End: 43, Ref: 1, Similarity: 0.8, Matched: ptr(true), Credit: 1},
					{Text: "Thanks!", Start: 44, End: 51, Ref: 2, Similarity: 0.1, Matched: ptr(false)},
				},
				Refs: []dataset.Ref{
					{Kind: "claim", Text: "The parameter `hash` was added to `push`.", Source: "symbolic", Rule: "r", Path: "a.py", StartLine: 3, EndLine: 3, Sentence: ptr(1), Similarity: ptr(0.8), Matched: ptr(true), Credit: ptr(1.0)},
					{Kind: "smell", Text: "`push` is long.", Source: "builtin", Sentence: ptr(2), Similarity: ptr(0.1), Matched: ptr(false)},
					{Kind: "claim", Text: "An import was \x1b[31madded.", Source: "data:x", Sentence: ptr(0), Similarity: ptr(0.0), Matched: ptr(false), Credit: ptr(0.0)},
				},
			},
		},
		{ID: "7", Review: "bad,\"one\"", Status: "unscored", Reason: "the model is gone", Mode: "hard", Tau: ptr(0.3), Signature: "crscore/0 x=y"},
		{ID: "7", Review: "mute", Status: "scored", Con: ptr(0.0), Comp: ptr(0.0), Rel: ptr(0.0), Sentences: ptr(0), Refs: ptr(3), Mode: "soft", Signature: "crscore/0 x=y", Note: "the review is empty"},
	}
}

func print(t *testing.T, format string, opts TextOptions, rows []dataset.Row) string {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, format, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	want := `Review good  Rel 0.40  (Con 0.50, Comp 0.33)
  Sentences (1 of 2 on topic at τ 0.300):
  ✓  1. Callers of push must pass a hash<T> & more.
        → reference 1 (0.80)
  ✗  2. Thanks! nearest reference 2 (0.10)
  References (1 of 3 covered at τ 0.300):
  ✓  1. The parameter ` + "`hash` was added to `push`." + `
        ← sentence 1 (0.80)
  ✗  2. ` + "`push`" + ` is long.
  ✗  3. An import was [31madded.

Review bad,"one"  unscored
  No score: the model is gone

Review mute  Rel 0.00  (Con 0.00, Comp 0.00)
  the review is empty

Review       Con   Comp    Rel
good        0.50   0.33   0.40
bad,"one"  unscored
mute        0.00   0.00   0.00

signature crscore/0 x=y
short signature 0465b609e629
`
	if d := cmp.Diff(want, print(t, "text", TextOptions{Width: 60}, rows())); d != "" {
		t.Error(d)
	}
	colored := print(t, "text", TextOptions{Width: 60, Color: true}, rows())
	if !strings.Contains(colored, "\x1b[32m✓\x1b[0m") || strings.Contains(colored, "was \x1b") {
		t.Errorf("colours are wrong:\n%q", colored)
	}
	changes := print(t, "text", TextOptions{Changes: true}, rows())
	if !strings.Contains(changes, "Change 7, review good  Rel") {
		t.Errorf("the change is not named:\n%s", changes)
	}
}

// TestGraded prints credits in part.
func TestGraded(t *testing.T) {
	row := func() dataset.Row {
		r := rows()[0]
		r.Explain.Sentences = []dataset.Sentence{
			{Text: "One.", Ref: 1, Similarity: 0.8, Matched: ptr(true), Credit: 1},
			{Text: "Two.", PointsBack: true, Ref: 1, Similarity: 0.2, Matched: ptr(false), Credit: 0.6},
			{Text: "Three.", Ref: 1, Similarity: 0.01, Matched: ptr(false), Credit: 0},
		}
		r.Explain.Refs = []dataset.Ref{
			{Text: "A.", Sentence: ptr(1), Similarity: ptr(0.8), Matched: ptr(true), Credit: ptr(1.0)},
			{Text: "B.", Sentence: ptr(2), Similarity: ptr(0.2), Matched: ptr(false), Credit: ptr(0.6)},
			{Text: "C.", Sentence: ptr(3), Similarity: ptr(0.01), Matched: ptr(false), Credit: ptr(0.0)},
		}
		return r
	}
	ramp, whole, calibrated, soft := row(), row(), row(), row()
	ramp.Mode, ramp.Low = "ramp", ptr(0.05)
	whole.Mode, whole.Low = "ramp", ptr(0.0)
	whole.Explain.Sentences[2].Credit, whole.Explain.Refs[2].Credit = 0.03, ptr(0.03)
	calibrated.Mode, calibrated.Slope = "calibrated", ptr(8.0)
	all := row()
	for _, r := range []*dataset.Row{&soft, &all} {
		r.Mode, r.Tau = "soft", nil
		for i := range 3 {
			r.Explain.Sentences[i].Matched, r.Explain.Refs[i].Matched = nil, nil
			r.Explain.Sentences[i].Credit, r.Explain.Refs[i].Credit = r.Explain.Sentences[i].Similarity, r.Explain.Refs[i].Similarity
		}
	}
	all.CompBy, all.Explain.Refs[1].Credit = "noisy-or", ptr(0.35)
	for _, tt := range []struct {
		row  dataset.Row
		want string
	}{
		{ramp, `Review good  Rel 0.40  (Con 0.50, Comp 0.33)
  Sentences (1.6 of 3 on topic: in full from τ 0.300, in part from 0.050):
  ✓  1. One. → reference 1 (0.80)
  ◐  2. Two. → reference 1 (0.20, credit 0.60, refers back)
  ✗  3. Three. nearest reference 1 (0.01)
  References (1.6 of 3 covered: in full from τ 0.300, in part from 0.050):
  ✓  1. A. ← sentence 1 (0.80)
  ◐  2. B. ← sentence 2 (0.20, credit 0.60)
  ✗  3. C.
`},
		{whole, `Review good  Rel 0.40  (Con 0.50, Comp 0.33)
  Sentences (1.6 of 3 on topic: in full from τ 0.300, below in proportion):
  ✓  1. One. → reference 1 (0.80)
  ◐  2. Two. → reference 1 (0.20, credit 0.60, refers back)
  ✗  3. Three. nearest reference 1 (0.01)
  References (1.6 of 3 covered: in full from τ 0.300, below in proportion):
  ✓  1. A. ← sentence 1 (0.80)
  ◐  2. B. ← sentence 2 (0.20, credit 0.60)
  ✗  3. C.
`},
		{calibrated, `Review good  Rel 0.40  (Con 0.50, Comp 0.33)
  Sentences (1.6 of 3 on topic: even odds at τ 0.300):
  ✓  1. One. → reference 1 (0.80, credit 1.00)
  ✗  2. Two. nearest reference 1 (0.20, credit 0.60, refers back)
  ✗  3. Three. nearest reference 1 (0.01, credit 0.00)
  References (1.6 of 3 covered: even odds at τ 0.300):
  ✓  1. A. ← sentence 1 (0.80, credit 1.00)
  ✗  2. B. nearest sentence 2 (0.20, credit 0.60)
  ✗  3. C.
`},
		{soft, `Review good  Rel 0.40  (Con 0.50, Comp 0.33)
  Sentences (3, mode soft):
  ·  1. One. → reference 1 (0.80)
  ·  2. Two. → reference 1 (0.20, refers back)
  ·  3. Three. → reference 1 (0.01)
  References (3, mode soft):
  ·  1. A. ← sentence 1 (0.80)
  ·  2. B. ← sentence 2 (0.20)
  ·  3. C. ← sentence 3 (0.01)
`},
		{all, `Review good  Rel 0.40  (Con 0.50, Comp 0.33)
  Sentences (3, mode soft):
  ·  1. One. → reference 1 (0.80)
  ·  2. Two. → reference 1 (0.20, refers back)
  ·  3. Three. → reference 1 (0.01)
  References (3, mode soft, by noisy-or of all sentences):
  ·  1. A. ← sentence 1 (0.80)
  ·  2. B. ← sentence 2 (0.20, credit 0.35)
  ·  3. C. ← sentence 3 (0.01)
`},
	} {
		got, rest, _ := strings.Cut(print(t, "text", TextOptions{Width: 100}, []dataset.Row{tt.row}), "\n\n")
		if d := cmp.Diff(tt.want, got+"\n"); d != "" {
			t.Errorf("%s: %s", tt.row.Mode, d)
		}
		if strings.Contains(got, half) != strings.HasPrefix(rest, "✓ matched  ◐ matched in part  ✗ not matched\n") {
			t.Errorf("%s: a legend stands where ◐ is shown, and nowhere else:\n%s", tt.row.Mode, rest)
		}
	}
}

// TestAtTau: mode ramp gives full credit at τ itself, though it is not above it.
func TestAtTau(t *testing.T) {
	row := dataset.Row{Review: "1", Status: "scored", Mode: "ramp", Con: ptr(1.0), Comp: ptr(1.0), Rel: ptr(1.0), Tau: ptr(0.3), Low: ptr(0.1), Explain: &dataset.Explain{
		Sentences: []dataset.Sentence{{Text: "One.", Ref: 1, Similarity: 0.3, Matched: ptr(false), Credit: 1}},
		Refs:      []dataset.Ref{{Text: "A.", Sentence: ptr(1), Similarity: ptr(0.3), Matched: ptr(false), Credit: ptr(1.0), Weight: ptr(1000.0)}},
	}}
	got := print(t, "text", TextOptions{Width: 100}, []dataset.Row{row})
	for _, want := range []string{"✓  1. One. → reference 1 (0.30)\n", "✓  1. A. ← sentence 1 (0.30) (weight 1000)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestWrap(t *testing.T) {
	var b bytes.Buffer
	p := Printer{&b, TextOptions{Width: 40}}
	p.wrap("- ", "  ", strings.Repeat("ü", 95)+" end", "")
	for _, l := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		if n := utf8.RuneCountInString(l); n > 40 {
			t.Errorf("line of %d columns: %s", n, l)
		}
	}
	if got := strings.Count(b.String(), "ü"); got != 95 {
		t.Errorf("%d of 95 letters are left", got)
	}
}

func TestJSON(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(print(t, "jsonl", TextOptions{}, rows()), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	want := `{"id":"7","review":"bad,\"one\"","status":"unscored","reason":"the model is gone","mode":"hard","tau":0.3,"signature":"crscore/0 x=y"}`
	if d := cmp.Diff(want, lines[1]); d != "" {
		t.Error(d)
	}
	for _, part := range []string{`"comp":0.3333333333333333,`, `hash<T> & more`, `"refs":3,`, `"tau":0.3,`} {
		if !strings.Contains(lines[0], part) {
			t.Errorf("%s lacks %s", lines[0], part)
		}
	}
	odd := rows()[2]
	odd.ID = "a\x1b\u009b\u202e\u00e9"
	if got := print(t, "jsonl", TextOptions{}, []dataset.Row{odd}); !strings.Contains(got, `"id":"a\u001b\u009b\u202eé"`) {
		t.Errorf("controls are not escaped: %q", got)
	}
	if got := print(t, "csv", TextOptions{}, []dataset.Row{odd}); !strings.Contains(got, "\n"+`"""a\x1b\u009b\u202eé""",mute,`) {
		t.Errorf("controls are not escaped: %q", got)
	}
	if strings.Contains(lines[2], "tau") {
		t.Errorf("a mode without tau has one: %s", lines[2])
	}
	for n := range 3 {
		var back []dataset.Row
		if err := json.Unmarshal([]byte(print(t, "json", TextOptions{}, rows()[:n])), &back); err != nil {
			t.Errorf("%d rows: %v", n, err)
		}
		if d := cmp.Diff(rows()[:n], back); n > 0 && d != "" {
			t.Errorf("%d rows: %s", n, d)
		}
	}
}

func TestCSV(t *testing.T) {
	want := `id,review,status,reason,con,comp,rel,sentences,refs,mode,tau,signature,note,lang,low,slope,human_con,human_comp,human_rel,comp_by,system,warnings,kind,protocol,weights
7,good,scored,,0.5,0.3333333333333333,0.4,2,3,hard,0.3,crscore/0 x=y,,,,,,,,,,,,,
7,"bad,""one""",unscored,the model is gone,,,,,,hard,0.3,crscore/0 x=y,,,,,,,,,,,,,
7,mute,scored,,0,0,0,0,3,soft,,crscore/0 x=y,the review is empty,,,,,,,,,,,,
`
	if d := cmp.Diff(want, print(t, "csv", TextOptions{}, rows())); d != "" {
		t.Error(d)
	}
	if got := print(t, "csv", TextOptions{}, nil); !strings.HasPrefix(got, "id,review,") {
		t.Errorf("no rows: %q", got)
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[31mb\x07":              "a[31mb",
		"line\nnext\tcell":            "line next cell",
		"x\u202ey\u2066z":             "xyz",
		"caf\u00e9 \U0001f600 \u4e2d": "caf\u00e9 \U0001f600 \u4e2d",
		"\u009b31m":                   "31m",
	} {
		if got := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestDropped: dropped claims are printed with the reason, and every signature once.
func TestDropped(t *testing.T) {
	r := rows()
	r[0].Explain.Dropped = []dataset.Dropped{{Ref: dataset.Ref{Kind: "claim", Text: "`salt` was \x1b[31madded.", Source: "ollama:m"}, Reason: "unknown-name", Detail: "`salt` does not occur"}}
	r[1].Signature = "crscore/0 x=z"
	text := print(t, "text", TextOptions{}, r)
	for _, want := range []string{
		"  Dropped claims (1):\n  ·  1. `salt` was [31madded. (unknown-name: `salt` does not occur)\n",
		"signature crscore/0 x=y\nshort signature 0465b609e629\nsignature crscore/0 x=z\nshort signature 98150ab0abcc\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if got := print(t, "jsonl", TextOptions{}, r[:1]); !strings.Contains(got, `"dropped":[{"kind":"claim","text":"`+"`salt`"+` was \u001b[31madded.","source":"ollama:m","reason":"unknown-name","detail":"`) {
		t.Error(got)
	}
	var b bytes.Buffer
	Printer{W: &b}.Dropped(r[0].Explain.Dropped)
	if want := "Dropped claims (1):\n  ·  `salt` was [31madded.\n     unknown-name: `salt` does not occur\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestLongWord: a word is cut once through. If each line looked at the rest of it, this
// would take hours.
func TestLongWord(t *testing.T) {
	const letters = 4_000_000
	var b bytes.Buffer
	p := Printer{&b, TextOptions{Width: 42}}
	p.wrap("", "  ", strings.Repeat("a", letters), "")
	if lines := strings.Count(b.String(), "\n"); lines != letters/40 {
		t.Errorf("%d lines for %d letters", lines, letters)
	}
}

func BenchmarkWrap(b *testing.B) {
	word := strings.Repeat("a", 500_000)
	for b.Loop() {
		Printer{new(bytes.Buffer), TextOptions{}}.wrap("", "", word, "")
	}
}
