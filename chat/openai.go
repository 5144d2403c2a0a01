package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/ollama/ollama/types/model"

	"crscore/chat/prompt"
	"crscore/internal/limits"
)

// The environment variables of OpenAI's own clients. The key comes from nowhere
// else, and goes nowhere but to the server.
const (
	openAIBase = "OPENAI_BASE_URL"
	openAIKey  = "OPENAI_API_KEY"
	openAIHome = "https://api.openai.com/v1"
)

// OpenAI is a Model on a server that speaks OpenAI's chat API: vLLM, llama.cpp,
// LM Studio and others.
type OpenAI struct {
	model string
	base  *url.URL
	key   string
	http  *http.Client

	mu      sync.Mutex
	refused []string // settings that are left out of requests, sorted
	cuts    bool     // the list says that it is Ollama, which cuts prompts and does not report it
}

// NewOpenAI returns the model of that name on the server at base, such as
// http://127.0.0.1:8000/v1; an empty base is the only address in $OPENAI_BASE_URL, or OpenAI itself.
func NewOpenAI(name, base string) (*OpenAI, error) {
	if base != "" {
		return openAIAt(name, base, openAIBase)
	}
	all, err := openAIServers(name)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, fmt.Errorf("%s has %d addresses, and one is asked for", openAIBase, len(all))
	}
	return all[0], nil
}

// openAIServers returns the model of that name on each server in $OPENAI_BASE_URL, or at OpenAI.
func openAIServers(name string) ([]*OpenAI, error) {
	return eachAddress(openAIBase, os.Getenv(openAIBase), func(address, where string) (*OpenAI, error) {
		return openAIAt(name, address, where)
	})
}

// openAIAt is NewOpenAI for an address that stands somewhere.
func openAIAt(name, base, where string) (*OpenAI, error) {
	if err := checkModelName(name); err != nil {
		return nil, err
	}
	key := strings.TrimSpace(os.Getenv(openAIKey))
	if base == "" {
		if key == "" {
			return nil, fmt.Errorf("openai:%s has no server: set %s, or %s to ask OpenAI itself", name, openAIBase, openAIKey)
		}
		base = openAIHome
	}
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not the address of a server, such as http://127.0.0.1:8000/v1", where)
	}
	if u.User != nil {
		return nil, fmt.Errorf("%s has a password in it: the key belongs in %s", where, openAIKey)
	}
	return &OpenAI{model: name, base: u, key: key, http: &http.Client{CheckRedirect: noRedirect(openAIBase)}}, nil
}

// Name implements Model.
func (o *OpenAI) Name() string { return "openai:" + o.model }

// String leaves the key out, so that no printed Model shows it.
func (o *OpenAI) String() string { return o.Name() }

// GoString leaves the key out, too.
func (o *OpenAI) GoString() string { return o.Name() }

// listed is a server's description of a model, without the fields that change from one call
// to the next.
type listed struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
	Root    string `json:"root"`          // vLLM: where the weights are
	Context int    `json:"max_model_len"` // vLLM
	Meta    struct {
		Params int64 `json:"n_params"` // llama.cpp
		Size   int64 `json:"size"`
	} `json:"meta"`
}

// list finds the model in the server's list. It returns the zero value for a server without
// a list, and for a server that accepts any name.
func (o *OpenAI) list(ctx context.Context) (listed, error) {
	r, err := o.send(ctx, http.MethodGet, "models", nil)
	if err != nil {
		return listed{}, o.explain(ctx, err)
	}
	switch r.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return listed{}, nil
	}
	if t := r.trouble(); t != nil {
		return listed{}, o.complain(t)
	}
	body, err := r.json()
	if broken(err) {
		return listed{}, o.explain(ctx, err)
	}
	if err != nil {
		return listed{}, serverError{fmt.Errorf("the server at %s does not speak OpenAI's API: its list of models is no JSON", o.base), refuses}
	}
	for _, entry := range items(fields(body)["data"]) {
		f := fields(entry)
		if id := plain(f["id"]); id == o.model || id == model.ParseName(o.model).DisplayShortest() {
			meta := fields(f["meta"])
			m := listed{ID: id, OwnedBy: plain(f["owned_by"]), Root: plain(f["root"]), Context: count(f["max_model_len"])}
			m.Meta.Params, m.Meta.Size = int64(count(meta["n_params"])), int64(count(meta["size"]))
			o.mu.Lock()
			defer o.mu.Unlock()
			o.cuts = m.OwnedBy == ollamaOwner
			return m, nil
		}
	}
	return listed{}, nil
}

