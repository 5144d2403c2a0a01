package calibration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crscore/eval/agreement"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/score"
)

func calibrate(t *testing.T, blocks []*matrices.Block, o Options) Report {
	t.Helper()
	if o.Resamples == 0 {
		o.Resamples = resample.MinResamples
	}
	r, err := tableOf(t, blocks).Calibrate(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// study scores all reviews by a rule, the plain way.
func study(t *testing.T, blocks []*matrices.Block, rule score.Rule, in func(id string) bool) (rows []agreement.Row) {
	t.Helper()
	for _, b := range blocks {
		if !in(b.ID) {
			continue
		}
		refs := make([]score.Ref, len(b.Refs))
		for j, r := range b.Refs {
			refs[j] = score.Ref{Kind: r.Kind, Source: r.Source}
		}
		for i := range b.Reviews {
			sim, _ := b.Rows(i)
			res, err := score.ScoreRefs(sim, refs, rule)
			if err != nil {
				t.Fatal(err)
			}
			h := b.Reviews[i].Human
			rows = append(rows, agreement.Row{
				Change: b.ID, Review: b.Reviews[i].ID, Metric: &agreement.Scores{Con: res.Con, Comp: res.Comp, Rel: res.Rel},
				Human: &agreement.Scores{Con: h.Con, Comp: h.Comp, Rel: h.Rel},
			})
		}
	}
	return rows
}

// rho is Spearman's ρ of rel without the human reference.
func rho(t *testing.T, rows []agreement.Row) float64 {
	t.Helper()
	var x, y []float64
	for _, r := range rows {
		if r.Review != agreement.HumanReference {
			x, y = append(x, r.Metric.Rel), append(y, r.Human.Rel)
		}
	}
	v, err := agreement.Spearman(x, y)
	if err != nil {
		return math.NaN()
	}
	return v
}

func everything(string) bool { return true }

// TestSpearmanByBruteForce tries every threshold on everything and on every fold,
// the plain way.
func TestSpearmanByBruteForce(t *testing.T) {
	blocks := syntheticBlocks(30, 4, 3)
	r := calibrate(t, blocks, Options{Mode: score.Hard, Rule: Spearman, Seed: 5})
	table := tableOf(t, blocks)
	fold, err := table.assignFolds(table.rankedBy([]score.Weights{nil}).used(), DefaultFolds, 5)
	if err != nil {
		t.Fatal(err)
	}
	foldOf := make(map[string]int)
	for i, c := range table.changes {
		foldOf[c.id] = fold[i]
	}
	search := func(in func(string) bool) (tau, best float64) {
		best = -2
		for k := range grid {
			if v := rho(t, study(t, blocks, score.Rule{Mode: score.Hard, Tau: threshold(k)}, in)); v > best {
				tau, best = threshold(k), v
			}
		}
		return tau, best
	}
	tau, best := search(everything)
	if *r.Chosen.Tau != tau || r.Fitted != best {
		t.Errorf("chosen τ %v with %v, want %v with %v", *r.Chosen.Tau, r.Fitted, tau, best)
	}
	var pooled []agreement.Row
	for k, f := range r.Folds {
		tau, best := search(func(id string) bool { return foldOf[id] != k })
		held := study(t, blocks, score.Rule{Mode: score.Hard, Tau: tau}, func(id string) bool { return foldOf[id] == k })
		pooled = append(pooled, held...)
		if *f.Tau != tau || *f.Fitted != best || *f.HeldOut != rho(t, held) {
			t.Errorf("fold %d: τ %v, %v, held out %v; want %v, %v, %v", k+1, *f.Tau, *f.Fitted, *f.HeldOut, tau, best, rho(t, held))
		}
	}
	if got, want := *r.HeldOut.Pooled, rho(t, pooled); got != want {
		t.Errorf("held out, pooled: %v, want %v", got, want)
	}
}

// TestRampByBruteForce tries every ramp the plain way.
func TestRampByBruteForce(t *testing.T) {
	blocks := syntheticBlocks(12, 5, 6)
	for _, weights := range [][]score.Weights{{nil}, {nil, {"smell": 0.5}}} {
		r := calibrate(t, blocks, Options{Mode: score.Ramp, Folds: 2, Weights: weights})
		var best score.Rule
		value := -2.0
		for _, rule := range tableOf(t, blocks).candidates(score.Ramp, "", weights) {
			if v := rho(t, study(t, blocks, rule, everything)); v > value { // the first of the best
				best, value = rule, v
			}
		}
		if got := r.Chosen.Scoring(); got.Signature() != best.Signature() || r.Fitted != value {
			t.Errorf("%s with %v, want %s with %v", got.Signature(), r.Fitted, best.Signature(), value)
		}
	}
}

// TestSweep holds every row of a sweep against package agreement.
func TestSweep(t *testing.T) {
	blocks := syntheticBlocks(25, 4, 4)
	for _, o := range []Options{
		{Mode: score.Hard, Rule: F1}, {Mode: score.Ramp, Rule: Spearman}, {Mode: score.Calibrated, Rule: Likelihood},
	} {
		r := calibrate(t, blocks, o)
		if len(r.Sweep) != grid {
			t.Fatalf("%d thresholds, want %d", len(r.Sweep), grid)
		}
		var links []agreement.Link
		var taus []float64
		for _, s := range r.Sweep {
			taus = append(taus, s.Tau)
		}
		for _, b := range blocks {
			for i := range b.Reviews {
				if b.Reviews[i].ID == agreement.HumanReference {
					continue
				}
				_, points := b.Rows(i)
				for j := range b.Points {
					l := agreement.Link{Change: b.ID, Review: b.Reviews[i].ID, Addressed: slices.Contains(b.Reviews[i].Addressed, j+1)}
					for _, row := range points {
						l.Similarity = max(l.Similarity, float64(row[j]))
					}
					links = append(links, l)
				}
			}
		}
		match, err := agreement.Match(context.Background(), links, taus, agreement.Bootstrap{Resamples: resample.MinResamples})
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; k < grid; k += 13 {
			s := r.Sweep[k]
			rule := r.Chosen.Scoring()
			rule.Tau, rule.Low = s.Tau, min(rule.Low, s.Tau)
			rows := study(t, blocks, rule, everything)
			var con []float64
			for _, row := range rows {
				if row.Review != agreement.HumanReference {
					con = append(con, row.Metric.Con)
				}
			}
			mean := 0.0
			for _, v := range con {
				mean += v / float64(len(con))
			}
			if math.Abs(*s.Con-mean) > 1e-12 {
				t.Errorf("%s: mean Con %v, want %v", rule.Signature(), *s.Con, mean)
			}
			for _, p := range []struct {
				name string
				got  *float64
				want *float64
			}{
				{"ρ", s.Spearman.Rel, defined(rho(t, rows))},
				{"precision", s.Links.Precision, match.Thresholds[k].Precision.Value},
				{"recall", s.Links.Recall, match.Thresholds[k].Recall.Value},
				{"F1", s.Links.F1, match.Thresholds[k].F1.Value},
			} {
				if (p.got == nil) != (p.want == nil) || p.got != nil && math.Abs(*p.got-*p.want) > 1e-12 {
					t.Errorf("%s: %s is %s, want %s", rule.Signature(), p.name, shown(p.got), shown(p.want))
				}
			}
		}
	}
}

func TestPaperRule(t *testing.T) {
	blocks := syntheticBlocks(25, 4, 6)
	for _, system := range []string{"", "system-2", "msg"} {
		r := calibrate(t, blocks, Options{Mode: score.Hard, Rule: Paper, System: system})
		var a score.Aggregate
		for _, b := range blocks {
			for i := range b.Reviews {
				if id := b.Reviews[i].ID; system == "" && id == "msg" || system != "" && id != system {
					continue
				}
				sim, _ := b.Rows(i)
				res, err := score.Score(sim, len(b.Refs), score.Rule{Mode: score.Soft})
				if err != nil {
					t.Fatal(err)
				}
				a.Add(res)
			}
		}
		want, _ := a.PaperTau()
		if math.Abs(r.Fitted-want) > 1e-12 || *r.Chosen.Tau != roundParameter(want) {
			t.Errorf("system %q: %v (τ %v), want %v", system, r.Fitted, *r.Chosen.Tau, want)
		}
	}
}

// TestF1IsTheBestOfTheSweep: no threshold has more, and it is the same number.
func TestF1IsTheBestOfTheSweep(t *testing.T) {
	r := calibrate(t, syntheticBlocks(25, 4, 8), Options{Mode: score.Hard, Rule: F1})
	best := 0.0
	for _, s := range r.Sweep {
		best = max(best, *s.Links.F1)
		if s.Tau == *r.Chosen.Tau && *s.Links.F1 != r.Fitted {
			t.Errorf("F1 at the chosen τ is %v in the sweep and %v as fitted", *s.Links.F1, r.Fitted)
		}
	}
	if r.Fitted != best || best == 0 {
		t.Errorf("fitted F1 %v, best of the sweep %v", r.Fitted, best)
	}
}

// TestLikelihood finds a curve again that links were drawn from, and cannot be
// bettered nearby.
func TestLikelihood(t *testing.T) {
	const tau, slope = 0.45, 12
	r := rand.New(rand.NewPCG(1, 2))
	var blocks []*matrices.Block
	for i := range 200 {
		b := &matrices.Block{ID: string(rune('a'+i%26)) + string(rune('a'+i/26)), Refs: []matrices.Ref{{Kind: "claim"}}, Points: make([]matrices.Ref, 20)}
		v := matrices.Review{ID: "s", Sentences: 1, Sim: []float32{0.5}, Addressed: []int{}}
		for j := range b.Points {
			s := r.Float64()
			v.Sim = append(v.Sim, float32(s))
			if r.Float64() < 1/(1+math.Exp(-slope*(s-tau))) {
				v.Addressed = append(v.Addressed, j+1)
			}
		}
		b.Reviews = []matrices.Review{v}
		blocks = append(blocks, b)
	}
	rep := calibrate(t, blocks, Options{Mode: score.Calibrated})
	if math.Abs(*rep.Chosen.Tau-tau) > 0.02 || math.Abs(*rep.Chosen.Slope-slope) > 1 {
		t.Errorf("τ %v and slope %v, drawn from %v and %v", *rep.Chosen.Tau, *rep.Chosen.Slope, tau, slope)
	}
	in := rep.Intervals
	if !(in.Tau[0] < tau && tau < in.Tau[1] && in.Slope[0] < slope && slope < in.Slope[1]) || in.Tau[1]-in.Tau[0] > 0.1 {
		t.Errorf("intervals %v and %v", *in.Tau, *in.Slope)
	}
	table := tableOf(t, blocks)
	w := likelihood{table.linkedPairs()}.worker()
	all := make(weights, len(blocks))
	for i := range all {
		all[i] = 1
	}
	for _, d := range []struct{ tau, slope float64 }{{0.02, 0}, {-0.02, 0}, {0, 1.5}, {0, -1.5}} {
		near := rep.Chosen.Scoring()
		near.Tau, near.Slope = near.Tau+d.tau, near.Slope+d.slope
		w.set(near)
		if v := w.value(all); v >= rep.Fitted {
			t.Errorf("%s has %v, more than the %v that was fitted", near.Signature(), v, rep.Fitted)
		}
	}
}

// TestOrderOfDataDoesNotMatter gives the same data in other orders.
func TestOrderOfDataDoesNotMatter(t *testing.T) {
	blocks := syntheticBlocks(25, 5, 9)
	var first []byte
	for turn := range 3 {
		r := calibrate(t, blocks, Options{Mode: score.Ramp, Seed: 3})
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if turn == 0 {
			first = b
		}
		if !bytes.Equal(b, first) {
			t.Errorf("turn %d:\n%s\nfirst:\n%s", turn, b, first)
		}
		slices.Reverse(blocks)
		for _, b := range blocks {
			slices.Reverse(b.Reviews)
		}
		rand.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
	}
	other := calibrate(t, blocks, Options{Mode: score.Ramp, Seed: 4})
	if b, _ := json.Marshal(other.Folds); bytes.Contains(first, b) {
		t.Error("another seed has the same folds")
	}
}

func TestLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, math.Nextafter(0.1, 1), 1e-300, -1e300, 5, math.MaxFloat64, math.SmallestNonzeroFloat64}
	var s sorter
	for range 300 {
		values := make([]float64, r.IntN(40))
		for i := range values {
			values[i] = special[r.IntN(len(special))]
			if r.IntN(3) == 0 {
				values[i] = r.NormFloat64()
			}
		}
		sorted := slices.Compact(slices.Sorted(slices.Values(values))) // 0 and -0 are the same
		got := s.levels(values)
		if got.count != len(sorted) || len(got.of) != len(values) {
			t.Fatalf("%d levels of %d values, want %d", got.count, len(got.of), len(sorted))
		}
		for i, v := range values {
			if sorted[got.of[i]] != v {
				t.Fatalf("%v: %v is at level %d", values, v, got.of[i])
			}
		}
	}
}

