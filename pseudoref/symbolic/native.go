package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// What C and C++ have and others have not: conditional compilation, and types that
// are spread over a declaration.

// conditional tells whether a branch is one of the preprocessor.
func conditional(n tree.Node) bool { return strings.HasPrefix(n.Kind(), "preproc_") }

// includeGuard tells whether a branch of the preprocessor only keeps a header
// from being read twice.
func includeGuard(n tree.Node) bool {
	k := n.NamedKids()
	return n.Kind() == "preproc_ifdef" && strings.HasPrefix(n.Text(), "#ifndef") && len(k) > 1 && k[1].Is(syntax.Variable) && tree.NameOf(k[1]) == k[0].Text() && !k[1].Child("value").Ok()
}

// compiled says that code is compiled under a condition only.
func (w *writer) compiled(n tree.Node, at place, added bool) {
	v := verb(added)
	if includeGuard(n) {
		for _, k := range n.NamedKids()[2:] {
			w.single(k, treediff.Edit{}, added)
		}
		return
	}
	when := "when " + runsWhen(n, true)
	if n.Is(syntax.Else) {
		when = "in the `#else` part"
	}
	alt := n.Child("alternative")
	in := slices.DeleteFunc(w.inner(n), func(x tree.Node) bool { return x.Is(syntax.Comment) || alt.Contains(x) })
	if len(in) > 0 {
		w.say(n, wBehaviour, "compiled-"+v, at.String(), noun(in[0], "the")+map[bool]string{true: " is now", false: " is no longer"}[added]+" only compiled "+when)
		return
	}
	what := "a section was " + v + " that is only compiled " + when
	if tree.Condition(n).Text() == "0" {
		what = "a section was " + v + " that `#if 0` turns off"
	}
	w.say(n, wBehaviour, "compiled-"+v, at.String(), what)
	parts := slices.DeleteFunc(n.Kids(), func(k tree.Node) bool { return k.Field() == "condition" || k == alt || !k.Named() })
	w.each(n, wDetail, "compiled-effect", "", "the "+map[bool]string{true: "new", false: "removed"}[added]+" section ", effects(parts))
	for _, k := range parts {
		if k.Role().IsFunction() || k.Role().IsClass() || k.Is(syntax.Comment, syntax.Import, syntax.TypeAlias) || at.fn == "" && k.Is(syntax.Variable) {
			w.single(k, treediff.Edit{}, added)
		}
	}
}

// declaredAgain compares two declarations of one name part by part, where their
// nodes are of two kinds or too much of them has changed.
func (w *writer) declaredAgain(a, b tree.Node) bool {
	if a.Role() != b.Role() || !treediff.Declares(b.Role()) || b.Is(syntax.Declarator) || tree.NameOf(a) == "" || tree.NameOf(a) != tree.NameOf(b) || a.Leaf() || b.Leaf() {
		return false
	}
	edits := treediff.Lists(a, b, a.Kids(), b.Kids())
	if len(edits) == 0 {
		return false
	}
	before := len(w.facts)
	w.refresh(edits)
	w.describe(edits)
	return len(w.facts) > before
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
	from, to := ws[0].Start(), ws[len(ws)-1].End()
	if b := d.First(syntax.Parameters); b.Ok() && d.KidOf("(") && !d.Is(syntax.Function, syntax.Constructor) {
		to = b.End() // a pointer to a function
	}
	return tree.OneLine(string(d.Src[from:to]))
}

// spread says how the type of a declaration changed, where an edit is a part of
// it. It answers false for any other edit.
func (w *writer) spread(e treediff.Edit) bool {
	n := e.New
	if !n.Ok() {
		n = e.Old
	}
	old, new := e.OldIn, e.NewIn
	if !n.Traits().SpreadTypes || !typeWord(n) || !old.Ok() || !new.Ok() {
		return false
	}
	if old.Is(syntax.Declarator) && new.Is(syntax.Declarator) {
		old, new = old.Parent(), new.Parent()
	}
	if n.Kind() == "type_qualifier" && new.Is(syntax.Variable, syntax.Field) && bare(old) == bare(new) {
		return false // it was made const, or is no longer
	}
	return slices.Contains(append(spreadWords(old), spreadWords(new)...), n) && w.spreadChanged(old, new)
}

// bare is a spread type without its qualifiers.
func bare(d tree.Node) string {
	var out []string
	for _, k := range spreadWords(d) {
		if k.Kind() != "type_qualifier" {
			out = append(out, tree.OneLine(k.Text()))
		}
	}
	return strings.Join(out, " ")
}

// spreadChanged says once how the type of a declaration changed.
func (w *writer) spreadChanged(old, new tree.Node) bool {
	x, y := spreadType(old), spreadType(new)
	if x == "" || y == "" {
		return false
	}
	ws := spreadWords(new)
	if w.done[ws[0]] {
		return true
	}
	for _, k := range append(ws, spreadWords(old)...) {
		w.done[k] = true
	}
	if strings.ReplaceAll(x, " ", "") == strings.ReplaceAll(y, " ", "") {
		return true
	}
	from, to := code(x), code(y)
	name := code(tree.NameOf(new))
	switch {
	case from == to:
		return false
	case new.Is(syntax.Function):
		w.say(ws[0], wSignature, "return-type-changed", "", "the return type of "+name+" was changed from "+from+" to "+to)
		if y != "void" && x != "void" {
			w.follows(ws[0], "return-type-callers", "callers of "+name+" now get "+to)
		}
	case new.Is(syntax.Parameter):
		_, owner := ownerOf(new)
		if !tree.NameNode(new).Ok() {
			w.say(ws[0], wSignature, "parameter-type-changed", "", "the type of a parameter of "+owner+" was changed from "+from+" to "+to)
			break
		}
		w.parameterType(ws[0], owner, code(tree.ParameterName(new)), from, to)
	case new.Is(syntax.Variable, syntax.Field, syntax.Loop):
		what := noun(new, "the")
		if new.Is(syntax.Loop) {
			what = "the loop variable " + name
		}
		if strings.Contains(x, "auto") || strings.Contains(y, "auto") { // perhaps the same type
			w.say(ws[0], wDetail, "type-changed", inside(new), what+" is now declared as "+to+" instead of "+from)
			break
		}
		w.say(ws[0], wValue, "type-changed", inside(new), "the type of "+what+" was changed from "+from+" to "+to).about(what)
	default:
		return false
	}
	return true
}
