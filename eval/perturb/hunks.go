package perturb

import (
	"context"
	"fmt"
	"strings"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// hunks are those of a file whose whole texts are not known.
type hunks struct {
	file *change.File
	// outside are the words of changed lines outside the functions that lie in a hunk as a whole:
	// a variable of that name may be the same one, on the other side.
	outside map[string]bool
	now     map[hunkSide]string
}

// hunkSide is a side of a hunk.
type hunkSide struct {
	hunk int
	of   change.Side
}

// ReadHunks reads a diff of one file without whole texts, for p8 and p0 alone: variables can be
// renamed in the functions that lie in a hunk as a whole, since no other place can mention them.
// ErrUnfit: it cannot be perturbed.
func ReadHunks(ctx context.Context, path string, l lang.Name, diff string) (*File, error) {
	c, err := change.Parse([]byte(diff), change.Options{Path: path, Lang: l})
	switch {
	case err != nil:
		return nil, &Unfit{"the diff cannot be read"}
	case len(c.Files) != 1:
		return nil, &Unfit{"a diff of several files without whole texts"}
	}
	d := dialectOf(c.Files[0].Lang)
	if d == nil {
		return nil, &Unfit{fmt.Sprintf("no rules for the language %q", c.Files[0].Lang)}
	}
	trees, err := syntax.Parse(ctx, c)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil || trees.Unread() > 0:
		return nil, &Unfit{"the file is beyond the limits of the parser"}
	}
	f := &File{
		d: d, words: map[string]bool{}, left: map[string]int{},
		hunks: &hunks{file: &c.Files[0], outside: map[string]bool{}, now: map[hunkSide]string{}},
	}
	for _, frag := range append(trees.Files[0].Old, trees.Files[0].New...) {
		if err := readable(string(frag.Source)); err != nil {
			return nil, &Unfit{err.Error()}
		}
		s := sideOf(d, frag, fmt.Sprint(frag.Hunk))
		if s.wrong > 0 {
			return nil, &Unfit{"hunks that do not parse"}
		}
		f.add(s)
	}
	f.touch(f.hunks.file)
	f.refuse()
	for _, s := range f.sides {
		f.hunks.look(s)
	}
	return f, nil
}

// uncut reports whether a function lies in its hunk as a whole. A function of Python may go on
// below the hunk, unless a line of code comes behind it.
func (u *unit) uncut() bool {
	if at := int(u.node.StartByte()); u.frag.Cut(u.node) || u.frag.Framed(at) {
		return false
	}
	for line := range strings.Lines(string(u.frag.Rest(int(u.node.EndByte())))) {
		if code := strings.TrimSpace(line); u.d.indented && code != "" && code[0] != '#' {
			return true
		}
	}
	return !u.d.indented
}

// text is where the lines of a hunk begin and end in the text that was parsed.
func (h *hunks) text(s *side) span {
	to := len(s.frag.Rest(0))
	return span{to - len(h.file.Hunks[s.frag.Hunk].Text(s.of)), to}
}

// look collects the words outside functions.
func (h *hunks) look(s *side) {
	text := []byte(s.text)
	for _, u := range s.units {
		for at := u.node.StartByte(); at < u.node.EndByte(); at++ {
			if text[at] != '\n' {
				text[at] = ' '
			}
		}
	}
	in := h.text(s)
	lines := strings.Split(string(text[in.from:in.to]), "\n")
	for _, l := range h.file.Hunks[s.frag.Hunk].Lines {
		if l.Number(s.of) == 0 {
			continue
		}
		if l.Op != change.Context {
			for _, w := range word.FindAllString(lines[0], -1) {
				h.outside[w] = true
			}
		}
		lines = lines[1:]
	}
}

// put keeps a rewritten side of a hunk, without the frame around it.
func (h *hunks) put(s *side, text string) {
	in := h.text(s)
	h.now[hunkSide{s.frag.Hunk, s.of}] = text[in.from : len(text)-(len(s.text)-in.to)]
}

// diff writes the rewritten hunks. New names stand on the lines of the old ones.
func (h *hunks) diff() (string, error) {
	var b strings.Builder
	name := func(prefix, path string) string {
		if path == "" {
			return "/dev/null"
		}
		return prefix + path
	}
	if h.file.Path() != "" {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", name("a/", h.file.OldPath), name("b/", h.file.NewPath))
	}
	for i, hunk := range h.file.Hunks {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@", hunk.OldStart, hunk.OldLines, hunk.NewStart, hunk.NewLines)
		if hunk.Section != "" {
			b.WriteString(" " + hunk.Section)
		}
		b.WriteByte('\n')
		var lines [2][]string
		for side := range lines {
			text, ok := h.now[hunkSide{i, change.Side(side)}]
			if !ok { // white space is not parsed
				text = hunk.Text(change.Side(side))
			}
			lines[side] = strings.Split(text, "\n")
		}
		for _, l := range hunk.Lines {
			var text [2]string
			for side := range lines {
				if l.Number(change.Side(side)) > 0 {
					text[side], lines[side] = lines[side][0], lines[side][1:]
				}
			}
			switch {
			case l.Op == change.Context && text[0] != text[1]:
				return "", &Unfit{"lines whose names change on one side alone"}
			case l.Op == change.Add:
				text[0] = text[1]
			}
			b.WriteString(string(l.Op) + text[0] + "\n")
			if l.NoEOL {
				b.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	return b.String(), nil
}
