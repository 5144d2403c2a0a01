package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var (
	iniHeader = regexp.MustCompile(`^(\[{1,2})\s*([^\[\]]+?)\s*\]{1,2}\s*(?:[#;].*)?$`)
	iniPair   = regexp.MustCompile(`^((?:export\s+)?(?:"[^"]*"|'[^']*'|[\w.$@/*-][\w.$@/* \[\]-]*?))\s*(?:[=:]|\s=>)\s*(.*)$`)
)

// ini reads lines of keys and values under headers in brackets: TOML, INI,
// properties and environment files.
func (b *builder) ini() {
	section := b.root
	var last *Node
	lastIndent := 0
	loose := !b.whole
	for row := 0; row < len(b.lines); row++ {
		text := strings.TrimSpace(b.lines[row])
		if text == "" {
			continue
		}
		if strings.IndexByte("#;!", text[0]) >= 0 {
			b.comment(section, row, strings.TrimLeft(text, "#;! "))
			continue
		}
		if m := iniHeader.FindStringSubmatch(text); m != nil && !strings.Contains(m[2], "=") {
			section, loose = b.table(m[2], m[1] == "[[", row), false
			last, lastIndent = section, 1<<10 // keys may be indented below it
			continue
		}
		indent := len(b.lines[row]) - len(strings.TrimLeft(b.lines[row], " \t"))
		if b.format == INI && (last != nil && indent > lastIndent || last == nil && indent > 0 && !b.whole) {
			// The next line of a value.
			p := last
			if p == nil {
				p = section
			}
			if last != nil && last.Value != "" && len(last.Kids) == 0 {
				b.add(last, Node{Kind: Item, Value: last.Value, Quoted: last.Quoted, First: last.First, Last: last.First})
				last.Value, last.Quoted = "", false
			}
			b.add(p, Node{Kind: Item, Value: text, First: row, Last: row, Loose: last == nil})
			continue
		}
		m := iniPair.FindStringSubmatch(text)
		if m == nil {
			b.add(section, Node{Kind: Text, Value: text, First: row, Last: row, Loose: loose})
			continue
		}
		name := unquote(strings.TrimPrefix(m[1], "export "))
		lastIndent = indent
		key := b.add(section, Node{Kind: Key, Name: name, First: row, Last: row, Loose: loose})
		last = key
		row = b.iniValue(key, strings.TrimSpace(m[2]), row)
		key.Last = row
	}
}

// table finds or makes the node of a header.
func (b *builder) table(name string, list bool, row int) *Node {
	n := b.root
	parts := []string{name}
	if b.format == TOML {
		parts = splitDots(name)
	}
	for i, p := range parts {
		k := n.Kid(p)
		if k == nil {
			k = b.add(n, Node{Kind: Key, Name: p, First: row, Last: row})
		} else if items := k.Of(Item); len(items) > 0 && i < len(parts)-1 {
			k = items[len(items)-1]
		}
		n = k
	}
	if list {
		return b.add(n, Node{Kind: Item, First: row, Last: row})
	}
	return n
}

// splitDots splits a dotted name outside its quotation marks.
func splitDots(s string) []string {
	var out []string
	start := 0
	var quote byte
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == '.' && quote == 0:
			if len(out) < 20 {
				out = append(out, unquote(s[start:i]))
			}
			start = i + 1
		case quote != 0 && s[i] == quote:
			quote = 0
		case quote == 0 && (s[i] == '"' || s[i] == '\''):
			quote = s[i]
		}
	}
	return out
}

func (b *builder) iniValue(n *Node, v string, row int) int {
	if b.format == TOML {
		for _, q := range []string{`"""`, `'''`} {
			if !strings.HasPrefix(v, q) {
				continue
			}
			end := row
			for !strings.Contains(v[3:], q) && end+1 < len(b.lines) && len(v) < 1<<14 {
				end++
				v += "\n" + b.lines[end]
			}
			n.Value, n.Type = strings.TrimSpace(strings.Trim(v, q[:1])), "text"
			return end
		}
		if v != "" && (v[0] == '{' || v[0] == '[') {
			end := row
			for depth(v) > 0 && end+1 < len(b.lines) && end-row < 500 && len(v) < 1<<16 {
				end++
				v += "\n" + b.lines[end]
			}
			b.flow(n, v, row)
			return end
		}
	}
	for strings.HasSuffix(v, `\`) && row+1 < len(b.lines) && len(v) < 1<<14 {
		row++
		v = strings.TrimSuffix(v, `\`) + strings.TrimSpace(b.lines[row])
	}
	if v != "" && (v[0] == '"' || v[0] == '\'') {
		if end := strings.IndexByte(v[1:], v[0]); end >= 0 {
			n.Value, n.Quoted = v[1:end+1], true
			return row
		}
	}
	for _, c := range []string{" #", " ;"} {
		if i := strings.Index(v, c); i > 0 {
			v = strings.TrimSpace(v[:i])
		}
	}
	n.Value = v
	return row
}
