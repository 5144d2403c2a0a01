package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
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
	v, where, s := verb(added), inside(n), slotOf(n)
	in := e.NewIn
	if !added {
		in = e.OldIn
	}
	if e.OldIn.Ok() && e.NewIn.Ok() && w.condition(e) {
		return
	}
	of := "" // what it was added to
	if s.phrase != "" {
		of = " " + toFrom(added) + " " + s.phrase
	}
	unseen := treediff.Framed(in, in) && (in.Frag.List || !framedCall(in)) // in a list that the hunk does not show
	switch {
	case !n.Named():
		w.keyword(n, added)
	case n.Is(syntax.Type, syntax.TypeArguments):
		w.typePart(n, added)
	case tree.IsPair(n), n.Is(syntax.Spread) && in.Is(syntax.Collection), n.Kind() == "shorthand_property_identifier":
		w.key(n, in, s, where, added)
	case treediff.Framed(in, in) && in.Frag.List && n.Is(syntax.KeywordArgument):
		w.listed(n, wValue, "argument", where, "argument", "", added, argument(n))
	case unseen && n.Is(syntax.Pair) && len(n.NamedKids()) == 1:
		w.listed(n, wValue, "entry", where, "entry", "", added, say(n.NamedKids()[0]))
	case unseen && n.Is(syntax.Collection, syntax.New, syntax.String, syntax.Number, syntax.Identifier, syntax.Call, syntax.Parens):
		if what := say(n); strings.HasPrefix(what, "a ") || strings.HasPrefix(what, "an ") {
			w.say(n, wValue, "entry-"+v, where, what+" was "+v+" "+toFrom(added)+" a list")
			return
		}
		w.listed(n, wValue, "entry", where, "entry", "", added, say(n))
	case in.Is(syntax.Arguments):
		w.argumentPart(n, e, s, where, added)
	case framedCall(in):
		w.passes(n, in, "a call", where, added)
	case in.Is(syntax.Collection):
		switch {
		case tree.Pattern(in):
			of = " " + toFrom(added) + " the names that take a value apart"
		case s.phrase == "":
			of = " " + toFrom(added) + " the list"
		}
		w.names(n, wValue, "element-"+v, where, slot+" was "+v+of, slot+" were "+v+of, say(n))
	case n.Is(syntax.String) && in.Is(syntax.Binary):
		w.listed(n, wValue, "text", where, "text", of, added, say(n))
	case n.Is(syntax.Attribute):
		el := n.Up(func(x tree.Node) bool { return x.Is(syntax.Element) })
		w.listed(n, wValue, "attribute", where, "attribute", " "+toFrom(added)+" "+elementName(el), added, code(tree.NameOf(n)))
	case n.Is(syntax.Element):
		w.say(n, wBehaviour, "element-"+v, where, "the element "+elementName(n)+" was "+v)
	case in.Is(syntax.Export):
		w.listed(n, wSignature, "export", "", "export", "", added, headline(n))
	case in.Is(syntax.Import):
		w.importedPart(n, in, added)
	case in.Is(syntax.Variable, syntax.Field) && n.Is(syntax.Identifier, syntax.Declarator) && n.Field() == "declarator":
		w.listed(n, wValue, "variable", where, either(in.Is(syntax.Field), "field", "variable"), "", added, code(tree.NameOf(n)))
	case s.phrase == "":
		w.say(n, wDetail, "code-"+v, where, headline(n)+" was "+v)
	case s.filledBy(n) && s.kind != argumentSlot && s.kind != assertSlot && s.kind != calleeSlot:
		if s.kind == defaultSlot {
			where = ""
		}
		w.say(n, wValue, "value-"+v, where, s.phrase+" is "+now(added)+" "+say(n))
	default:
		w.say(n, wDetail, "part-"+v, where, headline(n)+" was "+v+of)
	}
}

// key says that a key came to an object or left it.
func (w *writer) key(n, in tree.Node, s slotted, where string, added bool) {
	of, name := "", tree.NameOf(n)
	if s.phrase != "" && !(s.kind == returnSlot && in.Frag.List) {
		of = " " + toFrom(added) + " " + strings.TrimPrefix(s.phrase, "the value of ")
	}
	if k := n.NamedKids(); name == "" && len(k) > 0 {
		name = k[0].Text()
	}
	if name == "" {
		name = n.Text()
	}
	val, fresh := tree.ValueOf(n), 0
	for _, k := range in.NamedKids() {
		if w.fresh[k] {
			fresh++
		}
	}
	if n.Traits().LiteralFields && simpleName(name) && in.Parent().Child("type").Kind() != "map_type" {
		if added && val.Ok() {
			w.say(n, wValue, "field-set", where, "the field "+code(name)+" is now set to "+say(val))
			return
		}
		is := " " + now(added) + " set"
		w.names(n, wValue, "field-unset", where, "the field "+slot+" is"+is, "the fields "+slot+" are"+is, code(name))
		return
	}
	if !added || !val.Ok() || fresh >= manyKeys {
		w.listed(n, wValue, "key", where, "key", of, added, code(name))
		return
	}
	w.say(n, wValue, "key-added", where, "the key "+code(name)+" was added"+of+" with the value "+say(val))
	if w.newWords.Of(name) == 1 && simpleName(name) && options.MatchString(tree.Target(n.Under(syntax.Declarator, syntax.Variable, syntax.Assign))) {
		w.follows(n, "unread", "nothing else in the file reads the option "+code(name))
	}
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
		call := s.phrase
		if s.kind == assertSlot {
			call += " " + code(tree.CalledName(s.holder))
		}
		f := w.passes(n, in, call, where, added)
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

// options matches the names of objects whose keys are read by name.
var options = regexp.MustCompile(`(?i)(?:options|opts|defaults?|settings|config)$`)
