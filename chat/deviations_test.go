package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crscore/internal/limits"
	"crscore/internal/ollamatest"
)

const (
	aGood = `{"summary":["s"],"implications":["i"]}`
	bGood = `{"summary":["s"],"implications":["another"]}`
)

// ask asks a question through an Asker and reads the one JSON object of the answer. The answer is "" with an error.
func ask(t *testing.T, a *Asker, question string) (answer string, thought bool, err error) {
	t.Helper()
	if err := a.Prepare(t.Context()); err != nil {
		return "", false, err
	}
	q := Question{Kind: "test", Request: Request{Prompt: question, Schema: schema, Seed: 7, NumPredict: 99}}
	text, err := a.Ask(t.Context(), q)
	if err != nil {
		return "", false, err
	}
	said, err := Said(text)
	if err != nil {
		return "", false, err
	}
	members, err := Object(said, schema)
	if err != nil {
		return "", false, err
	}
	b, err := json.Marshal(members)
	return string(b), Thought(text), err
}

// TestDeviations: what servers do otherwise than OpenAI, and harms nobody, is read.
func TestDeviations(t *testing.T) {
	quoted := func(text string) string { b, _ := json.Marshal(text); return string(b) }
	good := quoted(aGood)
	usual := func(content string) string {
		return `{"choices":[{"message":{"content":` + content + `},"finish_reason":"stop"}]}`
	}
	for name, tt := range map[string]struct {
		body    string
		thought bool
		want    string // of the error
	}{
		"plain":                      {body: usual(good)},
		"numbers of other types":     {body: `{"id":12,"object":null,"created":1.5,"model":["m"],"system_fingerprint":3,` + usual(good)[1:]},
		"counts as floats":           {body: `{"usage":{"prompt_tokens":10.0,"completion_tokens":5.0,"cost":0.1},` + usual(good)[1:]},
		"counts as text":             {body: `{"usage":{"prompt_tokens":"10","completion_tokens":null},` + usual(good)[1:]},
		"usage as a list":            {body: `{"usage":[1],` + usual(good)[1:]},
		"usage null":                 {body: `{"usage":null,"error":null,` + usual(good)[1:]},
		"index as text":              {body: `{"choices":[{"index":"0","logprobs":[],"message":{"role":null,"content":` + good + `},"finish_reason":"stop"}]}`},
		"content in parts":           {body: usual(`[{"type":"text","text":` + good + `}]`)},
		"content in several parts":   {body: usual(`[{"type":"thinking","thinking":[{"type":"text","text":"{}"}]},{"type":"text","text":` + quoted(aGood[:9]) + `},` + quoted(aGood[9:]) + `]`)},
		"content as a part":          {body: usual(`{"type":"text","text":` + good + `}`)},
		"content as JSON":            {body: usual(aGood)},
		"another end":                {body: strings.Replace(usual(good), "stop", "EOS", 1)},
		"no end":                     {body: strings.Replace(usual(good), `"stop"`, "null", 1)},
		"in the thoughts":            {body: `{"choices":[{"message":{"content":null,"reasoning_content":` + good + `},"finish_reason":"stop"}]}`, thought: true},
		"in thoughts of their own":   {body: `{"choices":[{"message":{"content":" ","reasoning":` + quoted("<think>hm {\"summary\":[]}</think>\n```json\n"+aGood+"\n```") + `},"finish_reason":"stop"}]}`, thought: true},
		"beside thoughts":            {body: `{"choices":[{"message":{"content":` + good + `,"reasoning_content":"hm"},"finish_reason":"stop"}]}`},
		"thoughts alone":             {body: `{"choices":[{"message":{"content":"","reasoning_content":` + quoted("It may be "+aGood) + `},"finish_reason":"stop"}]}`, want: "ends in the model's thoughts"},
		"a mark of byte order":       {body: "\ufeff" + usual(good)},
		"an error that is none":      {body: `{"error":{"code":0,"message":""},"message":"OK","detail":"fine",` + usual(good)[1:]},
		"beside empty thoughts":      {body: `{"choices":[{"message":{"content":"<think>\n</think>\n","reasoning":{"text":` + good + `}},"finish_reason":"stop"}]}`, thought: true},
		"after thoughts twice":       {body: usual(quoted("<think></think>\n<think>{\"summary\":[]}</think>\n" + aGood))},
		"after thoughts of Gemma":    {body: usual(quoted("<thought>" + bGood + "</thought>" + aGood))},
		"after thoughts":             {body: usual(quoted("<think>{\"summary\":[]}</think>\n" + aGood))},
		"twice":                      {body: usual(quoted(aGood + "\n" + `{ "implications": ["i"], "summary":["s"]}`))},
		"twice, and they differ":     {body: usual(quoted(aGood + "\n" + bGood)), want: "more than one JSON object"},
		"twice, and the second ends": {body: usual(quoted(aGood + "\n" + bGood[:12])), want: "its JSON breaks off"},
		"in prose with braces":       {body: usual(quoted("The set {a, b} and {\"k\": v} and {} and {\"k\": 1} are odd.\n" + aGood + "\nI hope {this} helps."))},
		"in a fence":                 {body: usual(quoted("Here:\n```json\n" + aGood + "\n```\n"))},
		"a prompt of 1024 tokens":    {body: `{"usage":{"prompt_tokens":1024},` + usual(good)[1:]},
		"a prompt of 4096 tokens":    {body: `{"usage":{"prompt_tokens":4096},` + usual(good)[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := newOpenAI(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/models") {
					io.WriteString(w, `{"message":"OK","data":[null,3,{"id":12},{"id":"m","created":1.5,"max_model_len":8192.0}]}`)
					return
				}
				io.WriteString(w, tt.body)
			})
			got, thought, err := ask(t, newAsker(t, m, Options{}), "Well?")
			switch {
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%s, %v", got, err)
			case tt.want == "" && (err != nil || !strings.Contains(got, `"i"`) || thought != tt.thought):
				t.Errorf("%s, %v, %v", got, thought, err)
			}
		})
	}
}

