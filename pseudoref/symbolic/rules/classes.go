package rules

import (
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// class says that a class came or went, and what a new one declares.
func (w *writer) class(n tree.Node, added bool) {
	name := phrase.Code(tree.NameOf(n))
	what := phrase.ClassWord(n) + " " + name
	if n.Kind() == "impl_item" { // of Rust
		what = "`impl` block for " + name
	}
	if !added {
		w.add(n, "class-removed", "", fact.Slots{Object: what})
		return
	}
	w.documentedAs(w.add(n, "class-added", "", fact.Slots{Object: what, Detail: heritage(n)}), name, n)
	w.annotated(n, "the new "+what)
	w.classMembers(n, name)
}

// classMembers says what a new class declares and what its methods do.
func (w *writer) classMembers(n tree.Node, name string) {
	var fields, methods, declares []string
	var functions []tree.Node
	for _, k := range tree.Body(n) {
		m := tree.Unnested(k)
		switch {
		case m.Role().IsFunction():
			functions = append(functions, m)
			if !phrase.IsConstructor(m) {
				methods = append(methods, phrase.Code(tree.NameOf(m)))
			}
		case m.Is(syntax.Field, syntax.Variable, syntax.EnumMember, syntax.Assign):
			fields = append(fields, fieldNames(m)...)
		}
	}
	declare := func(word string, names []string) {
		if names = phrase.Uniq(names); len(names) > 0 && names[0] != fact.Nothing {
			declares = append(declares, "the "+phrase.Many(len(names), word)+" "+phrase.List(names))
		}
	}
	declare(phrase.Either(n.Is(syntax.Enum), "constant", "field"), fields)
	declare("method", methods)
	if len(declares) > 0 {
		w.add(n, "class-members", "", fact.Slots{Object: name, Detail: phrase.List(declares)})
	}
	for _, m := range functions {
		w.functionBody(m, called(m))
	}
}

// heritage is "extends `A` and implements `B`", or "".
func heritage(n tree.Node) string {
	var out []string
	for _, k := range n.Kids() {
		if words := heritageWords(k); k.Is(syntax.Heritage) && words != "" {
			out = append(out, words)
		}
	}
	return strings.Join(out, " and ")
}

// heritageWords is "extends `A`" for one clause of a class, in the words of its language.
// Where a list does not tell classes from interfaces, its types are base types. Python may
// leave brackets empty; then there are no words.
func heritageWords(k tree.Node) string {
	s := tree.OneLine(k.Text())
	word, rest, _ := strings.Cut(s, " ")
	if word != "extends" && word != "implements" {
		word, rest = "extends", strings.TrimLeft(s, ": ")
	}
	for base, words := range k.Frag.Table.Bases {
		if r, ok := strings.CutPrefix(s, base+" "); ok {
			word, rest = words, r
		}
	}
	if strings.HasPrefix(rest, "(") {
		rest = strings.Trim(rest, "()")
	}
	types := splitList(rest)
	switch {
	case len(types) == 0:
		return ""
	case k.Traits().MixedBases || k.Traits().CalledBases:
		word = "has the base " + phrase.Many(len(types), "type")
	}
	return word + " " + phrase.List(phrase.Each(types, phrase.Code))
}

// splitList splits a list at its commas, those inside brackets left alone.
func splitList(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			if t := strings.Trim(s[from:i], " ;"); t != "" {
				out = append(out, t)
			}
			from = i + 1
		case strings.IndexByte("([{<", s[i]) >= 0:
			depth++
		case strings.IndexByte(")]}>", s[i]) >= 0:
			depth--
		}
	}
	return out
}

// classRules are the rules about classes and what they declare.
func classRules() []fact.Rule {
	return append(fact.Both("class", fact.Declare, "the {object}[ that {detail}] was {added}"),
		fact.Claim("class-members", fact.Detail, "{object} declares {detail}"))
}
