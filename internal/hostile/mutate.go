package hostile

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Mutate changes a text in one to four ways. Some take lines of another text. The result
// is UTF-8 and may be empty.
func Mutate(r *rand.Rand, text, other string) string {
	for range 1 + r.IntN(2)*r.IntN(4) {
		if r.IntN(3) == 0 {
			text = mutateBytes(r, text, other)
		} else {
			text = strings.Join(mutateLines(r, lines(text), lines(other)), "")
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// span draws a range of up to most of n things.
func span(r *rand.Rand, n, most int) (from, to int) {
	if n == 0 {
		return 0, 0
	}
	from = r.IntN(n)
	return from, min(n, from+1+r.IntN(most))
}

// leftovers are lines that an edit forgot.
var leftovers = []string{"}\n", "{\n", ")\n", "});\n", "]\n", "end\n", "fi\n", "done\n", "else\n", "} else {\n", "*/\n", "/*\n", "\"\"\"\n", "'\n", "`\n",
	"<<<<<<< HEAD\n", "=======\n", ">>>>>>> theirs\n", "#if 0\n", "#endif\n", "EOF\n", "?>\n", "<?php\n", "</div>\n", "return\n", "\\\n", "\n", "case 1:\n", "class\n", "@\n"}

func mutateLines(r *rand.Rand, a, other []string) []string {
	from, to := span(r, len(a), 1+r.IntN(30))
	picked := slices.Clone(a[from:to])
	switch r.IntN(15) {
	case 0: // lines are deleted
		picked = nil
	case 1: // doubled
		picked = append(picked, picked...)
	case 2: // swapped
		slices.Reverse(picked)
	case 3: // moved
		rest := slices.Concat(a[:from], a[to:])
		at, _ := span(r, len(rest), 1)
		return slices.Insert(rest, at, picked...)
	case 4: // halved
		if r.IntN(2) == 0 {
			return a[:len(a)/2]
		}
		return a[len(a)/2:]
	case 5: // lines of the other file come
		i, j := span(r, len(other), 20)
		picked = append(picked, other[i:j]...)
	case 6: // the other file goes on here
		i, _ := span(r, len(other), 1)
		return slices.Concat(a[:from], other[i:])
	case 7: // lines become one
		to = min(len(a), from+2+r.IntN(6))
		text := strings.Join(a[from:to], "")
		picked = []string{strings.Join(strings.Fields(text), " ") + "\n"}
	case 8: // an expression of several lines becomes one and leaves something behind
		to = min(len(a), from+3)
		picked = []string{strings.Join(strings.Fields(strings.Join(a[from:to], "")), " ") + "\n", leftovers[r.IntN(len(leftovers))]}
	case 9: // indentation is lost
		for i := range picked {
			picked[i] = strings.TrimLeft(picked[i], " \t")
		}
	case 10: // indented
		for i := range picked {
			picked[i] = strings.Repeat([]string{" ", "\t", "    "}[r.IntN(3)], 1+r.IntN(3)) + picked[i]
		}
	case 11: // commented out
		sign := []string{"#", "//", "-- ", "/* ", "\""}[r.IntN(5)]
		for i := range picked {
			picked[i] = sign + picked[i]
		}
	case 12:
		picked = append(picked, leftovers[r.IntN(len(leftovers))])
	case 13: // every line is cut, or every second one goes
		for i, l := range picked {
			if r.IntN(2) == 0 {
				picked[i] = l[:r.IntN(len(l)+1)]
			}
		}
	default: // the same lines very often
		if picked = slices.Repeat(picked, min(1+r.IntN(200), 1+2000/max(1, len(picked)))); len(picked) == 0 {
			picked = slices.Repeat(leftovers[:1], r.IntN(100))
		}
	}
	return slices.Concat(a[:from], picked, a[to:])
}

var (
	token   = regexp.MustCompile(`\w+|[^\w\s]`)
	bracket = regexp.MustCompile("[][(){}<>\"'`]")
	word    = regexp.MustCompile(`[A-Za-z_]\w+`)
)

// odd are characters that lexers and readers of lines rarely meet.
var odd = []string{"\u00e9", "\u200f", "\ufeff", "\x00", "\r", "\u2028", "🏳️‍🌈", "\\", "\xff\xfe", "\x1b[31m", "\f", "\u00a0", "\x01", "ﬁ"}

func mutateBytes(r *rand.Rand, s, other string) string {
	from, to := span(r, len(s), 1+r.IntN(200))
	switch r.IntN(10) {
	case 0: // bytes are deleted
		return s[:from] + s[to:]
	case 1: // the text ends in the middle of a line
		return s[:from]
	case 2: // or begins there
		return s[from:]
	case 3, 4: // brackets and quotes go, or others come
		for range 1 + r.IntN(3) {
			if all := bracket.FindAllStringIndex(s, -1); len(all) > 0 {
				at := all[r.IntN(len(all))]
				s = s[:at[0]] + []string{"", "", "(", ")", "{", "}", "[", "]", "<", "\"", "'", "{{"}[r.IntN(12)] + s[at[1]:]
			}
		}
		return s
	case 5: // two tokens change places
		if all := token.FindAllStringIndex(s[from:to], -1); len(all) > 1 {
			i := r.IntN(len(all) - 1)
			a, b := all[i], all[i+1+r.IntN(len(all)-1-i)]
			t := s[from:to]
			return s[:from] + t[:a[0]] + t[b[0]:b[1]] + t[a[1]:b[0]] + t[a[0]:a[1]] + t[b[1]:] + s[to:]
		}
		return s
	case 6: // a word has another name, everywhere or once
		if all := word.FindAllString(s, -1); len(all) > 0 {
			return strings.Replace(s, all[r.IntN(len(all))], all[r.IntN(len(all))], []int{-1, 1}[r.IntN(2)])
		}
		return s
	case 7: // a piece of the other text comes
		i, j := span(r, len(other), 300)
		return s[:from] + other[i:j] + s[from:]
	case 8: // a token very often
		if t := token.FindString(s[from:]); t != "" {
			return s[:from] + strings.Repeat(t+[]string{"", " ", "\n"}[r.IntN(3)], r.IntN(500)) + s[from:]
		}
		return s
	}
	if r.IntN(6) == 0 {
		return strings.ReplaceAll(s, "\n", "\r\n")
	}
	return s[:from] + odd[r.IntN(len(odd))] + s[from:]
}
