// Package llm makes claims and implications about a change with a language model (Naik et
// al. 2024, section 3.2).
//
// New makes a Claimer for a chat.Model: Ollama, or a server with OpenAI's API. The Claimer
// cuts a change into pieces that fit the model and asks about each piece once. The prompt
// holds the text of the change as data, in a block that the text cannot end. The Claimer
// checks each claim of the answer against the change. An incomplete answer is an error,
// never a shorter answer.
//
// The cache keeps raw answers, so that a new version of the check needs no new answers. The
// package knows nothing of servers, similarity and scores.
package llm

import (
	"context"
	"encoding/json"
	"fmt"

	"crscore/change"
	"crscore/chat"
	"crscore/chat/prompt"
	"crscore/internal/limits"
	"crscore/pseudoref"
)

// seed is the seed of every call. It hardly matters at temperature 0.
const seed = 7

// Options are the options of a Claimer.
type Options struct {
	chat.Options
	Format Format // empty means JSON
}

// Claimer makes claims with a model. It is safe for concurrent use. Equal questions at the
// same time are asked once.
type Claimer struct {
	model  chat.Model
	asker  *chat.Asker
	format Format
}

// New returns a Claimer. It does not call the model.
func New(m chat.Model, opts Options) (*Claimer, error) {
	if opts.Format == "" {
		opts.Format = JSON
	}
	if _, err := ParseFormat(string(opts.Format)); err != nil {
		return nil, err
	}
	asker, err := chat.NewAsker(m, opts.Options)
	if err != nil {
		return nil, err
	}
	return &Claimer{m, asker, opts.Format}, nil
}

// Prepare asks the server once for the model's digest and context, which the signature and
// the size of pieces depend on. After a failure the next call tries again.
func (c *Claimer) Prepare(ctx context.Context) error {
	if err := c.asker.Prepare(ctx); err != nil {
		return err
	}
	_, _, err := c.sizes()
	return err
}

// Parallel is the number of calls at a time, to all servers together.
func (c *Claimer) Parallel() int { return c.asker.Parallel() }

// sizes returns the tokens of a call, and the tokens of a change in it.
func (c *Claimer) sizes() (window, piece int, err error) {
	return c.asker.Window(prompt.Tokens(system(c.format)) + prompt.Tokens(question("", limits.ChangePieces, limits.ChangePieces)))
}

// Signature names everything that shapes the claims: the model with its digest, the
// prompt, the format and the check. The digest is "unknown" before Prepare, and if the
// server does not have it.
func (c *Claimer) Signature() string {
	return fmt.Sprintf("%s/%s/%s/%s", c.asker.Signature(), PromptVersion, c.format, CheckVersion)
}

// Found is the result for a change.
type Found struct {
	// Refs are the claims that passed the check, Warnings are for a person.
	Refs []pseudoref.Ref
	// Dropped are the claims that failed the check.
	Dropped  []pseudoref.Dropped
	Warnings []string
	// Thought means that an answer stood among the model's thoughts (chat.Thought).
	Thought bool
}

// Claims asks the model about a change and checks the answers. A piece without an answer
// is an error; there is no partial result.
func (c *Claimer) Claims(ctx context.Context, ch *change.Change) (Found, error) {
	if err := c.asker.Prepare(ctx); err != nil {
		return Found{}, err
	}
	window, piece, err := c.sizes()
	if err != nil {
		return Found{}, err
	}
	all, shortened := prompt.Lines(ch)
	var found Found
	err = chat.InPieces(ctx, all, piece, func(ctx context.Context, p []prompt.Line, n, of int) error {
		refs, thought, err := c.answer(ctx, chat.Request{
			System: system(c.format), Prompt: question(prompt.Render(p), n, of), Schema: c.schema(),
			Seed: seed, NumCtx: window, NumPredict: chat.PieceAnswer,
		})
		found.Refs, found.Thought = append(found.Refs, refs...), found.Thought || thought
		return err
	})
	if err != nil {
		return Found{}, err
	}
	for i := range found.Refs {
		found.Refs[i].Source = c.model.Name()
	}
	if shortened > 0 {
		found.Warnings = append(found.Warnings,
			fmt.Sprintf("lines of which %s saw only the first %d bytes: %d", c.model.Name(), limits.PromptLine, shortened))
	}
	found.Refs, found.Dropped = Check(ch, found.Refs)
	return found, nil
}

func (c *Claimer) schema() json.RawMessage {
	if c.format == Prose {
		return nil
	}
	return schema
}

// answer asks, and reads the answer. The cache gets only answers that can be read, in their
// raw form.
func (c *Claimer) answer(ctx context.Context, req chat.Request) (refs []pseudoref.Ref, thought bool, err error) {
	text, err := c.asker.Ask(ctx, chat.Question{Kind: "claims", Version: PromptVersion, Request: req, Usable: func(text string) error {
		_, err := readAnswer(text, c.format)
		return err
	}})
	if err != nil {
		return nil, false, err
	}
	refs, err = readAnswer(text, c.format)
	return refs, chat.Thought(text), err
}
