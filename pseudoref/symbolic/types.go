package symbolic

import (
	"strings"
	"unicode"

	"crscore/internal/syntax"
)

func (w *writer) typePart(n item, added bool) {
	where, v := inside(n), verb(added)
	d := n.up(func(x item) bool {
		return x.is(syntax.Parameter, syntax.Variable, syntax.Field, syntax.Declarator, syntax.Function, syntax.New, syntax.Call, syntax.Assign, syntax.Constructor)
	})
	switch {
	case n.field() == "base" && n.parent().is(syntax.Enum):
		w.say(n, wSignature, "underlying-type-"+v, "", "the enum "+code(nameOf(n.parent()))+map[bool]string{true: " now has", false: " no longer has"}[added]+" the underlying type "+code(n.text()))
	case n.is(syntax.TypeArguments) && strings.HasPrefix(n.kind(), "type_parameter"):
		what := "the type parameters " + code(n.text()) + " were " + v
		if p := n.parent(); p.role().IsFunction() || p.role().IsClass() && !strings.HasPrefix(p.kind(), "impl") {
			what += " " + toFrom(added) + " " + declaredName(p)
		}
		w.say(n, wSignature, "type-parameters-"+v, "", what)
	case n.is(syntax.TypeArguments) && d.is(syntax.New, syntax.Call):
		if added {
			w.say(n, wValue, "type-arguments-added", where, noun(d, "the")+" now has the type arguments "+code(n.text()))
		} else {
			w.say(n, wValue, "type-arguments-removed", where, "the type arguments "+code(n.text())+" of "+noun(d, "the")+" were removed")
		}
	case d.is(syntax.Function) && n.under(syntax.Function, syntax.Block) == d:
		w.say(n, wSignature, "return-type-"+v, "", "the return type "+code(strings.TrimLeft(n.text(), ": "))+" was "+v+" "+toFrom(added)+" "+code(nameOf(d)))
	case d.is(syntax.Parameter) && added:
		_, owner := ownerOf(n)
		name := code(parameterName(d)) + " (" + code(strings.TrimLeft(n.text(), ": ")) + ")"
		w.names(n, wSignature, "type-added", "", "the parameter "+slot+" of "+owner+" was given a type", "the parameters "+slot+" of "+owner+" were given types", name)
	case d.ok():
		w.say(n, wValue, "type-"+v, where, "the type "+code(strings.TrimLeft(n.text(), ": "))+" was "+v+" "+toFrom(added)+" "+declaredNameOrNoun(d))
	default:
		w.say(n, wValue, "type-"+v, where, "the type "+code(n.text())+" was "+v)
	}
}

func declaredNameOrNoun(d item) string {
	if d.is(syntax.Parameter) {
		return "the parameter " + code(parameterName(d))
	}
	return noun(d, "the")
}

