package score

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The example of docs/modes.md: two sentences, three references. Best of the
// sentences: .9 and .4. Best of the references: .9, .3 and .4.
var (
	exampleSim  = [][]float32{{0.9, 0.2, 0.1}, {0.3, 0.3, 0.4}}
	exampleRefs = []Ref{{"claim", "symbolic"}, {"claim", "symbolic"}, {"smell", "builtin"}}
)

// TestModes has values that a person can work out.
func TestModes(t *testing.T) {
	ln3 := math.Log(3)
	for _, tt := range []struct {
		rule      Rule
		con, comp float64
	}{
		{Rule{Mode: Hard, Tau: 0.35}, 1, 2.0 / 3},
		{Rule{Mode: Soft}, 0.65, 1.6 / 3},
		// From .2 to .6: .9 counts 1, .4 half, .3 a quarter.
		{Rule{Mode: Ramp, Tau: 0.6, Low: 0.2}, 0.75, 1.75 / 3},
		// From 0 to .9: s/.9.
		{Rule{Mode: Ramp, Tau: 0.9}, 1.3 / 1.8, 1.6 / 2.7},
		// Both thresholds in one place: hard.
		{Rule{Mode: Ramp, Tau: 0.35, Low: 0.35}, 1, 2.0 / 3},
		{Rule{Mode: Ramp}, 1, 1},
		// Odds of 3 a tenth: .3 has 1:3, .4 has 1:1, .9 has 243:1.
		{Rule{Mode: Calibrated, Tau: 0.4, Slope: 10 * ln3}, (243.0/244 + 0.5) / 2, (243.0/244 + 0.25 + 0.5) / 3},
		// Noisy-or: 1 - .1·.7, 1 - .8·.7, 1 - .9·.6; on the ramp 1, 1 - 1·.75, 1 - 1·.5.
		{Rule{Mode: Soft, Comp: CoverNoisyOr}, 0.65, (0.93 + 0.44 + 0.46) / 3},
		{Rule{Mode: Soft, Comp: CoverBest}, 0.65, 1.6 / 3},
		{Rule{Mode: Ramp, Tau: 0.6, Low: 0.2, Comp: CoverNoisyOr}, 0.75, 1.75 / 3},
		{Rule{Mode: Ramp, Tau: 0.5, Comp: CoverNoisyOr}, 0.9, (1 + 1 - 0.6*0.4 + 1 - 0.8*0.2) / 3},
		{Rule{Mode: Soft, Comp: CoverNoisyOr, Weights: Weights{"smell": 0}}, 0.65, (0.93 + 0.44) / 2},
		// Weights: references count 2, 2 and 1, or 1, 1 and 0.
		{Rule{Mode: Hard, Tau: 0.35, Weights: Weights{"claim": 2}}, 1, 3.0 / 5},
		{Rule{Mode: Ramp, Tau: 0.6, Low: 0.2, Weights: Weights{"claim": 2}}, 0.75, (2 + 0.5 + 0.5) / 5},
		{Rule{Mode: Soft, Weights: Weights{"smell@builtin": 0}}, 0.65, 0.6},
		{Rule{Mode: Soft, Weights: Weights{"smell@pylint": 0}}, 0.65, 1.6 / 3},
		{Rule{Mode: Soft, Weights: Weights{"claim": 0, "claim@symbolic": 1}}, 0.65, 1.6 / 3},
	} {
		r, err := ScoreRefs(exampleSim, exampleRefs, tt.rule)
		if err != nil {
			t.Errorf("%s: %v", tt.rule.Signature(), err)
			continue
		}
		rel := 2 * tt.con * tt.comp / (tt.con + tt.comp)
		if math.Abs(r.Con-tt.con) > 1e-7 || math.Abs(r.Comp-tt.comp) > 1e-7 || math.Abs(r.Rel-rel) > 1e-7 {
			t.Errorf("%s: %v %v %v, want %v %v %v", tt.rule.Signature(), r.Con, r.Comp, r.Rel, tt.con, tt.comp, rel)
		}
		if len(tt.rule.Weights) > 0 {
			if _, err := Score(exampleSim, 3, tt.rule); err == nil && tt.rule.Weights.String() != "" {
				t.Errorf("%s: Score ignores the weights", tt.rule.Signature())
			}
			continue
		}
		plain, err := Score(exampleSim, 3, tt.rule)
		if err != nil || plain.Con != r.Con || plain.Comp != r.Comp || plain.Rel != r.Rel {
			t.Errorf("%s: Score gives %+v, %v", tt.rule.Signature(), plain, err)
		}
	}
}

