package rules

import (
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// parameters lists the parameters of a function, without self and this.
func parameters(f tree.Node) []tree.Node {
	p := f.Child("parameters")
	if !p.Ok() {
		if fs := f.Find(1, func(r syntax.Role) bool { return r == syntax.Block }, syntax.Parameters); len(fs) == 1 {
			p = fs[0]
		}
	}
	var out []tree.Node
	for _, k := range p.NamedKids() {
		if t := k.Text(); t != "self" && t != "cls" && t != "this" && t != "void" && !k.Is(syntax.Decorator, syntax.Self) {
			out = append(out, k)
		}
	}
	return out
}

// parameter says that a parameter was added or removed.
func (w *writer) parameter(n tree.Node, added bool) {
	if t := n.Text(); t == "self" || t == "cls" || t == "this" {
		return // nobody passes it
	}
	f, owner := phrase.OwnerOf(n)
	name := phrase.Code(tree.ParameterName(n))
	if def := tree.ValueOf(n); added && n.Is(syntax.Parameter) && def.Ok() {
		claim := w.add(n, "parameter-added", "", fact.Slots{Form: "optional", Object: name, Of: owner})
		w.Aside(claim, "parameter-default", fact.Slots{Object: name, New: phrase.Say(def)})
	} else {
		w.add(n, "parameter-"+fact.Verb(added), "", fact.Slots{Of: owner}, name)
		if f.Ok() && !f.Is(syntax.Lambda) && !phrase.IsTest(f, tree.NameOf(f)) && !optional(n, added) {
			w.add(n, phrase.Either(added, "parameter-added-callers", "parameter-removed-callers"), "", fact.Slots{Of: owner}, name)
		}
	}
	if added && f.Ok() && !f.Role().IsClass() && !f.Is(syntax.Lambda) && treediff.BodyOf(f).Ok() {
		w.parameterUndocumented(f, tree.ParameterName(n))
		w.unused(n, tree.ParameterName(n))
	}
}

// optional tells whether callers may leave a parameter out, or cannot pass it: it
// takes any number of values, or is only a sign between others.
func optional(p tree.Node, added bool) bool {
	for _, s := range []string{"splat", "variadic", "spread", "rest_", "block_", "optional_"} {
		if strings.Contains(p.Kind(), s) {
			return true
		}
	}
	return p.Text() == "/" || p.Text() == "*" || added && p.Traits().LooseArguments
}

func parameterRules() []fact.Rule {
	both := fact.Both("parameter", fact.Signature, "the parameter{|s} {names} {was|were} {added} {to} {of}")
	both[0] = both[0].Or("optional", "{of} now takes an optional parameter {object}")
	return append(both,
		fact.Claim("parameter-default", fact.Aside, "the parameter {object} has the default {new}"),
		fact.Implication("parameter-added-callers", "callers of {of} must now pass {names}"),
		fact.Implication("parameter-removed-callers", "callers of {of} must no longer pass {names}"),
		fact.Implication("parameter-undocumented", "the documentation of {of} does not mention the new parameter{|s} {names}"),
	)
}
