package symbolic

import (
	"slices"

	"crscore/internal/syntax"
)

// scoped is a pair of names, one of which may have become the other, in a scope:
// the root or a function, before and after.
type scoped struct {
	from, to     string
	members      bool // it is asked of something, as in x.name
	oldIn, newIn item
}

// rename is a name that became another one everywhere in its scope.
type rename struct {
	scoped
	old, decl item // where the name is declared; none where that is elsewhere
	uses      int  // places with the new name, that of the declaration included
	first     item
}

// renamed finds the names that were replaced throughout their scope. The edits
// show which names came in the place of which others; the words of both sides
// show that nothing else happened to them.
func renamed(edits []edit, m *matching) []rename {
	found := map[scoped]*rename{}
	var order []*rename
	note := func(x, y item) {
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
		if d := y.parent(); !r.decl.ok() && (y.field() == "name" || d.is(syntax.Parameters, syntax.Parameter, syntax.Declarator)) && declares(d.role()) &&
			!d.is(syntax.Pair, syntax.KeywordArgument, syntax.Attribute, syntax.Decorator) || d.is(syntax.Parameters) {
			r.old, r.decl = x, y
		}
	}
	for _, e := range edits {
		if e.move || e.link || !e.old.ok() || !e.new.ok() {
			continue
		}
		for _, p := range replacedNames(e.old, e.new) {
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
func scopeOfRename(x, y item, m *matching) (scoped, bool) {
	if member(x) != member(y) || x.text() == y.text() || !simpleName(x.text()) || !simpleName(y.text()) ||
		y.under(syntax.Parameter).under(syntax.Parameter).ok() { // in the type of a parameter
		return scoped{}, false
	}
	a, b := owner(x), owner(y)
	if p := x.parent(); a.parent().ok() && (p == a || p.parent() == a && !p.is(syntax.Parameters, syntax.Block)) {
		a, b = owner(a), owner(b) // a function's own name belongs to what it is in
	}
	for !completes(a, b, x.text(), y.text(), member(y), m) {
		if !a.ok() || !b.ok() || !a.parent().ok() || !b.parent().ok() {
			return scoped{}, false
		}
		a, b = owner(a), owner(b)
	}
	return scoped{x.text(), y.text(), member(y), a, b}, true
}

// certain counts the places of a rename and tells whether they are enough to call
// it one. It looks for the parameter that the name may be.
func (r *rename) certain() bool {
	places, before := mentionsOf(r.newIn, r.to, r.members), mentionsOf(r.oldIn, r.from, r.members)
	r.uses = len(places)
	imported := false
	for _, p := range places {
		imported = imported || p.under(syntax.Import).ok()
		if in := p.parent(); !r.decl.ok() && (in.is(syntax.Parameters) || in.is(syntax.Parameter) && p.field() == "name") {
			if k := slices.IndexFunc(before, func(b item) bool { return b.parent().role() == in.role() && b.field() == p.field() }); k >= 0 {
				r.old, r.decl = before[k], p
			}
		}
	}
	if imported && len(before) != r.uses {
		return false // another module, used in other ways
	}
	return r.uses > 1 || r.uses == 1 && r.decl.ok()
}

// completes tells whether one name took the place of another in all of a scope.
func completes(a, b item, from, to string, members bool, m *matching) bool {
	if !a.ok() || !b.ok() || a.parent().ok() != b.parent().ok() {
		return false
	}
	if a.parent().ok() && m.partner(a) != b {
		return false
	}
	return len(mentionsOf(a, to, members)) == 0 && len(mentionsOf(b, from, members)) == 0 && !hides(a, to, members) && !hides(b, from, members)
}

// replacedNames lists the names that differ in two nodes that are otherwise
// equal, token for token; none where more differs.
func replacedNames(a, b item) [][2]item {
	x, y := tokens(a), tokens(b)
	if len(x) != len(y) || len(x) > maxChain {
		return nil
	}
	var out [][2]item
	for i := range x {
		switch {
		case x[i].text() == y[i].text() && x[i].kind() == y[i].kind():
		case nameLike(x[i]) && nameLike(y[i]):
			out = append(out, [2]item{x[i], y[i]})
		default:
			return nil
		}
	}
	return out
}

// tokens lists the leaves of a node.
func tokens(n item) []item {
	var out []item
	for i := n.i; i < n.last() && len(out) <= maxChain; i++ {
		if x := (n.tree.at(i)); x.leaf() {
			out = append(out, x)
		}
	}
	return out
}

// sayRenames says which names are other ones now.
func (w *writer) sayRenames(rs []rename) {
	for _, r := range rs {
		if r.decl.ok() && w.renamedDeclaration(r.old, r.decl) {
			w.done[r.decl] = true
			continue
		}
		where := ""
		if r.newIn.parent().ok() {
			where = placeOf(r.first).String()
		}
		w.say(r.first, wBehaviour, "renamed", where, code(r.from)+" was replaced by "+code(r.to)+" in "+plural(r.uses, "place"))
	}
}

// renamedDeclaration says that a declaration has a new name.
func (w *writer) renamedDeclaration(a, b item) bool {
	d := b.parent()
	if b.field() != "name" && b.field() != "declarator" && !d.is(syntax.Parameters, syntax.Declarator, syntax.Parameter) ||
		b.field() == "type" || b.field() == "value" {
		return false
	}
	if a.text() == b.text() {
		return true // what it belongs to is said to be another
	}
	x, y := apart(a.text(), b.text())
	to := " was renamed to " + y
	switch {
	case d.role().IsFunction():
		w.say(b, wSignature, "function-renamed", "", "the "+functionWord(d)+" "+x+to)
		if who := implementers(d); who != "" {
			w.follows(b, "interface-method", who+" must now implement "+y+" instead of "+x)
		}
		if !isTest(d, nameOf(d)) {
			w.follows(b, "function-renamed-callers", "callers of "+x+" must now call "+y)
		}
	case d.role().IsClass():
		w.say(b, wSignature, "class-renamed", "", "the "+classWord(d)+" "+x+to)
		w.follows(b, "class-renamed-users", "code that uses "+x+" must now use "+y)
	case d.is(syntax.Parameters, syntax.Parameter):
		if !a.is(syntax.Identifier) || !b.is(syntax.Identifier) || !a.leaf() || !b.leaf() {
			return false // a type, a reference or a default came with it
		}
		f, of := ownerOf(b)
		w.say(b, wSignature, "parameter-renamed", "", "the parameter "+x+" of "+of+to)
		if f.role().IsFunction() && !overrides(f) {
			w.unused(b, b.text())
		}
		if b.traits().NamedArguments {
			w.follows(b, "parameter-renamed-callers", "callers of "+of+" that pass "+x+" by name must now use "+y)
		}
	case d.is(syntax.Declarator, syntax.Variable, syntax.Field):
		what := "variable"
		if d.is(syntax.Field) || d.parent().is(syntax.Field) {
			what = fieldWord(d)
		}
		w.say(b, wValue, "variable-renamed", inside(b), "the "+what+" "+x+to)
	default:
		return false
	}
	return true
}

// readAs makes the renamed names of a tree count as the old ones, so that what only mentions
// them is the same before and after.
func readAs(t *tree, rs []rename) {
	var read []substitution
	for _, r := range rs {
		for _, n := range mentionsOf(r.newIn, r.to, r.members) {
			read = append(read, substitution{start: n.start(), end: n.end(), text: r.from})
		}
	}
	t.readAs(read)
}
