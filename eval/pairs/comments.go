package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"crscore/eval/bench"
	"crscore/eval/bench/match"
	"crscore/sts"
)

// reportComments prints how well the similarities tell whether two review comments say the
// same, by judges (docs/bench.md). The pair similarity was not trained on such labels.
func reportComments(ctx context.Context, out io.Writer, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	labels, err := match.ReadLabels(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	encoder, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
	if err != nil {
		return err
	}
	defer encoder.Close()
	var o match.Options
	for k := 1; k <= 40; k++ {
		o.Thetas = append(o.Thetas, float64(k)/40)
	}
	fmt.Fprintln(out, "| similarity | AUC | κ at the best threshold |\n| --- | --- | --- |")
	for _, name := range []string{sts.SimilarityHybrid, sts.SimilarityPair} {
		similarity, err := sts.NewSimilarity(name, encoder)
		if err != nil {
			return err
		}
		r, err := match.Agree(ctx, bench.STS{Similarity: similarity, Splitter: sts.Markdown{Raw: true}, Theta: bench.UnplacedTheta}, labels, o)
		if err != nil {
			return err
		}
		low, high := 1.0, 0.0
		for _, a := range r.Agreement {
			if a.AUC != nil {
				low, high = min(low, *a.AUC), max(high, *a.AUC)
			}
		}
		kappa, at := -1.0, 0.0
		for _, s := range r.Sweep {
			if s.Kappa != nil && *s.Kappa > kappa {
				kappa, at = *s.Kappa, s.Theta
			}
		}
		fmt.Fprintf(out, "| %s | %.3f–%.3f | %.3f at %.3f |\n", name, low, high, kappa, at)
	}
	return nil
}
