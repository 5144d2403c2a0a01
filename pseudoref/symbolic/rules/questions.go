package rules

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// parameterTag matches documentation that tells of parameters one by one.
var parameterTag = regexp.MustCompile(`@param\b|:param\b|<param name=|(?m:^\s*(?:Args|Arguments|Parameters)\s*:?\s*$)`)

// parameterUndocumented says that the documentation tells of the other parameters
// of a function, but not of a new one.
func (w *writer) parameterUndocumented(f tree.Node, name string) {
	doc := ""
	if before := f.Prev(); before.Is(syntax.Comment) {
		doc = before.Text()
	} else if f.Traits().Docstrings {
		_, rest, _ := strings.Cut(treediff.BodyOf(f).Text(), `"""`)
		doc, _, _ = strings.Cut(rest, `"""`)
	}
	if !parameterTag.MatchString(doc) || slices.Contains(strings.FieldsFunc(doc, tree.BetweenWords), strings.TrimPrefix(name, "$")) {
		return
	}
	w.add(f, "parameter-undocumented", "", fact.Slots{Of: phrase.Code(tree.NameOf(f))}, phrase.Code(name))
}
