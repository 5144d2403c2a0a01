package phrase

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// MaxCode is the length in characters above which pasted code is cut.
const MaxCode = 40

// MaxProse is the length in characters above which a quoted comment is cut.
const MaxProse = 72

// Code puts source text between backticks, on one line and cut to maxCode.
func Code(s string) string { return CodeTo(s, MaxCode) }

// CodeTo is code with another limit.
func CodeTo(s string, limit int) string {
	s = tree.Seen(tree.OneLine(s))
	if s == "" {
		return fact.Nothing
	}
	s = Cut(s, limit)
	if strings.Contains(s, "`") { // as Markdown does it
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// Quote puts a literal text between quotation marks, cut at a word.
func Quote(s string, limit int) string {
	if s != "" && strings.Trim(s, " ") == "" {
		return "`\"" + Cut(s, limit) + "\"`"
	}
	s = tree.OneLine(s)
	if s == "" {
		return "an empty string"
	}
	if strings.Contains(s, `"`) {
		return "“" + Cut(s, limit) + "”"
	}
	return `"` + Cut(s, limit) + `"`
}

// Cut shortens s to limit characters, at a word where there is one near.
func Cut(s string, limit int) string {
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

// List joins phrases: "a", "a and b", "a, b and c", "a, b, c and 4 more".
func List(xs []string) string { return ListOf(xs, maxShown, "and") }

// ListOf is list with another length and another last word. It never leaves out one
// alone: "and 1 more" is no shorter than that one.
func ListOf(xs []string, limit int, and string) string {
	if len(xs) > limit+1 {
		return strings.Join(xs[:limit], ", ") + " and " + strconv.Itoa(len(xs)-limit) + " more"
	}
	if len(xs) <= 1 {
		return strings.Join(xs, "")
	}
	return strings.Join(xs[:len(xs)-1], ", ") + " " + and + " " + xs[len(xs)-1]
}

// maxShown is the number of phrases of a list that are shown, where there are more.
const maxShown = 3

// Many is the form of a noun that goes with a number.
func Many(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// Plural returns "1 line", "3 lines".
func Plural(n int, one string) string { return strconv.Itoa(n) + " " + Many(n, one) }

// Uniq leaves out repeated phrases and keeps the order.
func Uniq(xs []string) []string {
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

// An puts the indefinite article before a phrase.
func An(s string) string {
	t := strings.TrimLeft(s, "`\"")
	if t != "" && strings.ContainsRune("aeiouAEIOU", rune(t[0])) {
		return "an " + s
	}
	return "a " + s
}

// Sentence makes a sentence of a clause: a capital first, a full stop last.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:] + "."
}

// Apart quotes two values so that both show where they differ.
func Apart(a, b string) (string, string) {
	x, y := Code(a), Code(b)
	if x != y {
		return x, y
	}
	i := 0
	ra, rb := []rune(tree.OneLine(a)), []rune(tree.OneLine(b))
	for i < len(ra) && i < len(rb) && ra[i] == rb[i] {
		i++
	}
	// From the beginning of the word, if that is near.
	start := i
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) }
	for start > 0 && i-start < MaxCode/2 && inWord(ra[start-1]) {
		start--
	}
	return Code("…" + string(ra[start:])), Code("…" + string(rb[start:]))
}
