package outline

import "strings"

// css reads rules, which may be nested, and properties. The text before a closing bracket
// that the hunk does not open belongs to a rule with an unknown selector.
func (b *builder) css() {
	text := strings.Join(b.lines, "\n")
	stack := []*Node{b.root}
	row, wrapped := 0, 0
	top := func() *Node { return stack[len(stack)-1] }
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n':
			row++
			i++
		case c == ' ' || c == '\t' || c == ';' || c == '\r':
			i++
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				end = len(text) - i
			} else {
				end += 2
			}
			first := row
			row += strings.Count(text[i:i+end], "\n")
			if v := strings.Trim(text[i:i+end], "/* \n"); v != "" {
				b.add(top(), Node{Kind: Comment, Value: v[:min(len(v), 1<<12)], First: first, Last: row})
			}
			i += end
		case strings.HasPrefix(text[i:], "//"):
			end := lineEnd(text, i)
			b.comment(top(), row, strings.TrimLeft(text[i:end], "/ "))
			i = end
		case strings.HasPrefix(text[i:], "*/"):
			i += 2
		case c == '}':
			i++
			if len(stack) > 1 {
				top().Last, top().Open = row, false
				stack = stack[:len(stack)-1]
				continue
			}
			var own []*Node // what is not a rule stood in the unknown one
			var rest []*Node
			for _, k := range b.root.Kids[min(wrapped, len(b.root.Kids)):] {
				if k.Kind == Property {
					own = append(own, k)
				} else {
					rest = append(rest, k)
				}
			}
			if len(own) > 0 {
				wrap := &Node{Kind: Rule, Kids: own, Parent: b.root, First: own[0].First, Last: row, Loose: true}
				for _, k := range own {
					k.Parent = wrap
				}
				b.root.Kids = append(append(b.root.Kids[:wrapped], rest...), wrap)
			}
			wrapped = len(b.root.Kids)
		default:
			end, sign := cssEnd(text, i)
			s := text[i:end]
			first := row
			row += strings.Count(s, "\n")
			last := row - (len(s) - len(strings.TrimRight(s, "\n"))) // not the empty end
			s = strings.Join(strings.Fields(s), " ")
			loose := len(stack) == 1 && !b.whole
			i = end
			if sign == '{' {
				i++
				n := Node{Kind: Rule, Name: s, First: first, Last: row, Loose: loose}
				if rest, ok := strings.CutPrefix(s, "@"); ok {
					n.Type, _, _ = strings.Cut(rest, " ")
				}
				r := b.add(top(), n)
				if len(stack) < maxDepth {
					stack = append(stack, r)
				}
				r.Open = true
				continue
			}
			name, value, ok := strings.Cut(s, ":")
			if strings.HasPrefix(s, "@") {
				name, value, ok = strings.Cut(s, " ")
			}
			if !ok {
				b.add(top(), Node{Kind: Text, Value: s, First: first, Last: last, Loose: loose})
				continue
			}
			b.add(top(), Node{Kind: Property, Name: strings.TrimSpace(name), Value: strings.TrimSpace(value), First: first, Last: last, Loose: loose})
		}
	}
}

// cssEnd finds the bracket or semicolon that ends the text from i on.
func cssEnd(s string, i int) (int, byte) {
	var quote byte
	round, inner := 0, 0
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			round++
		case c == ')':
			round--
		case c == '#' && i+1 < len(s) && s[i+1] == '{':
			inner++
			i++
		case c == '}' && inner > 0:
			inner--
		case c == '{' || c == '}', c == ';' && round <= 0:
			return i, c
		case c == '/' && i+1 < len(s) && s[i+1] == '*' && round <= 0:
			return i, c
		}
	}
	return len(s), 0
}
