package outline

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

var (
	voids   = strings.Fields("area base br col embed hr img input link meta param source track wbr !doctype")
	tagName = regexp.MustCompile(`^</?[A-Za-z!?][\w:.-]*`)
	// startTag is a whole tag; a value may hold the sign that ends others: `<a b="x > y">`.
	startTag = regexp.MustCompile(`^<(?:=\s*"[^"]*"|=\s*'[^']*'|=\s*\{[^{}]*\}|[^<>])*>?`)
	attr     = regexp.MustCompile(`([^\s=<>"'/?]+)(?:\s*=\s*("[^"]*"|'[^']*'|\{[^{}]*\}|[^\s<>"']+))?`)
)

// markup reads elements, attributes and texts of HTML, of similar templates, and of XML. What
// has no end tag goes on to the end of what is around it.
func (b *builder) markup() {
	r := &walker{b, 0, b.root}
	for rest := strings.Join(b.lines, "\n"); rest != ""; {
		tag, end := tagName.FindString(rest), 0
		switch {
		case strings.HasPrefix(rest, "<!--"):
			end = through(rest, "-->")
			r.comment(r.top, r.row, rest[:end])
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0: // a text begins in the row of its first word
			end = len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
		case tag == "":
			words, _, _ := strings.Cut(rest[1:], "<")
			end = 1 + len(words)
			v := strings.Join(strings.Fields(rest[:end]), " ")
			r.add(r.top, Node{Kind: Text, Value: v, First: r.row, Last: r.row + strings.Count(strings.TrimSpace(rest[:end]), "\n"), Loose: r.loose()})
		case strings.HasPrefix(tag, "</"):
			end = through(rest, ">")
			// An end tag closes what was left open within its element. The search has a bound,
			// because thousands of end tags may fit no open element.
			n := r.top
			for range 20 {
				if n.Name != tag[2:] && n != r.root {
					n = n.Parent
				}
			}
			if n.Name == tag[2:] {
				n.Last, r.top = r.row, n.Parent
			}
		default:
			end = r.element(rest, tag[1:])
		}
		rest = r.skip(rest, end)
	}
}

// element reads a start tag, and the text of a script. It returns where the rest begins.
func (w *walker) element(text, name string) int {
	tag := startTag.FindString(text[:min(len(text), limits.OutlineTag)])
	n := w.add(w.top, Node{Kind: Element, Name: name, First: w.row, Last: w.row + strings.Count(tag, "\n"), Loose: w.loose()})
	row, rest := w.row, tag[min(len(tag), len("<"+name)):]
	for _, m := range attr.FindAllStringSubmatch(rest, -1) {
		before, after, _ := strings.Cut(rest, m[0])
		row += strings.Count(before, "\n")
		last := row + strings.Count(m[0], "\n")
		value := strings.Join(strings.Fields(strings.Trim(m[2], `"'`)), " ")
		w.add(n, Node{Kind: Key, Type: Attribute, Name: m[1], Value: value, First: row, Last: last})
		row, rest = last, after
	}
	switch {
	case strings.HasSuffix(tag, "/>"), strings.HasSuffix(tag, "?>"): // `<br/>` and `<?xml …?>` hold nothing
		return len(tag)
	case w.Format == HTML && slices.Contains(voids, strings.ToLower(name)):
		return len(tag)
	}
	w.top = n
	// A script is no markup: `a<b` opens no element.
	if w.Format == HTML && (name == "script" || name == "style") {
		script, _, _ := strings.Cut(text[len(tag):], "</"+name)
		n.Value = strings.TrimSpace(script[:min(len(script), limits.OutlineValue)])
		return len(tag) + len(script)
	}
	return len(tag)
}
