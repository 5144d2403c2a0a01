// Package page is the page at / of the HTTP service: a form, the three scores, and the
// sentences and references behind them side by side.
//
// The page is static files, which ask POST /v1/score of the same origin and nothing
// else. Handler sees no texts, and the page loads no file from another host.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"path"
	"time"

	"crscore/score"
)

//go:embed page.html page.css page.js score.js evidence.js example.js
var files embed.FS

// policy allows scripts, styles and requests of the page's own origin only. The icon is
// a data URL in the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Paths are the paths that a Handler answers.
func Paths() []string {
	return []string{"/", "/page.css", "/page.js", "/score.js", "/evidence.js", "/example.js"}
}

// Handler serves the page and its files, and answers 404 for other paths than Paths.
// rules are the default rules of the service, one a mode: the sliders start there when a
// visitor changes the mode.
func Handler(rules []score.Rule) http.Handler {
	types := map[string]string{ // the machine's own table may lack a type
		".html": "text/html; charset=utf-8",
		".css":  "text/css; charset=utf-8",
		".js":   "text/javascript; charset=utf-8",
	}
	h := handler{}
	for _, p := range Paths() {
		name := path.Base(p)
		if p == "/" {
			name = "page.html"
		}
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err) // impossible: the file is in the binary
		}
		if p == "/" {
			b = fill(b, rules)
		}
		h[p] = file{body: b, typ: types[path.Ext(name)], tag: fmt.Sprintf(`"%x"`, sha256.Sum256(b))}
	}
	return h
}

// fill writes the valid rules into an attribute of the page.
func fill(page []byte, rules []score.Rule) []byte {
	type rule struct {
		Mode  score.Mode `json:"mode"`
		Tau   *float64   `json:"tau,omitempty"`
		Low   *float64   `json:"low,omitempty"`
		Slope *float64   `json:"slope,omitempty"`
	}
	list := []rule{}
	for _, r := range rules {
		if r.Check() != nil {
			continue
		}
		one := rule{Mode: r.Mode}
		one.Tau, one.Low, one.Slope = r.Parameters()
		list = append(list, one)
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // impossible: Check refused NaN and infinities
	}
	return bytes.Replace(page, []byte("{{rules}}"), []byte(html.EscapeString(string(text))), 1)
}

type file struct {
	body     []byte
	typ, tag string
}

type handler map[string]file

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := h[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	head := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		head.Set("Allow", "GET, HEAD")
		http.Error(w, "the page only answers GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	for name, value := range map[string]string{
		"Content-Security-Policy":      policy,
		"Content-Type":                 f.typ,
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Embedder-Policy": "require-corp",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-cache", // revalidated with the ETag
		"ETag":                         f.tag,
	} {
		head.Set(name, value)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
}
