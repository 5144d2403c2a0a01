package symbolic

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// parameterTag matches documentation that tells of parameters one by one.
var parameterTag = regexp.MustCompile(`@param\b|:param\b|<param name=|(?m:^\s*(?:Args|Arguments|Parameters)\s*:?\s*$)`)

// parameterUndocumented says that the documentation tells of the other parameters
// of a function, but not of a new one.
func (w *writer) parameterUndocumented(f item, name string) {
	outer := f
	for outer.parent().ok() && !block(outer.parent()) {
		outer = outer.parent()
	}
	doc := ""
	if before := outer.prev(); before.is(syntax.Comment) {
		doc = before.text()
	} else if b := body(f); len(b) > 0 && strip(b[0]).is(syntax.String) {
		doc = strip(b[0]).text()
	} else if f.traits().Docstrings {
		doc = docstring(bodyOf(f).text())
	}
	if !parameterTag.MatchString(doc) {
		return
	}
	if slices.Contains(strings.FieldsFunc(doc, betweenWords), strings.TrimPrefix(name, "$")) {
		return
	}
	w.names(f, wFollows, "parameter-undocumented", "", "the documentation of "+code(nameOf(f))+" does not mention the new parameter "+slot,
		"the documentation of "+code(nameOf(f))+" does not mention the new parameters "+slot, code(name)).kind = implication
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
