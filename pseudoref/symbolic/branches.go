package symbolic

import (
	"slices"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// branchBody lists the statements of a branch that may be an expression.
func branchBody(n tree.Node) []tree.Node {
	if n.Is(syntax.Block) {
		return n.NamedKids()
	}
	return []tree.Node{n}
}

// effectsTail is " that calls `a` and sets `b`", or "".
func effectsTail(stmts []tree.Node) string {
	if e := effects(stmts); len(e) > 0 {
		return " that " + list(e)
	}
	return ""
}

// guard says under which condition a statement runs: " when `x` is null".
func guard(n tree.Node) string {
	p := n.Up(func(p tree.Node) bool { return !p.Is(syntax.Block, syntax.ExpressionStatement, syntax.Other) })
	c := tree.Condition(p)
	if p.Is(syntax.If, syntax.ElseIf) && c.Ok() && !c.Contains(n) && !p.Child("alternative").Contains(n) {
		return " when " + runsWhen(p, true)
	}
	return ""
}

// branch says that a check was added or removed, and what is done under it.
func (w *writer) branch(n tree.Node, at place, added bool) {
	where, when := at.String(), runsWhen(n, true)
	var in []tree.Node
	for _, x := range w.inner(n) {
		if frame(x, tree.Node{}) == n && !n.Child("alternative").Contains(x) {
			in = append(in, x)
		}
	}
	if len(in) > 0 {
		what, several := together(in)
		form := either(several, "several", "")
		switch {
		case added && w.askedBefore(n, in[0]):
			w.add(n, "condition-split", where, fact.Slots{Form: "out", Detail: when})
		case added:
			w.add(n, "condition-wrapped", where, fact.Slots{Form: form, Object: what, Detail: when})
		default:
			w.add(n, "condition-unwrapped", where, fact.Slots{Form: form, Object: what, Detail: when})
		}
		return
	}
	form, under := "", "if "+when
	if n.Is(syntax.ElseIf) || n.Parent().Is(syntax.Else) || n.Field() == "alternative" {
		form, under = "else", "in that branch" // it also takes that no branch before applies
	}
	w.add(n, "condition-"+verb(added), where, fact.Slots{Form: form, Detail: when})
	if added {
		w.reason(n)
	}
	for _, d := range effects(tree.Body(n)) {
		w.add(n, "condition-effect", "", fact.Slots{Form: either(added, "", "before"), Of: under, Object: at.subject(), Detail: d})
	}
}

// reason quotes the comment by which the body of a new check begins.
func (w *writer) reason(n tree.Node) {
	b := treediff.BodyOf(n)
	if c := n.Child("consequence"); c.Ok() {
		b = c
	}
	var comments []tree.Node
	for _, k := range b.Kids() {
		if k.Is(syntax.Comment) {
			comments = append(comments, k)
		} else if k.Named() { // no brace
			break
		}
	}
	if len(comments) == 0 || w.done[comments[0]] {
		return
	}
	for i, p := range passages(commentText(joinedComments(comments)), wordsSaid, 2) {
		w.add(comments[0], "comment-reason", "", fact.Slots{Form: either(i == 0, "", "further"), Detail: quoteText(p)})
	}
}

// elseBranch says that another branch was added or removed.
func (w *writer) elseBranch(n tree.Node, at place, added bool) {
	k := n.NamedKids()
	if len(k) == 1 && k[0].Is(syntax.If) {
		w.branch(k[0], at, added)
	} else if len(w.inner(n)) == 0 { // else said of what is in it
		w.add(n, "else-"+verb(added), at.String(), fact.Slots{Detail: effectsTail(tree.Body(n))})
	}
}

// loop says that a loop was added or removed, and what a new one does.
func (w *writer) loop(n tree.Node, at place, added bool) {
	w.add(n, "loop-"+verb(added), at.String(), fact.Slots{Detail: loopOver(n)})
	if !added {
		return
	}
	for _, d := range effects(tree.Body(n)) {
		w.add(n, "loop-effect", at.String(), fact.Slots{Form: either(n.Child("condition").Ok(), "rounds", ""), Detail: d})
	}
}

// defaults are the beginnings of the case for everything else.
var defaults = regexp.MustCompile(`^(?:default|else|_ |case _ =|case _:|\*\))`)

// caseValue tells whether n is what a case of a switch expression yields.
func caseValue(n tree.Node) bool {
	k := n.Parent().NamedKids()
	if !n.Parent().Is(syntax.Case) || len(k) == 0 || k[len(k)-1] != n || tree.Statement(n) && !n.Is(syntax.ExpressionStatement) {
		return false
	}
	_, arrow := tree.CaseLabels(n.Parent())
	return arrow.Ok() && arrow.Kind() != ":" && arrow.I < n.I
}

// switchCase says that a case was added or removed, and what a new one does.
func (w *writer) switchCase(n tree.Node, at place, added bool) {
	label, where := caseLabel(n), at.String()
	w.add(n, "case-"+verb(added), where, fact.Slots{}, label)
	if !added {
		return
	}
	var do []tree.Node
	for _, k := range n.NamedKids() {
		if k.Is(syntax.Block) {
			do = append(do, k.NamedKids()...)
		} else if tree.Statement(k) {
			do = append(do, k)
		}
	}
	for _, d := range effects(do) {
		w.add(n, "case-effect", where, fact.Slots{Object: label, Detail: d})
	}
}

// caseLabel names what a case is for.
func caseLabel(n tree.Node) string {
	labels, arrow := tree.CaseLabels(n)
	end := arrow.Start()
	if len(labels) == 1 && labels[0].Kind() == "switch_label" && len(labels[0].NamedKids()) > 0 {
		end, labels = labels[0].End(), labels[0].NamedKids()
	}
	v := n.Child("value", "pattern", "type")
	switch {
	case defaults.MatchString(tree.OneLine(cut(n.Text(), maxCode))):
		return "the default"
	case len(labels) == 1:
		return say(labels[0])
	case len(labels) > 1: // or one and a guard
		return code(string(n.Src[labels[0].Start():end]))
	case v.Ok():
		return say(v)
	}
	return headline(n)
}

func branchRules() []fact.Rule {
	return slices.Concat(
		fact.Both("case", fact.Behaviour, "{a case|cases} for {names} {was|were} {added}"),
		fact.Both("condition", fact.Behaviour, "a check whether {detail} was {added}",
			fact.Sentence{Form: "else", Text: "an `else if` branch for the case that {detail} was {added}"}),
		fact.Both("else", fact.Behaviour, "an `else` branch{detail} was {added}"),
		fact.Both("loop", fact.Behaviour, "a loop {detail} was {added}"),
		[]fact.Rule{
			fact.Claim("case-effect", fact.Detail, "for {object} the code now {detail}"),
			fact.Claim("comment-reason", fact.Text, "a comment on the new check says {detail}").
				Or("further", "the comment on the new check goes on to say {detail}"),
			fact.Claim("condition-effect", fact.Detail, "{of}, {object} now {detail}").
				Or("before", "{of}, {object} previously had code that {detail}").
				With(fact.Sentence{Form: "implied", Text: "{object} now runs when {detail}", Kind: pseudoref.Implication, Weight: fact.Follows}),
			fact.Claim("condition-unwrapped", fact.Behaviour, "the check whether {detail} was removed, so {object} no longer depends on it").
				Or("several", "the check whether {detail} was removed, so {object} no longer depend on it"),
			fact.Claim("condition-wrapped", fact.Behaviour, "{object} now only runs when {detail}").
				Or("several", "{object} now only run when {detail}"),
			fact.Claim("loop-effect", fact.Detail, "for each item, the new loop {detail}").Or("rounds", "in each round, the new loop {detail}"),
		})
}
