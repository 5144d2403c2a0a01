package symbolic

import (
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
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
	v, where, whether := verb(added), at.String(), "the check whether "+runsWhen(n, true)
	var in []tree.Node
	for _, x := range w.inner(n) {
		if frame(x, tree.Node{}) == n && !n.Child("alternative").Contains(x) {
			in = append(in, x)
		}
	}
	if len(in) > 0 {
		what, several := together(in)
		switch {
		case added && w.askedBefore(n, in[0]):
			w.say(n, wBehaviour, "condition-split", where, whether+" now stands in an `if` of its own")
		case added:
			w.say(n, wBehaviour, "condition-wrapped", where, what+" now only "+runs(several)+" when "+runsWhen(n, true))
		default:
			so := " was removed, so " + what + " no longer " + either(several, "depend", "depends") + " on it"
			w.say(n, wBehaviour, "condition-unwrapped", where, whether+so)
		}
		return
	}
	what, when := "a check whether ", "if "+runsWhen(n, true)+", "+at.subject()
	if n.Is(syntax.ElseIf) || n.Parent().Is(syntax.Else) || n.Field() == "alternative" {
		// It also takes that no branch before applies.
		what, when = "an `else if` branch for the case that ", "in that branch, "+at.subject()
	}
	w.say(n, wBehaviour, "condition-"+v, where, what+runsWhen(n, true)+" was "+v)
	e := effects(tree.Body(n))
	if added {
		w.reason(n)
		w.each(n, wDetail, "condition-effect", "", when+" now ", e)
		return
	}
	w.each(n, wDetail, "condition-effect", "", when+" previously had code that ", e)
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
		says := either(i == 0, "a comment on the new check says ", "the comment on the new check goes on to say ")
		w.say(comments[0], wText, "comment-reason", "", says+quoteText(p))
	}
}

// elseBranch says that another branch was added or removed.
func (w *writer) elseBranch(n tree.Node, at place, added bool) {
	k := n.NamedKids()
	if len(k) == 1 && k[0].Is(syntax.If) {
		w.branch(k[0], at, added)
	} else if len(w.inner(n)) == 0 { // else said of what is in it
		w.say(n, wBehaviour, "else-"+verb(added), at.String(), "an `else` branch"+effectsTail(tree.Body(n))+" was "+verb(added))
	}
}

// loop says that a loop was added or removed, and what a new one does.
func (w *writer) loop(n tree.Node, at place, added bool) {
	w.say(n, wBehaviour, "loop-"+verb(added), at.String(), "a loop "+loopOver(n)+" was "+verb(added))
	if added {
		each := either(n.Child("condition").Ok(), "in each round", "for each item")
		w.each(n, wDetail, "loop-effect", at.String(), each+", the new loop ", effects(tree.Body(n)))
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
	label, v, where := caseLabel(n), verb(added), at.String()
	w.names(n, wBehaviour, "case-"+v, where, "a case for "+slot+" was "+v, "cases for "+slot+" were "+v, label)
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
	w.each(n, wDetail, "case-effect", where, "for "+label+" the code now ", effects(do))
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
