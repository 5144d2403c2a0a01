// Package prompt writes texts that nobody trusts into prompts of language models: changes as
// diffs, whole or in pieces, and other texts, in blocks that their text cannot end.
//
// The package knows nothing of models and of the questions that they are asked.
package prompt

import (
	"fmt"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/limits"
)

// NoPath stands for the path of bare hunks in a prompt.
const NoPath = "(no path)"

// Line is a line of a change with its file and hunk, as a prompt shows it.
type Line struct {
	file, hunk int // counted over the change
	head       string
	section    string
	old, new   int    // numbers of the line, or of the next one on that side
	text       string // with its sign; empty for a file without hunks
}

// Lines returns the lines of a change, and the number of lines that it shortened to
// limits.PromptLine.
func Lines(ch *change.Change) (out []Line, shortened int) {
	hunk := 0
	for i := range ch.Files {
		f := &ch.Files[i]
		head := fileHead(f)
		if len(f.Hunks) == 0 {
			hunk++
			out = append(out, Line{file: i, hunk: hunk, head: head})
		}
		for j := range f.Hunks {
			h := &f.Hunks[j]
			hunk++
			old, new := h.OldStart, h.NewStart
			for k := range h.Lines {
				l := &h.Lines[k]
				text := string(rune(l.Op)) + Defuse(l.Text)
				if len(text) > limits.PromptLine {
					text = Cut(text, limits.PromptLine) + " …"
					shortened++
				}
				out = append(out, Line{i, hunk, head, Defuse(h.Section), old, new, text})
				if l.Op != change.Add {
					old++
				}
				if l.Op != change.Delete {
					new++
				}
			}
		}
	}
	return out, shortened
}

// Numbered returns the lines with their numbers behind the sign, such as "+12 | return x", so
// that an answer can name a line. The numbers are those of Place.
func Numbered(us []Line) []Line {
	out := slices.Clone(us)
	for i := range out {
		if text := out[i].text; text != "" {
			_, _, n := out[i].Place()
			out[i].text = fmt.Sprintf("%s%d | %s", text[:1], n, text[1:])
		}
	}
	return out
}

// Place returns the index of the line's file in the change, and the line's number: in the old
// text for a deleted line, in the new text for others. It is 0 for a file without hunks.
func (l Line) Place() (file int, side change.Side, number int) {
	switch {
	case l.text == "":
		return l.file, change.New, 0
	case l.text[0] == byte(change.Delete):
		return l.file, change.Old, l.old
	}
	return l.file, change.New, l.new
}

func fileHead(f *change.File) string {
	what := string(f.Status)
	if (f.Status == change.Renamed || f.Status == change.Copied) && f.OldPath != "" {
		what += " from " + f.OldPath
	}
	if f.OldMode != "" && f.NewMode != "" && f.OldMode != f.NewMode {
		what += fmt.Sprintf(", mode %s to %s", f.OldMode, f.NewMode)
	}
	if f.Binary {
		what += ", binary"
	}
	path := f.Path()
	if path == "" {
		path = NoPath
	}
	if f.Lang != "" {
		what += ", " + string(f.Lang)
	}
	return Cut(Defuse(fmt.Sprintf("file %s (%s)", path, what)), limits.PromptLine)
}

// Render writes lines as a diff. Every line begins with a sign, a file's name or a hunk's
// mark, so that no text of the change can begin a line.
func Render(us []Line) string {
	var b strings.Builder
	file, hunk := -1, -1
	for _, u := range us {
		if u.file != file {
			b.WriteString(u.head + "\n")
		}
		if u.hunk != hunk && u.text != "" {
			fmt.Fprintf(&b, "@@ -%d +%d @@ %s\n", u.old, u.new, u.section)
		}
		file, hunk = u.file, u.hunk
		if u.text != "" {
			b.WriteString(u.text + "\n")
		}
	}
	return b.String()
}

// Pieces cuts the lines of a change into parts of at most budget tokens, between hunks where
// that is possible. A line of more tokens is a part of its own.
func Pieces(us []Line, budget int) [][]Line {
	var out [][]Line
	var part []Line
	size := 0
	flush := func() {
		if len(part) > 0 {
			out = append(out, part)
		}
		part, size = nil, 0
	}
	for len(us) > 0 {
		n, cost := 0, 0
		for n < len(us) && us[n].hunk == us[0].hunk {
			cost += lineTokens(us[n])
			n++
		}
		head := Tokens(us[0].head) + Tokens(us[0].section) + 16
		if size+head+cost > budget {
			flush()
		}
		size += head
		for _, u := range us[:n] {
			if c := lineTokens(u); len(part) > 0 && size+c > budget {
				flush()
				size = head + c
			} else {
				size += c
			}
			part = append(part, u)
		}
		us = us[n:]
	}
	flush()
	return out
}

func lineTokens(u Line) int { return Tokens(u.text) + 1 }

// Halve cuts a piece in two: at the border of hunks that is nearest to the middle, or in
// the middle if there is no border. ok is false for a piece of one line.
func Halve(us []Line) (a, b []Line, ok bool) {
	if len(us) < 2 {
		return nil, nil, false
	}
	mid := len(us) / 2
	for d := 0; d < mid; d++ {
		for _, at := range []int{mid - d, mid + d} {
			if at > 0 && at < len(us) && us[at].hunk != us[at-1].hunk {
				return us[:at], us[at:], true
			}
		}
	}
	return us[:mid], us[mid:], true
}
