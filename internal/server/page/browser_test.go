package page

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"crscore/internal/report/figures/browsertest"
	"crscore/score"
)

func TestPage(t *testing.T) {
	b := open(t)
	for _, one := range []struct {
		name string
		test func(*testing.T, *browser)
	}{
		{"arithmetic", testArithmetic}, {"typing", testTyping}, {"sliders", testSliders}, {"lights", testLights}, {"keys", testKeys}, {"filters", testFilters},
		{"reviews", testReviews}, {"verdicts", testVerdicts}, {"shared", testShared}, {"files", testFiles}, {"sides", testSides},
		{"answers", testAnswers}, {"errors", testErrors}, {"token", testToken}, {"hostile", testHostile}, {"large", testLarge}, {"looks", testLooks},
	} {
		t.Run(one.name, func(t *testing.T) {
			one.test(t, b)
			b.quiet(t)
		})
	}
}

func testTyping(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	b.Go(t, b.url+"/")
	b.Do(t, chromedp.EmulateViewport(1280, 900),
		chromedp.SendKeys(css("#diff"), "@@ -1 +1 @@"),
		chromedp.SendKeys(css("#review"), "The timeout is never used."),
		chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(ctrl)))
	b.Wait(t, done)
	if got := b.numbers(t); got != "0.67 0.33 0.44" {
		t.Errorf("the numbers are %s", got)
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(b.requests()[0].body), &body); err != nil {
		t.Fatal(err)
	}
	if body["diff"] != "@@ -1 +1 @@" || body["explain"] != true || body["similarities"] != true || body["change"] != true || len(body) != 5 {
		t.Errorf("it asked %v", body)
	}
	for id, want := range map[string]string{
		"sentences-title": "Sentences (3)", "missed-title": "Missed by the review (2 of 3)", "con-means": "2 of 3 sentences are on topic", "comp-means": "1 of 3 references are covered",
		"sentence-1": "✓\n1. The timeout is never used.\n✓\n2. timeout is not used.\na.py:2–3\nsource\n(0.51)", "sentence-2": "✗\n2. Please rebase.\n✗\n2. timeout is not used.\na.py:2–3\nsource\nnearest (0.28)",
		"reference-3": "✗\n3. The method is long.\nsmell · a.py:3–4\nsource\nnearest to sentence 1 (0.10)",
		"warnings":    "Warnings\na source was not asked",
		"status":      "Scored: Con 0.67, Comp 0.33, Rel 0.44.",
	} {
		if got := b.text(t, id); got != want {
			t.Errorf("%s is %q, not %q", id, got, want)
		}
	}
	if hidden := browsertest.Eval[bool](t, b.Page, `document.getElementById("stale").hidden`); !hidden {
		t.Error("the result is called stale at once")
	}
	b.Do(t, chromedp.SendKeys(css("#review"), " More."))
	if hidden := browsertest.Eval[bool](t, b.Page, `document.getElementById("stale").hidden`); hidden {
		t.Error("the result of another text is not called so")
	}
	// It is that of another text, too, where it comes after an edit.
	for _, late := range []struct {
		typed string
		stale bool
	}{{"", false}, {" Late.", true}} {
		wait, good := make(chan struct{}), small().serve(t)
		b.answers(func(w http.ResponseWriter, r *http.Request) { <-wait; good(w, r) })
		b.Do(t, chromedp.Click(css("#score")))
		b.Wait(t, `!document.getElementById("cancel").hidden`)
		b.Do(t, chromedp.SendKeys(css("#review"), late.typed))
		close(wait)
		b.Wait(t, done)
		if hidden := browsertest.Eval[bool](t, b.Page, `document.getElementById("stale").hidden`); hidden == late.stale {
			t.Errorf("%q is typed while it scores: the result is called stale: %v", late.typed, !hidden)
		}
	}
}

