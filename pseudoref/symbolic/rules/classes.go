package rules

import (
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// testClass matches the names of classes that hold tests.
var testClass = regexp.MustCompile(`^Test|Tests?$`)

// class says that a class came or went, and what a new one declares.
func (w *writer) class(n tree.Node, added bool) {
	name, word := phrase.Code(tree.NameOf(n)), phrase.ClassWord(n)
	switch {
	case n.Kind() == "impl_item":
		w.add(n, "impl-"+fact.Verb(added), "", fact.Slots{Object: name})
	case added:
		w.documentedAs(w.add(n, "class-added", "", fact.Slots{Object: word + " " + name, Detail: heritage(n)}), name, n)
		w.annotated(n, "the new "+word+" "+name)
	default:
		w.add(n, "class-removed", "", fact.Slots{Object: word + " " + name})
		if !testClass.MatchString(tree.NameOf(n)) { // nobody uses one
			w.add(n, "class-removed-users", "", fact.Slots{Object: word + " " + name})
		}
	}
	if added {
		w.classMembers(n, name)
	}
}

// classMembers says what a new class declares and what its methods do.
func (w *writer) classMembers(n tree.Node, name string) {
	var fields, methods []string
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
	var declares []string
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
		w.functionBody(m, phrase.Either(phrase.IsConstructor(m), "constructor", phrase.Code(tree.NameOf(m))))
	}
}

// heritage is "extends `A` and implements `B`", or "".
func heritage(n tree.Node) string {
	var out []string
	for _, k := range n.Kids() {
		if words := heritageWords(k); k.Is(syntax.Heritage) && !strings.HasSuffix(words, " ") { // Python may leave brackets empty
			out = append(out, words)
		}
	}
	return strings.Join(out, " and ")
}

// heritageWords is "extends `A`" for one clause of a class.
func heritageWords(k tree.Node) string {
	s := tree.OneLine(k.Text())
	for base, words := range k.Frag.Table.Bases {
		if rest, ok := strings.CutPrefix(s, base+" "); ok {
			return words + " " + phrase.List(phrase.Each(splitList(rest), phrase.Code))
		}
	}
	word, rest, _ := strings.Cut(s, " ")
	if word != "extends" && word != "implements" {
		word, rest = "extends", strings.TrimLeft(s, ": ")
	}
	if k.Traits().MixedBases || k.Traits().CalledBases {
		word = "has the base type" // a class or an interface
	}
	if strings.HasPrefix(rest, "(") {
		rest = strings.Trim(rest, "()")
	}
	return word + " " + phrase.List(phrase.Each(splitList(rest), phrase.Code))
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

func classRules() []fact.Rule {
	both := append(fact.Both("class", fact.Declare, "the {object}[ that {detail}] was {added}"),
		fact.Both("impl", fact.Declare, "an `impl` block for {object} was {added}")...)
	return append(both,
		fact.Claim("class-details", fact.Aside, "{object} is documented as {detail}"),
		fact.Claim("class-members", fact.Detail, "{object} declares {detail}"),
		fact.Implication("class-removed-users", "code that uses the removed {object} must be updated"),
	)
}