// TestCounts: numbers of tokens that cannot be are unknown, and calls with such a number
// are counted.
func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		prompt, answer string
		want           Usage
	}{
		{"10", "5", Usage{Calls: 1, PromptTokens: 10, AnswerTokens: 5}},
		{"-1000000", "5", Usage{Calls: 1, AnswerTokens: 5, Uncounted: 1}},
		{"10", "-5", Usage{Calls: 1, PromptTokens: 10, Uncounted: 1}},
		{"-9223372036854775808", "9223372036854775807", Usage{Calls: 1, Uncounted: 1}},
		{"0", "0", Usage{Calls: 1, Uncounted: 1}},
	} {
		openAI, _ := newOpenAI(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":%s,"completion_tokens":%s}}`, aGood, tt.prompt, tt.answer)
		})
		ollama := fakeModel(t, ollamatest.NewFake(t, 0, func(w http.ResponseWriter, _ ollamatest.Asked) {
			fmt.Fprintf(w, `{"response":%q,"done":true,"done_reason":"stop","prompt_eval_count":%s,"eval_count":%s}`, aGood, tt.prompt, tt.answer)
		}), "m")
		for _, m := range []Model{openAI, ollama} {
			a := newAsker(t, m, Options{})
			if _, _, err := ask(t, a, "Well?"); err != nil {
				t.Errorf("%s: %v", m.Name(), err)
			}
			got := a.Usage()
			if got.Time = 0; got != tt.want {
				t.Errorf("%s, %s and %s tokens: %+v", m.Name(), tt.prompt, tt.answer, got)
			}
		}
	}
}

// memory is a cache.
type memory struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (m *memory) Get(_ context.Context, key string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.kept[key]
	return b, ok, nil
}

func (m *memory) Put(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[key] = value
	return nil
}