func testSliders(t *testing.T, b *browser) {
	m := small()
	m.rule.Weights = score.Weights{"smell": 0.5}
	b.answers(m.serve(t))
	b.fill(t, "d", "r")
	b.Do(t, chromedp.Click(css("#score")))
	b.Wait(t, done)
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
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	check("three to the left", score.Rule{Mode: score.Hard, Tau: 0.27})
	if got := b.text(t, "sentence-2"); !strings.Contains(got, "✓\n2. timeout is not used.") || !strings.Contains(got, "(0.28)") {
		t.Errorf("the sentence says %q", got)
	}
	if said := b.text(t, "status"); strings.Contains(said, "0.27") || !strings.HasPrefix(said, "Scored") {
		t.Errorf("while the slider moves, it is said: %q", said)
	}
	b.Wait(t, `document.getElementById("status").textContent.startsWith("Con")`)
	b.Do(t, chromedp.KeyEvent(kb.End))
	check("the end", score.Rule{Mode: score.Hard, Tau: 1})
	b.Do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById("tau-exact").select()`), chromedp.SendKeys(css("#tau-exact"), "0.3499"))
	check("exactly", score.Rule{Mode: score.Hard, Tau: 0.3499})
	b.Do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById("tau-exact").select()`), chromedp.SendKeys(css("#tau-exact"), "7"))
	if invalid := browsertest.Eval[string](t, b.Page, `document.getElementById("tau-exact").ariaInvalid`); invalid != "true" {
		t.Error("a τ of 7 is taken")
	}
	b.Do(t, chromedp.Focus(css("[value=hard]")), chromedp.KeyEvent(kb.ArrowRight))
	check("soft", score.Rule{Mode: score.Soft})
	b.Do(t, chromedp.KeyEvent(kb.ArrowRight))
	check("ramp", score.Rule{Mode: score.Ramp, Tau: 0.275, Low: 0.05})
	b.Do(t, chromedp.Focus(css("#low")), chromedp.KeyEvent(kb.ArrowRight))
	check("a higher low", score.Rule{Mode: score.Ramp, Tau: 0.275, Low: 0.06})
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.Home))
	check("τ takes low along", score.Rule{Mode: score.Ramp, Tau: 0, Low: 0})
	b.Do(t, chromedp.KeyEvent(kb.End))
	check("and low comes back", score.Rule{Mode: score.Ramp, Tau: 1, Low: 0.06})
	b.Do(t, chromedp.Focus(css("#low")), chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.Home))
	check("τ takes low along again", score.Rule{Mode: score.Ramp, Tau: 0, Low: 0})
	b.Do(t, chromedp.Focus(css("#noisy-or")), chromedp.KeyEvent(" "))
	check("all sentences count", score.Rule{Mode: score.Ramp, Comp: score.CoverNoisyOr})
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.End))
	check("they still do, with another τ", score.Rule{Mode: score.Ramp, Tau: 1, Comp: score.CoverNoisyOr})
	b.Do(t, chromedp.Focus(css("#noisy-or")), chromedp.KeyEvent(" "))
	check("the best alone counts", score.Rule{Mode: score.Ramp, Tau: 1})
	b.Do(t, chromedp.Focus(css("[value=ramp]")), chromedp.KeyEvent(kb.ArrowRight))
	check("calibrated", score.Rule{Mode: score.Calibrated, Tau: 0.4, Slope: 8})
	b.Do(t, chromedp.Focus(css("[value=calibrated]")), chromedp.KeyEvent(kb.ArrowRight))
	check("back to hard, where it was", score.Rule{Mode: score.Hard, Tau: 0.3499})
	if shown := browsertest.Eval[bool](t, b.Page, `document.getElementById("noisy-or").checkVisibility()`); shown {
		t.Error("mode hard has a choice for Comp")
	}
	b.Do(t, chromedp.Click(css("#reset")))
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
	b.Do(t, chromedp.Click(css("#copy")))
	b.Wait(t, `document.getElementById("copied").textContent === "Selected: copy it with Ctrl + C."`)
	if got, want := browsertest.Eval[string](t, b.Page, `getSelection().toString().trim()`), b.text(t, "signature"); got != want {
		t.Errorf("without leave to copy, it selects %q", got)
	}
	allow("clipboard-read", "granted")
	allow("clipboard-write", "granted")
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.ArrowRight), chromedp.Click(css("#copy")))
	b.Wait(t, `document.getElementById("copied").textContent === "Copied."`)
	if got := browsertest.Eval[string](t, b.Page, `navigator.clipboard.readText()`); got != b.text(t, "signature") || !strings.Contains(got, "tau=0.31 ") {
		t.Errorf("it copies %q", got)
	}
	if n := len(b.requests()); n != 1 {
		t.Errorf("%d requests were made, not one", n)
	}
}

// lit are the things that light up together.
func (b *browser) lit(t *testing.T) string {
	t.Helper()
	return browsertest.Eval[string](t, b.Page, `[...document.querySelectorAll("#found .on")].map((e) => e.id || (e.dataset.ref ? (e.closest("table, h3") ? "mark " : "ref ") + (Number(e.dataset.ref) + 1) : "line " + e.children[1].dataset.n)).join(", ")`)
}

