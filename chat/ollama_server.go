package chat

import (
	"context"
)

// Server describes an Ollama server.
type Server struct {
	// Host is the address, Version the version of Ollama.
	Host, Version string
	// Models are the models on the server.
	Models []Local
}

// Local is a model on a server.
type Local struct {
	// Name and Digest identify the model, Bytes is its size.
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Bytes  int64  `json:"bytes"`
}

// LookAtOllama describes the server at $OLLAMA_HOST, or at Ollama's default address. With
// an error the Server has at most its Host.
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
