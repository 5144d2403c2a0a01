// Package reviewbot writes review comments on a change with a language model. It is the
// baseline LLM-Reviewer of DeepCRCEval (Lu et al.): a task, nine criteria of good comments as
// guidelines, an example, and the change. The prompt is our own.
//
// A bot is what crscore judges and no part of the metric: nothing that scores may import it,
// and programs that import crscore bring bots of their own. So it is internal, and not in the
// room chat, where no question comes in. Judging the comments belongs to internal/gate.
package reviewbot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"crscore/change"
	"crscore/chat"
	"crscore/chat/prompt"
	"crscore/internal/comments"
)

// Sizes in tokens. The context is the same for every call of a run, since Ollama reloads the
// model for another size.
const (
	answerTokens = 2048
	pieceTokens  = 3072 // of a change in one call, at most
	minPiece     = 256  // below it a model's context is too short
	templateRoom = 128  // for the text that a chat template adds
	windowStep   = 1024
)

// MaxPieces bounds the pieces of a change. If pieces do not fit and are cut again, twice as
// many questions are allowed.
const MaxPieces = 32

// attempts bounds the calls for one answer. Each attempt has another seed, and attempts after
// the first have at least the temperature retryTemperature: at 0 a model would repeat itself.
const (
	attempts         = 3
	retryTemperature = 0.3
)

// Options are the options of a Bot.
type Options struct {
	// Cache keeps raw answers; nil means no cache.
	Cache chat.Cache
	// Timeout is the time limit of each call; 0 means chat.DefaultTimeout.
	Timeout time.Duration
	// Seed is the seed of the first attempt; later attempts add 1.
	Seed int
	// Temperature is the temperature of the first attempt, at least 0.
	Temperature float64
}

// Bot writes reviews. It is safe for concurrent use.
type Bot struct {
	asker *chat.Asker
	opts  Options
}

// New returns a Bot. It does not call the model.
func New(m chat.Model, opts Options) (*Bot, error) {
	asker, err := chat.NewAsker(m, chat.Options{Cache: opts.Cache, Timeout: opts.Timeout})
	if err != nil {
		return nil, err
	}
	return &Bot{asker, opts}, nil
}

// Usage returns what the answers took so far.
func (b *Bot) Usage() chat.Usage { return b.asker.Usage() }

// Signature names everything that shapes a review: the model with its digest, which is
// "unknown" before the first review, the prompt, the seed and the temperature.
func (b *Bot) Signature() string {
	model := b.asker.Signature()
	return fmt.Sprintf("%s/%s/seed-%d/temperature-%v", model, PromptVersion, b.opts.Seed, b.opts.Temperature)
}

// Review is the result for a change.
type Review struct {
	// Comments are in the order of the model, piece by piece. A comment on a place that the
	// model did not see has no line, or neither path nor line.
	Comments []comments.Comment
	// Warnings are for a person.
	Warnings []string
}

// Review asks the model about a change. A piece without an answer is an error; there is no
// partial review.
func (b *Bot) Review(ctx context.Context, ch *change.Change) (Review, error) {
	if err := b.asker.Prepare(ctx); err != nil {
		return Review{}, err
	}
	window, piece, err := b.sizes()
	if err != nil {
		return Review{}, err
	}
	all, shortened := prompt.Lines(ch)
	parts := prompt.Pieces(prompt.Numbered(all), piece)
	if len(parts) > MaxPieces {
		return Review{}, fmt.Errorf("the change needs %d calls to the model, more than the limit of %d: review it in parts",
			len(parts), MaxPieces)
	}
	run := &run{Bot: b, ch: ch, window: window, left: 2 * MaxPieces, seen: make(map[comments.Comment]bool)}
	for i, p := range parts {
		if err := run.ask(ctx, p, i+1, len(parts)); err != nil {
			if len(parts) > 1 {
				err = fmt.Errorf("part %d of %d of the change: %w", i+1, len(parts), err)
			}
			return Review{}, err
		}
	}
	run.warn(shortened, fmt.Sprintf("lines of which the model saw only the first %d bytes", prompt.MaxLineBytes))
	run.warn(run.noFile, "comments on a file that the model did not see, kept without file and line")
	run.warn(run.noLine, "comments on a line that the model did not see, kept without the line")
	run.warn(run.empty, "comments without a text, dropped")
	run.warn(run.repeated, "repeated comments, dropped")
	return run.review, nil
}