func testLights(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	b.fill(t, "d", "r")
	b.Do(t, chromedp.EmulateViewport(1280, 900), chromedp.Click(css("#score")))
	b.Wait(t, done)
	if got := b.text(t, "pane-change"); !strings.Contains(got, "a.py") || !strings.Contains(got, "class A:") || !strings.Contains(got, "return timeout") {
		t.Errorf("the change is %q", got)
	}
	lit := func(what, want string) {
		t.Helper()
		if got := b.lit(t); got != want {
			t.Errorf("%s: lit are %q, not %q", what, got, want)
		}
	}
	over := func(selector string) {
		t.Helper()
		b.Do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).scrollIntoView({ block: "center" })`, selector)))
		at := browsertest.Eval[[]float64](t, b.Page, fmt.Sprintf(`(({ x, y }) => [x + 30, y + 6])(document.querySelector(%q).getBoundingClientRect())`, selector))
		b.Do(t, chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	}
	over("#sentence-1 .what")
	lit("a sentence", "line 2, mark 2, line 3, sentence-1, ref 2, sentence-2, ref 2, sentence-3, ref 2")
	over("#reference-3 .what")
	lit("a missed reference", "line 3, mark 3, line 4, reference-3")
	over("tr:has([data-n='4']) .code")
	lit("a line", "line 3, mark 3, line 4, reference-3")
	over("h2")
	lit("something else", "")
	// A mark leads to the reference, and a place to the lines.
	b.Do(t, chromedp.Click(css("[data-ref='2'].mark")))
	if got := browsertest.Eval[string](t, b.Page, `document.activeElement.id`); got != "reference-3" {
		t.Errorf("the mark of reference 3 leads to %q", got)
	}
	if got := browsertest.Eval[string](t, b.Page, `[...document.querySelectorAll(".mark")].map((e) => e.ariaLabel).join("; ")`); got != "Reference 1, not matched; Reference 2, matched; Reference 3, not matched" {
		t.Errorf("the marks are called %s", got)
	}
}

// testKeys uses the result without a mouse.
func testKeys(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	b.fill(t, "d", "r")
	b.Do(t, chromedp.EmulateViewport(1280, 900), chromedp.Click(css("#score")))
	b.Wait(t, done)
	at := func(want string) {
		t.Helper()
		if got := browsertest.Eval[string](t, b.Page, `((e) => e.id || e.ariaLabel || e.textContent)(document.activeElement)`); got != want {
			t.Errorf("the focus is at %q, not %q", got, want)
		}
	}
	b.Do(t, chromedp.Focus(css("#sentence-1")))
	for _, step := range []struct{ key, want string }{
		{kb.ArrowDown, "✓2. timeout is not used.a.py:2–3sourcesymbolic the-rule(0.51)"}, {kb.ArrowDown, "sentence-2"}, {kb.End, "✓2. timeout is not used.a.py:2–3sourcesymbolic the-rule(0.35)"},
		{kb.Home, "sentence-1"}, {kb.ArrowUp, "sentence-1"}, {kb.ArrowRight, "Reference 2, matched"}, {kb.ArrowDown, "Reference 3, not matched"}, {kb.Enter, "reference-3"},
	} {
		b.Do(t, chromedp.KeyEvent(step.key))
		at(step.want)
	}
	if got := b.lit(t); got != "line 3, mark 3, line 4, reference-3" {
		t.Errorf("with the focus on reference 3, lit are %q", got)
	}
	b.Do(t, chromedp.KeyEvent(" "))
	if open := browsertest.Eval[bool](t, b.Page, `document.querySelector("#reference-3 details").open`); !open {
		t.Error("the space bar does not show the source of a reference")
	}
	// A list is one stop for the Tab key.
	if n := browsertest.Eval[int](t, b.Page, `document.querySelectorAll("#found :is(li, .mark, .place, summary)[tabindex='0']").length`); n != 3 {
		t.Errorf("%d items are stops of the Tab key", n)
	}
}

func testFilters(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	b.fill(t, "d", "r")
	b.Do(t, chromedp.EmulateViewport(1280, 900), chromedp.Click(css("#score")))
	b.Wait(t, done)
	shown := func(filter, want string) {
		t.Helper()
		b.Do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("[name=filter][value=%s]").click()`, filter)))
		if got := browsertest.Eval[string](t, b.Page, `[...document.querySelectorAll("#found .evidence li[id]")].filter((e) => e.checkVisibility()).map((e) => e.id).join(" ")`); got != want {
			t.Errorf("%s shows %q, not %q", filter, got, want)
		}
	}
	shown("all", "sentence-1 sentence-2 sentence-3 reference-1 reference-3")
	shown("missed", "reference-1 reference-3")
	shown("off-topic", "sentence-2")
	shown("smells", "reference-3")
	if got := browsertest.Eval[string](t, b.Page, `document.querySelector(".filters").innerText.replace(/\s+/g, " ")`); !strings.Contains(got, "All Missed 2 Off topic 1 Smells 1") {
		t.Errorf("the filters are %q", got)
	}
	// A mark leads to its reference whatever the filter.
	b.Do(t, chromedp.Click(css("[data-ref='0'].mark")))
	if got := browsertest.Eval[string](t, b.Page, `document.activeElement.id + " " + document.querySelector("[name=filter]:checked").value`); got != "reference-1 all" {
		t.Errorf("the mark of a reference that the filter hides leads to %s", got)
	}
	// Without a threshold nothing is missed.
	b.Do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector("[name=filter][value=missed]").click(), document.querySelector("[value=soft]").click()`))
	if got := browsertest.Eval[string](t, b.Page, `[...document.querySelectorAll("[name=filter]")].map((r) => r.value + (r.checked ? "!" : "") + (r.disabled ? "-" : "")).join(" ")`); got != "all! missed- off-topic- smells" {
		t.Errorf("in mode soft the filters are %s", got)
	}
	b.Do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector("[value=hard]").click()`))
	// On a phone there are tabs, and the scores and the slider stay in sight.
	b.Do(t, chromedp.EmulateViewport(380, 740), chromedp.Evaluate[chromedp.Void](`document.querySelector("[name=filter][value=all]").click()`))
	for _, tab := range []struct{ id, want string }{{"change", "pane-change"}, {"review", "sentence-1"}, {"missed", "reference-1"}} {
		b.Do(t, chromedp.Click(css("#tab-"+tab.id)))
		if got := browsertest.Eval[string](t, b.Page, `["pane-change", "sentence-1", "reference-1"].filter((id) => document.getElementById(id).checkVisibility()).join(" ")`); got != tab.want {
			t.Errorf("the tab %s shows %s", tab.id, got)
		}
	}
	for _, size := range [][2]int64{{380, 740}, {900, 700}, {1280, 900}} {
		b.Do(t, chromedp.EmulateViewport(size[0], size[1]), chromedp.Evaluate[chromedp.Void](`document.getElementById("signed").scrollIntoView({ block: "end" })`))
		box := browsertest.Eval[[]float64](t, b.Page, `["rel", "tau"].flatMap((id) => (({ top, bottom }) => [top, bottom])(document.getElementById(id).getBoundingClientRect()))`)
		if box[0] < 0 || box[2] < 0 || box[3] > float64(size[1]) {
			t.Errorf("at %v the scores and the slider are at %v", size, box)
		}
	}
}

