package llm

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"crscore/change"
	"crscore/pseudoref"
)

// Sizes in tokens. The context is the same for every call of a run, since Ollama reloads
// the model for another size. It has room for the prompt of every piece.
const (
	answerTokens = 2048
	pieceTokens  = 3072 // of a change in one call, at most
	minPiece     = 256  // below it a model's context is too short
	templateRoom = 128  // for the text that a chat template adds
	windowStep   = 1024
)

// MaxPieces bounds the pieces of a change. If pieces do not fit and are cut again, twice
// as many calls are allowed.
const MaxPieces = 32

// seed is the seed of every call. It hardly matters at temperature 0.
const seed = 7

// maxParallel bounds the calls at a time. A server answers few calls at once, and a call
// should not reach its deadline in the server's queue.
const maxParallel = 4

// DefaultTimeout is the default of Options.Timeout.
const DefaultTimeout = 5 * time.Minute

// describeTimeout is the time limit of calls that describe a model. A server that hangs
// must not cost each change the time of an answer.
const describeTimeout = 30 * time.Second

// Options are the options of a Claimer.
type Options struct {
	Format Format // empty means JSON
	// Cache keeps raw answers; nil means no cache.
	Cache Cache
	// Timeout is the time limit of each call; 0 means DefaultTimeout.
	Timeout time.Duration
}

// Claimer makes claims with a model. It is safe for concurrent use. Equal questions at the
// same time are asked once.
type Claimer struct {
	model   Model
	opts    Options
	flights flights
	slots   chan struct{}
	pause   pauser

	mu     sync.Mutex
	known  bool
	digest string
	window int // tokens of a call
	piece  int // tokens of a change in it
}

// New returns a Claimer. It does not call the model.
func New(m Model, opts Options) (*Claimer, error) {
	if opts.Format == "" {
		opts.Format = JSON
	}
	if _, err := ParseFormat(string(opts.Format)); err != nil {
		return nil, err
	}
	if opts.Timeout < 0 {
		return nil, fmt.Errorf("the time limit of a call to a model is %s: want more than 0", opts.Timeout)
	}
	if opts.Timeout == 0 {
		opts.Timeout = DefaultTimeout
	}
	return &Claimer{model: m, opts: opts, slots: make(chan struct{}, maxParallel), pause: sleep}, nil
}

