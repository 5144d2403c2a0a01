package page

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"crscore/internal/report/figures/browsertest"
	"crscore/score"
)

func testAnswers(t *testing.T, b *browser) {
	ask := func() {
		t.Helper()
		b.fill(t, "d", "r")
		b.Do(t, chromedp.Click(css("#score")))
		b.Wait(t, done)
	}
	m := small()
	m.matrix, m.sentences, m.note = nil, nil, "the review has no sentences"
	b.answers(m.serve(t))
	ask()
	if got := b.numbers(t) + ": " + b.text(t, "note"); got != "0.00 0.00 0.00: the review has no sentences" {
		t.Errorf("an empty review: %s", got)
	}
	if n := browsertest.Eval[int](t, b.Page, `document.querySelectorAll("#missed li").length`); n != 3 {
		t.Errorf("an empty review has %d references beside it", n)
	}
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"signature":"s","mode":"hard","tau":0.3,"refs":[],"warnings":[],"results":[{"id":"","review":"1","status":"unscored","reason":"the change has no pseudo-references","mode":"hard","tau":0.3,"signature":"s"}]}`)
	})
	ask()
	if got := b.text(t, "unscored"); got != "No score: the change has no pseudo-references" {
		t.Errorf("unscored: %q", got)
	}
	if shown := browsertest.Eval[bool](t, b.Page, `document.getElementById("board").checkVisibility()`); shown {
		t.Error("what has no score has numbers")
	}
	// A signature without a place for the rule stays the service's.
	strange := strings.ReplaceAll(strings.ReplaceAll(small().json(t), "mode=hard tau=0.3", "mode=hard,tau=0.3"), "signature_around", "around")
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, strange)
	})
	ask()
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.End))
	if got := b.text(t, "signature") + ": " + b.text(t, "signature-means"); got != "crscore/0 encoder=test mode=hard,tau=0.3 claims=test smells=none: It names the original rule, not the rule chosen above." {
		t.Errorf("a strange signature: %s", got)
	}
	// A row without evidence keeps its numbers.
	bare := regexp.MustCompile(`"explain":\{.*?\]\},|,"similarities":\[\[.*?\]\]`).ReplaceAllString(small().json(t), "")
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, bare)
	})
	ask()
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.End))
	if got := b.numbers(t) + ": " + b.text(t, "note") + b.text(t, "warnings"); got != "0.67 0.33 0.44: The evidence of this review was not kept: its numbers stay as they are.Warnings\na source was not asked" {
		t.Errorf("without evidence: %s", got)
	}
	// Without all similarities, Comp by noisy-or is known by the row's own rule alone.
	own := small()
	own.rule = score.Rule{Mode: score.Soft, Comp: score.CoverNoisyOr}
	want, err := score.ScoreRefs(own.matrix, own.refs, own.rule)
	if err != nil {
		t.Fatal(err)
	}
	nearest := regexp.MustCompile(`,"similarities":\[\[.*?\]\]`).ReplaceAllString(own.json(t), "")
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, nearest)
	})
	ask()
	if got := b.numbers(t) + b.text(t, "warnings"); got != fmt.Sprintf("%.2f %.2f %.2fWarnings\na source was not asked", want.Con, want.Comp, want.Rel) {
		t.Errorf("without similarities, by the own rule: %s", got)
	}
	b.Do(t, chromedp.Focus(css("[value=soft]")), chromedp.KeyEvent(kb.ArrowRight), chromedp.Focus(css("#noisy-or")), chromedp.KeyEvent(" "))
	if got := b.numbers(t) + ": " + b.text(t, "comp-means"); !strings.HasSuffix(got, " – –: not known: it needs all similarities") {
		t.Errorf("without similarities, by another rule: %s", got)
	}
	// The page finds out that a service computes otherwise.
	wrong := strings.Replace(small().json(t), `"con":0.6666666666666666`, `"con":0.7`, 1)
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, wrong)
	})
	ask()
	if got := b.text(t, "warnings"); !strings.Contains(got, "This page finds con of the review 1 to be 0.666") {
		t.Errorf("another con: %q", got)
	}
}

func testErrors(t *testing.T, b *browser) {
	fails := func(want ...string) {
		t.Helper()
		b.Wait(t, failed)
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
	b.Do(t, score)
	fails("There is no change yet")
	if n := len(b.requests()); n != 0 {
		t.Errorf("%d requests without a change", n)
	}
	b.fill(t, "d", "r")
	b.Do(t, score)
	fails("The service cannot read this", "Line 7 is <b>bad</b>.")
	b.answers(problem(429, "Retry-After", "3"))
	b.Do(t, score)
	fails("The service is busy", "Try again in 3 s.")
	b.answers(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<h1>no</h1>", http.StatusBadGateway) })
	b.Do(t, score)
	fails("The service answered 502", "It answered 502.")
	for _, bad := range []string{`{"results":[]}`, `null`, `{"results":[{"status":"scored"`, `{"results":[{"status":"scored","mode":"loud"}]}`, `{"results":[7]}`,
		`{"results":[{"status":"scored","mode":"soft","explain":{"sentences":[],"refs":[]},"similarities":[[2]]}]}`,
		`{"results":[{"status":"scored","mode":"soft","explain":{"sentences":[{"text":"s"}],"refs":[{"text":"r"}]},"similarities":[[2]]}]}`,
		`{"results":[{"status":"scored","mode":"soft","explain":{"sentences":[{}],"refs":[7]},"similarities":[[0.5]]}]}`} {
		b.answers(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, bad) })
		b.Do(t, score)
		fails("does not understand the service's answer")
	}
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		c.Close()
	})
	b.Do(t, score)
	fails("The service cannot be reached")
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"results":[`) // and it is cut off
	})
	b.Do(t, score)
	fails("The service cannot be reached")
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	b.answers(never)
	b.Do(t, score)
	b.Wait(t, `!document.getElementById("cancel").hidden`)
	b.Do(t, chromedp.Click(css("#cancel")))
	b.Wait(t, `document.getElementById("status").textContent === "Cancelled."`)
	browsertest.Eval[string](t, b.Page, `document.getElementById("ask").dataset.seconds = "0.2"`)
	b.Do(t, score)
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
	b.Do(t, chromedp.Click(css("#score")))
	b.Wait(t, `document.activeElement.id === "token"`)
	if typ := browsertest.Eval[string](t, b.Page, `document.activeElement.type`); typ != "password" {
		t.Errorf("the field of the token is of type %s", typ)
	}
	for _, f := range b.Faults(t, "sign-in", false) {
		t.Error(f)
	}
	b.Do(t, chromedp.Focus(css("#token")))
	b.Do(t, chromedp.KeyEvent("open"), chromedp.KeyEvent(kb.Enter))
	b.Wait(t, failed)
	if got := b.text(t, "error"); !strings.Contains(got, "does not take this token") {
		t.Errorf("of a wrong token it says %q", got)
	}
	b.Do(t, chromedp.KeyEvent("sesame"), chromedp.KeyEvent(kb.Enter))
	b.Wait(t, done)
	b.Do(t, chromedp.Click(css("#score")))
	b.Wait(t, done)
	var tokens []string
	for _, a := range b.requests() {
		tokens = append(tokens, a.token)
	}
	if got := strings.Join(tokens, ", "); got != ", Bearer open, Bearer sesame, Bearer sesame" {
		t.Errorf("the tokens were %q", got)
	}
	if kept := browsertest.Eval[string](t, b.Page, `JSON.stringify([localStorage, sessionStorage, document.cookie, document.getElementById("token").value])`); kept != `[{},{},"",""]` {
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
	m.more = []string{attack, strings.Repeat("n", 5000)}
	inLine := strings.NewReplacer("\x00", "", "\x1b", "").Replace(attack) // a diff loses them
	m.diff = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,5 @@ " + inLine + "\n def f(self):\n-    " + inLine + "\n+    " + inLine + "\n+    return timeout\n+" + strings.Repeat("x", 100_000) + "\n x = 1\n" +
		"--- a/<img src=x>\n+++ b/<img src=x>\n@@ -1 +1 @@\n-a\n+b\n"
	b.answers(m.serve(t))
	b.fill(t, attack, attack)
	browsertest.Eval[bool](t, b.Page, `globalThis.violated = [], addEventListener("securitypolicyviolation", (e) => violated.push(e.violatedDirective)), true`)
	b.Do(t, chromedp.Click(css("#score")))
	b.Wait(t, done)
	for _, id := range []string{"pane-change", "reviews-list"} {
		if got := b.text(t, id); !strings.Contains(got, "</script><script>alert(1)</script><img src=x onerror=alert(2)>") || !strings.Contains(got, "⟨U+202E⟩gnp.exe") {
			t.Errorf("%s shows %q", id, got)
		}
	}
	for _, id := range []string{"sentence-1", "warnings", "note"} {
		got := b.text(t, id)
		for _, want := range []string{"</script><script>alert(1)</script><img src=x onerror=alert(2)>", "⟨U+202E⟩gnp.exe⟨U+202C⟩", "⟨U+001B⟩[31mred", "⟨U+0000⟩", "{{.}} ${1}"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not show %q:\n%s", id, want, got)
			}
		}
	}
	if n := browsertest.Eval[int](t, b.Page, `document.querySelectorAll("#results :is(script, img, style, iframe, [onload])").length`); n != 0 {
		t.Errorf("%d elements came from the texts", n)
	}
	if got := browsertest.Eval[string](t, b.Page, `document.getElementById("sentence-2").textContent`); !strings.Contains(got, "and 89000 more characters") {
		t.Error("a sentence of 90,000 characters is shown as a whole")
	}
	if v := browsertest.Eval[[]string](t, b.Page, "violated"); len(v) > 0 {
		t.Errorf("the policy was violated: %v", v)
	}
	for _, f := range b.Faults(t, "hostile", false) {
		t.Error(f)
	}
	// So that these checks can fail: the policy is in force.
	browsertest.Eval[bool](t, b.Page, `(() => { const s = document.createElement("div"); s.setAttribute("style", "color: red"); document.body.append(s); return true })()`)
	b.Wait(t, `violated.includes("style-src-attr")`)
	b.quiet(t, "Content Security Policy")
	hostileVerdicts(t, b, attack)
}

