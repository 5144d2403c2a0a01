// Package chattest has a model for the tests of packages that ask one.
package chattest

import (
	"context"
	"sync"

	"crscore/chat"
)

// Fake is a model that answers from a function and remembers what it was asked. Each answer
// counts 10 tokens of prompt and 2 of answer.
type Fake struct {
	// Answer gives the text of an answer.
	Answer func(chat.Request) (string, error)
	// Window is the length of the context, 0 if it is not known.
	Window int
	// Asked are the requests so far.
	Asked []chat.Request

	mu sync.Mutex
}

// Name implements chat.Model.
func (*Fake) Name() string { return "fake:model" }

// Digest implements chat.Model.
func (*Fake) Digest(context.Context) (string, error) { return "0123456789abcdef", nil }

// ContextLength returns Window.
func (f *Fake) ContextLength(context.Context) (int, error) { return f.Window, nil }

// Generate implements chat.Model.
func (f *Fake) Generate(_ context.Context, r chat.Request) (chat.Response, error) {
	f.mu.Lock()
	f.Asked = append(f.Asked, r)
	f.mu.Unlock()
	text, err := f.Answer(r)
	return chat.Response{Text: text, PromptTokens: 10, AnswerTokens: 2}, err
}
