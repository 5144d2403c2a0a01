package rules

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// What C and C++ have and others have not: conditional compilation, and types that
// are spread over a declaration.

// compiled says that code is compiled under a condition only.
func (w *writer) compiled(n tree.Node, at phrase.Place, added bool) {
	id, s := "compiled-"+fact.Verb(added), fact.Slots{Detail: "when " + phrase.RunsWhen(n, true)}
	if n.Is(syntax.Else) {
		s.Detail = "in the `#else` part"
	}
	alt := n.Child("alternative")
	in := slices.DeleteFunc(w.inner(n), func(x tree.Node) bool { return x.Is(syntax.Comment) || alt.Contains(x) })
	if len(in) > 0 {
		s.Object = phrase.Noun(in[0], "the")
		w.add(n, id, at.String(), s)
		return
	}
	s.Form = "section"
	w.add(n, id, at.String(), s)
	parts := slices.DeleteFunc(n.Kids(), func(k tree.Node) bool { return k.Field() == "condition" || k == alt || !k.Named() })
	for _, e := range phrase.Effects(parts) {
		w.add(n, "compiled-effect", "", fact.Slots{Object: phrase.Either(added, "new", "removed") + " section", Detail: e})
	}
	for _, k := range parts {
		if k.Role().IsFunction() || k.Role().IsClass() || k.Is(syntax.Comment, syntax.Import, syntax.TypeAlias) || at.Fn == "" && k.Is(syntax.Variable) {
			w.single(k, treediff.Edit{}, added)
		}
	}
}

// A type is spread over what stands before a name: qualifiers, the type's own name,
// stars and ampersands. It is spoken of as a whole.

// typeWord tells whether a node is one of the words of a spread type.
func typeWord(n tree.Node) bool {
	switch n.Kind() {
	case "*", "&", "&&":
		return true
	case "type_qualifier":
		return slices.Contains([]string{"const", "volatile", "restrict", "_Atomic"}, n.Text())
	}
	return n.Field() == "type" && n.Is(syntax.Type)
}

// spreadWords lists the words of the type of a declaration.
func spreadWords(d tree.Node) []tree.Node {
	var out []tree.Node
	name := tree.NameNode(d)
	for _, k := range d.Kids() {
		if k == name || k.Field() == "parameters" {
			if k.Is(syntax.Declarator) {
				for _, x := range k.Kids() {
					if x == tree.NameNode(k) || !typeWord(x) {
						break
					}
					out = append(out, x)
				}
			}
			break
		}
		if typeWord(k) {
			out = append(out, k)
		}
	}
	return out
}

// spreadType is the text of the type of a declaration, "" for none.
func spreadType(d tree.Node) string {
	ws := spreadWords(d)
	if len(ws) == 0 {
		return ""
	}
	return tree.OneLine(string(d.Src[ws[0].Start():ws[len(ws)-1].End()]))
}

// spread says how the type of a declaration changed, where an edit is a part of
// it. It answers false for any other edit.
func (w *writer) spread(e treediff.Edit) bool {
	n, old, new := e.New, e.OldIn, e.NewIn
	if !n.Ok() {
		n = e.Old
	}
	return n.Traits().SpreadTypes && typeWord(n) && old.Ok() && new.Ok() &&
		slices.Contains(append(spreadWords(old), spreadWords(new)...), n) && w.spreadChanged(old, new)
}

// spreadChanged says once how the type of a declaration changed.
func (w *writer) spreadChanged(old, new tree.Node) bool {
	x, y := spreadType(old), spreadType(new)
	if x == "" || y == "" {
		return false
	}
	ws := spreadWords(new)
	if w.done[ws[0]] || strings.ReplaceAll(x, " ", "") == strings.ReplaceAll(y, " ", "") {
		return true
	}
	from, to := phrase.Code(x), phrase.Code(y)
	if from == to || !w.retyped(ws[0], new, from, to) {
		return false
	}
	for _, k := range append(ws, spreadWords(old)...) {
		w.done[k] = true
	}
	return true
}

func compiledRules() []fact.Rule {
	return append(fact.Both("compiled", fact.Behaviour, "{object} is {now} only compiled {detail}",
		fact.Sentence{Form: "section", Text: "a section was {added} that is only compiled {detail}"}),
		fact.Claim("compiled-effect", fact.Detail, "the {object} {detail}"),
	)
}