// TestNothingToMatch: an empty review has 0 in every mode, also where a
// similarity of 0 would count something.
func TestNothingToMatch(t *testing.T) {
	for _, rule := range []Rule{{Mode: Hard}, {Mode: Soft}, {Mode: Ramp, Tau: 0.5}, {Mode: Calibrated, Slope: 1}, {Mode: Soft, Comp: CoverNoisyOr}} {
		r, err := Score(nil, 2, rule)
		if err != nil || r.Con != 0 || r.Comp != 0 || r.Rel != 0 || !r.Empty {
			t.Errorf("%s: %+v, %v", rule.Signature(), r, err)
		}
	}
	if _, err := ScoreRefs(exampleSim, exampleRefs, Rule{Mode: Soft, Weights: Weights{"claim": 0, "smell": 0}}); err != ErrNoWeight {
		t.Errorf("no weight at all: %v", err)
	}
	if _, err := ScoreRefs(nil, nil, Rule{Mode: Soft}); err != ErrNoRefs {
		t.Errorf("no references: %v", err)
	}
}

func TestRule(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		rule           Rule
		signature, err string
	}{
		{Rule{Mode: Hard, Tau: 0.3}, "mode=hard tau=0.3", ""},
		{Rule{Mode: Soft}, "mode=soft", ""},
		{Rule{Mode: Ramp, Tau: 0.6, Low: 0.2}, "mode=ramp tau=0.6 low=0.2", ""},
		{Rule{Mode: Calibrated, Tau: 0.4, Slope: 10}, "mode=calibrated tau=0.4 slope=10", ""},
		{Rule{Mode: Soft, Weights: Weights{"smell": 0.5, "claim": 1, "claim@data:x": 3}}, "mode=soft weights=claim@data:x=3,smell=0.5", ""},
		{Rule{Mode: Soft, Weights: Weights{"smell": 1}}, "mode=soft", ""},
		{Rule{Mode: Ramp, Tau: 0, Low: math.Copysign(0, -1)}, "mode=ramp tau=0 low=0", ""},
		{Rule{Mode: Soft, Comp: CoverNoisyOr}, "mode=soft comp=noisy-or", ""},
		{Rule{Mode: Soft, Comp: CoverBest}, "mode=soft", ""},
		{Rule{Mode: Ramp, Tau: 0.6, Low: 0.2, Comp: CoverNoisyOr, Weights: Weights{"smell": 0.5}}, "mode=ramp tau=0.6 low=0.2 comp=noisy-or weights=smell=0.5", ""},
		{Rule{Mode: Hard, Tau: 0.3, Comp: CoverBest}, "mode=hard tau=0.3", ""},
		{Rule{Mode: Hard, Tau: 0.3, Comp: CoverNoisyOr}, "", "mode hard does not use comp noisy-or: leave it out or choose mode soft or ramp"},
		{Rule{Mode: Calibrated, Tau: 0.4, Slope: 10, Comp: CoverNoisyOr}, "", "mode calibrated does not use comp noisy-or"},
		{Rule{Mode: Soft, Comp: "most"}, "", `unknown comp "most": choose best or noisy-or`},
		{Rule{}, "", "unknown mode"},
		{Rule{Mode: Ramp, Tau: 0.2, Low: 0.6}, "", "lower threshold is 0.6"},
		{Rule{Mode: Ramp, Tau: 0.2, Low: -0.1}, "", "lower threshold is -0.1"},
		{Rule{Mode: Ramp, Tau: 0.2, Low: nan}, "", "lower threshold is NaN"},
		{Rule{Mode: Ramp, Tau: nan}, "", "tau is NaN"},
		{Rule{Mode: Hard, Low: nan}, "", "no lower threshold"},
		{Rule{Mode: Soft, Low: 0.1}, "", "no lower threshold"},
		{Rule{Mode: Calibrated, Tau: 0.4}, "", "slope is 0"},
		{Rule{Mode: Calibrated, Tau: 0.4, Slope: inf}, "", "slope is +Inf"},
		{Rule{Mode: Calibrated, Tau: 0.4, Slope: nan}, "", "slope is NaN"},
		{Rule{Mode: Calibrated, Tau: 1.4, Slope: 1}, "", "tau is 1.4"},
		{Rule{Mode: Hard, Slope: nan}, "", "no slope"},
		{Rule{Mode: Hard, Weights: Weights{"smell": nan}}, "", `weight of "smell" is NaN`},
	} {
		err := tt.rule.Check()
		switch {
		case tt.err == "" && err != nil, tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%+v: %v", tt.rule, err)
		case tt.err == "" && tt.rule.Signature() != tt.signature:
			t.Errorf("signature %q, want %q", tt.rule.Signature(), tt.signature)
		}
	}
}

