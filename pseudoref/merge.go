package pseudoref

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/internal/limits"
	"crscore/smells"
)

// Merge joins lists of references in their order. It leaves out texts without a letter or
// digit, and repetitions, which would have twice the weight in Comp: a text that differs
// from an earlier text of the same file only in spaces and the final full stop, and a smell
// that another source has found at the same line, or within the lines of an implication.
// dropped is the number of references beyond limits.ChangeRefs.
func Merge(lists ...[]Ref) (merged []Ref, dropped int) {
	type key struct{ path, text string }
	type place struct {
		path, rule string
		line       int
	}
	seen := make(map[key]bool)
	finder := make(map[place]string) // the source that found a smell first
	for _, l := range lists {
		for _, r := range l {
			if len(r.Text) > limits.RefBytes {
				r.Text = cut(r.Text, limits.RefBytes) + " …"
			}
			k := key{r.Path, normalize(r.Text)}
			if k.text == "" || seen[k] {
				continue
			}
			if rule := smells.SameRule(r.Source, r.Rule); rule != "" {
				if by := finder[place{r.Path, rule, r.StartLine}]; by != "" && by != r.Source {
					continue
				}
				last := r.StartLine
				if r.Kind == Implication { // of several places at once
					last = min(r.EndLine, r.StartLine+limits.ImplicationLines)
				}
				for line := r.StartLine; line <= last; line++ {
					finder[place{r.Path, rule, line}] = r.Source
				}
			}
			if len(merged) == limits.ChangeRefs {
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

// normalize removes spaces and full stops that do not change the statement. The result is
// empty for a text without letters and digits. Case and symbols stay, since `Item` and
// `item`, or `a < b` and `a > b`, are different.
func normalize(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
		return ""
	}
	return strings.TrimRight(strings.Join(strings.Fields(s), " "), ". ")
}

// Ready turns ready texts into references of a kind.
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
