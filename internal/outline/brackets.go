package outline

import "strings"

// brackets reads blocks in brackets: JSON, style sheets, and the brackets within a line
// of another format. With top, the first bracket of JSON opens the node itself. The text
// before a closing bracket that a hunk does not open belongs to a node without a name.
func (b *builder) brackets(root *Node, text string, row int, top bool) {
	r := &bracketReader{builder: b, css: b.format == CSS, text: text, row: row, stack: []*Node{root}, top: top}
	for i := 0; i < len(text); {
		c, rest := text[i], text[i:]
		switch {
		case c == '\n':
			r.row++
			i++
		case strings.IndexByte(" \t\r,;", c) >= 0, (c == ':' || c == '=') && !r.css:
			i++
		case strings.HasPrefix(rest, "/*"):
			i = r.note(i, through(text, i, "*/"))
		case strings.HasPrefix(rest, "//"), c == '#' && !r.css:
			i = r.note(i, i+len(strings.SplitN(rest, "\n", 2)[0]))
		case c == '{' || c == '[' && !r.css:
			r.open(i)
			i++
		case c == '}' || c == ']' && !r.css:
			r.shut()
			i++
		default:
			i = r.entry(i)
		}
	}
}

// bracketReader is where brackets stands.
type bracketReader struct {
	*builder
	css, top bool
	began    bool // something was read
	text     string
	row      int
	stack    []*Node
	key      *Node // a key without its value yet
	wraps    int
}

func (r *bracketReader) cur() *Node { return r.stack[len(r.stack)-1] }

// loose reports whether what comes next stands in something that the hunk does not show.
func (r *bracketReader) loose() bool {
	return r.cur().Kind == Root && len(r.stack) == 1 && !r.top
}

// note reads a comment.
func (r *bracketReader) note(from, to int) int {
	r.comment(r.cur(), r.row, r.text[from:to])
	r.row += strings.Count(r.text[from:to], "\n")
	return to
}

// open goes into the block of the key before it, or of a node without a name.
func (r *bracketReader) open(i int) {
	n := r.key
	switch {
	case n != nil:
		if empty := r.text[i:min(i+2, len(r.text))]; empty == "{}" || empty == "[]" {
			n.Value = empty
		}
	case r.top && !r.css && !r.began:
		n = r.cur()
	case r.css:
		n = r.add(r.cur(), Node{Kind: Key, Type: StyleRule, First: r.row, Loose: r.loose()})
	default:
		n = r.add(r.cur(), Node{Kind: Item, First: r.row, Loose: r.loose()})
	}
	n.Open, r.key, r.began = true, nil, true
	r.stack = append(r.stack, n)
}

// shut leaves a block. What stands before a bracket that nothing opens is put into a
// node of its own.
func (r *bracketReader) shut() {
	r.key = nil
	n := r.cur()
	if len(r.stack) > 1 {
		n.Last, n.Open = max(n.Last, r.row), false
		r.stack = r.stack[:len(r.stack)-1]
		return
	}
	wrap := &Node{Kind: Item, Kids: n.Kids, Parent: n, Last: r.row, Loose: true}
	needed := len(n.Kids) > 0 && n.Kind == Root && !r.top
	if r.css {
		wrap.Kind, wrap.Type, needed = Key, StyleRule, false
		for _, k := range n.Kids {
			needed = needed || k.Type == Property
		}
	}
	if r.wraps++; !needed || r.wraps > maxDepth {
		return
	}
	wrap.First = n.Kids[0].First
	for _, k := range wrap.Kids {
		k.Parent, k.Loose = wrap, k.Loose || !r.css
	}
	n.Kids = []*Node{wrap}
}

// entry reads a key, a property or an item up to the sign that ends it.
func (r *bracketReader) entry(i int) int {
	end := r.end(i)
	s, first := r.text[i:end], r.row
	r.row += strings.Count(s, "\n")
	last := first + strings.Count(strings.TrimSpace(s), "\n")
	opens := end < len(r.text) && (r.text[end] == '{' || r.text[end] == '[')
	s = strings.Join(strings.Fields(s), " ")
	n := Node{Kind: Key, First: first, Last: last, Loose: r.loose()}
	r.began, end = true, max(end, i+1)
	if r.css {
		r.declaration(n, s, opens)
		return end
	}
	name, value, ok := pair(s, r.format == TOML)
	switch {
	case ok:
		n.Name = unquote(name)
		k := r.add(r.cur(), n)
		if k.Value = r.unquoted(value); value == "" {
			r.key = k
		}
	case r.key != nil:
		r.key.Value, r.key.Last = r.unquoted(s), r.row
		r.key = nil
	case s != "":
		n.Kind, n.Value = Item, r.unquoted(s)
		r.add(r.cur(), n)
	}
	return end
}

// declaration adds a property of a style sheet, or the head of a rule.
func (r *bracketReader) declaration(n Node, s string, opens bool) {
	name, value, ok := strings.Cut(s, ":")
	switch at := strings.HasPrefix(s, "@"); {
	case opens && at:
		n.Type, n.Name = "at-rule", s
	case opens:
		n.Type, n.Name = StyleRule, s
	case at && (!ok || strings.Contains(name, " ")):
		n.Type = "at-rule"
		n.Name, n.Value, _ = strings.Cut(s, " ")
		n.Value = unquote(n.Value)
	case !ok:
		n.Kind, n.Value = Text, s
	default:
		n.Type, n.Name, n.Value = Property, strings.TrimSpace(name), strings.TrimSpace(value)
		if at || strings.HasPrefix(s, "--") || strings.HasPrefix(s, "$") {
			n.Type = "variable"
		}
	}
	k := r.add(r.cur(), n)
	if r.key = nil; opens {
		r.key = k
	}
}

// pair cuts an entry at the first colon outside of quotation marks, or at an equals sign.
func pair(s string, equals bool) (name, value string, ok bool) {
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case i == 0 && strings.IndexByte("\"'`", c) >= 0:
			quote = c
		case i > 0 && (c == '=' && equals || c == ':' && (i+1 == len(s) || s[i+1] == ' ' || strings.IndexByte("\"'`", s[i-1]) >= 0)):
			return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:]), true
		}
	}
	return "", "", false
}

// end finds the sign that ends the entry at i.
func (r *bracketReader) end(i int) int {
	ends, word := ",{}[]\n", true // quotation marks begin a word
	if r.css {
		ends = "{};"
	}
	var quote byte
	round, inner := 0, 0
	for s := r.text; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
				continue
			} else if c == quote || c == '\n' {
				quote = 0
			}
			if c != '\n' || r.css {
				continue
			}
			return i
		case word && strings.IndexByte("\"'`", c) >= 0:
			quote = c
		case r.css && c == '(':
			round++
		case r.css && c == ')':
			round--
		case r.css && strings.HasPrefix(s[i:], "#{"):
			inner++
			i++
		case c == '}' && inner > 0:
			inner--
		case c == '{' || c == '}', round <= 0 && (strings.IndexByte(ends, c) >= 0 || strings.HasPrefix(s[i:], "/*") || strings.HasPrefix(s[i:], " //") && !r.css):
			return i
		}
		word = !wordByte(c)
	}
	return len(r.text)
}

// flow reads brackets within a line of another format.
func (b *builder) flow(n *Node, text string, row int) {
	before := len(n.Kids)
	if b.brackets(n, text, row, true); len(n.Kids) == before {
		n.Value = strings.Join(strings.Fields(text), " ")
	}
}

// unquote takes off the quotation marks around a text.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && strings.IndexByte("\"'`", s[0]) >= 0 && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
