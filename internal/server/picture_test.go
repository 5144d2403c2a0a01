package server

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"crscore/internal/report/figures/browsertest"
)

var picture = flag.String("picture", "", "write the README's picture of the page to this `file`")

// TestPicture scores the bundled change on the page and writes a picture of the result:
// make picture.
func TestPicture(t *testing.T) {
	if *picture == "" {
		t.Skip("no -picture FILE")
	}
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join("../../testdata/cache-expiry", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	s := start(t, Options{})
	p := browsertest.Open(t, func(string) bool { return true })
	_, err := chromedp.Call(p.Ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1100, Height: 860, DeviceScaleFactor: 1})
	if err != nil {
		t.Fatal(err)
	}
	p.Go(t, s.url+"/")
	err = chromedp.Do(p.Ctx, chromedp.SetValue(chromedp.CSS("#diff"), text("change.diff")), chromedp.SetValue(chromedp.CSS("#review"), text("thorough.md")),
		chromedp.Click(chromedp.CSS("#score")), chromedp.WaitVisible(chromedp.CSS("#found")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(p.Ctx, chromedp.Evaluate[bool](`document.activeElement.blur(), scrollBy(0, document.getElementById("results").getBoundingClientRect().top), true`)); err != nil {
		t.Fatal(err)
	}
	shot, err := chromedp.Call(p.Ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*picture, shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}