// TestRefusedSettings: a setting that a server refuses is left out, and the signature and the cache's key say so.
func TestRefusedSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		member, refusal string
		status          int
		signature       string
	}{
		"temperature":                 {"temperature", `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}`, 400, "/without-temperature"},
		"temperature, in other words": {"temperature", `{"error":"temperature must be strictly positive"}`, 422, "/without-temperature"},
		"temperature, in an answer":   {"temperature", `{"error":{"message":"no temperature, please","code":400}}`, 200, "/without-temperature"},
		"temperature, as its fault":   {"temperature", `{"error":"temperature is not supported"}`, 500, "/without-temperature"},
		"seed":                        {"seed", `{"detail":[{"loc":["body","seed"],"msg":"extra fields not permitted"}]}`, 422, "/without-seed"},
		"response_format":             {"response_format", `{"error":"'response_format.type' must be 'text'"}`, 400, "/without-response_format"},
		"max_tokens":                  {"max_tokens", `{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`, 400, "/without-max_tokens"},
		"nothing":                     {"no such", "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var with, without int
			m, s := newOpenAI(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/models") {
					io.WriteString(w, `{"data":[{"id":"m"}]}`)
					return
				}
				var body map[string]any
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
					t.Error(err)
				}
				if body[tt.member] != nil {
					with++
					w.WriteHeader(tt.status)
					io.WriteString(w, tt.refusal)
					return
				}
				without++
				if body["max_tokens"] == nil && body["max_completion_tokens"] == nil {
					t.Error("no limit of the answer")
				}
				fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, aGood)
			})
			cache := &memory{kept: map[string][]byte{}}
			for range 2 { // the second time from the cache
				a := newAsker(t, m, Options{Cache: cache})
				if got, _, err := ask(t, a, "Well?"); err != nil || !strings.Contains(got, `"i"`) {
					t.Errorf("%s, %v", got, err)
				}
				if sig := a.Signature(); !strings.HasSuffix(sig, tt.signature) || tt.signature == "" && strings.Contains(sig, "/") {
					t.Errorf("signature %s", sig)
				}
				var err error
				if m, err = NewOpenAI("m", s.URL+"/v1"); err != nil {
					t.Fatal(err)
				}
			}
			if refused := min(len(tt.signature), 1); with != refused || without != 2 || len(cache.kept) != 2 {
				t.Errorf("%d calls with, %d without, %d kept", with, without, len(cache.kept))
			}
		})
	}
}

