package report

import (
	"strings"
	"unicode/utf8"
)

// Mark is the sign before an item of a checklist.
type Mark int

// The marks.
const (
	Neutral Mark = iota // absent, and not missed
	Good
	Bad
	Partly // good in part
)

// Check is an item of a checklist.
type Check struct {
	// Mark is the sign before the item.
	Mark Mark
	// Cells are aligned with the cells of other items. Text follows them and is wrapped.
	Cells []string
	Text  string
	// Below is a text on lines of its own.
	Below string
}

// below is the indent of texts on lines of their own.
const below = "      "

func longestWord(s string) (n int) {
	for _, w := range strings.Fields(s) {
		n = max(n, utf8.RuneCountInString(w))
	}
	return n
}

// Checklist prints items below a title. All texts are made safe for a terminal.
func (p Printer) Checklist(title string, items []Check) {
	p.line(p.paint(bold, title))
	var wide []int
	for _, it := range items {
		for i, c := range it.Cells {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], utf8.RuneCountInString(Plain(c)))
		}
	}
	for _, it := range items {
		sign := p.paint(dim, dot)
		switch it.Mark {
		case Good:
			sign = p.paint(green, tick)
		case Bad:
			sign = p.paint(red, cross)
		case Partly:
			sign = p.paint(yellow, half)
		}
		head := ""
		for i, c := range it.Cells {
			c = Plain(c)
			head += c + strings.Repeat(" ", wide[i]-utf8.RuneCountInString(c)+2)
		}
		text, indent := Plain(it.Text), 4+utf8.RuneCountInString(head)
		if text == "" || longestWord(text) > p.width()-indent {
			// A long path stays whole on a line of its own.
			p.line("  " + sign + " " + strings.TrimRight(head, " "))
			if text != "" {
				p.wrap(below, below, text, "")
			}
		} else {
			p.W.WriteString("  " + sign + " " + head)
			p.wrap("", strings.Repeat(" ", indent), text, "")
		}
		if it.Below != "" {
			p.wrap(below, below, Plain(it.Below), dim)
		}
	}
	p.line("")
}
