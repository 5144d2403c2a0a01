package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/envconfig"
	"github.com/ollama/ollama/types/model"

	"crscore/chat/prompt"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// Ollama is a Model on an Ollama server.
type Ollama struct {
	model, host string
	client      *api.Client
}

// NewOllama returns the model of that name on the server at host, such as
// http://127.0.0.1:11434; an empty host is the only address in $OLLAMA_HOST, or Ollama's default.
func NewOllama(name, host string) (*Ollama, error) {
	if host == "" {
		all, err := OllamaServers(name)
		if err != nil {
			return nil, err
		}
		if len(all) > 1 {
			return nil, fmt.Errorf("%s has %d addresses, and one is asked for", ollamaHost, len(all))
		}
		return all[0], nil
	}
	if err := checkModelName(name); err != nil {
		return nil, err
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, noAddress(ollamaHost)
	}
	return newOllama(name, u), nil
}

// OllamaServers returns the model of that name on each server in $OLLAMA_HOST, or on the server
// at Ollama's default address.
func OllamaServers(name string) ([]*Ollama, error) {
	if err := checkModelName(name); err != nil {
		return nil, err
	}
	return ollamaServers(name)
}

// ollamaServers is OllamaServers without a look at the name.
func ollamaServers(name string) ([]*Ollama, error) {
	return eachAddress(ollamaHost, envconfig.Var(ollamaHost), func(address, where string) (*Ollama, error) {
		u, ok := ollamaAddress(address)
		if !ok {
			return nil, noAddress(where)
		}
		return newOllama(name, u), nil
	})
}

func newOllama(name string, u *url.URL) *Ollama {
	client := &http.Client{Transport: watch{http.DefaultTransport}, CheckRedirect: noRedirect(ollamaHost)}
	return &Ollama{name, u.Redacted(), api.NewClient(u, client)}
}

// noAddress is the error of what is not the address of an Ollama server. It does not quote it: it
// may contain a password.
func noAddress(where string) error {
	return fmt.Errorf("%s is not the address of a server, such as http://127.0.0.1:11434", where)
}

// ollamaAddress reads an address as envconfig.Host does, which reads $OLLAMA_HOST as a whole. It
// refuses what that would turn into another address.
func ollamaAddress(s string) (*url.URL, bool) {
	scheme, rest, ok := strings.Cut(s, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	switch {
	case !ok && s == "ollama.com":
		scheme, rest, port = "https", s, "443"
	case !ok:
		scheme, rest, port = "http", s, "11434"
	}
	rest, path, _ := strings.Cut(rest, "/")
	host, given, err := net.SplitHostPort(rest)
	switch ip := net.ParseIP(strings.Trim(rest, "[]")); {
	case err == nil:
		port = given
	case ip != nil:
		host = ip.String()
	default:
		host = cmp.Or(rest, "127.0.0.1")
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 || scheme != "http" && scheme != "https" || strings.ContainsAny(s, "@?# \t") {
		return nil, false
	}
	return &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: path}, true
}

// ollamaHost is the environment variable with the addresses of servers.
const ollamaHost = "OLLAMA_HOST"

// noRedirect refuses a redirect, which would send a change and a key to another host. The
// message has only the name of that host: the rest of the address may hold the secrets of a
// login.
func noRedirect(variable string) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("the server redirects to %s://%s: name that in %s, if it is meant", r.URL.Scheme, r.URL.Host, variable)
	}
}

