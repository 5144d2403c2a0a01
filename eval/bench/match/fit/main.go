// Command fit fits the weights of package match. It prints how the weights agree with judges on
// pull requests that they were not fitted on. It is run by hand, from the root of the repository:
//
//	go run ./eval/bench/match/fit --labels matches.jsonl.gz --aacr positive_samples.json.gz \
//		--out eval/bench/match/weights.json
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"crscore/eval/bench"
	"crscore/eval/bench/match"
	"crscore/eval/resample"
	"crscore/sts"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

// sample is a pair with a label.
type sample struct {
	pull     string
	pair     bench.Pair
	same     bool
	known    bool      // there is a label
	neighbor bool      // different comments on neighbouring lines
	x        []float64 // features
}

// What shapes the weights beside the data and the seed.
const (
	folds           = 8
	l2              = 0.1   // penalty of squared weights
	neighbourWeight = 16    // a labelled pair weighs 1
	wrongRate       = 0.045 // share of neighbours that theta may take for the same
)

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("fit", flag.ContinueOnError)
	labelsPath := flags.String("labels", "", "`file` of labels, as match.ReadLabels reads it")
	aacrPath := flags.String("aacr", "", "`file` of references, as bench.ReadTruth reads it")
	to := flags.String("out", "", "`file` for the weights; without it nothing is written")
	seed := flags.Uint64("seed", 1, "seed of the folds")
	if err := flags.Parse(args); err != nil {
		return err
	}
	labels, err := read(*labelsPath, match.ReadLabels)
	if err != nil {
		return fmt.Errorf("--labels: %w", err)
	}
	truth, err := read(*aacrPath, bench.ReadTruth)
	if err != nil {
		return fmt.Errorf("--aacr: %w", err)
	}
	labelled, neighbours := labelledPairs(labels), neighbouring(truth)
	samples := slices.Concat(labelled, neighbours)
	if err := describe(ctx, samples); err != nil {
		return err
	}
	fold := foldOf(samples, *seed)
	held := holdOut(samples, fold)
	w := fit(samples)
	w.Theta.Placed = placed(held, samples)
	scores, err := scoresOf(held, samples)
	if err != nil {
		return err
	}
	if w.Theta.Unplaced, err = unplaced(ctx, scores, labels); err != nil {
		return err
	}
	known := 0
	for _, s := range labelled {
		if s.known {
			known++
		}
	}
	w.Provenance = match.Provenance{
		Labels:          match.Source{Name: filepath.Base(*labelsPath), SHA256: labels.Sum, Pairs: known},
		Neighbours:      match.Source{Name: filepath.Base(*aacrPath), SHA256: truth.Sum, Pairs: len(neighbours)},
		NeighbourWeight: neighbourWeight, L2: l2, Folds: folds, Seed: *seed, WrongRate: wrongRate,
	}
	for _, j := range labels.Judged {
		if sum := match.PullSum(j.PR); !slices.Contains(w.Provenance.Pulls, sum) {
			w.Provenance.Pulls = append(w.Provenance.Pulls, sum)
		}
	}
	if err := report(ctx, out, w.Theta, fold, held, samples, scores, labels); err != nil {
		return err
	}
	if *to == "" {
		return nil
	}
	text, err := json.MarshalIndent(w, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(*to, append(text, '\n'), 0o644)
}

