package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// part says that a part of an expression was added or removed.
func (w *writer) part(n item, e edit, added bool) {
	v, where := verb(added), inside(n)
	if e.oldIn.ok() && e.newIn.ok() && w.condition(e) {
		return
	}
	if !n.named() {
		w.keyword(n, added)
		return
	}
	if n.is(syntax.Type, syntax.TypeArguments) {
		w.typePart(n, added)
		return
	}
	in := e.newIn
	if !added {
		in = e.oldIn
	}
	switch {
	case n.kind() == "shorthand_property_identifier":
		of := ""
		if s := slotOf(n); s.phrase != "" {
			of = " " + toFrom(added) + " " + strings.TrimPrefix(s.phrase, "the value of ")
		}
		w.names(n, wValue, "key-"+v, where, "the key "+slot+" was "+v+of, "the keys "+slot+" were "+v+of, code(n.text()))
	case isPair(n) || n.is(syntax.Spread) && in.is(syntax.Collection):
		of := ""
		if s := slotOf(n); s.phrase != "" && !(s.kind == returnSlot && in.frag.List) {
			of = " " + toFrom(added) + " " + strings.TrimPrefix(s.phrase, "the value of ")
		}
		if t := in.parent(); n.traits().LiteralFields && isPair(n) && simpleName(strip(n.namedKids()[0]).text()) && t.child("type").kind() != "map_type" {
			of := ""
			if t.is(syntax.New) && !t.frag.Framed(t.node().start) {
				of = " of the new `" + callee(t) + "`"
			}
			w.literalField(n, of, where, added)
			return
		}
		if val := valueOf(n); added && val.ok() && w.freshPairs(in) < 5 {
			w.say(n, wValue, "key-added", where, "the key "+code(nameOf(n))+" was added"+of+" with the value "+say(val))
			if name := nameOf(n); w.newWords.of(name) == 1 && simpleName(name) && options.MatchString(target(n.under(syntax.Declarator, syntax.Variable, syntax.Assign))) {
				w.follows(n, "unread", "nothing else in the file reads the option "+code(name))
			}
			return
		}
		name := nameOf(n)
		if name == "" {
			name = n.text()
		}
		w.names(n, wValue, "key-"+v, where, "the key "+slot+" was "+v+of, "the keys "+slot+" were "+v+of, code(name))
	case framed(in, in) && in.frag.List && n.is(syntax.KeywordArgument):
		w.names(n, wValue, "argument-"+v, where, "the argument "+slot+" was "+v, "the arguments "+slot+" were "+v, argument(n))
	case framed(in, in) && (in.frag.List || !framedCall(in)) && n.is(syntax.Pair) && len(n.namedKids()) == 1:
		w.names(n, wValue, "entry-"+v, where, "the entry "+slot+" was "+v, "the entries "+slot+" were "+v, say(n.namedKids()[0]))
	case framed(in, in) && (in.frag.List || !framedCall(in)) && n.is(syntax.Collection, syntax.New, syntax.String, syntax.Number, syntax.Identifier, syntax.Call, syntax.Parens):
		// In a list that the hunk does not show.
		if what := say(n); strings.HasPrefix(what, "a ") || strings.HasPrefix(what, "an ") {
			w.say(n, wValue, "entry-"+v, where, what+" was "+v+" "+toFrom(added)+" a list")
			return
		}
		w.names(n, wValue, "entry-"+v, where, "the entry "+slot+" was "+v, "the entries "+slot+" were "+v, say(n))
	case n.is(syntax.Lambda) && n.field() == "block" && in.is(syntax.Call):
		if w.done[e.newIn] {
			return // another call took its place
		}
		what := " a block"
		if eff := effects(body(n)); len(eff) > 0 {
			what += " that " + eff[0]
		}
		w.say(n, wBehaviour, "block-"+v, where, callPhrase(in)+map[bool]string{true: " now takes", false: " no longer takes"}[added]+what)
		return
	case in.is(syntax.Arguments):
		s := slotOf(n)
		if x, y := e.oldIn.parent(), e.newIn.parent(); x.is(syntax.Call) && y.is(syntax.Call) && (w.done[y] && len(optionsOf(y)) > 0 || w.optionsChanged(x, y)) {
			return
		}
		if y := e.newIn.parent(); !added && w.done[y] && y.is(syntax.Call) && callee(e.oldIn.parent()) != callee(y) {
			return // another call took its place
		}
		if w.argumentsReplaced(e, s, where) {
			return
		}
		if w.done[s.holder] {
			return // said with the call
		}
		if s.kind == assertSlot {
			w.say(n, wValue, "assertion-argument", where, "the assertion "+code(calledName(s.holder))+map[bool]string{true: " now takes ", false: " no longer takes "}[added]+argument(n))
			return
		}
		if t := s.holder.parent(); added && n.is(syntax.String) && s.holder.is(syntax.New, syntax.Call) && t.is(syntax.Throw) {
			w.say(n, wValue, "message-added", where, "the thrown "+code(callee(s.holder))+" now has the message "+say(n))
			return
		}
		if added {
			if n.is(syntax.Bool) {
				w.follows(n, "boolean-argument", "the bare "+say(n)+" does not tell a reader of the call to "+called(s.holder)+" what it means")
			}
			passes := " now also passes "
			if gone, _ := differing(e.oldIn.namedKids(), in.namedKids()); len(gone) > 0 {
				passes = " now passes "
			}
			w.names(n, wValue, "argument-added", where, s.phrase+passes+slot, s.phrase+passes+slot, argument(n)).group = in
			if added {
				w.passedText(n)
			}
		} else {
			w.names(n, wValue, "argument-removed", where, s.phrase+" no longer passes "+slot, s.phrase+" no longer passes "+slot, argument(n)).group = in
		}
	case n.field() == "range" && in.is(syntax.Loop):
		w.say(n, wBehaviour, "loop-range-"+v, where, "the loop "+map[bool]string{true: "now goes", false: "no longer goes"}[added]+" over "+say(n.child("right")))
	case in.field() == "range" || in.parent().field() == "range":
		w.names(n, wValue, "loop-variable-"+v, where, "the loop "+map[bool]string{true: "now gives", false: "no longer gives"}[added]+" "+slot, "the loop "+map[bool]string{true: "now gives", false: "no longer gives"}[added]+" "+slot, code(n.text()))
	case pattern(in):
		from := "the destructured value"
		if d := in.parent(); d.is(syntax.Declarator) {
			from = say(d.child("value"))
		} else if in.under(syntax.Parameters, syntax.Block).is(syntax.Parameters) {
			_, owner := ownerOf(in)
			from = "the argument of " + owner
		}
		def := ""
		if d := n.child("right"); added && d.ok() {
			def = " with the default " + say(d)
		}
		name := n
		if k := n.child("left", "key"); k.ok() {
			name = k
		}
		is := map[bool]string{true: " now", false: " no longer"}[added]
		w.names(n, wValue, "pattern-"+v, where, slot+" is"+is+" taken from "+from+def, slot+" are"+is+" taken from "+from+def, code(name.text()))
	case in.is(syntax.Collection) && hook(slotOf(in)):
		h := slotOf(in).holder
		w.names(n, wBehaviour, "dependency-"+v, where, slot+" was "+v+" "+toFrom(added)+" the dependencies of "+code(calledName(h)), slot+" were "+v+" "+toFrom(added)+" the dependencies of "+code(calledName(h)), say(n))
		if added {
			w.names(n, wFollows, "dependency-effect", "", "the callback of "+code(calledName(h))+" now runs again or is made anew when "+slot+" changes", "the callback of "+code(calledName(h))+" now runs again or is made anew when "+slot+" change", say(n)).kind = implication
		}
	case framedCall(in):
		now := map[bool]string{true: " now also passes ", false: " no longer passes "}[added]
		w.names(n, wValue, "argument-"+v, where, "a call"+now+slot, "a call"+now+slot, argument(n)).group = in
	case in.is(syntax.Collection):
		s := slotOf(in)
		of := "the list"
		if s.phrase != "" {
			of = s.phrase
		}
		if l := label(n); l.ok() && placeOf(n).test {
			w.names(n, wBehaviour, "test-case-"+v, where, "a test case "+slot+" was "+v, "test cases "+slot+" were "+v, say(l))
			return
		}
		w.names(n, wValue, "element-"+v, where, slot+" was "+v+" "+toFrom(added)+" "+of, slot+" were "+v+" "+toFrom(added)+" "+of, say(n))
	case n.is(syntax.String) && in.is(syntax.Binary):
		of := ""
		if s := slotOf(n); s.phrase != "" {
			of = " " + toFrom(added) + " " + s.phrase
		}
		w.names(n, wValue, "text-"+v, where, "the text "+slot+" was "+v+of, "the texts "+slot+" were "+v+of, say(n))
	case n.is(syntax.Attribute):
		el := n.up(func(x item) bool { return x.is(syntax.Element) })
		w.names(n, wValue, "attribute-"+v, where, "the attribute "+slot+" was "+v+" "+toFrom(added)+" "+elementName(el), "the attributes "+slot+" were "+v+" "+toFrom(added)+" "+elementName(el), code(nameOf(n)))
	case shown(n) != "":
		w.say(n, wBehaviour, "element-"+v, where, shown(n)+" was "+v)
	case n.is(syntax.Element):
		w.say(n, wBehaviour, "element-"+v, where, "the element "+elementName(n)+" was "+v)
	case in.is(syntax.Export):
		w.exported(n, in, added)
	case in.is(syntax.Import):
		module, _ := imported(in)
		from := ""
		if module != "" {
			from = " from " + code(module)
		}
		xs := []item{n}
		if n.text() == everything {
			w.say(n, wImport, "import-"+v, "", "the wildcard import"+from+" was "+v)
			return
		}
		if !n.is(syntax.Identifier) {
			xs = n.find(50, nil, syntax.Identifier)
		}
		for _, n := range xs {
			if w.importedBeside(n, module, n.text()) {
				continue
			}
			w.names(n, wImport, "import-"+v, "", "the import of "+slot+from+" was "+v, "the imports of "+slot+from+" were "+v, code(n.text()))
			w.importUse(n, n.text(), added)
		}
	case in.is(syntax.Declarator, syntax.Variable, syntax.Field) && n.field() == "value":
		if added {
			w.say(n, wValue, "value-added", where, code(nameOf(in))+" is now initialised with "+say(n))
		} else {
			w.say(n, wValue, "value-removed", where, code(nameOf(in))+" is no longer initialised with "+say(n))
		}
	case in.is(syntax.Variable, syntax.Field) && n.is(syntax.Identifier, syntax.Declarator) && n.field() == "declarator":
		word := map[bool]string{true: "field", false: "variable"}[in.is(syntax.Field)]
		w.names(n, wValue, "variable-"+v, where, "the "+word+" "+slot+" was "+v, "the "+word+"s "+slot+" were "+v, code(nameOf(n)))
	case in.is(syntax.Parameter) && n.field() == "name":
		_, owner := ownerOf(n)
		w.say(n, wSignature, "parameter-named", "", "a parameter of "+owner+map[bool]string{true: " is now named ", false: " no longer has its name "}[added]+code(n.text()))
	case in.is(syntax.Parameter):
		_, owner := ownerOf(n)
		if added {
			w.say(n, wSignature, "default-added", "", "the parameter "+code(parameterName(in))+" of "+owner+" now has the default "+say(n))
		} else {
			w.say(n, wSignature, "default-removed", "", "the parameter "+code(parameterName(in))+" of "+owner+" no longer has the default "+say(n))
		}
	case in.is(syntax.Throw):
		subject := placeOf(n).subject()
		if added {
			w.say(n, wBehaviour, "throw-changed", "", subject+" now "+raises(n)+" "+say(n)+" instead of the caught error as it is")
		} else {
			w.say(n, wBehaviour, "rethrow", "", subject+" now "+raises(n)+" the caught error again as it is instead of "+say(n))
		}
	case w.returnsOthers(e):
	case in.is(syntax.Return) || in.is(syntax.Parens) && in.parent().is(syntax.Return):
		if added {
			also := ""
			if len(in.namedKids()) > 1 {
				also = "also "
			}
			w.say(n, wBehaviour, "return-value-added", "", placeOf(n).subject()+" now "+also+"returns "+say(n))
		} else {
			w.say(n, wBehaviour, "return-value-removed", "", placeOf(n).subject()+" no longer returns "+say(n))
		}
	default:
		s := slotOf(n)
		if s.phrase == "" {
			w.say(n, wDetail, "code-"+v, where, headline(n)+" was "+v)
			return
		}
		w.say(n, wDetail, "part-"+v, where, headline(n)+" was "+v+" "+toFrom(added)+" "+s.phrase)
	}
}