var modelName = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_.:/@+-]{0,199}$`)

// checkModelName refuses invalid names, to keep them out of signatures and requests.
func checkModelName(name string) error {
	if !modelName.MatchString(name) {
		return fmt.Errorf("%q is not the name of a model", name)
	}
	return nil
}

// Name implements Model.
func (o *Ollama) Name() string { return "ollama:" + o.model }

// Digest implements Model: the digest of the model's manifest on the server.
func (o *Ollama) Digest(ctx context.Context) (string, error) {
	m, err := o.find(ctx)
	return m.Digest, err
}

// find looks for the model in the server's list.
func (o *Ollama) find(ctx context.Context) (api.ListModelResponse, error) {
	list, err := o.client.List(ctx)
	if err != nil {
		return api.ListModelResponse{}, o.explain(ctx, err)
	}
	want := model.ParseName(o.model) // library/NAME:latest is NAME
	for _, m := range list.Models {
		if want.EqualFold(model.ParseName(m.Name)) || want.EqualFold(model.ParseName(m.Model)) {
			return m, nil
		}
	}
	return api.ListModelResponse{}, o.missing()
}

// ContextLength returns the longest context that the model was made for, 0 if the server
// does not tell.
func (o *Ollama) ContextLength(ctx context.Context) (int, error) {
	info, err := o.client.Show(ctx, &api.ShowRequest{Model: o.model})
	if err != nil {
		return 0, o.explain(ctx, err)
	}
	arch, _ := info.ModelInfo["general.architecture"].(string)
	n, _ := info.ModelInfo[arch+".context_length"].(float64)
	return credible(n), nil
}

// Generate implements Model. The answer comes in one piece: in a stream the client library
// cannot distinguish a lost connection from the end.
func (o *Ollama) Generate(ctx context.Context, req Request) (Response, error) {
	no := false
	seen := &seen{}
	var got *api.GenerateResponse
	answers := 0
	err := o.client.Generate(context.WithValue(ctx, seenKey{}, seen), &api.GenerateRequest{
		Model: o.model, System: req.System, Prompt: req.Prompt, Format: req.Schema,
		// A prompt that is too long must be an error, not a shorter prompt. The same holds
		// for an answer.
		Stream: &no, Truncate: &no, Shift: &no,
		// The model's thoughts are no claims, and would use up the answer's tokens.
		Think: &api.ThinkValue{Value: false},
		Options: map[string]any{
			"temperature": req.Temperature, "seed": req.Seed, "num_ctx": req.NumCtx, "num_predict": req.NumPredict,
		},
	}, func(r api.GenerateResponse) error {
		got = &r
		if answers++; answers > 1 {
			return errors.New("more than one answer")
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return Response{}, ctx.Err()
	case seen.err != nil:
		return Response{}, fmt.Errorf("%w: the connection to %s broke in mid-answer: %w", ErrTransient, o.host, seen.err)
	case answers > 1:
		return Response{}, fmt.Errorf("%w: %s sent it in parts", ErrIncomplete, o.host)
	case err != nil:
		return Response{}, later{o.explain(ctx, err), seen.wait}
	case got == nil && seen.status >= http.StatusBadRequest:
		return Response{}, o.explainStatus(api.StatusError{StatusCode: seen.status})
	case got == nil:
		return Response{}, fmt.Errorf("%w: %s sent no answer", ErrTransient, o.host)
	}
	spent := Response{PromptTokens: credible(float64(got.PromptEvalCount)), AnswerTokens: credible(float64(got.EvalCount))}
	switch {
	case got.DoneReason == "length" && 0 < spent.AnswerTokens && spent.AnswerTokens < req.NumPredict:
		return spent, fmt.Errorf("%w: it left room for only %d tokens of the answer", ErrContext, spent.AnswerTokens)
	case got.DoneReason == "length":
		return spent, fmt.Errorf("%w: it reached its limit of %d tokens", ErrIncomplete, req.NumPredict)
	case !got.Done:
		// Ollama ends an answer like this when a model repeats itself.
		return spent, fmt.Errorf("%w: the server stopped it before its end", ErrIncomplete)
	case got.DoneReason != "" && got.DoneReason != "stop":
		return spent, fmt.Errorf("%w: it ended with %q", ErrIncomplete, got.DoneReason)
	case req.NumCtx > 0 && spent.PromptTokens >= req.NumCtx:
		// Servers older than Truncate cut the prompt to the context and say nothing.
		return spent, fmt.Errorf("%w: the server cut it to %d tokens", ErrContext, spent.PromptTokens)
	}
	spent.Text = said(got.Response, got.Thinking)
	return spent, nil
}

func (o *Ollama) missing() error {
	return serverError{fmt.Errorf("the Ollama server at %s has no model %s: pull it with `crscore models pull ollama:%s`", o.host, o.model, o.model), refuses}
}

// explain adds advice to an error of the client, and marks the errors after which the call
// may be tried again.
func (o *Ollama) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var status api.StatusError
	var login api.AuthorizationError
	var large *http.MaxBytesError
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	switch {
	case unreachable(err):
		return serverError{fmt.Errorf("there is no Ollama server at %s: start it with `ollama serve`, or set OLLAMA_HOST (%w)", o.host, root(err)), down}
	case errors.As(err, &status):
		return o.explainStatus(status)
	case errors.As(err, &login):
		return serverError{fmt.Errorf("the Ollama server at %s answered %d: it wants a login (`ollama signin` on its machine is the one for models in the cloud)", o.host, http.StatusUnauthorized), refuses}
	case errors.As(err, &large):
		return fmt.Errorf("the Ollama server at %s: its answer is larger than %d bytes", o.host, limits.ReplyBytes)
	case errors.As(err, &syntax), errors.As(err, &shape):
		return serverError{fmt.Errorf("the server at %s does not speak Ollama's API: its answer is not as it should be (%w)", o.host, short(err)), refuses}
	case broken(err):
		return fmt.Errorf("%w: the connection to %s broke: %w", ErrTransient, o.host, root(err))
	}
	return serverError{fmt.Errorf("the Ollama server at %s: %w", o.host, short(err)), refuses}
}

func (o *Ollama) explainStatus(s api.StatusError) error {
	msg := short(s)
	switch {
	case s.StatusCode == http.StatusNotFound && strings.Contains(s.ErrorMessage, "model"):
		return o.missing()
	case s.StatusCode == http.StatusBadRequest && strings.Contains(s.ErrorMessage, "context length"):
		return fmt.Errorf("%w (the server says: %w)", ErrContext, msg)
	case s.StatusCode == http.StatusTooManyRequests, s.StatusCode >= 500 && !strings.Contains(s.ErrorMessage, "schema"):
		return fmt.Errorf("%w: %s answered %d: %w", ErrTransient, o.host, s.StatusCode, msg)
	}
	return refusal(s.StatusCode, fmt.Errorf("the Ollama server at %s answered %d: %w", o.host, s.StatusCode, msg))
}

// broken reports whether an error is a lost connection.
func broken(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op)
}

// root removes the request's address from an error; the message begins with the address
// already.
func root(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// short limits the text of a server's error, which can be a whole page.
func short(err error) error {
	msg := strings.ToValidUTF8(strings.Join(strings.Fields(root(err).Error()), " "), "\ufffd")
	if len(msg) > limits.ServerMessage {
		msg = prompt.Cut(msg, limits.ServerMessage) + " …"
	}
	return errors.New(msg)
}

// watch records, for calls that ask for it, the status of a response and errors while its
// body is read. api.Client drops the status of a response with an empty body, and drops all
// such errors. For other calls api.Client reads the whole body; watch limits its size.
type watch struct{ next http.RoundTripper }

type seenKey struct{}

type seen struct {
	status int
	wait   time.Duration // the server asks for it
	err    error
}

func (w watch) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if note, ok := r.Context().Value(seenKey{}).(*seen); ok {
		note.status, note.wait = resp.StatusCode, retryAfter(resp.Header, time.Now())
		resp.Body = &watchedBody{resp.Body, note}
	} else {
		resp.Body = http.MaxBytesReader(nil, resp.Body, limits.ReplyBytes)
	}
	return resp, nil
}

type watchedBody struct {
	io.ReadCloser
	note *seen
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.note.err = err
	}
	return n, err
}
