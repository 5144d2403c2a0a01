// Package match judges by meaning whether two comments of a code review express the same concern.
//
// Matchers that need a model or a training of their own stand here, with the labels that they are
// trained on and held against. What a benchmark is, and the rules of its counts, belong to package
// bench; flags and pages belong to the command.
package match

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"crscore/eval/bench"
	"crscore/sts"
	"crscore/sts/builtin"
)

//go:embed weights.json
var shipped []byte

// Weights are a logistic regression: of features x the score is
//
//	1 / (1 + exp(-(bias + Σ weight · (x - mean) / scale)))
type Weights struct {
	// Features are in the order of FeatureNames.
	Features []Feature `json:"features"`
	// Bias is the logit of a pair whose features are their means.
	Bias float64 `json:"bias"`
	// Theta has the scores from which texts are the same.
	Theta Thetas `json:"theta"`
	// Provenance tells how the weights were fitted.
	Provenance Provenance `json:"provenance"`
}

// Thetas are thresholds, each in (0,1), that were chosen with held-out scores. Different comments on
// the same lines share names and subject, so that pairs whose places were compared need a higher one.
type Thetas struct {
	// Placed is for pairs whose places meet: the lowest that takes at most Provenance.WrongRate of
	// the neighbours for the same.
	Placed float64 `json:"placed"`
	// Unplaced is for pairs whose places are not known: the one with the highest mean κ over the
	// judges of the labels.
	Unplaced float64 `json:"unplaced"`
}

// Feature is a number that describes a pair of texts, and what it is worth.
type Feature struct {
	Name string `json:"name"` // as in FeatureNames
	// Mean and Scale, the standard deviation, are of the pairs that the weights were fitted on.
	Mean  float64 `json:"mean"`
	Scale float64 `json:"scale"` // > 0
	// Weight is what a standard deviation adds to the logit.
	Weight float64 `json:"weight"`
}

// Provenance names data by checksums of the unpacked files.
type Provenance struct {
	// Labels are pairs that judges labelled.
	Labels Source `json:"labels"`
	// Neighbours are pairs of different comments on neighbouring lines.
	Neighbours Source `json:"neighbours"`
	// NeighbourWeight is what a neighbour weighs, where a labelled pair weighs 1.
	NeighbourWeight float64 `json:"neighbour_weight"`
	L2              float64 `json:"l2"` // penalty of squared weights
	// Folds of pull requests, drawn with Seed, gave the held-out scores that Theta comes from.
	Folds     int     `json:"folds"`
	Seed      uint64  `json:"seed"`
	WrongRate float64 `json:"wrong_rate"`
	// Pulls are the pull requests of the labels, as PullSum names them.
	Pulls []string `json:"pulls"`
}

// PullSum is the start of the SHA-256 of a pull request's name, in hexadecimal.
func PullSum(name string) string { return fmt.Sprintf("%.6x", sha256.Sum256([]byte(name))) }

// Source is a file of pairs.
type Source struct {
	Name   string `json:"name"`   // without its folder
	SHA256 string `json:"sha256"` // in hexadecimal
	Pairs  int    `json:"pairs"`  // that weights were fitted on
}

// Score is in (0,1). x must have the features' number and order.
func (w *Weights) Score(x []float64) float64 {
	z := w.Bias
	for i, f := range w.Features {
		z += f.Weight * (x[i] - f.Mean) / f.Scale
	}
	return 1 / (1 + math.Exp(-z))
}

// check reports weights that do not fit the features.
func (w *Weights) check() error {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	var names []string
	for _, f := range w.Features {
		names = append(names, f.Name)
		if !finite(f.Mean) || !finite(f.Scale) || !finite(f.Weight) || f.Scale <= 0 {
			return fmt.Errorf("feature %q: mean, scale and weight must be finite, and scale above 0", f.Name)
		}
	}
	switch {
	case !slices.Equal(names, FeatureNames()):
		return fmt.Errorf("features are %q, not %q: fit again", names, FeatureNames())
	case !finite(w.Bias):
		return errors.New("bias must be finite")
	}
	return nil
}

