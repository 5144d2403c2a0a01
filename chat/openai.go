package chat

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/ollama/ollama/types/model"
	"github.com/sashabaranov/go-openai"

	"crscore/chat/prompt"
	regexp "crscore/internal/lazyregexp"
)

// The environment variables of OpenAI's own clients. The key comes from nowhere
// else, and goes nowhere but to the server.
const (
	openAIBase = "OPENAI_BASE_URL"
	openAIKey  = "OPENAI_API_KEY"
)

// maxReply is the largest answer of a server, in bytes.
const maxReply = 16 << 20

// OpenAI is a Model on a server that speaks OpenAI's chat API: vLLM, llama.cpp,
// LM Studio and others.
type OpenAI struct {
	model  string
	base   *url.URL
	key    string
	client *openai.Client
	http   *http.Client
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
	config := openai.DefaultConfig(key)
	if base == "" {
		if key == "" {
			return nil, fmt.Errorf("openai:%s has no server: set %s, or %s to ask OpenAI itself", name, openAIBase, openAIKey)
		}
		base = config.BaseURL
	}
	u, err := url.Parse(strings.TrimRight(base, "/"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s is not the address of a server, such as http://127.0.0.1:8000/v1", where)
	}
	if u.User != nil {
		return nil, fmt.Errorf("%s has a password in it: the key belongs in %s", where, openAIKey)
	}
	o := &OpenAI{model: name, base: u, key: key}
	o.http = &http.Client{CheckRedirect: noRedirect(openAIBase)}
	config.BaseURL, config.HTTPClient = u.String(), doer{o.http}
	o.client = openai.NewClientWithConfig(config)
	return o, nil
}

// doer sends the library's requests.
type doer struct{ client *http.Client }

// Do implements openai.HTTPDoer. The library leaves a temperature of 0 out of a
// request, which stands for 1 then, and reads answers without a bound.
func (d doer) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		var body map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			return nil, fmt.Errorf("reading the request: %w", err)
		}
		if _, given := body["temperature"]; !given {
			body["temperature"] = json.RawMessage("0")
		}
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("writing the request: %w", err)
		}
		r.ContentLength = int64(len(b))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(string(b))), nil }
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	resp, err := d.client.Do(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxReply)
	}
	return resp, err
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
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.base.JoinPath("models").String(), nil)
	if err != nil {
		return listed{}, o.explain(ctx, err)
	}
	if o.key != "" {
		r.Header.Set("Authorization", "Bearer "+o.key)
	}
	resp, err := doer{o.http}.Do(r)
	if err != nil {
		return listed{}, o.explain(ctx, err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return listed{}, nil
	default:
		return listed{}, o.explainStatus(resp.StatusCode, "", http.StatusText(resp.StatusCode))
	}
	var all struct{ Data []listed }
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
		if ctx.Err() != nil || broken(err) {
			return listed{}, o.explain(ctx, err)
		}
		return listed{}, serverError{fmt.Errorf("the server at %s does not speak OpenAI's API: its list of models is no JSON", o.base), refuses}
	}
	for _, m := range all.Data {
		if m.ID == o.model || m.ID == model.ParseName(o.model).DisplayShortest() {
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

// roundContext divides the usual contexts of servers. A server that cuts a prompt without a
// report has as many tokens of the prompt as its context has. One complete prompt in a
// thousand has such a number, too; it is asked about in halves.
const roundContext = 1024

// ContextLength returns the number of tokens that the server accepts, 0 if it does not
// tell.
func (o *OpenAI) ContextLength(ctx context.Context) (int, error) {
	m, err := o.list(ctx)
	if m.Context == 0 && m.OwnedBy == "library" {
		m.Context = ollamaContext
	}
	return m.Context, err
}

// Generate implements Model.
func (o *OpenAI) Generate(ctx context.Context, req Request) (Response, error) {
	seed := req.Seed
	//lint:ignore SA1019 what it was replaced by is not known to Ollama and older servers
	ask := openai.ChatCompletionRequest{Model: o.model, Seed: &seed, MaxTokens: req.NumPredict, Temperature: float32(req.Temperature)}
	if req.System != "" {
		ask.Messages = append(ask.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: req.System})
	}
	ask.Messages = append(ask.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: req.Prompt})
	if req.Schema != nil {
		ask.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: req.Schema},
		}
	}
	got, err := o.client.CreateChatCompletion(ctx, ask)
	switch {
	case ctx.Err() != nil:
		return Response{}, ctx.Err()
	case err != nil:
		return Response{}, o.explain(ctx, err)
	case len(got.Choices) != 1:
		return Response{}, fmt.Errorf("%w: the server sent %d answers", ErrIncomplete, len(got.Choices))
	}
	c := got.Choices[0]
	spent := Response{PromptTokens: got.Usage.PromptTokens, AnswerTokens: got.Usage.CompletionTokens}
	switch {
	case c.Message.Refusal != "":
		return spent, fmt.Errorf("the model refuses: %w", o.scrub(c.Message.Refusal))
	case c.FinishReason == openai.FinishReasonLength && 0 < got.Usage.CompletionTokens && got.Usage.CompletionTokens < req.NumPredict:
		return spent, fmt.Errorf("%w: it left room for only %d tokens of the answer", ErrContext, got.Usage.CompletionTokens)
	case c.FinishReason == openai.FinishReasonLength:
		return spent, fmt.Errorf("%w: it reached its limit of %d tokens, or the end of the context", ErrIncomplete, req.NumPredict)
	case c.FinishReason != openai.FinishReasonStop:
		return spent, fmt.Errorf("%w: it ended with %q", ErrIncomplete, prompt.Cut(string(c.FinishReason), 40))
	case got.Usage.PromptTokens > 0 && got.Usage.PromptTokens%roundContext == 0:
		return spent, fmt.Errorf("%w: the server took exactly %d tokens of it, so that seems to be where it cuts", ErrContext, got.Usage.PromptTokens)
	}
	spent.Text = c.Message.Content
	return spent, nil
}

