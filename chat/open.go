package chat

import (
	"errors"
	"fmt"
	"strings"
)

// ErrModelName means that a name is not of the forms that Open knows.
var ErrModelName = errors.New("no model")

// Open returns the model of a name such as ollama:qwen2.5-coder or openai:gpt-4o, on the server
// that the environment names (NewOllama, NewOpenAI). It calls no server. ErrModelName: another
// form of name.
func Open(name string) (Model, error) {
	kind, model, _ := strings.Cut(name, ":")
	var m Model
	var err error
	switch {
	case kind == "ollama" && model != "":
		m, err = NewOllama(model, "")
	case kind == "openai" && model != "":
		m, err = NewOpenAI(model, "")
	default:
		err = fmt.Errorf("%q is %w: choose ollama:MODEL or openai:MODEL", name, ErrModelName)
	}
	if err != nil {
		return nil, err // m may hold a nil pointer
	}
	return m, nil
}
