package gate

import (
	"fmt"
	"path"
	"slices"
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

// place is what a comment is judged against.
type place struct {
	scope Scope
	refs  []int  // ascending
	note  string // why it is not its hunk or file
}

// places finds the references that belong to a comment.
type places struct {
	change  *change.Change
	refs    []pseudoref.Ref
	weights score.Weights
	all     []int
	named   [2]map[string]int // files by their names on each side
	known   map[string]place  // by file and hunks
}

func newPlaces(c *change.Change, refs []pseudoref.Ref, weights score.Weights) *places {
	p := &places{change: c, refs: refs, weights: weights, known: make(map[string]place)}
	for r := range refs {
		p.all = append(p.all, r)
	}
	for side := range p.named {
		p.named[side] = make(map[string]int)
	}
	for i := range c.Files {
		f := &c.Files[i]
		for side, name := range [2]string{change.Old: f.OldPath, change.New: f.NewPath} {
			if _, twice := p.named[side][name]; !twice && name != "" {
				p.named[side][name] = i
			}
		}
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
		return whole("the diff has no file %s", short(c.Path))
	}
	f := &p.change.Files[i]
	var hunks []int
	switch {
	case c.Lost:
		return whole("its lines of %s are not in the diff any more", short(f.Path()))
	case c.DiffLine > 0:
		if hunks = diffLine(f, c.DiffLine); hunks == nil {
			return whole("the diff of %s has no line %d", short(f.Path()), c.DiffLine)
		}
	case c.EndLine > 0:
		if hunks = touched(f, c.Side, c.StartLine, c.EndLine); hunks == nil {
			return whole("the diff has no line %d of the %s side of %s", c.EndLine, c.Side, short(f.Path()))
		}
	}
	key := fmt.Sprint(i, hunks)
	at, ok := p.known[key]
	if !ok {
		at = p.near(f, hunks)
		p.known[key] = at
	}
	return at
}

// unnamed tells whether the change is of one file without a name: bare hunks.
func (p *places) unnamed() bool { return len(p.change.Files) == 1 && p.change.Files[0].Path() == "" }

// file finds the file of a comment, -1 where there is none. Tools name files by
// where they lie on their machine, too.
func (p *places) file(c comments.Comment) int {
	if p.unnamed() {
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
		name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
		for _, side := range sides {
			if i, ok := p.named[side][name]; ok {
				return i
			}
		}
		for k := range name {
			if name[k] != '/' || !absolute(name) {
				continue
			}
			for _, side := range sides {
				if i, ok := p.named[side][name[k+1:]]; ok {
					return i
				}
			}
		}
	}
	return -1
}

// absolute tells whether a path starts at a root, a drive, or is a URI. No system
// has a longer one than the limit, and all ends of each are looked at.
func absolute(p string) bool {
	return len(p) <= 4096 && (strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/' || strings.HasPrefix(p, "file:"))
}

// touched are the hunks that have one of the lines.
func touched(f *change.File, side comments.Side, first, last int) (hunks []int) {
	for i := range f.Hunks {
		h := &f.Hunks[i]
		start, n := h.NewStart, h.NewLines
		if side == comments.Old {
			start, n = h.OldStart, h.OldLines
		}
		if n > 0 && first < start+n && last >= start {
			hunks = append(hunks, i)
		}
	}
	return hunks
}

// diffLine is the hunk that has the line so many below the first @@ of the file.
func diffLine(f *change.File, line int) []int {
	for i := range f.Hunks {
		n := 1 // the next @@
		for _, l := range f.Hunks[i].Lines {
			if n++; l.NoEOL { // which git says in a line of its own
				n++
			}
		}
		if line < n {
			return []int{i}
		}
		line -= n
	}
	return nil
}

// near are the references nearest to hunks of a file, as far as they weigh
// anything. Without hunks the whole file is meant.
func (p *places) near(f *change.File, hunks []int) place {
	var hunk, file []int
	heavy := map[Scope]bool{}
	for i, r := range p.refs {
		weighs := p.weights.Of(string(r.Kind), r.Source) > 0
		switch {
		case r.Path == "" && !p.unnamed(): // of the change
			hunk, file = append(hunk, i), append(file, i)
		case r.Path != f.NewPath && r.Path != f.OldPath:
		default:
			file = append(file, i)
			heavy[ScopeFile] = heavy[ScopeFile] || weighs
			if within(f, hunks, r) {
				heavy[ScopeHunk] = heavy[ScopeHunk] || weighs
			} else if r.StartLine > 0 {
				continue
			}
			hunk = append(hunk, i)
		}
	}
	switch {
	case heavy[ScopeHunk]:
		return place{scope: ScopeHunk, refs: hunk}
	case heavy[ScopeFile] && len(hunks) > 0:
		return place{ScopeFile, file, "no reference is about its hunk"}
	case heavy[ScopeFile]:
		return place{scope: ScopeFile, refs: file}
	}
	return place{ScopeChange, p.all, "no reference is about its file"}
}

// within tells whether a reference is about lines of one of the hunks.
func within(f *change.File, hunks []int, r pseudoref.Ref) bool {
	if r.StartLine <= 0 {
		return false
	}
	for _, i := range hunks {
		h := &f.Hunks[i]
		start, n := h.NewStart, h.NewLines
		if r.Side == change.Old.String() {
			start, n = h.OldStart, h.OldLines
		}
		if r.StartLine <= start+max(n, 1)-1 && max(r.StartLine, r.EndLine) >= start { // an empty side has the line before it
			return true
		}
	}
	return false
}

// short is a path that is fit for a sentence.
func short(s string) string { return findings.Text(s, 200) }