func testReviews(t *testing.T, b *browser) {
	m := small()
	m.more = []string{"short", "third"}
	b.answers(m.serve(t))
	b.fill(t, "d", "r")
	b.Do(t, chromedp.EmulateViewport(1280, 900), chromedp.Click(css("#another")), chromedp.SendKeys(css("#review-2"), "second text"), chromedp.SendKeys(css("#name-2"), "short"), chromedp.Click(css("#score")))
	b.Wait(t, done)
	var body struct{ Reviews []struct{ ID, Text string } }
	if err := json.Unmarshal([]byte(b.requests()[0].body), &body); err != nil || fmt.Sprint(body.Reviews) != "[{review 1 r} {short second text}]" {
		t.Errorf("it asked %v (%v)", body, err)
	}
	if got := b.text(t, "reviews-list"); got != "Review\tCon\tComp\tRel\n1\t0.67\t0.33\t0.44\nshort\t1.00\t0.33\t0.50\nthird\t1.00\t0.33\t0.50" {
		t.Errorf("the reviews are %q", got)
	}
	b.Do(t, chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("#reviews-list button")[1].click()`))
	if got := b.numbers(t) + " " + b.text(t, "sentences-title"); got != "1.00 0.33 0.50 short: sentences (1)" {
		t.Errorf("the second review is %s", got)
	}
	b.Do(t, chromedp.Click(css("#beside summary")))
	b.Wait(t, `document.querySelector("#beside table") !== null`)
	if got := b.text(t, "beside"); !strings.Contains(got, "short\tthird") || strings.Count(got, "✓ 0.51") != 3 {
		t.Errorf("side by side: %q", got)
	}
	// The rule stays from review to review.
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.End), chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("#reviews-list button")[0].click()`))
	if got := b.text(t, "reviews-list"); b.numbers(t) != "0.00 0.00 0.00" || strings.Count(got, "0.00") != 9 {
		t.Errorf("at τ = 1: %s, %q", b.numbers(t), got)
	}
}

