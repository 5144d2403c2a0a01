package gate

import (
	"cmp"

	"crscore/change"
)

// lines are the lines of a file's diff by their numbers.
type lines struct {
	// diff are the lines below the first @@, those of a missing newline and of the later @@,
	// too: the line that lacks the newline, and the first line of the hunk.
	diff []*change.Line
	// now has the new line for each old line of a hunk: itself if it is kept, the line that
	// replaces it, else the line behind it, or before it at the end of a hunk. It is empty for a
	// deleted file.
	now map[int]int
}

func newLines(f *change.File) *lines {
	l := &lines{now: make(map[int]int)}
	for i := range f.Hunks {
		h := &f.Hunks[i]
		if i > 0 && len(h.Lines) > 0 {
			l.diff = append(l.diff, &h.Lines[0])
		}
		for j := range h.Lines {
			l.diff = append(l.diff, &h.Lines[j])
			if h.Lines[j].NoEOL {
				l.diff = append(l.diff, &h.Lines[j])
			}
		}
		if f.NewPath != "" || f.OldPath == "" {
			l.pair(h)
		}
	}
	return l
}

// pair adds the old lines of a hunk to now.
func (l *lines) pair(h *change.Hunk) {
	before := max(h.NewStart, 1)
	var deleted, added []int
	for _, line := range append(h.Lines[:len(h.Lines):len(h.Lines)], change.Line{Op: change.Context}) {
		switch line.Op {
		case change.Delete:
			deleted = append(deleted, line.OldLine)
			continue
		case change.Add:
			added = append(added, line.NewLine)
			continue
		}
		for i, old := range deleted {
			if l.now[old] = cmp.Or(line.NewLine, before); len(added) > 0 {
				l.now[old] = added[min(i, len(added)-1)]
			}
		}
		l.now[line.OldLine] = line.NewLine
		before, deleted, added = cmp.Or(line.NewLine, before), deleted[:0], added[:0]
	}
}
