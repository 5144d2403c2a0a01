package outline

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// yamlKey finds the key of a line; its value follows.
var yamlKey = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#\[\]{},&*!|>%@-][^#"'\[\]{}]*?)\s*:(?:\s+(.*))?$`)

// blockScalar is the mark of a text that follows on deeper lines.
var blockScalar = regexp.MustCompile(`^[|>][-+0-9]*\s*(?:#.*)?$`)

// mappings are top-level keys of well-known files that hold no list. A key indented by
// two columns is their direct child.
var mappings = []string{"jobs", "services", "permissions", "volumes", "spec", "metadata", "data", "dependencies"}

// yamlReader reads by indentation alone. Lines that are deeper than the known lines above
// them are loose children of the root, or of the heading of the hunk.
type yamlReader struct {
	*builder
	top *Node // the innermost key or item that is open
}

// yaml reads a file or a hunk. A hunk may begin within any key.
func (b *builder) yaml() {
	r := &yamlReader{b, b.root}
	b.root.level = -1 // every line is in it
	m := yamlKey.FindStringSubmatch(b.Heading)
	if !b.Whole && m != nil && strings.TrimSpace(m[2]) == "" && !strings.HasPrefix(b.Heading, " ") {
		// The heading is the last line above without indentation. Indented lines are
		// below it, though not always directly.
		r.top = b.add(b.root, Node{Kind: Key, Name: unquote(m[1]), Loose: true, Heading: true})
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
	case text[0] == '#': // it closes nothing, as what is switched off often stands further left
		r.comment(r.around(indent, false), row, text)
		return row
	}
	// "- - a" opens two items, and "- a: b" an item with a key.
	for text == "-" || strings.HasPrefix(text, "- ") {
		r.open(Node{Kind: Item, First: row, level: indent})
		rest := strings.TrimLeft(text[1:], " ")
		indent += len(text) - len(rest)
		if text = rest; text == "" {
			return row
		}
	}
	r.top = r.around(indent, false)
	switch m, p := yamlKey.FindStringSubmatch(text), r.top; {
	case m != nil:
		r.open(Node{Kind: Key, Name: unquote(m[1]), First: row, level: indent})
		return r.value(r.top, strings.TrimSpace(m[2]), row)
	case p == r.root || p.Heading || len(p.Kids) > 0: // it can be the value of nothing
		r.add(p, Node{Kind: Text, Value: text, First: row, Loose: r.loose(indent)})
	case p.Value == "":
		return r.value(p, text, row)
	case len(p.Value) < limits.OutlineValue: // the next line of a plain text
		p.Value, p.Last = p.Value+" "+text, row
	}
	return row
}

// around returns what a line with an indentation stands in. A list may stand at the indentation of its key.
func (r *yamlReader) around(indent int, dash bool) *Node {
	p := r.top
	for p.level > indent || p.level == indent && !(dash && p.Kind == Key && p.Value == "") {
		p = p.Parent
	}
	return p
}

// open adds a key or an item, which what follows may stand in.
func (r *yamlReader) open(n Node) {
	r.top = r.around(n.level, n.Kind == Item)
	n.Loose = r.loose(n.level)
	r.top = r.add(r.top, n)
}

// loose reports whether the hunk may hide what a line with an indentation stands in.
func (r *yamlReader) loose(indent int) bool {
	return indent > 0 && (r.top == r.root || r.top.Heading && (indent > 2 || !slices.Contains(mappings, r.top.Name)))
}

// value reads the value of a key or an item and returns its last row.
func (r *yamlReader) value(n *Node, v string, row int) int {
	switch {
	case v == "" || v[0] == '#':
	case blockScalar.MatchString(v):
		var text []string
		for size := 0; row+1 < len(r.lines); row++ {
			l := r.lines[row+1]
			if strings.TrimSpace(l) != "" && len(l)-len(strings.TrimLeft(l, " \t")) <= n.level {
				break
			}
			if size += len(l); size < limits.OutlineValue {
				text = append(text, strings.TrimSpace(l))
			}
		}
		n.Value, n.Last = strings.TrimSpace(strings.Join(text, "\n")), row
	case v[0] == '{' || v[0] == '[':
		return r.flow(n, v, row)
	default:
		n.Value = r.plain(v)
	}
	return row
}
