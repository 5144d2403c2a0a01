package calibration

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"crscore/eval/agreement"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/score"
)

// selection runs the comparison of modes alone.
func selection(t *testing.T, blocks []*matrices.Block, o Options) (Report, *labelledFolds) {
	t.Helper()
	table := tableOf(t, blocks)
	table.prepare()
	o.Resamples = resample.MinResamples
	if err := o.complete(); err != nil {
		t.Fatal(err)
	}
	l, why := table.labelledFolds(o)
	if l == nil {
		t.Fatal(why)
	}
	var rep Report
	if err := rep.compareModes(context.Background(), table, &o); err != nil {
		t.Fatal(err)
	}
	return rep, l
}

// TestSelectionIsHeldOut changes the labels of one fold: what is selected and fitted
// without that fold must not move.
func TestSelectionIsHeldOut(t *testing.T) {
	blocks := syntheticBlocks(30, 5, 31)
	before, l := selection(t, blocks, Options{})
	if s := before.Selection; len(s.Folds) != DefaultFolds || s.HeldOut == nil {
		t.Fatalf("%+v", s)
	}
	moved := 0
	for k := range DefaultFolds {
		scrambled := syntheticBlocks(30, 5, 31)
		for i, c := range l.t.changes {
			if l.fold[i] != k {
				continue
			}
			at := slices.IndexFunc(scrambled, func(b *matrices.Block) bool { return b.ID == c.id })
			for n := range scrambled[at].Reviews {
				h := scrambled[at].Reviews[n].Human
				h.Rel = 6 - h.Rel
				scrambled[at].Reviews[n].Addressed = nil
			}
		}
		after, _ := selection(t, scrambled, Options{})
		if got, want := after.Selection.Folds[k], before.Selection.Folds[k]; got != want {
			t.Errorf("with other labels in fold %d, %s was selected without it, not %s", k+1, got, want)
		}
		for i := range before.Modes.Results {
			a, b := before.Modes.Results[i], after.Modes.Results[i]
			if math.Float64bits(a.inner[k]) != math.Float64bits(b.inner[k]) || a.rules[k].Signature() != b.rules[k].Signature() {
				t.Errorf("%s without fold %d: %v and %s, with other labels in it %v and %s", a.name(), k+1, a.inner[k], a.rules[k].Signature(), b.inner[k], b.rules[k].Signature())
			}
			if *a.HeldOut.Mean != *b.HeldOut.Mean {
				moved++
			}
		}
	}
	if moved == 0 {
		t.Error("other labels change nothing at all")
	}
}

// TestSelectionByBruteForce fits hard by spearman the plain way, without each two folds.
func TestSelectionByBruteForce(t *testing.T) {
	blocks := syntheticBlocks(18, 5, 32)
	rep, l := selection(t, blocks, Options{Folds: 3})
	foldOf := make(map[string]int)
	for i, c := range l.t.changes {
		foldOf[c.id] = l.fold[i]
	}
	c := rep.contender(Options{Mode: score.Hard, Rule: Spearman})
	for k := range 3 {
		sum := 0.0
		for j := range 3 {
			if j == k {
				continue
			}
			var best score.Rule
			most := -2.0
			for i := range grid {
				rule := score.Rule{Mode: score.Hard, Tau: threshold(i)}
				if v := rho(t, study(t, blocks, rule, func(id string) bool { return foldOf[id] != k && foldOf[id] != j })); v > most {
					best, most = rule, v
				}
			}
			sum += rho(t, study(t, blocks, best, func(id string) bool { return foldOf[id] == j }))
		}
		if math.Abs(c.inner[k]-sum/2) > 1e-12 {
			t.Errorf("without fold %d: %v, want %v", k+1, c.inner[k], sum/2)
		}
	}
	sum := 0.0
	for k, winner := range rep.Selection.Folds {
		at := slices.IndexFunc(rep.Modes.Results, func(c Contender) bool { return c.name() == winner })
		for _, c := range rep.Modes.Results {
			if c.inner[k] > rep.Modes.Results[at].inner[k] {
				t.Errorf("without fold %d %s won with %v, and %s has %v", k+1, winner, rep.Modes.Results[at].inner[k], c.name(), c.inner[k])
			}
		}
		sum += rho(t, study(t, blocks, rep.Modes.Results[at].rules[k], func(id string) bool { return foldOf[id] == k }))
	}
	if got := *rep.Selection.HeldOut; math.Abs(got-sum/3) > 1e-12 {
		t.Errorf("the selection is worth %v, want %v", got, sum/3)
	}
}

// TestSelected: the winner is fitted, and a rule narrows the choice.
func TestSelected(t *testing.T) {
	blocks := syntheticBlocks(40, 4, 21)
	r := calibrate(t, blocks, Options{Seed: 2})
	if best := r.Modes.Results[r.Modes.Best]; r.Mode != best.Mode || r.Rule != best.Rule || r.Chosen.short() != best.Chosen.short() {
		t.Errorf("%s (%s) was fitted, %s (%s) is best", r.choice(), r.Chosen.short(), best.name(), best.Chosen.short())
	}
	two := calibrate(t, blocks, Options{Folds: 2, InForce: &InForce{Name: "some rule", Rule: &score.Rule{Mode: score.Soft}}})
	if two.Selection.HeldOut != nil || !strings.Contains(two.Conclusion(), "is not compared with the rule in force (some rule, mode=soft): the selection is not measured, because") {
		t.Errorf("without two folds of two nothing is left to fit on: %s", two.Conclusion())
	}
	if r := calibrate(t, blocks, Options{Rule: F1}); r.Mode != score.Hard || r.Selection != nil {
		t.Errorf("rule f1: %s, %+v", r.choice(), r.Selection)
	}
	r = calibrate(t, blocks, Options{Rule: Spearman})
	if r.Rule != Spearman || r.Selection == nil || slices.ContainsFunc(r.Selection.Folds, func(name string) bool { return !strings.HasSuffix(name, "by spearman") }) {
		t.Errorf("rule spearman: %s, %+v", r.choice(), r.Selection)
	}
	for _, b := range blocks {
		for i := range b.Reviews {
			b.Reviews[i].Human = nil
		}
	}
	r = calibrate(t, blocks, Options{InForce: &InForce{Name: "some rule", Rule: &score.Rule{Mode: score.Soft}}})
	if r.Mode != score.Hard || r.Rule != Paper || !r.Doubtful() ||
		!strings.Contains(r.Conclusion(), "is not compared with the rule in force (some rule, mode=soft): no scored review has human labels") {
		t.Errorf("without labels: %s; %s", r.choice(), r.Conclusion())
	}
}

