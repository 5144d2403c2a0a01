package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"crscore"
	"crscore/internal/models"
	"crscore/score"
	"crscore/sts"
)

// Encoder chooses the encoder, and how models are opened.
// Its name is that of a downloaded model, or a folder; empty means the built-in one.
type Encoder struct{ sts.EncoderOptions }

// Builtin reports whether it is the built-in one.
func (e *Encoder) Builtin() bool { return cmp.Or(e.Name, models.Builtin) == models.Builtin }

// CheckBackend refuses settings that do not fit together, whatever the model is.
func (e *Encoder) CheckBackend() error {
	if e.Library != "" && e.Backend != sts.BackendORT {
		return errors.New("--ort-library needs --backend ort")
	}
	return nil
}

// Check refuses settings that the encoder does not fit, before it is loaded for seconds.
func (e *Encoder) Check() error {
	if err := e.CheckBackend(); err != nil {
		return err
	}
	if e.File != "" && e.Builtin() {
		return errors.New("--encoder-file needs --encoder: the built-in model has one file")
	}
	return nil
}

// Open loads the encoder.
func (e *Encoder) Open(ctx context.Context, log Log) (*sts.ModelEncoder, error) {
	var m models.Model
	var err error
	if !e.Builtin() {
		if m, err = models.Find(e.Name); err != nil {
			return nil, fmt.Errorf("--encoder: %w", err)
		}
	}
	encoder, err := e.Load(ctx, m.Dir, m.Name)
	if err != nil {
		return nil, fmt.Errorf("--encoder: %w", err)
	}
	for _, note := range encoder.Notes() {
		log.Warn(note)
	}
	if !encoder.Static() {
		e.noteSlow(log)
	}
	return encoder, nil
}

// Load loads the encoder in a folder, the built-in one for none. A folder without a name is called
// as it is.
func (e *Encoder) Load(ctx context.Context, dir, name string) (*sts.ModelEncoder, error) {
	opts := e.EncoderOptions
	opts.Name = name
	if dir == "" {
		return sts.NewBuiltin(ctx, opts)
	}
	return sts.OpenEncoder(ctx, dir, opts)
}

// OpenCross loads the cross-encoder in a folder.
func (e *Encoder) OpenCross(ctx context.Context, dir, name string) (*sts.CrossEncoder, error) {
	opts := e.EncoderOptions
	opts.Name, opts.Pooling = name, "" // it has none
	return sts.OpenCrossEncoder(ctx, dir, opts)
}

// noteSlow says, for a transformer, that another build would be faster.
func (e *Encoder) noteSlow(log Log) {
	if cmp.Or(e.Backend, sts.BackendGo) == sts.BackendGo && runtime.GOARCH == "amd64" && !sts.SIMD() {
		log.Note("this build has no vector instructions, with which the model would run several times faster: build with make build (GOEXPERIMENT=simd)")
	}
}

// CrossPrefix begins the name of a similarity that is a cross-encoder.
const CrossPrefix = sts.SimilarityCross + ":"

// openSimilarity loads the similarity with its model, which the caller closes.
func (s *Settings) openSimilarity(ctx context.Context, opts crscore.Options, log Log) (sts.Similarity, io.Closer, error) {
	lacksTau := opts.Mode != score.Soft && opts.Tau == nil && opts.Profile == nil
	if name, ok := strings.CutPrefix(s.Similarity, CrossPrefix); ok {
		return s.openCross(ctx, name, lacksTau, opts.Mode, log)
	}
	if err := s.Encoder.Check(); err != nil {
		return nil, nil, err
	}
	if !s.Encoder.Builtin() && lacksTau {
		return nil, nil, fmt.Errorf("--encoder %s needs --tau or --profile: there is no default threshold but the built-in model's; "+
			"the paper's for mixedbread-ai/mxbai-embed-large-v1 is 0.7314 (with --mode hard --similarity cosine --splitter paper), and crscore calibrate --data FILE finds one for any model; "+
			"--mode soft needs none", s.Encoder.Name)
	}
	encoder, err := s.Encoder.Open(ctx, log)
	if err != nil {
		return nil, nil, err
	}
	name := s.Similarity
	if name == "" {
		name = sts.SimilarityHybrid
		if s.Encoder.Builtin() && cmp.Or(s.Encoder.Pooling, sts.PoolingPaper) == sts.PoolingPaper {
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
func (s *Settings) openCross(ctx context.Context, name string, lacksTau bool, mode score.Mode, log Log) (sts.Similarity, io.Closer, error) {
	if err := s.Encoder.CheckBackend(); err != nil {
		return nil, nil, err
	}
	beside := ""
	switch {
	case name == "":
		return nil, nil, fmt.Errorf("--similarity %s lacks a model: %[1]sNAME of a downloaded one, or %[1]sFOLDER", CrossPrefix)
	case s.Encoder.Name != "":
		beside = "encoder"
	case s.Encoder.Pooling != "":
		beside = "pooling"
	}
	if beside != "" {
		return nil, nil, fmt.Errorf("--%s goes with an encoder: leave it out beside --similarity %s, which is a model of its own", beside, s.Similarity)
	}
	if lacksTau {
		what := "the default mode"
		if mode != "" {
			what = "mode " + string(mode)
		}
		return nil, nil, fmt.Errorf("%s has no default tau beside --similarity %s: give --tau or --profile, "+
			"which crscore calibrate --data FILE finds; --mode soft needs none", what, s.Similarity)
	}
	m, err := models.Find(name)
	if err != nil {
		return nil, nil, fmt.Errorf("--similarity: %w", err)
	}
	c, err := s.Encoder.OpenCross(ctx, m.Dir, m.Name)
	if err != nil {
		return nil, nil, fmt.Errorf("--similarity: %w", err)
	}
	s.Encoder.noteSlow(log)
	return c, c, nil
}
