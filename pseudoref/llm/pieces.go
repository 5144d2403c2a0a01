package llm

import (
	"fmt"
	"strings"
	"unicode"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
)

// maxLineBytes is the longest line of a change in a prompt. A longer line, as in minified
// or generated files, ends in an ellipsis there.
const maxLineBytes = 2000

// unit is a line of a change with its file and hunk.
type unit struct {
	file, hunk int // counted over the change
	head       string
	section    string
	old, new   int    // numbers of the line, or of the next one on that side
	text       string // with its sign; empty for a file without hunks
}

// units returns the lines of a change, and the number of lines that it shortened.
func units(ch *change.Change) (out []unit, shortened int) {
	hunk := 0
	for i := range ch.Files {
		f := &ch.Files[i]
		head := fileHead(f)
		if len(f.Hunks) == 0 {
			hunk++
			out = append(out, unit{file: i, hunk: hunk, head: head})
		}
		for j := range f.Hunks {
			h := &f.Hunks[j]
			hunk++
			old, new := h.OldStart, h.NewStart
			for k := range h.Lines {
				l := &h.Lines[k]
				text := string(rune(l.Op)) + defuse(l.Text)
				if len(text) > maxLineBytes {
					text = cut(text, maxLineBytes) + " …"
					shortened++
				}
				out = append(out, unit{i, hunk, head, defuse(h.Section), old, new, text})
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
		path = "(no path)"
	}
	if f.Lang != "" {
		what += ", " + string(f.Lang)
	}
	return cut(defuse(fmt.Sprintf("file %s (%s)", path, what)), maxLineBytes)
}

// render writes units as a diff. Every line begins with a sign, a file's name or a hunk's
// mark, so that no text of the change can begin a line.
func render(us []unit) string {
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

// pieces cuts a change into parts of at most budget tokens, between hunks where
// that is possible.
func pieces(us []unit, budget int) [][]unit {
	var out [][]unit
	var part []unit
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
			cost += unitTokens(us[n])
			n++
		}
		head := tokens(us[0].head) + tokens(us[0].section) + 16
		if size+head+cost > budget {
			flush()
		}
		size += head
		for _, u := range us[:n] {
			if c := unitTokens(u); len(part) > 0 && size+c > budget {
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

func unitTokens(u unit) int { return tokens(u.text) + 1 }

// halve cuts a piece in two: at the border of hunks that is nearest to the middle, or in
// the middle if there is no border. ok is false for a piece of one line.
func halve(us []unit) (a, b []unit, ok bool) {
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

// tokens guesses how many tokens a model makes of a text, rather too many than
// too few: four letters make one, and so does every digit, mark and run of spaces.
func tokens(s string) int {
	n, letters, space := 0, 0, false
	for _, r := range s {
		switch {
		case r > unicode.MaxASCII:
			n, letters, space = n+2, 0, false
		case unicode.IsLetter(r):
			if letters%4 == 0 {
				n++
			}
			letters, space = letters+1, false
		case unicode.IsSpace(r):
			if !space && letters == 0 || r == '\n' {
				n++
			}
			letters, space = 0, true
		default:
			n, letters, space = n+1, 0, false
		}
	}
	return n
}

// marks matches the marks that chat templates put around turns, and Ollama's marks for
// images. A tokenizer may read them anywhere as its own marks. The text of a change could
// then end its turn, or ask for an image that does not exist.
var marks = regexp.MustCompile(`(?i)([<\[])([|｜][^|｜<>\s]{1,64}[|｜]>|/?(?:s|bos|eos|unk|pad|think|<?sys>|(?:start|end)_of_\w{1,20})>|/?(?:inst|system_prompt|available_tools|tool_(?:calls|results)|img-\d+)\])`)

// defuse makes a text of the change safe for a prompt: on one line, without control
// characters, and with a space inside each mark of a chat template.
func defuse(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case unicode.IsControl(r), r == '\u2028', r == '\u2029', unicode.Is(unicode.Bidi_Control, r):
			return ' '
		}
		return r
	}, s)
	return marks.ReplaceAllString(s, "$1 $2")
}
