package symbolic

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// Assertions in words: what a test takes to be true.

// matchers are the verbs between the two values of an assertion, by the names of
// assertions in lower case, without underscores and "assert".
var matchers = map[string]string{
	"equal": "equals", "equals": "equals", "eq": "equals", "same": "equals", "strictequal": "equals", "deepequal": "equals",
	"deepstrictequal": "equals", "listequal": "equals", "dictequal": "equals",
	"ne": "differs from", "notequal": "differs from", "notequals": "differs from",
	"is": "is", "in": "is in", "notin": "is not in", "contains": "contains", "stringcontainsstring": "contains",
	"count": "has the size", "length": "has the size", "match": "matches", "regex": "matches",
	"greater": "is greater than", "greaterthan": "is greater than", "less": "is less than", "lessthan": "is less than",
	"greaterequal": "is at least", "greaterthanorequal": "is at least", "lessequal": "is at most", "lessthanorequal": "is at most",
	"almostequal": "is close to", "isinstance": "is an instance of", "instanceof": "is an instance of",
}

// expectedFirst are the assertions whose first argument is what is expected.
var expectedFirst = []string{
	"instanceof", "greaterthan", "lessthan", "greaterthanorequal", "lessthanorequal", "count", "stringcontainsstring",
}

// asserted is what an assertion takes to be true, as a clause: "`n` equals `3`".
// It is empty where the assertion is of no known form.
func asserted(n tree.Node) string {
	n = tree.Strip(n)
	if k := n.NamedKids(); n.Is(syntax.Assert) && len(k) > 0 && n.Traits().CallWord == "" {
		return holds(k[0])
	}
	name, args := tree.Callee(n), tree.Arguments(n).NamedKids()
	args = slices.DeleteFunc(args, func(k tree.Node) bool { return k.Is(syntax.KeywordArgument) })
	if s := expected(n); !n.Is(syntax.Call) || len(args) == 0 || s != "" {
		return s
	}
	short := strings.ToLower(strings.ReplaceAll(tree.LastName(name), "_", ""))
	if rest, ok := strings.CutPrefix(short, "assert"); ok && rest != "" {
		short = rest
	} else if !strings.HasPrefix(strings.ToLower(name), "assert.") && name != "assert" {
		return ""
	}
	takes := func(k int) bool { return len(args) == k || len(args) > k && n.Traits().Dynamic } // else a message may come first
	subject := bareArgument(args[0])
	switch short {
	case "assert", "true", "istrue", "ok":
		return either(takes(1), holds(subject), "")
	case "false", "isfalse":
		return either(takes(1), clause(subject, false, 0), "")
	}
	if matchers[short] == "" || !takes(2) {
		return ""
	}
	other, x := bareArgument(args[1]), tree.Strip(subject)
	constant := x.Is(syntax.String, syntax.Number, syntax.Bool, syntax.Null) ||
		x.Is(syntax.Collection) && !tree.Strip(other).Is(syntax.Collection)
	if slices.Contains(expectedFirst, short) || matchers[short] == "equals" && constant {
		subject, other = other, subject
	}
	return say(subject) + " " + matchers[short] + " " + say(other)
}

// nameWords are the words of a name in either style.
var nameWords = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)

// expected reads expect(x).not.toBe(y): "`x` is not to be `y`".
func expected(n tree.Node) string {
	args, root, name := tree.Arguments(n).NamedKids(), tree.Receiver(n), tree.CalledName(n)
	for k := root.NamedKids(); root.Is(syntax.Member) && len(k) == 2; k = root.NamedKids() {
		root, name = k[0], k[1].Text()+"_"+name
	}
	subject, words := tree.Arguments(root).NamedKids(), nameWords.FindAllString(name, -1)
	if !root.Is(syntax.Call) || tree.CalledName(root) != "expect" || tree.Receiver(root).Ok() || len(subject) != 1 {
		return ""
	}
	if len(words) == 0 || words[0] != "to" && words[0] != "not" || words[len(words)-1] == "to" {
		return ""
	}
	said := say(subject[0]) + " is " + strings.ToLower(strings.Join(words, " "))
	if len(args) > 0 {
		said += " " + list(each(args, argument))
	}
	return said
}