// TestLimits: ramp becomes hard as its thresholds meet, and calibrated as its
// slope grows, but for similarities at τ itself.
func TestLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		sim, refs := randomMatrix(rng)
		tau := 0.1 + 0.8*rng.Float64()
		hard := mustScore(t, sim, refs, Rule{Mode: Hard, Tau: tau})
		for _, rule := range []Rule{
			{Mode: Ramp, Tau: tau, Low: tau},
			{Mode: Ramp, Tau: tau, Low: math.Nextafter(tau, 0)},
			{Mode: Calibrated, Tau: tau, Slope: 1e12},
			{Mode: Calibrated, Tau: tau, Slope: math.MaxFloat64},
		} {
			if r := mustScore(t, sim, refs, rule); r.Con != hard.Con || r.Comp != hard.Comp || r.Rel != hard.Rel {
				t.Fatalf("%s: %v %v %v, hard has %v %v %v", rule.Signature(), r.Con, r.Comp, r.Rel, hard.Con, hard.Comp, hard.Rel)
			}
		}
		// From 0 to 1, ramp is soft.
		if r, soft := mustScore(t, sim, refs, Rule{Mode: Ramp, Tau: 1}), mustScore(t, sim, refs, Rule{Mode: Soft}); r.Con != soft.Con || r.Comp != soft.Comp {
			t.Fatalf("ramp from 0 to 1: %v %v, soft has %v %v", r.Con, r.Comp, soft.Con, soft.Comp)
		}
	}
	// At τ: strictly not above it, the top of the ramp, even odds.
	for _, tt := range []struct {
		rule Rule
		want float64
	}{{Rule{Mode: Hard, Tau: 0.5}, 0}, {Rule{Mode: Ramp, Tau: 0.5, Low: 0.49}, 1}, {Rule{Mode: Calibrated, Tau: 0.5, Slope: 1e12}, 0.5}} {
		if r := mustScore(t, [][]float32{{0.5}}, []Ref{{}}, tt.rule); r.Con != tt.want || r.Sentences[0].Matched {
			t.Errorf("%s at tau: %+v, want %v", tt.rule.Signature(), r, tt.want)
		}
	}
}

// TestRescore: another rule gives what it gives from the start, whatever was there.
func TestRescore(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		sim, refs := randomMatrix(rng)
		if rng.IntN(10) == 0 {
			sim = nil
		}
		r := mustScore(t, sim, refs, randomRule(rng))
		for range 3 {
			rule := randomRule(rng)
			if err := r.Rescore(refs, rule); err != nil {
				t.Fatal(err)
			}
			want := mustScore(t, sim, refs, rule)
			r.repeated, want.repeated = nil, nil // only noisy-or looks for them
			if !reflect.DeepEqual(r, want) {
				t.Fatalf("%s: %+v, want %+v", rule.Signature(), r, want)
			}
		}
		before := r.Con
		if r.Rescore(refs[1:], Rule{Mode: Soft}) == nil || r.Rescore(refs, Rule{Mode: Hard, Tau: 2}) == nil || r.Con != before {
			t.Fatal("other references or a bad rule are taken")
		}
	}
}

// TestMonotone: no number falls when a similarity rises, in any mode.
func TestMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		sim, refs := randomMatrix(rng)
		rule := randomRule(rng)
		before := mustScore(t, sim, refs, rule)
		i, j := rng.IntN(len(sim)), rng.IntN(len(refs))
		sim[i][j] += (1 - sim[i][j]) * rng.Float32()
		after := mustScore(t, sim, refs, rule)
		const ulps = 1e-12
		if after.Con < before.Con-ulps || after.Comp < before.Comp-ulps || after.Rel < before.Rel-ulps {
			t.Fatalf("%s: %v %v %v fell to %v %v %v", rule.Signature(), before.Con, before.Comp, before.Rel, after.Con, after.Comp, after.Rel)
		}
	}
}

