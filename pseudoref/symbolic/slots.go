package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// slotKind is the part that an expression plays in what is around it.
type slotKind int

const (
	noSlot slotKind = iota
	argumentSlot
	calleeSlot
	valueSlot
	defaultSlot
	conditionSlot
	returnSlot
	throwSlot
	assertSlot
	elementSlot
	otherSlot
)

// slot is a part with the noun phrase for it and the node that has it.
type slotted struct {
	kind   slotKind
	phrase string
	holder tree.Node // the call, the declaration, the if
	part   tree.Node // the expression that fills the slot
}

// filledBy tells whether n is all that fills the slot, and not a part of it.
func (s slotted) filledBy(n tree.Node) bool {
	if s.kind == elementSlot || s.holder.Is(syntax.With) {
		return false
	}
	p := tree.Strip(s.part)
	for i := 0; i < maxSay && p != tree.Strip(n) && p.Role() == syntax.Other && len(p.NamedKids()) == 1; i++ {
		p = tree.Strip(p.NamedKids()[0])
	}
	return p == tree.Strip(n)
}

// slotRule finds a slot by the node that has it.
type slotRule struct {
	role   syntax.Role
	field  string // of the part; "" for any
	kind   slotKind
	phrase string // "%s" stands for the name of the node
}

// slotRules are tried in their order; a role may stand in several.
var slotRules = []slotRule{
	{syntax.Declarator, "size", valueSlot, "the size of the array %s"},
	{syntax.Declarator, "value", valueSlot, "the value of %s"},
	{syntax.Variable, "value", valueSlot, "the value of %s"},
	{syntax.Variable, "right", valueSlot, "the value of %s"},
	{syntax.Field, "value", valueSlot, "the value of %s"},
	{syntax.Field, "tag", valueSlot, "the tag of %s"},
	{syntax.EnumMember, "value", valueSlot, "the value of %s"},
	{syntax.Loop, "right", otherSlot, "what the loop goes over"},
	{syntax.Loop, "value", otherSlot, "what the loop goes over"},
	{syntax.Return, "", returnSlot, "the return value"},
	{syntax.Throw, "", throwSlot, "the thrown error"},
	{syntax.Assert, "", assertSlot, "the assertion"},
	{syntax.Attribute, "", valueSlot, "the attribute %s"},
	{syntax.Switch, "", otherSlot, "the value of the `switch`"},
	{syntax.Case, "", otherSlot, "the case label"},
	{syntax.Lambda, "body", returnSlot, "the result of the function"},
	{syntax.Import, "", elementSlot, "the import"},
	{syntax.Conditional, "condition", conditionSlot, "the condition of the conditional expression"},
}

// slotOf finds the innermost slot that n is in.
func slotOf(n tree.Node) slotted {
	p := n
	for i := 0; i < tree.MaxClimb; i++ {
		q := p.Parent()
		if !q.Ok() {
			break
		}
		s := slotIn(q, p)
		for _, r := range slotRules {
			if s.phrase == "" && q.Is(r.role) && (r.field == "" || r.field == p.Field()) {
				s = slotted{kind: r.kind, phrase: strings.Replace(r.phrase, "%s", code(tree.NameOf(q)), 1), holder: q}
			}
		}
		if s.phrase != "" {
			s.part = p
			return s
		}
		if treediff.Block(q) || q.Is(syntax.Block, syntax.Function, syntax.Constructor, syntax.Class) {
			break
		}
		p = q
	}
	return slotted{}
}

