package symbolic

import (
	"cmp"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// now is the word for what is so from this change on, or until it.
func now(added bool) string { return either(added, "now", "no longer") }

// listed says that something of a name was added or removed. It merges with its
// like: one is the noun, and rest follows the verb.
func (w *writer) listed(n tree.Node, weight int, rule, where, one, rest string, added bool, name string) *fact {
	several := one + "s"
	if stem, ok := strings.CutSuffix(one, "y"); ok && one != "key" {
		several = stem + "ies"
	}
	v := verb(added)
	return w.names(n, weight, rule+"-"+v, where, "the "+one+" "+slot+" was "+v+rest, "the "+several+" "+slot+" were "+v+rest, name)
}

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
		w.passes(n, in, "a call", where, added)
	case in.Is(syntax.Collection):
		of := " " + toFrom(added) + " " + cmp.Or(s.phrase, "the list")
		if tree.Pattern(in) {
			of = " " + toFrom(added) + " the names that take a value apart"
		}
		w.names(n, wValue, "element-"+verb(added), where, slot+" was "+verb(added)+of, slot+" were "+verb(added)+of, say(n))
	case in.Is(syntax.Export):
		w.listed(n, wSignature, "export", "", "export", "", added, headline(n))
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
	one, what := "entry", say(n)
	switch k := n.NamedKids(); {
	case n.Is(syntax.KeywordArgument):
		one, what = "argument", argument(n)
	case n.Is(syntax.Pair) && len(k) == 1: // PHP's entries without a key
		what = say(k[0])
	}
	if strings.HasPrefix(what, "a ") || strings.HasPrefix(what, "an ") {
		w.say(n, wValue, "entry-"+verb(added), where, what+" was "+verb(added)+" "+toFrom(added)+" a list")
		return
	}
	w.listed(n, wValue, one, where, one, "", added, what)
}

// slotPart says that something came or went for which its place has the words.
func (w *writer) slotPart(n, in tree.Node, s slotted, where string, added bool) {
	v := verb(added)
	switch {
	case n.Is(syntax.String) && in.Is(syntax.Binary) && s.phrase != "":
		w.listed(n, wValue, "text", where, "text", " "+toFrom(added)+" "+s.phrase, added, say(n))
	case n.Is(syntax.Attribute):
		w.listed(n, wValue, "attribute", where, "attribute", " "+toFrom(added)+" "+elementName(n.Under(syntax.Element)), added, code(tree.NameOf(n)))
	case in.Is(syntax.Variable, syntax.Field) && n.Is(syntax.Identifier, syntax.Declarator) && n.Field() == "declarator":
		w.listed(n, wValue, "variable", where, either(in.Is(syntax.Field), "field", "variable"), "", added, code(tree.NameOf(n)))
	case s.phrase == "":
		w.say(n, wDetail, "code-"+v, where, headline(n)+" was "+v)
	case s.kind == defaultSlot && s.filledBy(n):
		w.say(n, wValue, "value-"+v, "", s.phrase+" is "+now(added)+" "+say(n))
	case s.filledBy(n) && s.kind != argumentSlot && s.kind != assertSlot && s.kind != calleeSlot:
		w.say(n, wValue, "value-"+v, where, s.phrase+" is "+now(added)+" "+say(n))
	default:
		w.say(n, wDetail, "part-"+v, where, headline(n)+" was "+v+" "+toFrom(added)+" "+s.phrase)
	}
}

// key says that a key came to an object or left it.
func (w *writer) key(n, in tree.Node, s slotted, where string, added bool) {
	of, name := "", tree.NameOf(n)
	if s.phrase != "" && !(s.kind == returnSlot && in.Frag.List) {
		of = " " + toFrom(added) + " " + strings.TrimPrefix(s.phrase, "the value of ")
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
		w.listed(n, wValue, "key", where, "key", of, added, code(name))
		return
	}
	w.say(n, wValue, "key-added", where, "the key "+code(name)+" was added"+of+" with the value "+say(val))
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
		f := w.passes(n, in, s.phrase, where, added)
		if gone := only(e.OldIn.NamedKids(), in.NamedKids()); added && len(gone) > 0 {
			f.what = strings.Replace(f.what, " also", "", 1)
			f.many = f.what
		}
	}
}

// passes says that a call is given another argument, or one less.
func (w *writer) passes(n, in tree.Node, call, where string, added bool) *fact {
	what := call + either(added, " now also passes ", " no longer passes ") + slot
	f := w.names(n, wValue, "argument-"+verb(added), where, what, what, argument(n))
	f.group = in
	return f
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
