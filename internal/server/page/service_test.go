package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"crscore/change"
	"crscore/internal/diffview"
	"crscore/internal/report/figures/browsertest"
	"crscore/internal/syntax"
	"crscore/score"
)

// service answers POST /v1/score as a test wants it.
type service struct {
	http.Handler // the page
	mu           sync.Mutex
	asked        []asked
	answer       func(w http.ResponseWriter, r *http.Request)
}

type asked struct {
	path, token, body string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		s.Handler.ServeHTTP(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked = append(s.asked, asked{r.URL.Path, r.Header.Get("Authorization"), string(body)})
	answer := s.answer
	s.mu.Unlock()
	answer(w, r)
}

func (s *service) answers(f func(w http.ResponseWriter, r *http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.answer = nil, f
}

func (s *service) requests() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// made is an answer in the service's form.
type made struct {
	rule      score.Rule
	matrix    [][]float32
	sentences []string
	refs      []score.Ref
	texts     []string // of the refs
	warnings  []string
	note      string
	more      []string // other reviews, of the first sentence alone
	diff      string   // the change; empty for changed
}

// changed is the change of the answers.
const changed = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,5 @@ class A:\n def f(self):\n-    return 1\n+    timeout = 2\n+    return timeout\n+    pass\n x = 1\n"

// drawn is a change as the service answers it.
func drawn(t *testing.T, diff string) *diffview.Change {
	c, err := change.Parse([]byte(diff), change.Options{})
	if err != nil {
		t.Error(err)
		return nil
	}
	trees, err := syntax.Parse(t.Context(), c)
	if err != nil {
		t.Error(err)
		return nil
	}
	v, err := diffview.Of(t.Context(), trees)
	if err != nil {
		t.Error(err)
	}
	return v
}

type object map[string]any

// row is the result of a review with the first sentences of the matrix.
func (m made) row(t *testing.T, review string, n int) (row object, refs []object) {
	result, err := score.ScoreRefs(m.matrix[:n], m.refs, m.rule)
	if err != nil {
		t.Error(err)
	}
	signature := "crscore/0 encoder=test " + m.rule.Signature() + " claims=test smells=none"
	tau, low, slope := m.rule.Parameters()
	sentences := []object{}
	for i, s := range m.sentences[:n] {
		sentences = append(sentences, object{"text": s, "start": 0, "end": len(s), "ref": result.Sentences[i].Index + 1, "similarity": result.Sentences[i].Similarity, "credit": result.Sentences[i].Credit})
	}
	for i, r := range m.refs {
		one := object{"kind": r.Kind, "source": r.Source, "rule": "the-rule", "text": m.texts[i], "path": "a.py", "side": "new", "start_line": i + 1, "end_line": i + 2}
		if w := m.rule.Weights.Of(r.Kind, r.Source); w != 1 {
			one["weight"] = w
		}
		if best := result.Refs[i]; best.Index >= 0 {
			one["sentence"], one["similarity"], one["credit"] = best.Index+1, best.Similarity, best.Credit
		}
		refs = append(refs, one)
	}
	row = object{"id": "", "review": review, "status": "scored", "con": result.Con, "comp": result.Comp, "rel": result.Rel, "sentences": len(sentences), "refs": len(refs), "mode": m.rule.Mode,
		"signature": signature, "note": m.note, "explain": object{"sentences": sentences, "refs": refs}, "similarities": m.matrix[:n], "signature_around": score.ReadSignature(signature).Around()}
	for name, v := range map[string]*float64{"tau": tau, "low": low, "slope": slope} {
		if v != nil {
			row[name] = *v
		}
	}
	if m.rule.NoisyOr() {
		row["comp_by"] = m.rule.Comp
	}
	return row, refs
}

func (m made) json(t *testing.T) string {
	row, refs := m.row(t, "1", len(m.matrix))
	rows := []object{row}
	for _, name := range m.more {
		other, _ := m.row(t, name, 1)
		rows = append(rows, other)
	}
	b, err := json.Marshal(object{"signature": row["signature"], "mode": m.rule.Mode, "refs": refs, "warnings": m.warnings, "results": rows, "change": drawn(t, cmp.Or(m.diff, changed))})
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

func (m made) serve(t *testing.T) func(http.ResponseWriter, *http.Request) {
	text := m.json(t)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, text)
	}
}

// small is what the tests that look at details score.
func small() made {
	return made{
		rule:      score.Rule{Mode: score.Hard, Tau: 0.3},
		matrix:    [][]float32{{0.3, 0.51, 0.1}, {0.1, 0.28, 0.05}, {0.02, 0.35, 0.04}},
		sentences: []string{"The `timeout` is never used.", "Please rebase.", "Callers wait for ever."},
		refs:      []score.Ref{{Kind: "claim", Source: "symbolic"}, {Kind: "claim", Source: "symbolic"}, {Kind: "smell", Source: "builtin"}},
		texts:     []string{"A parameter was added.", "`timeout` is not used.", "The method is long."},
		warnings:  []string{"a source was not asked"},
	}
}

func problem(status int, header ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"title":"A title of %d","detail":"Line 7 is <b>bad</b>.","status":%d}`, status, status)
	}
}

type css = chromedp.CSS

// browser is a tab with the page and what the tests ask of it.
type browser struct {
	*browsertest.Page
	*service
	url string
}

func open(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is started")
	}
	s := &service{Handler: Handler(testRules, nil)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return &browser{service: s, url: server.URL, Page: browsertest.Open(t, func(url string) bool {
		return strings.HasPrefix(url, server.URL+"/") || strings.HasPrefix(url, "data:image/svg+xml,") || strings.HasPrefix(url, "blob:"+server.URL) || strings.HasSuffix(url, "/review.html")
	})}
}

// text is what an element shows, once it is drawn: what is far out of sight is not.
func (b *browser) text(t *testing.T, id string) string {
	t.Helper()
	return browsertest.Eval[string](t, b.Page, fmt.Sprintf(`(async (e) => {
		e.scrollIntoView({ block: "nearest" });
		for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
		return e.innerText;
	})(document.getElementById(%q))`, id))
}

func (b *browser) numbers(t *testing.T) string {
	t.Helper()
	return b.text(t, "con") + " " + b.text(t, "comp") + " " + b.text(t, "rel")
}

// fill opens the page anew and types both texts.
func (b *browser) fill(t *testing.T, diff, review string) {
	t.Helper()
	b.Go(t, b.url+"/")
	b.Do(t, chromedp.SetValue(css("#diff"), diff), chromedp.SetValue(css("#review"), review))
}

const (
	done   = `!document.getElementById("found").hidden && document.getElementById("cancel").hidden`
	failed = `document.getElementById("error").childElementCount > 0 && document.getElementById("cancel").hidden`
	ctrl   = chromedp.ModifierCtrl
)

// quiet fails the test for what the browser complained about, but for what is expected.
func (b *browser) quiet(t *testing.T, expected ...string) {
	t.Helper()
next:
	for _, h := range b.Heard() {
		for _, e := range expected {
			if strings.Contains(h, e) {
				continue next
			}
		}
		t.Error(h)
	}
}
