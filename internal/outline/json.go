package outline

import "strings"

// json reads a text of objects and lists. It accepts comments, single quotes, bare words,
// extra commas, and closing brackets that a hunk does not open: the text before such a
// bracket belongs to an object with an unknown name.
func (b *builder) json() {
	b.values(b.root, strings.Join(b.lines, "\n"), 0, b.whole)
}

// flow reads brackets within a line of another format.
func (b *builder) flow(n *Node, text string, row int) {
	s := strings.TrimSpace(text)
	before := len(n.Kids)
	b.values(n, text, row, true)
	if len(n.Kids) == before {
		n.Value = strings.Join(strings.Fields(s), " ")
	}
}

// values reads into a node; with top, the first bracket opens the node itself.
func (b *builder) values(root *Node, text string, row int, top bool) {
	var (
		stack   = []*Node{root}
		pending *Node // a key without its value yet
		first   = true
	)
	cur := func() *Node { return stack[len(stack)-1] }
	loose := func() bool { return root.Kind == Root && len(stack) == 1 && !top }
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			row++
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ':' || c == '=':
			i++
		case strings.HasPrefix(text[i:], "//") || c == '#':
			end := lineEnd(text, i)
			b.comment(cur(), row, strings.TrimLeft(text[i:end], "/# "))
			i = end
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				end = len(text) - i
			} else {
				end += 2
			}
			b.comment(cur(), row, strings.Trim(text[i:i+end], "/* \n"))
			row += strings.Count(text[i:i+end], "\n")
			i += end
		case c == '{' || c == '[':
			switch {
			case pending != nil:
				stack = append(stack, pending)
			case first && top:
				stack = append(stack, root)
			default:
				stack = append(stack, b.add(cur(), Node{Kind: Item, First: row, Last: row, Loose: loose()}))
			}
			if j := i + 1; j < len(text) && (text[j] == '}' || text[j] == ']') && pending != nil {
				pending.Value = text[i : j+1]
			}
			pending, first = nil, false
			i++
		case c == '}' || c == ']':
			i++
			pending = nil
			if len(stack) > 1 {
				cur().Last = max(cur().Last, row)
				stack = stack[:len(stack)-1]
				continue
			}
			if root.Kind != Root || len(root.Kids) == 0 {
				continue
			}
			// It closes what the hunk does not open.
			wrap := &Node{Kind: Item, Kids: root.Kids, Parent: root, First: root.Kids[0].First, Last: row, Loose: true}
			for _, k := range wrap.Kids {
				k.Parent, k.Loose = wrap, true
			}
			if wrapDepth(wrap) > maxDepth {
				return
			}
			root.Kids = []*Node{wrap}
		default:
			start := row
			word, quoted, n := scalar(text[i:])
			row += strings.Count(text[i:i+n], "\n")
			i += n
			first = false
			if pending == nil && colonAt(text, i) {
				pending = b.add(cur(), Node{Kind: Key, Name: word, First: start, Last: start, Loose: loose()})
				continue
			}
			if pending != nil {
				pending.Value, pending.Quoted, pending.Last = word, quoted, row
				pending = nil
				continue
			}
			if n > 0 && word != "" {
				b.add(cur(), Node{Kind: Item, Value: word, Quoted: quoted, First: start, Last: row, Loose: loose()})
			}
		}
	}
}

// wrapDepth counts how often closing brackets have wrapped the text before them.
func wrapDepth(n *Node) int {
	d := 0
	for ; n != nil && d <= maxDepth; d++ {
		if len(n.Kids) == 0 {
			break
		}
		n = n.Kids[0]
	}
	return d
}

// colonAt reports whether the next sign is a colon, or an equals sign as in
// TOML's inline tables.
func colonAt(s string, i int) bool {
	for ; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
		case ':', '=':
			return true
		default:
			return false
		}
	}
	return false
}

// scalar reads a string or a bare word and returns how many bytes it takes, at
// least one. A string ends with its line at the latest.
func scalar(s string) (word string, quoted bool, n int) {
	s = s[:min(len(s), 1<<16)]
	if c := s[0]; c == '"' || c == '\'' || c == '`' {
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case c:
				return s[1:i], true, i + 1
			case '\n':
				return s[1:i], true, i
			}
		}
		return s[1:], true, len(s)
	}
	s = s[:min(len(s), 4096)]
	n = strings.IndexAny(s, ",{}[]\n\"")
	if n < 0 {
		n = len(s)
	}
	for i := range n {
		if s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n') || s[i] == '=' && i > 0 {
			n = i
			break
		}
	}
	n = max(n, 1)
	return strings.TrimSpace(s[:n]), false, n
}

func lineEnd(s string, i int) int {
	if k := strings.IndexByte(s[i:], '\n'); k >= 0 {
		return i + k
	}
	return len(s)
}
