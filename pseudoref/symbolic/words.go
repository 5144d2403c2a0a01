package symbolic

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/pseudoref/symbolic/tree"
)

// maxCode is the length in characters above which pasted code is cut.
const maxCode = 40

// maxProse is the length in characters above which a quoted comment is cut.
const maxProse = 72

// nothing is what code makes of an empty text.
const nothing = "an empty text"

// code puts source text between backticks, on one line and cut to maxCode.
func code(s string) string { return codeTo(s, maxCode) }

// codeTo is code with another limit.
func codeTo(s string, limit int) string {
	s = tree.Seen(tree.OneLine(s))
	if s == "" {
		return nothing
	}
	s = cut(s, limit)
	if strings.Contains(s, "`") { // as Markdown does it
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// quote puts a literal text between quotation marks, cut at a word.
func quote(s string, limit int) string {
	if s != "" && strings.Trim(s, " ") == "" {
		return "`\"" + cut(s, limit) + "\"`"
	}
	s = tree.OneLine(s)
	if s == "" {
		return "an empty string"
	}
	if strings.Contains(s, `"`) {
		return "“" + cut(s, limit) + "”"
	}
	return `"` + cut(s, limit) + `"`
}

// cut shortens s to limit characters, at a word where there is one near.
func cut(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	end := limit
	for k := limit; k > limit*2/3; k-- {
		if !unicode.IsLetter(r[k]) && !unicode.IsDigit(r[k]) && r[k] != '_' {
			end = k
			break
		}
	}
	s = string(r[:end])
	s = s[:openQuote(s)]
	return strings.TrimRight(s, " ,.;:([{\"'`") + "…"
}

// openQuote returns where a quotation begins that s does not end, or s's length.
func openQuote(s string) int {
	open := -1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case open >= 0 && c == '\\':
			i++
		case open >= 0:
			if c == s[open] {
				open = -1
			}
		case c == '"', c == '`', c == '\'' && (i == 0 || !tree.WordByte(s[i-1])):
			open = i
		}
	}
	if open > 0 {
		return open
	}
	return len(s)
}

// list joins phrases: "a", "a and b", "a, b and c", "a, b, c and 4 more".
func list(xs []string) string { return listOf(xs, maxShown, "and") }

// maxShown is the number of phrases of a list that are shown, where there are more.
const maxShown = 3

// listOf is list with another length and another last word. It never leaves out one
// alone: "and 1 more" is no shorter than that one.
func listOf(xs []string, limit int, and string) string {
	if len(xs) > limit+1 {
		return strings.Join(xs[:limit], ", ") + " and " + strconv.Itoa(len(xs)-limit) + " more"
	}
	if len(xs) <= 1 {
		return strings.Join(xs, "")
	}
	return strings.Join(xs[:len(xs)-1], ", ") + " " + and + " " + xs[len(xs)-1]
}

// sentence makes a sentence of a clause: a capital first, a full stop last.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:] + "."
}

// plural returns "1 line", "3 lines".
func plural(n int, one string) string { return strconv.Itoa(n) + " " + many(n, one) }

// an puts the indefinite article before a phrase.
func an(s string) string {
	t := strings.TrimLeft(s, "`\"")
	if t != "" && strings.ContainsRune("aeiouAEIOU", rune(t[0])) {
		return "an " + s
	}
	return "a " + s
}

// uniq leaves out repeated phrases and keeps the order.
func uniq(xs []string) []string {
	seen := map[string]bool{}
	out := xs[:0:0]
	for _, x := range xs {
		if x != "" && !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// many is the form of a noun that goes with a number.
func many(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