// TestLateRefusal: an answer without a setting that the signature promises is none.
func TestLateRefusal(t *testing.T) {
	m, _ := newOpenAI(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if strings.Contains(string(b), "Well?") && strings.Contains(string(b), "seed") {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":"no seed here"}`)
			return
		}
		fmt.Fprintf(w, `{"data":[],"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, aGood)
	})
	cache := &memory{kept: map[string][]byte{}}
	if _, _, err := ask(t, newAsker(t, m, Options{Cache: cache}), "Well?"); err == nil || !strings.Contains(err.Error(), "refuses settings (seed)") {
		t.Error(err)
	}
	if _, _, err := ask(t, newAsker(t, m, Options{Cache: cache}), "Well?"); err != nil {
		t.Error("the second run:", err)
	}
}

// TestRetryAfter: the wait that a server asks for, up to the limit.
func TestRetryAfter(t *testing.T) {
	for name, tt := range map[string]struct {
		header, value string
		waits         string
		want          string
	}{
		"seconds":         {"Retry-After", "3", "3s 3s", "after 3 tries"},
		"part of seconds": {"Retry-After", "0.7", "700ms 1s", "after 3 tries"},
		"none":            {"X", "", "500ms 1s", "after 3 tries"},
		"garbage":         {"Retry-After", "soon", "500ms 1s", "after 3 tries"},
		"negative":        {"Retry-After", "-5", "500ms 1s", "after 3 tries"},
		"no number":       {"Retry-After", "NaN", "500ms 1s", "after 3 tries"},
		"too long":        {"Retry-After", "3600", "", "it asks for a wait of 1h0m0s, and the limit is 1m0s"},
		"endless":         {"Retry-After", "99999999999999999999999", "", "and the limit is 1m0s"},
		"a past date":     {"Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT", "500ms 1s", "after 3 tries"},
	} {
		var waits []string
		m, _ := newOpenAI(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(tt.header, tt.value)
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, `{"error":"wait"}`)
		})
		_, err := generate(t.Context(), m, Request{Prompt: "Well?"}, time.Minute, func(_ context.Context, d time.Duration) error {
			waits = append(waits, d.String())
			return nil
		})
		if got := strings.Join(waits, " "); err == nil || got != tt.waits || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: waits %s, want %s; %v", name, got, tt.waits, err)
		}
	}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	date := http.Header{"Retry-After": {now.Add(20 * time.Second).Format(http.TimeFormat)}}
	if d := retryAfter(date, now); d != 20*time.Second {
		t.Errorf("a date: %s", d)
	}
}

// TestOllamaRetryAfter: a server before Ollama asks for a wait, too.
func TestOllamaRetryAfter(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "4")
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, `{"error":"busy"}`)
	}))
	defer s.Close()
	m, err := NewOllama("m", s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), Request{Prompt: "Well?"}); asksToWait(err) != 4*time.Second {
		t.Error(err, asksToWait(err))
	}
}

// TestServersWait: no server of several is asked before the time that it asks for.
func TestServersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, a := three(t, 1, nil)
		if err := a.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for _, m := range all {
			m.fail(later{fmt.Errorf("%w: full", ErrTransient), 20 * time.Second})
		}
		time.AfterFunc(15*time.Second, func() {
			for _, m := range all {
				m.fail(nil)
			}
		})
		allNil(t, askAll(t.Context(), a, "0"))
		if took := time.Since(start); took < 20*time.Second || took > 30*time.Second || all[0].calls()+all[1].calls()+all[2].calls() != 4 {
			t.Errorf("answered after %s, with %d, %d and %d calls", took, all[0].calls(), all[1].calls(), all[2].calls())
		}
	})
}

// TestWithoutKey: a secret goes, a word stays.
func TestWithoutKey(t *testing.T) {
	for _, tt := range []struct{ key, text, want string }{
		{"", "a text", "a text"},
		{"x", "a text about x", "a text about x"},
		{"EMPTY", "EMPTY is no key", "EMPTY is no key"},
		{"password", "password: two passwords", "[key]: two passwords"},
		{"c2VjcmV0MQ==", "key c2VjcmV0MQ== is no key", "key [key] is no key"},
		{"-secret0-", "a-secret0-b", "a[key]b"},
		{secret, "x" + secret + secret, "x[key][key]"},
	} {
		if got := withoutKey(tt.text, tt.key); got != tt.want {
			t.Errorf("%q without %q: %q, want %q", tt.text, tt.key, got, tt.want)
		}
	}
}

// TestObjectTime: the time for an answer grows with its length.
func TestObjectTime(t *testing.T) {
	for _, part := range []string{"{", `{"a":`, `{"a":x`, "{} ", `{"summary":[]} `} {
		start := time.Now()
		_, err := Object(strings.Repeat(part, limits.SaidBytes/len(part)), schema)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q many times took %s: %v", part, took, err)
		}
	}
}

// FuzzObject: an object that is read stands in the text.
func FuzzObject(f *testing.F) {
	for _, text := range []string{aGood, aGood + bGood, "{a} " + aGood, `{"summary":1,"summary":2}`, "```{}```", "{{{", `{"a":{"a":`, "<reasoning_content>\n{\"a\":\"\\ud83d\"}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text, err := Said(text)
		if err != nil {
			return
		}
		members, err := Object(text, schema)
		for _, v := range members {
			if err == nil && !strings.Contains(text, string(v)) {
				t.Errorf("%q is not in %q", v, text)
			}
		}
	})
}
