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
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed look.js
var look string

// screens are a phone and a desk.
var screens = []screen{{"phone", 360, 740}, {"desk", 1280, 900}}

type screen struct {
	name          string
	width, height int64
}

// Look opens the HTML file on both screens, light and dark, with details closed
// and open, and fails the test where the page
//
//   - asks the network for anything, has a script, or makes the browser complain;
//   - is wider than the screen, but for boxes that scroll by themselves;
//   - has text in a drawing that leaves it, covers other text or is too small;
//   - has text whose contrast to what is behind it is below 4.5;
//   - has no title, or headings that are empty or skip a level;
//   - has a drawing without title and description, or links that miss their items.
//
// With go test -artifacts, screenshots are left in the test's folder of them. The
// test is skipped without Chromium on PATH; with CI in the environment that is a
// failure.
func Look(t *testing.T, file string) {
	t.Helper()
	for _, f := range faults(t, file) {
		t.Error(f)
	}
}

func faults(t *testing.T, file string) (all []string) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("chromium is not on PATH")
		}
		t.Skip("chromium is not on PATH")
	}
	if file, err = filepath.Abs(file); err != nil {
		t.Fatal(err)
	}
	page := (&url.URL{Scheme: "file", Path: file}).String()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it has none for root
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()

	var heard sync.Mutex
	err = chromedp.Listen(ctx, func(event any) {
		heard.Lock()
		defer heard.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if e.Request.URL != page {
				all = append(all, "it asks for "+e.Request.URL)
			}
		case *runtime.EventConsoleAPICalled:
			all = append(all, "it writes on the console: "+string(e.Type))
		case *runtime.EventExceptionThrown:
			all = append(all, "it throws: "+e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			all = append(all, "the browser says: "+e.Entry.Text)
		}
	})
	if err != nil {
		t.Fatalf("starting %s: %v", browser, err)
	}
	// The first call's context is the browser's; from here on there is a limit.
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	_, err1 := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	_, err2 := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	if err := errors.Join(err1, err2, chromedp.Do(ctx, chromedp.Navigate(page))); err != nil {
		t.Fatalf("opening %s: %v", file, err)
	}
	for _, s := range screens {
		for _, scheme := range []string{"light", "dark"} {
			for _, open := range []bool{false, true} {
				name := fmt.Sprintf("%s, %s, details open: %v", s.name, scheme, open)
				found, err := s.look(ctx, scheme, open)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				heard.Lock()
				for _, f := range found {
					all = append(all, name+": "+f)
				}
				heard.Unlock()
				if shots := flag.Lookup("test.artifacts"); shots == nil || shots.Value.String() != "true" {
					continue
				}
				shot, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				picture := fmt.Sprintf("%s-%s-%s-%v.png", strings.TrimSuffix(filepath.Base(file), ".html"), s.name, scheme, open)
				if err := os.WriteFile(filepath.Join(t.ArtifactDir(), picture), shot, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	heard.Lock()
	defer heard.Unlock()
	return all
}

// look returns the faults of the page that is open.
func (s screen) look(ctx context.Context, scheme string, open bool) (faults []string, err error) {
	_, err1 := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.name == "phone",
	})
	_, err2 := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return chromedp.Run(ctx, chromedp.Evaluate[[]string](fmt.Sprintf("(%s)(%v)", strings.TrimSpace(look), open)))
}
