package symbolic

import (
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

// expects tells whether n, in an assertion, is the literal that another value
// is compared with.
func (s slotted) expects(n item) bool {
	if !n.is(syntax.String, syntax.Number, syntax.Bool, syntax.Null) {
		return false
	}
	if s.filledBy(n) && s.holder.is(syntax.Call) {
		name := strings.ToLower(calledName(s.holder))
		return strings.Contains(name, "equal") || strings.Contains(name, "same") || strings.HasSuffix(name, "_eq") || name == "tobe" || name == "eql"
	}
	p := n.parent()
	return p.is(syntax.Binary) && comparisons[operator(p)] == "equals" && s.filledBy(p)
}

// slotOf finds the innermost slot that n is in.
func slotOf(n item) slotted {
	p := n
	for i := 0; i < maxClimb; i++ {
		q := p.parent()
		if !q.ok() {
			break
		}
		field := p.field()
		switch {
		case q.is(syntax.Arguments):
			call := q.up(func(x item) bool { return x.is(syntax.Call, syntax.New, syntax.Decorator) })
			if call.is(syntax.Decorator) {
				return slotted{elementSlot, "the " + annotationWord(call) + " " + code(nameOf(call)), call, p}
			}
			if call.ok() {
				if assertion(call) {
					return slotted{assertSlot, "the assertion", call, p}
				}
				return slotted{argumentSlot, callPhrase(call), call, p}
			}
		case q.is(syntax.KeywordArgument) && p.i != q.i+1:
			if c := q.under(syntax.Call, syntax.New, syntax.Decorator); c.ok() {
				if c.is(syntax.Decorator) {
					return slotted{valueSlot, "the value of " + code(nameOf(q)) + " in the " + annotationWord(c) + " " + code(nameOf(c)), q, p}
				}
				return slotted{valueSlot, "the argument " + code(nameOf(q)) + " of " + callPhrase(c), q, p}
			}
			return slotted{valueSlot, "the argument " + code(nameOf(q)), q, p}
		case isPair(q) && p.i != q.i+1:
			return slotted{valueSlot, "the value of " + code(keyPath(q)), q, p}
		case q.is(syntax.Call, syntax.New) && (field == "function" || field == "object" || field == "name" || field == "method" || field == "receiver" || field == "argument") && p.is(syntax.Identifier, syntax.Member):
			return slotted{calleeSlot, callPhrase(q), q, p}
		case q.is(syntax.Declarator, syntax.Variable, syntax.Field, syntax.Assign, syntax.AugAssign) && (field == "value" || field == "right"):
			if r := carrier(q); r.ok() {
				return slotted{returnSlot, "the return value", r, p}
			}
			l := nameOf(q)
			if q.is(syntax.Assign, syntax.AugAssign) {
				x, _ := sides(q)
				l = x.text()
				switch op := compound(q); op {
				case "":
				case "+=":
					return slotted{valueSlot, "what is added to " + code(l), q, p}
				case "-=":
					return slotted{valueSlot, "what is subtracted from " + code(l), q, p}
				default:
					return slotted{valueSlot, "the right-hand side of the " + code(op) + " on " + code(l), q, p}
				}
			}
			return slotted{valueSlot, "the value of " + code(l), q, p}
		case q.is(syntax.Declarator) && field == "size":
			return slotted{valueSlot, "the size of the array " + code(nameOf(q)), q, p}
		case q.is(syntax.EnumMember) && field == "value":
			return slotted{valueSlot, "the value of " + code(nameOf(q)), q, p}
		case q.is(syntax.Parameter) && (field == "value" || field == "right"):
			_, owner := ownerOf(q)
			return slotted{defaultSlot, "the default of the parameter " + code(parameterName(q)) + " of " + owner, q, p}
		case q.is(syntax.If, syntax.ElseIf, syntax.Loop) && (field == "condition" || field == "" && condition(q).contains(p)):
			what := "the condition"
			if conditional(q) {
				what = "the condition of the `" + firstWord(q.text()) + "`"
			}
			if q.is(syntax.Loop) {
				what = "the condition of the loop"
			}
			return slotted{conditionSlot, what, q, p}
		case q.is(syntax.Loop) && (field == "right" || field == "value") || q.field() == "range" && field == "right":
			return slotted{otherSlot, "what the loop goes over", q, p}
		case q.is(syntax.Conditional):
			if c := parts(q); c != nil && c[0].contains(p) {
				return slotted{conditionSlot, "the condition of the conditional expression", q, p}
			}
		case exits(q):
			return slotted{otherSlot, "the exit status", q, p}
		case q.is(syntax.Return):
			return slotted{returnSlot, "the return value", q, p}
		case q.is(syntax.Throw):
			return slotted{throwSlot, "the thrown error", q, p}
		case q.is(syntax.Assert):
			return slotted{assertSlot, "the assertion", q, p}
		case q.is(syntax.Attribute):
			return slotted{valueSlot, "the attribute " + code(nameOf(q)), q, p}
		case q.is(syntax.Switch):
			return slotted{otherSlot, "the value of the `switch`", q, p}
		case q.is(syntax.Case) && (caseValue(p) || p.is(syntax.ExpressionStatement)):
			return slotted{valueSlot, "the result for " + caseLabel(q), q, p}
		case q.is(syntax.Case):
			return slotted{otherSlot, "the case label", q, p}
		case q.is(syntax.With):
			return slotted{otherSlot, "the `" + firstWord(q.text()) + "` statement", q, p}
		case q.is(syntax.Decorator):
			return slotted{elementSlot, "the " + annotationWord(q) + " " + code(nameOf(q)), q, p}
		case q.is(syntax.Lambda) && field == "body":
			return slotted{returnSlot, "the result of the function", q, p}
		case q.is(syntax.Import):
			return slotted{elementSlot, "the import", q, p}
		case block(q) || q.is(syntax.Block, syntax.Function, syntax.Constructor, syntax.Class):
			return slotted{}
		}
		p = q
	}
	return slotted{}
}

// maxPath bounds the names of a path to a key.
const maxPath = 3

// keyPath names a key with those of the objects around it: "session.cookie".
func keyPath(pair item) string {
	path := nameOf(pair)
	for i := 1; i < maxPath; i++ {
		o := pair.up(func(n item) bool { return !n.is(syntax.Parens) && n.role() != syntax.Other })
		pair = o.up(func(n item) bool { return !n.is(syntax.Parens) && n.role() != syntax.Other })
		if !o.is(syntax.Collection) || !pair.is(syntax.Pair) {
			break
		}
		if name := nameOf(pair); simpleName(name) {
			path = name + "." + path
		}
	}
	return path
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
