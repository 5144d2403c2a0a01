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

// parameters lists the parameters of a function that a caller passes.
func parameters(f tree.Node) []tree.Node {
	p := f.Child("parameters")
	if !p.Ok() {
		p = f.First(syntax.Parameters)
	}
	return slices.DeleteFunc(p.NamedKids(), implicit)
}

// implicit tells whether nobody passes what stands among parameters, as self and this.
func implicit(p tree.Node) bool {
	return p.Is(syntax.Decorator, syntax.Self) || slices.Contains([]string{"self", "cls", "this", "void"}, p.Text())
}

// sharing lists the names in front of the type of a parameter, none where it is no parameter:
// `a` and `b` of `a, b int`.
func sharing(p tree.Node) []tree.Node {
	if !p.Is(syntax.Parameter) {
		return nil
	}
	return slices.DeleteFunc(p.Kids(), func(k tree.Node) bool { return k.Field() != "name" || !k.Is(syntax.Identifier) })
}

// parameterNames lists the names of parameters, of which Go lets several share a type.
func parameterNames(ps []tree.Node) []string {
	var out []string
	for _, p := range ps {
		out = append(out, phrase.Code(tree.ParameterName(p)))
		out = append(out, phrase.Each(sharing(p), func(k tree.Node) string { return phrase.Code(k.Text()) })...)
	}
	return phrase.Uniq(out)
}

// parameter says that a parameter was added or removed. Where Go lets several share a type, as
// in `ttl, limit int`, each of them is one.
func (w *writer) parameter(n tree.Node, added bool) {
	if names := sharing(n); len(names) > 1 {
		for _, k := range names {
			w.parameter(k, added)
		}
		return
	}
	f, owner := phrase.OwnerOf(n)
	name := tree.ParameterName(n)
	if implicit(n) || slices.Contains(parameterNames(parameters(w.same.Partner(f))), phrase.Code(name)) {
		return
	}
	if def := tree.ValueOf(n); added && n.Is(syntax.Parameter) && def.Ok() {
		s := fact.Slots{Form: "optional", Object: phrase.Code(name), Of: owner, New: phrase.Say(def)}
		w.Aside(w.add(n, "parameter-added", "", s), "parameter-default", s)
	} else {
		w.add(n, "parameter-"+fact.Verb(added), "", fact.Slots{Of: owner}, phrase.Code(name))
		if f.Ok() && !f.Is(syntax.Lambda) && !phrase.IsTest(f, tree.NameOf(f)) && !optional(n, added) {
			w.add(n, phrase.Either(added, "parameter-added-callers", "parameter-removed-callers"), "", fact.Slots{Of: owner}, phrase.Code(name))
		}
	}
	if added && f.Ok() && !f.Role().IsClass() && !f.Is(syntax.Lambda) && treediff.BodyOf(f).Ok() {
		w.unused(n, name)
	}
}

// optional tells whether callers may leave a parameter out, or cannot pass it: it
// takes any number of values, or is only a sign between others.
func optional(p tree.Node, added bool) bool {
	return slices.ContainsFunc([]string{"splat", "variadic", "spread", "rest_", "block_", "optional_"}, func(s string) bool {
		return strings.Contains(p.Kind(), s)
	}) || p.Text() == "/" || p.Text() == "*" || added && p.Traits().LooseArguments
}

// parameterRules are the rules about parameters and what callers must pass.
func parameterRules() []fact.Rule {
	both := fact.Both("parameter", fact.Signature, "the parameter{|s} {names} {was|were} {added} {to} {of}")
	both[0] = both[0].Or("optional", "{of} now takes an optional parameter {object}")
	return append(both,
		fact.Claim("parameter-default", fact.Aside, "the parameter {object} has the default {new}"),
		fact.Implication("parameter-added-callers", "callers of {of} must now pass {names}"),
		fact.Implication("parameter-removed-callers", "callers of {of} must no longer pass {names}"),
	)
}
