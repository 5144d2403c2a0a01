// Package change is a code change as a value: files, hunks and lines read from
// a unified diff, with each file's language, the changed lines of both sides
// and, where they are known or can be rebuilt, the whole old and new texts.
//
// Nothing here judges or describes a change, and nothing here parses source
// code; that is the work of the rooms above.
package change

import (
	"cmp"
	"crscore/internal/lang"
)

// Side is one of the two sides of a change.
type Side int

// The two sides: Old is the text before the change, New the text after it.
const (
	Old Side = iota
	New
)

// String returns "old" or "new".
func (s Side) String() string {
	if s == Old {
		return "old"
	}
	return "new"
}

// Op says what a change does with a line.
type Op byte

// The three operations, by the sign that a unified diff gives them.
const (
	Context Op = ' '
	Add     Op = '+'
	Delete  Op = '-'
)

// Line is one line of a hunk.
type Line struct {
	Op   Op
	Text string // without the sign and without the line ending; valid UTF-8, no NUL
	// OldLine and NewLine are the line's numbers, counted from 1, on either
	// side; 0 where the line does not exist on that side.
	OldLine, NewLine int
	// NoEOL is set on the last line of a file that does not end in a newline.
	NoEOL bool
}

// Hunk is a run of lines around changed ones, as the diff gives it.
type Hunk struct {
	// OldStart and NewStart are the first line's numbers from the @@ header,
	// OldLines and NewLines the counts of lines on either side.
	OldStart, OldLines, NewStart, NewLines int
	// Section is the text behind the second @@: by git's habit the line that
	// opens the enclosing function or class. Empty when there is none.
	Section string
	Lines   []Line
}

// Text returns the lines of one side of the hunk, each ended by a newline.
func (h *Hunk) Text(side Side) string {
	n := 0
	for i := range h.Lines {
		n += len(h.Lines[i].Text) + 1
	}
	buf := make([]byte, 0, n)
	for i := range h.Lines {
		if h.Lines[i].on(side) {
			buf = append(buf, h.Lines[i].Text...)
			buf = append(buf, '\n')
		}
	}
	return string(buf)
}

// on tells whether the line exists on the side.
func (l *Line) on(side Side) bool {
	if side == Old {
		return l.Op != Add
	}
	return l.Op != Delete
}

// Number returns the line's number on the side, 0 where it is not there.
func (l *Line) Number(side Side) int {
	if side == Old {
		return l.OldLine
	}
	return l.NewLine
}

// Status says what happened to a file as a whole.
type Status string

// What can happen to a file.
const (
	Modified Status = "modified"
	Added    Status = "added"
	Deleted  Status = "deleted"
	Renamed  Status = "renamed" // possibly with changes of content too
	Copied   Status = "copied"  // likewise
)

// File is the change of one file.
type File struct {
	// OldPath and NewPath are slash-separated; OldPath is empty for an added
	// file, NewPath for a deleted one, and both for bare hunks without a path.
	OldPath, NewPath string
	Status           Status
	Lang             lang.Name
	// OldMode and NewMode are the octal git modes ("100644"), empty when the
	// diff does not mention them.
	OldMode, NewMode string
	// OldID and NewID are the git object names of the two texts, as much of
	// them as the diff gives; empty when it has no index line.
	OldID, NewID string
	Binary       bool
	Hunks        []Hunk

	whole [2]*string
}

// Path returns the name to show for the file: the new path, or the old one of
// a deleted file. It is empty for bare hunks without a path.
func (f *File) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// Whole returns the complete text of one side with line feeds as line ends,
// and whether it is known. The old side of an added file and the new side of
// a deleted one are known and empty.
func (f *File) Whole(side Side) (string, bool) {
	if p := f.whole[side]; p != nil {
		return *p, true
	}
	return "", false
}

// Submodule tells whether the entry is not a file but a pointer to a commit of
// another repository, and not a text that anybody wrote.
func (f *File) Submodule() bool { return f.OldMode == "160000" || f.NewMode == "160000" }

// Link tells whether the entry is a symbolic link after the change: its text is
// where it leads, and no code.
func (f *File) Link() bool { return cmp.Or(f.NewMode, f.OldMode) == "120000" }

// ChangedLines returns the numbers of the deleted (Old) or added (New) lines,
// ascending, counted from 1.
func (f *File) ChangedLines(side Side) []int {
	want := Add
	if side == Old {
		want = Delete
	}
	var out []int
	for i := range f.Hunks {
		for j := range f.Hunks[i].Lines {
			if l := &f.Hunks[i].Lines[j]; l.Op == want {
				out = append(out, l.Number(side))
			}
		}
	}
	return out
}

// Change is a set of changed files that belong together: one commit, one pull
// request, one dataset row. It is not modified after Parse and can be read by
// many goroutines.
type Change struct {
	Files []File
	// Warnings say what was noticed and mended while reading, one line each,
	// fit for a person; such as bytes that were not UTF-8.
	Warnings []string
}
