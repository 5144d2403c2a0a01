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
	theta := flags.Float64("theta", 0, "show the agreement at this threshold too")
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
	held := holdOut(samples, *seed)
	w := fit(samples)
	w.Theta = threshold(held, samples)
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
	for _, theta := range []float64{w.Theta, *theta} {
		if theta > 0 {
			if err := report(ctx, out, held, samples, labels, theta); err != nil {
				return err
			}
		}
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
					pair := bench.Pair{Generated: a.Note, Reference: b.Note}
					out = append(out, sample{pull: p.URL, pair: pair, known: true, neighbor: true})
				}
			}
		}
	}
	return out
}

// describe finds the features of the samples, with texts that have words on both sides.
func describe(ctx context.Context, samples []sample) error {
	w := match.Weights{Theta: 0.5}
	for _, name := range match.FeatureNames() {
		w.Features = append(w.Features, match.Feature{Name: name, Scale: 1})
	}
	m, err := match.New(ctx, w, sts.EncoderOptions{})
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

// holdOut returns the score of each sample by weights that were fitted without its fold. The pull
// requests of a fold are drawn by their names, for labelled pairs and for neighbours alone.
func holdOut(samples []sample, seed uint64) []float64 {
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

// threshold is the lowest theta, in steps of .001, that takes at most wrongRate of the neighbours
// for the same.
func threshold(held []float64, samples []sample) float64 {
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

// heldOut is a matcher that knows the held-out scores.
type heldOut struct {
	score map[bench.Pair]float64
	theta float64
}

func (h heldOut) Match(_ context.Context, pairs []bench.Pair) ([]bench.Verdict, error) {
	out := make([]bench.Verdict, len(pairs))
	for i, p := range pairs {
		s, ok := h.score[p]
		if !ok {
			return nil, fmt.Errorf("no score of the pair %.200q", p)
		}
		out[i] = bench.Verdict{Score: s, Same: s >= h.theta}
	}
	return out, nil
}

func (h heldOut) Signature() string { return fmt.Sprintf("matcher=held-out/1 theta=%v", h.theta) }

// report prints the held-out figures.
func report(
	ctx context.Context, out io.Writer, held []float64, samples []sample, labels *match.Labels, theta float64,
) error {
	m := heldOut{score: map[bench.Pair]float64{}, theta: theta}
	for i, s := range samples {
		if s.neighbor {
			continue
		}
		if before, twice := m.score[s.pair]; twice && before != held[i] {
			return fmt.Errorf("%s: this pair stands in another fold too: %.200q", s.pull, s.pair)
		}
		m.score[s.pair] = held[i]
	}
	all, err := match.Agree(ctx, m, labels)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "held out: theta %.3f, wrong among neighbours %.3f\n", theta, wrong(held, samples, theta))
	for _, a := range all {
		fmt.Fprintf(out, "  %-12s auc %.3f kappa %.3f recall %.3f precision %.3f kendall %.3f f1_error %.3f\n",
			a.Rater, a.AUC, a.Kappa, a.Recall, a.Precision, a.Kendall, a.F1Error)
	}
	return nil
}
