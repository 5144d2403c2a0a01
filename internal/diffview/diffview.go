// Package diffview prepares a change for a page that draws it: files, hunks and lines with
// their numbers, each line in parts with the kind of their syntax and a mark on words that
// changed. It draws nothing, and makes no statements about the change.
package diffview

import (
	"context"
	"strings"
	"unicode/utf8"

	"crscore/change"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// partSize is how much a part counts in limits.ShownBytes, beside its bytes.
const partSize = 32

// Change is a change as it is drawn.
type Change struct {
	// Files are the files, in the order of the diff.
	Files []File `json:"files"`
	// Left is the number of lines that limits.ShownLines and limits.ShownBytes left out.
	Left int `json:"left,omitempty"`
}

// File is a changed file.
type File struct {
	// Path is the path that references name, OldPath the path before a rename.
	Path    string `json:"path"`
	OldPath string `json:"old_path,omitempty"`
	// Status is added, deleted, modified, renamed or copied.
	Status string `json:"status"`
	Lang   string `json:"lang,omitempty"`
	// Binary files have no hunks.
	Binary bool `json:"binary,omitempty"`
	// Added and Deleted are numbers of lines.
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Hunks   []Hunk `json:"hunks"`
}

// Hunk is a run of changed lines with the lines around them.
type Hunk struct {
	// Section is the text behind the second @@.
	Section string `json:"section,omitempty"`
	Lines   []Line `json:"lines"`
}

// Line is a line of the diff.
type Line struct {
	// Op is "+", "-" or " ".
	Op string `json:"op"`
	// Old and New are the line's numbers on the two sides, counted from 1; 0 where the side
	// does not have the line.
	Old int `json:"old,omitempty"`
	New int `json:"new,omitempty"`
	// Parts make up the text. Left is the number of bytes that limits.ShownLine cut off.
	Parts []Part `json:"parts"`
	Left  int    `json:"left,omitempty"`
	// NoEOL marks the last line of a file without a newline at its end.
	NoEOL bool `json:"no_eol,omitempty"`
}

// Part is a run of characters of a line.
type Part struct {
	Text string `json:"text"` // never empty
	// Kind is comment, keyword, number, string or type; empty for other text.
	Kind Kind `json:"kind,omitempty"`
	// Changed marks words that the other side of the change does not have there. It is set
	// only in lines that are alike on both sides.
	Changed bool `json:"changed,omitempty"`
}

// Of prepares a change. The error is ctx's own. Languages without a grammar have no kinds.
func Of(ctx context.Context, trees *syntax.Trees) (*Change, error) {
	out, room := &Change{Files: make([]File, 0, len(trees.Files))}, room{limits.ShownLines, limits.ShownBytes, limits.ShownCompared}
	for _, f := range trees.Files {
		one := File{Path: f.Path(), Status: string(f.Status), Lang: string(f.Lang), Binary: f.Binary, Hunks: []Hunk{}}
		if f.OldPath != "" && f.OldPath != one.Path {
			one.OldPath = f.OldPath
		}
		kinds := kindsOf(f)
		for h := range f.Hunks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			drawn := draw(&f.Hunks[h], kinds, &room)
			out.Left += len(f.Hunks[h].Lines) - len(drawn.Lines)
			if len(drawn.Lines) > 0 {
				one.Hunks = append(one.Hunks, drawn)
			}
			for _, l := range f.Hunks[h].Lines {
				switch l.Op {
				case change.Add:
					one.Added++
				case change.Delete:
					one.Deleted++
				}
			}
		}
		out.Files = append(out.Files, one)
	}
	return out, nil
}

// room counts the lines, bytes and words that the limits still allow.
type room struct{ lines, size, compared int }

// draw prepares the lines of a hunk for which there is room.
func draw(h *change.Hunk, kinds [2]map[int][]shade, r *room) Hunk {
	out := Hunk{Section: h.Section, Lines: []Line{}}
	lines := h.Lines[:min(len(h.Lines), r.lines)]
	changed := changedWords(lines, &r.compared)
	for i := range lines {
		l := &lines[i]
		text := cut(l.Text)
		side := change.New
		if l.Op == change.Delete {
			side = change.Old
		}
		one := Line{
			Op: string(rune(l.Op)), Old: l.OldLine, New: l.NewLine, NoEOL: l.NoEOL,
			Parts: parts(text, kinds[side][l.Number(side)], changed[i]), Left: len(l.Text) - len(text),
		}
		if r.size -= len(text) + partSize*(1+len(one.Parts)); r.size < 0 {
			r.lines = 0
			break
		}
		out.Lines = append(out.Lines, one)
		r.lines--
	}
	return out
}

// cut returns the part of a line that is shown.
func cut(text string) string {
	if len(text) <= limits.ShownLine {
		return text
	}
	return strings.ToValidUTF8(text[:limits.ShownLine], "")
}

// parts splits a text where its kind or its mark changes. Both slices have a value a byte,
// or none at all.
func parts(text string, kinds []shade, changed []bool) []Part {
	out := []Part{}
	kind := func(i int) Kind {
		if i < len(kinds) {
			return kinds[i].kind()
		}
		return ""
	}
	mark := func(i int) bool { return i < len(changed) && changed[i] }
	for from := 0; from < len(text); {
		to := from
		for to < len(text) && kind(to) == kind(from) && mark(to) == mark(from) {
			_, n := utf8.DecodeRuneInString(text[to:])
			to += n
		}
		out = append(out, Part{text[from:to], kind(from), mark(from)})
		from = to
	}
	return out
}
