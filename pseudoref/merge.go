package pseudoref

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/smells"
)

// MaxTextBytes bounds the text of a reference; ready-made claims can be of any
// length. What is longer is cut at a rune and ends in an ellipsis.
const MaxTextBytes = 8 << 10

// MaxRefs bounds the references of one change.
const MaxRefs = 10_000

// maxLines bounds the lines for which one implication speaks.
const maxLines = 50

// Merge joins lists of references in their order, and says how many were left
// out because there are more than MaxRefs. Texts without any letter or digit do
// not count, and neither does a text that was there before, but for spacing and
// the final stop, or a smell that another source has found at the same line, or
// told as an implication of several lines: counting one point twice would weigh it
// twice in Comp. The same statement about another file is another point.
func Merge(lists ...[]Ref) (merged []Ref, dropped int) {
	type key struct{ path, text string }
	type place struct {
		path, rule string
		line       int
	}
	seen := make(map[key]bool)
	finder := make(map[place]string) // by whom it was found first
	for _, l := range lists {
		for _, r := range l {
			if len(r.Text) > MaxTextBytes {
				r.Text = cut(r.Text, MaxTextBytes) + " …"
			}
			k := key{r.Path, fold(r.Text)}
			if k.text == "" || seen[k] {
				continue
			}
			if rule := smells.SameRule(r.Source, r.Rule); rule != "" {
				if by := finder[place{r.Path, rule, r.StartLine}]; by != "" && by != r.Source {
					continue
				}
				last := r.StartLine
				if r.Kind == Implication { // of several places at once
					last = min(r.EndLine, r.StartLine+maxLines)
				}
				for line := r.StartLine; line <= last; line++ {
					finder[place{r.Path, rule, line}] = r.Source
				}
			}
			if len(merged) == MaxRefs {
				dropped++
				continue
			}
			seen[k] = true
			merged = append(merged, r)
		}
	}
	return merged, dropped
}

// cut shortens s to at most n bytes without breaking a rune.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// fold leaves out what does not make another statement. It is empty for a text
// without letters and digits. Case and symbols are kept, for `Item` and `item`,
// `a < b` and `a > b` are different things.
func fold(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	return strings.TrimRight(strings.Join(strings.Fields(s), " "), ". ")
}

// Ready turns ready-made texts into references of one kind.
func Ready(kind Kind, source string, texts []string) []Ref {
	out := make([]Ref, len(texts))
	for i, t := range texts {
		out[i] = Ref{Kind: kind, Text: strings.ToValidUTF8(t, "\ufffd"), Source: source}
	}
	return out
}

// FromSmells turns smells into references.
func FromSmells(source string, found []smells.Smell) []Ref {
	out := make([]Ref, len(found))
	for i, s := range found {
		out[i] = Ref{
			Kind: Smell, Text: s.Text, Source: source, Rule: s.Rule, Path: s.Path, Side: "new",
			StartLine: s.StartLine, EndLine: s.EndLine,
		}
	}
	return out
}