// Prepare asks the server once for the model's digest and context, which the signature and
// the size of pieces depend on. After a failure the next call tries again.
func (c *Claimer) Prepare(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		return nil
	}
	var digest string
	limit := 0
	err := retry(ctx, c.pause, func() error {
		return within(ctx, min(c.opts.Timeout, describeTimeout), func(ctx context.Context) (err error) {
			if digest, err = c.model.Digest(ctx); err != nil {
				return err
			}
			if m, ok := c.model.(interface {
				ContextLength(context.Context) (int, error)
			}); ok {
				limit, err = m.ContextLength(ctx)
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	fixed := tokens(system(c.opts.Format)) + tokens(question("", MaxPieces, MaxPieces)) + templateRoom + answerTokens
	c.piece = pieceTokens
	c.window = (fixed + c.piece + windowStep - 1) / windowStep * windowStep
	if limit > 0 && limit < c.window {
		c.window, c.piece = limit, limit-fixed
		if c.piece < minPiece {
			return fmt.Errorf("%w: %s has %d tokens, and %d are needed", ErrContext, c.model.Name(), limit, fixed+minPiece)
		}
	}
	c.digest, c.known = digest, true
	return nil
}

// Signature names everything that shapes the claims: the model with its digest, the
// prompt, the format and the check. The digest is "unknown" before Prepare, and if the
// server does not have it.
func (c *Claimer) Signature() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	digest := strings.TrimPrefix(c.digest, "sha256:")
	if digest == "" {
		digest = "unknown"
	}
	return fmt.Sprintf("%s@%s/%s/%s/%s", c.model.Name(), cut(digest, 12), PromptVersion, c.opts.Format, CheckVersion)
}

// Found is the result for a change.
type Found struct {
	// Refs are the claims that passed the check, Warnings are for a person.
	Refs []pseudoref.Ref
	// Dropped are the claims that failed the check.
	Dropped  []pseudoref.Dropped
	Warnings []string
}

// Claims asks the model about a change and checks the answers. A piece without an answer
// is an error; there is no partial result.
func (c *Claimer) Claims(ctx context.Context, ch *change.Change) (Found, error) {
	if err := c.Prepare(ctx); err != nil {
		return Found{}, err
	}
	all, shortened := units(ch)
	parts := pieces(all, c.piece)
	if len(parts) > MaxPieces {
		return Found{}, fmt.Errorf("the change needs %d calls to the model, more than the limit of %d", len(parts), MaxPieces)
	}
	run := &run{Claimer: c, left: 2 * MaxPieces}
	for i, p := range parts {
		if err := run.ask(ctx, p, i+1, len(parts)); err != nil {
			if len(parts) > 1 {
				err = fmt.Errorf("part %d of %d of the change: %w", i+1, len(parts), err)
			}
			return Found{}, err
		}
	}
	for i := range run.found.Refs {
		run.found.Refs[i].Source = c.model.Name()
	}
	if shortened > 0 {
		run.found.Warnings = append(run.found.Warnings, fmt.Sprintf("lines of which %s saw only the first %d bytes: %d", c.model.Name(), maxLineBytes, shortened))
	}
	kept, dropped := Check(ch, run.found.Refs)
	run.found.Refs, run.found.Dropped = kept, dropped
	return run.found, nil
}

// run is the work on one change.
type run struct {
	*Claimer
	left  int // calls
	found Found
}

// ask asks about a piece, or about its halves if the piece does not fit.
func (r *run) ask(ctx context.Context, p []unit, n, of int) error {
	if r.left--; r.left < 0 {
		return fmt.Errorf("the change needs more calls to the model than the limit of %d", 2*MaxPieces)
	}
	refs, err := r.answer(ctx, Request{
		System: system(r.opts.Format), Prompt: question(render(p), n, of), Schema: r.schema(),
		Seed: seed, NumCtx: r.window, NumPredict: answerTokens,
	})
	if errors.Is(err, ErrContext) {
		if a, b, ok := halve(p); ok {
			if err := r.ask(ctx, a, n, max(of, 2)); err != nil {
				return err
			}
			return r.ask(ctx, b, n, max(of, 2))
		}
	}
	if err != nil {
		return err
	}
	r.found.Refs = append(r.found.Refs, refs...)
	return nil
}

func (c *Claimer) schema() json.RawMessage {
	if c.opts.Format == Prose {
		return nil
	}
	return schema
}

// answer takes an answer from the cache or the model. The cache gets only answers that can
// be read, in their raw form.
func (c *Claimer) answer(ctx context.Context, req Request) ([]pseudoref.Ref, error) {
	key, err := c.key(req)
	if err != nil {
		return nil, err
	}
	text, err := c.flights.do(ctx, key, func(ctx context.Context) (string, error) {
		if c.opts.Cache != nil {
			if b, ok, err := c.opts.Cache.Get(ctx, key); err == nil && ok {
				if _, err := readAnswer(string(b), c.opts.Format); err == nil {
					return string(b), nil
				}
			}
		}
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return "", ctx.Err()
		}
		resp, err := generate(ctx, c.model, req, c.opts.Timeout, c.pause)
		if err != nil {
			return "", err
		}
		if _, err := readAnswer(resp.Text, c.opts.Format); err != nil {
			return "", err
		}
		if c.opts.Cache != nil {
			// The answer is worth keeping even if the caller gave up. An error means
			// that it will be asked for again; the store reports the cause itself.
			_ = c.opts.Cache.Put(context.WithoutCancel(ctx), key, []byte(resp.Text))
		}
		return resp.Text, nil
	})
	if err != nil {
		return nil, err
	}
	return readAnswer(text, c.opts.Format)
}

// key is the cache's key: everything that shapes an answer.
func (c *Claimer) key(req Request) (string, error) {
	b, err := c.identity(req)
	if err != nil {
		return "", fmt.Errorf("making the key of an answer: %w", err)
	}
	return fmt.Sprintf("claims/%x", sha256.Sum256(b)), nil
}

// identity is the model and its digest, the prompt with the change in it, its
// version, and the options.
func (c *Claimer) identity(req Request) ([]byte, error) {
	return json.Marshal(struct {
		Model, Digest, Version string
		Request
	}{c.model.Name(), c.digest, PromptVersion, req})
}
