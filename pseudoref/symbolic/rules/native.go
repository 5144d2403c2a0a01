package rules

import (
	"slices"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// What C and C++ have and others have not: conditional compilation, and types that
// are spread over a declaration.

// compiled says that code is compiled under a condition only. Of code that stood there
// before it does not say what it does.
func (w *writer) compiled(n tree.Node, at phrase.Place, added bool) {
	s := fact.Slots{Detail: "when " + phrase.RunsWhen(n, true)}
	if n.Is(syntax.Else) {
		s.Detail = "in the `#else` part"
	}
	w.add(n, "compiled-"+fact.Verb(added), at.String(), s)
	if len(w.inner(n)) > 0 { // only the condition around it is new
		return
	}
	alt := n.Child("alternative")
	parts := slices.DeleteFunc(n.Kids(), func(k tree.Node) bool { return k.Field() == "condition" || k == alt || !k.Named() })
	for _, e := range phrase.Effects(parts) {
		w.add(n, "compiled-effect", "", fact.Slots{Object: phrase.Either(added, "new", "removed") + " section", Detail: e})
	}
	for _, k := range parts {
		if k.Role().IsFunction() || k.Role().IsClass() || k.Is(syntax.Comment, syntax.Import, syntax.TypeAlias) ||
			at.Fn == "" && k.Is(syntax.Variable) {
			w.single(k, treediff.Edit{}, added)
		}
	}
}

// spreadWords lists the words of the type of a declaration. In `const char *name = ""` it is spread over
// what stands before the name: qualifiers, the type's own name and stars. It is spoken of as a whole.
func spreadWords(d tree.Node) []tree.Node {
	var out []tree.Node
	name := tree.NameNode(d)
	for k := name; k.Ok(); k = tree.NameNode(k) {
		name = k // the star stands beside the name: `*name = ""` is one declarator
	}
	qualifiers := []string{"const", "volatile", "restrict", "_Atomic"}
	for i := d.I + 1; i < name.I; i++ {
		x := d.Tree.At(i)
		word := x.Is(syntax.Type) && x.Field() == "type" || slices.Contains([]string{"*", "&", "&&"}, x.Kind()) ||
			x.Kind() == "type_qualifier" && slices.Contains(qualifiers, x.Text())
		if word && (x.Parent() == d || x.Parent().Is(syntax.Declarator)) {
			out = append(out, x)
		}
	}
	return out
}

// spreadType is the type of a declaration that spreads over words, or "".
func spreadType(ws []tree.Node) string {
	if len(ws) == 0 {
		return ""
	}
	return tree.OneLine(string(ws[0].Src[ws[0].Start():ws[len(ws)-1].End()]))
}

// spread says once how the type of a declaration changed, where an edit is a part of
// it. It answers false for any other edit.
func (w *writer) spread(e treediff.Edit) bool {
	n := phrase.Either(e.New.Ok(), e.New, e.Old)
	if !n.Traits().SpreadTypes || !e.OldIn.Ok() || !e.NewIn.Ok() {
		return false
	}
	was, is := spreadWords(e.OldIn), spreadWords(e.NewIn)
	x, y, words := spreadType(was), spreadType(is), append(was, is...)
	if x == "" || y == "" || x == y || !slices.Contains(words, n) || !w.retyped(is[0], e.NewIn, phrase.Code(x), phrase.Code(y)) {
		return false
	}
	for _, k := range words {
		w.done[k] = true
	}
	return true
}

// compiledRules are the rules about conditional compilation.
func compiledRules() []fact.Rule {
	return append(fact.Both("compiled", fact.Behaviour, "a section was {added} that is only compiled {detail}"),
		fact.Claim("compiled-effect", fact.Detail, "the {object} {detail}"))
}
