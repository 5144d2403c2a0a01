package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crscore/chat/prompt"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// reply is the whole answer of a server.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// send makes a call; a nil body is none.
func (o *OpenAI) send(ctx context.Context, method, path string, body any) (reply, error) {
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return reply{}, err
		}
		sent = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, o.base.JoinPath(path).String(), sent)
	if err != nil {
		return reply{}, err
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if o.key != "" {
		r.Header.Set("Authorization", "Bearer "+o.key)
	}
	resp, err := o.http.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(http.MaxBytesReader(nil, resp.Body, limits.ReplyBytes))
	return reply{resp.StatusCode, resp.Header, bytes.TrimPrefix(b, []byte("\ufeff"))}, err
}

// json returns the JSON value of a reply. An end too early is an EOF: the connection broke.
func (r reply) json() (value json.RawMessage, err error) {
	err = json.NewDecoder(bytes.NewReader(r.body)).Decode(&value)
	return value, err
}

// Servers disagree about the types of members: an id is a number, a count is 10.0, a text is a list
// of parts. So members are read one by one, and what nobody needs is not read.

// fields are the members of an object, items the values of a list; nil for any other value.
func fields(v json.RawMessage) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(v, &m)
	return m
}

func items(v json.RawMessage) (list []json.RawMessage) {
	_ = json.Unmarshal(v, &list)
	return list
}

// plain is a string or a number as text; empty for any other value.
func plain(v json.RawMessage) (s string) {
	var n json.Number // which takes no true, false and null
	if json.Unmarshal(v, &s) != nil && json.Unmarshal(v, &n) == nil {
		s = n.String()
	}
	return s
}

// count is a number of tokens; 0 if there is none.
func count(v json.RawMessage) int {
	n, err := strconv.ParseFloat(plain(v), 64)
	if err != nil {
		return 0
	}
	return credible(n)
}

// credible is a number of tokens that a server tells; 0, which is unknown, if none can be so large
// or below 0.
func credible(n float64) int {
	if !(n > 0 && n < math.MaxInt32<<8) {
		return 0
	}
	return int(n)
}

// content is the text of a message: a string, a list of parts, or JSON that the server has read.
func content(v json.RawMessage) string {
	parts := items(v)
	if f := fields(v); f["text"] != nil {
		parts = []json.RawMessage{v}
	} else if f != nil {
		return string(v)
	}
	text := plain(v)
	for _, part := range parts {
		f := fields(part)
		switch plain(f["type"]) { // others are thoughts, refusals and calls
		case "", "text", "output_text":
			text += plain(part) + plain(f["text"])
		}
	}
	return text
}

// trouble is an error that a server reports.
type trouble struct {
	status         int // of HTTP, or in the body of an answer with the status 200
	codes, message string
	wait           time.Duration // the server asks for it
}

// trouble returns the error in a reply, nil if there is none. Servers write it as {"error": {"message":
// "text", "code": …}}, {"error": "text"}, {"detail": [{"loc": …, "msg": "text"}]}, {"message": "text"},
// in a list, in a choice, and as a page.
func (r reply) trouble() *trouble {
	t := &trouble{status: r.status, wait: retryAfter(r.header, time.Now())}
	body, _ := r.json()
	if list := items(body); len(list) > 0 {
		body = list[0]
	}
	f := fields(body)
	if choices := items(f["choices"]); len(choices) > 0 && reason(f["error"], 0) == "" {
		f["error"] = fields(choices[0])["error"]
	}
	failed := r.status < 200 || r.status >= http.StatusMultipleChoices
	t.message = reason(f["error"], 0)
	if failed || f["choices"] == nil && f["data"] == nil { // else they stand beside an answer
		t.message = cmp.Or(t.message, reason(f["errors"], 0), reason(f["detail"], 0), reason(f["message"], 0))
	}
	if t.message == "" && !failed {
		return nil
	}
	t.message = cmp.Or(t.message, string(r.body))
	for _, from := range []map[string]json.RawMessage{fields(f["error"]), f} {
		for _, name := range []string{"code", "status", "type", "param", "error_type"} {
			code := plain(from[name])
			t.codes += " " + code
			if n, err := strconv.Atoi(code); err == nil && t.status == http.StatusOK && n >= http.StatusBadRequest && n < 600 {
				t.status = n
			}
		}
	}
	for _, s := range meant {
		if t.status == http.StatusOK && s.words.MatchString(t.about()) {
			t.status = s.status
		}
	}
	return t
}

