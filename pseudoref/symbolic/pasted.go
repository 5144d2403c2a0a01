package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/tree"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// pastes knows the changed lines of a change, so that no claim holds one as a
// whole: a claim says what a line does, and the line is in the diff.
type pastes struct {
	lines map[string]bool
	prose []string // those that are sentences
}

const maxPastedTokens = 4

// newPastes reads the changed lines.
func newPastes(t *syntax.Trees) *pastes {
	p := &pastes{lines: map[string]bool{}}
	for _, f := range t.Files {
		styles := f.Lang == lang.CSS
		for i := range f.Hunks {
			for _, l := range f.Hunks[i].Lines {
				if l.Op != change.Context && len(l.Text) < 400 && !(styles && strings.HasSuffix(strings.TrimSpace(l.Text), "{")) { // a selector is a name
					if s := trimmedLine(l.Text); long(s) {
						p.lines[s] = true
					}
				}
			}
		}
	}
	for l := range p.lines {
		if len(l) > maxPasted && strings.ContainsAny(l, " (=") {
			p.prose = append(p.prose, l)
		}
	}
	slices.Sort(p.prose)
	p.prose = p.prose[:min(len(p.prose), maxProseLines)]
	return p
}

// maxProseLines bounds the sentences that quotations are searched for.
const maxProseLines = 2000

// trimmedLine is a line without what begins and ends it in a program.
func trimmedLine(line string) string {
	return strings.Trim(tree.OneLine(line), " ;,{}()[]")
}

// separators stand between the parts of a name.
var separators = strings.NewReplacer(".", "", "->", "", "::", "", ":", "")

// long tells whether a line is more than a name or a short expression.
func long(s string) bool {
	if len(s) <= 2*maxPasted/3 {
		return false
	}
	if simpleName(separators.Replace(s)) {
		return false // a name, however long
	}
	if len(s) > maxPasted {
		return true
	}
	tokens := 0
	for i := 0; i < len(s); {
		switch {
		case s[i] == ' ':
			i++
			continue
		case tree.WordByte(s[i]):
			for i < len(s) && (tree.WordByte(s[i]) || s[i] == '.') {
				i++
			}
		default:
			i++
		}
		tokens++
	}
	return tokens > maxPastedTokens
}

// whole tells whether a quotation is a changed line.
func (p *pastes) whole(q string) bool { return p.lines[trimmedLine(strings.Trim(q, "`\"“”… "))] }

// abridged leaves a word out of a quotation for each changed line of prose that
// it holds.
func (p *pastes) abridged(q string) string {
	for _, l := range p.prose {
		if k := strings.Index(q, l); k >= 0 {
			if end := strings.LastIndexByte(l, ' '); end > 0 {
				rest := q[k+len(l):]
				q = strings.TrimRight(q[:k+end], ".,;: ") + "…" + strings.TrimLeft(rest, "…")
			}
		}
	}
	return q
}