func testVerdicts(t *testing.T, b *browser) {
	decision := `{"outcome":"fail","reasons":["Rel is 0.2, below 0.5"],"review":{"status":"scored","comments":1,"con":0.5,"comp":0.125,"rel":0.2},"mode":"ramp","signature":"s","policy":{},"missed":[{"kind":"claim","text":"A parameter was added.","source":"symbolic"}],
		"comments":[{"comment":1,"path":"a.py","file":"a.py","side":"new","start_line":3,"end_line":3,"status":"scored","con":0.5,"sentences":1,"refs":1,"kept":true,"verdict":"about","why":"name ` + "`timeout`" + ` of this hunk","p":0.9,"z":2.2,"body":"The timeout is never used.","about":[{"sentence":"The timeout is never used.","ref":1,"similarity":0.5,"credit":0.5}]},
		{"comment":2,"path":"b.py","status":"scored","con":0,"sentences":1,"refs":1,"kept":false,"verdict":"empty","why":"nothing but praise","off_topic":"praise","dropped":"empty","body":"<b>Nice!</b>"},{"comment":3,"status":"unscored","reason":"the stage failed","kept":true,"body":"x","sentences":0,"refs":0}],"refs":[{"kind":"claim","text":"timeout is not used","source":"symbolic"}],"change":`
	b.answers(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		change, err := json.Marshal(drawn(t, changed))
		if err != nil {
			t.Error(err)
		}
		io.WriteString(w, decision+string(change)+"}")
	})
	b.fill(t, "d", "r")
	b.Do(t, chromedp.EmulateViewport(1280, 900), chromedp.Evaluate[chromedp.Void](`document.querySelector("[value=comments]").click()`), chromedp.Click(css("#score")))
	b.Wait(t, failed)
	if got := b.text(t, "error"); !strings.Contains(got, "There are no comments yet") {
		t.Errorf("without comments: %q", got)
	}
	b.Do(t, chromedp.SendKeys(css("#comments"), "[]"), chromedp.SetValue(css("#min-rel"), "0.5"), chromedp.Click(css("#score")))
	b.Wait(t, `!document.getElementById("decided").hidden && document.getElementById("cancel").hidden`)
	asked := b.requests()
	if want := `{"diff":"d","comments":"[]","policy":{"drop_off_topic":true,"min_rel":0.5,"max_comments":0},"change":true}`; len(asked) != 1 || asked[0].path != "/v1/gate" || asked[0].body != want {
		t.Errorf("it asked %v", asked)
	}
	got := b.text(t, "decided")
	for _, want := range []string{"The comments fail: 2 of 3 comments kept (1 about, 1 empty)", "Rel is 0.2, below 0.5", "drop: says nothing about the code", "a.py:3 · Con 0.50 · about: name `timeout` of this hunk", "Con 0.00 · empty: nothing but praise", "<b>Nice!</b>", "no score", "the stage failed", "Missed by the kept comments (1)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if at := browsertest.Eval[string](t, b.Page, `document.querySelector("#decided tr.said").previousElementSibling.innerText.trim()`); !strings.HasSuffix(at, "return timeout") {
		t.Errorf("comment 1 stands below %q", at)
	}
	for _, f := range b.Faults(t, "verdicts", false) {
		t.Error(f)
	}
	b.Do(t, chromedp.EmulateViewport(1280, 900))
	b.Go(t, "file://"+b.save(t, "#share-decision", t.TempDir()))
	b.Wait(t, `document.querySelector(".verdict") !== null`)
	if saved := b.text(t, "found"); !strings.Contains(saved, "The comments fail: 2 of 3 comments kept") || !strings.Contains(saved, "return timeout") {
		t.Errorf("the saved decision is %q", saved)
	}
}

// save saves the result by a button as a file.
func (b *browser) save(t *testing.T, button, dir string) string {
	t.Helper()
	if _, err := chromedp.CallBrowser(b.Ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir}); err != nil {
		t.Fatal(err)
	}
	b.Do(t, chromedp.Click(css(button)))
	name := filepath.Join(dir, "review.html")
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if f, err := os.Stat(name); err == nil && f.Size() > 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no file is saved: %s", b.text(t, "error"))
		}
	}
	return name
}

// testShared saves a result and opens the file.
func testShared(t *testing.T, b *browser) {
	m := small()
	m.sentences[1] = "</script><script>alert(1)</script><!-- {{style}} $& "
	m.more = []string{"other"}
	b.answers(m.serve(t))
	b.fill(t, "d", "r")
	b.Do(t, chromedp.EmulateViewport(1280, 900), chromedp.Click(css("#score")))
	b.Wait(t, done)
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	numbers, dir := b.numbers(t), t.TempDir()
	name := b.save(t, "#share", dir)
	b.quiet(t)
	b.Go(t, "file://"+name)
	b.Wait(t, `document.getElementById("rel") !== null`)
	if got := b.numbers(t); got != numbers {
		t.Errorf("the file shows %s, the page %s", got, numbers)
	}
	if got := b.text(t, "sentence-2"); !strings.Contains(got, m.sentences[1][:40]) {
		t.Errorf("the second sentence is %q", got)
	}
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.End))
	if got := b.numbers(t); got != "0.00 0.00 0.00" {
		t.Errorf("the slider of the file leads to %s", got)
	}
	for _, f := range b.Faults(t, "shared", false) {
		t.Error(f)
	}
}

