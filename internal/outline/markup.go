package outline

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var (
	voids   = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "!doctype"}
	tagName = regexp.MustCompile(`^</?[A-Za-z!?][\w:.-]*`)
	attr    = regexp.MustCompile(`^([^\s=<>"'/]+)(?:\s*=\s*("[^"]*"|'[^']*'|\{[^{}]*\}|[^\s<>"']+))?`)
)

// markup reads elements, attributes and texts of HTML, of similar templates, and of XML.
// End tags without a start tag are skipped.
func (b *builder) markup() {
	text := strings.Join(b.lines, "\n")
	stack := []*Node{b.root}
	row := 0
	top := func() *Node { return stack[len(stack)-1] }
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], "<!--") {
			end := strings.Index(text[i:], "-->")
			if end < 0 {
				end = len(text) - i
			} else {
				end += 3
			}
			c := text[i : i+end]
			first := row
			row += strings.Count(c, "\n")
			if v := strings.Trim(c, "<!-> \n\t"); v != "" {
				b.add(top(), Node{Kind: Comment, Value: v[:min(len(v), 1<<12)], First: first, Last: row, Loose: len(stack) == 1 && !b.whole})
			}
			i += end
			continue
		}
		tag := ""
		if text[i] == '<' {
			tag = tagName.FindString(text[i:])
		}
		if tag == "" { // a text up to the next tag
			end := strings.IndexByte(text[i+1:], '<')
			if end < 0 {
				end = len(text) - i
			} else {
				end++
			}
			s := text[i : i+end]
			lead := len(s) - len(strings.TrimLeft(s, " \t\n"))
			first := row + strings.Count(s[:lead], "\n")
			v := strings.Join(strings.Fields(s), " ")
			if v != "" {
				last := first + strings.Count(strings.TrimSpace(s), "\n")
				b.add(top(), Node{Kind: Text, Value: v[:min(len(v), 1<<13)], First: first, Last: last, Loose: len(stack) == 1 && !b.whole})
			}
			row += strings.Count(s, "\n")
			i += end
			continue
		}
		name := strings.TrimLeft(tag, "</")
		if b.format == HTML {
			name = strings.ToLower(name)
			if name != "" && strings.ToLower(tag) != tag {
				name = strings.TrimLeft(tag, "</") // a component
			}
		}
		if strings.HasPrefix(tag, "</") {
			end := strings.IndexByte(text[i:], '>')
			if end < 0 {
				end = len(text) - i - 1
			}
			for k := len(stack) - 1; k > 0 && k > len(stack)-20; k-- {
				if stack[k].Name == name {
					stack[k].Last = row
					stack = stack[:k]
					break
				}
			}
			row += strings.Count(text[i:i+end+1], "\n")
			i += end + 1
			continue
		}
		i += len(tag)
		n := b.add(top(), Node{Kind: Element, Name: name, First: row, Last: row, Loose: len(stack) == 1 && !b.whole})
		closed := false
		for i < len(text) && text[i] != '>' && text[i] != '<' {
			if text[i] == '\n' {
				row++
			}
			if m := attr.FindStringSubmatch(text[i:min(len(text), i+4096)]); m != nil && text[i] != '?' {
				b.add(n, Node{Kind: Attribute, Name: m[1], Value: strings.Join(strings.Fields(strings.Trim(m[2], `"'`)), " "), First: row, Last: row + strings.Count(m[0], "\n")})
				row += strings.Count(m[0], "\n")
				i += len(m[0])
				continue
			}
			closed = text[i] == '/' || text[i] == '?'
			i++
		}
		if i < len(text) && text[i] == '>' {
			i++
		}
		n.Last = max(n.Last, row)
		if closed || b.format == HTML && slices.Contains(voids, name) || strings.HasPrefix(name, "?") || strings.HasPrefix(name, "!") {
			continue
		}
		if b.format == HTML && (name == "script" || name == "style") {
			end := strings.Index(strings.ToLower(text[i:min(len(text), i+1<<18)]), "</"+name)
			if end >= 0 {
				v := strings.TrimSpace(text[i : i+end])
				n.Value = v[:min(len(v), 1<<13)]
				row += strings.Count(text[i:i+end], "\n")
				n.Last = row
				i += end
				continue
			}
		}
		if len(stack) <= maxDepth {
			stack = append(stack, n)
		}
	}
}
