package viewer

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"crscore/internal/report/figures/browsertest"
)

type css = chromedp.CSS

// browser is a tab with a viewer.
type browser struct {
	*browsertest.Page
	url string
}

// browse starts a browser before a viewer.
func browse(t *testing.T, v *Viewer) *browser {
	t.Helper()
	server := httptest.NewServer(v.Handler(nil))
	t.Cleanup(server.Close)
	return &browser{url: server.URL, Page: browsertest.Open(t, func(url string) bool {
		return strings.HasPrefix(url, server.URL+"/") || strings.HasPrefix(url, "data:image/svg+xml,")
	})}
}

func (b *browser) text(t *testing.T, selector string) string {
	t.Helper()
	return browsertest.Eval[string](t, b.Page, fmt.Sprintf("document.querySelector(%q)?.innerText ?? 'none'", selector))
}

// at goes to an address of the viewer, and waits for the table.
func (b *browser) at(t *testing.T, query string) {
	t.Helper()
	b.Go(t, b.url+"/"+query)
	b.Wait(t, `document.documentElement.dataset.ready === "true"`)
}

// size makes the window so large.
func (b *browser) size(t *testing.T, width, height int64) {
	t.Helper()
	if _, err := chromedp.Call(b.Ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1}); err != nil {
		t.Fatal(err)
	}
}

// press presses keys.
func (b *browser) press(t *testing.T, keys ...string) {
	t.Helper()
	for _, k := range keys {
		b.Do(t, chromedp.KeyEvent(k))
	}
}

func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is started")
	}
	v := view(t, make1(t, sizes{changes: 10_000, systems: 10, explain: true}).options())
	b := browse(t, v)
	for _, one := range []struct {
		name string
		test func(*testing.T, *browser)
	}{
		{"paint", testPaint}, {"scroll", testScroll}, {"sort", testSort}, {"filter", testFilter}, {"rule", testRule}, {"open", testOpen}, {"keys", testKeys}, {"million", testMillion}, {"errors", testErrors},
	} {
		t.Run(one.name, func(t *testing.T) {
			b.size(t, 1280, 900)
			one.test(t, b)
			for _, h := range b.Heard() {
				if one.name != "errors" || !strings.Contains(h, "Failed to load resource") {
					t.Error(h)
				}
			}
		})
	}
}

// row is what the row of the table that is at an index shows, by commas.
func (b *browser) row(t *testing.T, index int) string {
	t.Helper()
	b.Wait(t, fmt.Sprintf(`(document.getElementById("cell-%d-0")?.textContent ?? "…") !== "…"`, index+1))
	return browsertest.Eval[string](t, b.Page, fmt.Sprintf(`[...document.getElementById("cell-%d-0").parentElement.children].map((c) => c.textContent).join(",")`, index+1))
}

// count waits for the number of changes that the table says.
func (b *browser) count(t *testing.T, want string) {
	t.Helper()
	b.Wait(t, fmt.Sprintf(`document.getElementById("count").textContent.startsWith(%q)`, want))
}

// address is the query of the page's address.
func (b *browser) address(t *testing.T) string {
	t.Helper()
	return browsertest.Eval[string](t, b.Page, "decodeURIComponent(location.search)")
}