// Learned returns the weights that are part of the binary.
func Learned() (Weights, error) {
	var w Weights
	dec := json.NewDecoder(bytes.NewReader(shipped))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return Weights{}, fmt.Errorf("reading the weights: %w", err)
	}
	return w, nil
}

// Matcher judges pairs by a logistic regression over features of both texts, with the vectors of
// the built-in encoder. It asks no network. It cuts blocks of code;
// then it reads the first limits.GoldenBytes bytes and the first limits.GoldenWords distinct words of a text. A text
// without words has the score 0.
//
// A Matcher is safe for concurrent use. The time of a pair grows with the product of the numbers
// of words.
type Matcher struct {
	weights   Weights
	theta     float64
	signature string

	encoder  *sts.ModelEncoder
	lexicon  *sts.Lexicon
	prepare  func(string) string
	splitter sts.Splitter
	stop     sts.StopWords
	concerns map[string][]int // by stem
}

// New makes a matcher with weights, such as Learned returns them. Texts are the same from theta on,
// such as one of w.Theta, in [0,1]. Close releases its encoder.
func New(ctx context.Context, w Weights, theta float64, opts sts.EncoderOptions) (*Matcher, error) {
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("weights of the matcher: %w", err)
	}
	if !(theta >= 0 && theta <= 1) {
		return nil, fmt.Errorf("theta is %v, but must be from 0 to 1", theta)
	}
	m := &Matcher{weights: w, theta: theta, splitter: sts.Markdown{Raw: true}, stop: sts.NewStopWords(), concerns: map[string][]int{}}
	for k, stems := range concerns() {
		for _, s := range strings.Fields(stems) {
			m.concerns[s] = append(m.concerns[s], k)
		}
	}
	text, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("weights of the matcher: %w", err)
	}
	if m.lexicon, err = sts.ParseLexicon(builtin.Words()); err != nil {
		return nil, fmt.Errorf("reading the built-in table of words: %w", err)
	}
	if m.prepare, err = sts.TextPreparation(sts.TextCodeStems); err != nil {
		return nil, err
	}
	if m.encoder, err = sts.NewBuiltin(ctx, opts); err != nil {
		return nil, err
	}
	m.signature = fmt.Sprintf("matcher=pair/2 theta=%v weights=sha256:%.12x %s %s splitter=%s",
		theta, sha256.Sum256(text), m.encoder.Signature(), m.lexicon.Signature(), m.splitter.Signature())
	return m, nil
}

// Close releases the encoder.
func (m *Matcher) Close() error { return m.encoder.Close() }

// Signature implements bench.Matcher.
func (m *Matcher) Signature() string { return m.signature }

// Match implements bench.Matcher. Each distinct text is analysed once.
func (m *Matcher) Match(ctx context.Context, pairs []bench.Pair) ([]bench.Verdict, error) {
	rows, err := m.Features(ctx, pairs)
	if err != nil {
		return nil, err
	}
	out := make([]bench.Verdict, len(rows))
	for i, x := range rows {
		if x != nil {
			s := m.weights.Score(x)
			out[i] = bench.Verdict{Score: s, Same: s >= m.theta}
		}
	}
	return out, nil
}

// Features returns the features of each pair, in the order of Weights.Features; nil where a text
// has no words.
func (m *Matcher) Features(ctx context.Context, pairs []bench.Pair) ([][]float64, error) {
	var texts []string
	at := map[string]int{}
	for _, p := range pairs {
		for _, text := range [2]string{p.Generated, p.Reference} {
			if _, known := at[text]; !known {
				at[text] = len(texts)
				texts = append(texts, text)
			}
		}
	}
	all, words, err := m.analyse(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(pairs))
	var group errgroup.Group
	workers := min(runtime.GOMAXPROCS(0), len(pairs))
	for k := range workers {
		group.Go(func() error {
			for i := k; i < len(pairs); i += workers {
				if err := ctx.Err(); err != nil {
					return err
				}
				g, r := &all[at[pairs[i].Generated]], &all[at[pairs[i].Reference]]
				if g.length > 0 && r.length > 0 {
					out[i] = words.features(g, r)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}
