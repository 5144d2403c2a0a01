package rules

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// move says that code stands elsewhere now: in another function, in another
// branch, or after what it stood before. What was put around it or taken from
// around it is said of that (branch, try, loop, with).
func (w *writer) move(e treediff.Edit) {
	x, y := e.Old, e.New
	switch {
	case w.done[y], y.Is(syntax.Package, syntax.Block, syntax.Comment, syntax.Else):
		return // the order of remarks is hardly more than layout
	case y.Is(syntax.Import):
		w.add(y, "formatting-only", "", fact.Slots{Form: "order"})
		return
	case y.Parent().Is(syntax.Parameters):
		_, of := phrase.OwnerOf(y)
		w.add(y, "moved", "", fact.Slots{Form: "parameters", Of: of})
		return
	}
	from, to := treediff.Owner(x), treediff.Owner(y)
	f, g := phrase.PlaceOf(x).String(), phrase.PlaceOf(y).String()
	if w.same.Partner(from) != to {
		w.add(y, "moved", phrase.Either(f == g, g, ""), movedFrom(f, g), movedNoun(y))
		return
	}
	a, b := frame(x, from), frame(y, to)
	if w.toldAround(a, x) || w.toldAround(b, y) {
		return
	}
	into, outOf := frameName(b, y), frameName(a, x)
	if a.Ok() && w.same.Partner(a) == b {
		outOf = into // it stays in the same branch or loop
	}
	w.add(y, "moved", g, movedFrom(outOf, into), movedNoun(y))
}

// movedNoun names what was moved. Two variables and two long branches make a claim too long: there only the names of
// variables are said.
func movedNoun(n tree.Node) string {
	what := phrase.Noun(n, "the")
	if name, ok := strings.CutPrefix(what, "the variable "); ok {
		return phrase.Or(what, name)
	}
	return what
}

// movedFrom says from where to where code was moved; what holds it is "" for none.
func movedFrom(from, into string) fact.Slots {
	form := ""
	switch {
	case from == into: // before or behind another statement
		form = "within"
	case from == "": // it stood in no branch
		form = "into"
	case into == "":
		form = "out"
	}
	return fact.Slots{Form: form, Old: from, New: into}
}

// frame returns the innermost frame of n within a function, or none.
func frame(n, function tree.Node) tree.Node {
	p := n.Up(func(p tree.Node) bool { return p == function || p.Is(phrase.Frames...) && !tree.Rethrows(p) })
	return phrase.Either(p == function, tree.Node{}, p)
}

// toldAround tells whether a frame came or went, so that the claim about it says what
// is in it. That about an `if` does not speak of its `else`.
func (w *writer) toldAround(f, n tree.Node) bool {
	return f.Is(syntax.If, syntax.ElseIf, syntax.Loop, syntax.Try, syntax.With, syntax.Switch) && !w.same.Partner(f).Ok() &&
		!f.Child("alternative").Contains(n)
}

// frameName names a frame as the place where n stands, "" for none.
func frameName(f, n tree.Node) string {
	switch {
	case !f.Ok():
		return ""
	case f.Is(syntax.Else):
		return "the `else` branch" + phrase.Either(treediff.Branch(f.Parent()), " where "+phrase.RunsWhen(f.Parent(), false), "")
	case f.Child("alternative").Contains(n):
		return "the `else` branch where " + phrase.RunsWhen(f, false) // the grammar has no node for it
	case f.Is(syntax.If, syntax.ElseIf):
		return "the branch where " + phrase.RunsWhen(f, true)
	case f.Is(syntax.Case):
		return "the case for " + phrase.CaseLabel(f)
	case f.Is(syntax.Lambda):
		return "a nested function"
	}
	return "the `" + phrase.FirstWord(f.Text()) + "` block"
}

// together names moved statements: the first that is no comment, and how many more there are.
func together(ns []tree.Node) (what string, several bool) {
	out := slices.DeleteFunc(slices.Clone(ns), func(n tree.Node) bool { return n.Is(syntax.Comment) })
	switch what = phrase.Noun(append(out, ns[0])[0], "the"); len(out) {
	case 0, 1:
		return what, false
	case 2:
		return what + " and another statement", true
	}
	return what + " and " + phrase.Plural(len(out)-1, "other statement"), true
}

// redeclared says of variables that went in one place and came in another, with the same value, that they were moved.
// The trees tell no move of what is as short as `LIMIT = 3`, nor between two hunks.
func (w *writer) redeclared() {
	what := func(f *fact.Fact) string { // without "constant" or "variable", which tells a place
		return f.Object[strings.Index(f.Object, "`")+1:] + strings.Join(f.Names, "") + f.New
	}
	gone := map[string]*fact.Fact{}
	for _, f := range slices.Clone(w.Facts) {
		key := what(f)
		g := gone[key]
		switch {
		case f.Rule.ID == "variable-removed":
			gone[key] = f
		case f.Rule.ID == "variable-added" && g != nil && (f.Place == g.Place || f.Place == "" || g.Place == ""):
			f.Names = []string{"the " + strings.TrimSpace(f.Object+" "+strings.Join(f.Names, ""))}
			f.As(w.Rules.Get("moved"), movedFrom(g.Place, f.Place)).Place = phrase.Either(f.Place == g.Place, f.Place, "")
			w.Facts = slices.DeleteFunc(w.Facts, func(x *fact.Fact) bool { return x == g })
			delete(gone, key) // it came once
		}
	}
}

// moveRules are the rules about code that stands elsewhere.
func moveRules() []fact.Rule {
	return []fact.Rule{fact.Claim("moved", fact.Behaviour, "{names} {was|were} moved from {old} into {new}").
		Or("into", "{names} {was|were} moved into {new}").
		Or("out", "{names} {was|were} moved out of {old}").
		With(fact.Sentence{Form: "within", Text: "{names} {was|were} moved to another place", Weight: fact.Detail},
			fact.Sentence{Form: "parameters", Text: "the parameters of {of} stand in another order now", Weight: fact.Signature})}
}