// Digest implements Model. Servers of this API tell nothing about the weights, so the
// digest covers the server's address and the entry in its list.
func (o *OpenAI) Digest(ctx context.Context) (string, error) {
	entry, err := o.entry(ctx)
	if err != nil {
		return "", err
	}
	return o.digest(entry), nil
}

// entry is the model's entry in the server's list, without the fields that change.
func (o *OpenAI) entry(ctx context.Context) (string, error) {
	m, err := o.list(ctx)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("describing the model: %w", err)
	}
	return string(b), nil
}

// digest is the digest of a server at this address whose list has the entry.
func (o *OpenAI) digest(entry string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(o.base.String()+"\n"+entry)))
}

// Host is the address of the server.
func (o *OpenAI) Host() string { return o.base.String() }

// ollamaContext is the default context of an Ollama server, in tokens. This API cannot ask
// for another. The server cuts longer prompts and does not report it.
const ollamaContext = 4096

// ollamaOwner owns the models in the list of an Ollama server.
const ollamaOwner = "library"

// roundContext divides the usual contexts of servers. A server that cuts a prompt without a
// report has as many tokens of the prompt as its context has. A complete prompt can have such
// a number, too: then it is about as long as it looks, and no server but Ollama is suspected.
const roundContext = 1024

// seemsCut reports whether a server that took so many tokens of a prompt may have cut it.
func (o *OpenAI) seemsCut(req Request, tokens int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	looks := prompt.Tokens(req.System) + prompt.Tokens(req.Prompt)
	return tokens > 0 && tokens%roundContext == 0 && (o.cuts || tokens > roundContext && looks > tokens-tokens/4)
}

// ContextLength returns the number of tokens that the server accepts, 0 if it does not
// tell.
func (o *OpenAI) ContextLength(ctx context.Context) (int, error) {
	m, err := o.list(ctx)
	if m.Context == 0 && m.OwnedBy == ollamaOwner {
		m.Context = ollamaContext
	}
	return m.Context, err
}

// Generate implements Model. A setting that the server refuses is left out of this request and
// all later ones; Asker.Signature names it.
func (o *OpenAI) Generate(ctx context.Context, req Request) (Response, error) {
	for {
		sent := o.request(req)
		r, err := o.send(ctx, http.MethodPost, "chat/completions", sent)
		if err != nil {
			return Response{}, o.explain(ctx, err)
		}
		t := r.trouble()
		if t == nil {
			return o.read(ctx, r, req)
		}
		if !o.leaveOut(t, sent) {
			return Response{}, o.complain(t)
		}
	}
}

// request is the body of a request, without the settings that the server refuses.
func (o *OpenAI) request(req Request) map[string]any {
	type message struct {
		Content string `json:"content"`
		Role    string `json:"role"`
	}
	var messages []message
	if req.System != "" {
		messages = append(messages, message{req.System, "system"})
	}
	body := map[string]any{
		"model": o.model, "messages": append(messages, message{req.Prompt, "user"}), "stream": false,
		"seed": req.Seed, "temperature": req.Temperature,
	}
	if req.NumPredict > 0 {
		body[fieldTokens] = req.NumPredict
	}
	if req.Schema != nil {
		body["response_format"] = map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": req.Schema, "strict": false},
		}
	}
	for _, name := range o.without() {
		if limit, ok := body[name]; ok && name == fieldTokens {
			body[fieldCompletionTokens] = limit
		}
		delete(body, name)
	}
	return body
}

