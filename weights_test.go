package crscore

import (
	"os"
	"regexp"
	"testing"

	"crscore/pseudoref"
	"crscore/score"
)

// TestKinds holds the kinds that weights go by against those that references have,
// which score cannot know.
func TestKinds(t *testing.T) {
	source, err := os.ReadFile("pseudoref/pseudoref.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`(?m)^\t\w+\s+Kind = "(\w+)"`).FindAllSubmatch(source, -1)
	if len(kinds) != 3 {
		t.Errorf("%d kinds in the source, want 3", len(kinds))
	}
	for _, k := range kinds {
		w, err := score.ParseWeights(string(k[1]) + "=0.5")
		if err != nil || w.Of(string(k[1]), "x") != 0.5 {
			t.Errorf("%s: %v", k[1], err)
		}
	}
}

// TestWeights: the engine gives score the kinds and sources of its references, and
// says in the signature what they weigh.
func TestWeights(t *testing.T) {
	match := Match{
		Refs: []pseudoref.Ref{{Kind: pseudoref.Claim, Source: "symbolic"}, {Kind: pseudoref.Smell, Source: "pylint"}, {Kind: pseudoref.Smell, Source: "builtin"}},
		Sim:  [][]float32{{1, 0, 0}},
	}
	for text, want := range map[string]float64{"": 1.0 / 3, "smell=0.5": 0.5, "smell@pylint=0": 0.5, "claim@symbolic=2": 0.5, "claim=0": 0} {
		w, err := score.ParseWeights(text)
		if err != nil {
			t.Fatal(err)
		}
		e := newEngine(t, Options{Similarity: words{}, Mode: score.Soft, Weights: w})
		res := e.Score(match)
		if res.Status != Scored || res.Comp != want || res.Con != 1 {
			t.Errorf("%q: %+v, want comp %v", text, res, want)
		}
		sig := "mode=soft "
		if text != "" {
			sig += "weights=" + text + " "
		}
		if got := e.Signature(); got != e.Made().stem()+" "+sig+e.Made().Sources() {
			t.Errorf("signature %s", got)
		}
	}
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Soft, Weights: score.Weights{"claim": 0, "smell": 0}})
	if res := e.Score(match); res.Status != Unscored || res.Match == nil {
		t.Errorf("all weigh 0: %+v", res)
	}
}
