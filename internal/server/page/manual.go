package page

import (
	"bytes"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	reader "github.com/yuin/goldmark/text"
	g "maragu.dev/gomponents"

	"crscore/docs"
)

// manual serves the documentation: /docs/ is its list, and /docs/NAME.md a page.
const manual = "/docs/"

// manualPaths are the paths of the documentation.
func manualPaths() []string {
	paths := []string{manual}
	pages, err := fs.Glob(docs.Files, "*.md")
	if err != nil {
		panic(err) // impossible: the pattern is valid
	}
	for _, name := range pages {
		if name != "README.md" {
			paths = append(paths, manual+name)
		}
	}
	return paths
}

// manualHandlers make the pages of the documentation when they are first asked for.
func manualHandlers() map[string]http.Handler {
	out := map[string]http.Handler{}
	for _, p := range manualPaths() {
		name := path.Base(p)
		if p == manual {
			name = "README.md"
		}
		made := sync.OnceValue(func() file { return newFile(".html", manualPage(name)) })
		out[p] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { made().ServeHTTP(w, r) })
	}
	return out
}

// manualPage is a page of the documentation as HTML.
func manualPage(name string) []byte {
	source, err := docs.Files.ReadFile(name)
	if err != nil {
		panic(err) // impossible: the file is in the binary
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	tree := md.Parser().Parse(reader.NewReader(source))
	unlink(tree)
	title, _, _ := strings.Cut(strings.TrimPrefix(string(source), "# "), "\n")
	var text bytes.Buffer
	if err := md.Renderer().Render(&text, source, tree); err != nil {
		panic(err) // impossible: a test renders every page
	}
	return fill("manual.html", places{"title": g.Text(title), "main": g.Raw(text.String())}) // goldmark leaves out HTML of the source
}

// unlink makes text of the links to files of the repository, which the service does not have,
// and of pictures. Links to other pages of the documentation stay.
func unlink(tree ast.Node) {
	var dead []ast.Node
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			to, _, _ := strings.Cut(string(n.Destination), "#")
			if _, err := fs.Stat(docs.Files, to); to != "" && err != nil && !strings.HasPrefix(to, "https://") {
				dead = append(dead, n)
			}
		case *ast.Image:
			dead = append(dead, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range dead {
		parent := n.Parent()
		for c := n.FirstChild(); c != nil; c = n.FirstChild() {
			parent.InsertBefore(parent, n, c)
		}
		parent.RemoveChild(parent, n)
	}
}
