package diffview

import (
	"strings"
	"unicode"

	"crscore/change"
	"crscore/internal/syntax"
)

// Kind is the kind of a part of a line.
type Kind string

// The kinds.
const (
	Comment Kind = "comment"
	Keyword Kind = "keyword"
	Number  Kind = "number"
	String  Kind = "string"
	Type    Kind = "type"
)

// shade is a Kind in a byte: its place in the list of kinds, counted from 1; 0 for none.
type shade uint8

func (s shade) kind() Kind { return [...]Kind{"", Comment, Keyword, Number, String, Type}[s] }

// The shades, in the order of the list in kind.
const (
	shadeComment shade = iota + 1
	shadeKeyword
	shadeNumber
	shadeString
	shadeType
)

// kindsOf returns the kinds of the bytes of each line, by side and number.
func kindsOf(f *syntax.File) (kinds [2]map[int][]shade) {
	for _, side := range []change.Side{change.Old, change.New} {
		p := painter{lines: map[int]string{}, kinds: map[int][]shade{}}
		for i := range f.Hunks {
			for _, l := range f.Hunks[i].Lines {
				if n := l.Number(side); n > 0 {
					p.lines[n] = l.Text
				}
			}
		}
		for _, fragment := range f.Fragments(side) {
			p.paint(fragment)
		}
		kinds[side] = p.kinds
	}
	return kinds
}

// painter gives the bytes of lines their kinds.
type painter struct {
	lines map[int]string
	kinds map[int][]shade
}

func (p *painter) paint(f *syntax.Fragment) {
	rows := strings.SplitAfter(string(f.Source), "\n")
	starts := make([]int, len(rows))
	for i := 1; i < len(rows); i++ {
		starts[i] = starts[i-1] + len(rows[i-1])
	}
	end := 0
	for n := range f.Nodes.All() {
		from, to := int(n.StartByte()), int(n.EndByte())
		kind := kindOf(f, n)
		if kind == 0 || from < end || to <= from || f.Framed(from) || f.Headed(from) {
			continue // a node inside a painted node keeps the kind around it
		}
		end = to
		for row := int(n.StartPoint().Row); row < len(rows) && starts[row] < to; row++ {
			p.stroke(f, row, strings.TrimSuffix(rows[row], "\n"), from-starts[row], to-starts[row], kind)
		}
	}
}

// stroke paints the bytes of a row. Rows that are not lines of the diff as they are, such as
// those of a frame, stay as they are.
func (p *painter) stroke(f *syntax.Fragment, row int, text string, from, to int, kind shade) {
	n, _ := f.LinesOfRows(row, row)
	if line, ok := p.lines[n]; !ok || line != text {
		return
	}
	if p.kinds[n] == nil {
		p.kinds[n] = make([]shade, len(cut(text)))
	}
	for i := max(from, 0); i < min(to, len(p.kinds[n])); i++ {
		p.kinds[n][i] = kind
	}
}

func kindOf(f *syntax.Fragment, n *syntax.Node) shade {
	switch f.Role(n) {
	case syntax.Comment:
		return shadeComment
	case syntax.String, syntax.Regex:
		return shadeString
	case syntax.Number, syntax.Bool, syntax.Null:
		return shadeNumber
	}
	if n.ChildCount() > 0 {
		return 0
	}
	switch t := n.Type(); {
	case n.IsNamed() && (t == "type_identifier" || t == "primitive_type" || t == "predefined_type"):
		return shadeType
	case !n.IsNamed() && strings.ContainsFunc(t, unicode.IsLetter) && !strings.ContainsFunc(t, notInWord):
		return shadeKeyword
	}
	return 0
}

// notInWord reports whether a character is in no keyword.
func notInWord(r rune) bool { return !unicode.IsLetter(r) && r != '_' }
