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

// spreadWords lists the words of the type of a declaration. In `const char *name` it is
// spread over what stands before the name: qualifiers, the type's own name, stars and
// ampersands. It is spoken of as a whole.
func spreadWords(d tree.Node) []tree.Node {
	var out []tree.Node
	end := d.Last()
	if name := tree.NameNode(d); name.Ok() {
		end = name.I
	}
	for i := d.I + 1; i < end && d.Tree.At(i).Field() != "parameters"; i++ {
		if x := d.Tree.At(i); typeWord(x) && (x.Parent() == d || x.Parent().Is(syntax.Declarator)) {
			out = append(out, x)
		}
	}
	return out
}

// typeWord tells whether a node is one of the words of a spread type.
func typeWord(n tree.Node) bool {
	switch n.Kind() {
	case "*", "&", "&&": // they stand at the name: `char *name`
		return true
	case "type_qualifier":
		return slices.Contains([]string{"const", "volatile", "restrict", "_Atomic"}, n.Text())
	}
	return n.Field() == "type" && n.Is(syntax.Type)
}

// spreadType is the text of the type of a declaration, `const char *` for `const char *name`, or "".
func spreadType(d tree.Node) string {
	ws := spreadWords(d)
	if len(ws) == 0 {
		return ""
	}
	return tree.OneLine(string(d.Src[ws[0].Start():ws[len(ws)-1].End()]))
}

// spread says once how the type of a declaration changed, where an edit is a part of
// it. It answers false for any other edit.
func (w *writer) spread(e treediff.Edit) bool {
	n, old, new := e.New, e.OldIn, e.NewIn
	if !n.Ok() {
		n = e.Old
	}
	if !n.Traits().SpreadTypes || !typeWord(n) || !old.Ok() || !new.Ok() {
		return false
	}
	words, x, y := append(spreadWords(new), spreadWords(old)...), spreadType(old), spreadType(new)
	if x == "" || y == "" || x == y || !slices.Contains(words, n) {
		return false
	}
	if !w.retyped(words[0], new, phrase.Code(x), phrase.Code(y)) {
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
