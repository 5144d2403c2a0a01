package page

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"crscore/internal/report/figures/browsertest"
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
	token, body string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/score" {
		s.Handler.ServeHTTP(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked = append(s.asked, asked{r.Header.Get("Authorization"), string(body)})
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
}

func (m made) json(t *testing.T) string {
	type object map[string]any
	result, err := score.ScoreRefs(m.matrix, m.refs, m.rule)
	if err != nil {
		t.Error(err)
	}
	signature := "crscore/0 encoder=test " + m.rule.Signature() + " claims=test smells=none"
	tau, low, slope := m.rule.Parameters()
	var sentences, refs []object
	for i, s := range m.sentences {
		sentences = append(sentences, object{"text": s, "start": 0, "end": len(s), "ref": result.Sentences[i].Index + 1, "similarity": result.Sentences[i].Similarity, "credit": result.Sentences[i].Credit})
	}
	for i, r := range m.refs {
		one := object{"kind": r.Kind, "source": r.Source, "text": m.texts[i], "path": "a.py", "side": "new", "start_line": i + 1, "end_line": i + 2}
		if w := m.rule.Weights.Of(r.Kind, r.Source); w != 1 {
			one["weight"] = w
		}
		refs = append(refs, one)
	}
	row := object{"id": "", "review": "1", "status": "scored", "con": result.Con, "comp": result.Comp, "rel": result.Rel, "sentences": len(sentences), "refs": len(refs), "mode": m.rule.Mode,
		"signature": signature, "note": m.note, "explain": object{"sentences": sentences, "refs": refs}, "similarities": m.matrix}
	for name, v := range map[string]*float64{"tau": tau, "low": low, "slope": slope} {
		if v != nil {
			row[name] = *v
		}
	}
	b, err := json.Marshal(object{"signature": signature, "mode": m.rule.Mode, "refs": refs, "warnings": m.warnings, "results": []object{row}})
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
	s := &service{Handler: Handler(testRules)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return &browser{service: s, url: server.URL, Page: browsertest.Open(t, func(url string) bool {
		return strings.HasPrefix(url, server.URL+"/") || strings.HasPrefix(url, "data:image/svg+xml,")
	})}
}

func (b *browser) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.Ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func eval[T any](t *testing.T, b *browser, js string) T {
	t.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return v
}

func (b *browser) text(t *testing.T, id string) string {
	t.Helper()
	return eval[string](t, b, fmt.Sprintf("document.getElementById(%q).innerText", id))
}

func (b *browser) wait(t *testing.T, condition string) {
	t.Helper()
	if _, err := chromedp.Run(b.Ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		t.Fatalf("waiting for %s: %v\nerror: %s\nstatus: %s", condition, err, b.text(t, "error"), b.text(t, "status"))
	}
}

func (b *browser) numbers(t *testing.T) string {
	t.Helper()
	return b.text(t, "con") + " " + b.text(t, "comp") + " " + b.text(t, "rel")
}

// fill opens the page anew and types both texts.
func (b *browser) fill(t *testing.T, diff, review string) {
	t.Helper()
	b.Go(t, b.url+"/")
	b.do(t, chromedp.SetValue(css("#diff"), diff), chromedp.SetValue(css("#review"), review))
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

func TestPage(t *testing.T) {
	b := open(t)
	for _, one := range []struct {
		name string
		test func(*testing.T, *browser)
	}{
		{"arithmetic", testArithmetic}, {"typing", testTyping}, {"sliders", testSliders}, {"links", testLinks}, {"files", testFiles},
		{"answers", testAnswers}, {"errors", testErrors}, {"token", testToken}, {"hostile", testHostile}, {"large", testLarge}, {"looks", testLooks},
	} {
		t.Run(one.name, func(t *testing.T) {
			one.test(t, b)
			b.quiet(t)
		})
	}
}

// testArithmetic compares score.js with package score for random matrices. All but
// calibrated must agree to the last bit; exp may differ in it between Go and browsers.
func testArithmetic(t *testing.T, b *browser) {
	type trial struct {
		Matrix  [][]float32 `json:"matrix"`
		Refs    int         `json:"refs"`
		Weights []float64   `json:"weights"`
		Rule    struct {
			Mode            score.Mode `json:"mode"`
			Tau, Low, Slope float64    `json:"-"`
			T               float64    `json:"tau"`
			L               float64    `json:"low"`
			S               float64    `json:"slope"`
		} `json:"rule"`
	}
	type numbers struct {
		Con, Comp, Rel          float64
		Sentences, Refs         []score.Best
		Signature, Other, Empty string
	}
	rng := rand.New(rand.NewPCG(7, 7))
	kinds := []score.Ref{{Kind: "claim", Source: "a"}, {Kind: "smell", Source: "b"}, {Kind: "implication", Source: "c"}}
	var trials []trial
	var rules []score.Rule
	var want []score.Result
	for n := range 600 {
		var one trial
		rule := score.Rule{Mode: testRules[n%4].Mode, Tau: float64(rng.IntN(101)) / 100}
		switch rule.Mode {
		case score.Ramp:
			rule.Low = rule.Tau * float64(rng.IntN(5)) / 4
		case score.Calibrated:
			rule.Slope = math.Exp(rng.Float64()*30 - 12)
		case score.Soft:
			rule.Tau = 0
		}
		if n%3 == 0 {
			rule.Weights = score.Weights{"smell": rng.Float64() * 3, "claim@a": float64(rng.IntN(2))}
		}
		sentences := rng.IntN(6) // none, too
		refs := make([]score.Ref, 1+rng.IntN(7))
		for j := range refs {
			refs[j] = kinds[rng.IntN(3)]
		}
		one.Matrix = make([][]float32, sentences)
		for i := range one.Matrix {
			one.Matrix[i] = make([]float32, len(refs))
			for j := range refs {
				switch rng.IntN(6) {
				case 0: // at the threshold as a float32 has it
					one.Matrix[i][j] = float32(rule.Tau)
				case 1: // below 0, and what rounding adds to 1
					one.Matrix[i][j] = []float32{-0.2, 1.000001, 1, 0}[rng.IntN(4)]
				case 2: // beside the threshold
					one.Matrix[i][j] = math.Nextafter32(float32(rule.Tau), float32(rng.IntN(2)))
				default:
					one.Matrix[i][j] = rng.Float32()
				}
			}
		}
		result, err := score.ScoreRefs(one.Matrix, refs, rule)
		if err == score.ErrNoWeight {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		for _, r := range refs {
			one.Weights = append(one.Weights, rule.Weights.Of(r.Kind, r.Source))
		}
		one.Refs = len(refs)
		one.Rule.Mode, one.Rule.T, one.Rule.L, one.Rule.S = rule.Mode, rule.Tau, rule.Low, rule.Slope
		trials, rules, want = append(trials, one), append(rules, rule), append(want, result)
	}
	text, err := json.Marshal(trials)
	if err != nil {
		t.Fatal(err)
	}
	b.Go(t, b.url+"/")
	got := eval[[]numbers](t, b, `import("/score.js").then(({ best, credit, matched, score, ruleSignature }) => `+string(text)+`.map(({ matrix, refs, weights, rule }) => {
		const found = best(matrix, refs);
		const side = (list) => list.map((b) => ({ Index: b.index, Similarity: b.similarity, Credit: b.index < 0 ? 0 : credit(rule, b.similarity), Matched: b.index >= 0 && matched(rule, b.similarity) }));
		const { con, comp, rel } = score(found, weights, rule);
		return { Con: con, Comp: comp, Rel: rel, Sentences: side(found.sentences), Refs: side(found.refs), Signature: ruleSignature(rule) };
	}))`)
	if len(got) != len(want) {
		t.Fatalf("%d answers for %d matrices", len(got), len(want))
	}
	for i, g := range got {
		w, near := want[i], 0.0
		if rules[i].Mode == score.Calibrated {
			near = 1e-12
		}
		same := func(a, b float64) bool { return a == b || math.Abs(a-b) <= near }
		bests := func(a, b []score.Best) bool {
			ok := len(a) == len(b)
			for k := 0; ok && k < len(a); k++ {
				ok = a[k].Index == b[k].Index && a[k].Similarity == b[k].Similarity && a[k].Matched == b[k].Matched && same(a[k].Credit, b[k].Credit)
			}
			return ok
		}
		if !same(g.Con, w.Con) || !same(g.Comp, w.Comp) || !same(g.Rel, w.Rel) || !bests(g.Sentences, w.Sentences) || !bests(g.Refs, w.Refs) {
			t.Errorf("matrix %d, %s:\n%+v, in Go\n%+v", i, rules[i].Signature(), g, w)
		}
		plain := rules[i]
		plain.Weights = nil
		if g.Signature != plain.Signature() {
			t.Errorf("the signature is %q, in Go %q", g.Signature, plain.Signature())
		}
	}
	if none := eval[bool](t, b, `import("/score.js").then(({ best, score }) => score(best([[0.5]], 1), [0], { mode: "soft" }) === null && score(best([], 0), [], { mode: "soft" }) === null)`); !none {
		t.Error("references that weigh nothing, or none, have a score")
	}
}

func testTyping(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	b.Go(t, b.url+"/")
	b.do(t,
		chromedp.SendKeys(css("#diff"), "@@ -1 +1 @@"),
		chromedp.SendKeys(css("#review"), "The timeout is never used."),
		chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(ctrl)))
	b.wait(t, done)
	if got := b.numbers(t); got != "0.67 0.33 0.44" {
		t.Errorf("the numbers are %s", got)
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(b.requests()[0].body), &body); err != nil {
		t.Fatal(err)
	}
	if body["diff"] != "@@ -1 +1 @@" || body["explain"] != true || body["similarities"] != true || len(body) != 4 {
		t.Errorf("it asked %v", body)
	}
	for id, want := range map[string]string{
		"sentences-title": "Sentences (3)", "points-title": "Points to talk about (3)", "con-means": "2 of 3 sentences are on topic", "comp-means": "1 of 3 points are covered",
		"sentence-1": "✓\n1. The timeout is never used.\nmatches point 2 (0.51)", "sentence-2": "✗\n2. Please rebase.\nnearest to point 2 (0.28)",
		"point-2":  "✓\n2. timeout is not used.\nclaim · a.py:2–3 · symbolic\nmatched by sentence 1 (0.51)",
		"warnings": "Warnings\na source was not asked",
		"status":   "Scored: Con 0.67, Comp 0.33, Rel 0.44.",
	} {
		if got := b.text(t, id); got != want {
			t.Errorf("%s is %q, not %q", id, got, want)
		}
	}
	if hidden := eval[bool](t, b, `document.getElementById("stale").hidden`); !hidden {
		t.Error("the result is called stale at once")
	}
	b.do(t, chromedp.SendKeys(css("#review"), " More."))
	if hidden := eval[bool](t, b, `document.getElementById("stale").hidden`); hidden {
		t.Error("the result of another text is not called so")
	}
}

func testSliders(t *testing.T, b *browser) {
	m := small()
	m.rule.Weights = score.Weights{"smell": 0.5}
	b.answers(m.serve(t))
	b.fill(t, "d", "r")
	b.do(t, chromedp.Click(css("#score")))
	b.wait(t, done)
	// check holds the page against package score.
	check := func(what string, rule score.Rule) {
		t.Helper()
		rule.Weights = m.rule.Weights
		w, err := score.ScoreRefs(m.matrix, m.refs, rule)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := b.numbers(t), fmt.Sprintf("%.2f %.2f %.2f", w.Con, w.Comp, w.Rel); got != want {
			t.Errorf("%s: %s, not %s", what, got, want)
		}
		if got := b.text(t, "signature"); !strings.Contains(got, " "+rule.Signature()+" claims") {
			t.Errorf("%s: the signature %q has not %q", what, got, rule.Signature())
		}
	}
	check("the service's rule", score.Rule{Mode: score.Hard, Tau: 0.3})
	b.do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	check("three to the left", score.Rule{Mode: score.Hard, Tau: 0.27})
	if got := b.text(t, "sentence-2"); !strings.Contains(got, "matches point 2 (0.28)") {
		t.Errorf("the sentence says %q", got)
	}
	if said := b.text(t, "status"); strings.Contains(said, "0.27") || !strings.HasPrefix(said, "Scored") {
		t.Errorf("while the slider moves, it is said: %q", said)
	}
	b.wait(t, `document.getElementById("status").textContent.startsWith("Con")`)
	b.do(t, chromedp.KeyEvent(kb.End))
	check("the end", score.Rule{Mode: score.Hard, Tau: 1})
	b.do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById("tau-exact").select()`), chromedp.SendKeys(css("#tau-exact"), "0.3499"))
	check("exactly", score.Rule{Mode: score.Hard, Tau: 0.3499})
	b.do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById("tau-exact").select()`), chromedp.SendKeys(css("#tau-exact"), "7"))
	if invalid := eval[string](t, b, `document.getElementById("tau-exact").ariaInvalid`); invalid != "true" {
		t.Error("a τ of 7 is taken")
	}
	b.do(t, chromedp.Focus(css("[value=hard]")), chromedp.KeyEvent(kb.ArrowRight))
	check("soft", score.Rule{Mode: score.Soft})
	b.do(t, chromedp.KeyEvent(kb.ArrowRight))
	check("ramp", score.Rule{Mode: score.Ramp, Tau: 0.275, Low: 0.05})
	b.do(t, chromedp.Focus(css("#low")), chromedp.KeyEvent(kb.ArrowRight))
	check("a higher low", score.Rule{Mode: score.Ramp, Tau: 0.275, Low: 0.06})
	b.do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.Home))
	check("τ takes low along", score.Rule{Mode: score.Ramp, Tau: 0, Low: 0})
	b.do(t, chromedp.Focus(css("[value=ramp]")), chromedp.KeyEvent(kb.ArrowRight))
	check("calibrated", score.Rule{Mode: score.Calibrated, Tau: 0.4, Slope: 8})
	b.do(t, chromedp.Focus(css("[value=calibrated]")), chromedp.KeyEvent(kb.ArrowRight))
	check("back to hard, where it was", score.Rule{Mode: score.Hard, Tau: 0.3499})
	b.do(t, chromedp.Click(css("#reset")))
	check("back to the service's", score.Rule{Mode: score.Hard, Tau: 0.3})
	allow := func(name, setting string) {
		t.Helper()
		if _, err := chromedp.CallBrowser(b.Ctx, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
			Permission: &cdpbrowser.PermissionDescriptor{Name: name}, Setting: cdpbrowser.PermissionSetting(setting), Origin: b.url,
		}); err != nil {
			t.Fatal(err)
		}
	}
	allow("clipboard-write", "denied")
	b.do(t, chromedp.Click(css("#copy")))
	b.wait(t, `document.getElementById("copied").textContent === "Selected: copy it with Ctrl + C."`)
	if got, want := eval[string](t, b, `getSelection().toString().trim()`), b.text(t, "signature"); got != want {
		t.Errorf("without leave to copy, it selects %q", got)
	}
	allow("clipboard-read", "granted")
	allow("clipboard-write", "granted")
	b.do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.ArrowRight), chromedp.Click(css("#copy")))
	b.wait(t, `document.getElementById("copied").textContent === "Copied."`)
	if got := eval[string](t, b, `navigator.clipboard.readText()`); got != b.text(t, "signature") || !strings.Contains(got, "tau=0.31 ") {
		t.Errorf("it copies %q", got)
	}
	if n := len(b.requests()); n != 1 {
		t.Errorf("%d requests were made, not one", n)
	}
}

