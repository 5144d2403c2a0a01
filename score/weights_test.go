package score

import (
	"math"
	"strings"
	"testing"
)

func TestParseWeights(t *testing.T) {
	for _, tt := range []struct{ text, canonical string }{
		{"", ""},
		{" ", ""},
		{"smell=0.5", "smell=0.5"},
		{" smell=.50 , claim=2", "claim=2,smell=0.5"},
		{"smell=1", ""},
		{"smell=1,claim@symbolic=1", ""},
		{"smell=0.5,smell@pylint=1", "smell=0.5,smell@pylint=1"},
		{"smell=0.5,smell@pylint=0.5", "smell=0.5"},
		{"claim@ollama:qwen2.5-coder:7b=0.25", "claim@ollama:qwen2.5-coder:7b=0.25"},
		{"claim@data:a=b=0.25", "claim@data:a=b=0.25"},
		{"smell=-0", "smell=0"},
		{"smell=1e3", "smell=1000"},
	} {
		w, err := ParseWeights(tt.text)
		if err != nil || w.String() != tt.canonical {
			t.Errorf("%q: %q, %v; want %q", tt.text, w.String(), err, tt.canonical)
		}
	}
	for bad, why := range map[string]string{
		"smell":             "no number",
		"smell=":            "not a number",
		"smell=half":        "not a number",
		"smell=0.5,":        "no number",
		"smell=1,smell=2":   "twice",
		"smell=NaN":         "NaN",
		"smell=Inf":         "from 0 to 1000",
		"smell=-1":          "from 0 to 1000",
		"smell=1001":        "from 0 to 1000",
		"smells=1":          `no kind "smells"`,
		"=1":                `no kind ""`,
		"@pylint=1":         `no kind ""`,
		"smell@=1":          "no source",
		"smell@a b=1":       "' '",
		"smell@a\u200b=1":   `'\u200b'`,
		"smell@a\xff=1":     "'\ufffd'",
		"smell=0.5;claim=2": "no kind",
	} {
		if _, err := ParseWeights(bad); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if w, err := ParseWeights("smell=-0"); err != nil || math.Signbit(w["smell"]) {
		t.Errorf("-0 stays: %v, %v", w, err)
	}
	if err := (Weights{"smell@a,b": 1}).Check(); err == nil {
		t.Error("a comma in a source would cut the signature in two")
	}
}

func TestWeightOf(t *testing.T) {
	w := Weights{"smell": 0.5, "smell@pylint": 0.25, "claim@symbolic": 2}
	for _, tt := range []struct {
		kind, source string
		want         float64
	}{
		{"smell", "builtin", 0.5}, {"smell", "pylint", 0.25}, {"claim", "symbolic", 2}, {"claim", "data:x", 1}, {"implication", "symbolic", 1},
	} {
		if got := w.Of(tt.kind, tt.source); got != tt.want {
			t.Errorf("%s of %s weighs %v, want %v", tt.kind, tt.source, got, tt.want)
		}
	}
	if Weights(nil).Of("smell", "pylint") != 1 {
		t.Error("no weights are not all 1")
	}
}

// FuzzParseWeights: what is read is written in one way, as one field of a
// signature, and means the same when it is read again.
func FuzzParseWeights(f *testing.F) {
	f.Add("smell=0.5,smell@pylint=1,claim@data:a=b=2")
	f.Add("smell=-0, implication=1e-300")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := ParseWeights(text)
		if err != nil {
			return
		}
		s := w.String()
		if len(strings.Fields(s)) > 1 {
			t.Fatalf("%q is several fields", s)
		}
		again, err := ParseWeights(s)
		if err != nil || again.String() != s {
			t.Fatalf("%q became %q: %v", s, again.String(), err)
		}
		for key := range w {
			kind, source, _ := strings.Cut(key, "@")
			if a, b := w.Of(kind, source), again.Of(kind, source); a != b {
				t.Fatalf("%q weighs %v, then %v", key, a, b)
			}
		}
	})
}
