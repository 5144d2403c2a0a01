package rules

import (
	"cmp"
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// part says that a part of an expression was added or removed.
func (w *writer) part(n tree.Node, e treediff.Edit, added bool) {
	where, s, in := phrase.Inside(n), phrase.SlotOf(n), phrase.Either(added, e.NewIn, e.OldIn)
	switch {
	case e.OldIn.Ok() && e.NewIn.Ok() && w.condition(e): // said of the whole condition
	case !n.Named(): // `async`, `const`
		w.keyword(n, added)
	case n.Is(syntax.Type, syntax.TypeArguments):
		w.typePart(n, added) // `f()` became `f(): int`
	case tree.IsPair(n) && in.Kind() != "field_initializer_list", n.Is(syntax.Spread) && in.Is(syntax.Collection),
		n.Kind() == "shorthand_property_identifier":
		w.key(n, in, s, where, added) // `port: 80`, `...defaults`, `{ port }`
	case isEntry(n, in):
		w.add(n, "entry-"+fact.Verb(added), where, fact.Slots{}, phrase.Headline(n))
	case n.Is(syntax.KeywordArgument) && in.Framed(): // of a call or of a function
		w.add(n, "argument-"+fact.Verb(added), where, fact.Slots{Form: "alone"}, phrase.Argument(n))
	case in.Is(syntax.Arguments): // `open(path)` became `open(path, mode)`
		w.argumentPart(n, e, s, where, added)
	case framedCall(in): // the hunk begins within a call, whose name is not seen
		w.add(n, "argument-"+fact.Verb(added), where, fact.Slots{Object: "a call"}, phrase.Argument(n)).Group = in
	case in.Is(syntax.Collection): // `[1]` became `[1, 2]`, or `let [a] = x` `let [a, b] = x`
		of := phrase.Either(tree.Pattern(in), "the names that take a value apart", cmp.Or(s.Phrase, "the list"))
		w.add(n, "element-"+fact.Verb(added), where, fact.Slots{Form: "bare", Of: of}, phrase.Say(n))
	case in.Is(syntax.Import): // `import { a } from "x"` became `import { a, b } from "x"`
		w.importPart(n, e, in, added)
	case s.Kind == phrase.ReturnSlot && in == s.Part && !in.Is(syntax.Element) && e.OldIn.Ok() && e.NewIn.Ok(): // one of several values
		said := fact.Slots{Object: phrase.PlaceOf(n).Subject(), Old: phrase.Headline(e.OldIn), New: phrase.Headline(e.NewIn)}
		w.add(e.NewIn, "return-changed", "", said)
	case in.Is(syntax.Export): // `export { a }` became `export { a, b }`
		w.add(n, "part-"+fact.Verb(added), "", fact.Slots{Object: phrase.Headline(n), Of: "the exports"})
	case n.Is(syntax.Attribute): // `<Button disabled>` of JSX
		of := phrase.ElementName(n.Under(syntax.Element))
		w.add(n, "attribute-"+fact.Verb(added), where, fact.Slots{Object: "attribute", Of: of}, phrase.Code(tree.NameOf(n)))
	case s.Phrase == "": // nothing says what it is a part of
		w.add(n, "code-"+fact.Verb(added), where, fact.Slots{Object: phrase.Headline(n)})
	case fillsSlot(n, s): // `let x` became `let x = 1`
		where = phrase.Either(s.Kind == phrase.DefaultSlot, "", where)
		w.add(n, "value-"+fact.Verb(added), where, fact.Slots{Object: s.Phrase, New: phrase.Say(n)})
	default:
		w.add(n, "part-"+fact.Verb(added), where, fact.Slots{Object: phrase.Headline(n), Of: s.Phrase})
	}
}

// importPart says that a name came to an import or left it.
func (w *writer) importPart(n tree.Node, e treediff.Edit, in tree.Node, added bool) {
	if strings.Contains(e.OldIn.Text()+e.NewIn.Text(), everything) {
		w.importChanged(e.OldIn, e.NewIn)
		return
	}
	module, _ := imported(in)
	names := phrase.Uniq(phrase.Each(n.Find(50, nil, syntax.Identifier), tree.Node.Text))
	w.importNames(n, module, phrase.Either(n.Is(syntax.Identifier), []string{n.Text()}, names), added)
}

// fillsSlot tells whether n, which came or went, is the value that a slot has.
func fillsSlot(n tree.Node, s phrase.Slot) bool {
	return s.FilledBy(n) && s.Kind != phrase.ArgumentSlot && s.Kind != phrase.AssertSlot && s.Kind != phrase.CalleeSlot
}

// isEntry tells whether n is an entry of a list that a hunk does not show: in such a hunk all lines end in a comma,
// as in `"get", "post",`.
func isEntry(n, in tree.Node) bool {
	return in.Framed() && (in.Frag.List || !framedCall(in)) && n.Is(syntax.Collection, syntax.New, syntax.String,
		syntax.Number, syntax.Identifier, syntax.Call, syntax.Parens, syntax.Pair)
}

// key says that a key came to an object or left it: "the key `port` was added to `options`
// with the value `80`".
func (w *writer) key(n, in tree.Node, s phrase.Slot, where string, added bool) {
	of, val, name := "", tree.ValueOf(n), phrase.Code(tree.NameOf(n))
	if name == fact.Nothing {
		name = phrase.Headline(n)
	}
	if s.Phrase != "" && !(s.Kind == phrase.ReturnSlot && in.Frag.List) {
		of = strings.TrimPrefix(s.Phrase, "the value of ")
	}
	if !added || !val.Ok() {
		w.add(n, "key-"+fact.Verb(added), where, fact.Slots{Object: "key", Of: of}, name)
		return
	}
	w.add(n, "key-added", where, fact.Slots{Form: "single", Object: "the key " + name, Of: of, New: phrase.Say(val)})
}

// argumentPart says that an argument came or went, where no claim about the call says so:
// "the call to `open` now also passes `mode`".
func (w *writer) argumentPart(n tree.Node, e treediff.Edit, s phrase.Slot, where string, added bool) {
	if w.done[s.Holder] {
		return
	}
	in, form := e.OldIn, ""
	if added {
		if in = e.NewIn; len(only(e.OldIn.NamedKids(), in.NamedKids())) > 0 {
			form = "replaced"
		}
	}
	w.add(n, "argument-"+fact.Verb(added), where, fact.Slots{Form: form, Object: s.Phrase}, phrase.Argument(n)).Group = in
}

func partRules() []fact.Rule {
	return slices.Concat(
		fact.Both("code", fact.Detail, "{object} was {added}"),
		fact.Both("entry", fact.Value, "the entr{y|ies} {names} {was|were} {added}"),
		fact.Both("part", fact.Detail, "{object} was {added} {to} {of}"),
		fact.Both("value", fact.Value, "{object} is {now} {new}"),
	)
}
