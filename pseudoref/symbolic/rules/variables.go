package rules

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// assignment says that a statement which sets or updates something came or went.
func (w *writer) assignment(n tree.Node, at phrase.Place, added bool) {
	l, r := tree.Sides(n)
	where := at.String()
	if n.Is(syntax.Update) || !l.Ok() || !r.Ok() || tree.Compound(n) != "" {
		w.add(n, "update-"+fact.Verb(added), where, fact.Slots{Object: phrase.Headline(n)})
		return
	}
	if c := tree.Strip(r); n.Traits().ErrorValues && c.Is(syntax.Call) && w.reused(c) {
		return // it stands in the check of its error
	}
	if at.Fn == "" && at.Callback == "" && !at.Ctor && l.Is(syntax.Identifier) {
		w.variable(n, at, added)
		return
	}
	t := phrase.Code(l.Text())
	switch {
	case r.Is(syntax.Lambda):
		w.namedLambda(n, tree.LastName(l.Text()), r, at, added)
	default:
		w.add(n, "assignment-"+fact.Verb(added), where, fact.Slots{Object: t, New: phrase.Say(r) + phrase.Guard(n)})
		if added {
			w.details(r, t)
		}
	}
}

// namedLambda says that a name for a function came or went.
func (w *writer) namedLambda(n tree.Node, name string, f tree.Node, at phrase.Place, added bool) {
	claim := w.add(n, "function-"+fact.Verb(added), at.String(), fact.Slots{Object: "the function " + phrase.Code(name)})
	if added {
		w.documentedAs(claim, phrase.Code(name), n)
		w.functionBody(f, phrase.Code(name))
	}
}

// variable says that a variable came or went, with its value.
func (w *writer) variable(n tree.Node, at phrase.Place, added bool) {
	where, name, val := at.String(), tree.NameOf(n), tree.ValueOf(n)
	if val.Is(syntax.Lambda) {
		w.namedLambda(n, name, val, at, added)
		return
	}
	kind := variableWord(n, at)
	if val.Ok() {
		w.add(n, "variable-"+fact.Verb(added), where, fact.Slots{Form: "value", Object: kind + " " + phrase.Code(name), New: phrase.Say(val)})
	} else {
		w.add(n, "variable-"+fact.Verb(added), where, fact.Slots{Object: kind}, phrase.Code(name))
	}
	if added {
		w.details(val, "the new "+kind+" "+phrase.Code(name))
		w.unused(n, name)
	}
}

// variableWord is "constant" or "variable". A const within a function is only
// a variable that is set once, unless its grammar has constants of their own.
func variableWord(n tree.Node, at phrase.Place) string {
	name, whole := tree.NameOf(n), phrase.Either(n.Is(syntax.Declarator), n.Parent(), n).Text()
	switch capitals := name == strings.ToUpper(name) && len(name) > 2; {
	case n.Kind() == "preproc_def":
		return "macro"
	case n.Traits().CallWord != "": // a shell, where every name may be in capitals
		return "variable"
	case n.Kind() == "const_spec", n.Kind() == "const_item", capitals,
		at.Fn == "" && at.Callback == "" && strings.HasPrefix(whole, "const "):
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
	if w.newWords == nil || name == "" || strings.HasPrefix(name, "_") || !phrase.SimpleName(name) {
		return
	}
	if strings.Contains(n.Kind(), "promotion") || n.Is(syntax.Parameter) && n.First(syntax.Modifier).Ok() {
		return // it is a field, too
	}
	if n.Traits().SpreadTypes && n.Is(syntax.Variable) && (n.Child("parameters").Ok() || tree.ValueOf(n).Is(syntax.Arguments)) {
		return // an object may be made for what its destructor does
	}
	scope, where, members := n.Root(), "anywhere else in the file", true
	if f := n.Under(syntax.Function, syntax.Constructor); f.Ok() && treediff.BodyOf(f).Is(syntax.Block) && phrase.PlaceOf(n).Fn != "" {
		scope, where, members = f, "in "+phrase.PlaceOf(n).Subject(), false
	} else if n.Under(syntax.Parameters).Ok() {
		return // the body of a macro is only text
	}
	if tree.StandsIn(scope, name, members) != 1 || n.Is(syntax.Field) && public(n) {
		return // others may use what is public
	}
	w.add(n, "unused", "", fact.Slots{Of: where}, phrase.Code(name))
}

// details says more about a long value: what it calls and what it depends on.
func (w *writer) details(v tree.Node, of string) {
	v = tree.Strip(v)
	if !v.Ok() || v.Size() <= 20 || v.Is(syntax.Binary) && phrase.Boolean(v, 0) {
		return // or it is told as a condition
	}
	if c := tree.Parts(v); v.Is(syntax.Conditional) && c != nil {
		w.add(v, "value-depends", "", fact.Slots{Object: of, Detail: phrase.Holds(c[0])})
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
	if calls = phrase.Uniq(calls); len(calls) > 1 && v.Size() > phrase.MaxCode || len(calls) == 1 && v.Size() > phrase.MaxCode && !v.Is(syntax.Call, syntax.New) {
		w.add(v, "value-calls", "", fact.Slots{Object: of, Detail: phrase.List(calls)})
	}
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
