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

	"crscore/change"
	"crscore/chat"
	"crscore/chat/prompt"
	"crscore/internal/comments"
	"crscore/internal/limits"
)

// Options are the options of a Bot.
type Options struct {
	// Asking are the options of the calls. A change's pieces are asked about in turn.
	Asking chat.Options
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
	asker, err := chat.NewAsker(m, opts.Asking)
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
	window, piece, err := b.asker.Window(prompt.Tokens(system()) + prompt.Tokens(question("", limits.ChangePieces, limits.ChangePieces)))
	if err != nil {
		return Review{}, err
	}
	all, shortened := prompt.Lines(ch)
	run := &run{Bot: b, ch: ch, window: window, seen: make(map[comments.Comment]bool)}
	err = chat.InPieces(ctx, prompt.Numbered(all), piece, run.ask)
	if errors.Is(err, chat.ErrTooLong) {
		err = fmt.Errorf("%w: review it in parts", err)
	}
	if err != nil {
		return Review{}, err
	}
	run.warn(shortened, fmt.Sprintf("lines of which the model saw only the first %d bytes", limits.PromptLine))
	run.warn(run.noFile, "comments on a file that the model did not see, kept without file and line")
	run.warn(run.noLine, "comments on a line that the model did not see, kept without the line")
	run.warn(run.mended, "comments in another form than was asked for, mended")
	run.warn(run.left, "comments that cannot be read, left out")
	run.warn(run.thought, "answers that stood among the model's thoughts (reasoning_content)")
	run.warn(run.empty, "comments without a text, dropped")
	run.warn(run.repeated, "repeated comments, dropped")
	return run.review, nil
}

// run is the work on one change.
type run struct {
	*Bot
	ch     *change.Change
	window int // tokens of a call
	seen   map[comments.Comment]bool
	review Review

	noFile, noLine, mended, left, empty, repeated int // comments
	thought                                       int // answers
}

func (r *run) warn(n int, what string) {
	if n > 0 {
		r.review.Warnings = append(r.review.Warnings, fmt.Sprintf("%s: %d", what, n))
	}
}

// ask asks about a piece. The cache gets only answers that can be read, in their raw form.
func (r *run) ask(ctx context.Context, p []prompt.Line, n, of int) error {
	var remarks []remark
	var left int
	var thought bool
	read := func(text string) (err error) {
		thought = chat.Thought(text)
		remarks, left, err = readAnswer(text)
		return err
	}
	err := r.asker.Until(ctx, chat.Question{
		Kind: "review", Version: PromptVersion, Usable: read,
		Request: chat.Request{
			System: system(), Prompt: question(prompt.Render(p), n, of), Schema: schema, Temperature: r.opts.Temperature,
			Seed: r.opts.Seed, NumCtx: r.window, NumPredict: chat.PieceAnswer,
		},
	}, read)
	var none *chat.Unusable
	if errors.As(err, &none) {
		return fmt.Errorf("%s gave no answer that can be used in %d attempts; the last: %w", r.asker.Name(), chat.Attempts, none.Last)
	}
	if err != nil {
		return err
	}
	r.left += left
	if thought {
		r.thought++
	}
	s := shownIn(r.ch, p)
	for _, m := range remarks {
		if m.mended {
			r.mended++
		}
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