// sizes returns the tokens of a call, and the tokens of a change in it.
func (b *Bot) sizes() (window, piece int, err error) {
	fixed := prompt.Tokens(system()) + prompt.Tokens(question("", MaxPieces, MaxPieces)) + templateRoom + answerTokens
	piece = pieceTokens
	window = (fixed + piece + windowStep - 1) / windowStep * windowStep
	if limit := b.asker.ContextLength(); limit > 0 && limit < window {
		window, piece = limit, limit-fixed
		if piece < minPiece {
			return 0, 0, fmt.Errorf("%w: %s has %d tokens, and %d are needed",
				chat.ErrContext, b.asker.Name(), limit, fixed+minPiece)
		}
	}
	return window, piece, nil
}

// run is the work on one change.
type run struct {
	*Bot
	ch     *change.Change
	window int // tokens of a call
	left   int // questions
	seen   map[comments.Comment]bool
	review Review

	noFile, noLine, empty, repeated int // comments
}

func (r *run) warn(n int, what string) {
	if n > 0 {
		r.review.Warnings = append(r.review.Warnings, fmt.Sprintf("%s: %d", what, n))
	}
}

// ask asks about a piece, or about its halves if the piece does not fit.
func (r *run) ask(ctx context.Context, p []prompt.Line, n, of int) error {
	if r.left--; r.left < 0 {
		return fmt.Errorf("the change needs more calls to the model than the limit of %d: review it in parts", 2*MaxPieces)
	}
	remarks, err := r.answer(ctx, question(prompt.Render(p), n, of))
	if errors.Is(err, chat.ErrContext) {
		if a, b, ok := prompt.Halve(p); ok {
			if err := r.ask(ctx, a, n, max(of, 2)); err != nil {
				return err
			}
			return r.ask(ctx, b, n, max(of, 2))
		}
	}
	if err != nil {
		return err
	}
	s := shownIn(r.ch, p)
	for _, m := range remarks {
		r.add(s.place(m))
	}
	return nil
}

// add adds a comment, which has lost a part of its place with an error, to the review.
func (r *run) add(c comments.Comment, lost error) {
	switch {
	case c.Body == "":
		r.empty++
		return
	case r.seen[c]:
		r.repeated++
		return
	case errors.Is(lost, errNoFile):
		r.noFile++
	case errors.Is(lost, errNoLine):
		r.noLine++
	}
	r.seen[c] = true
	r.review.Comments = append(r.review.Comments, c)
}

// unreadable is the error of an answer that came and cannot be read.
type unreadable struct{ error }

func (e unreadable) Unwrap() error { return e.error }

func usable(text string) error {
	if _, err := readAnswer(text); err != nil {
		return unreadable{err}
	}
	return nil
}

// answer asks, and asks again with other seeds after an answer that has no end or cannot be
// read. The cache gets only answers that can be read, in their raw form.
func (r *run) answer(ctx context.Context, text string) ([]remark, error) {
	req := chat.Request{
		System: system(), Prompt: text, Schema: schema, Temperature: r.opts.Temperature,
		NumCtx: r.window, NumPredict: answerTokens,
	}
	for try := 0; ; try++ {
		req.Seed = r.opts.Seed + try
		if try > 0 {
			req.Temperature = max(r.opts.Temperature, retryTemperature)
		}
		q := chat.Question{Kind: "review", Version: PromptVersion, Request: req, Usable: usable}
		answer, err := r.asker.Ask(ctx, q)
		switch {
		case err == nil:
			return readAnswer(answer)
		case !errors.As(err, new(unreadable)) && !errors.Is(err, chat.ErrIncomplete):
			return nil, err
		case try == attempts-1:
			return nil, fmt.Errorf("%s gave no answer that can be used in %d attempts; the last: %w",
				r.asker.Name(), attempts, err)
		}
	}
}
