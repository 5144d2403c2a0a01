// Package chat asks language models on servers: Ollama, and servers with OpenAI's API. An
// incomplete answer is an error, never a shorter answer.
//
// Claims (pseudoref/llm) and judges (eval/judge) both stand on it, and programs that import
// crscore bring models of their own as a Model; so it is a room at the top. An Asker has what
// all questions need: a time limit, tries, a cache, a bound on calls at a time.
//
// The package knows nothing of claims and grades: no question comes in here.
package chat

import (
	"context"
	"encoding/json"
	"errors"
)

// Model is a language model on a server. Implementations are safe for concurrent use, and
// return an error for every answer that may be incomplete.
type Model interface {
	// Name is the name in signatures and messages: "ollama:qwen2.5-coder:7b".
	Name() string
	// Digest identifies the weights, as far as the server knows them. Models of the same
	// name with different digests may answer differently.
	Digest(ctx context.Context) (string, error)
	// Generate answers a request, until ctx is done.
	Generate(ctx context.Context, req Request) (Response, error)
}

// Request is a question to a Model.
type Request struct {
	// System and Prompt are the two parts of the prompt.
	System, Prompt string
	// Schema is the JSON schema that the answer must follow; nil for prose.
	Schema json.RawMessage
	// Seed is the seed of the model's random numbers.
	Seed int
	// Temperature is the temperature of the model's draws; at 0 the model gives its most
	// likely answer.
	Temperature float64 `json:",omitzero"`
	// NumCtx is the size of the context in tokens, for prompt and answer together.
	// NumPredict is the limit of the answer in tokens.
	NumCtx, NumPredict int
}

// Response is a complete answer. Beside an error it has no text, and the counts of an answer that
// cannot be used.
type Response struct {
	// Text is the answer in its raw form, which Said and Thought read.
	Text string
	// PromptTokens and AnswerTokens are the model's counts of tokens, 0 if unknown.
	PromptTokens, AnswerTokens int
}

// Cache keeps raw answers. An error of the cache does not fail a call. Implementations are
// safe for concurrent use.
type Cache interface {
	// Get returns the value of a key, if the cache has it; Put keeps a value.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	Put(ctx context.Context, key string, value []byte) error
}

// Errors that callers can test for. Models wrap them with details.
var (
	// ErrTransient is a failure that may end by itself: try the call again.
	ErrTransient = errors.New("the server failed for now")
	// ErrContext means that the prompt is longer than the model's context.
	ErrContext = errors.New("the prompt does not fit the model's context")
	// ErrIncomplete means that the answer has no end.
	ErrIncomplete = errors.New("the answer is incomplete")
)
