package crscore

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"crscore/analyzers"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/smells"
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
		if got := e.Signature(); got != strings.Replace(e.Provenance().String(), "claims=", sig+"claims=", 1) {
			t.Errorf("signature %s", got)
		}
	}
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Soft, Weights: score.Weights{"claim": 0, "smell": 0}})
	if res := e.Score(match); res.Status != Unscored || res.Match == nil {
		t.Errorf("all weigh 0: %+v", res)
	}
}

// TestWeightsOfOtherSources: a weight that no reference can have is said, and no other.
func TestWeightsOfOtherSources(t *testing.T) {
	pylint, ok := analyzers.Lookup("pylint")
	if !ok {
		t.Fatal("there is no pylint")
	}
	report, err := ReadFindings([]byte(`{"source":{"name":"my-lint"},"diagnostics":[{"message":"Bad.","location":{"path":"a.go","range":{"start":{"line":1}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := TunedSmells(smells.Options{Thresholds: map[string]int{"long-method": 9}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		weights        string
		claims, smells []Source
		want           string // the keys that nothing has
	}{
		{"", nil, nil, ""},
		{"smell=0.5,claim=2,implication@symbolic=2,claim@symbolic=3,smell@builtin=2", nil, nil, ""},
		{"smell@symbolic=2,claim@builtin=2", nil, nil, "claim@builtin smell@symbolic"},
		{"smell@pylint=2,smell@pylnt=2,smell@pyl=2", nil, []Source{ToolSmells(pylint, analyzers.Options{})}, "smell@pyl smell@pylnt"},
		{"smell@pylint=2,smell@pylnt=2", nil, []Source{InstalledTools(analyzers.Options{})}, "smell@pylnt"},
		{"smell@my-lint=2,smell@findings=2,smell@my=2", nil, []Source{report}, "smell@my"},
		{"claim@data:magic=2,claim@data:magicoder=2", []Source{DataClaims("magicoder")}, nil, "claim@data:magic"},
		{"smell@builtin=2,claim@symbolic=2", []Source{LimitedClaims(3)}, []Source{tuned}, ""},
		{"smell@data=2", nil, []Source{}, "smell@data"},
		{"claim@anything=2", []Source{struct{ Source }{SymbolicClaims()}}, nil, ""},
	} {
		w, err := score.ParseWeights(tt.weights)
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Claims: tt.claims, Smells: tt.smells}
		opts.defaultSources()
		e := &Engine{refMaker: refMaker{claims: opts.Claims, smells: opts.Smells}, rule: score.Rule{Mode: score.Soft, Weights: w}}
		var keys []string
		for _, text := range e.otherWeights() {
			key, _, ok := strings.Cut(strings.TrimPrefix(text, "the weight of "), " changes nothing: ")
			if !ok {
				t.Errorf("%s: %s", tt.weights, text)
			}
			keys = append(keys, key)
		}
		if got := strings.Join(keys, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.weights, got, tt.want)
		}
	}
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Soft, Weights: score.Weights{"smell@pylnt": 0.5}})
	if w := e.Warnings(); len(w) != 1 || !strings.Contains(w[0], "no smell here has this source (they are of builtin/") {
		t.Errorf("warnings %q", w)
	}
}
