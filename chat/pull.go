package chat

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"crscore/chat/prompt"

	"github.com/ollama/ollama/api"
)

// ErrNoModel is behind the error of a name that the registry does not have.
var ErrNoModel = errors.New("there is no such model")

// Pull lets the server download the model, or the missing parts of it, and returns its
// digest and its size in bytes. It reports progress in bytes: done of the parts that are
// known so far. After an interruption the downloaded parts stay on the server, and the next
// Pull continues there.
func (o *Ollama) Pull(ctx context.Context, progress func(done, total int64)) (digest string, size int64, err error) {
	if err := o.pull(ctx, progress); err != nil {
		return "", 0, err
	}
	m, err := o.find(ctx)
	return m.Digest, m.Size, err
}

func (o *Ollama) pull(ctx context.Context, progress func(done, total int64)) error {
	seen := &seen{}
	type part struct{ done, total int64 }
	parts := make(map[string]part)
	last := ""
	err := o.client.Pull(context.WithValue(ctx, seenKey{}, seen), &api.PullRequest{Model: o.model, Insecure: local(o.model)}, func(p api.ProgressResponse) error {
		last = p.Status
		if p.Digest == "" || p.Total <= 0 {
			return nil
		}
		parts[p.Digest] = part{p.Completed, p.Total}
		var done, total int64
		for _, p := range parts {
			done, total = done+p.done, total+p.total
		}
		progress(done, total)
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && strings.Contains(err.Error(), "pull model manifest: file does not exist"):
		return fmt.Errorf("%w as %s for the Ollama server at %s to pull: check the name", ErrNoModel, o.model, o.host)
	case err != nil:
		return o.explain(ctx, err)
	case seen.err != nil:
		return fmt.Errorf("%w: the connection to %s broke: %w", ErrTransient, o.host, seen.err)
	case seen.status >= http.StatusBadRequest:
		return o.explainStatus(api.StatusError{StatusCode: seen.status})
	case last != "success": // the client library takes a lost connection for the end
		return fmt.Errorf("%w: %s stopped before the end, at %q", ErrTransient, o.host, prompt.Cut(last, 100))
	}
	return nil
}

// local reports whether a model's name begins with a registry on the server's own machine,
// which needs no TLS.
func local(model string) bool {
	host, _, ok := strings.Cut(model, "/")
	u, err := url.Parse("http://" + host)
	if !ok || err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// Host is the address of the server.
func (o *Ollama) Host() string { return o.host }
