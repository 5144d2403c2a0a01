package phrase

import (
	"cmp"
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// What is said about what a block does: so many things at most, and so many words in short.
const (
	saidEffects = 3
	effectWords = 16
)

// Effects says what statements do: "calls `a`", "returns `b`". It ends where what follows may not happen, or
// would read as if it happened only under the condition named before it.
func Effects(stmts []tree.Node) []string {
	var out []string
	for _, s := range stmts {
		out = append(out, Does(s))
		if leaves(s) {
			break
		}
	}
	out = Uniq(out)
	words := func() int { return CountWords(settle(strings.Join(out, " "), shortly)) }
	for len(out) > saidEffects || len(out) > 1 && words() > effectWords {
		// How a block ends matters more than what it does in between.
		k := min(len(out)-1, saidEffects) - 1
		out = slices.Delete(out, k, len(out)-1)
	}
	return out
}

// leaves tells whether a statement asks for a condition or may leave the block.
func leaves(n tree.Node) bool {
	n = tree.Strip(n)
	function := func(r syntax.Role) bool { return r == syntax.Lambda || r.IsFunction() }
	return n.Is(syntax.If, syntax.Switch) || n.Is(syntax.Leaving...) || len(n.Find(1, function, syntax.Leaving...)) > 0
}

// Does is the verb phrase of a statement: "returns `x`"; "" when there is nothing worth saying.
func Does(n tree.Node) string {
	n = tree.Strip(n)
	k, carrier := n.NamedKids(), Carrier(n)
	switch {
	case carrier.Ok():
		return Does(carrier)
	case tree.Appends(n) && len(k) == 2: // Ruby's `list << x`
		return "appends " + Say(k[1]) + " to " + Code(k[0].Text())
	}
	switch n.Role() {
	case syntax.Throw:
		return throws(n)
	case syntax.Break:
		if n.Traits().BreakLeavesLoop || !n.Under(syntax.Switch, syntax.Case, syntax.Loop).Is(syntax.Switch, syntax.Case) {
			return "leaves the loop" // and does not only end a case
		}
	case syntax.Assign, syntax.AugAssign, syntax.Variable, syntax.Update:
		return sets(n)
	case syntax.Await:
		if len(k) > 0 {
			return Does(k[0])
		}
	case syntax.Function:
		return "defines the function " + Code(tree.NameOf(n))
	}
	_, verb := named(n)
	return verb
}

// throws is the verb phrase of a statement that raises an error: "throws `KeyError` with the message "no such key"".
func throws(n tree.Node) string {
	k, text := n.NamedKids(), ""
	if a := n.First(syntax.Arguments); a.Ok() { // Ruby raises by a call
		k, text = a.NamedKids(), given(n)
	}
	word := Either(n.Traits().Raises, "raises", "throws")
	if len(k) == 0 {
		return word + " the error again"
	}
	e := tree.Strip(k[0])
	if e.Is(syntax.Call, syntax.New) && tree.Callee(e) != "" {
		return word + " " + Code(strings.TrimSuffix(tree.Callee(e), ".new")) + cmp.Or(given(e), text)
	}
	return word + " " + Code(e.Text()) + text
}

// sets is the verb phrase of a statement that gives a variable a value: "sets `x` to `1`". Of
// `x += 1` the value is not that of the right side, and so is not told.
func sets(n tree.Node) string {
	t, v := tree.Target(n), Assigned(n)
	switch {
	case n.Is(syntax.Update), t != "" && tree.Compound(n) != "":
		return "updates " + Code(cmp.Or(t, strings.Trim(n.Text(), "+-;")))
	case t != "" && v.Ok():
		return "sets " + Code(t) + " to " + Say(v)
	}
	return Either(t != "" && n.Is(syntax.Variable), "declares "+Code(t), "")
}

// LoopOver says what a loop goes over or how long it runs: "over `xs`", "while `n` is less than `9`".
func LoopOver(n tree.Node) string {
	over, asks := n.Child("right", "value", "collection"), n.Child("condition")
	over = Either(over.Ok(), over, n.Child("range").Child("right")) // of Go
	asks = Either(asks.Ok(), asks, n.Child("clause").Child("condition"))
	always, _ := asks.Constant()
	switch {
	case over.Ok() && !over.Is(syntax.Block) && over.Next().Field() != "value": // and no list of words
		return "over " + Say(over)
	case always, !asks.Ok() && len(n.NamedKids()) == 1:
		return "without an end"
	case asks.Ok():
		return "while " + Holds(asks)
	}
	return "over its values"
}

// Assertion tells whether a call checks something in a test: assertEquals(a, b), assert.True(a), a.Should().Be(b).
func Assertion(call tree.Node) bool {
	return asserting.MatchString(tree.Callee(call)) || strings.HasPrefix(call.Text(), "expect(") ||
		slices.ContainsFunc(tree.Chain(call), func(l tree.Node) bool { return slices.Contains(fluent, tree.CalledName(l)) })
}

var (
	// asserting are the names of assertions: the last part of a name, or all in a package `assert`.
	asserting = regexp.MustCompile(`(?i)^assert\.|\b(?:(?:assert|xctassert|expect)\w*|verify)[?!]?$`)
	// fluent are the calls that begin an assertion whose next calls say what is to hold.
	fluent = []string{"Should", "assertThat", "expect"}
)

// Asserted is what an assertion says: "that `n` equals `3`" for `assert n == 3`, and of a call
// its name and what it is given: "`toBe` on `expect(n)` with `3`". The whole call would be the
// changed line again, which anybody can paste.
func Asserted(n tree.Node) string {
	c := tree.Strip(n)
	if k := c.NamedKids(); c.Is(syntax.Assert) && len(k) > 0 && c.Traits().CallWord == "" {
		return "that " + Holds(k[0])
	}
	s := Code(cmp.Or(tree.CalledName(c), FirstWord(c.Text())))
	if on := tree.Receiver(c).Text(); strings.Contains(on, "(") {
		s += " on " + Code(on)
	}
	if len(tree.Arguments(c).NamedKids()) > 0 {
		s += " with " + ArgumentList(c)
	}
	return s
}

// bareArgument is an argument without what some grammars put around it.
func bareArgument(a tree.Node) tree.Node {
	if k := a.NamedKids(); a.Role() == syntax.Other && strings.Contains(a.Kind(), "argument") && len(k) == 1 {
		return k[0]
	}
	return a
}
