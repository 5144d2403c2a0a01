package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var (
	mdHeading    = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`)
	mdItem       = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])\s+(.*)$`)
	mdFence      = regexp.MustCompile("^(`{3,}|~{3,})\\s*([^`\\s]*).*$")
	mdRuler      = regexp.MustCompile(`^(?:[-*_=]\s*){3,}$`)
	mdCells      = regexp.MustCompile(`\s*\|\s*`)
	mdDefinition = regexp.MustCompile(`^\[[^\[\]]+\]:\s`)
	mdTable      = regexp.MustCompile(`^\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$`)
)

// mdReader reads headings, which contain the text after them, and blocks.
type mdReader struct {
	*builder
	levels  []int   // of the headings that are open
	nodes   []*Node // the root and the sections of these headings
	para    *Node   // the block that the next line may continue
	fence   string  // the sign that ends a code example
	example *Node
}

// markdown reads line by line. Only a line without a mark goes on with what is above it.
func (b *builder) markdown() {
	r := &mdReader{builder: b, nodes: []*Node{b.root}}
	var fences []string
	for _, l := range b.lines {
		if m := mdFence.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			fences = append(fences, m[2])
		}
	}
	if !b.whole && len(fences)%2 == 1 && fences[0] == "" { // the hunk begins in a code example
		r.fence = "`"
	}
	for row, line := range b.lines {
		if text := strings.TrimSpace(line); !r.code(row, text) {
			r.block(row, text)
		}
	}
}

// parent is the section that the next block belongs to.
func (r *mdReader) parent() *Node { return r.nodes[len(r.nodes)-1] }

// code reads a line of a code example. It answers false for other lines.
func (r *mdReader) code(row int, text string) bool {
	m := mdFence.FindStringSubmatch(text)
	switch {
	case m != nil && r.fence == "":
		r.para, r.fence = nil, m[1][:1]
		r.example = r.add(r.parent(), Node{Kind: Code, Type: m[2], First: row})
		return true
	case r.fence == "":
		return false
	case m != nil && strings.HasPrefix(m[1], r.fence) && m[2] == "":
		if r.example != nil {
			r.example.Last = row
		}
		r.fence, r.example = "", nil
		return true
	}
	if r.example == nil { // it began before the hunk
		r.example = r.add(r.parent(), Node{Kind: Code, First: row, Loose: true})
	}
	if r.example.Last = row; len(r.example.Value) < maxValue {
		r.example.Value = strings.TrimSpace(r.example.Value + "\n" + text)
	}
	return true
}

// block reads a line outside of code examples.
func (r *mdReader) block(row int, text string) {
	para := r.para
	r.para = nil
	m, item, prose := mdHeading.FindStringSubmatch(text), mdItem.FindStringSubmatch(text), strings.TrimSpace(strings.TrimLeft(text, ">"))
	definition := mdDefinition.MatchString(prose)
	switch p := r.parent(); {
	// Empty lines and the lines below the head of a table only part what is around them.
	case text == "", mdRuler.MatchString(text), mdTable.MatchString(text):
	case m != nil && !strings.HasPrefix(r.lines[row], "    "):
		for k := len(r.levels) - 1; k >= 0 && r.levels[k] >= len(m[1]); k-- {
			r.levels, r.nodes, p = r.levels[:k], r.nodes[:k+1], r.nodes[k]
		}
		r.levels, r.nodes = append(r.levels, len(m[1])), append(r.nodes, r.add(p, Node{Kind: Section, Name: m[2], First: row}))
	case strings.HasPrefix(text, "<!--"):
		r.comment(p, row, text)
	case strings.HasPrefix(text, "|"):
		cells := strings.Trim(mdCells.ReplaceAllString(text, ", "), ", ")
		r.add(p, Node{Kind: Item, Type: "table row", Value: cells, First: row})
	case item != nil:
		r.para = r.add(p, Node{Kind: Item, Value: item[1], First: row})
	// A line of prose goes on with the block above it.
	case para != nil && !definition && len(para.Value) < maxValue:
		para.Value, para.Last, r.para = strings.TrimSpace(para.Value+" "+prose), row, para
	default:
		if k := r.add(p, Node{Kind: Paragraph, Value: prose, First: row}); !definition {
			r.para = k
		}
	}
}
