package rules

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// effectsTail is " that calls `a` and sets `b`", or "".
func effectsTail(stmts []tree.Node) string {
	if e := phrase.Effects(stmts); len(e) > 0 {
		return " that " + phrase.List(e)
	}
	return ""
}

// effects says in a fact of its own each thing that statements do: "for each item, the new loop calls `send`".
func (w *writer) effects(n tree.Node, id, place string, s fact.Slots, stmts []tree.Node) {
	for _, s.Detail = range phrase.Effects(stmts) {
		w.add(n, id, place, s)
	}
}

// branch says that a check was added or removed, and what is done under it: "if `x` is null, `open` now returns
// early". A check that was put around old code is told by what only runs under it now.
func (w *writer) branch(n tree.Node, at phrase.Place, added bool) {
	where, when := at.String(), phrase.RunsWhen(n, true)
	elsewhere := func(x tree.Node) bool { return frame(x, tree.Node{}) != n || n.Child("alternative").Contains(x) }
	if in := slices.DeleteFunc(w.inner(n), elsewhere); len(in) > 0 {
		what, several := together(in)
		id := phrase.Either(added, "condition-wrapped", "condition-unwrapped")
		w.add(n, id, where, fact.Slots{Form: phrase.Either(several, "several", ""), Object: what, Detail: when})
		return
	}
	form, under := phrase.Either(elseIf(n), "else", ""), under(n)
	if holds, constant := tree.Condition(n).Constant(); constant {
		form, under = phrase.Either(holds, "always", "never"), "in that branch"
	}
	w.add(n, "condition-"+fact.Verb(added), where, fact.Slots{Form: form, Detail: when})
	if form == "never" {
		w.add(n, "condition-effect", "", fact.Slots{Form: phrase.Either(added, form, "revived")})
		return
	}
	s := fact.Slots{Form: phrase.Either(added, "", "before"), Of: under, Object: at.Subject()}
	w.effects(n, "condition-effect", "", s, tree.Body(n))
	if form == "" { // an `else if` is asked for beside the `else`, and of what always holds there is no other case
		w.otherwise(n, s)
	}
}

// otherwise says what an `if` does where its condition does not hold, for each of its other branches. Grammars put an
// `else if` beside the `else`, into it, or in its place. What was only put there is told as moved.
func (w *writer) otherwise(n tree.Node, s fact.Slots) {
	before := n // whose condition fails where the next branch is asked for
	for _, k := range n.NamedKids() {
		if !k.Is(syntax.ElseIf, syntax.Else) && k.Field() != "alternative" || w.Full() {
			continue
		}
		body, b, in := tree.Body(k), k, k.NamedKids()
		if len(body) == 0 { // a block of Go in the place of the `else`, or a statement of C without braces
			body = in
		}
		if k.Is(syntax.Else) && len(in) == 1 { // in which an `if` may stand alone
			b = in[0]
		}
		s.Of = "in the `else` branch where " + phrase.RunsWhen(before, false)
		if treediff.Branch(b) {
			s.Of, body, before = under(b), tree.Body(b), b
		}
		if len(w.inner(k)) == 0 { // else it was only put there
			w.effects(k, "condition-effect", "", s, body)
		}
		if before == b {
			w.otherwise(b, s)
		}
	}
}

// elseIf tells whether a branch is only asked for where those before it do not apply.
func elseIf(n tree.Node) bool {
	return n.Is(syntax.ElseIf) || n.Parent().Is(syntax.Else) || n.Field() == "alternative"
}

// under says when a branch runs, for what it does. Of an `else if` its own condition would not do: "if `y` is set" is
// too much said where `x` must not be set, too.
func under(n tree.Node) string {
	return phrase.Either(elseIf(n), "in the `else if` branch where ", "if ") + phrase.RunsWhen(n, true)
}

// elseBranch says that another branch was added or removed.
func (w *writer) elseBranch(n tree.Node, at phrase.Place, added bool) {
	if k := n.NamedKids(); len(k) == 1 && k[0].Is(syntax.If) {
		w.branch(k[0], at, added)
	} else if len(w.inner(n)) == 0 { // else said of what is in it
		w.add(n, "else-"+fact.Verb(added), at.String(), fact.Slots{Detail: effectsTail(tree.Body(n))})
	}
}

// loop says that a loop was added or removed, and what a new one does: "for each item, the new loop calls `send`".
func (w *writer) loop(n tree.Node, at phrase.Place, added bool) {
	w.add(n, "loop-"+fact.Verb(added), at.String(), fact.Slots{Detail: phrase.LoopOver(n)})
	if added {
		form := phrase.Either(n.Child("condition").Ok(), "rounds", "")
		w.effects(n, "loop-effect", at.String(), fact.Slots{Form: form}, tree.Body(n))
	}
}

