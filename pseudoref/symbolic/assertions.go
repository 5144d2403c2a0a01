package symbolic

import (
	"cmp"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Assertions in words: what a test takes to be true.

// matcher is how assertions of some names are said, of a value alone or of a value
// and another.
type matcher struct {
	holds, fails string
	alone        bool
	names        string // in lower case, without underscores and "assert"
}

// matchers are tried in their order.
var matchers = []matcher{
	{"equals", "differs from", false, "equal equals eq same strictequal deepequal deepstrictequal listequal dictequal"},
	{"differs from", "equals", false, "ne"},
	{"is", "is not", false, "is"},
	{"is in", "is not in", false, "in"},
	{"contains", "does not contain", false, "contains stringcontainsstring"},
	{"has the size", "has another size than", false, "count length"},
	{"matches", "does not match", false, "match regex"},
	{"is greater than", "is at most", false, "greater greaterthan"},
	{"is less than", "is at least", false, "less lessthan"},
	{"is at least", "is less than", false, "greaterequal greaterthanorequal"},
	{"is at most", "is greater than", false, "lessequal lessthanorequal"},
	{"is close to", "is not close to", false, "almostequal"},
	{"is an instance of", "is no instance of", false, "isinstance instanceof"},
	{"is null", "is not null", true, "null isnull"},
	{"is `None`", "is not `None`", true, "none isnone"},
	{"is `nil`", "is not `nil`", true, "nil"},
	{"is empty", "is not empty", true, "empty isempty"},
}

// expectedFirst are the assertions whose first argument is what is expected.
var expectedFirst = []string{"instanceof", "greaterthan", "lessthan", "greaterthanorequal", "lessthanorequal", "count", "stringcontainsstring", "stringnotcontainsstring"}

// matcherOf finds the verb of an assertion of a name.
func matcherOf(name string, alone bool) string {
	for _, m := range matchers {
		switch names := strings.Fields(m.names); {
		case m.alone != alone:
		case slices.Contains(names, name):
			return m.holds
		case slices.Contains(names, strings.Replace(name, "not", "", 1)):
			return m.fails
		}
	}
	return ""
}

// asserted is what an assertion takes to be true, as a clause: "`n` equals `3`".
// It is empty where the assertion is of no known form.
func asserted(n tree.Node) string {
	n = tree.Strip(n)
	k := n.NamedKids()
	switch {
	case n.Is(syntax.Await) && len(k) == 1:
		return asserted(k[0])
	case n.Is(syntax.Assert) && len(k) > 0 && n.Traits().CallWord == "":
		return holds(k[0])
	case !n.Is(syntax.Call):
		return ""
	}
	if s := expected(n); s != "" && n.Traits().Dynamic {
		return s
	}
	name := tree.Callee(n)
	short := strings.ToLower(strings.ReplaceAll(tree.LastName(name), "_", ""))
	if rest, ok := strings.CutPrefix(short, "assert"); ok && rest != "" {
		short = rest
	} else if !strings.HasPrefix(strings.ToLower(name), "assert.") && name != "assert" {
		return ""
	}
	args := slices.DeleteFunc(tree.Arguments(n).NamedKids(), func(k tree.Node) bool { return k.Is(syntax.KeywordArgument) })
	if len(args) == 0 {
		return ""
	}
	subject := bareArgument(args[0])
	takes := func(k int) bool { return len(args) == k || len(args) > k && n.Traits().Dynamic } // else a message may come first
	alone, verb := matcherOf(short, true), matcherOf(short, false)
	switch {
	case name == "assert" && n.Traits().CallWord == "", (short == "true" || short == "istrue" || short == "ok") && takes(1):
		return holds(subject)
	case (short == "false" || short == "isfalse") && takes(1):
		return clause(subject, false, 0)
	case alone != "" && takes(1):
		return say(subject) + " " + alone
	case verb == "" || !takes(2):
		return ""
	}
	other, x := bareArgument(args[1]), tree.Strip(subject)
	constant := x.Is(syntax.String, syntax.Number, syntax.Bool, syntax.Null) || x.Is(syntax.Collection) && !tree.Strip(other).Is(syntax.Collection)
	if slices.Contains(expectedFirst, short) || verb == "equals" && constant {
		subject, other = other, subject
	}
	return say(subject) + " " + verb + " " + say(other)
}

// nameWords are the words of a name in either style.
var nameWords = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)

