package calibration

import (
	"math"
	"strings"
	"testing"

	"crscore/internal/matrices"
	"crscore/score"
)

// TestModes holds the comparison against single calibrations with the same folds.
func TestModes(t *testing.T) {
	blocks := syntheticBlocks(40, 4, 21)
	r := calibrate(t, blocks, Options{Mode: score.Hard, Seed: 2})
	if r.Modes == nil || len(r.Modes.Results) != 7 {
		t.Fatalf("%+v", r.Modes)
	}
	best := r.Modes.Results[r.Modes.Best]
	for i, c := range r.Modes.Results {
		if *c.HeldOut.Mean > *best.HeldOut.Mean {
			t.Errorf("%s has %v, but the best one is %s with %v", c.name(), *c.HeldOut.Mean, best.name(), *best.HeldOut.Mean)
		}
		if (c.Behind == nil) != (i == r.Modes.Best) || c.Behind != nil && *c.Behind != *best.HeldOut.Mean-*c.HeldOut.Mean {
			t.Errorf("%s is %s behind the best", c.name(), shown(c.Behind))
		}
		if in := c.Interval; in == nil || !(in[0] < *c.HeldOut.Mean && *c.HeldOut.Mean < in[1]) || in[1]-in[0] > 0.5 {
			t.Errorf("%s: interval %v of %v", c.name(), in, *c.HeldOut.Mean)
		}
		if in := c.BehindInterval; in != nil && !(in[0] <= *c.Behind && *c.Behind <= in[1]) {
			t.Errorf("%s: interval %v of what it is behind, %v", c.name(), *in, *c.Behind)
		}
		if c.Rule != Spearman {
			continue
		}
		alone := calibrate(t, blocks, Options{Mode: c.Mode, Rule: c.Rule, Seed: 2})
		if c.Chosen.short() != alone.Chosen.short() || *c.Fitted != alone.Fitted ||
			*c.HeldOut.Pooled != *alone.HeldOut.Pooled || *c.HeldOut.Mean != *alone.HeldOut.Mean {
			t.Errorf("%s among others: %s, %v, %s %s; alone: %s, %v, %s %s", c.name(),
				c.Chosen.short(), *c.Fitted, shown(c.HeldOut.Pooled), shown(c.HeldOut.Mean),
				alone.Chosen.short(), alone.Fitted, shown(alone.HeldOut.Pooled), shown(alone.HeldOut.Mean))
		}
	}
	soft := r.Modes.Results[3]
	if soft.Mode != score.Soft || *soft.HeldOut.Pooled != rho(t, study(t, blocks, score.Rule{Mode: score.Soft}, everything)) {
		t.Errorf("soft, which nothing is fitted of, has %s held out", shown(soft.HeldOut.Pooled))
	}
}

