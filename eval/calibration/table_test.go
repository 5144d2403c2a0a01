package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/score"
)

// syntheticBlocks is a made-up dataset: reviews with a hidden quality that their similarities,
// labels and links follow more or less.
func syntheticBlocks(changes, systems int, seed uint64) []*matrices.Block {
	r := rand.New(rand.NewPCG(seed, 7))
	kinds := []matrices.Ref{{Kind: "claim", Source: "symbolic"}, {Kind: "implication", Source: "symbolic"}, {Kind: "smell", Source: "builtin"}}
	var out []*matrices.Block
	for i := range changes {
		b := &matrices.Block{ID: fmt.Sprintf("change-%d", i)}
		for range 1 + r.IntN(6) {
			b.Refs = append(b.Refs, kinds[r.IntN(len(kinds))])
		}
		for range r.IntN(5) {
			b.Points = append(b.Points, matrices.Ref{Kind: "claim"})
		}
		for k := range systems {
			v := matrices.Review{ID: fmt.Sprintf("system-%d", k), Sentences: r.IntN(5), Addressed: []int{}}
			if k == 0 {
				v.ID = "msg"
			}
			quality := r.Float64()
			for range v.Sentences * (len(b.Refs) + len(b.Points)) {
				v.Sim = append(v.Sim, float32(min(1, max(0, 0.5*quality+0.5*r.Float64()*r.Float64()))))
			}
			label := 1 + math.Round(4*min(1, max(0, quality+0.3*r.NormFloat64())))
			v.Human = &dataset.Human{Con: label, Comp: max(1, label-1), Rel: label}
			for j := range b.Points {
				if r.Float64() < quality*0.6 {
					v.Addressed = append(v.Addressed, j+1)
				}
			}
			b.Reviews = append(b.Reviews, v)
		}
		out = append(out, b)
	}
	return out
}

func tableOf(t testing.TB, blocks []*matrices.Block) *Table {
	t.Helper()
	var table Table
	for _, b := range blocks {
		if err := table.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	table.prepare()
	return &table
}

var allRules = []score.Rule{
	{Mode: score.Hard, Tau: 0.35},
	{Mode: score.Hard},
	{Mode: score.Soft},
	{Mode: score.Ramp, Tau: 0.6, Low: 0.2},
	{Mode: score.Ramp, Tau: 0.4, Low: 0.4},
	{Mode: score.Ramp},
	{Mode: score.Soft, Comp: score.CoverNoisyOr},
	{Mode: score.Ramp, Tau: 0.6, Low: 0.2, Comp: score.CoverNoisyOr},
	{Mode: score.Calibrated, Tau: 0.4, Slope: 10},
	{Mode: score.Calibrated, Slope: 0.01},
}

var someWeights = []score.Weights{nil, {"smell": 0.3}, {"claim@symbolic": 0, "smell": 2.5}, {"claim": 0, "implication": 0}}

// TestTableScoresAsScoring holds the scores of what is left of matrices against
// those of the matrices, to the last digit, and what is left of links against the
// links.
func TestTableScoresAsScoring(t *testing.T) {
	blocks := syntheticBlocks(60, 5, 1)
	table := tableOf(t, blocks)
	byID := make(map[string]*change)
	for i := range table.changes {
		byID[table.changes[i].id] = &table.changes[i]
	}
	scored, refused := 0, 0
	for _, b := range blocks {
		refs := make([]score.Ref, len(b.Refs))
		for j, r := range b.Refs {
			refs[j] = score.Ref{Kind: r.Kind, Source: r.Source}
		}
		c := byID[b.ID]
		for i := range b.Reviews {
			k := slices.IndexFunc(c.reviews, func(r review) bool { return r.system == b.Reviews[i].ID })
			rows, _ := b.Rows(i)
			for _, rule := range allRules {
				for _, w := range someWeights {
					rule.Weights = w
					want, err := score.ScoreRefs(rows, refs, rule)
					s := table.scorer(rule)
					got, ok := s.score(c, &c.reviews[k])
					if ok != (err == nil) {
						t.Fatalf("%s: %v, but %v", rule.Signature(), ok, err)
					}
					if !ok {
						refused++
						continue
					}
					scored++
					if got.Con != want.Con || got.Comp != want.Comp || got.Rel != want.Rel {
						t.Fatalf("%s of %s: %v, want %v %v %v", rule.Signature(), b.ID, got, want.Con, want.Comp, want.Rel)
					}
				}
			}
		}
		n := 0
		for _, l := range evidence.Links(b) {
			k := slices.IndexFunc(c.reviews, func(r review) bool { return r.system == l.Review })
			p := c.reviews[k].pairs[l.Reference-1]
			if float64(p.similarity) != l.Similarity || p.addressed != l.Addressed {
				t.Fatalf("%+v became %+v", l, p)
			}
			n++
		}
		for _, r := range c.reviews {
			n -= len(r.pairs)
		}
		if n != 0 {
			t.Fatalf("%s has %d links more than are left", b.ID, n)
		}
	}
	if scored < 1000 || refused < 100 {
		t.Errorf("%d scores and %d refusals are not much of a test", scored, refused)
	}
}

func TestTableRefuses(t *testing.T) {
	good := func() *matrices.Block {
		return &matrices.Block{ID: "1", Refs: []matrices.Ref{{Kind: "claim"}}, Reviews: []matrices.Review{
			{ID: "s", Sentences: 1, Sim: []float32{0.5}, Human: &dataset.Human{Con: 1, Comp: 5, Rel: 2.5}}, {ID: "t"},
		}}
	}
	for _, tt := range []struct {
		name  string
		spoil func(*matrices.Block)
		want  string
	}{
		{"good", func(*matrices.Block) {}, ""},
		{"twice the same system", func(b *matrices.Block) { b.Reviews[1].ID = "s" }, `change "1" has two reviews "s"`},
		{"label too high", func(b *matrices.Block) { b.Reviews[0].Human.Comp = 5.5 }, `change "1", review "s": the human label for comp is 5.5, not between 1 and 5`},
		{"label not a number", func(b *matrices.Block) { b.Reviews[0].Human.Rel = math.NaN() }, "for rel is NaN"},
		{"label too low", func(b *matrices.Block) { b.Reviews[0].Human.Con = 0 }, "for con is 0"},
		{"similarity not a number", func(b *matrices.Block) { b.Reviews[0].Sim[0] = float32(math.NaN()) }, "sentence 1 and reference 1 is NaN"},
		{"similarity too high", func(b *matrices.Block) { b.Reviews[0].Sim[0] = 1.5 }, "is 1.5, not in [0,1]"},
	} {
		var table Table
		b := good()
		tt.spoil(b)
		err := table.Add(b)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if err != nil && table.Changes() != 0 {
			t.Errorf("%s: a change that is refused must not be kept", tt.name)
		}
	}
	var table Table
	if err := table.Add(good()); err != nil {
		t.Fatal(err)
	}
	if err := table.Add(good()); err == nil || !strings.Contains(err.Error(), `change "1" occurs twice`) {
		t.Errorf("an id twice: %v", err)
	}
}