// dropOn brings something to the middle of an element as a hand does.
func dropOn(t *testing.T, b *browser, selector string, data input.DragData) {
	t.Helper()
	data.DragOperationsMask = 1 | 16 // to copy and to move
	at := browsertest.Eval[[]float64](t, b.Page, fmt.Sprintf(`((e) => { e.scrollIntoView({ block: "center" }); const { x, y, width, height } = e.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })(document.querySelector(%q))`, selector))
	for _, typ := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		if _, err := chromedp.Call(b.Ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: typ, X: at[0], Y: at[1], Data: &data}); err != nil {
			t.Fatal(err)
		}
	}
}

// testSides drops whole files and folders as the two sides of a change.
func testSides(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	files := func(want string) {
		t.Helper()
		b.Wait(t, `!document.getElementById("whole").hidden`)
		n := len(b.requests())
		b.Do(t, chromedp.SetValue(css("#review"), "r"), chromedp.Click(css("#score")))
		b.Wait(t, done)
		var body struct{ Files json.RawMessage }
		if err := json.Unmarshal([]byte(b.requests()[n].body), &body); err != nil || string(body.Files) != want {
			t.Errorf("it asked %s, not %s (%v)", body.Files, want, err)
		}
	}
	b.Go(t, b.url+"/")
	old, next := write("x/new_queue.py", "one\r\n"), write("x/old_queue.py", "zero\n")
	dropOn(t, b, "#diff", input.DragData{Items: []*input.DragDataItem{}, Files: []string{old, next}})
	files(`[{"path":"new_queue.py","old":"zero\n","new":"one\r\n"}]`)
	b.Do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector("#whole button").click()`))
	files(`[{"path":"new_queue.py","old":"one\r\n","new":"zero\n"}]`)
	b.Do(t, chromedp.Click(css("#no-whole")))
	if shown := browsertest.Eval[bool](t, b.Page, `document.getElementById("diff").checkVisibility()`); !shown {
		t.Error("without the files there is no field for a diff")
	}
	write("two/after/a.go", "package a\n")
	write("two/after/sub/b.go", "package b\n")
	write("two/before/sub/b.go", "package c\n")
	write("two/before/gone.go", "package d\n")
	write("two/before/same.go", "package e\n")
	write("two/after/same.go", "package e\n")
	write("two/before/sub/picture.png", "\xff\xfe\x00")
	dropOn(t, b, "#diff", input.DragData{Items: []*input.DragDataItem{}, Files: []string{filepath.Join(dir, "two")}})
	files(`[{"path":"a.go","new":"package a\n"},{"path":"gone.go","old":"package d\n"},{"path":"sub/b.go","old":"package c\n","new":"package b\n"}]`)
	if got := b.text(t, "whole"); !strings.Contains(got, "sub/b.go: changed") || !strings.Contains(got, "Left out, for they are not text: sub/picture.png (old)") || !strings.Contains(got, "The same on both sides, and left out: 1 file.") {
		t.Errorf("the folders are told as %q", got)
	}
	write("three/a", "1")
	dropOn(t, b, "#whole", input.DragData{Items: []*input.DragDataItem{}, Files: []string{filepath.Join(dir, "three")}})
	b.Wait(t, failed)
	if got := b.text(t, "error"); !strings.Contains(got, "These files are not two sides of a change") {
		t.Errorf("of one folder it says %q", got)
	}
	b.Go(t, b.url+"/")
	b.Do(t, chromedp.SetUploadFiles(css("#diff-file"), []string{old}))
	b.Wait(t, failed)
	if got := b.text(t, "error"); !strings.Contains(got, "new_queue.py is not a diff") {
		t.Errorf("of a file that is no diff it says %q", got)
	}
	// What was typed comes back.
	b.Do(t, chromedp.SetValue(css("#review"), "mine"), chromedp.Click(css("#clear")), chromedp.Click(css("#undo")))
	if got := browsertest.Eval[string](t, b.Page, `document.getElementById("review").value`); got != "mine" {
		t.Errorf("what was cleared comes back as %q", got)
	}
	b.Do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById("review").value = ""`))
	// Several files are as many reviews.
	dropOn(t, b, "#review", input.DragData{Items: []*input.DragDataItem{}, Files: []string{write("r1.md", "One."), write("r2.md", "Two.")}})
	b.Wait(t, `document.getElementById("review-2")?.value === "Two."`)
	if got := browsertest.Eval[string](t, b.Page, `document.getElementById("review").value + document.getElementById("name-2").value`); got != "One.r2.md" {
		t.Errorf("two files of reviews became %q", got)
	}
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
	b.Do(t, chromedp.SetUploadFiles(css("#diff-file"), []string{write("a.diff", windows)}))
	b.Wait(t, `document.getElementById("diff").value.includes("+b")`)
	drop := func(selector string, data input.DragData) { t.Helper(); dropOn(t, b, selector, data) }
	drop("#review", input.DragData{Items: []*input.DragDataItem{}, Files: []string{write("r.md", "Dropped as a file.")}})
	b.Wait(t, `document.getElementById("review").value === "Dropped as a file."`)
	review := func() string {
		t.Helper()
		return browsertest.Eval[string](t, b.Page, `document.getElementById("review").value`)
	}
	drop("#review", input.DragData{Items: []*input.DragDataItem{{MimeType: "text/html", Data: "<img src=x>"}}})
	if got := review(); got != "Dropped as a file." {
		t.Errorf("what is no text leaves %q", got)
	}
	drop("#review", input.DragData{Items: []*input.DragDataItem{{MimeType: "text/plain", Data: " Dropped as text."}}})
	if got := review(); got != "Dropped as a file. Dropped as text." {
		t.Errorf("dropped text makes %q", got)
	}
	b.Do(t, chromedp.KeyEvent("z", chromedp.KeyModifiers(ctrl)))
	if got := review(); got != "Dropped as a file." {
		t.Errorf("undone, that is %q", got)
	}
	dragSelection(t, b, drop)
	if got := review(); got != " as a file.Dropped" {
		t.Errorf("a word that is dragged to the end makes %q", got)
	}
	drop("h1", input.DragData{Items: []*input.DragDataItem{{MimeType: "text/uri-list", Data: b.url + "/openapi.json"}, {MimeType: "text/plain", Data: "x"}}})
	drop("h1", input.DragData{Items: []*input.DragDataItem{}, Files: []string{write("beside.html", "<h1>Not here</h1>")}})
	if h := browsertest.Eval[string](t, b.Page, `document.querySelector("h1").innerText`); h != "crscore" {
		t.Errorf("a file that is dropped beside the fields is opened: %s", h)
	}
	if over := browsertest.Eval[int](t, b.Page, `document.querySelectorAll(".over").length`); over != 0 {
		t.Error("the field still waits for a drop")
	}
	b.Do(t, chromedp.Click(css("#score")))
	b.Wait(t, done)
	var body struct{ Diff string }
	if err := json.Unmarshal([]byte(b.requests()[0].body), &body); err != nil || body.Diff != windows {
		t.Errorf("the file was sent as %q (%v)", body.Diff, err)
	}
	b.Do(t, chromedp.SetUploadFiles(css("#diff-file"), []string{write("b.bin", "\xff\xfe\x00")}))
	b.Wait(t, failed)
	if got := b.text(t, "error"); !strings.Contains(got, "b.bin cannot be read: it is not text in UTF-8") {
		t.Errorf("of a binary file it says %q", got)
	}
}

