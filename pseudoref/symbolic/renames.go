package symbolic

import (
	"slices"
	"sort"

	"crscore/internal/syntax"
)

// rename is a name that became another one everywhere in its scope: the file,
// or a function.
type rename struct {
	from, to string
	members  bool // it is asked of something, as in x.name
	// oldIn and newIn are the scope; the root or a function.
	oldIn, newIn item
	// decl is the new name where it is declared, old its partner, none where it
	// is declared elsewhere.
	old, decl item
	uses      int // places with the new name, that of the declaration included
	first     item
	imported  bool
}

// renamed finds the names that were replaced throughout their scope. The edits
// show which names came in the place of which others; the words of both sides
// show that nothing else happened to them.
func renamed(edits []edit, m *matching) []rename {
	type pair struct {
		from, to     string
		members      bool
		oldIn, newIn item
	}
	found := map[pair]*rename{}
	var order []*rename
	note := func(x, y item) {
		if member(x) != member(y) || x.text() == y.text() || !simpleName(x.text()) || !simpleName(y.text()) {
			return
		}
		if p := y.under(syntax.Parameter); p.under(syntax.Parameter).ok() {
			return // in the type of a parameter
		}
		a, b := owner(x), owner(y)
		if p := x.parent(); a.parent().ok() && (p == a || p.parent() == a && !p.is(syntax.Parameters, syntax.Block)) {
			a, b = owner(a), owner(b) // a function's own name belongs to what it is in
		}
		for !completes(a, b, x.text(), y.text(), member(y), m) {
			if !a.ok() || !b.ok() || !a.parent().ok() || !b.parent().ok() {
				return
			}
			a, b = owner(a), owner(b)
		}
		k := pair{x.text(), y.text(), member(y), a, b}
		r := found[k]
		if r == nil {
			r = &rename{from: k.from, to: k.to, members: k.members, oldIn: a, newIn: b, first: y}
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
		if taken["<"+r.from] || taken[">"+r.to] {
			continue
		}
		places := mentionsOf(r.newIn, r.to, r.members)
		r.uses = len(places)
		for _, p := range places {
			r.imported = r.imported || p.under(syntax.Import).ok()
			if !r.decl.ok() && p.parent().is(syntax.Parameter, syntax.Parameters) && (p.field() == "name" || p.parent().is(syntax.Parameters)) {
				before := mentionsOf(r.oldIn, r.from, r.members)
				if k := slices.IndexFunc(before, func(b item) bool { return b.parent().role() == p.parent().role() && b.field() == p.field() }); k >= 0 {
					r.old, r.decl = before[k], p
				}
			}
		}
		if r.uses == 0 || r.uses < 2 && !r.decl.ok() {
			continue
		}
		if r.imported && len(mentionsOf(r.oldIn, r.from, r.members)) != r.uses {
			continue // another module, used in other ways
		}
		taken["<"+r.from], taken[">"+r.to] = true, true
		out = append(out, *r)
	}
	return out
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

// member tells whether a name is asked of something: what has the name without
// a dot before it is another thing.
func member(n item) bool { return memberAt(n.src, n.node().start) }

func memberAt(src []byte, i int) bool {
	return i > 0 && src[i-1] == '.' && (i == 1 || src[i-2] != '.') || i > 1 && src[i-1] == '>' && src[i-2] == '-'
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
	for i := n.i; i < n.node().last && len(out) <= maxChain; i++ {
		if x := (item{n.tree, i}); x.leaf() {
			out = append(out, x)
		}
	}
	return out
}

// substitution is a stretch of a text that counts as another text.
type substitution struct {
	start, end int
	text       string
}

// readAs makes the renamed names of a tree count as the old ones, so that what
// only mentions them is the same before and after.
func (t *tree) readAs(rs []rename) {
	t.read = nil
	for _, r := range rs {
		for _, n := range mentionsOf(r.newIn, r.to, r.members) {
			t.read = append(t.read, substitution{n.node().start, n.node().end, r.from})
		}
	}
	sort.Slice(t.read, func(i, j int) bool { return t.read[i].start < t.read[j].start })
	t.read = slices.CompactFunc(t.read, func(a, b substitution) bool { return a.start == b.start })
	t.fillHashes()
}

// sayRenames says which names are other ones now.
func (w *writer) sayRenames(rs []rename) {
	for _, r := range rs {
		if r.decl.ok() {
			before := len(w.facts)
			if w.renamedDeclaration(r.old, r.decl) {
				w.done[r.decl] = true
				if len(w.facts) > before && r.uses > 1 && len(w.facts[before].names) == 0 {
					w.facts[before].what += ", with " + otherUses(r.uses-1)
				}
				continue
			}
		}
		if r.imported {
			w.say(r.first, wImport, "import-replaced", "", "the import of "+code(r.from)+" was replaced by that of "+code(r.to)+", with "+otherUses(r.uses-1))
			continue
		}
		where := ""
		if r.newIn.parent().ok() {
			where = placeOf(r.first).String()
		}
		w.say(r.first, wBehaviour, "renamed", where, code(r.from)+" was replaced by "+code(r.to)+" in "+plural(r.uses, "place"))
	}
}

// otherUses is "its use" or "all its 3 uses".
func otherUses(n int) string {
	if n == 1 {
		return "its use"
	}
	return "all its " + plural(n, "use")
}

// renamedDeclaration says that a declaration has a new name.
func (w *writer) renamedDeclaration(a, b item) bool {
	d := b.parent()
	if !d.ok() || b.field() != "name" && b.field() != "declarator" && !(d.is(syntax.Parameters) || d.is(syntax.Declarator, syntax.Parameter)) {
		return false
	}
	if b.field() == "module_name" || b.field() == "type" || b.field() == "value" {
		return false
	}
	if a.text() == b.text() {
		return true // what it belongs to is said to be another
	}
	x, y := apart(a.text(), b.text())
	switch {
	case d.role().IsFunction():
		w.say(b, wSignature, "function-renamed", "", "the "+functionWord(d)+" "+x+" was renamed to "+y)
		if !isTest(d, nameOf(d)) {
			w.follows(b, "function-renamed-callers", "callers of "+x+" must now call "+y)
			if w.oldWords.of(a.text()) == 1 {
				w.follows(b, "renamed-elsewhere", "nothing in the file calls "+x+", so only other files can")
			}
		}
	case d.role().IsClass():
		w.say(b, wSignature, "class-renamed", "", "the "+classWord(d)+" "+x+" was renamed to "+y)
		w.follows(b, "class-renamed-users", "code that uses "+x+" must now use "+y)
	case d.is(syntax.Parameters, syntax.Parameter):
		if !a.is(syntax.Identifier) || !b.is(syntax.Identifier) || !a.leaf() || !b.leaf() {
			return false // a type, a reference or a default came with it
		}
		_, owner := ownerOf(b)
		w.say(b, wSignature, "parameter-renamed", "", "the parameter "+x+" of "+owner+" was renamed to "+y)
		if f := a.under(syntax.Function, syntax.Constructor); f.ok() && standsIn(f, a.text(), false) == 1 && standsIn(f, b.text(), false) > 0 {
			w.follows(b, "parameter-bound", "the body of "+owner+" already used "+y+", which no parameter was named before")
		}
		if f := b.under(syntax.Function, syntax.Constructor); f.ok() && !overrides(f) {
			w.unused(b, b.text())
		}
		if b.traits().NamedArguments {
			w.follows(b, "parameter-renamed-callers", "callers of "+owner+" that pass "+x+" by name must now use "+y)
		}
	case d.is(syntax.Declarator, syntax.Variable, syntax.Field):
		what := "variable"
		if d.is(syntax.Field) || d.parent().is(syntax.Field) {
			what = fieldWord(d)
		}
		w.say(b, wValue, "variable-renamed", inside(b), "the "+what+" "+x+" was renamed to "+y)
	default:
		return false
	}
	if respelled(a.text(), b.text()) {
		w.follows(b, "spelling-corrected", "the rename only corrects the spelling of "+x)
	}
	return true
}

// respelled tells whether a name differs from another as a misspelt word does from
// the right one: by one letter that was added, left out or another, or by two beside
// each other that changed places, in a word of at least five letters.
func respelled(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	j, k := len(a), len(b)
	for j > i && k > i && a[j-1] == b[k-1] {
		j, k = j-1, k-1
	}
	gone, come := a[i:j], b[i:k]
	letter := func(s string) bool { return len(s) == 1 && (s[0] >= 'a' && s[0] <= 'z') }
	switch {
	case gone == "" && letter(come), come == "" && letter(gone), letter(gone) && letter(come):
	case len(gone) == 2 && len(come) == 2 && gone[0] == come[1] && gone[1] == come[0] && letter(gone[:1]) && letter(gone[1:]):
	default:
		return false
	}
	// Within a word: at its end a letter makes a plural or counts.
	start, end := i, k
	for start > 0 && b[start-1] >= 'a' && b[start-1] <= 'z' {
		start--
	}
	for end < len(b) && b[end] >= 'a' && b[end] <= 'z' {
		end++
	}
	return end-start >= 5 && end > k && start < i
}
