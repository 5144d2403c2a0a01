package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore/chat"
	"crscore/eval/bench"
	"crscore/eval/bench/match"
	"crscore/internal/spelling"
	"crscore/internal/terminal"
	"crscore/sts"
)

// matcherFlags choose what judges whether two comments mean the same.
type matcherFlags struct {
	theta  float64
	fixed  bool     // --theta is given
	asking askFlags // its model is the name of the matcher
}

// matchers are the values of --matcher that are no models.
func matchers() []string { return []string{"pair", "sts", "lines"} }

// add adds the flags; places tells that places are compared, which is enough for the matcher lines.
func (f *matcherFlags) add(cmd *cobra.Command, places bool) {
	fl := cmd.Flags()
	fl.StringVar(&f.asking.model, "matcher", "pair", "what compares meanings: pair (learned), sts (similarity of sentences), "+
		spelling.Either(places, "lines (nothing: places alone), ", "")+"ollama:`MODEL` or openai:MODEL")
	fl.Float64Var(&f.theta, "theta", 0, "least score of texts that mean the same, from 0 to 1, for pair and sts (default: calibrated)")
	f.asking.calls(cmd, "matcher")
	complete(cmd, "matcher", append(matchers(), "ollama:", "openai:")...)
}

// model reports whether the matcher asks a language model.
func (f *matcherFlags) model() bool { return strings.Contains(f.asking.model, ":") }

func (f *matcherFlags) check(cmd *cobra.Command) error {
	f.fixed = cmd.Flags().Changed("theta")
	switch {
	case !f.model() && !slices.Contains(matchers(), f.asking.model):
		return fmt.Errorf("unknown --matcher %q: choose %s, ollama:MODEL or openai:MODEL", f.asking.model, strings.Join(matchers(), ", "))
	case !(f.theta >= 0 && f.theta <= 1):
		return fmt.Errorf("--theta is %v, but must be from 0 to 1", f.theta)
	case f.fixed && (f.model() || f.asking.model == "lines"):
		return fmt.Errorf("--matcher %s has no threshold: leave --theta out", f.asking.model)
	}
	if !f.model() && cmd.Flags().Changed(callsFlag) {
		return fmt.Errorf("--%s is for a model as the matcher, and --matcher is %s", callsFlag, f.asking.model)
	}
	if f.model() { // before files are read
		if _, err := chat.Open(f.asking.model); err != nil {
			return fmt.Errorf("--matcher: %w", err)
		}
	}
	return f.asking.check(cmd)
}

// thresholds are calibrated: for pairs whose places were compared, and for others.
func (f *matcherFlags) thresholds() (match.Thetas, error) {
	switch f.asking.model {
	case "pair":
		w, err := match.Learned()
		return w.Theta, err
	case "sts":
		return match.Thetas{Placed: bench.DefaultTheta, Unplaced: bench.UnplacedTheta}, nil
	}
	return match.Thetas{}, nil
}

// open makes the matcher with --theta, or else with the threshold of its own that choose takes, and
// returns what ends it.
func (f *matcherFlags) open(cmd *cobra.Command, choose func(match.Thetas) float64) (bench.Matcher, func() error, error) {
	own, err := f.thresholds()
	if err != nil {
		return nil, nil, err
	}
	theta := choose(own)
	if f.fixed {
		theta = f.theta
	}
	switch f.asking.model {
	case "lines":
		return bench.Lines{}, func() error { return nil }, nil
	case "pair":
		w, err := match.Learned()
		if err != nil {
			return nil, nil, err
		}
		m, err := match.New(cmd.Context(), w, theta, sts.EncoderOptions{})
		if err != nil {
			return nil, nil, err
		}
		return m, m.Close, nil
	case "sts":
		return openSTS(cmd.Context(), theta)
	}
	model, end, err := f.asking.open(cmd)
	if err != nil {
		return nil, nil, err
	}
	m, err := match.NewModel(cmd.Context(), model, f.asking.Options)
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return m, func() error {
		f.asking.tell(terminal.LogOf(cmd), f.asking.model, m.Usage())
		return end()
	}, nil
}

func openSTS(ctx context.Context, theta float64) (bench.Matcher, func() error, error) {
	encoder, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
	if err != nil {
		return nil, nil, err
	}
	similarity, err := sts.NewSimilarity(sts.SimilarityHybrid, encoder)
	if err != nil {
		return nil, nil, errors.Join(err, encoder.Close())
	}
	return bench.STS{Similarity: similarity, Splitter: sts.Markdown{Raw: true}, Theta: theta}, encoder.Close, nil
}
