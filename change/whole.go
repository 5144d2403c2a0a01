package change

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// fillWhole sets the whole texts of a file from what is given beside the diff
// and from the diff itself: one side gives the other by applying the hunks
// forwards or backwards. It returns a warning, or "".
func (f *File) fillWhole(texts func(*File, Side) (string, bool)) string {
	if f.Binary {
		return ""
	}
	var given [2]*string
	if f.Status == Added {
		given[Old] = new(string)
	}
	if f.Status == Deleted {
		given[New] = new(string)
	}
	if texts != nil {
		for _, side := range []Side{Old, New} {
			if given[side] != nil {
				continue
			}
			if t, ok := texts(f, side); ok {
				t, _ = clean(t)
				given[side] = &t
			}
		}
	}
	if given[Old] != nil {
		if built, ok := f.apply(*given[Old], Old); ok {
			if given[New] == nil || equalText(built, *given[New]) {
				f.whole = [2]*string{given[Old], &built}
				return ""
			}
		}
	}
	if given[New] != nil && given[Old] == nil {
		if built, ok := f.apply(*given[New], New); ok {
			f.whole = [2]*string{&built, given[New]}
			return ""
		}
	}
	if given[Old] == nil && given[New] == nil {
		return ""
	}
	// A text that the hunks do not fit would put claims at wrong places.
	return fmt.Sprintf("%s: the whole text that was given does not fit the diff; only the hunks are used", cmp.Or(f.Path(), "the file"))
}

// equalText compares two texts but for a newline at their ends, which datasets
// and editors add and drop.
func equalText(a, b string) bool {
	return strings.TrimRight(a, "\n") == strings.TrimRight(b, "\n")
}

// apply makes the text of one side from that of the other. A missing newline at
// the end of the text is supplied where the hunks do not fit for it.
func (f *File) apply(text string, from Side) (string, bool) {
	hunks := f.Hunks
	if !slices.IsSortedFunc(hunks, func(a, b Hunk) int { return cmp.Compare(a.first(from), b.first(from)) }) {
		hunks = slices.Clone(hunks)
		slices.SortStableFunc(hunks, func(a, b Hunk) int { return cmp.Compare(a.first(from), b.first(from)) })
	}
	built, ok := applyHunks(text, hunks, from)
	if !ok && text != "" && !strings.HasSuffix(text, "\n") {
		built, ok = applyHunks(text+"\n", hunks, from)
	}
	return built, ok
}

// without reports whether the hunk says that the file is empty on a side. A hunk
// without context at the top of a file says the same; the text is then not used.
func (h *Hunk) without(side Side) bool {
	if side == Old {
		return h.OldStart == 0 && h.OldLines == 0
	}
	return h.NewStart == 0 && h.NewLines == 0
}

// first returns how many lines stand before the hunk. A hunk without lines on
// the side names the line before it.
func (h *Hunk) first(side Side) int {
	start, lines := h.OldStart, h.OldLines
	if side == New {
		start, lines = h.NewStart, h.NewLines
	}
	if lines > 0 && start > 0 {
		start--
	}
	return start
}

// applyHunks makes the text of one side from that of the other, if it has the
// lines of the hunks exactly where they say.
func applyHunks(text string, hunks []Hunk, from Side) (string, bool) {
	var out strings.Builder
	out.Grow(len(text))
	to := Old + New - from
	line := 0 // lines of text that were read
	for i := range hunks {
		h := &hunks[i]
		if h.first(from) < line {
			return "", false // hunks overlap
		}
		start := 0
		for ; line < h.first(from); line++ {
			n := strings.IndexByte(text[start:], '\n')
			if n < 0 {
				return "", false
			}
			start += n + 1
		}
		out.WriteString(text[:start])
		text = text[start:]
		if h.without(from) && (i > 0 || text != "") {
			return "", false
		}
		for j := range h.Lines {
			l := &h.Lines[j]
			if l.on(from) {
				rest, ok := l.cutFrom(text)
				if !ok {
					return "", false
				}
				text = rest
				line++
			}
			if l.on(to) {
				out.WriteString(l.Text)
				if !l.NoEOL {
					out.WriteByte('\n')
				}
			}
		}
		if h.without(to) && text != "" {
			return "", false
		}
	}
	out.WriteString(text)
	return out.String(), true
}

// cutFrom takes the line off the beginning of a text.
func (l *Line) cutFrom(text string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, l.Text)
	if l.NoEOL {
		return rest, ok && rest == ""
	}
	if !ok || rest == "" || rest[0] != '\n' {
		return text, false
	}
	return rest[1:], true
}