// meant are the statuses that the words of an error stand for where none is given.
var meant = []struct {
	words  *regexp.Regexp
	status int
}{
	{regexp.MustCompile(`rate.?limit|too many requests`), http.StatusTooManyRequests},
	{regexp.MustCompile(`overload|unavailable|server_error|busy|timed? ?out`), http.StatusServiceUnavailable},
	{regexp.MustCompile(`not.found|does not exist`), http.StatusNotFound},
	{regexp.MustCompile(`(?:invalid|incorrect).*api.?key|unauthori[sz]ed|authentication`), http.StatusUnauthorized},
}

// reason is the text of an error, or of a part of it. The code 0 is none.
func reason(v json.RawMessage, depth int) string {
	if s := plain(v); s != "" || v == nil || depth == limits.ErrorDepth {
		return s
	}
	var all []string
	list := items(v)
	for _, item := range list[:min(len(list), limits.ErrorDepth)] {
		if s := reason(item, depth+1); s != "" {
			all = append(all, s)
		}
	}
	f := fields(v)
	for _, name := range []string{"message", "msg", "error", "detail", "reason", "type", "code"} {
		if s := reason(f[name], depth+1); s != "" && s != "0" {
			if at := reason(f["loc"], depth+1); at != "" {
				s = strings.ReplaceAll(at, "; ", ".") + ": " + s
			}
			return s
		}
	}
	return strings.Join(all, "; ")
}

// about is the subject of the error, in small letters. Only the begin of a message counts: what follows may
// repeat the prompt, which is not trusted.
func (t *trouble) about() string {
	return strings.ToLower(prompt.Cut(t.codes, limits.ServerMessage) + " " + prompt.Cut(t.message, limits.ServerMessage))
}

// longContext is how servers say that a prompt is too long for the context. Servers in Go speak of
// another context when the time is over.
var (
	longContext = regexp.MustCompile(`(?s)context.*(?:length|size|exceed|window)|exceed.*context|(?:prompt|input).* too (?:long|large)`)
	timeOver    = regexp.MustCompile(`context (?:deadline|cancel)`)
)

// ofRequest reports whether the error is about the request. Some servers say 500 then.
func (t *trouble) ofRequest() bool {
	return slices.Contains([]int{http.StatusOK, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity,
		http.StatusInternalServerError, http.StatusNotImplemented}, t.status)
}

// context reports whether the prompt is too long.
func (t *trouble) context() bool {
	about := t.about()
	return t.ofRequest() && longContext.MatchString(about) && !timeOver.MatchString(about)
}

// Names of the limit of an answer. Newer models refuse the first.
const (
	fieldTokens           = "max_tokens"
	fieldCompletionTokens = "max_completion_tokens"
)

// A setting is optional if a model can answer without it. named finds its name in a refusal.
var optional = []struct {
	name  string
	named *regexp.Regexp
}{
	{fieldTokens, regexp.MustCompile(`\b` + fieldCompletionTokens + `\b`)}, // another name for it helps
	{"response_format", regexp.MustCompile(`\b(?:response_format|json_schema|guided_json|structured.outputs?)\b`)},
	{"seed", regexp.MustCompile(`\bseed\b`)},
	{"temperature", regexp.MustCompile(`\btemperature\b`)},
}

// leaveOut reports whether the server refuses a setting of a request, and notes it.
func (o *OpenAI) leaveOut(t *trouble, sent map[string]any) (refused bool) {
	for _, s := range optional {
		if _, ok := sent[s.name]; ok && t.ofRequest() && !t.context() && s.named.MatchString(t.about()) {
			o.refuse(s.name)
			refused = true
		}
	}
	return refused
}

// refuse notes that a setting is refused. Other names than those of settings mean nothing.
func (o *OpenAI) refuse(names ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range optional {
		if slices.Contains(names, s.name) && !slices.Contains(o.refused, s.name) {
			o.refused = append(o.refused, s.name)
		}
	}
	slices.Sort(o.refused)
}

// without returns the settings that are left out.
func (o *OpenAI) without() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.refused)
}

// Lengths of keys in bytes. A shorter key than minSecret is no secret, and may stand in any word of
// a message; one shorter than longSecret is a secret where it is a whole word.
const (
	minSecret  = 8
	longSecret = 16
)

// withoutKey takes a key out of a text.
func withoutKey(text, key string) string {
	if len(key) < minSecret {
		return text
	}
	pattern := regexp.QuoteMeta(key)
	if len(key) < longSecret && beginsWord.MatchString(key) {
		pattern = `\b` + pattern
	}
	if len(key) < longSecret && endsWord.MatchString(key) {
		pattern += `\b`
	}
	return regexp.MustCompile(pattern).ReplaceAllString(text, "[key]")
}

// A key may begin or end with another character, such as the = of base64. No boundary of a word follows it.
var beginsWord, endsWord = regexp.MustCompile(`^\w`), regexp.MustCompile(`\w$`)