func testPaint(t *testing.T, b *browser) {
	start := time.Now()
	b.at(t, "")
	t.Logf("10,000 changes × 10 systems: the table was there after %s; first paint after %.0f ms",
		time.Since(start).Round(time.Millisecond), browsertest.Eval[float64](t, b.Page, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
	if got := b.text(t, "#about"); got != "data.jsonl: 10,000 changes × 10 systems, 97,294 reviews, 96,321 scored" {
		t.Errorf("about: %s", got)
	}
	if n := browsertest.Eval[int](t, b.Page, `document.querySelectorAll(".grid-row").length`); n > 80 {
		t.Errorf("%d rows are in the document", n)
	}
	if got := browsertest.Eval[string](t, b.Page, `["aria-rowcount", "aria-colcount", "role"].map((n) => document.getElementById("table").getAttribute(n)).join()`); got != "10001,12,grid" {
		t.Errorf("the table is %s", got)
	}
	if n := browsertest.Eval[int](t, b.Page, `document.querySelectorAll(".grid-head svg rect").length`); n < 50 {
		t.Errorf("%d bars of histograms", n)
	}
}

// testScroll scrolls through all, by jumps and by steps: the rows are there and in order.
func testScroll(t *testing.T, b *browser) {
	b.at(t, "")
	for _, index := range []int{0, 5000, 9990, 123, 9999} {
		browsertest.Eval[bool](t, b.Page, fmt.Sprintf(`(document.getElementById("table").scrollTop = %d, true)`, index*30-60))
		if got := b.row(t, index); !strings.HasPrefix(got, fmt.Sprint(index+1)+",") {
			t.Errorf("row %d is %s", index, got)
		}
	}
	took := browsertest.Eval[float64](t, b.Page, `(async () => {
		const table = document.getElementById("table"), start = performance.now();
		for (let y = 0; y < 20000; y += 400) {
			table.scrollTop = y;
			await new Promise(requestAnimationFrame);
		}
		return (performance.now() - start) / 50;
	})()`)
	t.Logf("a step of scrolling takes %.1f ms", took)
	if got := browsertest.Eval[string](t, b.Page, `(() => {
		const rows = [...document.querySelectorAll(".grid-body > .grid-row")].map((r) => Number(r.dataset.index));
		return rows.every((n, i) => i === 0 || n === rows[i - 1] + 1) ? "in order" : rows.join();
	})()`); got != "in order" {
		t.Errorf("the rows are %s", got)
	}
}

func testSort(t *testing.T, b *browser) {
	b.at(t, "")
	b.Do(t, chromedp.Click(css("#cell-0-3"))) // system02
	b.Wait(t, `document.getElementById("cell-0-3").getAttribute("aria-sort") === "descending"`)
	if got := strings.Split(b.row(t, 0), ",")[3]; got != "1.00" {
		t.Errorf("the first is %s", got)
	}
	if got := b.address(t); got != "?sort=system.system02&down=1" {
		t.Errorf("the address is %s", got)
	}
	b.Do(t, chromedp.Click(css("#cell-0-3")))
	b.Wait(t, `document.getElementById("cell-0-3").getAttribute("aria-sort") === "ascending"`)
	if got := strings.Split(b.row(t, 0), ",")[3]; got != "0.00" {
		t.Errorf("the first is %s", got)
	}
	browsertest.Eval[bool](t, b.Page, `(history.back(), true)`)
	b.Wait(t, `document.getElementById("cell-0-3").getAttribute("aria-sort") === "descending"`)
	if got := strings.Split(b.row(t, 0), ",")[3]; got != "1.00" {
		t.Errorf("after going back the first is %s", got)
	}
	// What is over- and underrated shows beside labels.
	b.at(t, "?beside=human.rel&sort=over")
	if n := browsertest.Eval[int](t, b.Page, `document.querySelectorAll("#cell-1-0 ~ .worst").length`); n != 1 {
		t.Errorf("%d reviews of the first change are marked", n)
	}
	b.Shoot(t, "view-overrated")
}

func testFilter(t *testing.T, b *browser) {
	b.at(t, "")
	b.Do(t, chromedp.SendKeys(css("#f-q"), "change 777 IS SAID"))
	b.count(t, "1 of 10,000 changes")
	b.Wait(t, `!document.getElementById("count").textContent.includes("so far")`)
	if got := b.row(t, 0); !strings.HasPrefix(got, "778,java,") {
		t.Errorf("found: %s", got)
	}
	b.Do(t, chromedp.Click(css("#clear")))
	b.count(t, "10,000 changes")
	if q := browsertest.Eval[string](t, b.Page, `document.getElementById("f-q").value`) + b.address(t); q != "" {
		t.Errorf("after Clear all there is %s", q)
	}
	pick := func(id, value string) {
		t.Helper()
		browsertest.Eval[bool](t, b.Page, fmt.Sprintf(`((field) => { field.value = %q; return field.dispatchEvent(new Event("input", { bubbles: true })); })(document.querySelector(%q))`, value, id))
	}
	pick("#f-lang", "go")
	b.count(t, "2,000 of 10,000 changes")
	pick("#f-only", "labelled")
	pick("#f-a", "system01")
	pick("#f-b", "system03")
	b.Do(t, chromedp.SendKeys(css("#f-least"), "0.5"))
	b.Wait(t, `location.search.includes("least=0.5")`)
	pick("#f-of", "system03")
	b.Do(t, chromedp.SendKeys(css("#f-max"), "0.2"))
	b.Wait(t, `location.search.includes("max=0.2") && document.getElementById("table").ariaBusy === "false"`)
	b.Wait(t, `document.getElementById("cell-0-2")?.textContent.startsWith("Difference")`)
	cells := strings.Split(b.row(t, 0), ",")
	if cells[1] != "go" || cells[2] < "+0.50" || cells[5] > "0.20" {
		t.Errorf("the first row is %v", cells)
	}
	shown, address := b.text(t, "#count"), b.address(t)
	b.Shoot(t, "view-filtered")
	// The address holds it all.
	b.Do(t, chromedp.Reload())
	b.Wait(t, `document.documentElement.dataset.ready === "true"`)
	if again := b.text(t, "#count"); again != shown || b.address(t) != address || browsertest.Eval[string](t, b.Page, `document.getElementById("f-least").value`) != "0.5" {
		t.Errorf("after a reload there are %s (%s), not %s (%s)", again, b.address(t), shown, address)
	}
	// Fewer columns.
	b.at(t, "")
	b.Do(t, chromedp.Click(css("#systems label:nth-child(2)")))
	b.Wait(t, `document.getElementById("table").getAttribute("aria-colcount") === "11"`)
	b.count(t, "10,000 changes; systems that are not shown: 1")
}

func testRule(t *testing.T, b *browser) {
	b.at(t, "")
	before := b.text(t, "#cell-0-2 .sub")
	b.Do(t, chromedp.Focus(css("#run-tau")), chromedp.KeyEvent(kb.End))
	b.Wait(t, `document.querySelector("#cell-0-2 .sub").textContent === "mean 0.00"`)
	if got := b.address(t); got != "?mode=hard&tau=1" {
		t.Errorf("the address is %s", got)
	}
	b.Do(t, chromedp.Click(css("#run-reset")))
	b.Wait(t, fmt.Sprintf(`document.querySelector("#cell-0-2 .sub").textContent === %q`, before))
	// A rule that is moved on a change moves the table.
	b.at(t, "?open=40")
	b.Wait(t, `document.getElementById("detail").open && !document.getElementById("detail-result").hidden`)
	b.Do(t, chromedp.Focus(css("#tau")), chromedp.KeyEvent(kb.End))
	b.Wait(t, `location.search.includes("tau=1")`)
	b.Wait(t, `document.querySelector("#cell-0-2 .sub").textContent === "mean 0.00"`)
	if got := b.text(t, "#rel"); got != "0.00" {
		t.Errorf("Rel of the change is %s", got)
	}
	// Comp by all sentences, in the table and on a change.
	b.at(t, "")
	b.Do(t, chromedp.Click(css("[name=run-mode][value=soft]")))
	b.Wait(t, `location.search === "?mode=soft"`)
	b.Do(t, chromedp.Click(css("#run-noisy-or")))
	b.Wait(t, `location.search === "?mode=soft&comp=noisy-or"`)
	for _, tt := range []struct {
		address string
		checked bool
	}{{"?mode=soft&comp=noisy-or&measure=comp&open=40", true}, {"?mode=soft&measure=comp&open=40", false}} {
		b.at(t, tt.address)
		b.Wait(t, `document.getElementById("detail").open && !document.getElementById("detail-result").hidden`)
		if checked := browsertest.Eval[[]bool](t, b.Page, `["run-noisy-or", "noisy-or"].map((id) => document.getElementById(id).checked)`); checked[0] != tt.checked || checked[1] != tt.checked {
			t.Errorf("%s: noisy-or is checked: %v", tt.address, checked)
		}
		cell := browsertest.Eval[float64](t, b.Page, `fetch("api/rows" + location.search.replace(/&open=.*/, "") + "&from=39&count=1").then((a) => a.json()).then((a) => a.rows[0].cells[0])`)
		if got := b.text(t, "#comp"); got != fmt.Sprintf("%.2f", cell) {
			t.Errorf("%s: Comp of the change is %s, and %v in the table", tt.address, got, cell)
		}
	}
}

func testOpen(t *testing.T, b *browser) {
	b.at(t, "?sort=id&down=1")
	b.Do(t, chromedp.Click(css("#cell-2-3")))
	b.Wait(t, `document.getElementById("detail").open && !document.getElementById("detail-result").hidden`)
	if got := b.text(t, "#detail-title"); got != "9999" {
		t.Errorf("the second change is %s", got)
	}
	if got := b.text(t, "#detail-where"); got != "Line 9999 of the dataset, language js. The evidence is the run's." {
		t.Errorf("it says %s", got)
	}
	if got := b.text(t, "#pane-change"); !strings.Contains(got, "new = 9998") {
		t.Errorf("the change is %s", got)
	}
	// The cell's review is shown, and another one of it is in the address, too.
	if got := b.text(t, "#reviews-list [aria-pressed=true]"); got != "system02" {
		t.Errorf("the review of %s is shown", got)
	}
	b.Do(t, chromedp.Click(css("#reviews-list tr:nth-child(3) button")))
	b.Wait(t, `location.search === "?sort=id&down=1&open=9999&review=system03"`)
	b.Do(t, chromedp.Click(css("#next")))
	b.Wait(t, `document.getElementById("detail-title").textContent === "9998" && document.querySelector("#reviews-list [aria-pressed=true]").textContent === "system03"`)
	browsertest.Eval[bool](t, b.Page, `(history.back(), true)`)
	b.Wait(t, `document.getElementById("detail-title").textContent === "9999" && location.search.includes("open=9999")`)
	b.Do(t, chromedp.Reload())
	b.Wait(t, `document.documentElement.dataset.ready === "true" && document.getElementById("detail").open`)
	b.Do(t, chromedp.Click(css("#previous")))
	b.Wait(t, `document.getElementById("detail-title").textContent === "10000" && document.getElementById("previous").disabled`)
	b.Do(t, chromedp.Click(css("#close")))
	b.Wait(t, `!document.getElementById("detail").open && !location.search.includes("open")`)
	// A change without references, and one that the filter leaves out.
	b.at(t, "?open=100")
	b.Wait(t, `document.getElementById("detail-notes").textContent.includes("no pseudo-references") || document.getElementById("detail-result").textContent.includes("no pseudo-references")`)
	b.at(t, "?lang=go&open=1")
	b.Wait(t, `document.getElementById("next").disabled && document.getElementById("previous").disabled && !document.getElementById("detail-result").hidden`)
}

// testKeys goes through the table by keys alone.
func testKeys(t *testing.T, b *browser) {
	b.at(t, "")
	for range 40 {
		if browsertest.Eval[string](t, b.Page, "document.activeElement.id") == "table" {
			break
		}
		b.press(t, kb.Tab)
	}
	active := func() string {
		return browsertest.Eval[string](t, b.Page, `document.getElementById("table").getAttribute("aria-activedescendant")`)
	}
	for _, step := range []struct {
		keys []string
		want string
	}{
		{[]string{kb.ArrowDown, kb.ArrowRight}, "cell-2-1"}, {[]string{kb.End}, "cell-2-11"}, {[]string{kb.Home}, "cell-2-0"},
		{[]string{kb.ArrowUp, kb.ArrowUp, kb.ArrowUp}, "cell-0-0"}, {[]string{kb.ArrowDown, kb.PageDown, kb.PageUp}, "cell-1-0"},
	} {
		if b.press(t, step.keys...); active() != step.want {
			t.Errorf("after %q the cell is %s, not %s", step.keys, active(), step.want)
		}
	}
	b.Do(t, chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	if got := active(); got != "cell-10000-11" || !strings.HasPrefix(b.row(t, 9999), "10000,") {
		t.Errorf("the last cell is %s", got)
	}
	if seen := browsertest.Eval[bool](t, b.Page, `(() => { const c = document.getElementById("cell-10000-11").getBoundingClientRect(), t = document.getElementById("table").getBoundingClientRect();
		return c.bottom <= t.bottom + 1 && c.right <= t.right + 1 && c.top > t.top; })()`); !seen {
		t.Error("the active cell is not in sight")
	}
	b.press(t, kb.Enter)
	b.Wait(t, `document.getElementById("detail").open && document.getElementById("detail-title").textContent === "10000"`)
	b.press(t, kb.Escape)
	b.Wait(t, `!document.getElementById("detail").open && document.activeElement.id === "table"`)
	if got := active(); got != "cell-10000-11" {
		t.Errorf("after closing the cell is %s", got)
	}
	// Sorting by a head.
	b.Do(t, chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.press(t, kb.ArrowUp, kb.Enter)
	b.Wait(t, `location.search === "?sort=id"`)
}

// testMillion scrolls a table that is longer than browsers can make an element.
func testMillion(t *testing.T, b *browser) {
	b.at(t, "")
	browsertest.Eval[bool](t, b.Page, `import("/grid.js").then(({ grid }) => {
		const root = document.getElementById("table").cloneNode(false);
		document.getElementById("table").replaceWith(root);
		globalThis.made = grid(root, { fetch: async (from, count) => Array.from({ length: count }, (_, i) => ({ id: String(from + i), label: "", cells: [(c) => (c.textContent = "row " + (from + i))] })),
			onopen: (id) => (globalThis.opened = id), onsort: () => {}, onfail: (e) => { throw e; } });
		made.columns([{ key: "id", title: "Row", width: "20rem", sort: null }], "", false);
		made.rows(1_000_000, [], 500, false);
		return true;
	})`)
	for _, share := range []float64{0, 0.3, 0.77, 1} {
		got := browsertest.Eval[string](t, b.Page, fmt.Sprintf(`(async () => {
			const root = document.getElementById("table"), bottom = () => root.getBoundingClientRect().bottom;
			root.scrollTop = %v * (root.scrollHeight - root.clientHeight);
			for (let i = 0; i < 20; i++) await new Promise(requestAnimationFrame);
			const seen = [...root.querySelectorAll(".grid-body > .grid-row")].filter((r) => r.getBoundingClientRect().bottom <= bottom() + 1);
			return seen.at(-1).textContent;
		})()`, share))
		var index int
		if _, err := fmt.Sscanf(got, "row %d", &index); err != nil {
			t.Errorf("at %v the last row is %q", share, got)
			continue
		}
		if want := share * 999_999; float64(index) < want-30 || float64(index) > want+30 {
			t.Errorf("at %v the last row in sight is %d", share, index)
		}
	}
	b.Do(t, chromedp.Focus(css("#table")), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(kb.ArrowUp))
	b.Wait(t, `document.getElementById("cell-999999-0")?.textContent === "row 999998"`)
	if seen := browsertest.Eval[bool](t, b.Page, `(() => { const c = document.getElementById("cell-999999-0").getBoundingClientRect(), t = document.getElementById("table").getBoundingClientRect();
		return c.bottom <= t.bottom + 1 && c.top > t.top; })()`); !seen {
		t.Error("the active row is not in sight")
	}
	b.press(t, kb.Enter)
	if got := browsertest.Eval[string](t, b.Page, "opened"); got != "999998" {
		t.Errorf("opened: %s", got)
	}
	// A step down by keys is a row.
	b.Do(t, chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	for range 40 {
		b.press(t, kb.ArrowDown)
	}
	b.Wait(t, `document.getElementById("cell-41-0")?.textContent === "row 40"`)
}

func testErrors(t *testing.T, b *browser) {
	b.at(t, "?open=nothing")
	b.Wait(t, `document.getElementById("detail-notes").textContent.includes("there is no change")`)
	b.Go(t, b.url+"/?sort=best")
	b.Wait(t, `document.getElementById("error").textContent.includes('there is no order "best"')`)
	b.Do(t, chromedp.Click(css("#clear")))
	b.count(t, "10,000 changes")
	b.Wait(t, `document.getElementById("error").childElementCount === 0`)
	b.Do(t, chromedp.SendKeys(css("#f-min"), "2"), chromedp.SendKeys(css("#f-max"), "1"))
	b.count(t, "0 of 10,000 changes")
}
