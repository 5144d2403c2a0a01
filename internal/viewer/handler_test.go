package viewer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/limits"
	"crscore/internal/server/guard"
	"crscore/internal/server/page"
	"crscore/score"
)

// get asks a viewer, and returns the answer's body.
func get(t *testing.T, h http.Handler, status int, method, target string, header ...string) (string, http.Header) {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	r.Host = "localhost:1"
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != status {
		t.Errorf("%s %.100s: %d %s", method, target, w.Code, w.Body)
	}
	return w.Body.String(), w.Header()
}

// TestGuard: the viewer answers its own page, and nobody else.
func TestGuard(t *testing.T) {
	h := view(t, make1(t, sizes{changes: 3, systems: 2}).options()).Handler(nil)
	for _, tt := range []struct {
		status         int
		method, target string
		header         []string
	}{
		{200, "GET", "/", nil}, {200, "HEAD", "/view.css", nil}, {200, "GET", "/result.js", nil}, {200, "GET", "/api/run", []string{"Sec-Fetch-Site", "same-origin"}},
		{200, "GET", "/api/run", []string{"Sec-Fetch-Site", "none"}}, {403, "GET", "/api/run", []string{"Sec-Fetch-Site", "cross-site"}}, {403, "GET", "/api/change?id=1", []string{"Sec-Fetch-Site", "same-site"}},
		{421, "GET", "/", []string{"Host", "evil.example"}}, {421, "GET", "/api/run", []string{"Host", "127.0.0.1.evil.example"}}, {200, "GET", "/api/run", []string{"Host", "127.0.0.1:9"}}, {200, "GET", "/api/run", []string{"Host", "[::1]:9"}},
		{404, "GET", "/view.html", nil}, {404, "GET", "/page.html", nil}, {404, "GET", "/page/view.js", nil}, {404, "GET", "/../handler.go", nil}, {404, "GET", "/api", nil}, {404, "GET", "/api/run/", nil},
		{405, "POST", "/", nil}, {405, "POST", "/api/rows", nil}, {405, "DELETE", "/api/run", nil}, {405, "OPTIONS", "/api/run", nil},
		{400, "GET", "/api/run?x=1", nil}, {400, "GET", "/api/rows?from=-1", nil}, {400, "GET", "/api/systems?from=1", nil}, {400, "GET", "/api/change", nil}, {400, "GET", "/api/change?id=1&x=2", nil}, {404, "GET", "/api/change?id=x", nil},
	} {
		body, head := get(t, h, tt.status, tt.method, tt.target, tt.header...)
		want := map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
		if tt.status == 200 && !strings.HasPrefix(tt.target, "/api/") {
			want["Content-Security-Policy"], want["Cross-Origin-Opener-Policy"] = policy, "same-origin"
		}
		for name, value := range want {
			if got := head.Get(name); got != value {
				t.Errorf("%s %s: %s is %q", tt.method, tt.target, name, got)
			}
		}
		var problem struct {
			Status int
			Detail string
		}
		if tt.status >= 400 && (json.Unmarshal([]byte(body), &problem) != nil || problem.Status != tt.status || problem.Detail == "") {
			t.Errorf("%s %s: %s", tt.method, tt.target, body)
		}
		for name := range head {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s has %s", tt.target, name)
			}
		}
	}
	if _, head := get(t, h, 405, "POST", "/"); head.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow: %q", head.Get("Allow"))
	}
	_, head := get(t, h, 200, "GET", "/view.js")
	get(t, h, 304, "GET", "/view.js", "If-None-Match", head.Get("ETag"))
}

// TestModules: every module and style sheet that the page asks for is served, and none does
// what the policy forbids.
func TestModules(t *testing.T) {
	h := view(t, make1(t, sizes{changes: 1, systems: 1}).options()).Handler(nil).(*handler)
	asked := regexp.MustCompile(`(?:from |import )"\./([^"]+)"|(?:href|src)="([a-z][^":]+)"`)
	n := 0
	for name, file := range h.files {
		for _, m := range asked.FindAllSubmatch(file.body, -1) {
			n++
			if want := "/" + string(m[1]) + string(m[2]); h.files[want].body == nil {
				t.Errorf("%s asks for %s, which is not served", name, want)
			}
		}
		text := strings.ReplaceAll(string(file.body), "http://www.w3.org/2000/svg", "")
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "http://", "https://", " style=", "localStorage", "sessionStorage", "cookie", "@import", "url("} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", name, bad)
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d files are asked for", n)
	}
	own, err := fs.Glob(files, "page/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range own { // none stands in for one of the service's page
		if _, err := fs.Stat(page.Files(), strings.TrimPrefix(name, "page/")); err == nil {
			t.Errorf("two pages have %s", name)
		}
	}
}

