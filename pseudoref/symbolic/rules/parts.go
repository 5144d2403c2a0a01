package rules

import (
	"cmp"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// part says that a part of an expression was added or removed.
func (w *writer) part(n tree.Node, e treediff.Edit, added bool) {
	where, s := phrase.Inside(n), phrase.SlotOf(n)
	in := e.NewIn
	if !added {
		in = e.OldIn
	}
	switch {
	case e.OldIn.Ok() && e.NewIn.Ok() && w.condition(e):
	case !n.Named():
		w.keyword(n, added)
	case n.Is(syntax.Type, syntax.TypeArguments):
		w.typePart(n, added)
	case tree.IsPair(n), n.Is(syntax.Spread) && in.Is(syntax.Collection), n.Kind() == "shorthand_property_identifier":
		w.key(n, in, s, where, added)
	case treediff.Framed(in, in) && (in.Frag.List || !framedCall(in)) && n.Is(entries...):
		w.entry(n, where, added)
	case in.Is(syntax.Arguments):
		w.argumentPart(n, e, s, where, added)
	case framedCall(in):
		w.passes(n, in, fact.Slots{Object: "a call"}, where, added)
	case in.Is(syntax.Collection):
		of := phrase.Either(tree.Pattern(in), "the names that take a value apart", cmp.Or(s.Phrase, "the list"))
		w.add(n, "element-"+fact.Verb(added), where, fact.Slots{Form: "bare", Of: of}, phrase.Say(n))
	case in.Is(syntax.Export):
		w.add(n, "export-"+fact.Verb(added), "", fact.Slots{Form: "part"}, phrase.Headline(n))
	case in.Is(syntax.Import):
		w.importedPart(n, in, added)
	default:
		w.slotPart(n, in, s, where, added)
	}
}

// entries are what stands in a list that a hunk does not show.
var entries = []syntax.Role{syntax.Collection, syntax.New, syntax.String, syntax.Number, syntax.Identifier, syntax.Call, syntax.Parens, syntax.Pair, syntax.KeywordArgument}

// entry says that an entry of a list came or went that the hunk does not show.
func (w *writer) entry(n tree.Node, where string, added bool) {
	id, what := "entry-"+fact.Verb(added), phrase.Say(n)
	switch k := n.NamedKids(); {
	case n.Is(syntax.KeywordArgument):
		w.add(n, "argument-"+fact.Verb(added), where, fact.Slots{Form: "alone"}, phrase.Argument(n))
		return
	case n.Is(syntax.Pair) && len(k) == 1: // PHP's entries without a key
		what = phrase.Say(k[0])
	}
	if strings.HasPrefix(what, "a ") || strings.HasPrefix(what, "an ") {
		w.add(n, id, where, fact.Slots{Form: "described", Object: what})
		return
	}
	w.add(n, id, where, fact.Slots{}, what)
}

// slotPart says that something came or went for which its place has the words.
func (w *writer) slotPart(n, in tree.Node, s phrase.Slot, where string, added bool) {
	switch v := fact.Verb(added); {
	case n.Is(syntax.String) && in.Is(syntax.Binary) && s.Phrase != "":
		w.add(n, "text-"+v, where, fact.Slots{Object: "text", Of: s.Phrase}, phrase.Say(n))
	case n.Is(syntax.Attribute):
		w.add(n, "attribute-"+v, where, fact.Slots{Object: "attribute", Of: phrase.ElementName(n.Under(syntax.Element))}, phrase.Code(tree.NameOf(n)))
	case in.Is(syntax.Variable, syntax.Field) && n.Is(syntax.Identifier, syntax.Declarator) && n.Field() == "declarator":
		w.add(n, "variable-"+v, where, fact.Slots{Object: phrase.Either(in.Is(syntax.Field), "field", "variable")}, phrase.Code(tree.NameOf(n)))
	case s.Phrase == "":
		w.add(n, "code-"+v, where, fact.Slots{Object: phrase.Headline(n)})
	case s.FilledBy(n) && s.Kind != phrase.ArgumentSlot && s.Kind != phrase.AssertSlot && s.Kind != phrase.CalleeSlot:
		w.add(n, "value-"+v, phrase.Either(s.Kind == phrase.DefaultSlot, "", where), fact.Slots{Object: s.Phrase, New: phrase.Say(n)})
	default:
		w.add(n, "part-"+v, where, fact.Slots{Object: phrase.Headline(n), Of: s.Phrase})
	}
}

// key says that a key came to an object or left it.
func (w *writer) key(n, in tree.Node, s phrase.Slot, where string, added bool) {
	of, name := "", tree.NameOf(n)
	if s.Phrase != "" && !(s.Kind == phrase.ReturnSlot && in.Frag.List) {
		of = strings.TrimPrefix(s.Phrase, "the value of ")
	}
	if name == "" {
		name = append(n.NamedKids(), n)[0].Text()
	}
	val, fresh := tree.ValueOf(n), 0
	for _, k := range in.NamedKids() {
		if w.fresh[k] {
			fresh++
		}
	}
	if !added || !val.Ok() || fresh >= manyKeys {
		w.add(n, "key-"+fact.Verb(added), where, fact.Slots{Object: "key", Of: of}, phrase.Code(name))
		return
	}
	w.add(n, "key-added", where, fact.Slots{Form: "single", Object: "the key " + phrase.Code(name), Of: of, New: phrase.Say(val)})
}

// manyKeys is the number of new keys of one object whose values are not told.
const manyKeys = 5

// argumentPart says that an argument came or went.
func (w *writer) argumentPart(n tree.Node, e treediff.Edit, s phrase.Slot, where string, added bool) {
	x, y := e.OldIn.Parent(), e.NewIn.Parent()
	switch {
	case !added && w.done[y] && y.Is(syntax.Call) && tree.Callee(x) != tree.Callee(y): // another call took its place
	case w.argumentsReplaced(e, s, where), w.done[s.Holder]: // said with the call
	default:
		in := e.NewIn
		if !added {
			in = e.OldIn
		}
		form := phrase.Either(added && len(only(e.OldIn.NamedKids(), in.NamedKids())) > 0, "replaced", "")
		w.passes(n, in, fact.Slots{Form: form, Object: s.Phrase}, where, added)
	}
}

// passes says that a call is given another argument, or one less.
func (w *writer) passes(n, in tree.Node, s fact.Slots, where string, added bool) {
	w.add(n, "argument-"+fact.Verb(added), where, s, phrase.Argument(n)).Group = in
}

// importedPart says that an import brings in other names.
func (w *writer) importedPart(n, in tree.Node, added bool) {
	module, _ := imported(in)
	xs := []tree.Node{n}
	if !n.Is(syntax.Identifier) {
		xs = n.Find(50, nil, syntax.Identifier)
	}
	for _, x := range xs {
		if !w.importedBeside(x, module, x.Text()) {
			w.imported(x, module, x.Text(), added)
		}
	}
}

func partRules() []fact.Rule {
	return slices.Concat(
		fact.Both("code", fact.Detail, "{object} was {added}"),
		fact.Both("entry", fact.Value, "the entr{y|ies} {names} {was|were} {added}",
			fact.Sentence{Form: "described", Text: "{object} was {added} {to} a list"}),
		fact.Both("part", fact.Detail, "{object} was {added} {to} {of}"),
		fact.Both("value", fact.Value, "{object} is {now} {new}"),
	)
}
