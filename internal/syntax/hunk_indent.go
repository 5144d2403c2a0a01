package syntax

import (
	"slices"
	"strings"
)

// indentFrames are the frames of a language whose blocks are told by
// indentation: a ladder of blocks down to the first line's indentation.
func indentFrames(t *Table, section string, texts [2]string) []frame {
	var down string
	rest := texts[1] // what follows the last bracket that the hunk only closes
	if strings.TrimSpace(rest) == "" {
		rest = texts[0]
	}
	for _, text := range texts {
		if d, _, last := balance(t, text); len(d) > len(down) {
			down = d
			rest = text[min(lineEnd(text, last)+1, len(text)):]
		}
	}
	rungs := ladder(rest)
	var out []frame
	list := false
	add := func(heading string, rungs []string, opened, quotes, shut string) {
		fr := frame{before: heading, heading: len(heading), list: list}
		if callLike.MatchString(heading) {
			fr.heading = 0
		}
		if heading != "" {
			fr.before += "\n"
		}
		fr.before += strings.Join(rungs, "") + opened
		if opened != "" {
			fr.before += "\n"
		}
		fr.before += quotes
		for side, text := range texts {
			_, up, _ := balance(t, fr.before+text)
			fr.after[side] = shut + t.closers(up, -1, "")
		}
		out = append(out, fr)
	}
	in := "" // of the statement that the brackets belong to
	if len(rungs) > 0 {
		in = indentation(rungs[len(rungs)-1]) + " "
	}
	open := ""
	for i := len(down) - 1; i >= 0; i-- {
		open += map[byte]string{')': "__(", ']': "__[", '}': "{"}[down[i]]
	}
	if open != "" {
		open = in + open
	}
	if list = open == "" && listed(t, section, texts); list {
		for _, w := range t.rows {
			if section != "" {
				add(section, nil, " "+w, "", "")
			}
			add("", nil, w, "", "")
		}
		list = false
	}
	odd := strings.Count(texts[0], docQuotes)%2 == 1 || strings.Count(texts[1], docQuotes)%2 == 1
	for _, quotes := range []bool{false, true} {
		if quotes && !odd {
			break
		}
		before, shut := "", ""
		inside := beginsInside(rest)
		for _, within := range []bool{inside, !inside} {
			switch {
			case quotes && within:
				before, shut = in+docQuotes+"\n", ""
			case quotes:
				before, shut = "", docQuotes
			case within != inside:
				continue
			}
			if strings.HasSuffix(section, ":") && len(rungs) > 0 {
				add(section, rungs[1:], open, before, shut)
			} else if section != "" {
				add(section, nil, open, before, shut)
			}
			add("", rungs, open, before, shut)
		}
	}
	for _, w := range t.frames {
		add("", nil, w, "", "")
	}
	return out
}

const docQuotes = `"""`

// beginsInside guesses from the first quotes of a text with an odd number of
// them whether they end a docstring: they stand alone, and not after a header.
func beginsInside(text string) bool {
	before := ""
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.Contains(line, docQuotes) {
			return strings.HasSuffix(line, docQuotes) && !strings.HasSuffix(before, ":") && !strings.HasPrefix(before, "@")
		}
		if line != "" {
			before = line
		}
	}
	return false
}

// ladder returns block headers, one a line, under which a text is indented as
// it should be; the first is not indented.
func ladder(text string) []string {
	var rungs []string // from the inside out
	low, first := 0, true
	for _, line := range strings.Split(text, "\n") {
		body := strings.TrimLeft(line, " \t")
		in := indentation(line)
		if body == "" || body[0] == '#' || !first && len(in) >= low {
			continue
		}
		header := "if __:\n"
		word := body[:len(body)-len(strings.TrimLeft(body, "abcdefghijklmnopqrstuvwxyz"))]
		switch word {
		case "except", "finally":
			header = "try:\n"
		case "else", "elif":
		default:
			word = ""
		}
		switch {
		case !first:
			rungs = append(rungs, in+header)
		case word != "": // its own block came before
			rungs = append(rungs, in+header+in+" __\n")
		}
		low, first = len(in), false
	}
	if low > 0 && len(rungs) == 0 || len(rungs) > 0 && indentation(rungs[len(rungs)-1]) != "" {
		rungs = append(rungs, "if __:\n")
	}
	slices.Reverse(rungs)
	return rungs
}

func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }
