package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"crscore"
	"crscore/internal/server/guard"
	"crscore/internal/syntax"
)

// service is a Server on a real port.
type service struct {
	*Server
	t    *testing.T
	url  string
	addr string
	logs *buffer
	stop func() error // ends it, and returns what Serve did
}

// buffer can be written to by many.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

var engines = sync.OnceValues(func() (*crscore.Engine, error) {
	return crscore.New(context.Background(), crscore.Options{})
})

// cold leaves a service without an engine.
func cold(*Server) {}

// warmed gives a service the default engine.
func warmed(t *testing.T) func(*Server) {
	return func(s *Server) {
		t.Helper()
		e, err := engines()
		if err == nil {
			err = s.Warm(t.Context(), e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// start serves the default engine, or what is made of the service before it serves.
func start(t *testing.T, o Options, prepare ...func(*Server)) *service {
	t.Helper()
	logs := &buffer{}
	o.Log = slog.New(slog.NewJSONHandler(logs, nil))
	srv, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(prepare) == 0 {
		prepare = append(prepare, warmed(t))
	}
	for _, do := range prepare {
		do(srv)
	}
	ln, err := guard.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, ln) }()
	stop := sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { _ = stop() })
	return &service{srv, t, "http://" + ln.Addr().String(), ln.Addr().String(), logs, stop}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request; header lines stand behind the body as "Name: value".
func (s *service) ask(method, path, body string, header ...string) answer {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	client := http.Client{Timeout: 5 * time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{res.StatusCode, res.Header, string(b)}
	s.described(method, path, a)
	return a
}

// described holds an answer against openapi.json.
func (s *service) described(method, path string, a answer) {
	s.t.Helper()
	d, err := described()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := d.check(method, path, a); err != nil {
		s.t.Error(err)
	}
}

// want is ask for those who know the status.
func (s *service) want(status int, method, path, body string, header ...string) answer {
	s.t.Helper()
	a := s.ask(method, path, body, header...)
	if a.status != status {
		s.t.Errorf("%s %s %q: %d, want %d: %.300s", method, path, header, a.status, status, a.body)
	}
	return a
}

// dial connects a socket that is closed with the test.
func (s *service) dial() net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	return c
}

// raw sends bytes and reads one answer; its status is 0 where the service closes the
// connection without one.
func (s *service) raw(text, method, path string) answer {
	s.t.Helper()
	c := s.dial()
	if _, err := io.WriteString(c, text); err != nil {
		s.t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return answer{}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{res.StatusCode, res.Header, string(b)}
	s.described(method, path, a)
	return a
}

// request is JSON of fields with the change of the demonstration.
func request(t testing.TB, fields map[string]any) string {
	t.Helper()
	b, err := os.ReadFile("../../testdata/cache-expiry/change.diff")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"diff": string(b)}
	for k, v := range fields {
		if all[k] = v; v == nil {
			delete(all, k)
		}
	}
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestScore: the service says what the engine says.
func TestScore(t *testing.T) {
	s := start(t, Options{})
	got := s.ask("POST", "/v1/score", request(t, map[string]any{
		"mode": "hard", "tau": 0.3, "similarities": true,
		"reviews": []map[string]any{{"id": "mine", "text": "Callers of `put` must now pass `ttl`. Nice!"}, {"text": ""}},
	}))
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	var a struct {
		Signature, Mode string
		Tau             *float64
		Refs            []map[string]any
		Warnings        []string
		Results         []struct {
			Review, Status, Signature, Note string
			Con, Comp, Rel                  *float64
			Sentences, Refs                 *int
			Explain                         any
			Similarities                    [][]float64
		}
	}
	if err := json.Unmarshal([]byte(got.body), &a); err != nil {
		t.Fatal(err)
	}
	if a.Mode != "hard" || a.Tau == nil || *a.Tau != 0.3 || !strings.Contains(a.Signature, " mode=hard tau=0.3 claims=") || a.Warnings == nil {
		t.Errorf("the rule is not the one asked for: %s", got.body)
	}
	if len(a.Results) != 2 || a.Results[0].Review != "mine" || a.Results[1].Review != "2" || a.Results[0].Signature != a.Signature || a.Results[0].Explain != nil {
		t.Fatalf("results: %s", got.body)
	}
	first, empty := a.Results[0], a.Results[1]
	if len(first.Similarities) != 2 || len(first.Similarities[0]) != len(a.Refs) || *first.Refs != len(a.Refs) {
		t.Fatalf("%d×%d similarities for %d references", len(first.Similarities), len(first.Similarities[0]), len(a.Refs))
	}
	// The numbers follow from the matrix.
	on := 0
	for _, row := range first.Similarities {
		best := 0.0
		for _, v := range row {
			best = max(best, v)
		}
		if best > 0.3 {
			on++
		}
	}
	if want := float64(on) / 2; *first.Con != want {
		t.Errorf("con is %v, and the matrix says %v", *first.Con, want)
	}
	if *empty.Con != 0 || empty.Note == "" || !strings.Contains(got.body, `"similarities":[]`) {
		t.Errorf("an empty review: %s", got.body)
	}
}

// TestParsedOnce: claims, smells and the page of a request share the trees. Each side of a file is
// parsed once.
func TestParsedOnce(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	warmed(t)(s)
	file := func(path, old, new string) any { return map[string]any{"path": path, "old": old, "new": new} }
	files := []any{file("q.py", "def push(item):\n    return 1\n", "def push(item, hash):\n    return 1\n"),
		file("q.go", "package q\n\nvar a = 1\n", "package q\n\nvar a = 2\n"), file("a.py", "", "x = 1\n")}
	for path, fields := range map[string]map[string]any{
		"score": {"reviews": []any{map[string]any{"text": "x"}}}, "gate": {"comments": "x"}, "refs": {},
	} {
		for _, drawn := range []bool{false, true} {
			fields["diff"], fields["files"], fields["change"] = nil, files, drawn
			parses := 0
			r := httptest.NewRequest("POST", "http://localhost/v1/"+path, strings.NewReader(request(t, fields)))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r.WithContext(syntax.Watch(r.Context(), func(int) { parses++ })))
			if w.Code != 200 || parses != 5 {
				t.Errorf("%s, drawn %v: %d texts were parsed, want 5: %d %s", path, drawn, parses, w.Code, w.Body)
			}
		}
	}
}

// TestFiles: whole files are judged as their diff is with whole texts, and a request can have
// the change as a page draws it.
func TestFiles(t *testing.T) {
	s := start(t, Options{})
	ask := func(path string, fields map[string]any) (refs, change string) {
		t.Helper()
		fields["lang"] = "py"
		a := s.want(200, "POST", "/v1/"+path, request(t, fields))
		var got struct{ Refs, Change json.RawMessage }
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		return string(got.Refs), string(got.Change)
	}
	old, new := "def push(item):\n    return 1\n", "def push(item, hash):\n    return 1\n"
	refs, change := ask("refs", map[string]any{"diff": nil, "change": true, "files": []any{map[string]any{"path": "q.py", "old": old, "new": new}}})
	same, again := ask("refs", map[string]any{"diff": "--- a/q.py\n+++ b/q.py\n@@ -1,2 +1,2 @@\n-def push(item):\n+def push(item, hash):\n     return 1\n", "old": old, "new": new, "change": true})
	if refs != same || change != again || !strings.Contains(refs, "hash") || !strings.Contains(change, `{"text":", hash","changed":true}`) {
		t.Errorf("whole files have\n%s\n%s\ntheir diff\n%s\n%s", refs, change, same, again)
	}
	for path, fields := range map[string]map[string]any{
		"score": {"reviews": []string{"x"}}, "gate": {"comments": "x"}, "refs": {},
	} {
		if _, change := ask(path, fields); change != "" {
			t.Errorf("%s answers a change without being asked: %s", path, change)
		}
		fields["change"] = true
		if refs, change := ask(path, fields); !strings.Contains(change, `"files":[{"path":"`) || !strings.Contains(refs, `"source":"symbolic"`) {
			t.Errorf("%s answers no change, or no references of it: %s, %s", path, change, refs)
		}
	}
}

// TestBadRequests: what is wrong is told, and where.
func TestBadRequests(t *testing.T) {
	s := start(t, Options{})
	const diff = `"diff":"@@ -1 +1,2 @@\n a = 1\n+b = a\n","path":"a.py"`
	for _, tt := range []struct{ path, body, pointer, detail string }{
		{"score", ``, "", "the body is empty"},
		{"score", `{`, "", "not JSON"},
		{"score", `[1]`, "", "got a JSON array, want an object"},
		{"score", `{"diff":"a","diff":"b"}`, "/diff", `the field "diff" is there twice`},
		{"score", `{"Diff":"a"}`, "/Diff", `there is no field "Diff": did you mean "diff"? (fields: diff, path, lang, old, new, files, change, reviews, mode, comp_by, tau, low, slope, explain, similarities)`},
		{"score", `{"model":"m"}`, "/model", `there is no field "model": did you mean "mode"? (fields: diff, `},
		{"score", `{"diff":1}`, "/diff", "got a JSON number, want a string"},
		{"score", `{` + diff + `,"reviews":"x"}`, "/reviews", "got a JSON string, want an array"},
		{"score", `{` + diff + `,"reviews":["x",7]}`, "/reviews/1", "got a JSON number, want a string or an object"},
		{"score", `{` + diff + `,"reviews":["x",{"text":["y"]}]}`, "/reviews/1/text", "got a JSON array, want a string"},
		{"score", `{` + diff + `,"review":["x"]}`, "/review", `there is no field "review": did you mean "reviews"? (fields: diff, `},
		{"score", `{` + diff + `,"reviews":["x",null]}`, "/reviews/1/text", "the review has no text"},
		{"score", `{` + diff + `,"reviews":["x"],"explain":"yes"}`, "/explain", "got a JSON string, want true or false"},
		{"gate", `{` + diff + `,"comments":"x","policy":{"max_comments":1.5}}`, "/policy/max_comments", "got the number 1.5, want a whole number"},
		{"score", "{\"diff\":\"\xff\"}", "/diff", "not JSON: invalid UTF-8"},
		{"score", `{` + diff + `}`, "/reviews", "there is no review"},
		{"score", `{` + diff + `,"reviews":[{"text":"x"},{"id":"y"}]}`, "/reviews/1/text", "the review has no text"},
		{"score", `{` + diff + `,"reviews":[{"text":"x","by":"y"}]}`, "/reviews/0/by", `there is no field "by" (fields: id, text)`},
		{"score", `{"reviews":[{"text":"x"}]}`, "/diff", "there is no diff"},
		{"score", `{"diff":"","reviews":[{"text":"x"}]}`, "/diff", "the diff is empty"},
		{"score", `{"diff":"@@ -1 +1 @@\n?\n","reviews":[{"text":"x"}]}`, "/diff", "malformed diff: "},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"mode":"medium"}`, "/mode", `unknown mode "medium"`},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"mode":"soft","tau":0.1}`, "/tau", "mode soft does not use tau: leave it out or choose mode hard"},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"tau":2}`, "/tau", "tau is 2"},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"mode":"hard","tau":0.5,"low":0.9}`, "/low", "mode hard does not use low"},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"mode":"ramp","tau":0.5,"low":0.9}`, "/low", "the lower threshold is 0.9"},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"mode":"ramp","tau":0}`, "/tau", "below the default low"},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"mode":"calibrated","slope":-1}`, "/slope", "the slope is -1"},
		{"gate", `{` + diff + `,"comments":"x","slope":1}`, "/slope", "does not use slope"},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"comp_by":"most"}`, "/comp_by", `unknown comp "most": choose best or noisy-or`},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"mode":"hard","comp_by":"noisy-or"}`, "/comp_by", "mode hard does not use comp noisy-or"},
		{"gate", `{` + diff + `,"comments":"x","mode":"calibrated","comp_by":"noisy-or"}`, "/comp_by", "mode calibrated does not use comp noisy-or"},
		{"score", `{` + diff + `,"reviews":[{"text":"x"}],"tau":"0.1"}`, "/tau", "got a JSON string, want a number"},
		{"gate", `{` + diff + `}`, "/comments", "there are no comments"},
		{"gate", `{` + diff + `,"comments":null}`, "/comments", "there are no comments"},
		{"gate", `{` + diff + `,"comments":7}`, "/comments", "want an object, an array or a string"},
		{"gate", `{` + diff + `,"comments":{"a":1}}`, "/comments", "this is JSON, but not a review"},
		{"gate", `{` + diff + `,"comments":[{"body":1,"path":"a.py"}]}`, "/comments", "comment 1"},
		{"gate", `{` + diff + `,"comments":"x","comments_format":"xml"}`, "/comments_format", `unknown format "xml"`},
		{"gate", `{` + diff + `,"comments":"x","policy":{"min_con":1.5}}`, "/policy/min_con", "must be a number from 0 to 1"},
		{"gate", `{` + diff + `,"comments":"x","policy":{"drop":["empty","off-topic"]}}`, "/policy/drop/1", `no kind of comment to drop is "off-topic": choose of [elsewhere empty vague repeated]`},
		{"gate", `{` + diff + `,"comments":"x","policy":{"drop":["empty","vague","empty"]}}`, "/policy/drop/2", `"empty" is there twice`},
		{"gate", `{` + diff + `,"comments":"x","policy":{"drop":"empty"}}`, "/policy/drop", "got a JSON string, want an array"},
		{"gate", `{` + diff + `,"comments":"x","policy":{"min_rel":-1}}`, "/policy/min_rel", "must be a number from 0 to 1"},
		{"gate", `{` + diff + `,"comments":"x","policy":{"max_comments":-1}}`, "/policy/max_comments", "must be at least 1"},
		{"gate", `{` + diff + `,"comments":"x","policy":{"empty":"maybe"}}`, "/policy/empty", "can pass or fail"},
		{"refs", `{"diff":"@@ -1 +1 @@\n-a\n+b\n","path":"` + strings.Repeat("p", 5000) + `"}`, "/path", "the path has 5000 bytes, more than the limit of 4096"},
		{"refs", `{"diff":"--- a\n+++ b/` + strings.Repeat("p", 5000) + `\n@@ -1 +1 @@\n-a\n+b\n"}`, "/diff", "the path of a file has 5000 bytes"},
		{"gate", `{` + diff + `,"comments":"x","policy":{"min_cons":1}}`, "/policy/min_cons", `there is no field "min_cons": did you mean "min_con"? (fields: drop, drop_off_topic, min_con, min_comp, min_rel, max_comments, empty, checks)`},
		{"refs", `{` + diff + `,"files":[]}`, "/files", "there is a diff, too"},
		{"refs", `{"files":[]}`, "/files", "the old and the new texts are equal"},
		{"refs", `{"files":[{"path":"a.py","new":"x"}],"path":"a.py"}`, "/files", "path, old and new are for a diff"},
		{"refs", `{"files":[{"path":"a.py"}]}`, "/files", "file 1: a.py has neither an old nor a new text"},
		{"refs", `{"files":[{"path":"a.py","text":"x"}]}`, "/files/0/text", `there is no field "text" (fields: path, old, new)`},
		{"gate", `{` + diff + `,"comments":"x","bare":true}`, "/bare", "bare needs kept"},
		{"refs", `{` + diff + `,"reviews":[]}`, "/reviews", `there is no field "reviews" (fields: diff, path, lang, old, new, files, change)`},
	} {
		a := s.want(400, "POST", "/v1/"+tt.path, tt.body)
		var p struct{ Detail, Pointer string }
		if err := json.Unmarshal([]byte(a.body), &p); err != nil {
			t.Fatal(err)
		}
		if p.Pointer != tt.pointer || !strings.Contains(p.Detail, tt.detail) {
			t.Errorf("%s: %q at %q, want %q at %q", tt.body, p.Detail, p.Pointer, tt.detail, tt.pointer)
		}
	}
}

// TestReviewsAsStrings: a review that is a string has the score of the same text in an
// object.
func TestReviewsAsStrings(t *testing.T) {
	s := start(t, Options{})
	const text = "Callers of `put` must now pass `ttl`."
	objects := s.want(200, "POST", "/v1/score", request(t, map[string]any{"reviews": []any{map[string]any{"text": text}, map[string]any{"text": ""}, map[string]any{"id": "c", "text": "Nice!"}}}))
	mixed := s.want(200, "POST", "/v1/score", request(t, map[string]any{"reviews": []any{text, "", map[string]any{"id": "c", "text": "Nice!"}}}))
	if mixed.body != objects.body {
		t.Errorf("got\n%s\nwant\n%s", mixed.body, objects.body)
	}
}

// startWith serves an engine of its own.
func startWith(t *testing.T, o crscore.Options) *service {
	t.Helper()
	e, err := crscore.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{}, cold)
	if err := s.Warm(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.stop(); _ = e.Close() })
	return s
}

// TestUnscored: what has no score says why, and is no error.
func TestUnscored(t *testing.T) {
	s := startWith(t, crscore.Options{Claims: []crscore.Source{}, Smells: []crscore.Source{}})
	const change = `"diff":"@@ -1 +1,2 @@\n a = 1\n+b = a\n"`
	a := s.want(200, "POST", "/v1/score", `{`+change+`,"reviews":[{"text":"Fine."}],"similarities":true}`)
	if !strings.Contains(a.body, `"refs":[]`) || !strings.Contains(a.body, `"status":"unscored","reason":"`) || strings.Contains(a.body, `"con"`) {
		t.Errorf("score: %s", a.body)
	}
	a = s.want(200, "POST", "/v1/gate", `{`+change+`,"comments":"Fine.","policy":{"drop_off_topic":true},"kept":true}`)
	if !strings.Contains(a.body, `"outcome":"undecided"`) || !strings.Contains(a.body, "Fine.") {
		t.Errorf("gate: %s", a.body)
	}
	a = s.want(200, "POST", "/v1/refs", `{`+change+`}`)
	if !strings.Contains(a.body, `"refs":[],"reason":"`) {
		t.Errorf("refs: %s", a.body)
	}
	m := s.want(200, "GET", "/metrics", "").body
	for _, want := range []string{`crscore_reviews_total{status="unscored"} 2`, `crscore_reviews_total{status="scored"} 0`, `crscore_gate_decisions_total{outcome="undecided"} 1`} {
		if !strings.Contains(m, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
}

// failing is a source that cannot look.
type failing struct{}

func (failing) Refs(context.Context, *crscore.ChangeRun) (crscore.Found, error) {
	return crscore.Found{}, errors.New("the model does not answer")
}

func (failing) Signature() string { return "failing/1" }

// TestOutage: a source that fails is no score, no decision and no list of references.
func TestOutage(t *testing.T) {
	s := startWith(t, crscore.Options{Claims: []crscore.Source{failing{}}})
	for path, want := range map[string]string{"score": `"status":"unscored","reason":"failing/1: the model does not answer"`, "gate": `"outcome":"undecided"`} {
		fields := map[string]any{"comments": "Fine."}
		if path == "score" {
			fields = map[string]any{"reviews": []any{map[string]any{"text": "Fine."}}}
		}
		if a := s.want(200, "POST", "/v1/"+path, request(t, fields)); !strings.Contains(a.body, want) {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	if a := s.want(503, "POST", "/v1/refs", request(t, nil)); !strings.Contains(a.body, "the model does not answer") || a.header.Get("Retry-After") != "" {
		t.Errorf("refs: %v %s", a.header, a.body)
	}
}

// TestGate: the decision is the gate's, and what is kept comes as it came.
func TestGate(t *testing.T) {
	s := start(t, Options{})
	list := []any{
		map[string]any{"path": "cache.py", "line": 14, "side": "RIGHT", "body": "Callers of `put` must now pass `ttl`.", "mine": 7},
		map[string]any{"path": "cache.py", "line": 4, "side": "RIGHT", "body": "Please rebase onto main."},
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{"policy": map[string]any{"drop_off_topic": true}, "kept": true, "mode": "hard", "tau": 0.3}
	type decision struct {
		Outcome, Mode, Signature string
		Comments                 []struct {
			Kept                  bool
			Verdict, Dropped, Why string
			P, Z                  *float64
		}
		Verdicts map[string]int
		Policy   struct{ Drop []string }
		Kept     any
	}
	judge := func(comments any, bare bool) (d decision) {
		t.Helper()
		fields["comments"], fields["bare"] = comments, bare
		if err := json.Unmarshal([]byte(s.want(200, "POST", "/v1/gate", request(t, fields)).body), &d); err != nil {
			t.Fatal(err)
		}
		if d.Outcome != "pass" || !strings.Contains(d.Signature, " mode=hard tau=0.3 ") || len(d.Comments) != 2 || !d.Comments[0].Kept || d.Comments[1].Kept {
			t.Fatalf("decision: %+v", d)
		}
		if a, b := d.Comments[0], d.Comments[1]; a.Verdict != "about" || a.Why == "" || a.P == nil || *a.P < 0.5 || a.Z == nil || *a.Z < 0 || b.Verdict != "empty" || b.Dropped != "empty" || b.Why != "nothing but process remarks" {
			t.Errorf("verdicts: %+v", d)
		}
		if !strings.Contains(d.Signature, " aboutness=1:") || d.Verdicts["about"] != 1 || d.Verdicts["empty"] != 1 || !slices.Equal(d.Policy.Drop, []string{"elsewhere", "empty"}) {
			t.Errorf("decision: %+v", d)
		}
		return d
	}
	if got := judge(list, true).Kept; !reflect.DeepEqual(got, []any{map[string]any{"path": "cache.py", "line": 14.0, "side": "RIGHT", "body": "Callers of `put` must now pass `ttl`.", "mine": 7.0}}) {
		t.Errorf("kept: %v", got)
	}
	kept, _ := judge(list, false).Kept.([]any)
	if len(kept) != 1 || kept[0].(map[string]any)["crscore"] == nil {
		t.Errorf("kept with verdicts: %v", kept)
	}
	if got, ok := judge(string(raw), true).Kept.(string); !ok || strings.Contains(got, "rebase") || !strings.Contains(got, "`ttl`") {
		t.Errorf("kept of a string: %v", got)
	}
	fields["policy"] = map[string]any{"drop": []string{"empty"}, "drop_off_topic": true}
	fields["comments_format"] = "paragraphs"
	if got := judge("Callers of `put` must now pass `ttl`.\n\nPlease rebase onto main.", true).Kept; got != "Callers of `put` must now pass `ttl`.\n\n" {
		t.Errorf("kept of plain text: %q", got)
	}
}
