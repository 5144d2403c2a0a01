package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// assignment says that a statement which sets or updates something came or went.
func (w *writer) assignment(n tree.Node, at place, added bool) {
	l, r := tree.Sides(n)
	where := at.String()
	if n.Is(syntax.Update) || !l.Ok() || !r.Ok() || tree.Compound(n) != "" {
		w.add(n, "update-"+verb(added), where, fact.Slots{Object: headline(n)})
		return
	}
	if c := tree.Strip(r); n.Traits().ErrorValues && c.Is(syntax.Call) && w.reused(c) {
		return // it stands in the check of its error
	}
	if at.fn == "" && at.callback == "" && !at.ctor && l.Is(syntax.Identifier) {
		w.variable(n, at, added)
		return
	}
	t := code(l.Text())
	switch {
	case r.Is(syntax.Lambda):
		w.namedLambda(n, tree.LastName(l.Text()), r, at, added)
	default:
		w.add(n, "assignment-"+verb(added), where, fact.Slots{Object: t, New: say(r) + guard(n)})
		if added {
			w.details(r, t)
		}
	}
}

// namedLambda says that a name for a function came or went.
func (w *writer) namedLambda(n tree.Node, name string, f tree.Node, at place, added bool) {
	claim := w.add(n, "function-"+verb(added), at.String(), fact.Slots{Object: "the function " + code(name)})
	if added {
		w.documentedAs(claim, code(name), n)
		w.functionBody(f, code(name))
	}
}

// variable says that a variable came or went, with its value.
func (w *writer) variable(n tree.Node, at place, added bool) {
	where, name, val := at.String(), tree.NameOf(n), tree.ValueOf(n)
	if val.Is(syntax.Lambda) {
		w.namedLambda(n, name, val, at, added)
		return
	}
	kind := variableWord(n, at)
	if val.Ok() {
		w.add(n, "variable-"+verb(added), where, fact.Slots{Form: "value", Object: kind + " " + code(name), New: say(val)})
	} else {
		w.add(n, "variable-"+verb(added), where, fact.Slots{Object: kind}, code(name))
	}
	if added {
		w.details(val, "the new "+kind+" "+code(name))
		w.unused(n, name)
	}
}

// variableWord is "constant" or "variable". A const within a function is only
// a variable that is set once, unless its grammar has constants of their own.
func variableWord(n tree.Node, at place) string {
	name, whole := tree.NameOf(n), either(n.Is(syntax.Declarator), n.Parent(), n).Text()
	switch capitals := name == strings.ToUpper(name) && len(name) > 2; {
	case n.Kind() == "preproc_def":
		return "macro"
	case n.Traits().CallWord != "": // a shell, where every name may be in capitals
		return "variable"
	case n.Kind() == "const_spec", n.Kind() == "const_item", capitals,
		at.fn == "" && at.callback == "" && strings.HasPrefix(whole, "const "):
		return "constant"
	}
	return "variable"
}

// declaresIn tells whether there is a variable of a name in n.
func declaresIn(n tree.Node, name string) bool {
	for _, d := range n.Find(200, syntax.Role.IsFunction, syntax.Declarator, syntax.Variable) {
		if tree.NameOf(d) == name {
			return true
		}
	}
	return false
}

// unused says that a new name is used nowhere: a local one in its function, any
// other in its file.
func (w *writer) unused(n tree.Node, name string) {
	if w.newWords == nil || name == "" || strings.HasPrefix(name, "_") || !simpleName(name) {
		return
	}
	if strings.Contains(n.Kind(), "promotion") || n.Is(syntax.Parameter) && n.First(syntax.Modifier).Ok() {
		return // it is a field, too
	}
	if n.Traits().SpreadTypes && n.Is(syntax.Variable) && (n.Child("parameters").Ok() || tree.ValueOf(n).Is(syntax.Arguments)) {
		return // an object may be made for what its destructor does
	}
	scope, where, members := n.Root(), "anywhere else in the file", true
	if f := n.Under(syntax.Function, syntax.Constructor); f.Ok() && treediff.BodyOf(f).Is(syntax.Block) && placeOf(n).fn != "" {
		scope, where, members = f, "in "+placeOf(n).subject(), false
	} else if n.Under(syntax.Parameters).Ok() {
		return // the body of a macro is only text
	}
	if tree.StandsIn(scope, name, members) != 1 || n.Is(syntax.Field) && public(n) {
		return // others may use what is public
	}
	w.add(n, "unused", "", fact.Slots{Of: where}, code(name))
}

// simpleName tells whether a text is one name: letters, digits and underscores.
func simpleName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !tree.WordByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// details says more about a long value: what it calls and what it depends on.
func (w *writer) details(v tree.Node, of string) {
	v = tree.Strip(v)
	if !v.Ok() || v.Size() <= 20 || v.Is(syntax.Binary) && boolean(v, 0) {
		return // or it is told as a condition
	}
	if c := tree.Parts(v); v.Is(syntax.Conditional) && c != nil {
		w.add(v, "value-depends", "", fact.Slots{Object: of, Detail: holds(c[0])})
		return
	}
	var calls []string
	for _, c := range append([]tree.Node{v}, v.Find(20, func(r syntax.Role) bool { return r == syntax.Lambda }, syntax.Call, syntax.New)...) {
		if c.Is(syntax.Call) || c.Is(syntax.New) && tree.Arguments(c).Ok() {
			if name := tree.Callee(c); name != "" && !strings.Contains(name, "_cast<") {
				calls = append(calls, "`"+name+"`")
			}
		}
	}
	// What is short is quoted as a whole.
	if calls = uniq(calls); len(calls) > 1 && v.Size() > maxCode || len(calls) == 1 && v.Size() > maxCode && !v.Is(syntax.Call, syntax.New) {
		w.add(v, "value-calls", "", fact.Slots{Object: of, Detail: list(calls)})
	}
}

// boolean tells whether an expression can only be true or false.
func boolean(n tree.Node, depth int) bool {
	n = tree.Strip(n)
	switch {
	case depth > maxSay:
		return false
	case n.Is(syntax.Binary) && tree.Compares(tree.Operator(n)):
		return true
	case n.Is(syntax.Binary) && logical(tree.Operator(n)) != "":
		for _, k := range n.NamedKids() {
			if !boolean(k, depth+1) {
				return false
			}
		}
		return true
	case n.Is(syntax.Unary):
		op := tree.Operator(n)
		return op == "!" || op == "not"
	}
	return n.Is(syntax.Bool) || n.Is(syntax.Call) && predicate(tree.CalledName(n))
}

func variableRules() []fact.Rule {
	return slices.Concat(
		fact.Both("assignment", fact.Value, "{object} is {now} set to {new}"),
		fact.Both("update", fact.Value, "the update {object} was {added}"),
		[]fact.Rule{
			fact.Implication("unused", "{names} {is|are} not used {of}"),
			fact.Claim("value-calls", fact.Detail, "{object} is computed by calling {detail}"),
			fact.Claim("value-depends", fact.Detail, "{object} depends on whether {detail}"),
			fact.Claim("variable-added", fact.Value, "the {objects} {names} {was|were} added").
				Or("value", "a new {object} was introduced and set to {new}"),
			fact.Claim("variable-removed", fact.Value, "the {objects} {names} {was|were} removed").
				Or("value", "the {object}, which was set to {new}, was removed"),
		},
	)
}