// TestServe: the viewer ends when it is told to, whoever waits.
func TestServe(t *testing.T) {
	v := view(t, make1(t, sizes{changes: 3, systems: 2}).options())
	ctx, stop := context.WithCancel(t.Context())
	ln, err := guard.Listen(ctx, "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- v.Serve(ctx, ln, nil) }()
	res, err := http.Get("http://" + ln.Addr().String() + "/api/run")
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	res.Body.Close()
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

// opened is what tests read of an answer about a change.
type opened struct {
	Place, Total int
	Mode         string
	Refs         []struct{ Text string }
	Warnings     []string
	Change       *struct{ Files []any }
	Evidence     origin
	Results      []struct {
		Review, Status, Reason, Text string
		Con                          *float64
		Similarities                 [][]float64
		Explain                      *struct{ Sentences []struct{ Text string } }
		Run                          standing
	}
}

func (v *Viewer) opened(t *testing.T, query string) opened {
	t.Helper()
	body, _ := get(t, v.Handler(nil), 200, "GET", "/api/change?"+query)
	var a opened
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestChangeOfRun takes the evidence of rows and the kept similarities.
func TestChangeOfRun(t *testing.T) {
	v := view(t, make1(t, sizes{changes: 120, systems: 3, explain: true}).options())
	a := v.opened(t, "id=3&sort=id&down=1")
	if a.Evidence.From != "run" || a.Mode != "hard" || len(a.Refs) == 0 || a.Change == nil || a.Place != 117 || a.Total != 120 || len(a.Results) == 0 {
		t.Fatalf("%+v", a)
	}
	for _, r := range a.Results {
		if r.Status != "scored" || r.Explain == nil || len(r.Similarities) != len(r.Explain.Sentences) || r.Run.Con == nil || *r.Run.Con != *r.Con || !strings.Contains(r.Text, "change 2 is said") {
			t.Errorf("%+v", r)
		}
	}
	// Under another rule the table has other numbers, and the row its own.
	b := v.opened(t, "id=3&mode=soft")
	if *a.Results[0].Run.Comp == *b.Results[0].Run.Comp || *a.Results[0].Con != *b.Results[0].Con {
		t.Error("another rule gives the same numbers")
	}
	// A change without references has its reasons, and its diff.
	a = v.opened(t, "id=100")
	if a.Evidence.From != "none" || a.Evidence.Why != "" || a.Mode != "hard" || a.Change == nil || a.Results[0].Run.Reason != "the change has no pseudo-references" {
		t.Errorf("%+v", a)
	}
	if a := v.opened(t, "id=3&lang=go"); a.Place != -1 {
		t.Errorf("the place of a change that is left out is %d", a.Place)
	}
	// The rows tell the place of the change that is open.
	for query, want := range map[string]string{"place=3&sort=id&down=1": `,"place":117}`, "place=3&lang=go": `,"place":-1}`, "place=none": `,"place":-1}`, "count=1": `]}`} {
		if body, _ := get(t, v.Handler(nil), 200, "GET", "/api/rows?"+query); !strings.HasSuffix(strings.TrimSpace(body), want) {
			t.Errorf("%s: %s", query, body[max(len(body)-80, 0):])
		}
	}
}

// TestScoredAgain scores changes again whose evidence was not kept.
func TestScoredAgain(t *testing.T) {
	data := `{"id":"1","path":"a.py","diff":"@@ -1 +1,2 @@\n-def f(a):\n+def f(a, timeout):\n+    return a\n","reviews":[{"id":"s","text":"The parameter timeout is never used."},{"id":"t","text":"Nice."},{"id":"u","text":"x"}]}
{"id":"2","diff":"no diff","reviews":[{"id":"s","text":"What?"}]}`
	e, err := crscore.New(t.Context(), crscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := parseRecord([]byte(strings.Split(data, "\n{")[0]))
	if err != nil {
		t.Fatal(err)
	}
	in, err := evidence.Input(rec)
	if err != nil {
		t.Fatal(err)
	}
	_, results, err := e.Judge(t.Context(), in, rec.Reviews[0].Text, rec.Reviews[1].Text)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	rows := func(signature string, shift float64) string {
		var out strings.Builder
		for i, r := range results {
			b, err := json.Marshal(map[string]any{"id": "1", "review": rec.Reviews[i].ID, "status": "scored", "con": r.Con, "comp": max(r.Comp-shift, 0), "rel": r.Rel, "signature": signature})
			if err != nil {
				t.Fatal(err)
			}
			out.Write(append(b, '\n'))
		}
		return out.String() + `{"id":"2","review":"s","con":1,"comp":1,"rel":1,"signature":"x"}`
	}
	again := func(rows string, open func(context.Context) (*crscore.Engine, error)) (*Viewer, opened) {
		v, err := open1(t, data, rows)
		if err != nil {
			t.Fatal(err)
		}
		v.again.open = open
		return v, v.opened(t, "id=1")
	}
	engine := func(ctx context.Context) (*crscore.Engine, error) { return crscore.New(ctx, crscore.Options{}) }
	own := results[0].Signature
	v, a := again(rows(own, 0), engine)
	if a.Evidence.From != "again" || a.Evidence.Why != "" || len(a.Refs) == 0 || a.Results[0].Similarities == nil || a.Results[2].Reason != "the run has no row of this review" || a.Results[2].Con != nil {
		t.Errorf("%+v", a)
	}
	if b := v.opened(t, "id=2"); b.Evidence.From != "none" || len(b.Warnings) != 1 || !strings.HasPrefix(b.Warnings[0], "The diff cannot be shown: ") || b.Results[0].Text != "What?" {
		t.Errorf("%+v", b)
	}
	if _, a = again(rows(strings.Replace(own, "tau=", "tau=0.1", 1), 0), engine); a.Evidence.From != "other" || !strings.Contains(a.Evidence.Why, "the signatures differ") {
		t.Errorf("another signature: %+v", a.Evidence)
	}
	if _, a = again(rows(own, 0.01), engine); a.Evidence.From != "other" || !strings.Contains(a.Evidence.Why, "has another score") {
		t.Errorf("other scores: %+v", a.Evidence)
	}
	fails := func(context.Context) (*crscore.Engine, error) { return nil, errors.New("no model") }
	if _, a = again(rows(own, 0), fails); a.Evidence.From != "none" || !strings.Contains(a.Evidence.Why, "no model") || a.Results[0].Con == nil {
		t.Errorf("no engine: %+v", a)
	}
}

// TestSearch finds texts in ids, paths and reviews, and says how far it has come.
func TestSearch(t *testing.T) {
	v := view(t, make1(t, sizes{changes: 500, systems: 3}).options())
	found := func(text string) (ids []string) {
		t.Helper()
		for {
			q, _, err := v.parse("q=" + strings.ReplaceAll(text, " ", "+"))
			if err != nil {
				t.Fatal(err)
			}
			l, search, err := v.listingOf(q)
			if err != nil {
				t.Fatal(err)
			}
			if search.Ended {
				if search.Searched != 500 || search.Found != len(l.order) || search.Problem != "" {
					t.Errorf("%s: %+v", text, search)
				}
				for _, n := range l.order {
					ids = append(ids, v.changes[n].key)
				}
				return ids
			}
		}
	}
	for text, want := range map[string]int{"Change 77 IS said": 1, "file12.PY": 1, "part3/": 71, "nobody says this": 0, "499": 2} {
		if got := found(text); len(got) != want {
			t.Errorf("%s: %v, want %d", text, got, want)
		}
	}
	// Many searches at a time: each finds its own, and the oldest end.
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			hits, search := v.seek.find(v, fmt.Sprintf("file%d.py", 400+i))
			for k, hit := range hits {
				if hit != (k == 400+i) && k < search.Searched {
					t.Errorf("search %d finds change %d", i, k)
				}
			}
		})
	}
	all.Wait()
	if n := len(v.seek.searches.values); n != limits.Searches {
		t.Errorf("%d searches are kept", n)
	}
	// A file that was cut off while it is searched.
	if err := os.Truncate(v.data.name, 1000); err != nil {
		t.Fatal(err)
	}
	for {
		q, _, _ := v.parse("q=the+value")
		_, search, err := v.listingOf(q)
		if err != nil {
			t.Fatal(err)
		}
		if search.Ended {
			if search.Searched == 500 || !strings.Contains(search.Problem, "has changed since it was read") {
				t.Errorf("%+v", search)
			}
			break
		}
	}
}

// TestRules: the sliders start at the run's rule.
func TestRules(t *testing.T) {
	v := view(t, make1(t, sizes{changes: 5, systems: 2, rule: score.Rule{Mode: score.Ramp, Tau: 0.4, Low: 0.1, Weights: score.Weights{"smell": 0.5}}}).options())
	if len(v.problems) > 0 || !v.ruled[v.own] {
		t.Fatalf("%+v", v.problems)
	}
	body, _ := get(t, v.Handler(nil), 200, "GET", "/api/run")
	for _, want := range []string{`"rule":{"mode":"ramp","tau":0.4,"low":0.1,"weights":"smell=0.5"}`, `{"mode":"hard","tau":0.4,"weights":"smell=0.5"}`} {
		if !strings.Contains(body, want) {
			t.Errorf("there is no %s in %s", want, body)
		}
	}
	// A run whose Comp counts all sentences: its rows are those of its similarities, and the
	// sliders of soft start there, too.
	all := view(t, make1(t, sizes{changes: 40, systems: 3, rule: score.Rule{Mode: score.Ramp, Tau: 0.4, Low: 0.1, Comp: score.CoverNoisyOr}}).options())
	body, _ = get(t, all.Handler(nil), 200, "GET", "/api/run")
	for _, want := range []string{`"rule":{"mode":"ramp","tau":0.4,"low":0.1,"comp":"noisy-or"}`, `{"mode":"hard","tau":0.4}`, `{"mode":"soft","comp":"noisy-or"}`, `"problems":[]`} {
		if !strings.Contains(body, want) {
			t.Errorf("there is no %s in %s", want, body)
		}
	}
	// A chosen rule keeps the weights of the run.
	q, _, err := v.parse("mode=soft")
	if err != nil || q.rule.Weights["smell"] != 0.5 {
		t.Errorf("%+v, %v", q, err)
	}
}
