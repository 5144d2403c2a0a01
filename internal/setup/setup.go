// Package setup opens the engine of settings, with the models, programs, files and the cache that
// they name. Its errors call a setting by the flag of crscore score.
package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"crscore"
	"crscore/internal/config"
	"crscore/internal/limits"
	"crscore/internal/stdio"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/sts"
)

// Settings choose an engine. The zero value is the default engine: what is empty or nil was not
// given. They can be sent as JSON.
type Settings struct {
	// Claims and Smells are lists of sources, joined by commas. Empty ones are those of Config, else
	// symbolic and builtin.
	Claims, Smells string
	// MaxClaims bounds the symbolic claims of a change.
	MaxClaims *int
	// Model shapes the claims of a language model.
	Model Model
	// NoCache neither uses nor keeps the answers of models and analyzers.
	NoCache bool
	// Findings are files with the findings of other tools.
	Findings []string
	// Tools say where analyzers are.
	Tools Tools
	// Config are the settings of the user's and the project's files.
	Config config.Config
	// Encoder is the model behind Similarity, which may be cross:MODEL instead.
	Encoder    Encoder
	Similarity string
	// Splitter cuts reviews into sentences. Raw keeps what review bots add.
	Splitter string
	Raw      bool
	// The scoring rule: these, or Profile.
	Mode            *string
	Tau, Low, Slope *float64
	Comp, Weights   string
	Profile         Profile
	// Unruled has an engine make similarities that no rule scores.
	Unruled bool
	// Compat is a program whose behaviour to reproduce.
	Compat string
	// Workers is the number of changes at a time.
	Workers int
}

// Log gets what a person should know. Started may be nil.
type Log struct {
	// Note gets remarks, and Warn what may change the numbers.
	Note, Warn func(msg string)
	// Panicked gets the bugs that left a change without references.
	Panicked func(*pseudoref.Panic)
	// Started gets the start of an analyzer with the number of its files.
	Started func(tool string, files int)
}

// Open opens the engine, which the caller closes.
func Open(ctx context.Context, s Settings, log Log) (_ *crscore.Engine, err error) {
	opts, err := s.Sources(ctx, log)
	if err != nil {
		return nil, err
	}
	open := Closers{opts.Closer}
	defer func() {
		if err != nil {
			err = errors.Join(err, open.Close())
		}
	}()
	if err := s.rule(ctx, &opts); err != nil {
		return nil, err
	}
	if opts.Splitter, err = sts.NewSplitter(cmp.Or(s.Splitter, "markdown"), s.Raw); err != nil {
		return nil, fmt.Errorf("--splitter: %w", err)
	}
	if opts.Compat, err = crscore.ParseCompat(s.Compat); err != nil {
		return nil, fmt.Errorf("--compat: %w", err)
	}
	if opts.Compat != "" && s.Similarity != sts.SimilarityCosine {
		return nil, fmt.Errorf("--compat %s needs --similarity %s, the paper's", opts.Compat, sts.SimilarityCosine)
	}
	if s.Workers < 0 || s.Workers > 1024 {
		return nil, fmt.Errorf("--workers is %d, but must be from 1 to 1024", s.Workers)
	}
	opts.Workers = s.Workers
	similarity, model, err := s.openSimilarity(ctx, opts, log)
	if err != nil {
		return nil, err
	}
	opts.Similarity, opts.Closer = similarity, append(open, model)
	open = nil // New closes them when it fails
	e, err := crscore.New(ctx, opts)
	if err != nil {
		return nil, err
	}
	for _, warning := range e.Warnings() {
		log.Warn(warning)
	}
	return e, nil
}

// Closers are closed together. Some may be nil.
type Closers []io.Closer

// Close closes all.
func (c Closers) Close() error {
	var errs []error
	for _, one := range c {
		if one != nil {
			errs = append(errs, one.Close())
		}
	}
	return errors.Join(errs...)
}

// rule sets the options of the scoring rule. The engine has the defaults of empty ones.
func (s *Settings) rule(ctx context.Context, opts *crscore.Options) (err error) {
	if s.Unruled {
		opts.Mode = score.Soft // needs no threshold
		return nil
	}
	if s.Mode != nil {
		if opts.Mode, err = score.ParseMode(*s.Mode); err != nil {
			return fmt.Errorf("--mode: %w", err)
		}
	}
	opts.Tau, opts.Low, opts.Slope = s.Tau, s.Low, s.Slope
	if s.Comp != "" {
		if opts.Comp, err = score.ParseCoverage(s.Comp); err != nil {
			return fmt.Errorf("--comp: %w", err)
		}
	}
	if opts.Weights, err = score.ParseWeights(s.Weights); err != nil {
		return fmt.Errorf("--weights: %w", err)
	}
	opts.Profile, err = s.Profile.Parse(ctx)
	return err
}

// Profile is a file with a scoring rule.
type Profile struct {
	// File is its name, empty for no profile. Text is the content, once it has been read.
	File string
	Text []byte
}

// Read reads the file, where there is one.
func (p *Profile) Read(ctx context.Context) (err error) {
	if p.File != "" && p.Text == nil {
		if p.Text, err = stdio.Empty(ctx).ReadFile(p.File, limits.ProfileBytes); err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
	}
	return nil
}

// Parse returns the profile, nil for none.
func (p Profile) Parse(ctx context.Context) (*score.Profile, error) {
	if err := p.Read(ctx); err != nil || p.File == "" {
		return nil, err
	}
	parsed, err := score.ParseProfile(p.Text)
	if err != nil {
		return nil, fmt.Errorf("--profile %s: %w", p.File, err)
	}
	return &parsed, nil
}
