package rules

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// assignment says that a statement which sets or updates something came or went.
func (w *writer) assignment(n tree.Node, at phrase.Place, added bool) {
	l, r := tree.Sides(n)
	t := phrase.Code(l.Text())
	switch {
	case n.Is(syntax.Update) || !l.Ok() || !r.Ok() || tree.Compound(n) != "":
		w.add(n, "statement-"+fact.Verb(added), at.String(), fact.Slots{Object: "the update " + phrase.Headline(n)})
	case n.Traits().ErrorValues && tree.Strip(r).Is(syntax.Call) && w.reused(tree.Strip(r)): // it stands in the check of its error
	case at.Fn == "" && at.Callback == "" && !at.Ctor && l.Is(syntax.Identifier), r.Is(syntax.Lambda):
		w.variable(n, at, added)
	default:
		w.add(n, "assignment-"+fact.Verb(added), at.String(), fact.Slots{Object: t, New: phrase.Say(r) + phrase.Guard(n)})
	}
}

// variable says that a variable came or went, with its value. One that holds a function,
// as `const half = (x) => x / 2`, is the name of that.
func (w *writer) variable(n tree.Node, at phrase.Place, added bool) {
	where, name, val := at.String(), phrase.Code(tree.NameOf(n)), tree.ValueOf(n)
	kind := variableWord(n, at)
	switch {
	case val.Is(syntax.Lambda):
		name = phrase.Code(tree.LastName(tree.NameOf(n)))
		f := w.add(n, "function-"+fact.Verb(added), where, fact.Slots{Object: "the function " + name})
		if added {
			w.documentedAs(f, name, n)
			w.functionBody(val, name)
		}
		return
	case val.Ok():
		w.add(n, "variable-"+fact.Verb(added), where, fact.Slots{Form: "value", Object: kind + " " + name, New: phrase.Say(val)})
	default:
		w.add(n, "variable-"+fact.Verb(added), where, fact.Slots{Object: kind}, name)
	}
	if added {
		w.unused(n, tree.NameOf(n))
	}
}

// variableWord is "constant" or "variable". A const within a function is only
// a variable that is set once, unless its grammar has constants of their own. In
// a shell every name may be in capitals.
func variableWord(n tree.Node, at phrase.Place) string {
	name, whole := tree.NameOf(n), phrase.Either(n.Is(syntax.Declarator), n.Parent(), n).Text()
	switch {
	case n.Kind() == "preproc_def":
		return "macro"
	case n.Traits().CallWord == "" && name == strings.ToUpper(name) && len(name) > 2, n.Kind() == "const_spec", n.Kind() == "const_item",
		at.Fn == "" && at.Callback == "" && strings.HasPrefix(whole, "const "):
		return "constant"
	}
	return "variable"
}

// unused says that a new name is used nowhere: a local one in its function, any
// other in its file. Others may use what is public. A parameter may be a field, too; a
// variable of C++ may be there for what its destructor does.
func (w *writer) unused(n tree.Node, name string) {
	if w.newWords == nil || strings.HasPrefix(name, "_") || !phrase.SimpleName(name) || n.Is(syntax.Field) && public(n) ||
		strings.Contains(n.Kind(), "promotion") || n.Is(syntax.Parameter) && n.First(syntax.Modifier).Ok() ||
		n.Traits().SpreadTypes && n.Is(syntax.Variable) && (n.Child("parameters").Ok() || tree.ValueOf(n).Is(syntax.Arguments)) {
		return
	}
	scope, where, members := n.Root(), "anywhere else in the file", true
	if f := n.Under(syntax.Function, syntax.Constructor); f.Ok() && treediff.BodyOf(f).Is(syntax.Block) && phrase.PlaceOf(n).Fn != "" {
		scope, where, members = f, "in "+phrase.PlaceOf(n).Subject(), false
	} else if n.Under(syntax.Parameters).Ok() {
		return // the body of a macro is only text
	}
	if tree.StandsIn(scope, name, members) == 1 {
		w.add(n, "unused", "", fact.Slots{Of: where}, phrase.Code(name))
	}
}

// variableRules are the rules about variables, assignments and updates.
func variableRules() []fact.Rule {
	return slices.Concat(
		fact.Both("assignment", fact.Value, "{object} is {now} set to {new}"),
		[]fact.Rule{
			fact.Implication("unused", "{names} {is|are} not used {of}"),
			fact.Claim("variable-added", fact.Value, "the {objects} {names} {was|were} added").
				Or("value", "a new {object} was introduced and set to {new}"),
			fact.Claim("variable-removed", fact.Value, "the {objects} {names} {was|were} removed").
				Or("value", "the {object}, which was set to {new}, was removed"),
		},
	)
}