// TestNoisyOr: Comp by noisy-or against Comp by the best sentence, and against the order and the
// number of sentences.
func TestNoisyOr(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		sim, refs := randomMatrix(rng)
		rule := randomRule(rng)
		rule.Comp = CoverNoisyOr
		if !rule.Mode.CanNoisyOr() {
			continue
		}
		r := mustScore(t, sim, refs, rule)
		best := rule
		best.Comp = CoverBest
		b := mustScore(t, sim, refs, best)
		if r.Con != b.Con || r.Comp < b.Comp || !reflect.DeepEqual(r.Sentences, b.Sentences) {
			t.Fatalf("%s: con %v, comp %v; by the best %v, %v", rule.Signature(), r.Con, r.Comp, b.Con, b.Comp)
		}
		for j := range refs {
			got, misses := r.Refs[j], 1.0
			for i, repeated := range Repeated(sim) {
				if !repeated {
					misses *= 1 - rule.Credit(float64(sim[i][j]))
				}
			}
			if math.Abs(got.Credit-(1-misses)) > 1e-14 || got.Credit < b.Refs[j].Credit || got.Index != b.Refs[j].Index || got.Similarity != b.Refs[j].Similarity {
				t.Fatalf("%s, reference %d: %+v, want the credit %v, and the rest of %+v", rule.Signature(), j, got, 1-misses, b.Refs[j])
			}
			if b.Refs[j].Credit == 1 && got.Credit != 1 {
				t.Fatalf("%s, reference %d: the credit is %v beside one of 1", rule.Signature(), j, got.Credit)
			}
		}
		// One sentence: the same number, to the last bit.
		if one, same := mustScore(t, sim[:1], refs, rule), mustScore(t, sim[:1], refs, best); one.Comp != same.Comp || one.Rel != same.Rel {
			t.Fatalf("%s: one sentence has %v, and %v by the best", rule.Signature(), one.Comp, same.Comp)
		}
		// Another order changes the last digits only: each step rounds once or twice.
		shuffled := slices.Clone(sim)
		rng.Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
		if s := mustScore(t, shuffled, refs, rule); math.Abs(s.Comp-r.Comp) > float64(len(sim))*0x1p-52 {
			t.Fatalf("%s: comp %v, and %v in another order", rule.Signature(), r.Comp, s.Comp)
		}
		// A sentence more can add to Comp, and takes nothing. The same sentence again adds nothing.
		more := make([]float32, len(refs))
		for j := range more {
			more[j] = float32(rng.Float64())
		}
		if s := mustScore(t, append(slices.Clone(sim), more), refs, rule); s.Comp < r.Comp {
			t.Fatalf("%s: comp fell from %v to %v with a sentence more", rule.Signature(), r.Comp, s.Comp)
		}
		if s := mustScore(t, append(slices.Clone(sim), slices.Clone(sim[rng.IntN(len(sim))])), refs, rule); s.Comp != r.Comp {
			t.Fatalf("%s: comp %v, and %v where a sentence is repeated", rule.Signature(), r.Comp, s.Comp)
		}
	}
}

// TestLongReview: neither small credits nor many sentences get lost.
func TestLongReview(t *testing.T) {
	soft := Rule{Mode: Soft, Comp: CoverNoisyOr}
	const n = 50_000
	for _, s := range []float64{0x1p-120, 1e-30, 1e-7, 1e-4, 0.01, 0.5, 1} {
		column := slices.Repeat([]float32{float32(s)}, n)
		got, want := soft.Cover(column), -math.Expm1(n*math.Log1p(-float64(float32(s))))
		if math.Abs(got-want) > 1e-11*want {
			t.Errorf("%d sentences of %v: %v, want %v", n, s, got, want)
		}
	}
	column := make([]float32, n)
	column[n/2] = 1
	if got := soft.Cover(column); got != 1 {
		t.Errorf("one credit of 1 among zeros: %v", got)
	}
	if got := soft.Cover(nil); got != 0 {
		t.Errorf("no sentence: %v", got)
	}
	// A result that nobody scored has no similarities.
	r := Result{Sentences: make([]Best, 1), Refs: make([]Best, 1)}
	if err := r.Rescore(make([]Ref, 1), soft); err == nil || r.Rescore(make([]Ref, 1), Rule{Mode: Soft}) != nil {
		t.Errorf("noisy-or without similarities: %v", err)
	}
}

