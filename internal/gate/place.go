package gate

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"crscore/change"
	"crscore/internal/comments"
	"crscore/internal/findings"
	"crscore/pseudoref"
	"crscore/score"
)

// Scope is how near to its own lines the references are that a comment is judged
// against.
type Scope string

// The scopes. To each belong the references that name no place.
const (
	ScopeHunk   Scope = "hunk"   // of its hunk, and those of the file as a whole
	ScopeFile   Scope = "file"   // of its file
	ScopeChange Scope = "change" // all
)

// enough is how many references have to be near a comment for it to be judged by
// them alone. Of the reviews that people labelled as on topic, 9% have nothing on
// topic by all references of the change, 10% by any three of them, 14% by any two
// and 25% by any one. Adding some of another change to so few costs little: reviews
// on and off topic are told apart nearly as well.
const enough = 3

// place is what a comment is judged against.
type place struct {
	scope Scope
	refs  []int  // ascending
	note  string // why it is not its hunk or file
}

// files finds the file of the change that a comment is on.
type files struct {
	change *change.Change
	named  [2]map[string]int // by their names on each side
	widths [2]map[int]bool   // lengths of the names
}

// places finds the references that belong to a comment.
type places struct {
	*files
	refs   []pseudoref.Ref
	weighs []bool // of each reference, whether it weighs anything
	all    []int
	known  map[int]*layout // by file, of those that comments are on
}

// layout is what comments on a file are placed by.
type layout struct {
	nearby
	below []int       // of each hunk, how many lines of the diff there are before the next
	sides [2][]extent // the hunks that have lines on a side, by their first line
}

// nearby are references, and how many of them weigh anything and are about a place.
type nearby struct {
	refs  []int
	count int
}

// extent is the lines of a hunk on a side.
type extent struct {
	first, last int
	reach       int // the last line of it and those before
	hunk        int
}

func newFiles(c *change.Change) *files {
	if c == nil {
		c = &change.Change{}
	}
	n := &files{change: c}
	for side := range n.named {
		n.named[side], n.widths[side] = make(map[string]int), make(map[int]bool)
	}
	for i := range c.Files {
		f := &c.Files[i]
		for side, name := range [2]string{change.Old: f.OldPath, change.New: f.NewPath} {
			if _, twice := n.named[side][name]; !twice && name != "" {
				n.named[side][name], n.widths[side][len(name)] = i, true
			}
		}
	}
	return n
}

func newPlaces(n *files, refs []pseudoref.Ref, weights score.Weights) *places {
	p := &places{files: n, refs: refs, known: make(map[int]*layout)}
	for i, r := range refs {
		p.all = append(p.all, i)
		p.weighs = append(p.weighs, weights.Of(string(r.Kind), r.Source) > 0)
	}
	return p
}

// of finds the place of a comment.
func (p *places) of(c comments.Comment) place {
	whole := func(note string, args ...any) place {
		return place{ScopeChange, p.all, fmt.Sprintf(note, args...)}
	}
	if c.Summary || c.Path == "" && c.OldPath == "" && !p.unnamed() {
		return whole("")
	}
	i := p.file(c)
	if i < 0 {
		return whole("the diff has no file %s", short(cmp.Or(c.Path, c.OldPath)))
	}
	f := &p.change.Files[i]
	var at *stretch
	switch {
	case c.Lost:
		return whole("its lines of %s are not in the diff any more", short(f.Path()))
	case c.DiffLine > 0:
		if at = p.layout(i).diffLine(f, c.DiffLine); at == nil {
			return whole("the diff of %s has no line %d", short(f.Path()), c.DiffLine)
		}
	case c.EndLine > 0:
		if at = p.layout(i).touched(f, c.Side, c.StartLine, c.EndLine); at == nil {
			return whole("the diff has no line %d of the %s side of %s", c.EndLine, c.Side, short(f.Path()))
		}
	}
	return p.near(i, at)
}

// unnamed tells whether the change is of one file without a name: bare hunks.
func (n *files) unnamed() bool { return len(n.change.Files) == 1 && n.change.Files[0].Path() == "" }

// path is what the change calls the file of a comment, or where the comment says
// that it is in words of the same kind.
func (n *files) path(c comments.Comment) string {
	name := cmp.Or(c.Path, c.OldPath)
	if name == "" || c.Summary {
		return ""
	}
	if i := n.file(c); i >= 0 && !n.unnamed() {
		return n.change.Files[i].Path()
	}
	return slashed(name)
}