// expected reads expect(x).not.toBe(y), and expect(x).to eq(y): "`x` is to equal `y`".
func expected(n tree.Node) string {
	args, root, name := tree.Arguments(n).NamedKids(), tree.Receiver(n), tree.CalledName(n)
	for k := root.NamedKids(); root.Is(syntax.Member) && len(k) == 2; k = root.NamedKids() {
		root, name = k[0], k[1].Text()+"_"+name
	}
	if !root.Is(syntax.Call) || tree.CalledName(root) != "expect" || tree.Receiver(root).Ok() {
		return ""
	}
	subject := ""
	if k := tree.Arguments(root).NamedKids(); len(k) == 1 {
		subject = say(k[0])
	} else if e := effects(tree.Body(root.Child("block"))); len(e) > 0 {
		subject = "a block that " + e[0]
	} else {
		return ""
	}
	words := nameWords.FindAllString(name, -1)
	if slices.Contains([]string{"to", "not_to", "to_not"}, name) && len(args) > 0 { // of Ruby
		m := tree.Strip(args[0])
		if words = append(words, nameWords.FindAllString(cmp.Or(tree.CalledName(m), m.Text()), -1)...); tree.Receiver(m).Ok() {
			return ""
		}
		args = tree.Arguments(m).NamedKids()
	}
	said := subject + " is to"
	for _, word := range words {
		switch word = strings.ToLower(word); word {
		case "resolves", "rejects":
			return ""
		case "not", "never":
			said = subject + " is not to"
		case "eq", "eql":
			said += " equal"
		case "to":
		default:
			said += " " + word
		}
	}
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
	if name := tree.CalledName(c); c.Is(syntax.Call) && len(tree.Chain(c)) == 1 && name != "" && len(name) <= maxCode && strings.ContainsAny(c.Text(), " \n") && c.Traits().Dynamic {
		if a := tree.Arguments(c).NamedKids(); len(a) > 0 && len(a) <= 3 {
			return code(name) + " with " + argumentList(c)
		}
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
	if x == "" || y == "" || x == y {
		return false
	}
	if w.done[b] {
		return true
	}
	if !showsNews(a, b, y) {
		return false // what changed is in what the words leave out
	}
	w.done[b], w.done[a] = true, true
	where := placeOf(b).String()
	w.say(b, wBehaviour, "assertion-changed", where, "the assertion now checks that "+y)
	w.say(b, wAside, "assertion-before", where, "the assertion previously checked that "+x)
	return true
}

// showsNews tells whether a text has one of the words that b has and a has not, if
// there are any.
func showsNews(a, b tree.Node, text string) bool {
	words := func(n tree.Node) []string {
		return strings.FieldsFunc(n.Text()[:min(10*maxReworded, n.Size())], func(r rune) bool { return r > 127 || !tree.WordByte(byte(r)) })
	}
	had, none := words(a), true
	for _, s := range words(b) {
		if !slices.Contains(had, s) {
			if strings.Contains(text, s) {
				return true
			}
			none = false
		}
	}
	return none
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
		case p.Is(syntax.Await) && statementLike(p) && len(p.NamedKids()) == 1 && assertion(tree.Strip(p.NamedKids()[0])):
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
	if n.Is(syntax.Assert) {
		return "an assertion on " + code(strings.TrimPrefix(tree.OneLine(n.Text()), "assert "))
	}
	return "the assertion " + assertedOr(n)
}
