package llm

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/ollama/ollama/api"
)

// Ollama is a Model on an Ollama server.
type Ollama struct {
	model  string
	host   string
	client *api.Client
}

// NewOllama returns the model of that name on the server at host, such as
// http://127.0.0.1:11434.
func NewOllama(model, host string) (*Ollama, error) {
	u, err := url.Parse(host)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is not the address of an Ollama server", host)
	}
	return &Ollama{model: model, host: host, client: api.NewClient(u, http.DefaultClient)}, nil
}

// Name implements Model.
func (o *Ollama) Name() string { return "ollama:" + strings.TrimSuffix(o.model, ":latest") }
