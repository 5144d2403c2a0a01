package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/models"
	"crscore/score"
	"crscore/sts"
)

// crossPrefix begins the name of a similarity that is a cross-encoder.
const crossPrefix = sts.SimilarityCross + ":"

// openSimilarity loads the similarity with its model, which the caller closes.
func (f *engineFlags) openSimilarity(ctx context.Context, cmd *cobra.Command, opts crscore.Options) (sts.Similarity, io.Closer, error) {
	if name, ok := strings.CutPrefix(f.similarity, crossPrefix); ok {
		return f.encoder.openCross(ctx, cmd, opts, name)
	}
	if err := f.encoder.check(cmd, opts); err != nil {
		return nil, nil, err
	}
	encoder, err := f.encoder.open(ctx, cmd)
	if err != nil {
		return nil, nil, err
	}
	name := f.similarity
	if name == "" {
		name = sts.SimilarityHybrid
		if f.encoder.encoder == models.Builtin && f.encoder.pooling == sts.PoolingPaper {
			name = sts.SimilarityPair
		}
	}
	similarity, err := sts.NewSimilarity(name, encoder)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("--similarity: %w", err), encoder.Close())
	}
	return similarity, encoder, nil
}

// openCross loads the model of --similarity cross:NAME, which takes the encoder's place.
func (f *encoderFlags) openCross(ctx context.Context, cmd *cobra.Command, opts crscore.Options,
	name string) (sts.Similarity, io.Closer, error) {
	if err := f.checkBackend(cmd); err != nil {
		return nil, nil, err
	}
	if name == "" {
		return nil, nil, fmt.Errorf("--similarity %s lacks a model: %[1]sNAME of a downloaded one, or %[1]sFOLDER", crossPrefix)
	}
	for _, flag := range []string{"encoder", "pooling"} {
		if cmd.Flags().Changed(flag) {
			return nil, nil, fmt.Errorf("--%s goes with an encoder: leave it out beside --similarity %s%s, which is a model of its own",
				flag, crossPrefix, name)
		}
	}
	if opts.Mode != score.Soft && opts.Tau == nil && opts.Profile == nil {
		mode := "the default mode"
		if opts.Mode != "" {
			mode = "mode " + string(opts.Mode)
		}
		return nil, nil, fmt.Errorf("%s has no default tau beside --similarity %s%s: give --tau or --profile, "+
			"which crscore calibrate --data FILE finds; --mode soft needs none", mode, crossPrefix, name)
	}
	m, err := models.Find(name)
	if err != nil {
		return nil, nil, fmt.Errorf("--similarity: %w", err)
	}
	c, err := sts.OpenCrossEncoder(ctx, m.Dir, f.options(m.Name))
	if err != nil {
		return nil, nil, fmt.Errorf("--similarity: %w", err)
	}
	f.noteSlow(cmd)
	return c, c, nil
}
