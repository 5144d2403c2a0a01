package symbolic

import (
	"cmp"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// caught names the exceptions of a catch clause, "" where it takes any.
func caught(n tree.Node) string { return listOf(codes(caughtTypes(n)), 3, "or") }

// caughtTypes lists the exceptions of a catch clause.
func caughtTypes(n tree.Node) []string {
	if n.Traits().UntypedCatch {
		return nil // a variable, and no type
	}
	if t := n.Child("type"); t.Ok() {
		return typesIn(t, 0)
	}
	for _, k := range n.Kids() {
		if k.Kind() == "..." {
			return []string{"..."}
		}
		if !k.Named() || k.Is(syntax.Block, syntax.Comment) || k.Kind() == "exception_variable" {
			continue
		}
		if t := k.Child("type"); t.Ok() {
			k = t
		}
		return typesIn(k, 0)
	}
	return nil
}

func typesIn(n tree.Node, depth int) []string {
	var out []string
	switch kids := n.NamedKids(); n.Kind() {
	case "catch_formal_parameter", "catch_declaration", "as_pattern":
		for _, k := range kids {
			if !k.Is(syntax.Modifier) {
				return typesIn(k, depth+1)
			}
		}
	case "exceptions", "catch_type", "type_list", "tuple", "union_type", "parenthesized_expression":
		for _, k := range kids {
			if depth < maxSay {
				out = append(out, typesIn(k, depth+1)...)
			}
		}
		return out
	}
	return []string{tree.OneLine(n.Text())}
}

// errorsCaught is "exceptions of type `A` and `B`" of a catch clause.
func errorsCaught(n tree.Node) string {
	if t := caughtTypes(n); len(t) > 0 && t[0] != "..." {
		return "exceptions of type " + list(codes(t))
	}
	return "errors of all kinds"
}

// try says that a statement that catches errors was added or removed, and what a
// new one does with them.
func (w *writer) try(n tree.Node, at place, added bool) {
	word := "try"
	if k := n.Kids(); len(k) > 0 && !k[0].Named() {
		word = k[0].Kind() // as the language has it: "do", "begin"
	}
	what := "a `" + word + "` block"
	var clauses, types []string
	if opened := names(tree.Resources(n)); len(opened) > 0 {
		clauses = append(clauses, "opens and closes "+list(opened))
	}
	for _, c := range n.Kids() {
		if t := caught(c); c.Is(syntax.Catch) && t != "" {
			types = append(types, t)
		}
	}
	if len(types) > 0 {
		clauses = append(clauses, "catches "+list(types))
	}
	if len(clauses) > 0 {
		what += " that " + list(clauses)
	}
	v := verb(added)
	if in := w.inner(n); len(in) > 0 {
		wrapped, _ := together(in)
		what += map[bool]string{true: " was added around ", false: " was removed from around "}[added] + wrapped
	} else if what += " was " + v; true {
		c := n.Find(1, func(r syntax.Role) bool { return r == syntax.Catch || r == syntax.Lambda }, syntax.Call)
		if len(c) == 1 && tree.Callee(c[0]) != "" {
			what += " around the call to " + called(c[0])
		}
	}
	w.say(n, wBehaviour, "try-"+v, at.String(), what)
	if !added {
		return
	}
	if f := n.First(syntax.Finally); f.Ok() {
		w.each(f, wDetail, "finally-effect", "", "in any case, the new `finally` block ", effects(tree.Body(f)))
	}
	for _, c := range n.Kids() {
		if c.Is(syntax.Catch) {
			w.handler(c, at)
		}
	}
}

// handler says what a new catch clause does.
func (w *writer) handler(h tree.Node, at place) {
	t := caught(h)
	if t == "" {
		t = "an error"
	}
	w.each(h, wDetail, "catch-effect", "", "when "+t+" is caught, "+at.subject()+" ", effects(tree.Body(h)))
}

// catch says that a catch clause was added or removed, or that it took the place of
// the only one that went.
func (w *writer) catch(n tree.Node, e treediff.Edit, at place, added bool) {
	in := e.NewIn
	if added {
		in = e.OldIn
	}
	others := slices.DeleteFunc(in.Kids(), func(k tree.Node) bool { return !k.Is(syntax.Catch) || !w.fresh[k] || w.done[k] })
	switch {
	case len(others) == 1:
		a, b := others[0], n
		if !added {
			a, b = b, a
		}
		w.caughtAs(a, b, at)
		if !slices.Equal(effects(tree.Body(a)), effects(tree.Body(b))) {
			w.handler(b, at)
		}
	case added:
		w.say(n, wBehaviour, "catch-added", at.String(), errorsCaught(n)+" are now caught")
		w.handler(n, at)
	default:
		w.say(n, wBehaviour, "catch-removed", at.String(), errorsCaught(n)+" are no longer caught")
	}
}

// caughtAs says how a catch clause became another one. One type may cover the other.
func (w *writer) caughtAs(a, b tree.Node, at place) {
	w.done[a], w.done[b] = true, true
	if x, y := cmp.Or(caught(a), "all errors"), cmp.Or(caught(b), "all errors"); x != y {
		w.say(b, wBehaviour, "catch-changed", at.String(), "the handler of "+x+" now handles "+y)
	}
}

// catchHead says once what edits in the head of a catch clause do. It answers
// false when the edit is elsewhere.
func (w *writer) catchHead(e treediff.Edit) bool {
	head := func(n, in tree.Node) tree.Node {
		if n.Ok() {
			in = n.Parent()
		}
		for i := 0; i < maxSay && in.Ok() && !in.Is(syntax.Block, syntax.Lambda) && !tree.Statement(in); i++ {
			in = in.Parent()
		}
		return in
	}
	a, b := head(e.Old, e.OldIn), head(e.New, e.NewIn)
	if !a.Is(syntax.Catch) || !b.Is(syntax.Catch) || tree.Statement(e.New) || tree.Statement(e.Old) {
		return false
	}
	if w.done[b] {
		return true
	}
	if slices.Equal(caughtTypes(a), caughtTypes(b)) {
		return false
	}
	w.caughtAs(a, b, placeOf(b))
	return true
}

// throw says that an error is raised now, or no longer.
func (w *writer) throw(n tree.Node, at place, added bool) {
	e, msg := thrown(n)
	if e = code(e); e == nothing {
		e = "the caught error"
	}
	if msg != "" {
		e += " with the message " + msg
	}
	w.say(n, wBehaviour, "throw-"+verb(added), "", at.subject()+map[bool]string{true: " now ", false: " no longer "}[added]+raises(n)+" "+e+guard(n))
}

// with says that a statement was added or removed that closes what it opens.
func (w *writer) with(n tree.Node, at place, added bool) {
	word := firstWord(n.Text())
	if rest, ok := strings.CutPrefix(tree.OneLine(n.Text()), "async "); ok {
		word = "async " + firstWord(rest)
	}
	what := an("`" + word + "` block")
	if k := n.NamedKids(); len(k) > 0 && !k[0].Is(syntax.Block) {
		what = an("`"+word+"` statement on ") + say(k[0])
	}
	if in := w.inner(n); len(in) > 0 && added {
		wrapped, several := together(in)
		what = wrapped + " now " + runs(several) + " inside " + what
	} else {
		what += effectsTail(tree.Body(n)) + " was " + verb(added)
	}
	w.say(n, wBehaviour, "with-"+verb(added), at.String(), what)
	if what, release := lock(n); added && release != "" && !w.lockedBefore(n, what) {
		w.waits(n, what, at)
	}
}
