package rules

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
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

// declared returns the declaration that an annotation or modifier belongs to.
func declared(n tree.Node) tree.Node {
	if d := attributed(n); n.Is(syntax.Decorator) && d.Ok() {
		return d
	}
	return tree.Unnested(n.Up(func(p tree.Node) bool {
		return modifiable(p) || p.Kind() == "decorated_definition" || p.Kind() == "accessor_declaration"
	}))
}

// modifiable tells whether a node is a declaration that takes modifiers.
func modifiable(p tree.Node) bool {
	return p.Role().IsFunction() || p.Role().IsClass() || p.Is(syntax.Field, syntax.Variable, syntax.Parameter)
}

// cutName tells whether a hunk ends before the name of a declaration, of which it
// shows the attributes only.
func cutName(n tree.Node) bool {
	return n.Is(syntax.Field, syntax.Variable) && n.Frag.Beyond(n.End()-1) && tree.NameOf(n) == ""
}

// annotated says which annotations a new declaration has.
func (w *writer) annotated(n tree.Node, what string) {
	for _, d := range phrase.Decorators(n) {
		if tree.NameOf(d) != "Override" && !phrase.IsTest(n, "") {
			w.add(n, "annotated", "", fact.Slots{Object: phrase.AnnotationWord(d), Of: what}, phrase.Code(d.Text()))
		}
	}
}

// decorator says that an annotation came or went. What stands before a declaration that
// came or went, as `#[test]` of Rust, is said with that.
func (w *writer) decorator(n tree.Node, added bool) {
	x := attributed(n)
	if w.fresh[x] && (x.Role().IsClass() || x.Is(syntax.Function) && strings.HasSuffix("::"+tree.NameOf(n), "::test")) {
		return
	}
	d, of := declared(n), ""
	if d.Ok() && slices.ContainsFunc(phrase.Decorators(tree.Unnested(w.same.Partner(d))),
		func(k tree.Node) bool { return k.Text() == n.Text() }) {
		return // the annotation is that of a neighbour, read as this one's
	}
	if d.Ok() && !cutName(d) {
		of = phrase.DeclaredName(d)
	}
	w.add(n, "annotation-"+fact.Verb(added), "", fact.Slots{Object: phrase.AnnotationWord(n), Of: of}, phrase.Code(n.Text()))
}

func annotationRules() []fact.Rule {
	return append(fact.Both("annotation", fact.Declare, "the {objects} {names} {was|were} {added}[ {to} {of}]"),
		fact.Claim("annotated", fact.Detail, "{of} has the {objects} {names}"))
}
