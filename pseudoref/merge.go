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

// Merge joins lists of references in their order. Texts without any letter or
// digit are left out, and so is a text that was there before, whatever its
// case, spacing and punctuation: counting one point twice would weigh it twice
// in Comp. The same statement about another file is another point.
func Merge(lists ...[]Ref) []Ref {
	type key struct{ path, text string }
	seen := make(map[key]bool)
	var out []Ref
	for _, l := range lists {
		for _, r := range l {
			if len(r.Text) > MaxTextBytes {
				r.Text = cut(r.Text, MaxTextBytes) + " …"
			}
			k := key{r.Path, fold(r.Text)}
			if k.text == "" || seen[k] || len(out) == MaxRefs {
				continue
			}
			seen[k] = true
			out = append(out, r)
		}
	}
	return out
}

// cut shortens s to at most n bytes without breaking a rune.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// fold keeps letters, digits and single spaces between them. Symbols are kept
// as well, for `a < b` and `a > b` are two statements.
func fold(s string) string {
	var b strings.Builder
	word := false
	for _, f := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return unicode.IsSpace(r) || r == '.' || r == ',' || r == '`' || r == '*' || unicode.IsControl(r)
	}) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f)
		word = word || strings.IndexFunc(f, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
	}
	if !word {
		return ""
	}
	return b.String()
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
