package page

import (
	"encoding/json"
	"fmt"
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

	"crscore/score"
)

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
		"sentences-title": "Sentences (3)", "references-title": "References (3)", "con-means": "2 of 3 sentences are on topic", "comp-means": "1 of 3 references are covered",
		"sentence-1": "✓\n1. The timeout is never used.\nmatches reference 2 (0.51)", "sentence-2": "✗\n2. Please rebase.\nnearest to reference 2 (0.28)",
		"reference-2": "✓\n2. timeout is not used.\nclaim · a.py:2–3 · symbolic\nmatched by sentence 1 (0.51)",
		"warnings":    "Warnings\na source was not asked",
		"status":      "Scored: Con 0.67, Comp 0.33, Rel 0.44.",
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
	// It is that of another text, too, where it comes after an edit.
	for _, late := range []struct {
		typed string
		stale bool
	}{{"", false}, {" Late.", true}} {
		wait, good := make(chan struct{}), small().serve(t)
		b.answers(func(w http.ResponseWriter, r *http.Request) { <-wait; good(w, r) })
		b.do(t, chromedp.Click(css("#score")))
		b.wait(t, `!document.getElementById("cancel").hidden`)
		b.do(t, chromedp.SendKeys(css("#review"), late.typed))
		close(wait)
		b.wait(t, done)
		if hidden := eval[bool](t, b, `document.getElementById("stale").hidden`); hidden == late.stale {
			t.Errorf("%q is typed while it scores: the result is called stale: %v", late.typed, !hidden)
		}
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
	if got := b.text(t, "sentence-2"); !strings.Contains(got, "matches reference 2 (0.28)") {
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
	lit("sentence-1 reference-1 reference-2")
	b.do(t, chromedp.Focus(css("#reference-2 a")))
	lit("sentence-1 sentence-2 sentence-3 reference-2")
	b.do(t, chromedp.Focus(css("#copy")))
	lit("")
	if _, err := chromedp.Run(b.Ctx, chromedp.Evaluate[chromedp.Void](`document.getElementById("reference-3").scrollIntoView({ block: "center" })`)); err != nil {
		t.Fatal(err)
	}
	at := eval[[]float64](t, b, `(({ x, y }) => [x + 20, y + 10])(document.getElementById("reference-3").getBoundingClientRect())`)
	b.do(t, chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	lit("sentence-1 reference-3")
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
		data.DragOperationsMask = 1 | 16 // to copy and to move
		at := eval[[]float64](t, b, fmt.Sprintf(`(({ x, y, width, height }) => [x + width / 2, y + height / 2])(document.querySelector(%q).getBoundingClientRect())`, selector))
		for _, typ := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			if _, err := chromedp.Call(b.Ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: typ, X: at[0], Y: at[1], Data: &data}); err != nil {
				t.Fatal(err)
			}
		}
	}
	drop("#review", input.DragData{Items: []*input.DragDataItem{}, Files: []string{write("r.md", "Dropped as a file.")}})
	b.wait(t, `document.getElementById("review").value === "Dropped as a file."`)
	review := func() string { t.Helper(); return eval[string](t, b, `document.getElementById("review").value`) }
	drop("#review", input.DragData{Items: []*input.DragDataItem{{MimeType: "text/html", Data: "<img src=x>"}}})
	if got := review(); got != "Dropped as a file." {
		t.Errorf("what is no text leaves %q", got)
	}
	drop("#review", input.DragData{Items: []*input.DragDataItem{{MimeType: "text/plain", Data: " Dropped as text."}}})
	if got := review(); got != "Dropped as a file. Dropped as text." {
		t.Errorf("dropped text makes %q", got)
	}
	b.do(t, chromedp.KeyEvent("z", chromedp.KeyModifiers(ctrl)))
	if got := review(); got != "Dropped as a file." {
		t.Errorf("undone, that is %q", got)
	}
	dragSelection(t, b, drop)
	if got := review(); got != " as a file.Dropped" {
		t.Errorf("a word that is dragged to the end makes %q", got)
	}
	drop("h1", input.DragData{Items: []*input.DragDataItem{{MimeType: "text/uri-list", Data: b.url + "/openapi.json"}, {MimeType: "text/plain", Data: "x"}}})
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
	at := eval[[]float64](t, b, `(({ x, y }) => [x + 25, y + 20])(document.getElementById("review").getBoundingClientRect())`)
	b.do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(2)),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(2)),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at[0], at[1], chromedp.ButtonLeft))
	for i := range 10 {
		b.do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0]+float64(10*i), at[1], chromedp.ButtonLeft))
	}
	select {
	case data := <-dragged:
		drop("#review", *data)
	case <-time.After(20 * time.Second):
		t.Fatal("nothing is dragged")
	}
	b.do(t, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at[0], at[1], chromedp.ButtonLeft))
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
	for _, more := range []css{"#references-rest button", "#references-rest button", "#sentences-rest button"} {
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
	// On a small phone an error is seen where the button is at the lower edge.
	for _, diff := range []string{"garbage", " "} {
		b.fill(t, diff, "r")
		b.do(t, chromedp.EmulateViewport(360, 640))
		at := eval[[]float64](t, b, `(() => {
			const button = document.getElementById("score");
			scrollBy(0, button.getBoundingClientRect().bottom - innerHeight + 5);
			const { x, y } = button.getBoundingClientRect();
			return [x + 20, y + 10];
		})()`)
		b.do(t, chromedp.MouseClickXY(at[0], at[1]))
		b.wait(t, failed)
		box := eval[[]float64](t, b, `(({ top, bottom }) => [top, bottom, innerHeight])(document.getElementById("error").getBoundingClientRect())`)
		if box[0] < 0 || box[1] > box[2] || box[1] <= box[0] {
			t.Errorf("%q: the error is from %v to %v of a screen of %v", diff, box[0], box[1], box[2])
		}
	}
	// Nothing moves for those who do not want it, as the browser of these tests.
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
