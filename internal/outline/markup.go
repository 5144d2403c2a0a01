package outline

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var (
	voids   = strings.Fields("area base br col embed hr img input link meta param source track wbr !doctype")
	tagName = regexp.MustCompile(`^</?[A-Za-z!?][\w:.-]*`)
	attr    = regexp.MustCompile(`^([^\s=<>"'/?]+)(?:\s*=\s*("[^"]*"|'[^']*'|\{[^{}]*\}|[^\s<>"']+))?`)
)

// markupReader reads elements, attributes and texts of HTML, of similar templates, and of
// XML. End tags without a start tag are skipped.
type markupReader struct {
	*builder
	text  string
	row   int
	stack []*Node
}

// markup reads tags one by one. What has no end tag goes on to the end of what is around
// it.
func (b *builder) markup() {
	r := &markupReader{builder: b, text: strings.Join(b.lines, "\n"), stack: []*Node{b.root}}
	for i := 0; i < len(r.text); {
		tag, end := "", 0
		if r.text[i] == '<' {
			tag = tagName.FindString(r.text[i:])
		}
		switch {
		case strings.HasPrefix(r.text[i:], "<!--"):
			end = through(r.text, i, "-->")
			r.comment(r.top(), r.row, r.text[i:end])
		case tag == "":
			words, _, _ := strings.Cut(r.text[i+1:], "<")
			end = i + 1 + len(words)
			r.words(r.text[i:end])
		case strings.HasPrefix(tag, "</"):
			end = through(r.text, i, ">")
			// An end tag closes what was left open within its element. The search has a bound,
			// because thousands of end tags may fit no open element.
			for k := len(r.stack) - 1; k > 0 && k > len(r.stack)-20; k-- {
				if r.stack[k].Name == strings.TrimLeft(tag, "</") {
					r.stack[k].Last = r.row
					r.stack = r.stack[:k]
					break
				}
			}
		default:
			i = r.element(i, tag)
			continue
		}
		r.row += strings.Count(r.text[i:end], "\n")
		i = end
	}
}

// top is the element that is open.
func (r *markupReader) top() *Node { return r.stack[len(r.stack)-1] }

// loose reports whether what comes next stands in something that the hunk does not show.
func (r *markupReader) loose() bool { return len(r.stack) == 1 && !r.whole }

// words reads a text between tags.
func (r *markupReader) words(s string) {
	v := strings.Join(strings.Fields(s), " ")
	if v == "" {
		return
	}
	first := r.row + strings.Count(s[:len(s)-len(strings.TrimLeft(s, " \t\n"))], "\n")
	r.add(r.top(), Node{Kind: Text, Value: v, First: first, Last: first + strings.Count(strings.TrimSpace(s), "\n"), Loose: r.loose()})
}

// element reads a start tag, and the text of a script. It returns where the rest begins.
func (r *markupReader) element(i int, tag string) int {
	name, text := strings.TrimLeft(tag, "</"), r.text
	n := r.add(r.top(), Node{Kind: Element, Name: name, First: r.row, Loose: r.loose()})
	closed := false
	for i += len(tag); i < len(text) && text[i] != '>' && text[i] != '<'; {
		// No attribute is longer than some thousand bytes, and each is searched in these alone.
		if m := attr.FindStringSubmatch(text[i:min(len(text), i+4096)]); m != nil {
			value := strings.Join(strings.Fields(strings.Trim(m[2], `"'`)), " ")
			last := r.row + strings.Count(m[0], "\n")
			r.add(n, Node{Kind: Key, Type: Attribute, Name: m[1], Value: value, First: r.row, Last: last})
			r.row = last
			i += len(m[0])
			continue
		}
		if text[i] == '\n' {
			r.row++
		}
		// `<br/>` and `<?xml …?>` hold nothing.
		closed = text[i] == '/' || text[i] == '?'
		i++
	}
	if i < len(text) && text[i] == '>' {
		i++
	}
	n.Last = max(n.Last, r.row)
	if closed || r.format == HTML && slices.Contains(voids, strings.ToLower(name)) {
		return i
	}
	// A script is no markup: `a<b` opens no element.
	if r.format == HTML && (name == "script" || name == "style") {
		end := max(0, strings.Index(text[i:min(len(text), i+1<<16)], "</"+name))
		n.Value = strings.TrimSpace(text[i : i+min(end, maxValue)])
		r.row += strings.Count(text[i:i+end], "\n")
		n.Last = r.row
		i += end
	}
	if len(r.stack) <= maxDepth {
		r.stack = append(r.stack, n)
	}
	return i
}
