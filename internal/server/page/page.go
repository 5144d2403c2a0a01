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
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

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
	pages := handler(manualHandlers())
	for _, name := range names() {
		switch name {
		case "shared.js", "manual.html":
		case "page.html":
			pages["/"] = newFile(".html", fill(name, places{"rules": g.Text(list(rules)), "examples": g.Map(examples, card)}))
		case "share.html":
			pages["/"+name] = newFile(".html", shell(rules))
		default:
			pages["/"+name] = newFile(path.Ext(name), read(name))
		}
	}
	return pages
}

// places are what stands in the places of a page by their names.
type places map[string]g.Node

// fill writes nodes to the places of a page, which are named between two braces. Text is escaped
// for elements and for attributes in double quotes.
func fill(name string, values places) []byte {
	var b bytes.Buffer
	before, rest, more := strings.Cut(string(read(name)), "{{")
	for more {
		b.WriteString(before)
		var place string
		place, rest, _ = strings.Cut(rest, "}}")
		if err := values[place].Render(&b); err != nil {
			panic(err) // impossible, as is a place without a value: a test fills every page
		}
		before, rest, more = strings.Cut(rest, "{{")
	}
	b.WriteString(before)
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
func card(r Review) g.Node {
	const long = 150 // characters of a review that are quoted
	number, quote := "–", strings.Join(strings.Fields(r.Text), " ")
	if r.Rel != nil {
		number = fmt.Sprintf("%.2f", *r.Rel)
	}
	if text := []rune(quote); len(text) > long {
		quote = string(text[:long]) + "…"
	}
	return g.Group{h.Div(h.Class("card"), h.H3(g.Text(r.ID)), g.Raw("\n"),
		h.P(h.Span(h.Class("figure"), g.Text(number)), g.Text(" Rel, from 0 to 1")), g.Raw("\n"),
		h.BlockQuote(g.Text(quote)), g.Raw("\n"),
		h.Button(h.Type("button"), h.Class("button"), h.Data("example", r.ID), h.Aria("label", "Show why: "+r.ID), g.Text("Show why"))),
		g.Raw("\n")}
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
	hash := func(text string) g.Node {
		sum := sha256.Sum256([]byte(text))
		return g.Text("'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
	}
	return fill("share.html", places{
		"rules": g.Text(list(rules)), "script hash": hash(script.String()), "style hash": hash(style),
		"style": g.Raw(style), "script": g.Raw(script.String()), // of our own files
	})
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
