// Package page is the page at / of the HTTP service: a form for a change and its reviews, and
// a result with the diff, the scores, and the sentences and references behind them.
//
// The page is static files, which ask the API of the same origin and nothing else. Handler
// sees no texts, and the page loads no file from another host.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"crscore/score"
)

//go:embed *.html *.css *.js example.json
var files embed.FS

// policy allows scripts, styles and requests of the page's own origin only. The icon is
// a data URL in the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Paths are the paths that a Handler answers.
func Paths() []string {
	paths := []string{"/"}
	for _, name := range names() {
		if name != "page.html" && name != "manual.html" && name != "shared.js" {
			paths = append(paths, "/"+name)
		}
	}
	return append(paths, manualPaths()...)
}

func names() (names []string) {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // impossible: the files are in the binary
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Files are the style sheets and modules of the page, for other pages that show results:
// base.css, result.css and ResultModules.
func Files() fs.FS { return files }

// Review is a review of the example, with its score where the service has one.
type Review struct {
	// ID is its name, Text what it says.
	ID   string   `json:"id"`
	Text string   `json:"text"`
	Rel  *float64 `json:"-"` // from 0 to 1
}

// Example returns the change and the reviews that the page offers to a visitor without any.
func Example() (diff string, reviews []Review) {
	var example struct {
		Diff    string
		Reviews []Review
	}
	if err := json.Unmarshal(read("example.json"), &example); err != nil {
		panic(err) // impossible: a test reads it
	}
	return example.Diff, example.Reviews
}

func read(name string) []byte {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // impossible: the file is in the binary
	}
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) // a browser reads line ends so, and hashes them
}

// Handler serves the page, its files and the documentation, and answers 404 for other paths than Paths.
// rules are the default rules of the service, one a mode: the sliders start there when a
// visitor changes the mode. examples are the reviews of Example with their scores.
func Handler(rules []score.Rule, examples []Review) http.Handler {
	h := handler(manualHandlers())
	for _, name := range names() {
		switch name {
		case "shared.js", "manual.html":
		case "page.html":
			h["/"] = newFile(".html", fill(name, struct {
				Rules    string
				Examples []card
			}{list(rules), cards(examples)}))
		case "share.html":
			h["/"+name] = newFile(".html", shell(rules))
		default:
			h["/"+name] = newFile(path.Ext(name), read(name))
		}
	}
	return h
}

// fill writes values into a page.
func fill(name string, values any) []byte {
	var b bytes.Buffer
	if err := template.Must(template.ParseFS(files, name)).Execute(&b, values); err != nil {
		panic(err) // impossible: a test fills every page
	}
	return b.Bytes()
}

// list is the valid rules in JSON.
func list(rules []score.Rule) string {
	type rule struct {
		Mode  score.Mode `json:"mode"`
		Tau   *float64   `json:"tau,omitempty"`
		Low   *float64   `json:"low,omitempty"`
		Slope *float64   `json:"slope,omitempty"`
		Comp  string     `json:"comp,omitempty"`
	}
	valid := []rule{}
	for _, r := range rules {
		if r.Check() != nil {
			continue
		}
		one := rule{Mode: r.Mode}
		one.Tau, one.Low, one.Slope = r.Parameters()
		if r.NoisyOr() {
			one.Comp = string(r.Comp)
		}
		valid = append(valid, one)
	}
	text, err := json.Marshal(valid)
	if err != nil {
		panic(err) // impossible: Check refused NaN and infinities
	}
	return string(text)
}

// card is an example on an empty page: a good number or a bad one.
type card struct{ ID, Number, Quote string }

func cards(examples []Review) (cards []card) {
	const long = 150 // characters of a review that are quoted
	for _, r := range examples {
		c := card{ID: r.ID, Number: "–", Quote: strings.Join(strings.Fields(r.Text), " ")}
		if r.Rel != nil {
			c.Number = fmt.Sprintf("%.2f", *r.Rel)
		}
		if text := []rune(c.Quote); len(text) > long {
			c.Quote = string(text[:long]) + "…"
		}
		cards = append(cards, c)
	}
	return cards
}

// ResultModules are the names of the Files that result.js needs, each behind those that it
// imports, and result.js itself. They go with base.css and result.css.
func ResultModules() []string {
	return []string{"score.js", "text.js", "rule.js", "diff.js", "evidence.js", "judged.js", "reviews.js", "frame.js", "result.js"}
}

// bundle lists the modules inside a saved result.
func bundle() []string { return append(ResultModules(), "verdicts.js", "shared.js") }

// shell is the page of a saved result, without an answer. Its modules are one script, since a
// file that is opened from a disk has no origin to load others from.
func shell(rules []score.Rule) []byte {
	imports, exports := regexp.MustCompile(`(?m)^import .*;\n`), regexp.MustCompile(`(?m)^export `)
	var script strings.Builder
	for _, name := range bundle() {
		script.Write(exports.ReplaceAll(imports.ReplaceAll(read(name), nil), nil))
	}
	style := string(read("base.css")) + string(read("result.css"))
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return fill("share.html", struct {
		Rules, ScriptHash, StyleHash string
		Style                        template.CSS // of our own files, as are the scripts
		Script                       template.JS
	}{list(rules), hash(script.String()), hash(style), template.CSS(style), template.JS(script.String())})
}

// file is a file of the page as it is sent.
type file struct {
	body     []byte
	typ, tag string
}

// newFile is a file with the type of an extension.
func newFile(ext string, body []byte) file {
	types := map[string]string{ // the machine's own table may lack a type
		".html": "text/html; charset=utf-8",
		".css":  "text/css; charset=utf-8",
		".js":   "text/javascript; charset=utf-8",
		".json": "application/json",
	}
	return file{body: body, typ: types[ext], tag: fmt.Sprintf(`"%x"`, sha256.Sum256(body))}
}

type handler map[string]http.Handler

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := h[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	f.ServeHTTP(w, r)
}

func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
