package phrase

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// CaseLabel names what a case is for: "`RED`" for `case RED:`. Of several labels, or of one
// with a guard, all is quoted that stands before the colon or the arrow.
func CaseLabel(n tree.Node) string {
	labels, arrow := tree.CaseLabels(n)
	if len(labels) == 1 && labels[0].Kind() == "switch_label" && len(labels[0].NamedKids()) == 1 {
		labels = labels[0].NamedKids()
	}
	switch {
	case defaults.MatchString(tree.OneLine(Cut(n.Text(), CodeRunes))):
		return "the default"
	case len(labels) == 1:
		return Say(labels[0])
	case len(labels) > 1: // or one and a guard
		return Code(string(n.Src[labels[0].Start():arrow.Start()]))
	}
	return Headline(n)
}

// CaseValue tells whether n is what a case of a switch expression yields: the `1` of
// `case RED -> 1`. What stands behind a colon is a statement, and no value.
func CaseValue(n tree.Node) bool {
	if !n.Parent().Is(syntax.Case) || tree.Statement(n) && !n.Is(syntax.ExpressionStatement) {
		return false
	}
	if k := n.Parent().NamedKids(); len(k) == 0 || k[len(k)-1] != n {
		return false
	}
	_, arrow := tree.CaseLabels(n.Parent())
	return arrow.Ok() && arrow.Kind() != ":" && arrow.I < n.I
}

// defaults are the beginnings of the case for everything else.
var defaults = regexp.MustCompile(`^(?:default|else|_ |case _ =|case _:|\*\))`)

// Guard says under which condition a statement runs: " when `x` is null". Only the nearest
// check counts, and none that the statement is itself a part of.
func Guard(n tree.Node) string {
	p := n.Up(func(p tree.Node) bool { return !p.Is(syntax.Block, syntax.ExpressionStatement, syntax.Other) })
	c := tree.Condition(p)
	if p.Is(syntax.If, syntax.ElseIf) && c.Ok() && !c.Contains(n) && !p.Child("alternative").Contains(n) {
		return " when " + RunsWhen(p, true)
	}
	return ""
}

// Exits tells whether a return ends the whole program: a shell's `exit 1` has the same role as its `return 1`.
func Exits(n tree.Node) bool { return strings.HasPrefix(n.Text(), "exit") && n.Is(syntax.Return) }

// Returned is what a return statement gives back, or none: for `x = f(); return x` it is
// `f()`, since the variable only carries the value.
func Returned(n tree.Node) tree.Node {
	if a := n.First(syntax.Arguments).NamedKids(); len(a) == 1 {
		return a[0]
	}
	if k := n.NamedKids(); len(k) > 0 && k[0].Field() != "name" {
		if before := Neighbour(n, false); Carrier(before) == n {
			return Assigned(tree.Strip(tree.Unnested(before)))
		}
		return k[0]
	}
	return tree.Node{}
}

// Assigned is the value that a statement gives to a name, or none.
func Assigned(n tree.Node) tree.Node {
	if n.Is(syntax.Assign, syntax.AugAssign) {
		_, r := tree.Sides(n)
		return r
	}
	return tree.ValueOf(n)
}

// Boolean tells whether an expression can only be true or false, by its operators.
func Boolean(n tree.Node) bool {
	n = tree.Strip(n)
	op := tree.Operator(n)
	switch {
	case !n.Is(syntax.Binary, syntax.Unary):
		return false
	case tree.Compares(op), denies(n):
		return true
	}
	return Logical(op) != "" && !slices.ContainsFunc(n.NamedKids(), func(k tree.Node) bool { return !Boolean(k) })
}

// DefinedName returns the simple name that a statement gives a value to, or "".
func DefinedName(s tree.Node) string {
	s = tree.Strip(tree.Unnested(s))
	if s.Is(syntax.Assign, syntax.Variable, syntax.Field, syntax.EnumMember) && tree.Compound(s) == "" {
		if t := tree.Target(s); SimpleName(t) {
			return t
		}
	}
	return ""
}

// Carrier is the `return x` behind `x = f()`, which gives a variable its value only for it,
// or none. Whether people write such a variable must not change what is said.
func Carrier(s tree.Node) tree.Node {
	name := DefinedName(s)
	if name == "" {
		return tree.Node{}
	}
	r := tree.Strip(Neighbour(s, true))
	if k := r.NamedKids(); !r.Is(syntax.Return) || Exits(r) || len(k) != 1 || !k[0].Is(syntax.Identifier) || k[0].Text() != name {
		return tree.Node{}
	}
	return r
}

// Neighbour returns the statement beside another, behind it or before it, in the same
// block. Comments do not count, and the way up ends at what stands around the statement.
func Neighbour(s tree.Node, behind bool) tree.Node {
	for s.Ok() && !treediff.Block(s.Parent()) {
		if s = s.Parent(); s.Is(Frames...) {
			return tree.Node{}
		}
	}
	for i := 0; s.Ok() && i < limits.Climb; i++ {
		if s = Either(behind, s.Next(), s.Prev()); s.Named() && !s.Is(syntax.Comment) {
			return s
		}
	}
	return tree.Node{}
}

// Conditional tells whether a branch is one of the preprocessor.
func Conditional(n tree.Node) bool { return strings.HasPrefix(n.Kind(), "preproc_") }

// Frames are what can stand around a statement in a function.
var Frames = []syntax.Role{
	syntax.If, syntax.ElseIf, syntax.Else, syntax.Loop, syntax.Case, syntax.Switch, syntax.Try, syntax.Catch, syntax.Finally,
	syntax.With, syntax.Lambda,
}
