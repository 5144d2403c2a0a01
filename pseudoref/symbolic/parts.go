package symbolic

import (
	"cmp"
	"slices"
	"strings"

	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// part says that a part of an expression was added or removed.
func (w *writer) part(n tree.Node, e treediff.Edit, added bool) {
	where, s := inside(n), slotOf(n)
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
		of := either(tree.Pattern(in), "the names that take a value apart", cmp.Or(s.phrase, "the list"))
		w.add(n, "element-"+verb(added), where, fact.Slots{Form: "bare", Of: of}, say(n))
	case in.Is(syntax.Export):
		w.add(n, "export-"+verb(added), "", fact.Slots{Form: "part"}, headline(n))
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
	id, what := "entry-"+verb(added), say(n)
	switch k := n.NamedKids(); {
	case n.Is(syntax.KeywordArgument):
		w.add(n, "argument-"+verb(added), where, fact.Slots{Form: "alone"}, argument(n))
		return
	case n.Is(syntax.Pair) && len(k) == 1: // PHP's entries without a key
		what = say(k[0])
	}
	if strings.HasPrefix(what, "a ") || strings.HasPrefix(what, "an ") {
		w.add(n, id, where, fact.Slots{Form: "described", Object: what})
		return
	}
	w.add(n, id, where, fact.Slots{}, what)
}

// slotPart says that something came or went for which its place has the words.
func (w *writer) slotPart(n, in tree.Node, s slotted, where string, added bool) {
	switch v := verb(added); {
	case n.Is(syntax.String) && in.Is(syntax.Binary) && s.phrase != "":
		w.add(n, "text-"+v, where, fact.Slots{Object: "text", Of: s.phrase}, say(n))
	case n.Is(syntax.Attribute):
		w.add(n, "attribute-"+v, where, fact.Slots{Object: "attribute", Of: elementName(n.Under(syntax.Element))}, code(tree.NameOf(n)))
	case in.Is(syntax.Variable, syntax.Field) && n.Is(syntax.Identifier, syntax.Declarator) && n.Field() == "declarator":
		w.add(n, "variable-"+v, where, fact.Slots{Object: either(in.Is(syntax.Field), "field", "variable")}, code(tree.NameOf(n)))
	case s.phrase == "":
		w.add(n, "code-"+v, where, fact.Slots{Object: headline(n)})
	case s.filledBy(n) && s.kind != argumentSlot && s.kind != assertSlot && s.kind != calleeSlot:
		w.add(n, "value-"+v, either(s.kind == defaultSlot, "", where), fact.Slots{Object: s.phrase, New: say(n)})
	default:
		w.add(n, "part-"+v, where, fact.Slots{Object: headline(n), Of: s.phrase})
	}
}

// key says that a key came to an object or left it.
func (w *writer) key(n, in tree.Node, s slotted, where string, added bool) {
	of, name := "", tree.NameOf(n)
	if s.phrase != "" && !(s.kind == returnSlot && in.Frag.List) {
		of = strings.TrimPrefix(s.phrase, "the value of ")
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
		w.add(n, "key-"+verb(added), where, fact.Slots{Object: "key", Of: of}, code(name))
		return
	}
	w.add(n, "key-added", where, fact.Slots{Form: "single", Object: "the key " + code(name), Of: of, New: say(val)})
}

// manyKeys is the number of new keys of one object whose values are not told.
const manyKeys = 5

// argumentPart says that an argument came or went.
func (w *writer) argumentPart(n tree.Node, e treediff.Edit, s slotted, where string, added bool) {
	x, y := e.OldIn.Parent(), e.NewIn.Parent()
	switch {
	case !added && w.done[y] && y.Is(syntax.Call) && tree.Callee(x) != tree.Callee(y): // another call took its place
	case w.argumentsReplaced(e, s, where), w.done[s.holder]: // said with the call
	default:
		in := e.NewIn
		if !added {
			in = e.OldIn
		}
		form := either(added && len(only(e.OldIn.NamedKids(), in.NamedKids())) > 0, "replaced", "")
		w.passes(n, in, fact.Slots{Form: form, Object: s.phrase}, where, added)
	}
}

// passes says that a call is given another argument, or one less.
func (w *writer) passes(n, in tree.Node, s fact.Slots, where string, added bool) {
	w.add(n, "argument-"+verb(added), where, s, argument(n)).group = in
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
