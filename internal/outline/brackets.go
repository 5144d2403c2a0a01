package outline

import (
	"strings"
	"unicode"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// jsonPair is a key with its value: JSON quotes the key, YAML puts a space behind the colon, TOML has an equals sign.
var jsonPair = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'[^']*')\s*([:=])\s*(.*)$|` +
	`^([^\s:="']+)\s*(?:(:)(?:\s+|$)|(=)\s*)(.*)$`)

// bracketReader reads blocks in brackets: JSON, style sheets, and the brackets within a line of another format.
type bracketReader struct {
	walker
	css bool
	key *Node // a key without its value yet; at the beginning of JSON it is the root
}

// brackets reads a text that begins in a row into the nodes below root. In a format of lines it ends with the line
// where the brackets are closed. It returns what is left, and its row.
func (b *builder) brackets(root *Node, text string, row int) (rest string, last int) {
	r := &bracketReader{walker: walker{b, row, root}, css: b.Format == CSS}
	if !r.css && !r.loose() {
		r.key = root
	}
	closed := false // the brackets of a value; what stands behind them on their line is read yet
	for rest = text; rest != ""; {
		c, end := rest[0], 1
		switch {
		case c == '\n' && closed:
			return rest, r.row
		case strings.IndexByte(" \t\r\n,;", c) >= 0, (c == ':' || c == '=') && !r.css:
		case strings.HasPrefix(rest, "/*"):
			end = through(rest, "*/")
			r.comment(r.top, r.row, rest[:end])
		case strings.HasPrefix(rest, "//"), c == '#' && !r.css:
			line, _, _ := strings.Cut(rest, "\n")
			end = len(line)
			r.comment(r.top, r.row, line)
		// A style sheet has square brackets in selectors only.
		case c == '{' || c == '[' && !r.css:
			if r.key == nil {
				r.key = r.add(r.top, Node{Kind: Item, First: r.row, Loose: r.loose()})
			}
			r.top, r.key = r.key, nil
		case c == '}' || c == ']' && !r.css:
			r.top.Last, r.key = max(r.top.Last, r.row), nil
			if closed = r.top == root && root.Kind != Root; r.top != root {
				r.top = r.top.Parent
			}
		default:
			end = max(r.end(rest), 1)
			r.entry(strings.TrimSpace(rest[:end]), end < len(rest) && (rest[end] == '{' || rest[end] == '['))
		}
		rest = r.skip(rest, end)
	}
	return "", r.row
}

// entry reads a key, a property or an item, which may open a block.
func (r *bracketReader) entry(s string, opens bool) {
	n := Node{Kind: Key, First: r.row, Last: r.row + strings.Count(s, "\n"), Loose: r.loose()}
	s = strings.Join(strings.Fields(s), " ")
	name, value, ok := strings.Cut(s, ":")
	switch m := jsonPair.FindStringSubmatch(s); {
	case r.css && opens:
		n.Type, n.Name = "style rule", s
	case r.css && ok:
		n.Type, n.Name, n.Value = Property, strings.TrimSpace(name), strings.TrimSpace(value)
	case r.css: // @import, @include
		n.Kind, n.Value = Text, s
	case m != nil && (m[2]+m[5] == ":" || r.Format == TOML):
		n.Name, n.Value, opens = unquote(m[1]+m[4]), r.unquoted(m[3]+m[7]), m[3]+m[7] == ""
	default:
		n.Kind, n.Value, opens = Item, r.unquoted(s), false
	}
	k := r.add(r.top, n)
	if r.key = nil; opens {
		r.key = k
	}
}

// end finds the sign that ends the entry that a text begins with.
func (r *bracketReader) end(s string) int {
	ends, word := map[bool]string{true: "{};", false: ",{}[]\n"}[r.css], true // quotation marks begin a word
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case word && strings.IndexByte("\"'`", c) >= 0:
			i += closing(s[i:]) - 1
		case r.css && (c == '(' || strings.HasPrefix(s[i:], "#{")): // url(a;b), #{$a}
			i += through(s[i:], map[byte]string{'(': ")", '#': "}"}[c]) - 1
		case strings.IndexByte(ends, c) >= 0, strings.HasPrefix(s[i:], "/*"):
			return i
		}
		word = i < len(s) && !inWord(rune(s[i]))
	}
	return len(s)
}

// flow reads brackets as the value of a node, and returns the last row of it.
func (b *builder) flow(n *Node, v string, row int) int {
	v = strings.Join(append([]string{v}, b.lines[row+1:min(len(b.lines), row+limits.OutlineFlow)]...), "\n")
	rest, last := b.brackets(n, v, row)
	if len(n.Kids) == 0 { // [], {}
		n.Value = strings.Join(strings.Fields(strings.TrimSuffix(v, rest)), " ")
	}
	n.Last = last
	return last
}

// closing returns the position behind the quotation mark that closes the one that a text
// begins with, or the end of its line.
func closing(s string) int {
	s, _, _ = strings.Cut(s, "\n")
	for k := 1; k < len(s); k++ {
		switch s[k] {
		case '\\':
			k++
		case s[0]:
			return k + 1
		}
	}
	return len(s)
}

// unquote takes off the quotation marks around a text.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && strings.IndexByte("\"'`", s[0]) >= 0 && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// inWord reports whether a sign may stand in a word.
func inWord(r rune) bool { return r == '_' || r >= 0x80 || unicode.IsLetter(r) || unicode.IsDigit(r) }