// isBody tells whether a node is the body of a function.
func isBody(n item) bool { return n.field() == "body" && n.parent().role().IsFunction() }

// freshPairs counts the keys that were added to an object.
func (w *writer) freshPairs(object item) int {
	c := 0
	for _, k := range object.namedKids() {
		if w.fresh[k] {
			c++
		}
	}
	return c
}

// pattern tells whether a node takes a value apart.
func pattern(n item) bool { return strings.HasSuffix(n.kind(), "_pattern") && n.is(syntax.Collection) }

// options matches the names of objects whose keys are read by name.
var options = regexp.MustCompile(`(?i)(?:options|opts|defaults?|settings|config)$`)

// passedText tells what a long text says that a call is given now.
func (w *writer) passedText(n item) {
	text, ok := joined(strip(n))
	if strip(n).is(syntax.String) {
		text, ok = unquoted(strip(n).text()), true
	}
	if !ok || countWords(text) <= wordsSaid {
		return
	}
	for i, p := range passages(text, wordsSaid, 3) {
		if i > 0 {
			w.say(n, wDetail, "text-continued", "", "the new text goes on to say "+quoteText(p))
		}
	}
}

// literalField says that a field is set where a value of a type is written, or
// no longer.
func (w *writer) literalField(n item, of, where string, added bool) {
	name := code(nameOf(n))
	if val := valueOf(n); added && val.ok() {
		w.say(n, wValue, "field-set", where, "the field "+name+of+" is now set to "+say(val))
		return
	}
	verb := map[bool]string{true: " now", false: " no longer"}[added]
	w.names(n, wValue, "field-unset", where, "the field "+slot+of+" is"+verb+" set", "the fields "+slot+of+" are"+verb+" set", name)
}

// label returns what a row of a table of test cases is called: its first text, or
// what is under a key that names it; none for anything else.
func label(n item) item {
	n = strip(n)
	if n.is(syntax.New) {
		n = n.first(syntax.Collection)
	}
	if !n.is(syntax.Collection) {
		return item{}
	}
	for i, k := range n.namedKids() {
		switch k = strip(k); {
		case i == 0 && k.is(syntax.String):
			return k
		case isPair(k):
			switch strings.ToLower(nameOf(k)) {
			case "name", "desc", "description", "title":
				if v := strip(valueOf(k)); v.is(syntax.String) {
					return v
				}
			}
		}
	}
	return item{}
}