func TestRankerIsSpearman(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 2 + r.IntN(30)
		var x, y, xs, ys []float64
		var change []int32
		w := make(weights, n)
		for i := range n {
			x, y = append(x, float64(r.IntN(6))), append(y, float64(r.IntN(4)))
			change = append(change, int32(i))
			w[i] = uint16(r.IntN(3))
			for range w[i] {
				xs, ys = append(xs, x[i]), append(ys, y[i])
			}
		}
		want, err := agreement.Spearman(xs, ys)
		got := new(ranker).spearman(levelsOf(x), levelsOf(y), change, w)
		if (err != nil) != math.IsNaN(got) || err == nil && got != want {
			t.Fatalf("%v %v: %v, want %v %v", xs, ys, got, want, err)
		}
	}
}

func TestCalibrateRefuses(t *testing.T) {
	change := func(edit func(*matrices.Block)) []*matrices.Block {
		blocks := syntheticBlocks(20, 4, 2)
		for _, b := range blocks {
			edit(b)
		}
		return blocks
	}
	reviews := func(edit func(*matrices.Review)) []*matrices.Block {
		return change(func(b *matrices.Block) {
			for i := range b.Reviews {
				edit(&b.Reviews[i])
			}
		})
	}
	asIs := syntheticBlocks(20, 4, 2)
	for _, tt := range []struct {
		name   string
		blocks []*matrices.Block
		o      Options
		want   string
	}{
		{"unknown mode", asIs, Options{Mode: "medium"}, "unknown mode"},
		{"too many folds to select a mode", asIs, Options{Folds: 21}, "21 folds: to select a mode"},
		{"unknown rule, no mode", asIs, Options{Rule: "best"}, `unknown rule "best"`},
		{"a system for f1, no mode", asIs, Options{Rule: F1, System: "system-1"}, "for rule paper"},
		{"no labels for a rule that needs them", reviews(func(r *matrices.Review) { r.Human = nil }), Options{Rule: Spearman}, "0 reviews have both scores and human labels"},
		{"soft", asIs, Options{Mode: score.Soft}, "mode soft has no parameters"},
		{"unknown rule", asIs, Options{Mode: score.Hard, Rule: "best"}, `unknown rule "best": choose paper, f1, spearman or likelihood`},
		{"one threshold for two", asIs, Options{Mode: score.Ramp, Rule: Paper}, "rule paper finds one threshold, and mode ramp has two parameters: choose spearman"},
		{"f1 for calibrated", asIs, Options{Mode: score.Calibrated, Rule: F1}, "choose likelihood or spearman"},
		{"probabilities of hard", asIs, Options{Mode: score.Hard, Rule: Likelihood}, "which mode hard does not have"},
		{"a system for f1", asIs, Options{Mode: score.Hard, Rule: F1, System: "system-1"}, "for rule paper"},
		{"unknown system", asIs, Options{Mode: score.Hard, System: "gpt"}, `no system "gpt": there are msg, system-1, system-2, system-3`},
		{"one fold", asIs, Options{Mode: score.Hard, Folds: 1}, "1 folds"},
		{"more folds than changes", asIs, Options{Mode: score.Hard, Rule: Spearman, Folds: 21}, "20 changes cannot be cut into 21 folds"},
		{"few draws", asIs, Options{Mode: score.Hard, Resamples: 10}, "10 resamples"},
		{"bad weights", asIs, Options{Mode: score.Hard, Weights: []score.Weights{{"claim": -1}}}, "-1"},
		{"weights cannot be chosen", asIs, Options{Mode: score.Hard, Weights: []score.Weights{nil, {"claim": 2}}}, "cannot choose weights"},
		{"nothing", nil, Options{Mode: score.Hard}, "0 scored reviews with sentences, need at least 10"},
		{"few reviews", syntheticBlocks(3, 4, 2)[:2], Options{Mode: score.Hard, Rule: Spearman, Folds: 2}, "6 reviews have both scores and human labels, need at least 10"},
		{"no labels", reviews(func(r *matrices.Review) { r.Human = nil }), Options{Mode: score.Hard, Rule: Spearman}, "0 reviews have both scores and human labels"},
		{"all labels tied", reviews(func(r *matrices.Review) { r.Human.Rel = 3 }), Options{Mode: score.Ramp}, "undefined: the label for rel is the same for all 60 reviews"},
		{"all scores tied", reviews(func(r *matrices.Review) { clear(r.Sim) }), Options{Mode: score.Hard, Rule: Spearman}, "Spearman of rel is undefined with every candidate"},
		{"no links", reviews(func(r *matrices.Review) { r.Addressed = nil }), Options{Mode: score.Hard, Rule: F1}, "no review is linked to an annotators' reference"},
		{"nothing is linked", reviews(func(r *matrices.Review) { r.Addressed = []int{} }), Options{Mode: score.Hard, Rule: F1}, "0 are linked, so there is only one class"},
		{"everything is linked", change(func(b *matrices.Block) {
			for i := range b.Reviews {
				b.Reviews[i].Addressed = nil
				for j := range b.Points {
					b.Reviews[i].Addressed = append(b.Reviews[i].Addressed, j+1)
				}
			}
		}), Options{Mode: score.Calibrated}, "only one class"},
		{"links against similarity", change(func(b *matrices.Block) {
			for i := range b.Reviews {
				r := &b.Reviews[i]
				_, points := b.Rows(i)
				r.Addressed = []int{}
				for j := range b.Points {
					best := float32(0)
					for _, row := range points {
						best = max(best, row[j])
					}
					if best < 0.3 {
						r.Addressed = append(r.Addressed, j+1)
					}
				}
			}
		}), Options{Mode: score.Calibrated}, "the curve of links over similarity does not rise"},
		{"all unscored", reviews(func(r *matrices.Review) { r.Unscored = "no reason" }), Options{Mode: score.Hard}, "0 scored reviews"},
	} {
		var table Table
		for _, b := range tt.blocks {
			if err := table.Add(b); err != nil {
				t.Fatal(err)
			}
		}
		if tt.o.Resamples == 0 {
			tt.o.Resamples = resample.MinResamples
		}
		_, err := table.Calibrate(context.Background(), tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestUndefinedIsSaid has data where much is undefined and nothing may be NaN, which
// JSON does not have.
func TestUndefinedIsSaid(t *testing.T) {
	blocks := syntheticBlocks(6, 4, 2)
	for i, b := range blocks {
		for k := range b.Reviews {
			b.Reviews[k].Human.Rel, b.Reviews[k].Addressed = 2, nil
			if i == 0 {
				b.Reviews[k].Human.Rel = 4
			}
		}
	}
	r := calibrate(t, blocks, Options{Mode: score.Hard, Rule: Spearman})
	if r.HeldOut.Mean != nil || r.HeldOut.Undefined != 5 || r.HeldOut.Pooled != nil {
		t.Errorf("held out: %+v", r.HeldOut)
	}
	if r.Intervals.Tau != nil || !strings.Contains(r.Intervals.Undefined, "nothing can be fitted on") {
		t.Errorf("intervals: %+v", r.Intervals)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := r.Page().WriteText(&b, 80); err != nil {
		t.Error(err)
	}
}

// TestFolds: a change's fold depends on ids and seed, no fold is empty, and sizes
// differ by one at most.
func TestFolds(t *testing.T) {
	blocks := syntheticBlocks(23, 3, 1)
	table := tableOf(t, blocks)
	used := make([]bool, 23)
	for i := range used {
		used[i] = i != 4
	}
	fold, err := table.assignFolds(used, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	sizes := make([]int, 5)
	for i, f := range fold {
		if (f < 0) != !used[i] {
			t.Errorf("change %d is in fold %d", i, f)
		}
		if f >= 0 {
			sizes[f]++
		}
	}
	slices.Sort(sizes)
	if !slices.Equal(sizes, []int{4, 4, 4, 5, 5}) {
		t.Errorf("sizes %v", sizes)
	}
	all, train, test := foldWeights(fold, 5)
	for i := range all {
		held := 0
		for k := range 5 {
			if train[k][i]+test[k][i] != 1 {
				t.Errorf("change %d is trained on %d times and held out %d times in fold %d", i, train[k][i], test[k][i], k)
			}
			held += int(test[k][i])
		}
		if used[i] != (held == 1) {
			t.Errorf("change %d is held out %d times", i, held)
		}
	}
}

// TestFittedWeights has data where smells only disturb, and finds it.
func TestFittedWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var blocks []*matrices.Block
	for i := range 60 {
		b := &matrices.Block{ID: fmt.Sprint(i), Refs: []matrices.Ref{{Kind: "claim"}, {Kind: "smell"}, {Kind: "smell"}}}
		for k := range 4 {
			label := 1 + r.IntN(5)
			b.Reviews = append(b.Reviews, matrices.Review{ID: fmt.Sprint(k), Sentences: 1,
				Human: &dataset.Human{Con: 1, Comp: float64(label), Rel: float64(label)},
				Sim:   []float32{float32(label)/8 + 0.2*r.Float32(), r.Float32(), r.Float32()}})
		}
		blocks = append(blocks, b)
	}
	table := tableOf(t, blocks)
	candidates := table.WeightCandidates()
	var texts []string
	for _, w := range candidates {
		texts = append(texts, w.String())
	}
	if want := []string{"", "smell=0.5", "smell=0.25"}; !slices.Equal(texts, want) {
		t.Errorf("candidates %q, want %q", texts, want)
	}
	plain := calibrate(t, blocks, Options{Mode: score.Ramp})
	weighed := calibrate(t, blocks, Options{Mode: score.Ramp, Weights: candidates})
	if weighed.Chosen.Weights != "smell=0.25" || weighed.Chosen.Scoring().Signature() == plain.Chosen.Scoring().Signature() {
		t.Errorf("chosen weights %q", weighed.Chosen.Weights)
	}
	if *weighed.HeldOut.Mean < *plain.HeldOut.Mean+0.02 {
		t.Errorf("held out: %v with weights, %v without", *weighed.HeldOut.Mean, *plain.HeldOut.Mean)
	}
}

// FuzzCalibrate takes data of all sizes, with holes: there is an error or a report,
// which JSON can be made of and which has no number outside its range.
func FuzzCalibrate(f *testing.F) {
	f.Add(uint64(1), uint8(12), uint8(4), uint8(0), uint8(0))
	f.Add(uint64(2), uint8(30), uint8(2), uint8(3), uint8(7))
	f.Add(uint64(3), uint8(6), uint8(3), uint8(4), uint8(255))
	f.Add(uint64(4), uint8(12), uint8(4), uint8(1), uint8(0)) // no rule is in force
	f.Fuzz(func(t *testing.T, seed uint64, changes, systems, kind, holes uint8) {
		r := rand.New(rand.NewPCG(seed, 1))
		blocks := syntheticBlocks(int(changes%32), int(systems%6), seed)
		for _, b := range blocks {
			for i := range b.Reviews {
				v := &b.Reviews[i]
				hole := func(bit int) bool { return holes>>bit&1 == 1 && r.IntN(2) == 0 }
				if hole(0) {
					v.Human = nil
				}
				if hole(1) {
					v.Addressed = nil
				}
				if hole(2) {
					v.Unscored = "no reason"
				}
				if hole(3) {
					clear(v.Sim)
				}
				if hole(4) {
					v.Sentences, v.Sim = 0, nil
				}
				if hole(5) && v.Human != nil {
					v.Human.Rel = 3
				}
				if hole(6) {
					for k := range v.Sim {
						v.Sim[k] = 1
					}
				}
			}
		}
		inForce := &InForce{Name: "other", Rule: &score.Rule{Mode: score.Ramp, Tau: 0.6, Low: 0.2}, SameData: holes%2 == 0, FittedBy: Spearman}
		all := []Options{
			{Folds: 2 + int(holes%4), Seed: seed, Resamples: resample.MinResamples, InForce: inForce},
			{Rule: Spearman, Folds: 2, Seed: seed, Resamples: resample.MinResamples, InForce: &InForce{Missing: "none"}},
			{Comp: score.CoverNoisyOr, Folds: 2, Seed: seed, Resamples: resample.MinResamples, InForce: inForce},
		}
		for _, m := range []score.Mode{score.Hard, score.Ramp, score.Calibrated} {
			for _, rule := range Rules(m) {
				all = append(all, Options{Mode: m, Rule: rule, Folds: 2 + int(holes%4), Seed: seed, Resamples: resample.MinResamples})
			}
		}
		o := all[int(kind)%len(all)]
		rep, err := tableOf(t, blocks).Calibrate(context.Background(), o)
		if err != nil {
			return
		}
		if _, err := json.Marshal(rep); err != nil {
			t.Fatal(err)
		}
		rule := rep.Chosen.Scoring()
		if err := rule.Check(); err != nil || o.Mode != "" && rule.Mode != o.Mode || rep.Conclusion() == "" {
			t.Fatalf("%s: %v", rule.Signature(), err)
		}
		if in := rep.Intervals.Tau; in != nil && !(0 <= in[0] && in[0] <= in[1] && in[1] <= 1) {
			t.Fatalf("interval %v", *in)
		}
		if len(rep.Folds) != o.Folds {
			t.Fatalf("%d folds, want %d", len(rep.Folds), o.Folds)
		}
		if err := rep.Page().WriteText(io.Discard, 80); err != nil {
			t.Fatal(err)
		}
	})
}

// BenchmarkSweep goes over 200 thresholds for 10,000 changes with 11 reviews each.
func BenchmarkSweep(b *testing.B) {
	blocks := syntheticBlocks(10_000, 11, 1)
	for _, people := range []string{"labelled", "unlabelled"} {
		table := tableOf(b, blocks)
		for _, rule := range []score.Rule{{Mode: score.Hard}, {Mode: score.Ramp, Low: 0.1}, {Mode: score.Calibrated, Slope: 10}} {
			b.Run(people+"/"+string(rule.Mode), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := table.sweep(context.Background(), rule); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		for _, block := range blocks {
			for i := range block.Reviews {
				block.Reviews[i].Human, block.Reviews[i].Addressed = nil, nil
			}
		}
	}
}

// BenchmarkCalibrate does all of it for 10,000 changes with 11 reviews: fits, folds,
// bootstrap, the comparison of modes, sweep.
func BenchmarkCalibrate(b *testing.B) {
	table := tableOf(b, syntheticBlocks(10_000, 11, 1))
	for _, o := range []Options{{Mode: score.Hard, Rule: Paper}, {Mode: score.Hard, Rule: F1}, {Mode: score.Calibrated}} {
		b.Run(string(o.Rule), func(b *testing.B) {
			for b.Loop() {
				if _, err := table.Calibrate(context.Background(), o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
