package phrase

import (
	"slices"
	"strings"

	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// SlotKind is the part that an expression plays in what is around it.
type SlotKind int

// A slot is an argument, what is called, the value of a name, the default of a parameter, a
// condition, a return value, a part of an assertion, or what only has words.
const (
	NoSlot        SlotKind = iota // of an expression that fills none
	ArgumentSlot                  // `x` in f(x)
	CalleeSlot                    // `f` in f(x)
	ValueSlot                     // `x` in y = x
	DefaultSlot                   // `x` in def f(y=x)
	ConditionSlot                 // `x` in if (x)
	ReturnSlot                    // `x` in return x
	AssertSlot                    // `x` in assert x
	elementSlot                   // one of several, such as an argument of an annotation
	otherSlot
)

// Slot is a part that an expression plays.
type Slot struct {
	// Kind is the kind of the part, Phrase the noun phrase for it.
	Kind   SlotKind
	Phrase string
	Holder tree.Node // the call, the declaration, the if
	Part   tree.Node // the expression that fills the slot
}

// FilledBy tells whether n is all that fills the slot, and not a part of it.
func (s Slot) FilledBy(n tree.Node) bool {
	return s.Kind != elementSlot && tree.Strip(bareArgument(s.Part)) == tree.Strip(n)
}

// slotRule finds a slot by the node that has it.
type slotRule struct {
	role   syntax.Role
	fields string // of the part; "" for any
	kind   SlotKind
	phrase string // "%s" stands for the name of the node
}

// slotRules are tried in their order; a role may stand in several.
var slotRules = []slotRule{
	{syntax.Declarator, "size", ValueSlot, "the size of the array %s"},
	{syntax.Declarator, "value", ValueSlot, "the value of %s"},
	{syntax.Variable, "value right", ValueSlot, "the value of %s"},
	{syntax.Field, "value", ValueSlot, "the value of %s"},
	{syntax.Field, "tag", ValueSlot, "the tag of %s"},
	{syntax.EnumMember, "value", ValueSlot, "the value of %s"},
	{syntax.Loop, "value right", otherSlot, "what the loop goes over"},
	{syntax.Return, "", ReturnSlot, "the return value"},
	{syntax.Throw, "", otherSlot, "the thrown error"},
	{syntax.Assert, "", AssertSlot, "the assertion"},
	{syntax.Attribute, "", ValueSlot, "the attribute %s"},
	{syntax.Switch, "", otherSlot, "the value of the `switch`"},
	{syntax.Case, "", otherSlot, "the case label"},
	{syntax.Lambda, "body", ReturnSlot, "the result of the function"},
	{syntax.Decorator, "", elementSlot, "the annotation %s"},
	{syntax.Import, "", elementSlot, "the import"},
	{syntax.Conditional, "condition", ConditionSlot, "the condition of the conditional expression"},
}

// SlotOf finds the innermost slot that n is in: for the `3` of `push(x, 3)`, the call to
// `push`. The way up ends at a block, since what runs inside plays no part outside.
func SlotOf(n tree.Node) Slot {
	for p, i := n, 0; p.Parent().Ok() && i < limits.Climb; p, i = p.Parent(), i+1 {
		q := p.Parent()
		s := slotIn(q, p)
		for _, r := range slotRules {
			if s.Phrase == "" && q.Is(r.role) && (r.fields == "" || p.Field() != "" && strings.Contains(r.fields, p.Field())) {
				s = Slot{Kind: r.kind, Phrase: strings.Replace(r.phrase, "%s", Code(tree.NameOf(q)), 1), Holder: q}
			}
		}
		if s.Phrase != "" {
			s.Part = p
			return s
		}
		if treediff.Block(q) || q.Is(syntax.Block, syntax.Function, syntax.Constructor, syntax.Class) {
			break
		}
	}
	return Slot{}
}

// slotIn finds the slots whose words depend on more than the table says: those that p, a child of q, is in.
// A name is no part of what it names: "the value of `x`" is not where `x` stands.
func slotIn(q, p tree.Node) Slot {
	value := p.Field() == "value" || p.Field() == "right"
	switch {
	case q.Is(syntax.Arguments):
		return argumentSlotOf(q)
	case q.Is(syntax.KeywordArgument) && p.I != q.I+1:
		of := argumentSlotOf(q).Phrase
		return Slot{Kind: ValueSlot, Phrase: "the argument " + Code(tree.NameOf(q)) + Either(of != "", " of "+of, ""), Holder: q}
	case tree.IsPair(q) && p.I != q.I+1:
		return Slot{Kind: ValueSlot, Phrase: "the value of " + Code(tree.NameOf(q)), Holder: q}
	case q.Is(syntax.Call, syntax.New) && slices.Contains(calleeFields, p.Field()) && p.Is(syntax.Identifier, syntax.Member):
		return Slot{Kind: CalleeSlot, Phrase: CallPhrase(q), Holder: q}
	case value && q.Is(syntax.Assign, syntax.AugAssign):
		l, _ := tree.Sides(q)
		op := tree.Compound(q) // the value is another one where it is set to more than that side
		phrase := Either(op == "", "the value of ", "the right-hand side of the "+Code(op)+" on ")
		return Slot{Kind: ValueSlot, Phrase: phrase + Code(l.Text()), Holder: q}
	case value && q.Is(syntax.Parameter):
		_, owner := OwnerOf(q)
		return Slot{Kind: DefaultSlot, Phrase: "the default of the parameter " + Code(tree.ParameterName(q)) + " of " + owner, Holder: q}
	case Exits(q):
		return Slot{Kind: otherSlot, Phrase: "the exit status", Holder: q}
	case q.Is(syntax.If, syntax.ElseIf, syntax.Loop) && (p.Field() == "condition" || p.Field() == "" && tree.Condition(q).Contains(p)):
		of := Either(Conditional(q), " of the `"+FirstWord(q.Text())+"`", Either(q.Is(syntax.Loop), " of the loop", ""))
		return Slot{Kind: ConditionSlot, Phrase: "the condition" + of, Holder: q}
	case q.Is(syntax.Case) && (CaseValue(p) || p.Is(syntax.ExpressionStatement)):
		return Slot{Kind: ValueSlot, Phrase: "the result for " + CaseLabel(q), Holder: q}
	}
	return Slot{}
}

// argumentSlotOf is the slot of the arguments of a call, an assertion or a decorator.
func argumentSlotOf(argument tree.Node) Slot {
	call := argument.Under(syntax.Call, syntax.New, syntax.Decorator)
	switch {
	case !call.Ok() || call.Is(syntax.Decorator):
		return Slot{}
	case Assertion(call):
		return Slot{Kind: AssertSlot, Phrase: "the assertion", Holder: call}
	}
	return Slot{Kind: ArgumentSlot, Phrase: CallPhrase(call), Holder: call}
}

// calleeFields are the fields of a call that name what is called.
var calleeFields = []string{"function", "object", "name", "method", "receiver", "argument"}

// CallPhrase is "the call to `foo`", also for one of a chain of calls, or "the construction of `Foo`". Where the
// function calls `foo` several times, none of them is "the call".
func CallPhrase(c tree.Node) string {
	article := Article(c)
	switch name := tree.CalledName(c); {
	case c.Is(syntax.New):
		return article + " construction of " + Either(tree.Callee(c) != "", "`"+tree.Callee(c)+"`", "a value")
	case c.Is(syntax.Call) && len(tree.Chain(c)) > 1 && name != "":
		what := callTo(c) + " " + Code(ShownName(c))
		return Either(article == "a", An(what), "the "+what)
	}
	return Noun(c, article)
}

// Article is "the" for a call, or "a" where the function around it, or the file where there is none, calls the same
// once more.
func Article(c tree.Node) string {
	again := func(x tree.Node) bool {
		other := x.Under(c.Role())
		return other != c && tree.Callee(other) == tree.Callee(c)
	}
	return Either(slices.ContainsFunc(treediff.Owner(c).LeavesOf(tree.CalledName(c)), again), "a", "the")
}

// Inside names the place around a node: "`push`".
func Inside(n tree.Node) string { return PlaceOf(n).String() }

// HoldsPart tells whether a slot is small enough to be quoted whole for a part of it: then
// "from `a + 1` to `a + 2`" says more than "from `1` to `2`".
func (s Slot) HoldsPart(n tree.Node) bool {
	return s.Kind != NoSlot && s.Kind != ConditionSlot && s.Kind != AssertSlot && s.Kind != elementSlot &&
		!s.FilledBy(n) && s.Part.Size() <= CodeRunes
}
