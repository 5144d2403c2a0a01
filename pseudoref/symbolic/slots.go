package symbolic

import (
	"slices"
	"strings"

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
	holder item // the call, the declaration, the if
	part   item // the expression that fills the slot
}

// filledBy tells whether n is all that fills the slot, and not a part of it.
func (s slotted) filledBy(n item) bool {
	if s.kind == elementSlot || s.holder.is(syntax.With) {
		return false
	}
	p := strip(s.part)
	for i := 0; i < maxSay && p != strip(n) && p.role() == syntax.Other; i++ {
		k := p.namedKids()
		if len(k) != 1 {
			break
		}
		p = strip(k[0])
	}
	return p == strip(n)
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
}

// slotOf finds the innermost slot that n is in.
func slotOf(n item) slotted {
	p := n
	for i := 0; i < maxClimb; i++ {
		q := p.parent()
		if !q.ok() {
			break
		}
		s := slotIn(q, p)
		for _, r := range slotRules {
			if s.phrase == "" && q.is(r.role) && (r.field == "" || r.field == p.field()) {
				s = slotted{kind: r.kind, phrase: strings.Replace(r.phrase, "%s", code(nameOf(q)), 1), holder: q}
			}
		}
		if s.phrase != "" {
			s.part = p
			return s
		}
		if block(q) || q.is(syntax.Block, syntax.Function, syntax.Constructor, syntax.Class) {
			break
		}
		p = q
	}
	return slotted{}
}

// slotIn finds the slots whose words depend on more than the table says: those that
// p, a child of q, is in.
func slotIn(q, p item) slotted {
	field := p.field()
	switch {
	case q.is(syntax.Arguments):
		call := q.up(func(x item) bool { return x.is(syntax.Call, syntax.New, syntax.Decorator) })
		switch {
		case call.is(syntax.Decorator):
			return slotIn(call, q)
		case call.ok() && assertion(call):
			return slotted{kind: assertSlot, phrase: "the assertion", holder: call}
		case call.ok():
			return slotted{kind: argumentSlot, phrase: callPhrase(call), holder: call}
		}
	case q.is(syntax.KeywordArgument) && p.i != q.i+1:
		phrase := "the argument " + code(nameOf(q))
		if c := q.under(syntax.Call, syntax.New, syntax.Decorator); c.is(syntax.Decorator) {
			phrase += " of " + slotIn(c, q).phrase
		} else if c.ok() {
			phrase += " of " + callPhrase(c)
		}
		return slotted{kind: valueSlot, phrase: phrase, holder: q}
	case isPair(q) && p.i != q.i+1:
		return slotted{kind: valueSlot, phrase: "the value of " + code(keyPath(q)), holder: q}
	case q.is(syntax.Call) && field == "block":
		return slotted{kind: elementSlot, phrase: callPhrase(q), holder: q}
	case q.is(syntax.Call, syntax.New) && slices.Contains([]string{"function", "object", "name", "method", "receiver", "argument"}, field) && p.is(syntax.Identifier, syntax.Member):
		return slotted{kind: calleeSlot, phrase: callPhrase(q), holder: q}
	case q.is(syntax.Declarator, syntax.Variable, syntax.Field, syntax.Assign, syntax.AugAssign) && (field == "value" || field == "right"):
		if r := carrier(q); r.ok() {
			return slotted{kind: returnSlot, phrase: "the return value", holder: r}
		}
		l, _ := sides(q)
		switch op := compound(q); {
		case !q.is(syntax.Assign, syntax.AugAssign):
		case op == "":
			return slotted{kind: valueSlot, phrase: "the value of " + code(l.text()), holder: q}
		default:
			return slotted{kind: valueSlot, phrase: "the right-hand side of the " + code(op) + " on " + code(l.text()), holder: q}
		}
	case q.is(syntax.Parameter) && (field == "value" || field == "right"):
		_, owner := ownerOf(q)
		return slotted{kind: defaultSlot, phrase: "the default of the parameter " + code(parameterName(q)) + " of " + owner, holder: q}
	case q.is(syntax.If, syntax.ElseIf, syntax.Loop) && (field == "condition" || field == "" && condition(q).contains(p)):
		what := "the condition"
		if q.is(syntax.Loop) {
			what += " of the loop"
		} else if conditional(q) {
			what += " of the `" + firstWord(q.text()) + "`"
		}
		return slotted{kind: conditionSlot, phrase: what, holder: q}
	case q.is(syntax.Conditional):
		if c := parts(q); c != nil && c[0].contains(p) {
			return slotted{kind: conditionSlot, phrase: "the condition of the conditional expression", holder: q}
		}
	case q.field() == "range" && field == "right":
		return slotted{kind: otherSlot, phrase: "what the loop goes over", holder: q}
	case exits(q):
		return slotted{kind: otherSlot, phrase: "the exit status", holder: q}
	case q.is(syntax.Case) && (caseValue(p) || p.is(syntax.ExpressionStatement)):
		return slotted{kind: valueSlot, phrase: "the result for " + caseLabel(q), holder: q}
	case q.is(syntax.With):
		return slotted{kind: otherSlot, phrase: "the `" + firstWord(q.text()) + "` statement", holder: q}
	case q.is(syntax.Decorator):
		return slotted{kind: elementSlot, phrase: "the " + annotationWord(q) + " " + code(nameOf(q)), holder: q}
	}
	return slotted{}
}

// keyPath names a key with that of the object around it: "session.cookie".
func keyPath(pair item) string {
	up := func(n item) item {
		return n.up(func(n item) bool { return !n.is(syntax.Parens) && n.role() != syntax.Other })
	}
	if o := up(pair); o.is(syntax.Collection) && up(o).is(syntax.Pair) && simpleName(nameOf(up(o))) {
		return nameOf(up(o)) + "." + nameOf(pair)
	}
	return nameOf(pair)
}

// callPhrase is "the call to `foo`", also for one of a chain of calls, or "the
// construction of `Foo`".
func callPhrase(c item) string {
	if c.parent().is(syntax.Decorator) && callee(c) != "" {
		return "the decorator " + code(callee(c))
	}
	switch name := calledName(c); {
	case c.is(syntax.New):
		return "the construction of `" + callee(c) + "`"
	case c.is(syntax.Call) && len(chain(c)) > 1 && name != "":
		return "the " + callTo(c) + " " + code(shownName(c))
	}
	return noun(c, "the")
}

// inside is "in `push`" style place of an edit.
func inside(n item) string { return placeOf(n).String() }