// explain adds advice to an error of the client, and marks the errors after which the call
// may be tried again.
func (o *OpenAI) explain(ctx context.Context, err error) error {
	var api *openai.APIError
	var request *openai.RequestError
	var large *http.MaxBytesError
	var syntax *json.SyntaxError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		return fmt.Errorf("%s takes no temperature, so its answers could not be repeated", o.Name())
	case errors.As(err, &api):
		return o.explainStatus(api.HTTPStatusCode, fmt.Sprint(api.Code, " ", api.Type), api.Message)
	case errors.As(err, &request):
		return o.explainStatus(request.HTTPStatusCode, "", string(request.Body))
	case errors.As(err, &large):
		return fmt.Errorf("%w: it is larger than %d bytes", ErrIncomplete, maxReply)
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

// longContext is how servers speak of a context: OpenAI and vLLM of its length,
// llama.cpp of its size.
var longContext = regexp.MustCompile("length|size|exceed")

func (o *OpenAI) explainStatus(status int, code, message string) error {
	msg := o.scrub(message)
	about := strings.ToLower(code + " " + message)
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		if o.key == "" {
			return refusal(status, fmt.Errorf("the server at %s wants a key: set %s (%d: %w)", o.base, openAIKey, status, msg))
		}
		return refusal(status, fmt.Errorf("the server at %s does not take the key in %s (%d: %w)", o.base, openAIKey, status, msg))
	case status == http.StatusNotFound:
		return refusal(status, fmt.Errorf("the server at %s has no model %s, or does not speak OpenAI's API there (404: %w)", o.base, o.model, msg))
	case status == http.StatusBadRequest && strings.Contains(about, "context") && longContext.MatchString(about):
		return fmt.Errorf("%w (the server says: %w)", ErrContext, msg)
	case status == http.StatusTooManyRequests && strings.Contains(about, "insufficient_quota"):
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500 && !strings.Contains(about, "schema"):
		return fmt.Errorf("%w: %s answered %d: %w", ErrTransient, o.base, status, msg)
	}
	return refusal(status, fmt.Errorf("the server at %s answered %d: %w", o.base, status, msg))
}

// scrub bounds the text of an error and takes the key out of it, which a server
// may repeat.
func (o *OpenAI) scrub(msg string) error {
	if o.key != "" {
		msg = strings.ReplaceAll(msg, o.key, "[key]")
	}
	return short(errors.New(msg))
}