func read[T any](path string, parse func([]byte) (*T, error)) (*T, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// labelledPairs are all pairs of a golden comment and a candidate. Pairs that a judge did not label
// are there too, for the held-out scores; labels of several judges are several samples.
func labelledPairs(labels *match.Labels) (out []sample) {
	for _, j := range labels.Judged {
		for _, tool := range slices.Sorted(maps.Keys(j.Tools)) {
			a := j.Tools[tool]
			for g, golden := range j.Golden {
				for c, text := range a.Candidates {
					same, known := a.Label(g, c)
					pair := bench.Pair{Generated: text, Reference: golden.Text}
					out = append(out, sample{pull: j.PR, pair: pair, same: same, known: known})
				}
			}
		}
	}
	return out
}

// neighbouring are pairs of different references within one line of each other.
func neighbouring(truth *bench.File) (out []sample) {
	for _, p := range truth.Pulls {
		for i, a := range p.References {
			for _, b := range p.References[:i] {
				if a.Path == b.Path && a.Side == b.Side && a.From > 0 && b.From > 0 && max(a.From-b.To, b.From-a.To) <= 1 {
					pair := bench.Pair{Generated: sts.Written(a.Note), Reference: sts.Written(b.Note)}
					out = append(out, sample{pull: p.URL, pair: pair, known: true, neighbor: true})
				}
			}
		}
	}
	return out
}

// describe finds the features of the samples, with texts that have words on both sides.
func describe(ctx context.Context, samples []sample) error {
	var w match.Weights
	for _, name := range match.FeatureNames() {
		w.Features = append(w.Features, match.Feature{Name: name, Scale: 1})
	}
	m, err := match.New(ctx, w, 0.5, sts.EncoderOptions{})
	if err != nil {
		return err
	}
	defer m.Close()
	pairs := make([]bench.Pair, len(samples))
	for i, s := range samples {
		pairs[i] = s.pair
	}
	rows, err := m.Features(ctx, pairs)
	for i, x := range rows {
		if x == nil {
			return fmt.Errorf("%s: a text of this pair has no words: %.200q", samples[i].pull, samples[i].pair)
		}
		samples[i].x = x
	}
	return err
}

// foldOf draws the folds of pull requests by their names, for labelled pairs and for neighbours alone.
func foldOf(samples []sample, seed uint64) map[string]int {
	fold := map[string]int{}
	for _, neighbor := range []bool{false, true} {
		pulls := map[string]bool{}
		for _, s := range samples {
			if s.neighbor == neighbor {
				pulls[s.pull] = true
			}
		}
		names := slices.Sorted(maps.Keys(pulls))
		random := rand.New(rand.NewPCG(seed, 0))
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for i, name := range names {
			fold[name] = i % folds
		}
	}
	return fold
}

// holdOut returns the score of each sample by weights that were fitted without its fold.
func holdOut(samples []sample, fold map[string]int) []float64 {
	held := make([]float64, len(samples))
	for h := range folds {
		var rest []sample
		for _, s := range samples {
			if fold[s.pull] != h {
				rest = append(rest, s)
			}
		}
		w := fit(rest)
		for i, s := range samples {
			if fold[s.pull] == h {
				held[i] = w.Score(s.x)
			}
		}
	}
	return held
}

// placed is the lowest theta, in steps of .001, that takes at most wrongRate of the neighbours for the
// same.
func placed(held []float64, samples []sample) float64 {
	for k := 1; k < 1000; k++ {
		if theta := float64(k) / 1000; wrong(held, samples, theta) <= wrongRate {
			return theta
		}
	}
	return 0.999
}

// wrong is the share of neighbours whose score is theta or more.
func wrong(held []float64, samples []sample, theta float64) float64 {
	n, same := 0, 0
	for i, s := range samples {
		if s.neighbor {
			n++
			if held[i] >= theta {
				same++
			}
		}
	}
	return float64(same) / float64(max(n, 1))
}

// heldOut is a matcher that knows the held-out scores of labelled pairs.
type heldOut map[bench.Pair]bench.Verdict

// scoresOf lists the scores of the labelled pairs. A pair in two folds has none that is held out.
func scoresOf(held []float64, samples []sample) (heldOut, error) {
	out := heldOut{}
	for i, s := range samples {
		if s.neighbor {
			continue
		}
		if before, twice := out[s.pair]; twice && before.Score != held[i] {
			return nil, fmt.Errorf("%s: this pair stands in another fold too: %.200q", s.pull, s.pair)
		}
		out[s.pair] = bench.Verdict{Score: held[i]}
	}
	return out, nil
}

func (h heldOut) Match(_ context.Context, pairs []bench.Pair) ([]bench.Verdict, error) {
	out := make([]bench.Verdict, len(pairs))
	for i, p := range pairs {
		v, ok := h[p]
		if !ok {
			return nil, fmt.Errorf("no score of the pair %.200q", p)
		}
		out[i] = v
	}
	return out, nil
}

func (heldOut) Signature() string { return "matcher=held-out/2" }

// unplaced is the theta, from .02 to .5 in steps of .02, with the highest mean κ over the judges.
func unplaced(ctx context.Context, h heldOut, labels *match.Labels) (best float64, err error) {
	var o match.Options
	for k := 1; k <= 25; k++ {
		o.Thetas = append(o.Thetas, float64(2*k)/100)
	}
	o.Bootstrap.Resamples = resample.MinResamples
	r, err := match.Agree(ctx, h, labels, o)
	if err != nil {
		return 0, err
	}
	kappa := -1.0
	for _, s := range r.Sweep {
		if s.Kappa != nil && *s.Kappa > kappa {
			best, kappa = s.Theta, *s.Kappa
		}
	}
	return best, nil
}

// report prints the held-out figures: at each threshold, and with a threshold for each fold that was
// chosen without it.
func report(
	ctx context.Context, out io.Writer, theta match.Thetas, fold map[string]int,
	held []float64, samples []sample, scores heldOut, labels *match.Labels,
) error {
	chosen := make([]float64, folds)
	for k := range chosen {
		rest := &match.Labels{Judged: slices.DeleteFunc(slices.Clone(labels.Judged), func(j match.Judged) bool {
			return fold[j.PR] == k
		})}
		var err error
		if chosen[k], err = unplaced(ctx, scores, rest); err != nil {
			return err
		}
	}
	constant := func(theta float64) func(string) float64 { return func(string) float64 { return theta } }
	for _, one := range []struct {
		name  string
		theta func(pull string) float64
	}{
		{fmt.Sprintf("placed, theta %.3f", theta.Placed), constant(theta.Placed)},
		{fmt.Sprintf("unplaced, theta %.3f", theta.Unplaced), constant(theta.Unplaced)},
		{fmt.Sprintf("theta chosen without the fold %v", chosen), func(pull string) float64 { return chosen[fold[pull]] }},
	} {
		m := heldOut{}
		for _, s := range samples {
			v := scores[s.pair]
			v.Same = v.Score >= one.theta(s.pull)
			m[s.pair] = v
		}
		r, err := match.Agree(ctx, m, labels, match.Options{})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "held out, %s\n", one.name)
		for _, a := range r.Agreement {
			fmt.Fprintf(out, "  %-12s auc %s kappa %s precision %s recall %s kendall %s f1_error %s\n", a.Rater,
				show(a.AUC), show(a.Kappa), show(a.Precision), show(a.Recall), show(a.Kendall), show(a.F1Error))
		}
	}
	for _, theta := range []float64{theta.Placed, theta.Unplaced} {
		fmt.Fprintf(out, "held out: theta %.3f takes %.3f of the neighbours for the same\n", theta, wrong(held, samples, theta))
	}
	share, err := wrongSTS(ctx, samples)
	if err == nil {
		fmt.Fprintf(out, "sts: theta %.3f takes %.3f of the neighbours for the same\n", bench.DefaultTheta, share)
	}
	return err
}

// wrongSTS is the share of neighbours that the matcher by similarity takes for the same.
func wrongSTS(ctx context.Context, samples []sample) (float64, error) {
	encoder, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
	if err != nil {
		return 0, err
	}
	defer encoder.Close()
	similarity, err := sts.NewSimilarity(sts.SimilarityHybrid, encoder)
	if err != nil {
		return 0, err
	}
	m := bench.STS{Similarity: similarity, Splitter: sts.Markdown{Raw: true}, Theta: bench.DefaultTheta}
	n, same := 0, 0
	for _, s := range samples {
		if !s.neighbor {
			continue
		}
		v, err := m.Match(ctx, []bench.Pair{s.pair})
		if err != nil {
			return 0, err
		}
		if n++; v[0].Same {
			same++
		}
	}
	return float64(same) / float64(max(n, 1)), nil
}

func show(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}
