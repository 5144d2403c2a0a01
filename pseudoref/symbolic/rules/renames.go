package rules

import (
	"slices"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// scoped is a pair of names, one of which may have become the other, in a scope:
// the root or a function, before and after.
type scoped struct {
	from, to     string
	members      bool // it is asked of something, as in x.name
	oldIn, newIn tree.Node
}

// rename is a name that became another one everywhere in its scope.
type rename struct {
	scoped
	old, decl tree.Node // where the name is declared; none where that is elsewhere
	uses      int       // places with the new name, that of the declaration included
	first     tree.Node
}

// renamed finds the names that were replaced throughout their scope. The edits
// show which names came in the place of which others; the words of both sides
// show that nothing else happened to them.
func renamed(edits []treediff.Edit, m *treediff.Matching) []rename {
	found := map[scoped]*rename{}
	var order []*rename
	note := func(x, y tree.Node) {
		k, ok := scopeOfRename(x, y, m)
		if !ok {
			return
		}
		r := found[k]
		if r == nil {
			r = &rename{scoped: k, first: y}
			found[k] = r
			order = append(order, r)
		}
		if d := y.Parent(); !r.decl.Ok() && (y.Field() == "name" || d.Is(syntax.Parameters, syntax.Parameter, syntax.Declarator)) &&
			treediff.Declares(d.Role()) &&
			!d.Is(syntax.Pair, syntax.KeywordArgument, syntax.Attribute, syntax.Decorator) || d.Is(syntax.Parameters) {
			r.old, r.decl = x, y
		}
	}
	for _, e := range edits {
		if e.Move || e.Link || !e.Old.Ok() || !e.New.Ok() {
			continue
		}
		for _, p := range replacedNames(e.Old, e.New) {
			note(p[0], p[1])
		}
	}
	var out []rename
	taken := map[string]bool{}
	for _, r := range order {
		if !taken["<"+r.from] && !taken[">"+r.to] && r.certain() {
			taken["<"+r.from], taken[">"+r.to] = true, true
			out = append(out, *r)
		}
	}
	return out
}

// scopeOfRename finds the smallest scope in which one name took the place of another.
func scopeOfRename(x, y tree.Node, m *treediff.Matching) (scoped, bool) {
	if tree.Member(x) != tree.Member(y) || x.Text() == y.Text() || !phrase.SimpleName(x.Text()) || !phrase.SimpleName(y.Text()) ||
		y.Under(syntax.Parameter).Under(syntax.Parameter).Ok() { // in the type of a parameter
		return scoped{}, false
	}
	a, b := treediff.Owner(x), treediff.Owner(y)
	if p := x.Parent(); a.Parent().Ok() && (p == a || p.Parent() == a && !p.Is(syntax.Parameters, syntax.Block)) {
		a, b = treediff.Owner(a), treediff.Owner(b) // a function's own name belongs to what it is in
	}
	for !completes(a, b, x.Text(), y.Text(), tree.Member(y), m) {
		if !a.Ok() || !b.Ok() || !a.Parent().Ok() || !b.Parent().Ok() {
			return scoped{}, false
		}
		a, b = treediff.Owner(a), treediff.Owner(b)
	}
	return scoped{x.Text(), y.Text(), tree.Member(y), a, b}, true
}

// certain counts the places of a rename and tells whether they are enough to call it one.
func (r *rename) certain() bool {
	places, before := tree.MentionsOf(r.newIn, r.to, r.members), tree.MentionsOf(r.oldIn, r.from, r.members)
	r.uses = len(places)
	if len(before) != r.uses && slices.ContainsFunc(places, func(p tree.Node) bool { return p.Under(syntax.Import).Ok() }) {
		return false // another module, used in other ways
	}
	return r.uses > 1 || r.uses == 1 && r.decl.Ok()
}

// completes tells whether one name took the place of another in all of a scope.
func completes(a, b tree.Node, from, to string, members bool, m *treediff.Matching) bool {
	return a.Ok() && b.Ok() && a.Parent().Ok() == b.Parent().Ok() && (!a.Parent().Ok() || m.Partner(a) == b) &&
		len(tree.MentionsOf(a, to, members)) == 0 && len(tree.MentionsOf(b, from, members)) == 0 && !tree.Hides(a, to, members) &&
		!tree.Hides(b, from, members)
}

// replacedNames lists the names that differ in two nodes that are otherwise
// equal, token for token; none where more differs.
func replacedNames(a, b tree.Node) [][2]tree.Node {
	x, y := tokens(a), tokens(b)
	if len(x) != len(y) || len(x) > tree.MaxChain {
		return nil
	}
	var out [][2]tree.Node
	for i := range x {
		if x[i].Text() == y[i].Text() && x[i].Kind() == y[i].Kind() {
			continue
		}
		if !tree.NameLike(x[i]) || !tree.NameLike(y[i]) {
			return nil
		}
		out = append(out, [2]tree.Node{x[i], y[i]})
	}
	return out
}

// tokens lists the leaves of a node.
func tokens(n tree.Node) []tree.Node {
	var out []tree.Node
	for i := n.I; i < n.Last() && len(out) <= tree.MaxChain; i++ {
		if x := n.Tree.At(i); x.Leaf() {
			out = append(out, x)
		}
	}
	return out
}

// sayRenames says which names are other ones now.
func (w *writer) sayRenames(rs []rename) {
	for _, r := range rs {
		if r.decl.Ok() && w.renamedDeclaration(r.old, r.decl) {
			w.done[r.decl] = true
			continue
		}
		where := ""
		if r.newIn.Parent().Ok() {
			where = phrase.PlaceOf(r.first).String()
		}
		w.add(r.first, "renamed", where, fact.Slots{Old: phrase.Code(r.from), New: phrase.Code(r.to), Detail: phrase.Plural(r.uses, "place")})
	}
}

// renamedDeclaration says that a declaration has a new name.
func (w *writer) renamedDeclaration(a, b tree.Node) bool {
	d := b.Parent()
	if b.Field() != "name" && b.Field() != "declarator" && !d.Is(syntax.Parameters, syntax.Declarator, syntax.Parameter) ||
		b.Field() == "type" || b.Field() == "value" {
		return false
	}
	if a.Text() == b.Text() {
		return true // what it belongs to is said to be another
	}
	x, y := phrase.Apart(a.Text(), b.Text())
	s := fact.Slots{Old: x, New: y}
	switch {
	case d.Role().IsFunction():
		s.Object = phrase.FunctionWord(d)
		w.add(b, "function-renamed", "", s)
		if !phrase.IsTest(d, tree.NameOf(d)) {
			w.add(b, "function-renamed-callers", "", s)
		}
	case d.Role().IsClass():
		s.Object = phrase.ClassWord(d)
		w.add(b, "class-renamed", "", s)
	case d.Is(syntax.Parameters, syntax.Parameter):
		if !a.Is(syntax.Identifier) || !b.Is(syntax.Identifier) {
			return false // a type, a reference or a default came with it
		}
		_, s.Of = phrase.OwnerOf(b)
		w.add(b, "parameter-renamed", "", s)
		w.unused(b, b.Text())
	case d.Is(syntax.Declarator, syntax.Variable, syntax.Field):
		field := d.Is(syntax.Field) || d.Parent().Is(syntax.Field)
		s.Object = phrase.Either(field, phrase.FieldWord(d), "variable")
		w.add(b, "variable-renamed", phrase.Inside(b), s)
	default:
		return false
	}
	return true
}

// readAs makes the renamed names of a tree count as the old ones, so that what only mentions
// them is the same before and after.
func readAs(t *tree.Tree, rs []rename) {
	var read []tree.Substitution
	for _, r := range rs {
		for _, n := range tree.MentionsOf(r.newIn, r.to, r.members) {
			read = append(read, tree.Substitution{Start: n.Start(), End: n.End(), Text: r.from})
		}
	}
	t.ReadAs(read)
}

func renameRules() []fact.Rule {
	const became = "the {object} {old} was renamed to {new}"
	return []fact.Rule{
		fact.Claim("class-renamed", fact.Signature, became),
		fact.Claim("function-renamed", fact.Signature, became),
		fact.Implication("function-renamed-callers", "callers of {old} must now call {new}"),
		fact.Claim("parameter-renamed", fact.Signature, "the parameter {old} of {of} was renamed to {new}"),
		fact.Claim("renamed", fact.Behaviour, "{old} was replaced by {new} in {detail}"),
		fact.Claim("variable-renamed", fact.Value, became),
	}
}
