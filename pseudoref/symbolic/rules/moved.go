package rules

import (
	"cmp"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
)

// move says that code stands elsewhere now: in another function, in another
// branch, or after what it stood before. What was put around it or taken from
// around it is said of that (branch, try, loop, with).
func (w *writer) move(e treediff.Edit) {
	x, y := e.Old, e.New
	switch {
	case w.done[y], y.Is(syntax.Import, syntax.Package, syntax.Block):
		return // the order of imports is layout
	case y.Is(syntax.Comment):
		w.movedComment(y, phrase.PlaceOf(y))
		return
	case (y.Is(syntax.Switch) || y.Is(syntax.Return) && y.Field() == "body") && !treediff.Block(y.Parent()):
		return // a statement became an expression
	case y.Parent().Is(syntax.Parameters):
		_, of := phrase.OwnerOf(y)
		w.add(y, "moved", "", fact.Slots{Form: "parameters", Of: of})
		return
	}
	from, to := treediff.Owner(x), treediff.Owner(y)
	f, g := phrase.PlaceOf(x).String(), phrase.PlaceOf(y).String()
	switch around, before := w.freshFrame(y), w.freshFrame(x); {
	case w.same.Partner(from) != to && f == g:
		w.moves(y, g, f, g)
	case w.same.Partner(from) != to:
		w.moves(y, "", f, g)
	case around.Ok():
		w.nowInside(y, around)
	case before.Ok():
		w.noLongerInside(x, y, before)
	default:
		a, b := frame(x, from), frame(y, to)
		into := frameName(b, y)
		if a.Ok() && w.same.Partner(a) == b {
			w.moves(y, g, into, into)
		} else {
			w.moves(y, g, frameName(a, x), into)
		}
	}
}

// moves says from where to where code was moved; what holds it is "" for none.
func (w *writer) moves(y tree.Node, where, from, into string) {
	form := ""
	switch {
	case from == into:
		form = "within"
	case from == "":
		form = "into"
	case into == "":
		form = "out"
	}
	w.add(y, "moved", where, fact.Slots{Form: form, Old: from, New: into}, phrase.Noun(y, "the"))
}

// frame returns the innermost frame of n within a function, or none.
func frame(n, function tree.Node) tree.Node {
	p := n.Up(func(p tree.Node) bool { return p == function || p.Is(phrase.Frames...) && !tree.Rethrows(p) })
	if p == function || !p.Is(phrase.Frames...) {
		return tree.Node{}
	}
	return p
}

// frameName names a frame as the place where n stands, "" for none.
func frameName(f, n tree.Node) string {
	switch f.Role() {
	case syntax.If, syntax.ElseIf:
		if f.Child("alternative").Contains(n) {
			return "the `else` branch"
		}
		return "the branch for the case that " + phrase.RunsWhen(f, true)
	case syntax.Loop:
		return "the loop " + phrase.LoopOver(f)
	case syntax.Catch:
		return "the handler of " + cmp.Or(caught(f), "errors")
	case syntax.Case:
		return "the case for " + phrase.CaseLabel(f)
	case syntax.Lambda:
		return "a nested function"
	case syntax.Else:
		return "the `else` branch"
	case syntax.Try, syntax.Finally, syntax.With, syntax.Switch:
		return "the `" + phrase.FirstWord(f.Text()) + "` block"
	}
	return ""
}

// freshFrame returns the nearest frame around n, below what has a partner.
func (w *writer) freshFrame(n tree.Node) tree.Node {
	for p, i := n.Parent(), 0; p.Ok() && i < tree.MaxClimb; i, p = i+1, p.Parent() {
		if w.same.Partner(p).Ok() && !p.Is(syntax.Block) {
			return tree.Node{}
		}
		if p.Is(phrase.Frames...) {
			return p
		}
	}
	return tree.Node{}
}

// nowInside says what code stands in since something was put around it, where
// the claim about that does not.
func (w *writer) nowInside(y, f tree.Node) {
	where, what, i := phrase.PlaceOf(f).String(), phrase.Noun(y, "the"), f
	if f.Is(syntax.Else) {
		i = f.Parent()
	}
	otherwise := f.Is(syntax.Else) || treediff.Branch(f) && f.Child("alternative").Contains(y)
	switch {
	case y.Is(syntax.Else): // it only has another if before it
	case otherwise && treediff.Branch(i) && !phrase.Conditional(i):
		when := phrase.Clause(tree.Condition(i), strings.HasPrefix(i.Kind(), "unless"), 0)
		w.add(y, "else-wrapped", where, fact.Slots{Detail: when}, what)
	case otherwise, f.Is(syntax.Lambda, syntax.Catch, syntax.Finally, syntax.Case):
		w.add(y, "moved", where, fact.Slots{Form: "inside", New: frameName(f, y)}, what)
	}
}

// noLongerInside says that code was taken out of what is gone, where the claim
// about that does not.
func (w *writer) noLongerInside(x, y, f tree.Node) {
	where, what := phrase.PlaceOf(y).String(), phrase.Noun(y, "the")
	switch {
	case f.Is(syntax.Else), treediff.Branch(f) && f.Child("alternative").Contains(x):
		w.add(y, "else-unwrapped", where, fact.Slots{}, what)
	case f.Is(syntax.Loop, syntax.With, syntax.Lambda, syntax.Catch, syntax.Finally, syntax.Case):
		w.add(y, "moved", where, fact.Slots{Form: "outside", Old: frameName(f, x)}, what)
	}
}

// together names moved statements: the first that is no comment, and how many more there are.
func together(ns []tree.Node) (what string, several bool) {
	out := slices.DeleteFunc(slices.Clone(ns), func(n tree.Node) bool { return n.Is(syntax.Comment) })
	if len(out) == 0 {
		out = ns
	}
	what = phrase.Noun(out[0], "the")
	if len(out) > 1 {
		what += " and " + strings.Replace(phrase.Plural(len(out)-1, "other statement"), "1 other", "another", 1)
	}
	return what, len(out) > 1
}

func moveRules() []fact.Rule {
	moved := fact.Claim("moved", fact.Behaviour, "{names} {was|were} moved from {old} into {new}").
		Or("into", "{names} {was|were} moved into {new}").
		Or("out", "{names} {was|were} moved out of {old}").
		Or("inside", "{names} now {runs|run} in {new}").
		Or("outside", "{names} no longer {runs|run} in {old}")
	return []fact.Rule{
		fact.Claim("else-unwrapped", fact.Behaviour, "{names} no longer {depends|depend} on an `else` branch"),
		fact.Claim("else-wrapped", fact.Behaviour, "{names} now only {runs|run} in the `else` branch, when {detail}"),
		moved.With(fact.Sentence{Form: "within", Text: "{names} {was|were} moved to another place", Weight: fact.Detail},
			fact.Sentence{Form: "parameters", Text: "the parameters of {of} stand in another order now", Weight: fact.Signature}),
	}
}