// softData has labels that follow the best similarity, so that mode soft orders the
// reviews perfectly and thresholds lose.
func softData() (blocks []*matrices.Block) {
	for i := range 30 {
		b := &matrices.Block{ID: string(rune('A' + i)), Refs: []matrices.Ref{{Kind: "claim"}}}
		for k := range 5 {
			v := float64((i*7+k*31)%100) / 100
			label := 1 + 4*v
			b.Reviews = append(b.Reviews, matrices.Review{ID: string(rune('a' + k)), Sentences: 1, Sim: []float32{float32(v)},
				Human: &dataset.Human{Con: label, Comp: label, Rel: label}})
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// TestSoftCanWin has a report without thresholds.
func TestSoftCanWin(t *testing.T) {
	r := calibrate(t, softData(), Options{})
	if r.Mode != score.Soft || r.Fitted < 0.9999 || len(r.Sweep) != 0 || r.Intervals.Tau != nil {
		t.Errorf("%s with %v, %d thresholds", r.choice(), r.Fitted, len(r.Sweep))
	}
	var b strings.Builder
	if err := r.Page().WriteText(&b, 80); err != nil || !strings.Contains(b.String(), "Mode soft won") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestComparison sets calibrated rules beside a worse, a better and the same rule.
func TestComparison(t *testing.T) {
	blocks := softData()
	hard := &score.Rule{Mode: score.Hard, Tau: 0.9}
	r := calibrate(t, blocks, Options{InForce: &InForce{Name: "the old one", Rule: hard}})
	c := r.Comparison
	if c.Verdict() != Better || *c.Difference.P > 0.05 || r.Doubtful() {
		t.Errorf("beside a bad rule: %s, %s", c.Verdict(), r.Conclusion())
	}
	// The value of the rule in force, the plain way.
	table := tableOf(t, blocks)
	table.prepare()
	o := Options{}
	if err := o.complete(); err != nil {
		t.Fatal(err)
	}
	l, _ := table.labelledFolds(o)
	sum := 0.0
	for k := range DefaultFolds {
		var x, y []float64
		for _, row := range study(t, blocks, *hard, everything) {
			if l.fold[slices.IndexFunc(table.changes, func(c change) bool { return c.id == row.Change })] == k {
				x, y = append(x, row.Metric.Rel), append(y, row.Human.Rel)
			}
		}
		v, err := agreement.Spearman(x, y)
		if err != nil {
			t.Fatal(err)
		}
		sum += v / DefaultFolds
	}
	if math.Abs(*c.InForce.Value-sum) > 1e-12 || math.Abs(*c.Difference.Value-(*c.Calibrated.Value-*c.InForce.Value)) > 1e-12 {
		t.Errorf("in force %v, want %v; difference %v of %v", *c.InForce.Value, sum, *c.Difference.Value, *c.Calibrated.Value)
	}

	r = calibrate(t, blocks, Options{Mode: score.Hard, Rule: Paper, InForce: &InForce{Name: "soft", Rule: &score.Rule{Mode: score.Soft}}})
	if w := r.Page().Warnings; len(w) != 1 || !strings.Contains(w[0], "is worse than the rule in force") {
		t.Errorf("the page warns of %q", w)
	}
	if r.Comparison.Verdict() != Worse || !r.Doubtful() || !strings.Contains(r.Conclusion(), "is worse than the rule in force (soft, mode=soft): ρ of rel") {
		t.Errorf("beside soft: %s, %s", r.Comparison.Verdict(), r.Conclusion())
	}

	ramp := calibrate(t, syntheticBlocks(40, 4, 21), Options{Mode: score.Ramp})
	rule := ramp.Chosen.Scoring()
	r = calibrate(t, syntheticBlocks(40, 4, 21), Options{Mode: score.Ramp, InForce: &InForce{Name: "same", Rule: &rule, SameData: true, FittedBy: Spearman}})
	if c := r.Comparison; !c.Same || !c.Refitted || c.Verdict() != Unclear || *c.Difference.Value != 0 || *c.InForce.Value != *ramp.HeldOut.Mean {
		t.Errorf("beside itself: %+v", c)
	}
	r = calibrate(t, syntheticBlocks(40, 4, 21), Options{Mode: score.Ramp, InForce: &InForce{Name: "same", Rule: &rule}})
	if c := r.Comparison; c.Refitted || *c.InForce.Value == *ramp.HeldOut.Mean {
		t.Errorf("a rule that was fitted elsewhere is fitted again: %+v", c)
	}
	if got := RuleOf(ramp.Explained); got != Spearman {
		t.Errorf("%q is rule %q", ramp.Explained, got)
	}
}
