package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// parameterTag matches documentation that tells of parameters one by one.
var parameterTag = regexp.MustCompile(`@param\b|:param\b|<param name=|(?m:^\s*(?:Args|Arguments|Parameters)\s*:?\s*$)`)

// parameterUndocumented says that the documentation tells of the other parameters
// of a function, but not of a new one.
func (w *writer) parameterUndocumented(f tree.Node, name string) {
	outer := f
	for outer.Parent().Ok() && !treediff.Block(outer.Parent()) {
		outer = outer.Parent()
	}
	doc := ""
	if before := outer.Prev(); before.Is(syntax.Comment) {
		doc = before.Text()
	} else if b := tree.Body(f); len(b) > 0 && tree.Strip(b[0]).Is(syntax.String) {
		doc = tree.Strip(b[0]).Text()
	} else if f.Traits().Docstrings {
		doc = docstring(treediff.BodyOf(f).Text())
	}
	if !parameterTag.MatchString(doc) {
		return
	}
	if slices.Contains(strings.FieldsFunc(doc, tree.BetweenWords), strings.TrimPrefix(name, "$")) {
		return
	}
	w.names(f, wFollows, "parameter-undocumented", "", "the documentation of "+code(tree.NameOf(f))+" does not mention the new parameter "+slot,
		"the documentation of "+code(tree.NameOf(f))+" does not mention the new parameters "+slot, code(name)).kind = implication
}

// docstring is the text in three quotes that a body begins with, or "".
func docstring(body string) string {
	body = strings.TrimLeft(body, "rRuUbB \t\n")
	for _, q := range []string{`"""`, `'''`} {
		if rest, ok := strings.CutPrefix(body, q); ok {
			doc, _, _ := strings.Cut(rest, q)
			return doc
		}
	}
	return ""
}
