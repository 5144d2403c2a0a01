package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// maxAliases bounds the variables of a text that are looked at.
const maxAliases = 100

// secondName is a variable that takes over the value of the one defined before it, which is not
// used again: `a = f(); b = a;`. It is read as that one: `a = f()`, and a from there on.
type secondName struct {
	from, to string
	in       place
	edits    []substitution
}

// withoutAliases reads the two trees of a file, of which either may be nil, without the
// aliases that are on both sides, or whose names are new or gone as a whole.
func (w *writer) withoutAliases(a, b *tree) (*tree, *tree) {
	x, y := aliases(a), aliases(b)
	return w.without(a, b, x, y), w.without(b, a, y, x)
}

func (w *writer) without(t, other *tree, own, others []secondName) *tree {
	var edits []substitution
	for _, x := range own {
		both := func(y secondName) bool { return y.from == x.from && y.to == x.to && y.in == x.in }
		if slices.ContainsFunc(others, both) || !variableIn(other, x.from, x.in) && !variableIn(other, x.to, x.in) {
			edits = append(edits, x.edits...)
		}
	}
	if len(edits) == 0 {
		return t
	}
	slices.SortFunc(edits, func(a, b substitution) int { return a.start - b.start })
	var text []byte
	at := 0
	for _, e := range edits {
		if e.start < at {
			return t // aliases of one name in each other
		}
		text = append(append(text, t.src[at:e.start]...), e.text...)
		at = e.end
	}
	plain, err := t.frag.Read(t.meter.ctx, append(text, t.src[at:]...))
	if err != nil {
		return t // the text is read as it stands
	}
	return newTree(plain, interest(w.file.File, plain.Side), t.meter)
}

// variableIn tells whether a variable of a name stands in the code of a place.
func variableIn(t *tree, name string, in place) bool {
	return t != nil && (slices.ContainsFunc(t.root().leavesOf(name), func(x item) bool { return !member(x) && placeOf(x) == in }) ||
		slices.ContainsFunc(t.root().insideOf(name), func(o wordIn) bool { return large(t, o) && placeOf(t.at(o.leaf)) == in }))
}

// large tells whether a word stands in what was kept without its inside, as a variable.
func large(t *tree, o wordIn) bool {
	x := t.at(o.leaf)
	return x.size() > smallNode && !x.is(syntax.String) && !memberAt(t.src, o.at)
}

// aliases lists the aliases of a whole text.
func aliases(t *tree) (out []secondName) {
	if t == nil || !t.frag.Whole {
		return nil
	}
	gone := map[item]bool{}
	looked := 0
	for i := range t.len() {
		s := t.at(i)
		if !s.named() || !block(s.parent()) || definedName(s) == "" {
			continue
		}
		before := neighbour(s, false)
		if gone[before] || !takesOver(s, before) {
			continue
		}
		if looked++; looked > maxAliases {
			break
		}
		if x := aliasOf(s, definedName(before), definedName(s)); len(x.edits) > 0 {
			gone[s] = true
			out = append(out, x)
		}
	}
	return out
}

// takesOver tells whether a statement defines a variable as that of the statement before it,
// and both in the same words.
func takesOver(s, before item) bool {
	from, v := definedName(before), assigned(strip(unnested(s)))
	head, _, _ := strings.Cut(s.text(), definedName(s))
	return from != "" && from != definedName(s) && v.is(syntax.Identifier) && v.text() == from &&
		strings.HasPrefix(before.text(), head+from) && !strings.Contains(s.text(), "\n")
}

// aliasOf is the alias that a statement defines. It has no edits where the names may be
// those of other things, too.
func aliasOf(s item, from, to string) secondName {
	out := secondName{from: from, to: to, in: placeOf(s)}
	f := s.under(syntax.Function, syntax.Constructor, syntax.Lambda)
	outside := func(name string) bool { return len(s.root().leavesOf(name)) > len(f.leavesOf(name)) }
	if !f.ok() || f.contains(owner(s)) && owner(s).role().IsClass() || unnested(s).is(syntax.Assign) && (outside(from) || outside(to)) {
		return out
	}
	olds, sure := variablesOf(f, from)
	news, too := variablesOf(f, to)
	if !sure || !too || len(olds) != 2 || hides(f, from, false) || news[0].i < s.i {
		return out
	}
	out.edits = []substitution{{start: s.start(), end: s.end()}}
	for _, x := range news {
		if !s.contains(x) {
			out.edits = append(out.edits, substitution{start: x.start(), end: x.end(), text: from})
		}
	}
	for _, o := range f.insideOf(to) {
		if large(s.tree, o) {
			out.edits = append(out.edits, substitution{start: o.at, end: o.at + len(to), text: from})
		}
	}
	return out
}

// variablesOf lists where a variable stands. It is not sure where something else may be one.
func variablesOf(f item, name string) (out []item, sure bool) {
	for _, x := range f.leavesOf(name) {
		p := x.parent()
		key := p.is(syntax.KeywordArgument, syntax.Pair) && p.i+1 == x.i && len(p.namedKids()) > 1
		switch {
		case member(x), key, p.is(syntax.String) && !nameLike(x):
		case !nameLike(x):
			return nil, false
		default:
			out = append(out, x)
		}
	}
	return out, len(out) > 0
}
