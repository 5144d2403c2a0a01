package rules

import (
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// attributed returns the declaration that an attribute stands before, in a
// language where attributes do; or none.
func attributed(n tree.Node) tree.Node {
	if !n.Traits().OuterAttributes {
		return tree.Node{}
	}
	k := n.Next()
	for i := 0; i < tree.MaxClimb && k.Is(syntax.Decorator, syntax.Comment); i++ {
		k = k.Next()
	}
	if k = tree.Unnested(k); treediff.Declares(k.Role()) {
		return k
	}
	return n.Under(syntax.EnumMember, syntax.Field)
}

// cutName tells whether a hunk ends before the name of a declaration, of which it
// shows the attributes only.
func cutName(n tree.Node) bool {
	return n.Is(syntax.Field, syntax.Variable) && n.Frag.Beyond(n.End()-1) && tree.NameOf(n) == ""
}

// annotated says which annotations a new declaration has.
func (w *writer) annotated(n tree.Node, what string) {
	if phrase.IsTest(n, "") {
		return
	}
	for _, d := range phrase.Decorators(n) {
		if tree.NameOf(d) != "Override" {
			w.add(n, "annotated", "", fact.Slots{Object: phrase.AnnotationWord(d), Of: what}, phrase.Code(d.Text()))
		}
	}
}

// decorator says that an annotation came or went.
func (w *writer) decorator(n tree.Node, added bool) {
	x := attributed(n)
	if (w.fresh[x] || w.done[x]) && (x.Role().IsClass() || x.Is(syntax.Function) && strings.HasSuffix("::"+tree.NameOf(n), "::test")) {
		return // said with the declaration
	}
	of := ""
	if d := declared(n); d.Ok() && !cutName(d) {
		of = phrase.DeclaredName(d)
	}
	w.add(n, "annotation-"+fact.Verb(added), "", fact.Slots{Object: phrase.AnnotationWord(n), Of: of}, phrase.Code(n.Text()))
}

func annotationRules() []fact.Rule {
	return append(fact.Both("annotation", fact.Declare, "the {objects} {names} {was|were} {added}[ {to} {of}]"),
		fact.Claim("annotated", fact.Detail, "{of} has the {objects} {names}"),
	)
}