func testLinks(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	b.fill(t, "d", "r")
	b.do(t, chromedp.EmulateViewport(1280, 900), chromedp.Click(css("#score")))
	b.wait(t, done)
	shown := `[...document.querySelectorAll("#links path:not(.now)")].filter((p) => p.checkVisibility() && p.getTotalLength() > 0).length`
	b.wait(t, shown+" === 2")
	b.do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.Home))
	b.wait(t, shown+" === 5")
	b.do(t, chromedp.KeyEvent(kb.End))
	b.wait(t, shown+" === 0")
	b.do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById("tau-exact").select()`), chromedp.SendKeys(css("#tau-exact"), "0.2"))
	lit := func(want string) {
		t.Helper()
		if got := eval[string](t, b, `[...document.querySelectorAll(".pair li.on")].map((e) => e.id).join(" ")`); got != want {
			t.Errorf("lit are %q, not %q", got, want)
		}
	}
	b.do(t, chromedp.Focus(css("#sentence-1 a")))
	lit("sentence-1 point-1 point-2")
	b.do(t, chromedp.Focus(css("#point-2 a")))
	lit("sentence-1 sentence-2 sentence-3 point-2")
	b.do(t, chromedp.Focus(css("#copy")))
	lit("")
	if _, err := chromedp.Run(b.Ctx, chromedp.Evaluate[chromedp.Void](`document.getElementById("point-3").scrollIntoView({ block: "center" })`)); err != nil {
		t.Fatal(err)
	}
	at := eval[[]float64](t, b, `(({ x, y }) => [x + 20, y + 10])(document.getElementById("point-3").getBoundingClientRect())`)
	b.do(t, chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	lit("sentence-1 point-3")
}

func testFiles(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	b.Go(t, b.url+"/")
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	windows := "@@ -1 +1 @@\r\n-a\r\n+b\r\n"
	b.do(t, chromedp.SetUploadFiles(css("#diff-file"), []string{write("a.diff", windows)}))
	b.wait(t, `document.getElementById("diff").value.includes("+b")`)
	// drop brings something to the middle of an element as a hand does.
	drop := func(selector string, data input.DragData) {
		t.Helper()
		data.DragOperationsMask = 1
		at := eval[[]float64](t, b, fmt.Sprintf(`(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector(%q).getBoundingClientRect())`, selector))
		for _, typ := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			if _, err := chromedp.Call(b.Ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: typ, X: at[0], Y: at[1], Data: &data}); err != nil {
				t.Fatal(err)
			}
		}
	}
	drop("#review", input.DragData{Items: []*input.DragDataItem{}, Files: []string{write("r.md", "Dropped as a file.")}})
	b.wait(t, `document.getElementById("review").value === "Dropped as a file."`)
	drop("#review", input.DragData{Items: []*input.DragDataItem{{MimeType: "text/plain", Data: "Dropped as text."}}})
	b.wait(t, `document.getElementById("review").value === "Dropped as text."`)
	drop("h1", input.DragData{Items: []*input.DragDataItem{}, Files: []string{write("beside.html", "<h1>Not here</h1>")}})
	if h := eval[string](t, b, `document.querySelector("h1").innerText`); h != "crscore" {
		t.Errorf("a file that is dropped beside the fields is opened: %s", h)
	}
	if over := eval[int](t, b, `document.querySelectorAll(".over").length`); over != 0 {
		t.Error("the field still waits for a drop")
	}
	b.do(t, chromedp.Click(css("#score")))
	b.wait(t, done)
	var body struct{ Diff string }
	if err := json.Unmarshal([]byte(b.requests()[0].body), &body); err != nil || body.Diff != windows {
		t.Errorf("the file was sent as %q (%v)", body.Diff, err)
	}
	b.do(t, chromedp.SetUploadFiles(css("#diff-file"), []string{write("b.bin", "\xff\xfe\x00")}))
	b.wait(t, failed)
	if got := b.text(t, "error"); !strings.Contains(got, "b.bin cannot be read") || !strings.Contains(got, "not text in UTF-8") {
		t.Errorf("of a binary file it says %q", got)
	}
}

func testAnswers(t *testing.T, b *browser) {
	ask := func() {
		t.Helper()
		b.fill(t, "d", "r")
		b.do(t, chromedp.Click(css("#score")))
		b.wait(t, done)
	}
	m := small()
	m.matrix, m.sentences, m.note = nil, nil, "the review has no sentences"
	b.answers(m.serve(t))
	ask()
	if got := b.numbers(t) + ": " + b.text(t, "note"); got != "0.00 0.00 0.00: the review has no sentences" {
		t.Errorf("an empty review: %s", got)
	}
	if n := eval[int](t, b, `document.querySelectorAll("#points li").length`); n != 3 {
		t.Errorf("an empty review has %d points beside it", n)
	}
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"signature":"s","mode":"hard","tau":0.3,"refs":[],"warnings":[],"results":[{"id":"","review":"1","status":"unscored","reason":"the change has no pseudo-references","mode":"hard","tau":0.3,"signature":"s"}]}`)
	})
	ask()
	if got := b.text(t, "unscored"); got != "No score: the change has no pseudo-references" {
		t.Errorf("unscored: %q", got)
	}
	if shown := eval[bool](t, b, `document.getElementById("board").checkVisibility()`); shown {
		t.Error("what has no score has numbers")
	}
	// A signature that the rule is not found in stays the service's.
	strange := strings.ReplaceAll(small().json(t), "mode=hard tau=0.3", "mode=hard,tau=0.3")
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, strange)
	})
	ask()
	b.do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.End))
	if got := b.text(t, "signature") + ": " + b.text(t, "signature-means"); got != "crscore/0 encoder=test mode=hard,tau=0.3 claims=test smells=none: It is of the service's own rule, not of the one that is chosen above." {
		t.Errorf("a strange signature: %s", got)
	}
	// A service that counts otherwise is found out.
	wrong := strings.Replace(small().json(t), `"con":0.6666666666666666`, `"con":0.7`, 1)
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, wrong)
	})
	ask()
	if got := b.text(t, "warnings"); !strings.Contains(got, "This page finds con to be 0.666") {
		t.Errorf("another con: %q", got)
	}
}