// switchCase says that a case was added or removed: "a case for `red` was added".
func (w *writer) switchCase(n tree.Node, at phrase.Place, added bool) {
	w.add(n, "case-"+fact.Verb(added), at.String(), fact.Slots{Detail: effectsTail(tree.Body(n))}, phrase.CaseLabel(n))
}

// caught names the exceptions of a catch clause, "" where it takes any. Languages write them in many ways: as a
// parameter with a type, as a list, with a name behind it. In all of them, what stands before the block and begins
// with a capital, or is a type, is an exception.
func caught(n tree.Node) string {
	var types []string
	last := 0
	does := func(r syntax.Role) bool { return r.Is(syntax.Block, syntax.Call) } // and no longer asks for types
	for _, x := range n.Find(50, does, syntax.Type, syntax.Identifier, syntax.Member) {
		begin, _ := utf8.DecodeRuneInString(tree.LastName(strings.TrimLeft(x.Text(), `\:`)))
		if x.I >= last && (x.Is(syntax.Type) || unicode.IsUpper(begin)) {
			types, last = append(types, phrase.Code(tree.OneLine(x.Text()))), x.Last()
		}
	}
	return phrase.ListOf(types, 3, "or")
}

// try says that a statement that catches errors was added or removed, and what a new one does with them.
func (w *writer) try(n tree.Node, at phrase.Place, added bool) {
	var types []string
	for _, c := range n.Kids() {
		if t := caught(c); c.Is(syntax.Catch) && t != "" {
			types = append(types, t)
		}
	}
	word := strings.TrimRight(phrase.FirstWord(n.Text()), ":") // as the language has it: "do", "begin"
	s := fact.Slots{Object: "a `" + word + "` block" + phrase.Either(len(types) > 0, " that catches "+phrase.List(types), "")}
	if in := w.inner(n); len(in) > 0 {
		wrapped, _ := together(in)
		s.Detail = phrase.Either(added, " around ", " from around ") + wrapped
	}
	w.add(n, "try-"+fact.Verb(added), at.String(), s)
	for _, c := range n.Kids() {
		if added && c.Is(syntax.Catch) {
			w.effects(c, "catch-effect", "", fact.Slots{Of: cmp.Or(caught(c), "an error"), Object: at.Subject()}, tree.Body(c))
		}
	}
}

func branchRules() []fact.Rule {
	return slices.Concat(
		fact.Both("case", fact.Behaviour, "{a case|cases} for {names}{detail} {was|were} {added}"),
		fact.Both("condition", fact.Behaviour, "a check whether {detail} was {added}",
			fact.Sentence{Form: "else", Text: "an `else if` branch for the case that {detail} was {added}"},
			fact.Sentence{Form: "always", Text: "a condition that is always true was {added}"},
			fact.Sentence{Form: "never", Text: "a condition that is always false was {added}"}),
		fact.Both("else", fact.Behaviour, "an `else` branch{detail} was {added}"),
		fact.Both("loop", fact.Behaviour, "a loop {detail} was {added}"),
		fact.Both("try", fact.Behaviour, "{object} was {added}{detail}"),
		[]fact.Rule{
			fact.Claim("catch-effect", fact.Detail, "when {of} is caught, {object} {detail}"),
			fact.Claim("condition-effect", fact.Detail, "{of}, {object} now {detail}").
				Or("before", "{of}, {object} previously had code that {detail}").
				Or("never", "what stands under the condition never runs").
				Or("revived", "what stood under the condition never ran").
				Or("ends", "what follows the condition in its block never runs").
				With(fact.Sentence{Form: "implied", Text: "{object} now runs when {detail}", Kind: pseudoref.Implication, Weight: fact.Follows},
					fact.Sentence{Form: "implied else", Text: "where no condition before holds, {object} now runs when {detail}",
						Kind: pseudoref.Implication, Weight: fact.Follows}),
			fact.Claim("condition-unwrapped", fact.Behaviour, "the check whether {detail} was removed, so {object} no longer depends on it").
				Or("several", "the check whether {detail} was removed, so {object} no longer depend on it"),
			fact.Claim("condition-wrapped", fact.Behaviour, "{object} now only runs when {detail}").
				Or("several", "{object} now only run when {detail}"),
			fact.Claim("loop-effect", fact.Detail, "for each item, the new loop {detail}").Or("rounds", "in each round, the new loop {detail}"),
		})
}
