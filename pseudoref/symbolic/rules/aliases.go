package rules

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// maxAliases bounds the variables of a text that are looked at.
const maxAliases = 100

// secondName is a variable that takes over the value of the one defined before it, which is not
// used again: `a = f(); b = a;`. It is read as that one: `a = f()`, and a from there on.
type secondName struct {
	from, to string
	in       phrase.Place
	edits    []tree.Substitution
}

// withoutAliases reads the two trees of a file, of which either may be nil, without the
// aliases that are on both sides, or whose names are new or gone as a whole.
func (w *writer) withoutAliases(a, b *tree.Tree) (*tree.Tree, *tree.Tree) {
	x, y := aliases(a), aliases(b)
	return w.without(a, b, x, y), w.without(b, a, y, x)
}

func (w *writer) without(t, other *tree.Tree, own, others []secondName) *tree.Tree {
	var edits []tree.Substitution
	for _, x := range own {
		both := func(y secondName) bool { return y.from == x.from && y.to == x.to && y.in == x.in }
		if slices.ContainsFunc(others, both) || !variableIn(other, x.from, x.in) && !variableIn(other, x.to, x.in) {
			edits = append(edits, x.edits...)
		}
	}
	if len(edits) == 0 {
		return t
	}
	slices.SortFunc(edits, func(a, b tree.Substitution) int { return a.Start - b.Start })
	var text []byte
	at := 0
	for _, e := range edits {
		if e.Start < at {
			return t // aliases of one name in each other
		}
		text = append(append(text, t.Src[at:e.Start]...), e.Text...)
		at = e.End
	}
	plain, err := t.Frag.Read(t.Meter.Context(), append(text, t.Src[at:]...))
	if err != nil {
		return t // the text is read as it stands
	}
	return tree.Of(w.file.File, plain, t.Meter)
}

// variableIn tells whether a variable of a name stands in the code of a place.
func variableIn(t *tree.Tree, name string, in phrase.Place) bool {
	return t != nil && (slices.ContainsFunc(t.Root().LeavesOf(name),
		func(x tree.Node) bool { return !tree.Member(x) && phrase.PlaceOf(x) == in }) ||
		slices.ContainsFunc(t.Root().InsideOf(name), func(o tree.WordIn) bool { return large(t, o) && phrase.PlaceOf(t.At(o.Leaf)) == in }))
}

// large tells whether a word stands in what was kept without its inside, as a variable.
func large(t *tree.Tree, o tree.WordIn) bool {
	x := t.At(o.Leaf)
	return x.Size() > tree.SmallNode && !x.Is(syntax.String) && !tree.MemberAt(t.Src, o.At)
}

// aliases lists the aliases of a whole text.
func aliases(t *tree.Tree) (out []secondName) {
	if t == nil || !t.Frag.Whole {
		return nil
	}
	gone := map[tree.Node]bool{}
	looked := 0
	for i := range t.Len() {
		s := t.At(i)
		if !s.Named() || !treediff.Block(s.Parent()) || phrase.DefinedName(s) == "" {
			continue
		}
		before := phrase.Neighbour(s, false)
		if gone[before] || !takesOver(s, before) {
			continue
		}
		if looked++; looked > maxAliases {
			break
		}
		if x := aliasOf(s, phrase.DefinedName(before), phrase.DefinedName(s)); len(x.edits) > 0 {
			gone[s] = true
			out = append(out, x)
		}
	}
	return out
}

// takesOver tells whether a statement defines a variable as that of the statement before it,
// and both in the same words.
func takesOver(s, before tree.Node) bool {
	from, v := phrase.DefinedName(before), phrase.Assigned(tree.Strip(tree.Unnested(s)))
	head, _, _ := strings.Cut(s.Text(), phrase.DefinedName(s))
	return from != "" && from != phrase.DefinedName(s) && v.Is(syntax.Identifier) && v.Text() == from &&
		strings.HasPrefix(before.Text(), head+from) && !strings.Contains(s.Text(), "\n")
}

// aliasOf is the alias that a statement defines. It has no edits where the names may be
// those of other things, too.
func aliasOf(s tree.Node, from, to string) secondName {
	out := secondName{from: from, to: to, in: phrase.PlaceOf(s)}
	f := s.Under(syntax.Function, syntax.Constructor, syntax.Lambda)
	outside := func(name string) bool { return len(s.Root().LeavesOf(name)) > len(f.LeavesOf(name)) }
	if !f.Ok() || f.Contains(treediff.Owner(s)) && treediff.Owner(s).Role().IsClass() ||
		tree.Unnested(s).Is(syntax.Assign) && (outside(from) || outside(to)) {
		return out
	}
	olds, sure := variablesOf(f, from)
	news, too := variablesOf(f, to)
	if !sure || !too || len(olds) != 2 || tree.Hides(f, from, false) || news[0].I < s.I {
		return out
	}
	out.edits = []tree.Substitution{{Start: s.Start(), End: s.End()}}
	for _, x := range news {
		if !s.Contains(x) {
			out.edits = append(out.edits, tree.Substitution{Start: x.Start(), End: x.End(), Text: from})
		}
	}
	for _, o := range f.InsideOf(to) {
		if large(s.Tree, o) {
			out.edits = append(out.edits, tree.Substitution{Start: o.At, End: o.At + len(to), Text: from})
		}
	}
	return out
}

// variablesOf lists where a variable stands. It is not sure where something else may be one.
func variablesOf(f tree.Node, name string) (out []tree.Node, sure bool) {
	for _, x := range f.LeavesOf(name) {
		p := x.Parent()
		key := p.Is(syntax.KeywordArgument, syntax.Pair) && p.I+1 == x.I && len(p.NamedKids()) > 1
		switch {
		case tree.Member(x), key, p.Is(syntax.String) && !tree.NameLike(x):
		case !tree.NameLike(x):
			return nil, false
		default:
			out = append(out, x)
		}
	}
	return out, len(out) > 0
}

// otherName tells whether a statement only gives a variable another name, which nothing else
// sets: `b = a`.
func otherName(s tree.Node) bool {
	name, f := phrase.DefinedName(s), s.Under(syntax.Function, syntax.Constructor, syntax.Lambda)
	v := tree.Strip(phrase.Assigned(tree.Strip(tree.Unnested(s))))
	if name == "" || !f.Ok() || !v.Is(syntax.Identifier) || v.Text() == name {
		return false
	}
	if tree.Unnested(s).Is(syntax.Assign) && len(s.Root().LeavesOf(name)) > len(f.LeavesOf(name)) {
		return false // perhaps a variable of the file
	}
	return !slices.ContainsFunc(f.LeavesOf(name), func(x tree.Node) bool {
		d := tree.Unnested(x.Up(treediff.Movable))
		return phrase.DefinedName(d) == name && d != tree.Unnested(s) && !phrase.Assigned(tree.Strip(d)).Contains(x)
	})
}
