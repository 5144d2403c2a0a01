package outline

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// yamlKey finds the key of a line; its value follows.
var yamlKey = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#\[\]{},&*!|>%@-][^#"'\[\]{}]*?|-[^\s#"'\[\]{}:][^#"'\[\]{}:]*?|[*&!@][\w.-]+(?:\s+[\w.-]+)?|\$?\{\{[^{}]*\}\}|<<)\s*:(?:\s+(.*))?$`)

var blockScalar = regexp.MustCompile(`^(?:[&!][^\s]+\s+)*[|>][-+0-9]*\s*(?:#.*)?$`)

// mappings are top-level keys of well-known files that hold no list. A key indented by
// two columns is their direct child.
var mappings = []string{"jobs", "services", "volumes", "networks", "permissions", "spec", "metadata", "data", "stringData", "paths", "components", "definitions", "dependencies"}

type level struct {
	indent int
	node   *Node
}

// yaml reads by indentation alone. Lines that are deeper than the known lines above them
// are loose children of the root.
func (b *builder) yaml() {
	root := b.root // or the document that is read
	base := root
	if !b.whole {
		if m := yamlKey.FindStringSubmatch(b.heading); m != nil && strings.TrimSpace(m[2]) == "" && !strings.HasPrefix(b.heading, " ") {
			// The heading is the last line above without indentation. Indented lines are
			// below it, though not always directly.
			base = b.add(b.root, Node{Kind: Key, Name: unquote(m[1]), Loose: true, Heading: true})
		}
	}
	var stack []level
	for row := 0; row < len(b.lines); row++ {
		line := strings.TrimRight(b.lines[row], " \t")
		text := strings.TrimLeft(line, " \t")
		indent := len(line) - len(text)
		switch {
		case text == "":
			continue
		case strings.HasPrefix(text, "---") && indent == 0, text == "...", strings.HasPrefix(text, "%") && indent == 0:
			stack = nil
			if text[0] == '-' && len(b.root.Kids) > 0 && len(b.lines) > row+1 {
				root = b.document(root, row)
			}
			base = root
			continue
		}
		if indent == 0 && !strings.HasPrefix(text, "#") {
			base = root
		}
		top := func() (*Node, bool) {
			if len(stack) > 0 {
				return stack[len(stack)-1].node, false
			}
			if indent > 0 {
				return base, base == root || !(indent <= 2 && slices.Contains(mappings, base.Name))
			}
			return root, false
		}
		if strings.HasPrefix(text, "#") {
			for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
				stack = stack[:len(stack)-1]
			}
			p, _ := top()
			b.comment(p, row, strings.TrimLeft(text, "# "))
			continue
		}
		for {
			dash := text == "-" || strings.HasPrefix(text, "- ")
			for len(stack) > 0 {
				t := stack[len(stack)-1]
				// A list may stand at the indentation of its key.
				if t.indent < indent || t.indent == indent && dash && t.node.Kind == Key && t.node.Value == "" {
					break
				}
				stack = stack[:len(stack)-1]
			}
			if !dash {
				break
			}
			p, loose := top()
			item := b.add(p, Node{Kind: Item, First: row, Last: row, Loose: loose})
			stack = append(stack, level{indent, item})
			rest := strings.TrimLeft(strings.TrimPrefix(text, "-"), " ")
			indent += len(text) - len(rest)
			if text = rest; text == "" || strings.HasPrefix(text, "#") {
				break
			}
		}
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		p, loose := top()
		m := yamlKey.FindStringSubmatch(text)
		if m == nil {
			if k := len(stack); k > 0 && stack[k-1].node.Kind == Item && stack[k-1].node.First == row {
				row = b.yamlValue(stack[k-1].node, text, row, stack[k-1].indent)
				continue
			}
			// The next line of a plain text.
			if len(stack) > 0 && p.Value != "" && len(p.Kids) == 0 && len(p.Value) < 1<<12 {
				p.Value, p.Last = p.Value+" "+text, row
				continue
			}
			if len(stack) > 0 && p.Value == "" && len(p.Kids) == 0 {
				row = b.yamlValue(p, text, row, stack[len(stack)-1].indent)
				continue
			}
			b.add(p, Node{Kind: Text, Value: text, First: row, Last: row, Loose: loose})
			continue
		}
		key := b.add(p, Node{Kind: Key, Name: unquote(m[1]), First: row, Last: row, Loose: loose})
		stack = append(stack, level{indent, key})
		if v := strings.TrimSpace(m[2]); v != "" {
			row = b.yamlValue(key, v, row, indent)
		}
	}
}

// Document is the Type of an item that stands for a document, in a text with several.
const Document = "document"

// document begins another document. The text before the first separator becomes a
// document, too.
func (b *builder) document(before *Node, row int) *Node {
	if before == b.root {
		b.root.wrap()
	}
	return b.add(b.root, Node{Kind: Item, Type: Document, First: min(row+1, len(b.lines)-1)})
}

// wrap makes one document of all children of a root.
func (n *Node) wrap() {
	first := &Node{Kind: Item, Type: Document, Parent: n, Kids: n.Kids}
	for _, k := range first.Kids {
		k.Parent = first
		first.Last = max(first.Last, k.Last)
	}
	if len(n.Kids) > 0 {
		first.First = n.Kids[0].First
		n.Kids = []*Node{first}
	}
}

// yamlValue reads the value of a key or an item and returns its last row.
func (b *builder) yamlValue(n *Node, v string, row, indent int) int {
	if blockScalar.MatchString(v) {
		var text []string
		size, end := 0, row
		for i := row + 1; i < len(b.lines); i++ {
			l := strings.TrimRight(b.lines[i], " \t")
			if l != "" && len(l)-len(strings.TrimLeft(l, " \t")) <= indent {
				break
			}
			if l == "" && i+1 < len(b.lines) {
				continue
			}
			if size += len(l); size < 1<<14 {
				text = append(text, strings.TrimSpace(l))
			}
			end = i
		}
		n.Value, n.Type, n.Last = strings.TrimSpace(strings.Join(text, "\n")), "text", end
		return end
	}
	switch v[0] {
	case '{', '[':
		// A flow may go on over lines.
		end, size := row, len(v)
		for depth(v) > 0 && end+1 < len(b.lines) && end-row < 500 && size < 1<<16 {
			end++
			v += "\n" + b.lines[end]
			size += len(b.lines[end])
		}
		b.flow(n, v, row)
		n.Last = end
		return end
	case '"', '\'':
		if end := strings.LastIndexByte(v, v[0]); end > 0 {
			n.Value, n.Quoted = unquote(v[:end+1]), true
			return row
		}
	case '#':
		return row
	}
	if i := strings.Index(v, " #"); i > 0 {
		n.Note = strings.TrimSpace(v[i+2:])
		v = strings.TrimSpace(v[:i])
	}
	if strings.HasPrefix(v, "&") && !strings.Contains(v, " ") {
		return row // an anchor on a mapping
	}
	n.Value = v
	return row
}

// depth counts the brackets of a flow mapping that are open at its end.
func depth(s string) int {
	d := 0
	var quote byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{' || c == '[':
			d++
		case c == '}' || c == ']':
			d--
		}
	}
	return d
}

// unquote takes off the quotation marks around a text.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'' || s[0] == '`') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
