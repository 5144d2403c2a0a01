package chat

import (
	"errors"
	"fmt"
	"strings"

	"crscore/internal/limits"
)

// ErrModelName means that a name is not of the forms that Open knows.
var ErrModelName = errors.New("no model")

// Open returns the model of a name such as ollama:qwen2.5-coder or openai:gpt-4o, on the server
// that the environment names (NewOllama, NewOpenAI), or on all that it lists, separated by commas
// (Servers). It calls no server. ErrModelName: another form of name.
func Open(name string) (Model, error) {
	kind, model, _ := strings.Cut(name, ":")
	switch {
	case kind == "ollama" && model != "":
		all, err := OllamaServers(model)
		return joined(ollamaHost, all, err)
	case kind == "openai" && model != "":
		all, err := openAIServers(model)
		return joined(openAIBase, all, err)
	}
	return nil, fmt.Errorf("%q is %w: choose ollama:MODEL or openai:MODEL", name, ErrModelName)
}

// joined is the model on the servers that a variable lists.
func joined[M Model](variable string, all []M, err error) (Model, error) {
	if err != nil {
		return nil, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	models := make([]Model, len(all))
	for i, m := range all {
		models[i] = m
	}
	s, err := NewServers(models...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return s, nil
}

// eachAddress opens each address of a variable's list. An error says where the address stands: it
// may contain a password.
func eachAddress[M any](variable, list string, open func(address, where string) (M, error)) ([]M, error) {
	addresses := strings.Split(list, ",")
	if len(addresses) > limits.Servers {
		return nil, fmt.Errorf("%s has %d addresses; there may be %d", variable, len(addresses), limits.Servers)
	}
	var out []M
	for i, address := range addresses {
		address, where := strings.TrimSpace(address), variable
		if len(addresses) > 1 {
			where = fmt.Sprintf("address %d of %d in %s", i+1, len(addresses), variable)
			if address == "" {
				return nil, fmt.Errorf("%s is empty", where)
			}
		}
		m, err := open(address, where)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
