package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// Where the values go that a change sets: what is done with them next, and
// whether they decide what the function returns.

// flows says where the value goes that a statement sets.
func (w *writer) flows(s, n tree.Node) {
	name := definedName(s)
	if name == "" || carrier(s).Ok() {
		return
	}
	v := assigned(tree.Strip(tree.Unnested(s)))
	switch {
	case w.fresh[s] || v == n || tree.Unnested(n) == s || v.Contains(n) && tree.Strip(v) == tree.Strip(n):
		w.flowsOf(s, name, code(name)+" is then ")
	case v.Contains(n) && !n.Is(syntax.Type, syntax.TypeArguments) && !n.Under(syntax.TypeArguments, syntax.Type).Ok():
		w.flowsOf(s, name, code(name)+", whose value changes, is then ")
	}
}

// flowsOf says where a value goes after a statement.
func (w *writer) flowsOf(s tree.Node, name, prefix string) {
	o := treediff.Owner(s)
	names := map[string]bool{name: true} // and its other names
	var out []string
	for i := s.Last(); i < o.Last() && i < s.Last()+maxLookup && len(out) < 3; i++ {
		x := s.Tree.At(i)
		if !x.Leaf() || !tree.NameLike(x) || !names[x.Text()] || tree.Member(x) {
			continue
		}
		if !o.Parent().Ok() && x.Under(syntax.Function, syntax.Constructor) != s.Under(syntax.Function, syntax.Constructor) {
			continue // it may be a name of its own there
		}
		d := x.Up(treediff.Movable)
		if other := otherName(d); other == x {
			names[definedName(d)] = true
		} else if f := flow(x); f != "" {
			out = append(out, f)
		}
		if definedName(d) == name && !frame(d, o).Ok() {
			break // another value from here on, whatever happens
		}
	}
	if out = uniq(out); len(out) > 0 && !onlyTested(out) {
		w.say(s, wResult, "value-used", placeOf(s).String(), prefix+usesList(out))
	}
	if !slices.Contains(out, "returned") && !slices.Contains(out, "part of what is returned") {
		w.decides(s, name)
	}
}

// usesList joins uses, and those of one kind under one verb: "passed to `f` and `g`".
func usesList(uses []string) string {
	var out []string
	for _, verb := range []string{"passed to ", "asked for "} {
		var names []string
		k := -1
		for i, s := range uses {
			if rest, ok := strings.CutPrefix(s, verb); ok {
				if names = append(names, rest); k < 0 {
					k = i
				}
			}
		}
		if len(names) < 2 {
			continue
		}
		out = out[:0]
		for i, s := range uses {
			if i == k {
				out = append(out, verb+list(names))
			} else if !strings.HasPrefix(s, verb) {
				out = append(out, s)
			}
		}
		uses = slices.Clone(out)
	}
	return list(uses)
}

// onlyTested tells whether a value is only asked for, which the claim about the
// condition says.
func onlyTested(uses []string) bool {
	return len(uses) == 1 && (uses[0] == "tested in a condition" || uses[0] == "checked by an assertion")
}

// decides says that what a function returns is made from a value that is set in
// it, over the variables between them.
func (w *writer) decides(s tree.Node, name string) {
	around := func(n tree.Node) tree.Node { return n.Under(syntax.Function, syntax.Constructor, syntax.Lambda) }
	f := around(s)
	if !f.Is(syntax.Function) || isTest(f, tree.NameOf(f)) || functionName(f) == "" {
		return
	}
	made := map[string]bool{name: true}
	for i := s.Last(); i < f.Last() && i < s.Last()+maxLookup; i++ {
		x := s.Tree.At(i)
		if !x.Leaf() || !tree.NameLike(x) || !made[x.Text()] || tree.Member(x) || around(x) != f {
			continue
		}
		if x.Under(syntax.Return).Ok() {
			w.follows(s, "result-affected", code(name)+" goes into what "+code(functionName(f))+" returns")
			return
		}
		d := x.Up(treediff.Movable)
		switch v, t := assigned(tree.Strip(tree.Unnested(d))), definedName(d); {
		case t == "" || !v.Ok():
		case v.Contains(x):
			made[t] = true
		case t == x.Text() && !mentionsAny(v, made):
			delete(made, t) // another value from here on
		}
	}
}

// mentionsAny tells whether one of some variables stands in a node.
func mentionsAny(n tree.Node, names map[string]bool) bool {
	for i := n.I; i < n.Last(); i++ {
		if x := (n.Tree.At(i)); x.Leaf() && names[x.Text()] && !tree.Member(x) {
			return true
		}
	}
	return false
}

// flow says what is done with a value where its name stands.
func flow(x tree.Node) string {
	p := x.Parent()
	if p.Is(syntax.Member) && p.Field() == "left" && p.Parent().Is(syntax.Assign, syntax.AugAssign) {
		return "" // a part of it is set
	}
	if p.Is(syntax.Member) && p.NamedKids()[0] == x {
		if c := p.Parent(); c.Is(syntax.Call) && !tree.Arguments(c).Contains(x) {
			return "asked for " + code(tree.CalledName(c))
		}
		if k := p.NamedKids(); len(k) == 2 {
			return "asked for " + code(k[1].Text())
		}
		return ""
	}
	switch s := slotOf(x); s.kind {
	case argumentSlot:
		if p.Is(syntax.Member, syntax.Index) && !s.filledBy(x) {
			return "read for an argument of " + called(s.holder)
		}
		if c := tree.Callee(s.holder); c != "" {
			if name := tree.CalledName(s.holder); name != "" && len(tree.Chain(s.holder)) > 1 {
				return "passed to " + code(name) // and not to the calls before it
			}
			return "passed to " + called(s.holder)
		}
	case returnSlot:
		if s.filledBy(x) && s.holder.Is(syntax.Return) {
			return "returned"
		}
		return "part of what is returned"
	case conditionSlot:
		return "tested in a condition"
	case assertSlot:
		return "checked by an assertion"
	case throwSlot:
		return "thrown"
	case valueSlot:
		if s.holder.Is(syntax.Assign, syntax.Variable, syntax.Declarator) && tree.Target(s.holder) != x.Text() && tree.Target(s.holder) != "" && !strings.HasPrefix(tree.Target(s.holder), "{") && !strings.HasPrefix(tree.Target(s.holder), "[") {
			return "used to set " + code(tree.Target(s.holder))
		}
	case otherSlot:
		if s.holder.Is(syntax.Loop) {
			return "looped over"
		}
	}
	return ""
}
