package smells

import (
	"bytes"
	"slices"
	"strings"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Directive is a comment that silences findings of some rules:
//
//	def add(item, items=[]):  # crscore:ignore mutable-default one list for all calls
//
// After code, it silences the findings of its line. Alone on its lines, it silences the
// findings of these lines and of the next line of code. Detect ignores directives: they are
// in the text under review, and must not change a score.
type Directive struct {
	// Path is the file with the directive.
	Path string
	// Line is the line of the directive, counted from 1.
	Line int
	// Rules are the IDs that the directive names, which need not exist.
	Rules []string
	// Reason is the text after the rules. A directive without a reason silences nothing.
	Reason string
	// First and Last are the silenced lines, counted from 1.
	First, Last int
}

// Silences reports whether the directive is for a smell.
func (d *Directive) Silences(s *Smell) bool {
	if d.Reason == "" || d.Path != s.Path || s.StartLine < d.First || s.StartLine > d.Last {
		return false
	}
	return slices.Contains(d.Rules, s.Rule)
}

// directiveMark is the beginning of a directive.
const directiveMark = "crscore:ignore"

var (
	directiveText = regexp.MustCompile(`crscore:ignore\b(?:[ \t]+([a-z][a-z-]*(?:[ \t]*,[ \t]*[a-z][a-z-]*)*)?[ \t]*(.*))?`)
	// commentEnd is the sign that ends a comment, which is no reason.
	commentEnd = regexp.MustCompile(`[ \t]*(?:\*/|-->)[ \t}]*$`)
)

// Directives returns the crscore:ignore comments in the new side of a change, by file
// and line. The words in a string or in code are no directive.
func Directives(t *syntax.Trees) []Directive {
	var out []Directive
	for _, f := range t.Files {
		for _, fr := range f.Fragments(change.New) {
			if bytes.Contains(fr.Source, []byte(directiveMark)) {
				out = append(out, fragmentDirectives(f.Path(), fr)...)
			}
		}
	}
	return out
}

// commentSpan is a comment and its rows in the fragment's source, counted from 0.
type commentSpan struct {
	node        *syntax.Node
	first, last int
	alone       bool // its rows have only comments
}

func fragmentDirectives(path string, f *syntax.Fragment) (out []Directive) {
	rows := bytes.Split(f.Source, []byte("\n"))
	comments := commentsOf(f, rows)
	commented := make(map[int]bool) // rows with nothing but a comment
	for _, c := range comments {
		for row := c.first; c.alone && row <= c.last; row++ {
			commented[row] = true
		}
	}
	next := nextCode(rows, commented)
	for _, c := range comments {
		for i, line := range strings.Split(f.Text(c.node), "\n") {
			m := directiveText.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			d := Directive{Path: path, Reason: strings.TrimSpace(commentEnd.ReplaceAllString(m[2], ""))}
			for rule := range strings.SplitSeq(m[1], ",") {
				if rule = strings.TrimSpace(rule); rule != "" {
					d.Rules = append(d.Rules, rule)
				}
			}
			last := c.last
			if c.alone {
				last = next[min(c.last+1, len(rows)-1)]
			}
			d.Line, _ = f.LinesOfRows(c.first+i, c.first+i)
			d.First, d.Last = f.LinesOfRows(c.first, last)
			out = append(out, d)
		}
	}
	return out
}

// nextCode returns, for each row, the first row of code from it on, or the row itself
// if no code follows. Rows with a decorator or an annotation are passed over, for a
// function starts behind them.
func nextCode(rows [][]byte, commented map[int]bool) []int {
	next, code := make([]int, len(rows)), -1
	for row := len(rows) - 1; row >= 0; row-- {
		text := bytes.TrimSpace(rows[row])
		if len(text) > 0 && !commented[row] && text[0] != '@' && !bytes.HasPrefix(text, []byte("#[")) {
			code = row
		}
		if next[row] = code; code < 0 {
			next[row] = row
		}
	}
	return next
}

// commentsOf returns the comments of a fragment in the order of the text, without the
// comments of the frame.
func commentsOf(f *syntax.Fragment, rows [][]byte) (out []commentSpan) {
	cur := f.Nodes.Cursor(f.Root())
	for inside := cur.GoToFirstChild(); inside; {
		n := cur.CurrentNode()
		if f.Role(n) == syntax.Comment && !f.Framed(int(n.StartByte())) && !f.InHeading(n) {
			start, end := n.StartPoint(), n.EndPoint()
			c := commentSpan{node: n, first: int(start.Row), last: int(end.Row)}
			if end.Column == 0 && c.last > c.first {
				c.last-- // some grammars count the newline in
			}
			before := bytes.TrimSpace(rows[c.first][:start.Column])
			after := []byte(nil)
			if c.last == int(end.Row) {
				after = bytes.TrimSpace(rows[c.last][end.Column:])
			}
			// In JSX a comment is between braces.
			c.alone = len(before)+len(after) == 0 || string(before) == "{" && string(after) == "}"
			out = append(out, c)
		} else if cur.GoToFirstChild() {
			continue
		}
		for !cur.GoToNextSibling() {
			if !cur.GoToParent() {
				return out
			}
		}
	}
	return out
}