func (w *writer) keyword(n item, added bool) {
	t := n.text()
	switch t {
	case "end", "then", "do", "fi", "done", "esac", "begin":
		return // as a brace elsewhere
	}
	p := n.parent()
	if c := n.prev(); t == "&" && c.is(syntax.Call, syntax.Pipeline) && c.traits().CallWord != "" {
		if !w.fresh[c] {
			w.say(n, wBehaviour, "background", inside(n), noun(c, "the")+map[bool]string{true: " now runs in the background", false: " no longer runs in the background"}[added])
		}
		return
	}
	for i := 0; i < 4 && p.ok() && p.is(syntax.Modifier, syntax.Other, syntax.ExpressionStatement); i++ {
		p = p.parent()
	}
	if t == "export" {
		d := n.parent()
		w.say(n, wSignature, "export-"+verb(added), "", declaredName(unnested(d))+" is "+map[bool]string{true: "now exported", false: "no longer exported"}[added])
		return
	}
	if x := n.under(syntax.Import); t == "type" && x.ok() {
		_, names := imported(x)
		w.names(n, wImport, "import-type", "", slot+map[bool]string{true: " is now imported as a type only", false: " is no longer imported as a type only"}[added],
			slot+map[bool]string{true: " are now imported as types only", false: " are no longer imported as types only"}[added], codes(names)...)
		return
	}
	if t == "*" && p.is(syntax.Field) {
		w.say(n, wSignature, "embedded-pointer", "", code(placeOf(n).class)+map[bool]string{true: " now embeds a pointer to ", false: " no longer embeds a pointer to "}[added]+code(p.child("type").text()))
		return
	}
	if t == "?" && p.is(syntax.Field, syntax.Parameter) {
		d := declaredNameOrNoun(p)
		w.say(n, wSignature, "optional-"+verb(added), "", d+map[bool]string{true: " is now optional", false: " is no longer optional"}[added])
		if added {
			w.follows(n, "optional-undefined", "code that reads "+d+" must handle that it is missing")
		} else {
			w.follows(n, "optional-required", "code that leaves out "+d+" must now give it")
		}
		return
	}
	if (t == "get" || t == "set") && p.is(syntax.Function) {
		w.say(n, wSignature, "accessor-"+verb(added), "", code(nameOf(p))+map[bool]string{true: " is now", false: " is no longer"}[added]+" a "+t+"ter, which is used like a field")
		return
	}
	if t == "function" && p.is(syntax.Lambda) {
		return // it is another notation
	}
	if e := n.parent(); e.is(syntax.Enum) && (t == "class" || t == "struct") {
		w.say(n, wSignature, "scoped-enum-"+verb(added), "", "the enum "+code(nameOf(e))+map[bool]string{true: " is now", false: " is no longer"}[added]+" a scoped `enum class`")
		return
	}
	switch t {
	case "async", "static", "final", "const", "public", "private", "protected", "export", "default", "readonly", "abstract", "await", "new", "mut", "pub", "let", "var":
		if p.is(syntax.Function, syntax.Constructor, syntax.Class, syntax.Interface, syntax.Enum, syntax.Field, syntax.Variable, syntax.Lambda, syntax.Parameter) {
			d := declaredName(p)
			if p.is(syntax.Lambda) {
				_, d = ownerOf(n)
			}
			if added {
				w.say(n, wSignature, "modifier-added", "", d+" was made "+code(t))
			} else {
				w.say(n, wSignature, "modifier-removed", "", d+" is no longer "+code(t))
			}
			return
		}
	}
	if t == "else" || t == "for" || t == "while" || t == "if" || t == "in" {
		return // part of a statement that has a claim
	}
	if w.forcedTry(n, added) || !strings.ContainsFunc(t, unicode.IsLetter) {
		return // a sign that the grammar wants
	}
	s := slotOf(n)
	to := ""
	if s.phrase != "" {
		to = " " + toFrom(added) + " " + s.phrase
	}
	w.say(n, wDetail, "keyword-"+verb(added), inside(n), "the keyword "+code(t)+" was "+verb(added)+to)
}

// rank orders visibilities from closed to open.
var openness = map[string]int{"private": 1, "protected": 2, "internal": 3, "public": 4}