// bareArgument is an argument without what some grammars put around it.
func bareArgument(a tree.Node) tree.Node {
	if k := a.NamedKids(); a.Role() == syntax.Other && strings.Contains(a.Kind(), "argument") && len(k) == 1 {
		return k[0]
	}
	return a
}

// assertedOr is asserted, or else the assertion itself in short: "that `x` equals
// `3`", "`assertOpen` with `door`".
func assertedOr(n tree.Node) string {
	if s := asserted(n); s != "" {
		return "that " + s
	}
	c := tree.Strip(n)
	name, args := tree.CalledName(c), tree.Arguments(c).NamedKids()
	readable := len(tree.Chain(c)) == 1 && name != "" && len(name) <= maxCode && len(args) > 0 && len(args) <= 3
	if c.Is(syntax.Call) && readable && strings.ContainsAny(c.Text(), " \n") && c.Traits().Dynamic {
		return code(name) + " with " + argumentList(c)
	}
	return code(strings.TrimPrefix(tree.OneLine(c.Text()), "assert "))
}

// assertionEdit says once what an assertion checks now, for all edits in it, where
// both can be said in words.
func (w *writer) assertionEdit(e treediff.Edit) bool {
	old, new := e.Old, e.New
	if !old.Ok() {
		old = e.OldIn
	}
	if !new.Ok() {
		new = e.NewIn
	}
	a, b := assertionAround(old), assertionAround(new)
	if !a.Ok() || !b.Ok() || e.Link || e.Move {
		return false
	}
	x, y := asserted(a), asserted(b)
	if x == "" || y == "" || x == y || !showsNews(a, b, y) {
		return false
	}
	if w.done[b] {
		return true
	}
	w.done[b], w.done[a] = true, true
	w.add(b, "assertion-changed", placeOf(b).String(), fact.Slots{New: y, Old: x})
	return true
}

// showsNews tells whether a text has one of the words that b has and a has not, if
// there are any: what changed may be in what the words for an assertion leave out.
func showsNews(a, b tree.Node, text string) bool {
	words := func(n tree.Node) []string {
		begin := n.Text()[:min(10*maxReworded, n.Size())]
		return strings.FieldsFunc(begin, func(r rune) bool { return r > 127 || !tree.WordByte(byte(r)) })
	}
	had := words(a)
	news := slices.DeleteFunc(words(b), func(s string) bool { return slices.Contains(had, s) })
	return len(news) == 0 || slices.ContainsFunc(news, func(s string) bool { return strings.Contains(text, s) })
}

// assertionAround returns the assertion that a node is a part of, or none. What is
// in a function that it is handed is no part of it.
func assertionAround(n tree.Node) tree.Node {
	for p, i := tree.Unnested(n), 0; p.Ok() && i < maxSay+3; i, p = i+1, p.Parent() {
		switch {
		case p.Is(syntax.Lambda, syntax.Block), p.Role().IsFunction():
			return tree.Node{}
		case p.Is(syntax.Assert), p.Is(syntax.Call, syntax.Await) && statementLike(p) && assertion(tree.Strip(p)):
			return p
		}
	}
	return tree.Node{}
}

// assertionPhrase is "an assertion that `x` holds", or else "the assertion …".
func assertionPhrase(n tree.Node) string {
	if s := asserted(n); s != "" {
		return "an assertion that " + s
	}
	return "the assertion " + assertedOr(n)
}

func assertionRules() []fact.Rule {
	changed := fact.Swapped("assertion", fact.Behaviour, "the assertion now checks that {new}", "the assertion previously checked that {old}")
	changed[0], changed[1] = changed[0].Or("value", "{object} now uses {new}"), changed[1].Or("value", "{object} previously used {old}")
	return append(changed, fact.Both("assertion", fact.Behaviour, "{object} was {added}")...)
}
