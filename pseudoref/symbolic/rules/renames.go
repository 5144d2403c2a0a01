package rules

import (
	"slices"
	"strings"

	"crscore/internal/limits"
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

// renamed finds the names that were replaced throughout their scope. The edits show which names came in the place of
// which others; the words of both sides show that nothing else happened to them.
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
		d := y.Parent()
		names := treediff.Declares(d.Role()) && !d.Is(syntax.Pair, syntax.KeywordArgument, syntax.Attribute, syntax.Decorator) &&
			(y.Field() == "name" || d.Is(syntax.Parameter, syntax.Declarator))
		if !r.decl.Ok() && names || d.Is(syntax.Parameters) {
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
		if !taken["<"+r.from] && !taken[">"+r.to] && r.certain() { // one name becomes one other name
			taken["<"+r.from], taken[">"+r.to] = true, true
			out = append(out, *r)
		}
	}
	return out
}

// scopeOfRename finds the smallest scope in which one name took the place of another.
func scopeOfRename(x, y tree.Node, m *treediff.Matching) (scoped, bool) {
	if tree.Member(x) != tree.Member(y) || x.Text() == y.Text() || !phrase.SimpleName(x.Text()) || !phrase.SimpleName(y.Text()) ||
		y.Text() == "_" || // the name of whatever nobody uses: several things become it
		y.Under(syntax.Parameter).Under(syntax.Parameter).Ok() { // in the type of a parameter
		return scoped{}, false
	}
	a, b := treediff.Owner(x), treediff.Owner(y)
	if p := x.Parent(); a.Parent().Ok() && (p == a || p.Parent() == a && !p.Is(syntax.Parameters, syntax.Block)) {
		a, b = treediff.Owner(a), treediff.Owner(b) // a function's own name belongs to what it is in
	}
	for !completes(a, b, x.Text(), y.Text(), tree.Member(y), m) {
		if !a.Parent().Ok() || !b.Parent().Ok() {
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
	return r.uses > 1 || r.uses == 1 && r.decl.Ok() // a single mention may be of another thing
}

// completes tells whether one name took the place of another in all of a scope.
func completes(a, b tree.Node, from, to string, members bool, m *treediff.Matching) bool {
	return a.Parent().Ok() == b.Parent().Ok() && (!a.Parent().Ok() || m.Partner(a) == b) && // of one function, or of the file
		len(tree.MentionsOf(a, to, members)) == 0 && len(tree.MentionsOf(b, from, members)) == 0 && !tree.Hides(a, to, members) &&
		!tree.Hides(b, from, members)
}

// replacedNames lists the names that differ in two nodes that are otherwise
// equal, leaf for leaf; none where more differs, or much has to be compared.
func replacedNames(a, b tree.Node) [][2]tree.Node {
	var out [][2]tree.Node
	if a.Last()-a.I != b.Last()-b.I || a.Last()-a.I > 2*limits.CallChain {
		return nil
	}
	for i := range a.Last() - a.I {
		x, y := a.Tree.At(a.I+i), b.Tree.At(b.I+i)
		switch {
		case x.Leaf() != y.Leaf():
			return nil
		case !x.Leaf() || x.Text() == y.Text() && x.Kind() == y.Kind():
		case !tree.NameLike(x) || !tree.NameLike(y):
			return nil
		default:
			out = append(out, [2]tree.Node{x, y})
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
		if r.newIn.Parent().Ok() { // in a function, not in all of the file
			where = phrase.PlaceOf(r.first).String()
		}
		w.add(r.first, "renamed", where, fact.Slots{Old: phrase.Code(r.from), New: phrase.Code(r.to), Detail: phrase.Plural(r.uses, "place")})
	}
}

// renamedDeclaration says that a declaration has a new name.
func (w *writer) renamedDeclaration(a, b tree.Node) bool {
	d := b.Parent()
	if b.Field() != "name" && b.Field() != "declarator" && !d.Is(syntax.Parameters, syntax.Declarator, syntax.Parameter) ||
		b.Field() == "type" || b.Field() == "value" || !phrase.SimpleName(b.Text()) {
		return false
	}
	if a.Text() == b.Text() {
		return true // what it belongs to is said to be another
	}
	x, y := phrase.Apart(a.Text(), b.Text())
	s := fact.Slots{Old: x, New: y}
	switch {
	case d.Role().IsFunction():
		s.Object = phrase.FunctionWord(d) // "function", "method" or "test"
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
		if b.Traits().NamedArguments {
			w.add(b, "parameter-renamed-callers", "", s)
		}
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
		fact.Implication("parameter-renamed-callers", "callers of {of} that pass {old} by name must now use {new}"),
		fact.Claim("renamed", fact.Behaviour, "{old} was replaced by {new} in {detail}"),
		fact.Claim("variable-renamed", fact.Value, became),
	}
}

// An alias is a variable that takes over the value of the one defined before it, which is not
// used again: `a = f(); b = a;`. It is read as that one: `a = f()`, and a from there on. The code
// does the same with and without it, so that what is said of the code has to be the same, too.
type alias struct {
	from, to string
	in       phrase.Place
	edits    []tree.Substitution // what takes it out of the text
}

// without takes aliases out of a text, where the other one, which may be nil, has them too or has neither name. An
// alias that is the change itself stays: otherwise `send(b)`, which was `send(a)`, would be no
// change, and nothing would be said.
func (w *writer) without(t, other *tree.Tree, own, others []alias) *tree.Tree {
	var edits []tree.Substitution
	for _, x := range own {
		both := func(y alias) bool { return y.from == x.from && y.to == x.to && y.in == x.in }
		here := func(n tree.Node) bool { return !tree.Member(n) && phrase.PlaceOf(n) == x.in }
		lacks := func(name string) bool {
			return other == nil || !slices.ContainsFunc(other.Root().LeavesOf(name), here) && !tree.Hides(other.Root(), name, false)
		}
		if slices.ContainsFunc(others, both) || lacks(x.from) && lacks(x.to) {
			edits = append(edits, x.edits...)
		}
	}
	slices.SortFunc(edits, func(a, b tree.Substitution) int { return a.Start - b.Start })
	var text []byte
	at := 0
	for _, e := range edits {
		if e.Start < at {
			return t // aliases of one name in each other, or of an alias
		}
		text = append(append(text, t.Src[at:e.Start]...), e.Text...)
		at = e.End
	}
	if at == 0 {
		return t
	}
	plain, err := t.Frag.Read(t.Meter.Context(), append(text, t.Src[at:]...))
	if err != nil {
		return t // the text is read as it stands
	}
	return tree.Of(w.file.File, plain, t.Meter)
}

// aliases lists the aliases of a whole text; a hunk may hide other uses of their names.
func aliases(t *tree.Tree) (out []alias) {
	if t == nil || !t.Frag.Whole {
		return nil
	}
	looked := 0
	for i := 0; i < t.Len() && looked < limits.Aliases; i++ {
		s := t.At(i)
		if !s.Named() || !treediff.Block(s.Parent()) {
			continue
		}
		before := phrase.Neighbour(s, false)
		from, to := phrase.DefinedName(before), phrase.DefinedName(s)
		v := phrase.Assigned(tree.Strip(tree.Unnested(s)))
		if to == "" || from == "" || from == to || !v.Is(syntax.Identifier) || v.Text() != from {
			continue
		}
		looked++
		// Both are defined in the same words, so that they are of one type: `int a = f(); int b = a;`.
		head, _, _ := strings.Cut(s.Text(), to)
		if strings.HasPrefix(before.Text(), head+from) && !strings.Contains(s.Text(), "\n") {
			if edits := replacing(s, from, to); edits != nil {
				out = append(out, alias{from, to, phrase.PlaceOf(s), edits})
			}
		}
	}
	return out
}

// replacing takes out the statement that defines an alias, and has the first name stand for the
// second. It answers nil where the names may be those of other things, too.
func replacing(s tree.Node, from, to string) []tree.Substitution {
	f := s.Under(syntax.Function, syntax.Constructor, syntax.Lambda)
	outside := func(name string) bool { return len(s.Root().LeavesOf(name)) > len(f.LeavesOf(name)) }
	if !f.Ok() || f.Contains(treediff.Owner(s)) && treediff.Owner(s).Role().IsClass() ||
		tree.Unnested(s).Is(syntax.Assign) && (outside(from) || outside(to)) {
		return nil // a field of a class in the function, or perhaps a variable of the file
	}
	olds, news := variable(f, from), variable(f, to) // of `a = f(); b = a; g(b)` two places of a, and two of b
	if len(olds) != 2 || len(news) == 0 || news[0] < s.Start() {
		return nil // the first name is used again, or the second was before
	}
	out := []tree.Substitution{{Start: s.Start(), End: s.End()}}
	for _, at := range news {
		if at >= s.End() {
			out = append(out, tree.Substitution{Start: at, End: at + len(to), Text: from})
		}
	}
	return out
}

// variable lists where a variable stands in a function, and nothing where its name may be that of
// something else: in `{ n }` of JavaScript it is a key, too. The nodes are those of the parser,
// because a tree keeps large statements far from the change without their inside.
func variable(f tree.Node, name string) (out []int) {
	for _, at := range f.PlacesOf(name, f.Start(), f.End()) {
		x := f.Frag.Nodes.NamedAt(at)
		p := x.Parent()
		if p == nil {
			return nil
		}
		role, in := f.Frag.Role(x), f.Frag.Role(p)
		key := in.Is(syntax.KeywordArgument, syntax.Pair) && p.StartByte() == x.StartByte() && p.EndByte() > x.EndByte()
		switch text := role.Is(syntax.String, syntax.Comment); {
		case key, text, tree.MemberAt(f.Src, at), in.Is(syntax.String) && !role.Is(syntax.Identifier):
		case !role.Is(syntax.Identifier):
			return nil
		default:
			out = append(out, at)
		}
	}
	return out
}
