package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// jsonPair is a key with its value: JSON quotes the key, YAML puts a space behind the
// colon, TOML has an equals sign.
var jsonPair = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'[^']*')\s*([:=])\s*(.*)$|` +
	`^([^\s:="']+)\s*(?:(:)(?:\s+|$)|(=)\s*)(.*)$`)

// bracketReader reads blocks in brackets: JSON, style sheets, and the brackets within a
// line of another format.
type bracketReader struct {
	*builder
	css, top bool // with top, the first bracket of JSON opens the node itself
	began    bool // something was read
	text     string
	row      int
	stack    []*Node
	key      *Node // a key without its value yet
}

// brackets reads a text that begins in a row into the nodes below root.
func (b *builder) brackets(root *Node, text string, row int, top bool) {
	r := &bracketReader{builder: b, css: b.format == CSS, text: text, row: row, stack: []*Node{root}, top: top}
	for i := 0; i < len(text); {
		c, rest, end := text[i], text[i:], i+1
		switch {
		case strings.IndexByte(" \t\r\n,;", c) >= 0, (c == ':' || c == '=') && !r.css:
		case strings.HasPrefix(rest, "/*"):
			end = through(text, i, "*/")
			r.comment(r.cur(), r.row, text[i:end])
		case strings.HasPrefix(rest, "//"), c == '#' && !r.css:
			end = i + len(strings.SplitN(rest, "\n", 2)[0])
			r.comment(r.cur(), r.row, text[i:end])
		// A style sheet has square brackets in selectors only.
		case c == '{' || c == '[' && !r.css:
			r.open()
		case c == '}' || c == ']' && !r.css:
			if r.key = nil; len(r.stack) > 1 {
				r.cur().Last = max(r.cur().Last, r.row)
				r.stack = r.stack[:len(r.stack)-1]
			}
		default:
			end = max(r.end(i), i+1)
			r.entry(strings.TrimSpace(text[i:end]), end < len(text) && (text[end] == '{' || text[end] == '['))
		}
		r.row += strings.Count(text[i:end], "\n")
		i = end
	}
}

// cur is the block that is open.
func (r *bracketReader) cur() *Node { return r.stack[len(r.stack)-1] }

// loose reports whether what comes next stands in something that the hunk does not show.
func (r *bracketReader) loose() bool { return r.cur().Kind == Root && !r.top }

// open goes into the block of the key before it, or of a node without a name.
func (r *bracketReader) open() {
	n := r.key
	switch {
	case n != nil:
	case r.top && !r.css && !r.began:
		n = r.cur()
	default:
		n = r.add(r.cur(), Node{Kind: Item, First: r.row, Loose: r.loose()})
	}
	r.key, r.began = nil, true
	r.stack = append(r.stack, n)
}

// entry reads a key, a property or an item, which may open a block.
func (r *bracketReader) entry(s string, opens bool) {
	n := Node{Kind: Key, First: r.row, Last: r.row + strings.Count(s, "\n"), Loose: r.loose()}
	s = strings.Join(strings.Fields(s), " ")
	r.key, r.began = nil, true
	switch m := jsonPair.FindStringSubmatch(s); {
	case r.css:
		n.declare(s, opens)
	case m != nil && (m[2]+m[5] == ":" || r.format == TOML):
		n.Name, n.Value, opens = unquote(m[1]+m[4]), r.unquoted(m[3]+m[7]), m[3]+m[7] == ""
	default:
		n.Kind, n.Value, opens = Item, r.unquoted(s), false
	}
	if k := r.add(r.cur(), n); opens {
		r.key = k
	}
}

// declare makes a property of a style sheet, or the head of a rule.
func (n *Node) declare(s string, opens bool) {
	name, value, ok := strings.Cut(s, ":")
	switch {
	case opens:
		n.Type, n.Name = "style rule", s
	case !ok: // @import, @include
		n.Kind, n.Value = Text, s
	default:
		n.Type, n.Name, n.Value = Property, strings.TrimSpace(name), strings.TrimSpace(value)
	}
}

// end finds the sign that ends the entry at i.
func (r *bracketReader) end(i int) int {
	ends, word := map[bool]string{true: "{};", false: ",{}[]\n"}[r.css], true // quotation marks begin a word
	for s := r.text; i < len(s); i++ {
		switch c := s[i]; {
		case word && strings.IndexByte("\"'`", c) >= 0:
			i = closing(s, i) - 1
		case r.css && (c == '(' || strings.HasPrefix(s[i:], "#{")): // url(a;b), #{$a}
			i = through(s, i, map[byte]string{'(': ")", '#': "}"}[c]) - 1
		case strings.IndexByte(ends, c) >= 0, strings.HasPrefix(s[i:], "/*"):
			return i
		}
		word = i < len(s) && !wordByte(s[i])
	}
	return len(r.text)
}

// closing returns the position behind the quotation mark that closes the one at i, or the
// end of its line.
func closing(s string, i int) int {
	for k := i + 1; k < len(s) && s[k] != '\n'; k++ {
		switch s[k] {
		case '\\':
			k++
		case s[i]:
			return k + 1
		}
	}
	return min(len(s), i+1+len(strings.SplitN(s[i+1:], "\n", 2)[0]))
}

// unquote takes off the quotation marks around a text.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && strings.IndexByte("\"'`", s[0]) >= 0 && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// wordByte reports whether a byte may stand in a word.
func wordByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
