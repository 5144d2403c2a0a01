package match

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crscore/eval/agreement"
	"crscore/eval/bench"
	"crscore/internal/limits"
	"crscore/sts"
)

func learned(t testing.TB) *Matcher {
	t.Helper()
	w, err := Learned()
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(context.Background(), w, w.Theta.Placed, sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// TestMatch judges pairs, each of which has the same verdict alone and among others.
func TestMatch(t *testing.T) {
	const leak = "The connection is never closed when `query` fails. Close it in a finally block."
	long := strings.Repeat("Every row of the table is read into memory, which is slow. ", 2000)
	tests := []struct {
		name string
		text string
		same bool
	}{
		{"the same problem", "If query fails, the connection is leaked: close the connection in finally.", true},
		{"the same text", leak, true},
		{"blocks do not count", leak + "\n```\nx = 1\n```\n", true},
		{"another problem", "The name of this variable is too long.", false},
		{"praise", "Nice work, thank you!", false},
		{"no words", "🎉", false},
		{"empty", "", false},
		{"not UTF-8", "\xff\xfe", false},
		{"long", long, false},
	}
	var pairs []bench.Pair
	for _, tt := range tests {
		pairs = append(pairs, bench.Pair{Generated: tt.text, Reference: leak})
	}
	m := learned(t)
	all, err := m.Match(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		if all[i].Same != tt.same || all[i].Score < 0 || all[i].Score > 1 {
			t.Errorf("%s: %+v, same should be %v", tt.name, all[i], tt.same)
		}
		alone, err := m.Match(t.Context(), pairs[i:i+1])
		if err != nil || alone[0] != all[i] {
			t.Errorf("%s: alone %+v, %v; among others %+v", tt.name, alone, err, all[i])
		}
	}
	if all[1].Score != all[2].Score || all[0].Score <= all[3].Score || all[5].Score != 0 || all[6].Score != 0 {
		t.Errorf("scores are %+v", all)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Match(ctx, pairs); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call returned %v", err)
	}
	if s := m.Signature(); !strings.HasPrefix(s, "matcher=pair/2 theta=0.33 weights=sha256:") {
		t.Errorf("signature %q", s)
	}
}

// TestWeights: weights that do not fit are an error, and theta is part of the signature.
func TestWeights(t *testing.T) {
	for name, spoil := range map[string]func(w *Weights){
		"order":   func(w *Weights) { w.Features[0], w.Features[1] = w.Features[1], w.Features[0] },
		"missing": func(w *Weights) { w.Features = w.Features[1:] },
		"scale":   func(w *Weights) { w.Features[0].Scale = 0 },
		"theta":   func(w *Weights) { w.Theta.Placed = 1.1 },
	} {
		w, err := Learned()
		if err != nil {
			t.Fatal(err)
		}
		spoil(&w)
		if _, err := New(t.Context(), w, w.Theta.Placed, sts.EncoderOptions{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// tiny has two tools: the first finds both problems, the second one of two. The judge gave the last
// candidate of the second tool no label.
const tiny = `{"pr": "p", "judge": "a", "golden": [{"text": "leak", "severity": "High"}, {"text": "race"}], "tools": {
"one": {"candidates": ["race!", "leak!", "style"], "match": {"0": 1, "1": 0}, "false": [2]},
"two": {"candidates": ["leak?", "naming", "race?"], "match": {"0": 0}, "false": [1]},
"three": {"candidates": ["docs"], "match": {}, "false": [0]}}}`

// prefix says that texts are the same where a generated text without its mark is the reference.
type prefix struct{}

func (prefix) Match(_ context.Context, pairs []bench.Pair) ([]bench.Verdict, error) {
	out := make([]bench.Verdict, len(pairs))
	for i, p := range pairs {
		if strings.TrimRight(p.Generated, "!?") == p.Reference {
			out[i] = bench.Verdict{Score: 1, Same: true}
		}
	}
	return out, nil
}

func (prefix) Signature() string { return "matcher=prefix/1" }

// TestAgree: judge a found 3 of 6 golden comments, the matcher the same and the unlabelled one, and
// judge b, who has another candidate, one of them.
func TestAgree(t *testing.T) {
	line := strings.ReplaceAll(tiny, "\n", " ")
	other := strings.NewReplacer(`"judge": "a"`, `"judge": "b"`, `"0": 1, "1": 0`, `"0": 1`, `"match": {"0": 0}`, `"match": {}`).Replace(line)
	labels, err := ReadLabels([]byte(line + "\n" + other))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Agree(t.Context(), prefix{}, labels, Options{Thetas: []float64{0.5, 1}, Trained: []string{PullSum("p")}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := got.Agreement[0], got.Between[0]
	for name, v := range map[string]struct {
		got  *float64
		want float64
	}{
		"auc": {a.AUC, 1}, "kappa": {a.Kappa, 2.0 / 3}, "precision": {a.Precision, 3.0 / 4}, "recall": {a.Recall, 1},
		"kendall": {a.Kendall, 2 / math.Sqrt(2*3)}, "f1_error": {a.F1Error, 2.0 / 5 / 3},
		"between kappa": {b.Kappa, 1.0 / 3}, "between recall": {b.Recall, 1.0 / 3}, "between precision": {b.Precision, 1},
		"between kendall": {b.Kendall, 2 / math.Sqrt(3*2)}, "between f1_error": {b.F1Error, 4.0 / 5 / 3},
		"sweep": {got.Sweep[1].Recall, 1},
	} {
		if v.got == nil || math.Abs(*v.got-v.want) > 1e-12 {
			t.Errorf("%s: got %v, want %v", name, show(v.got), v.want)
		}
	}
	x, y := []float64{1, 1, 1, 0, 0, 0}, []float64{1, 1, 1, 1, 0, 0}
	if k, err := agreement.CohenKappa(x, y, agreement.Nominal); err != nil || math.Abs(k-*a.Kappa) > 1e-12 {
		t.Errorf("kappa %v, %v; the library has %v", *a.Kappa, err, k)
	}
	if a.Rater != "a" || a.Pairs != 12 || a.Golden != 6 || a.Tools != 3 || b.Rater != "a" || b.Other != "b" || b.Golden != 6 {
		t.Errorf("%+v, %+v", a, b)
	}
	if a.Intervals.Kappa != nil { // one pull request
		t.Errorf("interval %v", a.Intervals.Kappa)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "1 of the 1 pull request") {
		t.Errorf("warnings %q", got.Warnings)
	}
	empty, err := Agree(t.Context(), learned(t), &Labels{Judged: []Judged{{PR: "p", Judge: "a"}}}, Options{Thetas: []float64{0.5}})
	if err != nil {
		t.Fatal(err)
	}
	if e := empty.Agreement[0]; e.AUC != nil || e.Kappa != nil || e.Kendall != nil || e.F1Error != nil || empty.Sweep[0].Kappa != nil {
		t.Errorf("figures of nothing: %+v", e)
	}
}

// undecidedOn has no verdict on pairs with some text.
type undecidedOn string

func (u undecidedOn) Match(ctx context.Context, pairs []bench.Pair) ([]bench.Verdict, error) {
	out, err := prefix{}.Match(ctx, pairs)
	for i, p := range pairs {
		if strings.Contains(p.Generated, string(u)) {
			out[i] = bench.Verdict{Undecided: "no answer"}
		}
	}
	return out, err
}

func (undecidedOn) Signature() string { return "matcher=undecided/1" }

// TestAgreeUnknown: a golden comment that nobody can tell of is left out: of an undecided pair unless
// another candidate has it, and of a tool that the other judge did not look at.
func TestAgreeUnknown(t *testing.T) {
	line := strings.ReplaceAll(tiny, "\n", " ")
	other := strings.NewReplacer(`"judge": "a"`, `"judge": "b"`, `"three"`, `"four"`).Replace(line)
	labels, err := ReadLabels([]byte(line + "\n" + other))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Agree(t.Context(), undecidedOn("naming"), labels, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Agreement[0]; a.Undecided != 2 || a.Golden != 6 || a.Pairs != 10 {
		t.Errorf("the undecided candidate's tool has both golden comments by others: %+v", a)
	}
	if r, err = Agree(t.Context(), undecidedOn("docs"), labels, Options{}); err != nil {
		t.Fatal(err)
	}
	if a := r.Agreement[0]; a.Undecided != 2 || a.Golden != 4 || *a.Recall != 1 {
		t.Errorf("nothing is known of the third tool: %+v", a)
	}
	if b := r.Between[0]; b.Golden != 4 || *b.Kappa != 1 {
		t.Errorf("the judges share two tools: %+v", b)
	}
}

// TestNearest: a word that both texts have is 1, and each other word has its nearest on the other
// side, also among words that both have.
func TestNearest(t *testing.T) {
	v := &vocabulary{vector: [][]float32{{1, 0}, {0, 1}, {0.6, 0.8}, {0.96, -0.28}}}
	there, back := v.nearest([]int{0, 2, 1}, []int{1, 0, 3})
	if want := []float64{1, 0.8, 1}; !slices.EqualFunc(there, want, near32) {
		t.Errorf("there %v, want %v", there, want)
	}
	if want := []float64{1, 1, 0.96}; !slices.EqualFunc(back, want, near32) {
		t.Errorf("back %v, want %v", back, want)
	}
}

func near32(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func show(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// TestAgreeDraws: the area is the library's, with ties too, and the interval has the value inside.
func TestAgreeDraws(t *testing.T) {
	var lines []string
	for i := range 20 {
		lines = append(lines, strings.NewReplacer(`"pr": "p"`, `"pr": "`+strconv.Itoa(i)+`"`, "style", []string{"race", "style"}[i%2],
			"docs", []string{"leak", "docs", "style"}[i%3]).Replace(strings.ReplaceAll(tiny, "\n", " ")))
	}
	labels, err := ReadLabels([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Agree(t.Context(), prefix{}, labels, Options{})
	if err != nil {
		t.Fatal(err)
	}
	tal := newTally(byJudge(labels)["a"])
	all := verdicts{}
	for _, pull := range labels.byPull() {
		if err := all.ask(t.Context(), prefix{}, pull); err != nil {
			t.Fatal(err)
		}
	}
	if err := tal.match(t.Context(), all, nil); err != nil {
		t.Fatal(err)
	}
	var scores []float64
	var same []bool
	for _, s := range tal.scored {
		scores, same = append(scores, s.score), append(same, s.same)
	}
	a := r.Agreement[0]
	if auc, err := agreement.ROCAUC(scores, same); err != nil || math.Abs(auc-*a.AUC) > 1e-12 || auc == 1 {
		t.Errorf("AUC %v, the library has %v, %v", *a.AUC, auc, err)
	}
	for name, of := range map[string]struct {
		v  *float64
		in *[2]float64
	}{"auc": {a.AUC, a.Intervals.AUC}, "kappa": {a.Kappa, a.Intervals.Kappa}, "f1_error": {a.F1Error, a.Intervals.F1Error}} {
		if of.in == nil || *of.v < of.in[0] || *of.v > of.in[1] || of.in[0] == of.in[1] {
			t.Errorf("%s: %v in %v", name, *of.v, of.in)
		}
	}
}

// TestReadLabels: what is broken is an error with its line.
func TestReadLabels(t *testing.T) {
	line := strings.ReplaceAll(tiny, "\n", " ")
	many := `{"pr": "p", "judge": "a", "golden": [{}` + strings.Repeat(",{}", 499) + `], "tools": {"t": {"candidates": [""` +
		strings.Repeat(`,""`, 4999) + `]}}}`
	for name, tt := range map[string]struct{ text, err string }{
		"empty":            {"\n", "no label"},
		"no JSON":          {line + "\n{", "line 2"},
		"a list":           {"[]", "line 1: a JSON array may not stand here; wanted is {"},
		"twice":            {line + "\n\n" + line, "line 3: p by a stands on line 1 too"},
		"no pull request":  {strings.Replace(line, `"p"`, `""`, 1), `"pr"`},
		"no judge":         {strings.Replace(line, `"judge"`, `"j"`, 1), `"judge"`},
		"golden":           {strings.Replace(line, `"1": 0`, `"2": 0`, 1), "golden 2 of 2"},
		"candidate":        {strings.Replace(line, `"1": 0`, `"1": 3`, 1), "candidate 3 of 3"},
		"false":            {strings.Replace(line, `"false": [2]`, `"false": [-1]`, 1), "candidate -1 of 3"},
		"matched and none": {strings.Replace(line, `"false": [2]`, `"false": [1]`, 1), `in "match" and in "false"`},
		"pairs":            {strings.Repeat(many+"\n", 2), "line 1: more than 2000000 pairs"},
	} {
		if _, err := ReadLabels([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error %v, want %q", name, err, tt.err)
		}
	}
}

func FuzzReadLabels(f *testing.F) {
	f.Add([]byte(strings.ReplaceAll(tiny, "\n", " ")))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ReadLabels(text)
		if err != nil {
			return
		}
		for _, j := range l.Judged {
			for _, a := range j.Tools {
				for g := range j.Golden {
					for c := range a.Candidates {
						a.Label(g, c)
					}
				}
			}
		}
	})
}

// TestLabelled holds the shipped weights against the labels that they were fitted on, so it finds a
// broken port, not an overfit. Package fit prints how the weights agree on pull requests that they
// were not fitted on.
func TestLabelled(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(os.Getenv("CRSCORE_DATA"), "..", "crbench", "matches.jsonl.gz"))
	if err != nil {
		t.Skip("NOT COMPARED: beside the folder CRSCORE_DATA is no crbench/matches.jsonl.gz")
	}
	labels, err := ReadLabels(text)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Learned()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Agree(t.Context(), learned(t), labels, Options{Thetas: []float64{w.Theta.Unplaced}, Trained: w.Provenance.Pulls})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Agreement {
		if *a.Kappa < 0.75 {
			t.Errorf("kappa with %s is %.3f, below .75", a.Rater, *a.Kappa)
		}
	}
	if s := r.Sweep[0]; *s.Kappa < 0.8 || len(r.Warnings) != 1 {
		t.Errorf("at %v kappa is %.3f; warnings %q", s.Theta, *s.Kappa, r.Warnings)
	}
}

func BenchmarkMatch(b *testing.B) {
	m := learned(b)
	words := make([]string, 0, limits.GoldenWords)
	for i := range 2 * limits.GoldenWords {
		words = append(words, "w"+strings.Repeat(string(rune('a'+i%26)), 1+i/26))
	}
	pair := bench.Pair{Generated: strings.Join(words[:limits.GoldenWords], " "), Reference: strings.Join(words[limits.GoldenWords:], " ")}
	for b.Loop() {
		if _, err := m.Match(b.Context(), []bench.Pair{pair}); err != nil {
			b.Fatal(err)
		}
	}
}
