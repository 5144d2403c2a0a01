package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"crscore/internal/report/figures/browsertest"
	"crscore/internal/server/page"
	"crscore/score"
)

func TestPageRoutes(t *testing.T) {
	s := start(t, Options{Token: "correct-horse-battery", Hosts: []string{"scores.example"}}, cold)
	if a := s.ask("GET", "/", ""); a.status != http.StatusServiceUnavailable {
		t.Errorf("without an engine: %d", a.status)
	}
	e, err := engines()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Warm(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	for _, p := range page.Paths() {
		a := s.ask("GET", p, "")
		if a.status != http.StatusOK || len(a.header["Content-Security-Policy"]) != 1 || !strings.Contains(a.header.Get("Content-Security-Policy"), "script-src 'self'") {
			t.Errorf("%s, which needs no token: %d, %v", p, a.status, a.header)
		}
		if a := s.ask("GET", p, "", "Host: evil.example"); a.status != http.StatusMisdirectedRequest {
			t.Errorf("%s under another name: %d", p, a.status)
		}
		if a := s.ask("POST", p, "{}"); a.status != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d", p, a.status)
		}
	}
}

// TestPage uses the page in Chromium, with the engine behind it: what it shows under
// every mode is what the service itself answers.
func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is started")
	}
	const token = "correct-horse-battery"
	s := start(t, Options{Token: token})
	b := browsertest.Open(t, func(url string) bool {
		return strings.HasPrefix(url, s.url+"/") || strings.HasPrefix(url, "data:image/svg+xml,")
	})
	b.Go(t, s.url+"/")
	b.Do(t, chromedp.Click(chromedp.CSS("#example")))
	b.Wait(t, `document.activeElement.id === "token"`)
	b.Do(t, chromedp.KeyEvent(token), chromedp.KeyEvent(kb.Enter))
	b.Wait(t, `!document.getElementById("found").hidden`)
	for _, f := range b.Faults(t, "example", false) {
		t.Error(f)
	}
	diff, reviews := page.Example()
	e, err := engines()
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []score.Rule{
		{Mode: score.Hard}, {Mode: score.Soft}, {Mode: score.Soft, Comp: score.CoverNoisyOr}, {Mode: score.Ramp},
		{Mode: score.Ramp, Comp: score.CoverNoisyOr}, {Mode: score.Calibrated},
	} {
		mode := rule.Mode
		if rule.NoisyOr() {
			b.Do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector("#noisy-or:not(:checked)")?.click()`))
		}
		asked := map[string]any{"diff": diff, "reviews": []any{map[string]any{"text": reviews[0].Text}}, "mode": mode}
		if rule.Comp != "" {
			asked["comp_by"] = rule.Comp
		}
		b.Do(t, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("[value=%s]").click()`, mode)))
		a := s.ask("POST", "/v1/score", request(t, asked), "Authorization: Bearer "+token)
		var served struct {
			Results []struct {
				Con, Comp, Rel float64
				Signature      string
			}
		}
		if err := json.Unmarshal([]byte(a.body), &served); err != nil || len(served.Results) != 1 {
			t.Fatalf("%v: %s", err, a.body)
		}
		r := served.Results[0]
		want := fmt.Sprintf("%.2f %.2f %.2f %s", r.Con, r.Comp, r.Rel, r.Signature)
		if got := browsertest.Eval[string](t, b, `["con", "comp", "rel", "signature"].map((id) => document.getElementById(id).textContent).join(" ")`); got != want {
			t.Errorf("%+v: the page has\n%s, the service\n%s", rule, got, want)
		}
		if mode == e.Rule().Mode && r.Rel < 0.5 {
			t.Errorf("the example has a Rel of %v: it shows little", r.Rel)
		}
	}
	if warned := browsertest.Eval[string](t, b, `document.getElementById("warnings").querySelector("ul").textContent`); warned != "" {
		t.Errorf("the page warns: %s", warned)
	}
	for _, h := range b.Heard() {
		if !strings.Contains(h, "status of 401") {
			t.Error(h)
		}
	}
}
