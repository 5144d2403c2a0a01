// Package llm makes claims about a change with a language model: what it does
// and what follows from it (Naik et al. 2024, section 3.2).
//
// A change is cut into pieces that fit the model, each piece is asked about
// once, with the text of the change as data that cannot end its block, and the
// raw answers can be cached. Every claim is then checked against the change
// before it counts. An answer that is not whole is an error, never a shorter
// answer. The store behind the cache, similarity by meaning and scores may not
// come in; the Engine hands in what is needed of them.
package llm

import (
	"context"
	"encoding/json"
	"errors"
)

// Model asks a language model once. Implementations are safe for concurrent
// use, and return an error for every answer that may not be the whole one.
type Model interface {
	// Name is what signatures and messages call it: "ollama:qwen2.5-coder:7b".
	Name() string
	// Digest identifies the weights, as much as the server tells of them: two
	// models of one name and different digests may answer differently.
	Digest(ctx context.Context) (string, error)
	// Generate answers at temperature 0. The call ends when ctx does.
	Generate(ctx context.Context, req Request) (Response, error)
}

// Request is one question to a Model.
type Request struct {
	System, Prompt string
	// Schema is the JSON schema that the answer must follow; nil for prose.
	Schema json.RawMessage
	Seed   int
	// NumCtx is the size of the context in tokens that prompt and answer share,
	// NumPredict the most tokens of the answer.
	NumCtx, NumPredict int
}

// Response is a complete answer.
type Response struct {
	Text string
	// PromptTokens and AnswerTokens are the model's own counts, 0 where it tells none.
	PromptTokens, AnswerTokens int
}

// Cache keeps raw answers. An error of it never fails a call.
// Implementations are safe for concurrent use.
type Cache interface {
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	Put(ctx context.Context, key string, value []byte) error
}

// What is wrong with a call, for those who act on it. Models wrap these with
// the particulars.
var (
	// ErrTransient is a failure that may pass: the call is worth another try.
	ErrTransient = errors.New("the server failed for now")
	// ErrContext is a prompt that is longer than the model's context.
	ErrContext = errors.New("the prompt does not fit the model's context")
	// ErrIncomplete is an answer that broke off.
	ErrIncomplete = errors.New("the answer is incomplete")
)
