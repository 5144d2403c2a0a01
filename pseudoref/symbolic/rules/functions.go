package rules

import (
	"slices"
	"strings"
	"unicode"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// function says that a function came or went, and what follows from that.
func (w *writer) function(n tree.Node, at phrase.Place, added bool) {
	if slices.ContainsFunc(n.Kids(), func(k tree.Node) bool { return strings.HasSuffix(k.Kind(), "_method_clause") }) {
		// C++ forbids the function by `= delete`, or makes it itself by `= default`.
		w.add(n, "function-"+fact.Verb(added), "", fact.Slots{Object: "the declaration " + phrase.Headline(n)})
		return
	}
	s := fact.Slots{Object: phrase.Either(phrase.IsConstructor(n), "constructor", strings.TrimPrefix(phrase.DeclaredName(n), "the "))}
	if t := phrase.ReceiverType(n); t != "" { // `func (s *Store) Get()` of Go stands outside of its type
		s.Of = " " + phrase.ToFrom(added) + " " + phrase.Code(t)
	} else if at.Class != "" {
		s.Of = at.Member(added)
	}
	what := s.Object
	s.Object = phrase.Either(added, "a new ", phrase.Either(phrase.IsConstructor(n), "a ", "the ")) + what
	f := w.add(n, "function-"+fact.Verb(added), "", s)
	switch {
	case added: // what it does is said with it, and what a reviewer would miss
		w.documentedAs(f, phrase.Either(phrase.IsConstructor(n), "the new constructor", called(n)), n)
		w.functionBody(n, called(n))
		w.newFunction(n, what)
	case !phrase.IsTest(n, tree.NameOf(n)) && !phrase.IsConstructor(n) && !overrides(n) && w.newWords.Count(tree.NameOf(n)) == 0:
		w.add(n, "function-removed-callers", "", fact.Slots{Object: what})
	}
}

// called is how a claim names a function. A constructor has the name of its class, or none of its own.
func called(n tree.Node) string {
	return phrase.Either(phrase.IsConstructor(n), "constructor", phrase.Code(tree.NameOf(n)))
}

// overrides tells whether a function says that it overrides another.
func overrides(n tree.Node) bool { return phrase.Marked(n, "Override", "override") }

// newFunction says what a reviewer would look for in a new function: a use of each parameter, and documentation.
func (w *writer) newFunction(n tree.Node, what string) {
	w.annotated(n, "the new "+what)
	name := tree.NameOf(n)
	if overrides(n) || phrase.IsTest(n, name) || phrase.IsConstructor(n) || strings.ContainsAny(name[:min(len(name), 1)], "_~") {
		return
	}
	b := tree.Body(n)
	if len(b) > 0 && !tree.Strip(b[0]).Is(syntax.Throw) {
		for _, p := range parameters(n) {
			if name := tree.ParameterName(p); !handed.MatchString(name) {
				w.unused(p, name)
			}
		}
	}
	first, _ := documentation(n)
	if !first.Ok() && !(len(b) > 0 && tree.Strip(b[0]).Is(syntax.String)) && public(n) && phrase.PlaceOf(n).Fn == "" {
		w.add(n, "undocumented", "", fact.Slots{Object: what})
	}
}

// handed are the names of parameters that a caller hands over whether they are used or not.
var handed = regexp.MustCompile(`(?i)^(?:self|this|cls|req(?:uest)?|res(?:ponse)?|ctx|context|e|ev|event|(?:kw)?args|arg[vc]|` +
	`next|sender|match)$`)

// public tells whether a declaration can be used from outside by the habits of its language.
func public(n tree.Node) bool {
	words := n.First(syntax.Modifier).Text()
	switch n.Traits().Public {
	case syntax.PublicByKeyword: // `pub fn`, `public func`
		return strings.Contains(words, "pub") || n.Under(syntax.Interface).Ok()
	case syntax.PublicByDefault: // unless a word hides it
		return !strings.Contains(words, "private") && !strings.Contains(words, "internal") && !strings.Contains(words, "protected")
	case syntax.PublicByExport: // of JavaScript and TypeScript
		return n.Parent().Is(syntax.Export)
	case syntax.PublicByCapital: // of Go
		return unicode.IsUpper([]rune(tree.NameOf(n) + "_")[0])
	}
	return false
}

// functionBody says what a new function takes and does; a test is called by nobody.
func (w *writer) functionBody(n tree.Node, called string) {
	if p := parameterNames(parameters(n)); len(p) > 0 && !phrase.IsTest(n, tree.NameOf(n)) {
		w.add(n, "function-body", "", fact.Slots{Form: "parameters", Object: called, Detail: phrase.List(p)})
	}
	for _, d := range deeds(tree.Body(n)) { // what its statements do, the most telling ones
		w.add(n, "function-body", "", fact.Slots{Object: called, Detail: d})
	}
}

// documentation returns the comments directly before a declaration.
func documentation(n tree.Node) (first tree.Node, text string) {
	outer := n
	for outer.Parent().Ok() && !treediff.Block(outer.Parent()) {
		outer = outer.Parent()
	}
	row, _ := outer.Rows()
	for k := outer.Prev(); k.Ok() && len(text) < limits.CodeCommentBytes; k = k.Prev() {
		if !k.Named() {
			continue
		}
		_, end := k.Rows()
		if !k.Is(syntax.Comment) || row-end > 1 { // an empty line parts a remark from what follows
			break
		}
		row, _ = k.Rows()
		first, text = k, k.Text()+"\n"+text
	}
	return first, text
}

// documentedAs quotes the documentation of a new declaration beside the claim about
// it. What it quotes is not told again.
func (w *writer) documentedAs(f *fact.Fact, name string, n tree.Node) {
	first, text := documentation(n)
	if !first.Ok() || texts.Plain(text) == "" || !w.fresh[first] && !first.Up(func(p tree.Node) bool { return w.fresh[p] }).Ok() {
		return
	}
	for k := first; k.Is(syntax.Comment); k = k.Next() {
		w.done[k] = true
	}
	if p := phrase.Passages(texts.ReadDoc(text).Text, texts.WordsSaid, 1); len(p) > 0 {
		w.Aside(f, "function-details", fact.Slots{Object: name, Detail: phrase.QuoteText(p[0])})
	}
}

func functionRules() []fact.Rule {
	return slices.Concat(fact.Both("function", fact.Declare, "{object} was {added}{of}"),
		fact.Both("test", fact.Declare, "{object} was {added}"), []fact.Rule{
			fact.Claim("function-body", fact.Detail, "the new {object} {detail}").Or("parameters", "the new {object} takes {detail}"),
			fact.Claim("function-details", fact.Aside, "{object} is documented as {detail}"),
			fact.Implication("function-removed-callers", "callers of the removed {object} must be updated"),
			fact.Implication("undocumented", "the new public {object} has no documentation"),
		})
}

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
	if implicit(n) || strings.Trim(name, "*/") == "" || // a mark of Python between parameters
		slices.Contains(parameterNames(parameters(w.same.Partner(f))), phrase.Code(name)) {
		return
	}
	if def := tree.ValueOf(n); added && n.Is(syntax.Parameter) && def.Ok() {
		s := fact.Slots{Form: "optional", Object: phrase.Code(name), Of: owner, New: phrase.Say(def)}
		w.Aside(w.add(n, "parameter-added", "", s), "parameter-default", s)
	} else {
		w.add(n, "parameter-"+fact.Verb(added), "", fact.Slots{Of: owner}, phrase.Code(name))
		if f.Ok() && !f.Is(syntax.Lambda) && !phrase.IsTest(f, tree.NameOf(f)) && !optional(n, added) {
			id := phrase.Either(added, "parameter-added-callers", "parameter-removed-callers")
			w.add(n, id, "", fact.Slots{Of: owner}, phrase.Code(name))
		}
	}
	if added && f.Ok() && !f.Role().IsClass() && !f.Is(syntax.Lambda) && treediff.BodyOf(f).Ok() { // an interface uses none
		w.unused(n, name)
		w.undocumented(f, name)
	}
}

// parameterTag matches documentation that tells of parameters one by one.
var parameterTag = regexp.MustCompile(`@param\b|:param\b|<param name=|(?m:^\s*(?:Args|Arguments|Parameters)\s*:?\s*$)`)

// undocumented says that the documentation tells of the other parameters of a function, but not of a new one.
func (w *writer) undocumented(f tree.Node, name string) {
	_, doc := documentation(f)
	if f.Traits().Docstrings {
		doc = strings.Split(treediff.BodyOf(f).Text()+`""""""`, `"""`)[1] // the first text in three quotes
	}
	if parameterTag.MatchString(doc) && !slices.Contains(strings.FieldsFunc(doc, tree.BetweenWords), strings.TrimPrefix(name, "$")) {
		w.add(f, "parameter-undocumented", "", fact.Slots{Of: phrase.Code(tree.NameOf(f))}, phrase.Code(name))
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
		fact.Implication("parameter-undocumented", "the documentation of {of} does not mention the new parameter{|s} {names}"),
		fact.Implication("parameter-removed-callers", "callers of {of} must no longer pass {names}"),
	)
}