func testErrors(t *testing.T, b *browser) {
	fails := func(want ...string) {
		t.Helper()
		b.wait(t, failed)
		got := b.text(t, "error")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("it says %q, not %q", got, w)
			}
		}
	}
	score := chromedp.Click(css("#score"))
	b.answers(problem(400))
	b.Go(t, b.url+"/")
	b.do(t, score)
	fails("There is no change yet")
	if n := len(b.requests()); n != 0 {
		t.Errorf("%d requests without a change", n)
	}
	b.fill(t, "d", "r")
	b.do(t, score)
	fails("A title of 400", "Line 7 is <b>bad</b>.")
	b.answers(problem(429, "Retry-After", "3"))
	b.do(t, score)
	fails("A title of 429", "Try again in 3 s.")
	b.answers(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<h1>no</h1>", http.StatusBadGateway) })
	b.do(t, score)
	fails("The service answered 502")
	for _, bad := range []string{`{"results":[]}`, `null`, `{"results":[{"status":"scored"`, `{"results":[{"status":"scored","mode":"loud"}]}`, `{"results":[7]}`,
		`{"results":[{"status":"scored","mode":"soft","explain":{"sentences":[],"refs":[]},"similarities":[[2]]}]}`,
		`{"results":[{"status":"scored","mode":"soft","explain":{"sentences":[{"text":"s"}],"refs":[{"text":"r"}]},"similarities":[[2]]}]}`,
		`{"results":[{"status":"scored","mode":"soft","explain":{"sentences":[{}],"refs":[7]},"similarities":[[0.5]]}]}`} {
		b.answers(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, bad) })
		b.do(t, score)
		fails("is not understood")
	}
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		c.Close()
	})
	b.do(t, score)
	fails("The service cannot be reached")
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"results":[`) // and it is cut off
	})
	b.do(t, score)
	fails("The service cannot be reached")
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	b.answers(never)
	b.do(t, score)
	b.wait(t, `!document.getElementById("cancel").hidden`)
	b.do(t, chromedp.Click(css("#cancel")))
	b.wait(t, `document.getElementById("status").textContent === "Cancelled."`)
	eval[string](t, b, `document.getElementById("ask").dataset.seconds = "0.2"`)
	b.do(t, score)
	fails("The service did not answer", "It had 0.2 s.")
	b.quiet(t, "Failed to load resource")
}

func testToken(t *testing.T, b *browser) {
	good := small().serve(t)
	b.answers(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame" {
			problem(401, "WWW-Authenticate", "Bearer")(w, r)
			return
		}
		good(w, r)
	})
	b.fill(t, "d", "r")
	b.do(t, chromedp.Click(css("#score")))
	b.wait(t, `document.activeElement.id === "token"`)
	if typ := eval[string](t, b, `document.activeElement.type`); typ != "password" {
		t.Errorf("the field of the token is of type %s", typ)
	}
	b.Shoot(t, "token")
	b.do(t, chromedp.KeyEvent("open"), chromedp.KeyEvent(kb.Enter))
	b.wait(t, failed)
	if got := b.text(t, "error"); !strings.Contains(got, "does not take this token") {
		t.Errorf("of a wrong token it says %q", got)
	}
	b.do(t, chromedp.KeyEvent("sesame"), chromedp.KeyEvent(kb.Enter))
	b.wait(t, done)
	b.do(t, chromedp.Click(css("#score")))
	b.wait(t, done)
	var tokens []string
	for _, a := range b.requests() {
		tokens = append(tokens, a.token)
	}
	if got := strings.Join(tokens, ", "); got != ", Bearer open, Bearer sesame, Bearer sesame" {
		t.Errorf("the tokens were %q", got)
	}
	if kept := eval[string](t, b, `JSON.stringify([localStorage, sessionStorage, document.cookie, document.getElementById("token").value])`); kept != `[{},{},"",""]` {
		t.Errorf("kept: %s", kept)
	}
	b.quiet(t, "Failed to load resource: the server responded with a status of 401")
}

func testHostile(t *testing.T, b *browser) {
	attack := "</script><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)> \u202egnp.exe\u202c \x1b[31mred\x1b[0m \x00 {{.}} ${1} `<b>code</b>` javascript:alert(4)"
	m := small()
	m.sentences = []string{attack, strings.Repeat("a_name_without_end", 5000), "\ud7ff\U0001f600 " + strings.Repeat("שלום ", 40)}
	m.texts = []string{attack, "<style>*{display:none}</style>", strings.Repeat("x", 100_000)}
	m.refs[2].Source = attack
	m.warnings, m.note = []string{attack}, attack
	b.answers(m.serve(t))
	b.fill(t, attack, attack)
	eval[bool](t, b, `globalThis.violated = [], addEventListener("securitypolicyviolation", (e) => violated.push(e.violatedDirective)), true`)
	b.do(t, chromedp.Click(css("#score")))
	b.wait(t, done)
	for _, id := range []string{"sentence-1", "point-1", "warnings", "note"} {
		got := b.text(t, id)
		for _, want := range []string{"</script><script>alert(1)</script><img src=x onerror=alert(2)>", "⟨U+202E⟩gnp.exe⟨U+202C⟩", "⟨U+001B⟩[31mred", "⟨U+0000⟩", "{{.}} ${1}"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not show %q:\n%s", id, want, got)
			}
		}
	}
	if n := eval[int](t, b, `document.querySelectorAll("#results :is(script, img, style, iframe, [onload])").length`); n != 0 {
		t.Errorf("%d elements came from the texts", n)
	}
	if got := b.text(t, "sentence-2"); !strings.Contains(got, "and 89000 more characters") {
		t.Error("a sentence of 90,000 characters is shown as a whole")
	}
	if v := eval[[]string](t, b, "violated"); len(v) > 0 {
		t.Errorf("the policy was violated: %v", v)
	}
	for _, f := range b.Faults(t, "hostile", false) {
		t.Error(f)
	}
	// So that these checks can fail: the policy is in force.
	eval[bool](t, b, `(() => { const s = document.createElement("div"); s.setAttribute("style", "color: red"); document.body.append(s); return true })()`)
	b.wait(t, `violated.includes("style-src-attr")`)
	b.quiet(t, "Content Security Policy")
}

func testLarge(t *testing.T, b *browser) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := made{rule: testRules[0]}
	for j := range 500 {
		m.refs = append(m.refs, score.Ref{Kind: "claim", Source: "symbolic"})
		m.texts = append(m.texts, fmt.Sprintf("The method `work%d` now takes a parameter and returns what it made of it.", j))
	}
	for i := range 300 {
		m.sentences = append(m.sentences, fmt.Sprintf("Sentence %d says that `work%d` is never called with the new parameter.", i, i))
		row := make([]float32, 500)
		for j := range row {
			row[j] = rng.Float32() * rng.Float32()
		}
		m.matrix = append(m.matrix, row)
	}
	b.answers(m.serve(t))
	b.Go(t, b.url+"/")
	eval[bool](t, b, `(() => {
		const diff = document.getElementById("diff");
		diff.value = "@@ -1 +1 @@\n" + "+a line of the change\n".repeat(45000) + "+" + "x".repeat(100000);
		document.getElementById("review").value = "A review. ".repeat(3000);
		return diff.value.length > 1e6;
	})()`)
	b.do(t, chromedp.Click(css("#score")))
	b.wait(t, done)
	if n := len(b.requests()[0].body); n < 1_000_000 {
		t.Errorf("%d bytes were sent", n)
	}
	if n := eval[int](t, b, `document.querySelectorAll(".pair li").length`); n != 400 {
		t.Errorf("%d items are shown at first", n)
	}
	for _, more := range []css{"#points-rest button", "#points-rest button", "#sentences-rest button"} {
		b.do(t, chromedp.Focus(more), chromedp.KeyEvent(kb.Enter))
	}
	// What has the focus is not below the numbers, which stay in sight.
	b.do(t, chromedp.EmulateViewport(1280, 900), chromedp.Focus(css("#sentence-250 a")))
	for range 8 {
		b.do(t, chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
		if seen := eval[bool](t, b, `(({ activeElement: e }, { x, y, width, height } = e.getBoundingClientRect()) => e.contains(document.elementFromPoint(x + width / 2, y + height / 2)))(document)`); !seen {
			t.Fatalf("%s has the focus and is covered", eval[string](t, b, `document.activeElement.closest("li")?.id ?? document.activeElement.id`))
		}
	}
	if n := eval[int](t, b, `document.querySelectorAll(".pair li").length`); n != 800 {
		t.Errorf("%d items are shown in the end", n)
	}
	// Each step of the slider, drawn; far below what a person would call slow even on a busy machine.
	worst := eval[float64](t, b, `(async () => {
		const tau = document.getElementById("tau");
		let worst = 0;
		for (let v = 0; v <= 100; v += 20) {
			const start = performance.now();
			tau.value = v / 100;
			tau.dispatchEvent(new Event("input", { bubbles: true }));
			await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
			worst = Math.max(worst, performance.now() - start);
		}
		return worst;
	})()`)
	t.Logf("the slowest step of the slider with 500 points and 300 sentences: %.0f ms", worst)
	if worst > 3000 {
		t.Errorf("a step of the slider takes %.0f ms", worst)
	}
}

// testLooks looks at the page before, with and after a result.
func testLooks(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	b.Go(t, b.url+"/")
	faults := b.Faults(t, "empty", false)
	b.do(t, chromedp.Click(css("#example")))
	b.wait(t, done)
	faults = append(faults, b.Faults(t, "result", false)...)
	b.answers(problem(400))
	b.do(t, chromedp.Click(css("#score")))
	b.wait(t, failed)
	faults = append(faults, b.Faults(t, "error", false)...)
	for _, f := range faults {
		t.Error(f)
	}
	// Nothing moves for those who do not want it.
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}}); err != nil {
		t.Fatal(err)
	}
	if n := eval[int](t, b, `document.getElementById("score").classList.add("working"), document.getAnimations().length`); n != 0 {
		t.Errorf("%d things move", n)
	}
	// Whatever can be used by hand has a name, and Tab reaches it.
	unnamed := eval[[]string](t, b, `[...document.querySelectorAll("input, textarea, button, a, summary")].filter((e) => e.checkVisibility())
		.filter((e) => !(e.labels?.length || e.ariaLabel || e.textContent.trim())).map((e) => e.outerHTML)`)
	if len(unnamed) > 0 {
		t.Errorf("without a name: %v", unnamed)
	}
	b.Go(t, b.url+"/")
	b.do(t, chromedp.KeyEvent(kb.Tab))
	var order []string
	for range 9 {
		order = append(order, eval[string](t, b, `document.activeElement.id || document.activeElement.textContent.trim()`))
		if outline := eval[string](t, b, `(({ activeElement: e }) => getComputedStyle(e.type === "file" || e.type === "radio" ? e.parentElement : e).outlineStyle)(document)`); outline == "none" {
			t.Errorf("%s has no visible focus", order[len(order)-1])
		}
		b.do(t, chromedp.KeyEvent(kb.Tab))
	}
	if got := strings.Join(order, ", "); !strings.HasPrefix(got, "Skip to the results, diff-file, diff, review-file, review") || !strings.Contains(got, "score, example, clear") {
		t.Errorf("Tab goes through %s", got)
	}
	b.quiet(t, "Failed to load resource")
}
