package phrase

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	regexp "crscore/internal/lazyregexp"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// CodeRunes is the length in characters above which pasted code is cut.
const CodeRunes = 40

// ProseRunes is the length in characters above which a quoted comment is cut.
const ProseRunes = 72

// ShortCode is the length in characters to which a quotation is cut where a claim would have
// too many words, or would hold a whole line of the change.
const ShortCode = 24

// Code puts source text between backticks, on one line and cut to CodeRunes.
func Code(s string) string { return CodeTo(s, CodeRunes) }

// CodeTo is Code with another limit.
func CodeTo(s string, limit int) string { return quotation(code, s, limit) }

// Quote puts a literal text between quotation marks, cut at a word.
func Quote(s string, limit int) string { return quotation(text, s, limit) }

// shortWords is the most words of a quotation in short.
const shortWords = 5

// quotation quotes a text in full and in short.
func quotation(quote func(s string, limit int) string, s string, limit int) string {
	full := quote(s, limit)
	if words := strings.Fields(tree.OneLine(s)); len(words) > shortWords {
		s = Ended(strings.Join(words[:shortWords], " "))
	}
	return shortened(full, quote(s, ShortCode))
}

// shortened is a quotation in full and in short, where it is worth that.
func shortened(full, short string) string {
	if len(short) < len(full) && (len(full) > ShortCode+4 || CountWords(full) > shortWords) {
		return Or(full, short)
	}
	return full
}

// code is source text between backticks, on one line and cut.
func code(s string, limit int) string {
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

// text is a literal text between quotation marks.
func text(s string, limit int) string {
	switch line := tree.OneLine(s); {
	case s != "" && strings.Trim(s, " ") == "": // of blanks only
		return "`\"" + Cut(s, limit) + "\"`"
	case line == "":
		return "an empty string"
	case strings.Contains(line, `"`):
		return "“" + Cut(line, limit) + "”"
	default:
		return `"` + Cut(line, limit) + `"`
	}
}

// nameRunes is the length in characters up to which a name or a path is quoted whole: half of one names nothing.
const nameRunes = 80

// Cut shortens s to some limit characters, before a word where one begins near, else behind
// it: half of a name names nothing.
func Cut(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit || len(r) <= nameRunes && isName(s) {
		return s
	}
	inWord := func(k int) bool { return k < len(r) && wordRune(r[k]) }
	end := limit
	for inWord(end) && end > limit*2/3 {
		end--
	}
	if end == limit*2/3 {
		for end = limit; inWord(end) && end < limit*4/3; {
			end++
		}
	}
	if end == len(r) {
		return s
	}
	return Ended(string(r[:end]))
}

// isName reports whether a text is a single name or path: "config/app.yml", "java.util.List".
func isName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !wordRune(r) && !strings.ContainsRune(`.-/\:$@~`, r) })
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// dangling are what a cut text may not end in: marks, opening brackets and an operator that stands alone. The `=` of
// `help=…` says more.
var dangling = regexp.MustCompile("(?:\\s[-=|&+*/<>!?%\\\\]+|[ ,.;:(\\[{])+$")

// Ended marks the beginning of a text as one, and leaves no bracket in it open: `log(user, sum(a, b` is
// `log(user, sum…)`. What an open bracket or quotation holds goes where enough is left without it.
func Ended(s string) string {
	open, end := openMarks(s), ""
	for _, k := range slices.Backward(open) {
		if k > len(s)*2/3 || k > 0 && closing[s[k]] == "" {
			s = s[:k]
		} else {
			end += closing[s[k]]
		}
	}
	return dangling.ReplaceAllString(s, "") + "…" + end
}

// closing are the brackets by those that they close.
var closing = map[byte]string{'(': ")", '[': "]", '{': "}"}

// openMarks returns where the brackets stand that s does not close, and last the quotation mark.
// An apostrophe in a word is none.
func openMarks(s string) []int {
	var open []int
	for i := 0; i < len(s); i++ {
		n, c := len(open)-1, s[i]
		quoted := n >= 0 && closing[s[open[n]]] == ""
		switch {
		case quoted && c == '\\':
			i++
		case quoted && c == s[open[n]], !quoted && n >= 0 && closing[s[open[n]]] == s[i:i+1]:
			open = open[:n]
		case !quoted && (closing[c] != "" || c == '"' || c == '`' || c == '\'' && (i == 0 || !tree.WordByte(s[i-1]))):
			open = append(open, i)
		}
	}
	return open
}

// List joins phrases: "a", "a and b", "a, b and c", "a, b, c and 4 more".
func List(xs []string) string { return ListOf(xs, shownPhrases, "and") }

// ListOf is List with another length and another last word. It never leaves out one
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

// shownPhrases is the number of phrases of a list that are shown, where there are more.
const shownPhrases = 3

// Many is the form of a noun that goes with a number: "keys" and "properties" with 2.
func Many(n int, noun string) string {
	if stem, y := strings.CutSuffix(noun, "y"); n != 1 && y && !strings.HasSuffix(stem, "e") {
		return stem + "ies"
	}
	return noun + Either(n == 1, "", "s")
}

// Plural returns "1 line", "3 lines".
func Plural(n int, one string) string { return strconv.Itoa(n) + " " + Many(n, one) }

// Uniq leaves out repeated phrases and keeps the order.
func Uniq(xs []string) []string {
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(slices.Clone(xs), func(x string) bool {
		again := seen[x]
		seen[x] = true
		return again
	})
}