// slashed is a path as a change has it: with slashes, and without what says nothing.
func slashed(name string) string { return findings.FilePath(strings.ReplaceAll(name, `\`, "/")) }

// file finds the file of a comment, -1 where there is none. Tools name files by
// where they lie on their machine, too.
func (n *files) file(c comments.Comment) int {
	if n.unnamed() {
		return 0
	}
	sides := []change.Side{change.New, change.Old}
	if c.Side == comments.Old {
		slices.Reverse(sides)
	}
	for _, name := range []string{c.Path, c.OldPath} {
		if name == "" {
			continue
		}
		name = slashed(name)
		for _, side := range sides {
			if i, ok := n.named[side][name]; ok {
				return i
			}
		}
		for k := range name {
			if name[k] != '/' || !absolute(name) {
				continue
			}
			for _, side := range sides {
				if !n.widths[side][len(name)-k-1] {
					continue
				}
				if i, ok := n.named[side][name[k+1:]]; ok {
					return i
				}
			}
		}
	}
	return -1
}

// absolute tells whether a path starts at a root or a drive. No system has a longer
// one than the limit, and all ends of each are looked at.
func absolute(p string) bool {
	return len(p) <= change.MaxPath && (strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/')
}

// stretch is a part of a file from a first to a last hunk: its lines on each side. A
// side that has none there has the line before.
type stretch [2]struct{ first, last int }

func (s *stretch) take(h *change.Hunk) *stretch {
	is := stretch{
		change.Old: {h.OldStart, h.OldStart + max(h.OldLines, 1) - 1},
		change.New: {h.NewStart, h.NewStart + max(h.NewLines, 1) - 1},
	}
	if s == nil {
		return &is
	}
	for side := range s {
		s[side].first, s[side].last = min(s[side].first, is[side].first), max(s[side].last, is[side].last)
	}
	return s
}

// has tells whether a reference is about lines of it.
func (s *stretch) has(r pseudoref.Ref) bool {
	side := change.New
	if r.Side == change.Old.String() {
		side = change.Old
	}
	return r.StartLine > 0 && r.StartLine <= s[side].last && max(r.StartLine, r.EndLine) >= s[side].first
}

// touched are the hunks that have one of the lines, nil for none.
func (l *layout) touched(f *change.File, side comments.Side, first, last int) *stretch {
	list := l.sides[change.New]
	if side == comments.Old {
		list = l.sides[change.Old]
	}
	from := sort.Search(len(list), func(i int) bool { return list[i].reach >= first })
	to := sort.Search(len(list), func(i int) bool { return list[i].first > last })
	if from >= to {
		return nil
	}
	return (*stretch)(nil).take(&f.Hunks[list[from].hunk]).take(&f.Hunks[list[to-1].hunk])
}

// diffLine is the hunk that has the line so many below the first @@ of the file.
func (l *layout) diffLine(f *change.File, line int) *stretch {
	i := sort.SearchInts(l.below, line+1)
	if i == len(l.below) {
		return nil
	}
	return (*stretch)(nil).take(&f.Hunks[i])
}

// near are the references nearest to a stretch of a file, nil for the whole of it:
// those of the hunks where there are enough, else those of the file, else all. What
// has no more to offer is not asked.
func (p *places) near(file int, at *stretch) place {
	whole := p.layout(file).nearby
	own := whole
	if at != nil {
		own = nearby{}
		for _, i := range whole.refs {
			r := p.refs[i]
			about := at.has(r)
			if about && p.weighs[i] {
				own.count++
			}
			if about || r.StartLine <= 0 {
				own.refs = append(own.refs, i)
			}
		}
	}
	switch {
	case whole.count == 0, whole.count < enough && len(p.all) > len(whole.refs):
		return place{ScopeChange, p.all, few(whole.count, "file")}
	case at == nil:
		return place{scope: ScopeFile, refs: whole.refs}
	case own.count == 0, own.count < enough && len(whole.refs) > len(own.refs):
		return place{ScopeFile, whole.refs, few(own.count, "hunk")}
	}
	return place{scope: ScopeHunk, refs: own.refs}
}

// few says that there are not enough references.
func few(n int, of string) string {
	switch n {
	case 0:
		return "no reference is about its " + of
	case 1:
		return "only 1 reference is about its " + of
	}
	return fmt.Sprintf("only %d references are about its %s", n, of)
}

// layout is that of a file, with its references and those of the change as a whole.
func (p *places) layout(file int) *layout {
	if l := p.known[file]; l != nil {
		return l
	}
	l := &layout{}
	p.known[file] = l
	f := &p.change.Files[file]
	for i, r := range p.refs {
		switch {
		case r.Path == "" && !p.unnamed():
		case r.Path != f.NewPath && r.Path != f.OldPath:
			continue
		case p.weighs[i]:
			l.count++
		}
		l.refs = append(l.refs, i)
	}
	lines := 0
	for i := range f.Hunks {
		h := &f.Hunks[i]
		for _, line := range h.Lines {
			if lines++; line.NoEOL { // which git says in a line of its own
				lines++
			}
		}
		lines++ // the next @@
		l.below = append(l.below, lines)
		for side, at := range [2][2]int{change.Old: {h.OldStart, h.OldLines}, change.New: {h.NewStart, h.NewLines}} {
			if start, n := at[0], at[1]; n > 0 {
				l.sides[side] = append(l.sides[side], extent{first: start, last: start + n - 1, hunk: i})
			}
		}
	}
	for _, list := range l.sides { // in order, unless somebody made the diff up
		slices.SortStableFunc(list, func(a, b extent) int { return cmp.Compare(a.first, b.first) })
		reach := 0
		for i := range list {
			reach = max(reach, list[i].last)
			list[i].reach = reach
		}
	}
	return l
}

// short is a path that is fit for a sentence.
func short(s string) string { return findings.Text(s, 200) }