// slotIn finds the slots whose words depend on more than the table says: those that
// p, a child of q, is in.
func slotIn(q, p tree.Node) slotted {
	value := p.Field() == "value" || p.Field() == "right"
	switch {
	case q.Is(syntax.Arguments):
		return argumentSlotOf(q)
	case q.Is(syntax.KeywordArgument) && p.I != q.I+1:
		phrase := "the argument " + code(tree.NameOf(q))
		if of := argumentSlotOf(q).phrase; of != "" {
			phrase += " of " + of
		}
		return slotted{kind: valueSlot, phrase: phrase, holder: q}
	case tree.IsPair(q) && p.I != q.I+1:
		return slotted{kind: valueSlot, phrase: "the value of " + code(keyPath(q)), holder: q}
	case q.Is(syntax.Call, syntax.New):
		return calleeSlotOf(q, p)
	case value && q.Is(syntax.Declarator, syntax.Variable, syntax.Field) && carrier(q).Ok():
		return slotted{kind: returnSlot, phrase: "the return value", holder: carrier(q)}
	case value && q.Is(syntax.Assign, syntax.AugAssign):
		return assignedSlot(q)
	case value && q.Is(syntax.Parameter):
		_, owner := ownerOf(q)
		return slotted{kind: defaultSlot, phrase: "the default of the parameter " + code(tree.ParameterName(q)) + " of " + owner, holder: q}
	case conditionOf(q, p):
		return slotted{kind: conditionSlot, phrase: conditionPhrase(q), holder: q}
	case q.Is(syntax.Case) && (caseValue(p) || p.Is(syntax.ExpressionStatement)):
		return slotted{kind: valueSlot, phrase: "the result for " + caseLabel(q), holder: q}
	case exits(q):
		return slotted{kind: otherSlot, phrase: "the exit status", holder: q}
	case q.Is(syntax.With):
		return slotted{kind: otherSlot, phrase: "the `" + firstWord(q.Text()) + "` statement", holder: q}
	case q.Is(syntax.Decorator):
		return slotted{kind: elementSlot, phrase: "the " + annotationWord(q) + " " + code(tree.NameOf(q)), holder: q}
	}
	return slotted{}
}

// assignedSlot is the slot of the value of an assignment.
func assignedSlot(n tree.Node) slotted {
	l, _ := tree.Sides(n)
	phrase := "the value of " + code(l.Text())
	if op := tree.Compound(n); op != "" {
		phrase = "the right-hand side of the " + code(op) + " on " + code(l.Text())
	}
	return slotted{kind: valueSlot, phrase: phrase, holder: n}
}

// conditionOf tells whether p is in the condition of an if or a loop.
func conditionOf(n, p tree.Node) bool {
	return n.Is(syntax.If, syntax.ElseIf, syntax.Loop) && (p.Field() == "condition" || p.Field() == "" && tree.Condition(n).Contains(p))
}

// keyPath names a key with that of the object around it: "session.cookie".
func keyPath(pair tree.Node) string {
	name := tree.NameOf(pair)
	if p := pair.Parent().Under(syntax.Pair); p.Ok() && tree.Strip(tree.ValueOf(p)) == pair.Parent() && simpleName(tree.NameOf(p)) {
		name = tree.NameOf(p) + "." + name
	}
	return name
}

// argumentSlotOf is the slot of the arguments of a call, an assertion or a decorator.
func argumentSlotOf(argument tree.Node) slotted {
	call := argument.Under(syntax.Call, syntax.New, syntax.Decorator)
	switch {
	case call.Is(syntax.Decorator):
		return slotIn(call, argument)
	case call.Ok() && assertion(call):
		return slotted{kind: assertSlot, phrase: "the assertion", holder: call}
	case call.Ok():
		return slotted{kind: argumentSlot, phrase: callPhrase(call), holder: call}
	}
	return slotted{}
}

// calleeFields are the fields of a call that name what is called.
var calleeFields = []string{"function", "object", "name", "method", "receiver", "argument"}

// calleeSlotOf is the slot of what is called, or of the block that is handed to a call.
func calleeSlotOf(call, p tree.Node) slotted {
	switch {
	case call.Is(syntax.Call) && p.Field() == "block":
		return slotted{kind: elementSlot, phrase: callPhrase(call), holder: call}
	case slices.Contains(calleeFields, p.Field()) && p.Is(syntax.Identifier, syntax.Member):
		return slotted{kind: calleeSlot, phrase: callPhrase(call), holder: call}
	}
	return slotted{}
}

// conditionPhrase names the condition of an if or a loop.
func conditionPhrase(n tree.Node) string {
	switch {
	case n.Is(syntax.Loop):
		return "the condition of the loop"
	case conditional(n):
		return "the condition of the `" + firstWord(n.Text()) + "`"
	}
	return "the condition"
}

// callPhrase is "the call to `foo`", also for one of a chain of calls, or "the
// construction of `Foo`".
func callPhrase(c tree.Node) string {
	switch name := tree.CalledName(c); {
	case c.Is(syntax.New):
		return "the construction of `" + tree.Callee(c) + "`"
	case c.Is(syntax.Call) && len(tree.Chain(c)) > 1 && name != "":
		return "the " + callTo(c) + " " + code(shownName(c))
	}
	return noun(c, "the")
}

// inside is "in `push`" style place of an edit.
func inside(n tree.Node) string { return placeOf(n).String() }