// read reads the answer to a request.
func (o *OpenAI) read(ctx context.Context, r reply, req Request) (Response, error) {
	body, err := r.json()
	if err != nil {
		return Response{}, o.explain(ctx, err)
	}
	answer := fields(body)
	choices := items(answer["choices"])
	if len(choices) != 1 {
		return Response{}, fmt.Errorf("%w: the server sent %d answers", ErrIncomplete, len(choices))
	}
	choice, usage := fields(choices[0]), fields(answer["usage"])
	m := fields(choice["message"])
	spent := Response{PromptTokens: count(usage["prompt_tokens"]), AnswerTokens: count(usage["completion_tokens"])}
	refusal, end := plain(m["refusal"]), plain(choice["finish_reason"])
	cut := strings.EqualFold(end, "length") || strings.EqualFold(end, fieldTokens)
	switch {
	case refusal != "":
		return spent, fmt.Errorf("the model refuses: %w", o.scrub(refusal))
	case cut && 0 < spent.AnswerTokens && spent.AnswerTokens < req.NumPredict:
		return spent, fmt.Errorf("%w: it left room for only %d tokens of the answer", ErrContext, spent.AnswerTokens)
	case cut:
		return spent, fmt.Errorf("%w: it reached its limit of %d tokens, or the end of the context", ErrIncomplete, req.NumPredict)
	case end == "" && req.Schema != nil: // JSON shows where it ends
	case !slices.Contains(ends(), strings.ToLower(end)):
		return spent, fmt.Errorf("%w: it ended with %q", ErrIncomplete, prompt.Cut(end, 40))
	}
	if o.seemsCut(req, spent.PromptTokens) {
		return spent, fmt.Errorf("%w: the server took exactly %d tokens of it, so that seems to be where it cuts", ErrContext, spent.PromptTokens)
	}
	spent.Text = said(content(m["content"]), cmp.Or(content(m["reasoning_content"]), content(m["reasoning"])))
	return spent, nil
}

// ends are what servers call the end of a complete answer.
func ends() []string {
	return []string{"stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed"}
}

// explain adds advice to an error of a call, and marks the errors after which the call
// may be tried again.
func (o *OpenAI) explain(ctx context.Context, err error) error {
	var large *http.MaxBytesError
	var syntax *json.SyntaxError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &large):
		return fmt.Errorf("%w: it is larger than %d bytes", ErrIncomplete, limits.ReplyBytes)
	case errors.As(err, &syntax):
		return serverError{fmt.Errorf("the server at %s does not speak OpenAI's API: its answer is no JSON", o.base), refuses}
	case unreachable(err):
		return serverError{fmt.Errorf("there is no server at %s: start it, or set %s (%w)", o.base, openAIBase, o.scrub(root(err).Error())), down}
	case broken(err):
		return fmt.Errorf("%w: the connection to %s broke: %w", ErrTransient, o.base, o.scrub(root(err).Error()))
	}
	return serverError{fmt.Errorf("the server at %s: %w", o.base, o.scrub(root(err).Error())), refuses}
}

// unreachable reports whether no connection was made, to the server or to the proxy.
func unreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

// complain adds advice to an error that the server reports.
func (o *OpenAI) complain(t *trouble) error {
	msg, status := o.scrub(t.message), t.status
	about := t.about()
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		if o.key == "" {
			return refusal(status, fmt.Errorf("the server at %s wants a key: set %s (%d: %w)", o.base, openAIKey, status, msg))
		}
		return refusal(status, fmt.Errorf("the server at %s does not take the key in %s (%d: %w)", o.base, openAIKey, status, msg))
	case status == http.StatusNotFound:
		return refusal(status, fmt.Errorf("the server at %s has no model %s, or does not speak OpenAI's API there (404: %w)", o.base, o.model, msg))
	case t.context():
		return fmt.Errorf("%w (the server says: %w)", ErrContext, msg)
	case status == http.StatusTooManyRequests && strings.Contains(about, "insufficient_quota"):
	case passing(status) && !strings.Contains(about, "schema"):
		return later{fmt.Errorf("%w: %s answered %d: %w", ErrTransient, o.base, status, msg), t.wait}
	}
	return refusal(status, fmt.Errorf("the server at %s answered %d: %w", o.base, status, msg))
}

// passing reports whether a status is about a failure that may end by itself.
func passing(status int) bool {
	return status >= 500 || slices.Contains([]int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests}, status)
}

// scrub bounds the text of an error and takes the key out of it, which a server may repeat.
func (o *OpenAI) scrub(msg string) error { return short(errors.New(withoutKey(msg, o.key))) }
