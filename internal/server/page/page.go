// Package page is the page at / of the HTTP service: one form, the three numbers,
// and the evidence for them side by side. It is static files, which talk to
// POST /v1/score of the same origin and to nothing else.
//
// No engine, no request's data and no foreign asset may come in: what a visitor
// pastes is seen by the browser and the API only.
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

// policy lets the page's own scripts and styles run and its requests reach its own
// origin. The icon is a picture in the page itself.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Paths are what a Handler answers.
func Paths() []string {
	return []string{"/", "/page.css", "/page.js", "/score.js", "/evidence.js", "/example.js"}
}

// Handler serves the page and its files. The rules are those that the service has
// thresholds for, by mode: where a visitor changes the mode, its rule is where the
// sliders start. Other paths than Paths are not found.
func Handler(rules []score.Rule) http.Handler {
	types := map[string]string{ // not the machine's own, which may lack one
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
			panic(err) // it is in the binary, or nothing is
		}
		if p == "/" {
			b = fill(b, rules)
		}
		h[p] = file{body: b, typ: types[path.Ext(name)], tag: fmt.Sprintf(`"%x"`, sha256.Sum256(b))}
	}
	return h
}

// fill writes the rules into an attribute of the page, but for those that are none.
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
		panic(err) // numbers that are checked can be written
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
		http.Error(w, "the page is there to be read", http.StatusMethodNotAllowed)
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
		"Cache-Control":                "no-cache", // asked for again, and not sent again
		"ETag":                         f.tag,
	} {
		head.Set(name, value)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
}
