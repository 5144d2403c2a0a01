package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

var (
	mdHeading    = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`)
	mdItem       = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])\s+(.*)$`)
	mdFence      = regexp.MustCompile("(?m)^[ \\t]*(`{3,}|~{3,})[ \\t]*([^`\\s]*).*$")
	mdRuler      = regexp.MustCompile(`^(?:[-*_=]\s*){3,}$`)
	mdCells      = regexp.MustCompile(`\s*\|\s*`)
	mdDefinition = regexp.MustCompile(`^\[[^\[\]]+\]:\s`) // of a link, which stands for itself
	mdTable      = regexp.MustCompile(`^\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$`)
)

// mdReader reads headings, which contain the text after them, and blocks.
type mdReader struct {
	*builder
	section *Node  // the innermost that is open, or the root
	open    *Node  // the block that the next line may continue
	fence   string // the sign that ends a code example
}

// markdown reads line by line. Only a line without a mark goes on with what is above it.
func (b *builder) markdown() {
	r := &mdReader{builder: b, section: b.root}
	fences := mdFence.FindAllStringSubmatch(b.Text, -1)
	if !b.Whole && len(fences)%2 == 1 && fences[0][2] == "" { // the hunk begins in a code example
		r.fence = "`"
	}
	for row, line := range b.lines {
		text := strings.TrimSpace(line)
		m := mdFence.FindStringSubmatch(text)
		if r.fence != "" && r.open != nil {
			r.open.Last = row
		}
		switch {
		case r.fence == "" && m != nil:
			r.fence, r.open = m[1][:1], r.add(r.section, Node{Kind: Code, Type: m[2], First: row})
		case r.fence == "":
			r.block(row, text)
		case m != nil && strings.HasPrefix(m[1], r.fence) && m[2] == "":
			r.fence, r.open = "", nil
		case r.open == nil: // it began before the hunk
			r.open = r.add(r.section, Node{Kind: Code, Value: text, First: row, Loose: true})
		case len(r.open.Value) < limits.OutlineValue:
			r.open.Value = strings.TrimSpace(r.open.Value + "\n" + text)
		}
	}
}

// block reads a line of a section outside of code examples.
func (r *mdReader) block(row int, text string) {
	p, above := r.section, r.open
	r.open = nil
	m, item, prose := mdHeading.FindStringSubmatch(text), mdItem.FindStringSubmatch(text), strings.TrimSpace(strings.TrimLeft(text, ">"))
	switch {
	// Empty lines and the lines below the head of a table only part what is around them.
	case text == "", mdRuler.MatchString(text), mdTable.MatchString(text):
	case m != nil && !strings.HasPrefix(r.lines[row], "    "):
		for p.level >= len(m[1]) {
			p = p.Parent
		}
		r.section = r.add(p, Node{Kind: Section, Name: m[2], First: row, level: len(m[1])})
	case strings.HasPrefix(text, "<!--"):
		r.comment(p, row, text)
	case strings.HasPrefix(text, "|"):
		cells := strings.Trim(mdCells.ReplaceAllString(text, ", "), ", ")
		r.add(p, Node{Kind: Item, Type: "table row", Value: cells, First: row})
	case item != nil:
		r.open = r.add(p, Node{Kind: Item, Value: item[1], First: row})
	case mdDefinition.MatchString(text):
		r.add(p, Node{Kind: Paragraph, Value: text, First: row})
	// A line of prose goes on with the block above it.
	case above != nil && len(above.Value) < limits.OutlineValue:
		above.Value, above.Last, r.open = strings.TrimSpace(above.Value+" "+prose), row, above
	default:
		r.open = r.add(p, Node{Kind: Paragraph, Value: prose, First: row})
	}
}
