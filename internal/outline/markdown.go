package outline

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

var (
	mdHeading    = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`)
	mdItem       = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])\s+(.*)$`)
	mdFence      = regexp.MustCompile("^(`{3,}|~{3,})\\s*([^`\\s]*).*$")
	mdUnderline  = regexp.MustCompile(`^(=+|-{2,})$`)
	mdRuler      = regexp.MustCompile(`^(?:[-*_]\s*){3,}$`)
	mdDefinition = regexp.MustCompile(`^\[[^\[\]]+\]:\s`)
	mdTable      = regexp.MustCompile(`^\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$`)
)

// markdown reads headings, which contain the text after them, and blocks.
func (b *builder) markdown() {
	type open struct {
		level int
		node  *Node
	}
	var stack []open
	if m := mdHeading.FindStringSubmatch(b.heading); m != nil && !b.whole {
		stack = append(stack, open{len(m[1]), b.add(b.root, Node{Kind: Section, Name: m[2], Loose: true})})
	}
	var para *Node // the block that the next line may continue
	fence := ""    // the sign that ends a code example
	var example *Node
	if b.startsInCode() {
		fence = "`"
	}
	start := 0
	if b.whole && len(b.lines) > 0 && strings.TrimSpace(b.lines[0]) == "---" {
		start = b.frontMatter()
	}
	for row := start; row < len(b.lines); row++ {
		line := b.lines[row]
		text := strings.TrimSpace(line)
		parent := b.root
		if k := len(stack); k > 0 {
			parent = stack[k-1].node
		}
		if m := mdFence.FindStringSubmatch(text); m != nil && (fence == "" || strings.HasPrefix(m[1], fence) && m[2] == "") {
			para = nil
			if fence != "" {
				if example != nil {
					example.Last = row
				}
				fence, example = "", nil
				continue
			}
			fence = m[1][:1]
			example = b.add(parent, Node{Kind: Code, Type: m[2], First: row, Last: row})
			continue
		}
		if fence != "" {
			if example == nil {
				example = b.add(parent, Node{Kind: Code, First: row, Last: row, Loose: true})
			}
			if text != "" && len(example.Kids) < 500 {
				b.add(example, Node{Kind: Item, Value: text, First: row, Last: row})
			}
			continue
		}
		switch m := mdHeading.FindStringSubmatch(text); {
		case text == "":
			para = nil
		case m != nil && !strings.HasPrefix(line, "    "):
			for len(stack) > 0 && stack[len(stack)-1].level >= len(m[1]) {
				stack = stack[:len(stack)-1]
			}
			parent = b.root
			if k := len(stack); k > 0 {
				parent = stack[k-1].node
			}
			stack = append(stack, open{len(m[1]), b.add(parent, Node{Kind: Section, Name: m[2], First: row, Last: row})})
			para = nil
		case para != nil && para.Kind == Paragraph && para.First == row-1 && mdUnderline.MatchString(text) && len(parent.Kids) > 0:
			level := 1
			if text[0] == '-' {
				level = 2
			}
			parent.Kids = parent.Kids[:len(parent.Kids)-1]
			for len(stack) > 0 && stack[len(stack)-1].level >= level {
				stack = stack[:len(stack)-1]
			}
			parent = b.root
			if k := len(stack); k > 0 {
				parent = stack[k-1].node
			}
			stack = append(stack, open{level, b.add(parent, Node{Kind: Section, Name: para.Value, First: row - 1, Last: row})})
			para = nil
		case mdRuler.MatchString(text), mdTable.MatchString(text):
			para = nil
		case strings.HasPrefix(text, "<!--"):
			b.comment(parent, row, strings.Trim(text, "<!-> "))
			para = nil
		case strings.HasPrefix(text, "|"):
			para = nil
			r := b.add(parent, Node{Kind: Row, First: row, Last: row})
			for _, cell := range strings.Split(strings.Trim(text, "|"), "|") {
				b.add(r, Node{Kind: Text, Value: strings.TrimSpace(cell), First: row, Last: row})
			}
		default:
			if m := mdItem.FindStringSubmatch(text); m != nil {
				para = b.add(parent, Node{Kind: Item, Value: m[1], First: row, Last: row})
				continue
			}
			text = strings.TrimSpace(strings.TrimLeft(text, ">"))
			if mdDefinition.MatchString(text) {
				para = nil
				b.add(parent, Node{Kind: Paragraph, Value: text, First: row, Last: row})
				continue
			}
			if para != nil && len(para.Value) < 1<<13 {
				para.Value, para.Last = strings.TrimSpace(para.Value+" "+text), row
				continue
			}
			para = b.add(parent, Node{Kind: Paragraph, Value: text, First: row, Last: row})
		}
	}
}

// startsInCode guesses whether a hunk begins inside a code example: then its first fence
// names no language, and the number of fences is odd.
func (b *builder) startsInCode() bool {
	if b.whole {
		return false
	}
	n, first := 0, ""
	for _, l := range b.lines {
		if m := mdFence.FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			if n == 0 {
				first = m[2]
			}
			n++
		}
	}
	return n%2 == 1 && first == ""
}

// frontMatter reads the keys at the top of a page. It returns the row after them.
func (b *builder) frontMatter() int {
	for row := 1; row < len(b.lines) && row < 200; row++ {
		text := strings.TrimSpace(b.lines[row])
		if text == "---" {
			for r := 1; r < row; r++ {
				if m := yamlKey.FindStringSubmatch(b.lines[r]); m != nil {
					b.add(b.root, Node{Kind: Key, Name: unquote(m[1]), Value: unquote(m[2]), First: r, Last: r})
				}
			}
			return row + 1
		}
	}
	return 0
}
