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
	"crscore/internal/spelling"
	"crscore/pseudoref"
	"crscore/score"
)

// Scope is the part of the change whose references a comment is compared with.
type Scope string

// The scopes. Each includes the references without a place.
const (
	ScopeHunk   Scope = "hunk"   // its hunks, and the file as a whole
	ScopeFile   Scope = "file"   // its file
	ScopeChange Scope = "change" // the whole change
)

// enough is the least number of references of a scope; with fewer the scope widens. Of the
// reviews that people labelled as on topic, 9% have no sentence on topic by all references
// of the change, 10% by any three of them, 14% by any two and 25% by any one. Adding
// references of other places costs little: reviews on and off topic are separated nearly as
// well.
const enough = 3

// place is the scope of a comment with its references.
type place struct {
	scope Scope
	refs  []int  // ascending
	note  string // why the scope is wider than the comment's lines
}

// files finds the file of a comment in the change.
type files struct {
	change *change.Change
	named  [2]map[string]int // index by name, of each side
	widths [2]map[int]bool   // lengths of the names, of each side
}

// places finds the scope and the references of a comment.
type places struct {
	*files
	refs   []pseudoref.Ref
	weighs []bool // whether a reference has a weight above 0
	all    []int
	known  map[int]*layout // by file, made when a comment needs it
}

// layout has the references and hunks of a file.
type layout struct {
	nearby
	below []int       // of each hunk, the number of the file's diff lines before the next hunk
	sides [2][]extent // the hunks with lines on a side, by first line
}

// nearby are the references of a place.
type nearby struct {
	refs  []int
	count int // references about the place itself, with a weight above 0
}

// extent is the lines of a hunk on a side.
type extent struct {
	first, last int
	reach       int // the greatest last line of this hunk and those before
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

// of is the place of a comment.
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

// unnamed reports whether the change is bare hunks: one file without a name.
func (n *files) unnamed() bool { return len(n.change.Files) == 1 && n.change.Files[0].Path() == "" }

// path is the name of a comment's file in the change. Where the change has no such file, it
// is the comment's own path in the change's form.
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

// slashed is a path in the form of a change: with slashes, without "./" and the like.
func slashed(name string) string { return findings.FilePath(strings.ReplaceAll(name, `\`, "/")) }

// file is the index of a comment's file, -1 for none. Absolute paths match by their end:
// tools name files by the place on their machine.
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

// absolute reports whether a path starts at a root or a drive. file tries every end of such
// a path, so its length is limited.
func absolute(p string) bool {
	return len(p) <= change.MaxPath && (strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/')
}

// stretch is the lines of consecutive hunks, of each side. A side without lines there has
// the line before.
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

// has reports whether a reference is about lines of the stretch.
func (s *stretch) has(r pseudoref.Ref) bool {
	side := change.New
	if r.Side == change.Old.String() {
		side = change.Old
	}
	return r.StartLine > 0 && r.StartLine <= s[side].last && max(r.StartLine, r.EndLine) >= s[side].first
}

// touched is the stretch of the hunks with any of the lines, nil for none.
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

// diffLine is the hunk with the diff line of this number below the file's first @@.
func (l *layout) diffLine(f *change.File, line int) *stretch {
	i := sort.SearchInts(l.below, line+1)
	if i == len(l.below) {
		return nil
	}
	return (*stretch)(nil).take(&f.Hunks[i])
}

// near is the narrowest scope with enough references for a stretch of a file, nil for the
// whole file: the hunks, else the file, else the change. A wider scope without further
// references is not taken.
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

// few is the note for a scope without enough references.
func few(n int, of string) string {
	if n == 0 {
		return "no reference is about its " + of
	}
	return spelling.Count("only %d references are about its %s", n, of)
}

// layout is the layout of a file, with the references of the change as a whole.
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
			if lines++; line.NoEOL { // git says so in a line of its own
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
	for _, list := range l.sides { // a diff made by hand may be out of order
		slices.SortStableFunc(list, func(a, b extent) int { return cmp.Compare(a.first, b.first) })
		reach := 0
		for i := range list {
			reach = max(reach, list[i].last)
			list[i].reach = reach
		}
	}
	return l
}

// short is a path cut to fit into a message.
func short(s string) string { return findings.Text(s, 200) }
