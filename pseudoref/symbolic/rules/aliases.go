package rules

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// maxAliases bounds the variables of a text that are looked at, each of which takes a walk through
// its function.
const maxAliases = 100

// An alias is a variable that takes over the value of the one defined before it, which is not
// used again: `a = f(); b = a;`. It is read as that one: `a = f()`, and a from there on. The code
// does the same with and without it, so that what is said of the code has to be the same, too.
type alias struct {
	from, to string
	in       phrase.Place
	edits    []tree.Substitution // what takes it out of the text
}

// withoutAliases reads the two trees of a file, of which either may be nil, without the aliases.
func (w *writer) withoutAliases(a, b *tree.Tree) (*tree.Tree, *tree.Tree) {
	x, y := aliases(a), aliases(b)
	return w.without(a, b, x, y), w.without(b, a, y, x)
}

// without takes aliases out of a text, where the other one has them too or has neither name. An
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
	for i := 0; i < t.Len() && looked < maxAliases; i++ {
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
	olds, news := variable(f, from), variable(f, to)
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
