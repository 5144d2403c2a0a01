package report

import (
	"fmt"
	"strings"
)

// Markdown is a text on one line in which nothing means anything to Markdown or HTML:
// what could is written as its number, and what begins a mention or the number of
// an issue, which are looked for in what is shown, is parted from its name.
func Markdown(s string) string {
	var b strings.Builder
	for i, r := range Plain(s) {
		switch before := b.String(); {
		case r == '@' || r == '#':
			b.WriteRune(r)
			b.WriteString("&#8203;")
		case strings.ContainsRune("\\`*_[]<>|~:&$", r), // anywhere
			(r == '-' || r == '+' || r == '=') && i == 0,                                     // a list, a line
			(r == '.' || r == ')') && strings.Trim(before, "0123456789") == "",               // a numbered list
			r == '.' && len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "www"): // a link
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
