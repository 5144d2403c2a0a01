package outline

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// yamlKey finds the key of a line; its value follows.
var yamlKey = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#\[\]{},&*!|>%@-][^#"'\[\]{}]*?)\s*:(?:\s+(.*))?$`)

// blockScalar is the mark of a text that follows on deeper lines.
var blockScalar = regexp.MustCompile(`^[|>][-+0-9]*\s*(?:#.*)?$`)

// mappings are top-level keys of well-known files that hold no list. A key indented by
// two columns is their direct child.
var mappings = []string{"jobs", "services", "permissions", "volumes", "spec", "metadata", "data", "dependencies"}

// yamlReader reads by indentation alone. Lines that are deeper than the known lines above
// them are loose children of the root.
type yamlReader struct {
	*builder
	base  *Node // what holds indented lines that stand in nothing else
	stack []yamlLevel
}

// yamlLevel is a key or an item that is open, with the column where it began.
type yamlLevel struct {
	indent int
	node   *Node
}

// yaml reads a file or a hunk. A hunk may begin within any key.
func (b *builder) yaml() {
	r := &yamlReader{builder: b, base: b.root}
	m := yamlKey.FindStringSubmatch(b.Heading)
	if !b.Whole && m != nil && strings.TrimSpace(m[2]) == "" && !strings.HasPrefix(b.Heading, " ") {
		// The heading is the last line above without indentation. Indented lines are
		// below it, though not always directly.
		r.base = b.add(b.root, Node{Kind: Key, Name: unquote(m[1]), Loose: true, Heading: true})
	}
	for row := 0; row < len(b.lines); row++ {
		row = r.line(row)
	}
}

// line reads a line, and those that belong to its value. It returns the last one's row.
func (r *yamlReader) line(row int) int {
	line := strings.TrimRight(r.lines[row], " \t")
	text := strings.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	switch {
	case text == "":
		return row
	case text[0] == '#':
		r.leave(indent, false)
		p, _ := r.top(indent)
		r.comment(p, row, text)
		return row
	case indent == 0:
		r.base = r.root
	}
	// "- - a" opens two items, and "- a: b" an item with a key.
	for dash := true; dash; {
		dash = text == "-" || strings.HasPrefix(text, "- ")
		r.leave(indent, dash)
		if !dash {
			break
		}
		p, loose := r.top(indent)
		r.stack = append(r.stack, yamlLevel{indent, r.add(p, Node{Kind: Item, First: row, Loose: loose})})
		rest := strings.TrimLeft(strings.TrimPrefix(text, "-"), " ")
		indent += len(text) - len(rest)
		if text = rest; text == "" || text[0] == '#' {
			return row
		}
	}
	p, loose := r.top(indent)
	m := yamlKey.FindStringSubmatch(text)
	if m == nil {
		return r.scalar(p, text, row, loose)
	}
	key := r.add(p, Node{Kind: Key, Name: unquote(m[1]), First: row, Loose: loose})
	r.stack = append(r.stack, yamlLevel{indent, key})
	if v := strings.TrimSpace(m[2]); v != "" {
		return r.value(key, v, row, indent)
	}
	return row
}

// leave ends the levels that a line with an indentation is not in. A list may stand at
// the indentation of its key.
func (r *yamlReader) leave(indent int, dash bool) {
	for k := len(r.stack) - 1; k >= 0; k-- {
		t := r.stack[k]
		if t.indent < indent || t.indent == indent && dash && t.node.Kind == Key && t.node.Value == "" {
			return
		}
		r.stack = r.stack[:k]
	}
}

// top returns what holds the next line, and whether it is known to.
func (r *yamlReader) top(indent int) (*Node, bool) {
	switch {
	case len(r.stack) > 0:
		return r.stack[len(r.stack)-1].node, false
	case indent > 0:
		return r.base, r.base == r.root || indent > 2 || !slices.Contains(mappings, r.base.Name)
	}
	return r.root, false
}

// scalar reads a line without a key: an item, or the next line of a plain text.
func (r *yamlReader) scalar(p *Node, text string, row int, loose bool) int {
	switch k := len(r.stack) - 1; {
	case k < 0 || len(p.Kids) > 0: // it can be the value of nothing
		r.add(p, Node{Kind: Text, Value: text, First: row, Loose: loose})
	case p.Value == "":
		return r.value(p, text, row, r.stack[k].indent)
	case len(p.Value) < maxValue:
		p.Value, p.Last = p.Value+" "+text, row
	}
	return row
}

// value reads the value of a key or an item and returns its last row.
func (r *yamlReader) value(n *Node, v string, row, indent int) int {
	switch {
	case blockScalar.MatchString(v):
		var text []string
		for size := 0; row+1 < len(r.lines); row++ {
			l := r.lines[row+1]
			if strings.TrimSpace(l) != "" && len(l)-len(strings.TrimLeft(l, " \t")) <= indent {
				break
			}
			if size += len(l); size < maxValue {
				text = append(text, strings.TrimSpace(l))
			}
		}
		n.Value = strings.TrimSpace(strings.Join(text, "\n"))
		n.Last = row
		return row
	case v[0] == '{' || v[0] == '[':
		return r.flow(n, v, row)
	case v[0] == '#':
		return row
	}
	n.Value = r.plain(v)
	return row
}
