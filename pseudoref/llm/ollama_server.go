package llm

import (
	"context"
)

// Server is what there is on an Ollama server.
type Server struct {
	Host, Version string
	Models        []Local
}

// Local is a model that a server has.
type Local struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Bytes  int64  `json:"bytes"`
}

// LookAtOllama asks the server at $OLLAMA_HOST, or Ollama's default, what it has.
// With an error the Server has at most its Host.
func LookAtOllama(ctx context.Context) (Server, error) {
	o, err := newOllama("")
	if err != nil {
		return Server{}, err
	}
	version, err := o.client.Version(ctx)
	if err != nil {
		return Server{Host: o.host}, o.explain(ctx, err)
	}
	list, err := o.client.List(ctx)
	if err != nil {
		return Server{Host: o.host}, o.explain(ctx, err)
	}
	s := Server{Host: o.host, Version: version}
	for _, m := range list.Models {
		s.Models = append(s.Models, Local{Name: m.Name, Digest: m.Digest, Bytes: m.Size})
	}
	return s, nil
}
