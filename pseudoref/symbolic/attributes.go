package symbolic

import (
	"slices"
	"strings"

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

// outerAttributes lists the attributes before a declaration.
func outerAttributes(n tree.Node) []tree.Node {
	if !n.Traits().OuterAttributes {
		return nil
	}
	var out []tree.Node
	for k, i := n.Prev(), 0; k.Is(syntax.Decorator, syntax.Comment) && i < tree.MaxClimb; i, k = i+1, k.Prev() {
		if k.Is(syntax.Decorator) {
			out = append(out, k)
		}
	}
	slices.Reverse(out)
	return out
}

// cutName tells whether a hunk ends before the name of a declaration, of which it
// shows the attributes only.
func cutName(n tree.Node) bool {
	return n.Is(syntax.Field, syntax.Variable) && n.Frag.Beyond(n.End()-1) && tree.NameOf(n) == ""
}

// annotationWord says what the language calls an annotation.
func annotationWord(n tree.Node) string {
	switch t := n.Traits().Annotation; {
	case n.Kind() == "decorator":
		return "decorator"
	case t != "":
		return t
	}
	return "annotation"
}

// annotated says which annotations a new declaration has.
func (w *writer) annotated(n tree.Node, what string) {
	if isTest(n, "") {
		return
	}
	for _, d := range decorators(n) {
		if tree.NameOf(d) != "Override" {
			w.add(n, "annotated", "", fact.Slots{Object: annotationWord(d), Of: what}, code(d.Text()))
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
		of = declaredName(d)
	}
	w.add(n, "annotation-"+verb(added), "", fact.Slots{Object: annotationWord(n), Of: of}, code(n.Text()))
}

func annotationRules() []fact.Rule {
	return append(fact.Both("annotation", fact.Declare, "the {objects} {names} {was|were} {added}[ {to} {of}]"),
		fact.Claim("annotated", fact.Detail, "{of} has the {objects} {names}"),
	)
}