// hostileVerdicts has the attack in every field of a decision.
func hostileVerdicts(t *testing.T, b *browser, attack string) {
	t.Helper()
	decision, err := json.Marshal(object{
		"outcome": attack, "reasons": []string{attack}, "review": object{"status": "scored", "comments": 1, "con": 0.5, "reason": attack}, "mode": attack, "signature": attack, "warnings": []string{attack},
		"refs":   []object{{"kind": attack, "text": attack, "source": attack}},
		"missed": []object{{"kind": attack, "text": attack, "source": attack, "rule": attack, "path": attack}},
		"comments": []object{{"comment": 1, "path": attack, "file": attack, "side": attack, "start_line": 1, "end_line": 1 << 40, "status": "scored", "con": 0.5, "kept": false, "dropped": attack,
			"verdict": attack, "why": attack, "off_topic": attack, "body": attack, "note": attack, "reason": attack, "scope": attack, "about": []object{{"sentence": attack, "ref": 1, "similarity": 0.5, "credit": 0.5}, {"sentence": attack, "ref": 7}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(decision)
	})
	b.fill(t, "d", "r")
	b.Do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector("[value=comments]").click()`), chromedp.SetValue(css("#comments"), attack), chromedp.Click(css("#score")))
	b.Wait(t, `!document.getElementById("decided").hidden`)
	if got := b.text(t, "decided"); strings.Count(got, "<script>alert(1)</script>") < 9 || !strings.Contains(got, "⟨U+202E⟩") {
		t.Errorf("of a hostile decision it shows %q", got)
	}
	if n := browsertest.Eval[int](t, b.Page, `document.querySelectorAll("#results :is(script, img, style, iframe, [onload])").length`); n != 0 {
		t.Errorf("%d elements came from the decision", n)
	}
	for _, f := range b.Faults(t, "hostile-verdicts", false) {
		t.Error(f)
	}
	b.quiet(t)
}
