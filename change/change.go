// Package change reads a unified diff into a Change: its files, hunks and lines, the
// language of each file, the changed lines of both sides and, where they are known or can
// be rebuilt, the whole old and new texts.
//
// The package does not parse source code (internal/syntax), and makes no statements about
// a change (pseudoref, smells).
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

// Op says whether a change keeps, deletes or adds a line.
type Op byte

// The three operations, by the sign that a unified diff gives them.
const (
	Context Op = ' '
	Add     Op = '+'
	Delete  Op = '-'
)

// Line is one line of a hunk.
type Line struct {
	Text string // without the sign and without the line ending; valid UTF-8, no NUL
	// OldLine and NewLine are the line's numbers on the two sides, counted from 1. A
	// number is 0 if the line does not exist on that side.
	OldLine, NewLine int
	// Op says whether the line was added, deleted or kept.
	Op Op
	// NoEOL is set on the last line of a file without a newline at its end.
	NoEOL bool
}

// Hunk is a run of changed lines with the lines around them, as in the diff.
type Hunk struct {
	// OldStart and NewStart are the numbers of the first line in the @@ header, OldLines
	// and NewLines the numbers of lines on the two sides.
	OldStart, OldLines, NewStart, NewLines int
	// Section is the text behind the second @@. git puts the line there that opens the
	// enclosing function or class. It may be empty.
	Section string
	// Lines are the lines of both sides in the order of the diff.
	Lines []Line
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

// on reports whether the line exists on the side.
func (l *Line) on(side Side) bool {
	if side == Old {
		return l.Op != Add
	}
	return l.Op != Delete
}

// Number returns the line's number on the side, 0 if the line does not exist there.
func (l *Line) Number(side Side) int {
	if side == Old {
		return l.OldLine
	}
	return l.NewLine
}

// Status says how a change treats a whole file.
type Status string

// The statuses of a file.
const (
	Modified Status = "modified"
	Added    Status = "added"
	Deleted  Status = "deleted"
	Renamed  Status = "renamed" // the text may have changed, too
	Copied   Status = "copied"  // the text may have changed, too
)

// File is the change of one file.
type File struct {
	// OldPath and NewPath are slash-separated; OldPath is empty for an added
	// file, NewPath for a deleted one, and both for bare hunks without a path.
	OldPath, NewPath string
	// Status says how the change treats the file. Lang is the file's language.
	Status Status
	Lang   lang.Name
	// OldMode and NewMode are the octal git modes ("100644"), empty if the diff does not
	// have them.
	OldMode, NewMode string
	// OldID and NewID are the git object names of the two texts, cut as in the diff; empty
	// if the diff has no index line.
	OldID, NewID string
	// Binary is set for a file without a text diff. Hunks has the hunks of other files.
	Binary bool
	Hunks  []Hunk

	whole [2]*string
}

// Path returns the name to show for the file: the new path, or the old path of a deleted
// file. It is empty for bare hunks without a path.
func (f *File) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

// Whole returns the whole text of one side, with line feeds as line ends, and whether the
// text is known. The old side of an added file and the new side of a deleted file are
// known and empty.
func (f *File) Whole(side Side) (string, bool) {
	if p := f.whole[side]; p != nil {
		return *p, true
	}
	return "", false
}

// Submodule reports whether the entry is not a file but a pointer to a commit of another
// repository.
func (f *File) Submodule() bool { return f.OldMode == "160000" || f.NewMode == "160000" }

// Link reports whether the entry is a symbolic link after the change. Its text is the
// target of the link, not code.
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

// Change is a set of changed files: those of a commit, a pull request or a row of a
// dataset. It does not change after Parse, and many goroutines can read it.
type Change struct {
	// Files are the changed files, in the order of the diff.
	Files []File
	// Warnings are for a person, one line each: what Parse repaired or left out, such as
	// bytes that are not UTF-8 and lines that belong to nothing.
	Warnings []string
	// LeftOut is the number of files that could not be read. Warnings name them.
	LeftOut int
}
