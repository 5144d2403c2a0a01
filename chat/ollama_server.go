package chat

import (
	"context"
	"sync"
)

// Server describes an Ollama server.
type Server struct {
	// Host is the address, Version the version of Ollama.
	Host, Version string
	// Models are the models on the server.
	Models []Local
	// Err is why the server is not described; it has at most its Host then.
	Err error
}

// Local is a model on a server.
type Local struct {
	// Name and Digest identify the model, Bytes is its size.
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Bytes  int64  `json:"bytes"`
}

// LookAtOllama describes the servers in $OLLAMA_HOST, or that at Ollama's default address, all at
// the same time.
func LookAtOllama(ctx context.Context) ([]Server, error) {
	all, err := ollamaServers("")
	if err != nil {
		return nil, err
	}
	out := make([]Server, len(all))
	var looks sync.WaitGroup
	for i, o := range all {
		looks.Go(func() { out[i] = o.look(ctx) })
	}
	looks.Wait()
	return out, nil
}

func (o *Ollama) look(ctx context.Context) Server {
	version, err := o.client.Version(ctx)
	if err != nil {
		return Server{Host: o.host, Err: o.explain(ctx, err)}
	}
	list, err := o.client.List(ctx)
	if err != nil {
		return Server{Host: o.host, Err: o.explain(ctx, err)}
	}
	s := Server{Host: o.host, Version: version}
	for _, m := range list.Models {
		s.Models = append(s.Models, Local{Name: m.Name, Digest: m.Digest, Bytes: m.Size})
	}
	return s
}
