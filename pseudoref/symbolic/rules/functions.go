package rules

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// function says that a function came or went, and what follows from that.
func (w *writer) function(n tree.Node, at phrase.Place, added bool) {
	name, word := tree.NameOf(n), phrase.FunctionWord(n)
	if slices.ContainsFunc(n.Kids(), func(k tree.Node) bool { return strings.HasSuffix(k.Kind(), "_method_clause") }) {
		w.add(n, "function-"+fact.Verb(added), "", fact.Slots{Form: "declaration", Object: phrase.Headline(n)}) // C++ forbids it, or makes it
		return
	}
	place := ""
	switch t := phrase.ReceiverType(n); {
	case t != "":
		place = " " + phrase.ToFrom(added) + " " + phrase.Code(t)
	case at.Class != "":
		place = at.Member(added)
	case at.Fn != "":
		place = " inside " + at.String()
	}
	what, called := word+" "+phrase.Code(name), phrase.Code(name)
	if word == "constructor" { // it has the name of its class, or none of its own
		what, called = word, word
	}
	if !added {
		w.add(n, "function-removed", "", fact.Slots{Object: phrase.Either(word == "constructor", "a ", "the ") + what, Of: place})
		switch {
		case word == "test":
			w.add(n, "test-removed", "", fact.Slots{Form: "untested", Object: phrase.Code(name)})
		case word != "constructor" && !overrides(n) && w.newWords.Of(name) == 0:
			w.add(n, "function-removed-callers", "", fact.Slots{Object: what})
		}
		return
	}
	f := w.add(n, "function-added", "", fact.Slots{Object: "a new " + what, Of: place})
	w.documentedAs(f, phrase.Either(word == "constructor", "the new constructor", called), n)
	w.functionBody(n, called)
	if who := implementers(n); who != "" {
		w.add(n, "interface-method", "", fact.Slots{Object: who, New: phrase.Code(name)})
		return
	}
	w.newFunction(n, what, name)
}

// implementers names those who must implement a method without a body, or is "".
func implementers(n tree.Node) string {
	i := n.Under(syntax.Class, syntax.Interface)
	if word := phrase.ClassWord(i); len(tree.Body(n)) > 0 || word != "interface" && word != "protocol" {
		return ""
	}
	return "types that implement " + phrase.Code(tree.NameOf(i))
}

// overrides tells whether a function says that it overrides another.
func overrides(n tree.Node) bool { return phrase.Marked(n, "Override", "override") }

// newFunction says what a reviewer would look for in a new function.
func (w *writer) newFunction(n tree.Node, what, name string) {
	w.annotated(n, "the new "+what)
	if overrides(n) || strings.HasPrefix(what, "test ") || what == "constructor" || strings.ContainsAny(name[:min(len(name), 1)], "_~") {
		return
	}
	b := tree.Body(n)
	// A function of one statement that asks nothing is hardly worth a test.
	if len(b) > 1 || len(b) == 1 && len(b[0].Find(1, nil, syntax.If, syntax.Loop, syntax.Switch, syntax.Conditional)) > 0 {
		w.Add("no-test", "", fact.Lines{Side: n.Frag.Side}, fact.Slots{}, phrase.Code(name)).Path = "" // of the whole change
	}
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

// handed are the names of parameters that a caller hands over whether they are
// used or not.
var handed = regexp.MustCompile(`(?i)^(?:self|this|cls|req(?:uest)?|res(?:ponse)?|ctx|context|e|ev|event|(?:kw)?args|arg[vc]|` +
	`next|sender|match)$`)

// public tells whether a function can be called from outside by the habits of
// its language.
func public(n tree.Node) bool {
	switch n.Traits().Public {
	case syntax.PublicByKeyword:
		m := n.First(syntax.Modifier)
		return strings.Contains(m.Text(), "pub") || n.Under(syntax.Interface).Ok()
	case syntax.PublicByDefault:
		m := n.First(syntax.Modifier).Text()
		return !strings.Contains(m, "private") && !strings.Contains(m, "internal") && !strings.Contains(m, "protected")
	case syntax.PublicByExport:
		return n.Parent().Is(syntax.Export)
	case syntax.PublicByCapital:
		capital := func(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }
		t := phrase.ReceiverType(n)
		return capital(tree.NameOf(n)) && (t == "" || capital(t))
	}
	return false
}

// functionBody says what a new function takes and does; a test is called by nobody.
func (w *writer) functionBody(n tree.Node, called string) {
	if p := parameterNames(parameters(n)); len(p) > 0 && !phrase.IsTest(n, tree.NameOf(n)) {
		w.add(n, "function-body", "", fact.Slots{Form: "parameters", Object: called, Detail: phrase.List(p)})
	}
	for _, d := range deeds(tree.Body(n)) {
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
	for k := outer.Prev(); k.Ok() && len(text) < texts.MaxComment; k = k.Prev() {
		if !k.Named() {
			continue
		}
		_, end := k.Rows()
		if !k.Is(syntax.Comment) || row-end > 1 {
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
		w.Aside(f, phrase.Either(f.Rule.ID == "class-added", "class-details", "function-details"), fact.Slots{Object: name, Detail: phrase.QuoteText(p[0])})
	}
}

// parameterNames lists the names of parameters, of which Go lets several share a type.
func parameterNames(ps []tree.Node) []string {
	var out []string
	for _, p := range ps {
		before := len(out)
		for _, k := range p.Kids() {
			if p.Is(syntax.Parameter) && k.Field() == "name" && k.Is(syntax.Identifier) {
				out = append(out, phrase.Code(k.Text()))
			}
		}
		if len(out) == before {
			out = append(out, phrase.Code(tree.ParameterName(p)))
		}
	}
	return phrase.Uniq(out)
}

func functionRules() []fact.Rule {
	declaration := fact.Sentence{Form: "declaration", Weight: fact.Signature, Text: "the declaration {object} was {added}"}
	untested := fact.Sentence{Form: "untested", Weight: fact.Follows, Kind: pseudoref.Implication, Text: "what the test {object} checked is no longer tested there"}
	tests := fact.Both("test", fact.Declare, "{object} was {added}")
	tests[1] = tests[1].With(untested)
	return slices.Concat(fact.Both("function", fact.Declare, "{object} was {added}{of}", declaration), tests, []fact.Rule{
		fact.Claim("function-body", fact.Detail, "the new {object} {detail}").Or("parameters", "the new {object} takes {detail}"),
		fact.Claim("function-details", fact.Aside, "{object} is documented as {detail}"),
		fact.Implication("function-removed-callers", "callers of the removed {object} must be updated"),
		fact.Implication("interface-method", "{object} must now implement {new}[ instead of {old}]"),
		fact.Implication("undocumented", "the new public {object} has no documentation"),
	})
}
