package page

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/score"
)

var testRules = []score.Rule{
	{Mode: score.Ramp, Tau: 0.275, Low: 0.05}, {Mode: score.Hard, Tau: 0.3}, {Mode: score.Calibrated, Tau: 0.4, Slope: 8}, {Mode: score.Soft},
}

func TestHandler(t *testing.T) {
	h := Handler(testRules, nil)
	do := func(method, target string, header ...string) *http.Response {
		r := httptest.NewRequest(method, target, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	types := map[string]string{"/": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".json": "application/json", ".md": "text/html; charset=utf-8"}
	for _, p := range Paths() {
		r := do("GET", p)
		if r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", p, r.Status)
		}
		for end, want := range types {
			if strings.HasSuffix(p, end) && r.Header.Get("Content-Type") != want {
				t.Errorf("%s has type %q", p, r.Header.Get("Content-Type"))
			}
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Security-Policy": policy,
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", p, name, got)
			}
		}
		if r := do("GET", p, "If-None-Match", r.Header.Get("ETag")); r.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %s", p, r.Status)
		}
		if r := do("HEAD", p); r.StatusCode != http.StatusOK {
			t.Errorf("HEAD %s: %s", p, r.Status)
		}
		if r := do("POST", p); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %s, allowed %q", p, r.Status, r.Header.Get("Allow"))
		}
	}
	for _, p := range []string{"/page.html", "/page.go", "/..", "/page.css/", "/v1/score", "/shared.js", "/types.d.ts", "/docs", "/docs/none.md", "/docs/docs.go"} {
		if r := do("GET", p); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", p, r.Status)
		}
	}
	rel := 0.754
	page := Handler([]score.Rule{{Mode: "loud"}, {Mode: score.Hard, Tau: 0.3}}, []Review{{ID: "a <b>", Text: "Says\n\"this\"."}, {ID: "c", Rel: &rel}}).(handler)["/"].(file).body
	for _, want := range []string{"<h3>a &lt;b&gt;</h3>", `>–</span> Rel`, "<blockquote>Says &#34;this&#34;.</blockquote>", `data-example="a &lt;b&gt;"`, `>0.75</span> Rel`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	for _, page := range []string{string(page), string(shell([]score.Rule{{Mode: score.Hard, Tau: 0.3}}))} {
		if want := `<body data-rules="[{&#34;mode&#34;:&#34;hard&#34;,&#34;tau&#34;:0.3}]">`; !strings.Contains(page, want) {
			t.Errorf("the rules are not in the page:\n%s", page)
		}
	}
}

// TestEscaped: each character of markup in an example is escaped, wherever the page has its texts,
// and nothing in a text is a place of the page. Letters stand for them in the page that tells what
// is expected.
func TestEscaped(t *testing.T) {
	const text = "\"><script>alert('&')</script><!-- {{rules}} &lt;"
	stand := strings.NewReplacer("<", "ā", ">", "ē", "&", "ī", `"`, "ō", "'", "ū")
	escaped := strings.NewReplacer("ā", "&lt;", "ē", "&gt;", "ī", "&amp;", "ō", "&#34;", "ū", "&#39;")
	page := func(text string) string {
		return string(Handler(testRules, []Review{{ID: text, Text: text}}).(handler)["/"].(file).body)
	}
	if diff := cmp.Diff(escaped.Replace(page(stand.Replace(text))), page(text)); diff != "" {
		t.Errorf("not escaped, - how it should be, + how it is:\n%s", diff)
	}
}

// TestShell: a saved result holds its style and its script as they are. Neither begins or ends an element.
func TestShell(t *testing.T) {
	page := string(shell(testRules))
	for tag, want := range map[string]int{"<style": 1, "</style": 1, "<script": 2, "</script": 2, "<!--": 0} {
		if n := strings.Count(strings.ToLower(page), tag); n != want {
			t.Errorf("the page has %d %s, want %d", n, tag, want)
		}
	}
}

// TestFiles holds the files against the policy: it would stop these in a browser, but
// only where somebody comes by.
func TestFiles(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range bundle() {
		if _, err := files.ReadFile(name); err != nil {
			t.Error(err)
		}
	}
	for _, e := range entries {
		b, err := files.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(b), "http://www.w3.org/2000/svg", "") // a name, not an address
		if e.Name() == "share.html" {                                           // it holds its style and script, by their hashes
			text = strings.Replace(text, "<style>", "", 1)
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "http://", "https://", "//cdn", " style=", "localStorage", "sessionStorage", "cookie", "@import", "url("} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", e.Name(), bad)
			}
		}
	}
}

// TestManual: each page of the documentation is rendered, and its links lead somewhere.
func TestManual(t *testing.T) {
	h := Handler(testRules, nil)
	link := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	for _, p := range manualPaths() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", p, nil))
		page := w.Body.String()
		if w.Code != http.StatusOK || !strings.Contains(page, "</h1>") {
			t.Errorf("%s: %d\n%s", p, w.Code, page)
		}
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if to == "" || strings.HasPrefix(to, "https://") {
				continue
			}
			at, err := url.Parse(to)
			if err != nil || !slices.Contains(Paths(), (&url.URL{Path: p}).ResolveReference(at).Path) {
				t.Errorf("%s links to %s", p, m[1])
			}
		}
	}
}