// TestNoisyOr: modes soft and ramp are there in both forms, the given form is the one that is
// selected and fitted, and their difference equals the difference of single calibrations.
func TestNoisyOr(t *testing.T) {
	blocks := syntheticBlocks(40, 4, 21)
	r := calibrate(t, blocks, Options{Comp: score.CoverNoisyOr, Rule: Spearman, Seed: 2})
	if len(r.Modes.Results) != 9 {
		t.Fatalf("%d contenders", len(r.Modes.Results))
	}
	n := 0
	for i, c := range r.Modes.Results {
		if (c.Comp == score.CoverNoisyOr) != (c.OverBest != nil) {
			t.Errorf("%s is %s over the best sentence", c.name(), shown(c.OverBest))
		}
		if c.Comp == "" {
			continue
		}
		n++
		best := r.Modes.Results[i-1]
		if best.Mode != c.Mode || best.Rule != c.Rule || *c.OverBest != *c.HeldOut.Mean-*best.HeldOut.Mean || c.Mode == score.Soft && *c.OverBest == 0 {
			t.Errorf("%s is %s over %s", c.name(), shown(c.OverBest), best.name())
		}
		if in := c.OverBestInterval; in == nil || !(in[0] <= *c.OverBest && *c.OverBest <= in[1]) {
			t.Errorf("%s: interval %v", c.name(), in)
		}
		if c.Chosen.Comp != score.CoverNoisyOr || c.Chosen.rule.Comp != score.CoverNoisyOr {
			t.Errorf("%s has %+v", c.name(), c.Chosen)
		}
	}
	if n != 2 {
		t.Errorf("%d contenders by noisy-or", n)
	}
	soft := r.Modes.Results[4]
	if *soft.HeldOut.Pooled != rho(t, study(t, blocks, score.Rule{Mode: score.Soft, Comp: score.CoverNoisyOr}, everything)) {
		t.Errorf("soft by noisy-or has %s held out", shown(soft.HeldOut.Pooled))
	}
	ramp := calibrate(t, blocks, Options{Mode: score.Ramp, Comp: score.CoverNoisyOr, Seed: 2})
	if c := r.Modes.Results[6]; c.Mode != score.Ramp || c.Chosen.short() != ramp.Chosen.short() || *c.HeldOut.Mean != *ramp.HeldOut.Mean {
		t.Errorf("ramp among others: %+v, alone: %+v", c.Chosen, ramp.Chosen)
	}
	if got := ramp.Chosen.Scoring(); !got.NoisyOr() || !strings.Contains(ramp.Conclusion(), "mode ramp with comp noisy-or by rule spearman") {
		t.Errorf("chosen: %s; %s", got.Signature(), ramp.Conclusion())
	}
	// A rule in force by noisy-or that was found on these data is fitted again.
	again := calibrate(t, blocks, Options{Seed: 2, InForce: &InForce{Name: "some rule", Rule: new(ramp.Chosen.Scoring()), SameData: true, FittedBy: Spearman}})
	if c := again.Comparison; !c.Refitted || math.Abs(*c.InForce.Value-*ramp.HeldOut.Mean) > 1e-12 || again.Chosen.Comp != "" {
		t.Errorf("in force: %+v; chosen %+v", c, again.Chosen)
	}
	// The other modes have no such form.
	for _, o := range []Options{{Mode: score.Hard, Comp: score.CoverNoisyOr}, {Mode: score.Calibrated, Comp: score.CoverNoisyOr}, {Comp: "most"}} {
		if _, err := tableOf(t, blocks).Calibrate(t.Context(), o); err == nil || !strings.Contains(err.Error(), "comp") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestModesWithoutLinks says why a mode is not there.
func TestModesWithoutLinks(t *testing.T) {
	blocks := syntheticBlocks(20, 4, 21)
	for _, b := range blocks {
		for i := range b.Reviews {
			b.Reviews[i].Addressed = nil
		}
	}
	r := calibrate(t, blocks, Options{Mode: score.Hard})
	for _, c := range r.Modes.Results {
		if byLinks := c.Rule == F1 || c.Rule == Likelihood; byLinks != (c.Undefined != "") || byLinks != (c.HeldOut.Mean == nil) {
			t.Errorf("%s: %q, %s", c.name(), c.Undefined, shown(c.HeldOut.Mean))
		}
	}
	for i, b := range blocks {
		for k := range b.Reviews {
			if i > 3 {
				b.Reviews[k].Human = nil
			}
		}
	}
	if r := calibrate(t, blocks, Options{Mode: score.Hard}); r.Modes != nil || !strings.Contains(r.ModesUndefined, "4 changes cannot be cut into 5 folds") {
		t.Errorf("four changes with labels: %q", r.ModesUndefined)
	}
	for _, b := range blocks {
		for i := range b.Reviews {
			b.Reviews[i].Human = nil
		}
	}
	if r := calibrate(t, blocks, Options{Mode: score.Hard}); r.Modes != nil || r.ModesUndefined != "no scored review has human labels" || r.Sweep[0].Spearman != nil || r.Sweep[0].Links != nil {
		t.Error("without labels and links there is nothing to compare by")
	}
}

// TestPaperInterval compares the interval of the paper's rule with what theory has for
// the mean over clusters, and sees that it depends on the seed.
func TestPaperInterval(t *testing.T) {
	blocks := syntheticBlocks(150, 4, 22)
	var sums, counts []float64
	for _, b := range blocks {
		sum, n := 0.0, 0.0
		for i := range b.Reviews {
			if b.Reviews[i].ID == "msg" {
				continue
			}
			sim, _ := b.Rows(i)
			for _, row := range sim {
				best := 0.0
				for _, v := range row {
					best = max(best, float64(v))
				}
				sum, n = sum+best, n+1
			}
		}
		sums, counts = append(sums, sum), append(counts, n)
	}
	all, n := 0.0, 0.0
	for i := range sums {
		all, n = all+sums[i], n+counts[i]
	}
	variance := 0.0 // of a ratio, linearised
	for i := range sums {
		variance += math.Pow((sums[i]-all/n*counts[i])/n, 2)
	}
	want := 1.96 * math.Sqrt(variance)
	r := calibrate(t, blocks, Options{Mode: score.Hard, Resamples: 1000, Seed: 1})
	in := r.Intervals.Tau
	if half := (in[1] - in[0]) / 2; math.Abs(half-want) > 0.15*want || math.Abs((in[0]+in[1])/2-all/n) > 0.3*want {
		t.Errorf("the interval is %v, want %v ± %v", *in, all/n, want)
	}
	if other := calibrate(t, blocks, Options{Mode: score.Hard, Resamples: 1000, Seed: 2}).Intervals.Tau; *other == *in {
		t.Error("another seed draws the same")
	}
}

func TestHistogram(t *testing.T) {
	table := tableOf(t, []*matrices.Block{{ID: "1", Refs: []matrices.Ref{{Kind: "claim"}}, Points: make([]matrices.Ref, 2), Reviews: []matrices.Review{
		{ID: "msg", Sentences: 1, Sim: []float32{0.5, 0.5, 0.5}, Addressed: []int{1}},
		{ID: "s", Sentences: 2, Sim: []float32{1, 0.3, 0, 0, 0.1, 0.99}, Addressed: []int{1}},
		{ID: "t", Unscored: "no reason", Addressed: []int{1}},
	}}})
	h := table.histogram()
	at := func(counts []int) (out []int) {
		for k, n := range counts {
			for range n {
				out = append(out, k)
			}
		}
		return out
	}
	for _, tt := range []struct {
		name string
		got  []int
		want []int
	}{{"sentences", h.Sentences, []int{0, bins - 1}}, {"linked", h.Linked, []int{0.3 * bins}}, {"not linked", h.NotLinked, []int{bins - 1}}} {
		if got := at(tt.got); len(got) != len(tt.want) || got[0] != tt.want[0] || got[len(got)-1] != tt.want[len(tt.want)-1] {
			t.Errorf("%s are in the bins %v, want %v", tt.name, got, tt.want)
		}
	}
	if h.Edges[0] != 0 || h.Edges[bins] != 1 {
		t.Errorf("edges %v", h.Edges)
	}
}