// FuzzScore reads a rule and a matrix from bytes. Whatever they are, there is an
// error or a score within its bounds that follows from its evidence.
func FuzzScore(f *testing.F) {
	f.Add(uint8(0), 0.5, 0.0, 0.0, 1.0, uint8(2), []byte{0, 0, 0, 63, 205, 204, 76, 62, 0, 0, 128, 63, 0, 0, 0, 0})
	f.Add(uint8(2), 0.6, 0.2, 0.0, 0.5, uint8(1), []byte{0, 0, 0, 63, 0, 0, 192, 127})
	f.Add(uint8(3), 0.4, 0.0, 10.0, 0.0, uint8(3), []byte{0, 0, 0, 63, 205, 204, 76, 62, 0, 0, 128, 63})
	f.Add(uint8(8*2+1), 0.0, 0.0, 0.0, 0.5, uint8(2), []byte{0, 0, 0, 63, 205, 204, 76, 62, 0, 0, 128, 63, 0, 0, 0, 0})
	modes, forms := []Mode{Hard, Soft, Ramp, Calibrated, "medium"}, []Coverage{"", CoverBest, CoverNoisyOr, "all"}
	kinds := []string{"claim", "smell", "implication"}
	f.Fuzz(func(t *testing.T, mode uint8, tau, low, slope, weight float64, n uint8, b []byte) {
		rule := Rule{modes[int(mode)%len(modes)], tau, low, slope, Weights{"smell": weight, "claim@b": weight / 2}, forms[int(mode/8)%len(forms)]}
		refs := make([]Ref, n%8)
		for j := range refs {
			refs[j] = Ref{kinds[j%3], string(rune('a' + j))}
		}
		var sim [][]float32
		for len(refs) > 0 && len(b) >= 4*len(refs) {
			row := make([]float32, len(refs))
			for j := range row {
				row[j] = math.Float32frombits(binary.LittleEndian.Uint32(b))
				b = b[4:]
			}
			sim = append(sim, row)
		}
		r, err := ScoreRefs(sim, refs, rule)
		if err != nil {
			if r.Con != 0 || r.Sentences != nil {
				t.Fatalf("a score with an error: %+v, %v", r, err)
			}
			return
		}
		checkResult(t, r, refs, rule)
	})
}

// checkResult holds a result against its bounds and its evidence.
func checkResult(t *testing.T, r Result, refs []Ref, rule Rule) {
	t.Helper()
	in01 := func(name string, v float64) {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("%s: %s is %v", rule.Signature(), name, v)
		}
	}
	in01("con", r.Con)
	in01("comp", r.Comp)
	in01("rel", r.Rel)
	if hi := max(r.Con, r.Comp); r.Rel > hi+1e-12 || r.Con+r.Comp == 0 && r.Rel != 0 {
		t.Fatalf("rel %v of %v and %v", r.Rel, r.Con, r.Comp)
	}
	con, comp, whole := 0.0, 0.0, 0.0
	for _, b := range r.Sentences {
		in01("a sentence's credit", b.Credit)
		con += b.Credit / float64(len(r.Sentences))
	}
	for j, b := range r.Refs {
		in01("a reference's credit", b.Credit)
		w := rule.Weights.Of(refs[j].Kind, refs[j].Source)
		comp, whole = comp+w*b.Credit, whole+w
	}
	if math.Abs(con-r.Con) > 1e-9 || math.Abs(comp-r.Comp*whole) > 1e-9*whole {
		t.Fatalf("%s: con %v, comp %v do not follow from %+v", rule.Signature(), r.Con, r.Comp, r)
	}
}

func mustScore(t *testing.T, sim [][]float32, refs []Ref, rule Rule) Result {
	t.Helper()
	r, err := ScoreRefs(sim, refs, rule)
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r, refs, rule)
	return r
}

func randomMatrix(rng *rand.Rand) ([][]float32, []Ref) {
	sim, refs := make([][]float32, 1+rng.IntN(5)), make([]Ref, 1+rng.IntN(5))
	for j := range refs {
		refs[j] = exampleRefs[rng.IntN(len(exampleRefs))]
	}
	for i := range sim {
		sim[i] = make([]float32, len(refs))
		for j := range sim[i] {
			sim[i][j] = max(0, rng.Float32()*1.2-0.2) // some 0
		}
	}
	return sim, refs
}

func randomRule(rng *rand.Rand) Rule {
	r := Rule{Mode: []Mode{Hard, Soft, Ramp, Calibrated}[rng.IntN(4)], Tau: rng.Float64()}
	switch r.Mode {
	case Ramp:
		r.Low = r.Tau * rng.Float64()
	case Calibrated:
		r.Slope = 100 * (1 - rng.Float64())
	}
	if r.Mode.CanNoisyOr() {
		r.Comp = []Coverage{"", CoverBest, CoverNoisyOr, CoverNoisyOr}[rng.IntN(4)]
	}
	if rng.IntN(2) == 0 {
		r.Weights = Weights{"claim": 0.01 + rng.Float64(), "smell@builtin": 3 * rng.Float64()}
	}
	return r
}