func (w *writer) typeChanged(a, b item) {
	if p := b.parent(); p.is(syntax.Type) && a.parent().is(syntax.Type) {
		w.typeChanged(a.parent(), p)
		return
	}
	if w.done[b] || w.covered(b) {
		return
	}
	w.done[b] = true
	x, y := code(strings.TrimLeft(a.text(), ": ")), code(strings.TrimLeft(b.text(), ": "))
	if w.unionChanged(a, b) {
		return
	}
	d := b.up(func(n item) bool {
		return n.is(syntax.Parameter, syntax.Variable, syntax.Field, syntax.Function, syntax.New, syntax.Call, syntax.Cast, syntax.Catch, syntax.Binary, syntax.Class, syntax.Interface)
	})
	where := inside(b)
	switch {
	case strings.HasPrefix(b.kind(), "type_parameter") || b.kind() == "template_parameter_list":
		w.say(b, wSignature, "type-parameters-changed", where, "the type parameters were changed from "+x+" to "+y)
	case d.is(syntax.Function) && b.under(syntax.Function, syntax.Block) == d && w.resultsChanged(a, b, d):
	case d.is(syntax.Function) && b.up(func(p item) bool {
		return strings.HasSuffix(p.kind(), "_bounds") || p.kind() == "where_clause" || p == d
	}) != d:
		w.say(b, wSignature, "bound-changed", "", "in the bounds of "+code(nameOf(d))+", "+x+" was replaced by "+y)
	case d.is(syntax.Function) && b.under(syntax.Function, syntax.Block) == d:
		w.say(b, wSignature, "return-type-changed", "", "the return type of "+code(nameOf(d))+" was changed from "+x+" to "+y)
		w.follows(b, "return-type-callers", "callers of "+code(nameOf(d))+" now get "+y)
	case d.is(syntax.Parameter) && d.under(syntax.Parameter).ok():
		// A parameter of the function that a parameter takes.
		_, owner := ownerOf(b)
		w.say(b, wSignature, "parameter-type-changed", "", "in the type of the parameter "+code(parameterName(d.under(syntax.Parameter)))+" of "+owner+", "+x+" was replaced by "+y)
	case d.is(syntax.Parameter):
		_, owner := ownerOf(b)
		w.parameterType(b, owner, code(parameterName(d)), x, y)
	case d.is(syntax.Variable, syntax.Field):
		w.say(b, wValue, "type-changed", where, "the type of "+noun(d, "the")+" was changed from "+x+" to "+y).about(noun(d, "the"))
	case d.is(syntax.New, syntax.Call):
		// Of `HashMap<String>`, the part in brackets; the noun names the rest.
		if k := strings.IndexByte(a.text(), '<'); k > 0 {
			x = code(a.text()[k:])
		}
		name := noun(d, "the")
		if k := strings.IndexByte(b.text(), '<'); k > 0 {
			y, name = code(b.text()[k:]), strings.Replace(name, b.text()[k:], "", 1)
		}
		w.say(b, wValue, "type-changed", where, "the type arguments of "+name+" were changed from "+x+" to "+y)
		if strings.HasSuffix(b.text(), "<>") {
			w.follows(b, "diamond", "with the diamond operator the compiler infers the generic type")
			w.follows(b, "same-type", "only how the type is written was changed, so the behaviour stays the same")
		}
	case d.is(syntax.Catch):
		w.say(b, wBehaviour, "catch-changed", where, "exceptions of type "+y+" are now caught instead of "+x)
	default:
		if d := b.under(syntax.TypeAlias); d.ok() {
			w.say(b, wSignature, "type-changed", "", "the type "+code(nameOf(d))+" was changed from "+x+" to "+y).about("the type " + code(nameOf(d)))
			return
		}
		w.say(b, wValue, "type-changed", where, "the type "+x+" was replaced by "+y)
	}
}

// parameterType says that the type of a parameter changed, once for all of a
// function whose types changed alike.
func (w *writer) parameterType(n item, owner, name, from, to string) {
	tail := " of " + owner + " was changed from " + from + " to " + to
	w.names(n, wSignature, "parameter-type-changed", "", "the type of the parameter "+slot+tail, "the type of the parameters "+slot+tail, name)
}

// union lists the alternatives of a type.
func union(n item) []item {
	if n.kind() == "type_annotation" {
		if k := n.namedKids(); len(k) == 1 {
			n = k[0]
		}
	}
	if n.kind() != "union_type" {
		return []item{n}
	}
	var out []item
	for _, k := range n.namedKids() {
		if k.kind() == "union_type" && len(out) < maxChain {
			out = append(out, union(k)...)
		} else {
			out = append(out, k)
		}
	}
	return out
}

// unionChanged says which alternatives a type has gained or lost. It answers
// false when there are both, or when a type is no longer what it was.
func (w *writer) unionChanged(a, b item) bool {
	as, bs := union(a), union(b)
	gone, come := only(as, bs), only(bs, as)
	if len(as)+len(bs) < 3 || len(gone) > 0 == (len(come) > 0) {
		return false
	}
	d := b.up(func(n item) bool {
		return n.is(syntax.Parameter, syntax.Variable, syntax.Field, syntax.Function, syntax.TypeAlias, syntax.Lambda, syntax.Class, syntax.Interface)
	})
	of := ""
	switch {
	case d.is(syntax.Parameter):
		_, owner := ownerOf(b)
		of = "the parameter " + code(parameterName(d)) + " of " + owner
	case d.is(syntax.Function) && b.field() == "return_type":
		of = "the result of " + code(nameOf(d))
	case d.is(syntax.TypeAlias):
		of = "the type " + code(nameOf(d))
	case d.is(syntax.Field, syntax.Variable):
		of = noun(d, "the")
	default:
		return false
	}
	phrases := func(ns []item) string {
		var out []string
		for _, n := range ns {
			out = append(out, code(n.text()))
		}
		return listOf(out, 3, "or")
	}
	if len(come) > 0 {
		w.say(b, wSignature, "type-widened", "", of+" may now also be "+phrases(come))
		w.follows(b, "type-widened-users", "code that uses "+of+" must handle "+phrases(come))
	} else {
		w.say(b, wSignature, "type-narrowed", "", of+" may no longer be "+phrases(gone))
	}
	return true
}
