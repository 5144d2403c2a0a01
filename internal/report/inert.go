package report

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// apart is an invisible character that breaks up commands.
const apart = "\u200b"

// Finish makes a text for people ready for their screen. The text begins at the start of a
// line.
func (o TextOptions) Finish(text []byte) []byte {
	text = Inert(text)
	if o.ASCII {
		for _, s := range signs {
			text = bytes.ReplaceAll(text, []byte(s.sign), []byte(s.ascii))
		}
	}
	return text
}

// signs are the characters beyond ASCII that crscore itself prints. Those of users' texts
// stay as they are. Where they stand in columns, they keep their width.
var signs = []struct{ sign, ascii string }{
	{tick, "+"}, {half, "~"}, {cross, "x"}, {dot, "."}, {"→", ">"}, {"←", "<"}, {"…", "..."}, {"–", "-"}, {"—", "-"}, {"−", "-"}, {"×", "x"},
	{"±", "+/-"}, {"≤", "<="}, {"≥", ">="}, {"τ", "tau"}, {"ρ", "rho"}, {"κ", "kappa"}, {"α", "alpha"}, {"Δ", "d"}, {"²", "2"},
	{"█", "#"}, {"▉", "#"}, {"▊", "#"}, {"▋", "#"}, {"▌", "#"}, {"▍", "-"}, {"▎", "-"}, {"▏", "-"}, {nbsp, " "}, {apart, ""},
}

// Inert returns a text without commands to the CI system that shows the program's output. An
// invisible space breaks up "::name" at the start of a line, which is GitHub's form, also
// after blanks and invisible characters, and "##[name]", "##vso[name]" and "##teamcity[name]"
// everywhere. The text begins at the start of a line.
func Inert(text []byte) []byte {
	if !bytes.Contains(text, []byte("::")) && !bytes.Contains(text, []byte("##")) {
		return text
	}
	out := make([]byte, 0, len(text)+2*len(apart))
	start := true // of a line, but for invisible characters
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r == '\r':
			start = true
		case start && isLineCommand(text):
			out = append(append(out, ':'), apart...)
			text, start = text[1:], false
			continue
		case isCommand(text):
			out = append(append(out, '#'), apart...)
			text, start = text[1:], false
			continue
		case start:
			start = unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
		}
		out, text = append(out, text[:n]...), text[n:]
	}
	return out
}

// isLineCommand reports whether a text begins with a command that CI systems obey at the start
// of a line.
func isLineCommand[T string | []byte](text T) bool {
	return len(text) > 2 && text[0] == ':' && text[1] == ':' && isLetter(text[2])
}

// isCommand reports whether a text begins with a command that CI systems obey anywhere.
func isCommand[T string | []byte](text T) bool {
	if len(text) < 3 || text[0] != '#' || text[1] != '#' {
		return false
	}
	i := 2
	for i < len(text) && isLetter(text[i]) {
		i++
	}
	return i < len(text) && text[i] == '['
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
