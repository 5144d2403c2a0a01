package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var (
	iniHeader = regexp.MustCompile(`^(\[{1,2})\s*([^\[\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$`)
	iniPair   = regexp.MustCompile(`^("[^"]*"|'[^']*'|[\w.$@/*-][\w.$@/* \[\]-]*?)\s*[=:]\s*(.*)$`)
	dotted    = regexp.MustCompile(`"[^"]*"|'[^']*'|[^.]+`)
)

// ini reads lines of keys and values under headers in brackets: TOML, INI, properties and environment files.
func (b *builder) ini() {
	section := b.root
	var last *Node // the key that a deeper line goes on with, or the root for one that the hunk does not show
	lastIndent := 0
	if !b.Whole {
		last = b.root
	}
	for row := 0; row < len(b.lines); row++ {
		text := strings.TrimSpace(b.lines[row])
		indent := len(b.lines[row]) - len(strings.TrimLeft(b.lines[row], " \t"))
		loose := section == b.root && !b.Whole
		header, m := iniHeader.FindStringSubmatch(text), iniPair.FindStringSubmatch(text)
		switch {
		case text == "":
		case strings.IndexByte("#;!", text[0]) >= 0:
			b.comment(section, row, text)
		case header != nil:
			section, last = b.table(header[2], header[1] == "[[", row), nil
		// setup.cfg lists what `install_requires =` holds on deeper lines.
		case b.Format == INI && last != nil && indent > lastIndent:
			b.add(last, Node{Kind: Item, Value: text, First: row, Loose: last == b.root})
		case m == nil:
			b.add(section, Node{Kind: Text, Value: text, First: row, Loose: loose})
		default:
			last, lastIndent = b.add(section, Node{Kind: Key, Name: unquote(m[1]), First: row, Loose: loose}), indent
			switch v := strings.TrimSpace(m[2]); {
			case strings.Trim(v, `"'`) == "": // nothing, or the marks before lines of text
			case b.Format == TOML && (v[0] == '{' || v[0] == '['):
				row = b.flow(last, v, row)
			default:
				last.Value = b.plain(v)
			}
			last.Last = row
		}
	}
}

// table finds or makes the node of a header. [a.b] is a key in a key in TOML.
func (b *builder) table(name string, list bool, row int) *Node {
	n := b.root
	parts := []string{name}
	if b.Format == TOML {
		parts = dotted.FindAllString(name, 20)
	}
	for i, p := range parts {
		path := strings.Join(parts[:i+1], ".")
		if b.tables[path] == nil {
			b.tables[path] = b.add(n, Node{Kind: Key, Name: unquote(p), First: row})
		}
		n = b.tables[path]
	}
	if list {
		return b.add(n, Node{Kind: Item, First: row})
	}
	return n
}
