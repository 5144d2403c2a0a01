// Package browsertest looks at pages in a real browser, headless Chromium, for
// tests. What makes a page may not come in: it is for those of every package.
package browsertest

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed look.js
var look string

// screens are a phone, a small window and a desk.
var screens = []screen{{380, 740, "dark"}, {900, 700, ""}, {1280, 900, "light"}}

type screen struct {
	width, height int64
	axe           string // the scheme in which axe-core looks: it takes longer than all else
}

// Look opens the HTML file on three screens, light and dark, with details closed
// and open, and fails the test where the page
//
//   - asks the network for anything, has a script, or makes the browser complain;
//   - is wider than the screen, but for boxes that scroll by themselves;
//   - has a button or label whose words are broken;
//   - has text in a drawing that leaves it, covers other text or is too small;
//   - has text whose contrast to what is behind it is below 4.5;
//   - has a drawing without title and description, or links that miss their items;
//   - violates a rule of axe-core, which knows the guidelines of accessibility (WCAG).
//
// Without axe-core (EnvModules), its rules are left out; with CI in the environment that
// is a failure. With go test -artifacts, screenshots are left in the test's folder of them. The
// test is skipped without Chromium on PATH; with CI in the environment that is a
// failure.
func Look(t *testing.T, file string) {
	t.Helper()
	for _, f := range faults(t, file) {
		t.Error(f)
	}
}

func faults(t *testing.T, file string) []string {
	t.Helper()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	p := Open(t, func(url string) bool { return url == address })
	p.Go(t, address)
	found := p.Faults(t, strings.TrimSuffix(filepath.Base(file), ".html"), true)
	return append(found, p.Heard()...)
}

// Page is a tab of headless Chromium.
type Page struct {
	Ctx   context.Context // for package chromedp
	mu    sync.Mutex
	heard []string
}

// Open starts a browser for the time of the test. It may ask for the addresses that
// allowed knows, and is skipped as Look says.
func Open(t *testing.T, allowed func(url string) bool) *Page {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("chromium is not on PATH")
		}
		t.Skip("chromium is not on PATH")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.DisableGPU,
		chromedp.Flag("force-prefers-reduced-motion", true)) // a click misses what still glides
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it has none for root
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)

	p := &Page{}
	err = chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if !allowed(e.Request.URL) {
				p.hear("it asks for " + e.Request.URL)
			}
		case *runtime.EventConsoleAPICalled:
			p.hear("it writes on the console: " + string(e.Type))
		case *runtime.EventExceptionThrown:
			p.hear("it throws: " + e.ExceptionDetails.Text + " " + e.ExceptionDetails.Exception.Description)
		case *page.EventJavascriptDialogOpening:
			p.hear("it opens a dialog: " + e.Message)
		case *log.EventEntryAdded:
			p.hear("the browser says: " + e.Entry.Text)
		}
	})
	if err != nil {
		t.Fatalf("starting %s: %v", browser, err)
	}
	// The first call's context is the browser's; from here on there is a limit.
	p.Ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	_, err1 := chromedp.Call(p.Ctx, network.Enable, network.EnableParams{})
	_, err2 := chromedp.Call(p.Ctx, log.Enable, cdp.Empty{})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *Page) hear(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard = append(p.heard, what)
}

// Heard returns what the browser complained about since the last call: addresses that
// are not allowed, errors, dialogs, whatever was written on the console.
func (p *Page) Heard() (heard []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	heard, p.heard = p.heard, nil
	return heard
}

// Go opens an address.
func (p *Page) Go(t *testing.T, address string) {
	t.Helper()
	if err := chromedp.Do(p.Ctx, chromedp.Navigate(address)); err != nil {
		t.Fatalf("opening %s: %v", address, err)
	}
}

// Do does steps, and ends the test where one fails.
func (p *Page) Do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p.Ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Eval returns the value of an expression, or of its promise.
func Eval[T any](t *testing.T, p *Page, js string) T {
	t.Helper()
	v, err := chromedp.Run(p.Ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	return v
}

// Wait waits until an expression is true. After 20 seconds it ends the test, with the text of
// the page and what the browser complained about.
func (p *Page) Wait(t *testing.T, condition string) {
	t.Helper()
	if _, err := chromedp.Run(p.Ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		t.Fatalf("waiting for %s: %v\n%.2000s\n%s", condition, err,
			Eval[string](t, p, `document.body.innerText`), strings.Join(p.Heard(), "\n"))
	}
}

// Faults looks at the page that is open, on three screens, light and dark, with details
// closed and open, as Look does. A page that is alone may have no script and refer to
// nothing. Screenshots have the name before theirs.
func (p *Page) Faults(t *testing.T, name string, alone bool) (all []string) {
	t.Helper()
	source := axe(t)
	for _, s := range screens {
		for _, scheme := range []string{"light", "dark"} {
			for _, open := range []bool{false, true} {
				// What is closed shows no colour that it does not show open.
				if scheme == "dark" && !open && !pictures() {
					continue
				}
				where := fmt.Sprintf("%d × %d, %s, details open: %v", s.width, s.height, scheme, open)
				found, err := s.look(p.Ctx, scheme, open, alone)
				if err == nil && open && scheme == s.axe && source != "" {
					var more []string
					more, err = violations(p.Ctx, source)
					found = append(found, more...)
				}
				if err != nil {
					t.Fatalf("%s: %v", where, err)
				}
				for _, f := range found {
					all = append(all, where+": "+f)
				}
				state := map[bool]string{false: "closed", true: "open"}[open]
				p.Shoot(t, fmt.Sprintf("%s-%d-%s-%s", name, s.width, scheme, state))
			}
		}
	}
	return all
}

// pictures says that the test leaves pictures.
func pictures() bool {
	f := flag.Lookup("test.artifacts")
	return f != nil && f.Value.String() == "true"
}

// Shoot leaves a picture of the whole page, with go test -artifacts.
func (p *Page) Shoot(t *testing.T, name string) {
	t.Helper()
	if !pictures() {
		return
	}
	shot, err := chromedp.Run(p.Ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), shot, 0o644)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// look returns the faults of the page that is open.
func (s screen) look(ctx context.Context, scheme string, open, alone bool) (faults []string, err error) {
	if err := s.show(ctx, scheme); err != nil {
		return nil, err
	}
	return chromedp.Run(ctx, chromedp.Evaluate[[]string](fmt.Sprintf("(%s)(%v, %v)", strings.TrimSpace(look), open, alone), chromedp.EvalAwaitPromise))
}

func (s screen) show(ctx context.Context, scheme string) error {
	_, err1 := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.width < 500,
	})
	_, err2 := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	return errors.Join(err1, err2)
}