// dragSelection takes the first word of the review and drops it behind the last.
func dragSelection(t *testing.T, b *browser, drop func(string, input.DragData)) {
	t.Helper()
	dragged := make(chan *input.DragData, 10)
	if err := chromedp.Listen(b.Ctx, func(event any) {
		if e, ok := event.(*input.EventDragIntercepted); ok {
			dragged <- e.Data
		}
	}); err != nil {
		t.Fatal(err)
	}
	intercept := func(on bool) {
		t.Helper()
		if _, err := chromedp.Call(b.Ctx, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: on}); err != nil {
			t.Fatal(err)
		}
	}
	intercept(true)
	at := browsertest.Eval[[]float64](t, b.Page, `(({ x, y }) => [x + 25, y + 20])(document.getElementById("review").getBoundingClientRect())`)
	b.Do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(2)),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(2)),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at[0], at[1], chromedp.ButtonLeft))
	for i := range 10 {
		b.Do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0]+float64(10*i), at[1], chromedp.ButtonLeft))
	}
	select {
	case data := <-dragged:
		drop("#review", *data)
	case <-time.After(20 * time.Second):
		t.Fatal("nothing is dragged")
	}
	b.Do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at[0], at[1], chromedp.ButtonLeft))
	intercept(false)
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
	browsertest.Eval[bool](t, b.Page, `(() => {
		const diff = document.getElementById("diff");
		diff.value = "@@ -1 +1 @@\n" + "+a line of the change\n".repeat(45000) + "+" + "x".repeat(100000);
		document.getElementById("review").value = "A review. ".repeat(3000);
		return diff.value.length > 1e6;
	})()`)
	b.Do(t, chromedp.Click(css("#score")))
	b.Wait(t, done)
	if n := len(b.requests()[0].body); n < 1_000_000 {
		t.Errorf("%d bytes were sent", n)
	}
	if n := browsertest.Eval[int](t, b.Page, `document.querySelectorAll("#found .evidence li[id]").length`); n < 100 || n > 200 {
		t.Errorf("%d items are shown at first", n)
	}
	for range 2 {
		b.Do(t, chromedp.Focus(css("#sentences .rest button")), chromedp.KeyEvent(kb.Enter))
	}
	if got := browsertest.Eval[string](t, b.Page, `document.querySelectorAll("li.sentence").length + " " + document.activeElement.id`); got != "300 sentence-201" {
		t.Errorf("in the end there are as many sentences and the focus at: %s", got)
	}
	// What has the focus is not below the numbers, which stay in sight.
	b.Do(t, chromedp.EmulateViewport(1280, 900))
	for range 8 {
		b.Do(t, chromedp.KeyEvent(kb.ArrowUp))
		if seen := browsertest.Eval[bool](t, b.Page, `(({ activeElement: e }, { x, y, width, height } = e.getBoundingClientRect()) => e.contains(document.elementFromPoint(x + width / 2, y + height / 2)))(document)`); !seen {
			t.Fatalf("%s has the focus and is covered", browsertest.Eval[string](t, b.Page, `document.activeElement.id || document.activeElement.innerText`))
		}
	}
	// Each step of the slider, drawn; far below what a person would call slow even on a busy machine.
	worst := browsertest.Eval[float64](t, b.Page, `(async () => {
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
	t.Logf("the slowest step of the slider with 500 references and 300 sentences: %.0f ms", worst)
	if worst > 3000 {
		t.Errorf("a step of the slider takes %.0f ms", worst)
	}
}

// testLooks looks at the page before, with and after a result.
func testLooks(t *testing.T, b *browser) {
	b.answers(small().serve(t))
	b.Go(t, b.url+"/")
	faults := b.Faults(t, "empty", false)
	b.Do(t, chromedp.Click(css("#example")))
	b.Wait(t, done)
	faults = append(faults, b.Faults(t, "result", false)...)
	b.answers(problem(400))
	b.Do(t, chromedp.Click(css("#score")))
	b.Wait(t, failed)
	faults = append(faults, b.Faults(t, "error", false)...)
	for _, f := range faults {
		t.Error(f)
	}
	// On a small phone an error is seen where the button is at the lower edge.
	for _, diff := range []string{"garbage", " "} {
		b.fill(t, diff, "r")
		b.Do(t, chromedp.EmulateViewport(360, 640))
		at := browsertest.Eval[[]float64](t, b.Page, `(() => {
			const button = document.getElementById("score");
			scrollBy(0, button.getBoundingClientRect().bottom - innerHeight + 5);
			const { x, y } = button.getBoundingClientRect();
			return [x + 20, y + 10];
		})()`)
		b.Do(t, chromedp.MouseClickXY(at[0], at[1]))
		b.Wait(t, failed)
		box := browsertest.Eval[[]float64](t, b.Page, `(({ top, bottom }) => [top, bottom, innerHeight])(document.getElementById("error").getBoundingClientRect())`)
		if box[0] < 0 || box[1] > box[2] || box[1] <= box[0] {
			t.Errorf("%q: the error is from %v to %v of a screen of %v", diff, box[0], box[1], box[2])
		}
	}
	// Nothing moves for those who do not want it, as the browser of these tests.
	if n := browsertest.Eval[int](t, b.Page, `document.getElementById("score").classList.add("working"), document.getAnimations().length`); n != 0 {
		t.Errorf("%d things move", n)
	}
	// Whatever can be used by hand has a name, and Tab reaches it.
	unnamed := browsertest.Eval[[]string](t, b.Page, `[...document.querySelectorAll("input, textarea, button, a, summary")].filter((e) => e.checkVisibility())
		.filter((e) => !(e.labels?.length || e.ariaLabel || e.textContent.trim())).map((e) => e.outerHTML)`)
	if len(unnamed) > 0 {
		t.Errorf("without a name: %v", unnamed)
	}
	b.Go(t, b.url+"/")
	b.Do(t, chromedp.KeyEvent(kb.Tab))
	var order []string
	for range 11 {
		order = append(order, browsertest.Eval[string](t, b.Page, `document.activeElement.id || document.activeElement.value || document.activeElement.textContent.trim()`))
		if outline := browsertest.Eval[string](t, b.Page, `(({ activeElement: e }) => getComputedStyle(e.type === "file" || e.type === "radio" ? e.parentElement : e).outlineStyle)(document)`); outline == "none" {
			t.Errorf("%s has no visible focus", order[len(order)-1])
		}
		b.Do(t, chromedp.KeyEvent(kb.Tab))
	}
	if got := strings.Join(order, ", "); !strings.HasPrefix(got, "Skip to the results, diff-file, diff, reviews, review-file, review") || !strings.Contains(got, "score, another, example, clear") {
		t.Errorf("Tab goes through %s", got)
	}
	b.quiet(t, "Failed to load resource")
}
