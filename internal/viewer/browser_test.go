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
	if testing.Short() {
		t.Skip("a browser is started")
	}
	server := httptest.NewServer(v.Handler(nil))
	t.Cleanup(server.Close)
	return &browser{url: server.URL, Page: browsertest.Open(t, func(url string) bool {
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

func (b *browser) wait(t *testing.T, condition string) {
	t.Helper()
	if _, err := chromedp.Run(b.Ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		t.Fatalf("waiting for %s: %v\nerror: %s\n%s", condition, err, eval[string](t, b, `document.getElementById("error").innerText`), strings.Join(b.Heard(), "\n"))
	}
}

func (b *browser) text(t *testing.T, selector string) string {
	t.Helper()
	return eval[string](t, b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? 'none'", selector))
}

// at goes to an address of the viewer, and waits for the table.
func (b *browser) at(t *testing.T, query string) {
	t.Helper()
	b.Go(t, b.url+"/"+query)
	b.wait(t, `document.documentElement.dataset.ready === "true"`)
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
		b.do(t, chromedp.KeyEvent(k))
	}
}

func TestBrowser(t *testing.T) {
	v := view(t, make1(t, sizes{changes: 10_000, systems: 10}).options())
	b := browse(t, v)
	b.size(t, 1280, 900)
	start := time.Now()
	b.at(t, "")
	t.Logf("the table of 10,000 changes by 10 systems was there after %s; first paint: %v ms",
		time.Since(start).Round(time.Millisecond), eval[float64](t, b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
	b.Shoot(t, "table")
	b.press(t, kb.Tab)
	for _, h := range b.Heard() {
		t.Error(h)
	}
}
