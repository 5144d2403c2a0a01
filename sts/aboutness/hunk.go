package aboutness

import (
	"strings"

	"crscore/sts/internal/limits"
)

// Hunk is a part of a diff as stems.
type Hunk struct {
	// Changed are the added and removed lines, for the encoder: short texts cost it least.
	Changed []string
	stems   map[string]bool
}

// Code is the text of a hunk, or of several.
type Code struct {
	// Path is the name of the file, and Heading what stands behind the second @@.
	Path, Heading string
	// Changed are the added and removed lines, Kept the lines between them.
	Changed, Kept []string
}

// Hunk reads the stems of a part of a diff. The cost is linear in its text, of which no more than
// a limit is read.
func (m *Model) Hunk(parts ...Code) *Hunk {
	h := &Hunk{stems: make(map[string]bool)}
	left := limits.HunkBytes
	read := func(text string) {
		if left -= len(text); left < 0 {
			return
		}
		for stem := range strings.FieldsSeq(m.words(text)) {
			if isStem(stem) {
				h.stems[stem] = true
			}
		}
	}
	room := limits.ChangedBytes
	for _, c := range parts {
		read(c.Path[strings.LastIndexByte(c.Path, '/')+1:])
		read(c.Heading)
		for _, line := range c.Changed {
			read(line)
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if line = line[:min(len(line), limits.ChangedLine)]; len(line) <= room {
				room -= len(line)
				h.Changed = append(h.Changed, strings.ToValidUTF8(line, ""))
			}
		}
		for _, line := range c.Kept {
			read(line)
		}
	}
	return h
}

// has reports whether a hunk has all stems of a name.
func (h *Hunk) has(stems []string) bool {
	for _, s := range stems {
		if !h.stems[s] {
			return false
		}
	}
	return len(stems) > 0
}

// Stems are the stems of the hunk, in no order.
func (h *Hunk) Stems() map[string]bool { return h.stems }

// isStem reports whether a piece of code is a word, or a name of a letter: it starts with no digit.
func isStem(s string) bool {
	return s[0] < '0' || s[0] > '9'
}