// An puts the indefinite article before a phrase.
func An(s string) string {
	t := strings.TrimLeft(s, "`\""+choiceOpens)
	if t != "" && strings.ContainsRune("aeiouAEIOU", rune(t[0])) {
		return "an " + s
	}
	return "a " + s
}

// Sentence makes a sentence of a clause: a capital first, a full stop last.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:] + "."
}

// shownBefore is the number of characters that are shown before the place where two texts begin to differ.
const shownBefore = 8

// Apart quotes two pieces of code so that both show where they differ.
func Apart(a, b string) (string, string) { return apart(a, b, code, CodeRunes) }

// TextsApart quotes two texts so that both show where they differ.
func TextsApart(a, b string) (string, string) {
	return apart(a, b, text, min(proseLimit(a), proseLimit(b)))
}

// apart quotes two texts in full and in short.
func apart(a, b string, quote func(s string, limit int) string, limit int) (string, string) {
	x, y := shownApart(a, b, quote, limit)
	shortX, shortY := shownApart(a, b, quote, ShortCode)
	return shortened(x, shortX), shortened(y, shortY)
}

// shownApart quotes two texts from where they differ, if a cut at limit would hide that.
func shownApart(a, b string, quote func(s string, limit int) string, limit int) (string, string) {
	x, y := quote(a, limit), quote(b, limit)
	hides := func(cut, other string) bool {
		begins, _, found := strings.Cut(cut, "…")
		return found && strings.HasPrefix(quote(other, len(other)), begins)
	}
	if x != y && !hides(x, b) && !hides(y, a) {
		return x, y
	}
	i := 0
	ra, rb := []rune(tree.OneLine(a)), []rune(tree.OneLine(b))
	for i < len(ra) && i < len(rb) && ra[i] == rb[i] {
		i++
	}
	// With a little before it, from the beginning of a word if that is near.
	start := max(0, i-shownBefore)
	for start > 0 && i-start < CodeRunes/2 && (wordRune(ra[start-1]) || strings.ContainsRune(`.-/\`, ra[start-1])) {
		start--
	}
	if start > 0 { // a long word, which is left out
		start += max(0, slices.IndexFunc(ra[start-1:i], func(r rune) bool { return !wordRune(r) }))
	}
	return quote("…"+string(ra[start:]), limit), quote("…"+string(rb[start:]), limit)
}

// Passages cuts a text into at most limit parts of at most words words each: where a sentence ends, else where a
// clause does, else before a word that joins. What stands beyond them is left out, and the last says so.
func Passages(s string, words, limit int) []string {
	rest := strings.Fields(tree.OneLine(s))
	var out []string
	for len(rest) > 0 && len(out) < limit {
		if len(out) > 0 && len(rest) < 3 {
			out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "…") + "…"
			break
		}
		k := passage(rest, words)
		p := strings.Join(rest[:k], " ")
		rest = rest[k:]
		whole := len(rest) == 0 || strings.IndexByte(".!?", p[len(p)-1]) >= 0
		if p = strings.TrimRight(p, ".,;: "); !whole {
			p += "…"
		}
		if strings.Trim(p, "… ") != "" {
			out = append(out, Cut(p, passageRunes))
		}
	}
	return out
}

// passageRunes is the length in characters above which a passage is cut all the
// same: it holds an address or a line of signs.
const passageRunes = 160

// endings are the marks behind which a text may be cut, and joining the words before which it may be, and how well.
var (
	endings = map[byte]int{'.': 5, '!': 5, '?': 5, ';': 4, ':': 4, ',': 3, ')': 3}
	joining = map[string]int{
		"-": 3, "–": 3, "—": 3,
		"and": 2, "or": 2, "but": 2, "which": 2, "that": 2, "because": 2, "since": 2, "so": 2,
		"if": 2, "when": 2, "where": 2, "while": 2, "until": 2, "unless": 2,
		"for": 1, "with": 1, "in": 1, "by": 1, "from": 1, "before": 1, "after": 1,
	}
)

// passage says how many of the words make a first passage.
func passage(ws []string, words int) int {
	open := false // within quotation marks
	best, score := min(words, len(ws)), 0
	for k := 1; k <= min(words, len(ws)); k++ {
		w := ws[k-1]
		if strings.Count(w, "`")%2 == 1 || strings.Count(w, `"`)%2 == 1 {
			open = !open
		}
		core := cmp.Or(strings.TrimRight(w, "\"')`”"), w)
		s := max(endings[w[len(w)-1]], endings[core[len(core)-1]])
		switch {
		case open:
			continue
		case k == len(ws):
			s = 6
		case core == "e.g." || core == "i.e.", s == 0:
			s = joining[ws[k]]
		}
		if s >= score && s > 0 && (k > words/2 || s >= 5 && k > words/3) {
			best, score = k, s
		}
	}
	return best
}

// QuoteText quotes a passage.
func QuoteText(s string) string { return Quote(s, proseLimit(s)) }

// proseLimit is the length to which a text is cut: what is no prose, such as a key, is cut as code is.
func proseLimit(s string) int {
	if n := len(strings.Fields(s)); n > 0 && len(s)/n > 14 {
		return CodeRunes
	}
	return passageRunes
}

// FirstPassage is the beginning of a text, or what there is of it where it has no words.
func FirstPassage(s string, words int) string {
	if p := Passages(s, words, 1); len(p) > 0 {
		return p[0]
	}
	return s
}
