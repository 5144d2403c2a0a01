package page

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"crscore/internal/report/figures/browsertest"
	"crscore/score"
)

// testArithmetic compares score.js with package score for random matrices. All but
// calibrated must agree to the last bit; exp may differ in it between Go and browsers.
func testArithmetic(t *testing.T, b *browser) {
	type trial struct {
		Matrix  [][]float32 `json:"matrix"`
		Refs    int         `json:"refs"`
		Weights []float64   `json:"weights"`
		Rule    struct {
			Mode score.Mode `json:"mode"`
			T    float64    `json:"tau"`
			L    float64    `json:"low"`
			S    float64    `json:"slope"`
			C    string     `json:"comp,omitempty"`
		} `json:"rule"`
	}
	type numbers struct {
		Con, Comp, Rel  float64
		Sentences, Refs []score.Best
		Signature       string
	}
	rng := rand.New(rand.NewPCG(7, 7))
	kinds := []score.Ref{{Kind: "claim", Source: "a"}, {Kind: "smell", Source: "b"}, {Kind: "implication", Source: "c"}}
	var trials []trial
	var rules []score.Rule
	var want []score.Result
	for n := range 900 {
		var one trial
		rule := score.Rule{Mode: testRules[n%4].Mode, Tau: float64(rng.IntN(101)) / 100}
		switch rule.Mode {
		case score.Ramp:
			rule.Low = rule.Tau * float64(rng.IntN(5)) / 4
		case score.Calibrated:
			rule.Slope = math.Exp(rng.Float64()*30 - 12)
		case score.Soft:
			rule.Tau = 0
		}
		if rule.Mode.CanNoisyOr() && n%5 < 3 {
			rule.Comp = score.CoverNoisyOr
		}
		if n%3 == 0 {
			rule.Weights = score.Weights{"smell": rng.Float64() * 3, "claim@a": float64(rng.IntN(2))}
		}
		sentences := rng.IntN(6) // none, too
		refs := make([]score.Ref, 1+rng.IntN(7))
		for j := range refs {
			refs[j] = kinds[rng.IntN(3)]
		}
		one.Matrix = make([][]float32, sentences)
		for i := range one.Matrix {
			one.Matrix[i] = make([]float32, len(refs))
			for j := range refs {
				switch rng.IntN(6) {
				case 0: // at the threshold as a float32 has it
					one.Matrix[i][j] = float32(rule.Tau)
				case 1: // below 0, and what rounding adds to 1
					one.Matrix[i][j] = []float32{-0.2, 1.000001, 1, 0}[rng.IntN(4)]
				case 2: // beside the threshold
					one.Matrix[i][j] = math.Nextafter32(float32(rule.Tau), float32(rng.IntN(2)))
				default:
					one.Matrix[i][j] = rng.Float32()
				}
			}
		}
		result, err := score.ScoreRefs(one.Matrix, refs, rule)
		if err == score.ErrNoWeight {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		for _, r := range refs {
			one.Weights = append(one.Weights, rule.Weights.Of(r.Kind, r.Source))
		}
		one.Refs = len(refs)
		one.Rule.Mode, one.Rule.T, one.Rule.L, one.Rule.S = rule.Mode, rule.Tau, rule.Low, rule.Slope
		one.Rule.C = string(rule.Comp)
		trials, rules, want = append(trials, one), append(rules, rule), append(want, result)
	}
	text, err := json.Marshal(trials)
	if err != nil {
		t.Fatal(err)
	}
	b.Go(t, b.url+"/")
	got := browsertest.Eval[[]numbers](t, b.Page, `import("/score.js").then(({ best, cover, credit, matched, score, ruleSignature }) => `+string(text)+`.map(({ matrix, refs, weights, rule }) => {
		const found = best(matrix, refs);
		const side = (list, of) => list.map((b) => ({ Index: b.index, Similarity: b.similarity, Credit: of(b), Matched: b.index >= 0 && matched(rule, b.similarity) }));
		const { con, comp, rel } = score(found, weights, rule);
		return { Con: con, Comp: comp, Rel: rel, Sentences: side(found.sentences, (b) => (b.index < 0 ? 0 : credit(rule, b.similarity))), Refs: side(found.refs, (b) => cover(rule, b)), Signature: ruleSignature(rule) };
	}))`)
	if len(got) != len(want) {
		t.Fatalf("%d answers for %d matrices", len(got), len(want))
	}
	for i, g := range got {
		w, near := want[i], 0.0
		if rules[i].Mode == score.Calibrated {
			near = 1e-12
		}
		same := func(a, b float64) bool { return a == b || math.Abs(a-b) <= near }
		bests := func(a, b []score.Best) bool {
			ok := len(a) == len(b)
			for k := 0; ok && k < len(a); k++ {
				ok = a[k].Index == b[k].Index && a[k].Similarity == b[k].Similarity && a[k].Matched == b[k].Matched && same(a[k].Credit, b[k].Credit)
			}
			return ok
		}
		if !same(g.Con, w.Con) || !same(g.Comp, w.Comp) || !same(g.Rel, w.Rel) || !bests(g.Sentences, w.Sentences) || !bests(g.Refs, w.Refs) {
			t.Errorf("matrix %d, %s:\n%+v, in Go\n%+v", i, rules[i].Signature(), g, w)
		}
		plain := rules[i]
		plain.Weights = nil
		if g.Signature != plain.Signature() {
			t.Errorf("the signature is %q, in Go %q", g.Signature, plain.Signature())
		}
	}
	if none := browsertest.Eval[bool](t, b.Page, `import("/score.js").then(({ best, score }) => score(best([[0.5]], 1), [0], { mode: "soft" }) === null && score(best([], 0), [], { mode: "soft" }) === null)`); !none {
		t.Error("references that weigh nothing, or none, have a score")
	}
}
