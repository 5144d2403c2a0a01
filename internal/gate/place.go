package gate

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

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
	paths  *change.Paths
	lines  map[int]*lines // by file, made when a comment needs them
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

// newFiles is for the files of a list of comments.
func newFiles(c *change.Change, list ...comments.Comment) *files {
	if c == nil {
		c = &change.Change{}
	}
	var paths []string
	for i := range list {
		paths = append(paths, list[i].Path, list[i].OldPath)
	}
	return &files{c, change.NewPaths(c, paths...), make(map[int]*lines)}
}

func newPlaces(n *files, refs []pseudoref.Ref, weights score.Weights) *places {
	p := &places{files: n, refs: refs, known: make(map[int]*layout)}
	for i, r := range refs {
		p.all = append(p.all, i)
		p.weighs = append(p.weighs, weights.Of(string(r.Kind), r.Source) > 0)
	}
	return p
}

// of is the place of a comment that is settled.
func (p *places) of(c comments.Comment) place {
	whole := func(note string, args ...any) place {
		return place{ScopeChange, p.all, fmt.Sprintf(note, args...)}
	}
	if c.Summary || c.Path == "" && c.OldPath == "" && !p.unnamed() {
		return whole("")
	}
	i, err := p.file(c)
	if err != nil {
		return whole("%s", short(err.Error()))
	}
	f := &p.change.Files[i]
	var at *stretch
	switch {
	case c.Lost:
		return whole("its lines of %s are not in the diff any more", short(f.Path()))
	case c.DiffLine > 0:
		return whole("the diff of %s has no line %d", short(f.Path()), c.DiffLine)
	case c.EndLine > 0:
		if at = p.layout(i).touched(f, c.Side, c.StartLine, c.EndLine); at == nil {
			return whole("the diff has no line %d of the %s side of %s", c.EndLine, c.Side, short(f.Path()))
		}
	}
	return p.near(i, at)
}

// unnamed reports whether the change is bare hunks: one file without a name.
func (n *files) unnamed() bool { return len(n.change.Files) == 1 && n.change.Files[0].Path() == "" }

// settle gives a comment with a position in the diff of its file the line that stands there. A
// position that the diff does not have stays.
func (n *files) settle(c comments.Comment) comments.Comment {
	if c.DiffLine <= 0 {
		return c
	}
	if l := n.linesOf(c); c.DiffLine <= len(l.diff) {
		line := l.diff[c.DiffLine-1]
		c.Side, c.StartLine, c.DiffLine = comments.New, line.NewLine, 0
		if line.NewLine == 0 {
			c.Side, c.StartLine = comments.Old, line.OldLine
		}
		c.EndLine = c.StartLine
	}
	return c
}

// onNew is a settled comment for formats that know only the files after the change: with the
// name of its file, and for lines of the old side with the nearest lines of the new side.
func (n *files) onNew(c comments.Comment) comments.Comment {
	c.Path = n.path(c)
	if c.Side == comments.Old && c.EndLine > 0 {
		now := n.linesOf(c).now
		c.Side, c.StartLine, c.EndLine = comments.New, now[c.StartLine], now[c.EndLine]
		c.StartLine, c.EndLine = cmp.Or(c.StartLine, c.EndLine), cmp.Or(c.EndLine, c.StartLine)
	}
	return c
}

// linesOf are the lines of a comment's file.
func (n *files) linesOf(c comments.Comment) *lines {
	i, err := n.file(c)
	if err != nil {
		return &lines{}
	}
	if n.lines[i] == nil {
		n.lines[i] = newLines(&n.change.Files[i])
	}
	return n.lines[i]
}

// strays warns of settled comments whose file or position the change does not have.
func (n *files) strays(list []comments.Comment) (warnings []string) {
	var files, positions []string
	for _, c := range list {
		if c.Summary || c.Path == "" && c.OldPath == "" {
			continue
		}
		if _, err := n.file(c); err != nil {
			files = append(files, err.Error())
		} else if c.DiffLine > 0 {
			positions = append(positions, fmt.Sprintf("%d in %s", c.DiffLine, c.Path))
		}
	}
	for _, w := range []struct {
		what string
		of   []string
	}{{"files", files}, {"positions in the diff", positions}} {
		if len(w.of) > 0 {
			warnings = append(warnings, fmt.Sprintf("comments about %s that the change does not have, judged by the whole change: %d of %d (the first: %s)",
				w.what, len(w.of), len(list), short(w.of[0])))
		}
	}
	return warnings
}

// path is the name of a comment's file in the change. Where the change has no such file, it
// is the comment's own path in the change's form.
func (n *files) path(c comments.Comment) string {
	name := cmp.Or(c.Path, c.OldPath)
	if name == "" || c.Summary {
		return ""
	}
	if i, err := n.file(c); err == nil && !n.unnamed() {
		return n.change.Files[i].Path()
	}
	return change.CleanPath(name)
}

// file is the index of a comment's file. The error says why there is none.
func (n *files) file(c comments.Comment) (int, error) {
	if n.unnamed() {
		return 0, nil
	}
	sides := []change.Side{change.New, change.Old}
	if c.Side == comments.Old {
		slices.Reverse(sides)
	}
	i, err := n.paths.Find(cmp.Or(c.Path, c.OldPath), sides...)
	if err != nil && c.OldPath != "" {
		if old, ok := n.paths.Find(c.OldPath, sides...); ok == nil {
			return old, nil
		}
	}
	return i, err
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

// overlap finds the hunks list[from:to] that can have any of the lines; from is to for none.
func overlap(list []extent, first, last int) (from, to int) {
	from = sort.Search(len(list), func(i int) bool { return list[i].reach >= first })
	to = sort.Search(len(list), func(i int) bool { return list[i].first > last })
	return from, to
}

// touched is the stretch of the hunks with any of the lines, nil for none.
func (l *layout) touched(f *change.File, side comments.Side, first, last int) *stretch {
	list := l.sides[change.New]
	if side == comments.Old {
		list = l.sides[change.Old]
	}
	from, to := overlap(list, first, last)
	if from >= to {
		return nil
	}
	return (*stretch)(nil).take(&f.Hunks[list[from].hunk]).take(&f.Hunks[list[to-1].hunk])
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
	for i := range f.Hunks {
		h := &f.Hunks[i]
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
