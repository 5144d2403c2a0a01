package symbolic

import (
	"slices"
	"strings"
	"unicode"

	"crscore/internal/syntax"
)

// typeText is a type in a sentence, without the colon before it.
func typeText(n item) string { return code(strings.TrimLeft(n.text(), ": ")) }

// typed returns what a type belongs to, or none.
func typed(n item) item {
	return n.under(syntax.Parameter, syntax.Variable, syntax.Field, syntax.Declarator, syntax.Function, syntax.Constructor, syntax.New,
		syntax.Call, syntax.Assign, syntax.Cast, syntax.Catch, syntax.Binary, syntax.Class, syntax.Interface, syntax.TypeAlias, syntax.Enum)
}

// resultType tells whether a type is that of what a function returns.
func resultType(n, of item) bool {
	return of.is(syntax.Function) && n.under(syntax.Function, syntax.Block) == of && !strings.HasPrefix(n.kind(), "type_parameter") &&
		n.kind() != "template_parameter_list" && n.up(func(p item) bool {
		return strings.HasSuffix(p.kind(), "_bounds") || p.kind() == "where_clause" || p == of
	}) == of
}

// typePart says that a type came or went.
func (w *writer) typePart(n item, added bool) {
	v, d := verb(added), typed(n)
	switch {
	case resultType(n, d):
		w.say(n, wSignature, "return-type-"+v, "", "the return type "+typeText(n)+" was "+v+" "+toFrom(added)+" "+code(nameOf(d)))
	case d.is(syntax.Parameter) && added:
		_, owner := ownerOf(n)
		w.parameterTyped(n, owner, code(parameterName(d))+" ("+typeText(n)+")")
	default:
		what, to, where := "the type "+typeText(n)+" was ", "", inside(n)
		if d.ok() {
			to = " " + toFrom(added) + " " + declaredNameOrNoun(d)
		}
		if d.role().IsFunction() || d.role().IsClass() {
			where = ""
		}
		switch {
		case n.is(syntax.TypeArguments) && where == "":
			what = "the type parameters " + typeText(n) + " were "
		case n.is(syntax.TypeArguments):
			what = "the type arguments " + typeText(n) + " were "
		}
		w.say(n, wValue, "type-"+v, where, what+v+to)
	}
}

// parameterTyped says that a parameter now has a type.
func (w *writer) parameterTyped(n item, owner, name string) {
	w.names(n, wSignature, "type-added", "", "the parameter "+slot+" of "+owner+" was given a type", "the parameters "+slot+" of "+owner+" were given types", name)
}

func declaredNameOrNoun(d item) string {
	if d.is(syntax.Parameter) {
		return "the parameter " + code(parameterName(d))
	}
	if d.role().IsFunction() || d.role().IsClass() || d.is(syntax.TypeAlias) {
		return declaredName(d)
	}
	return noun(d, "the")
}

// keyword says that a word of the language came or went.
func (w *writer) keyword(n item, added bool) {
	t := n.text()
	switch t {
	case "end", "then", "do", "fi", "done", "esac", "begin", "else", "for", "while", "if", "in":
		return // as a brace elsewhere, or part of a statement that has a claim
	}
	p := n.parent()
	for i := 0; i < 4 && p.is(syntax.Modifier, syntax.Other, syntax.ExpressionStatement); i++ {
		p = p.parent()
	}
	word := code(t)
	switch p = unnested(p); {
	case t == "?":
		word = "optional"
	case t == "export":
		word = "exported"
	case t == "*" && p.is(syntax.Field):
		word = "a pointer"
	}
	switch {
	case word == code(t) && !strings.ContainsFunc(t, unicode.IsLetter), t == "function" && p.is(syntax.Lambda):
		// a sign that the grammar wants, or another notation
	case (p.role().IsFunction() || p.role().IsClass() || p.is(syntax.Field, syntax.Variable, syntax.Lambda, syntax.Parameter)) &&
		!slices.Contains([]string{"class", "struct", "get", "set"}, t):
		d := declaredName(p)
		if p.is(syntax.Lambda) {
			_, d = ownerOf(n)
		}
		w.say(n, wSignature, "modifier-"+verb(added), "", d+map[bool]string{true: " was made ", false: " is no longer "}[added]+word)
	default:
		to := ""
		if s := slotOf(n); s.phrase != "" {
			to = " " + toFrom(added) + " " + s.phrase
		}
		w.say(n, wDetail, "keyword-"+verb(added), inside(n), "the keyword "+word+" was "+verb(added)+to)
	}
}

// typeChanged says that one type took the place of another.
func (w *writer) typeChanged(a, b item) {
	if p := b.parent(); p.is(syntax.Type) && a.parent().is(syntax.Type) {
		w.typeChanged(a.parent(), p)
		return
	}
	if w.done[b] || w.covered(b) {
		return
	}
	w.done[b] = true
	x, y, d := typeText(a), typeText(b), typed(b)
	tail := " was changed from " + x + " to " + y
	switch {
	case b.is(syntax.TypeArguments) && (strings.HasPrefix(b.kind(), "type_parameter") || b.kind() == "template_parameter_list"):
		w.say(b, wSignature, "type-parameters-changed", inside(b), "the type parameters were changed from "+x+" to "+y)
	case resultType(b, d):
		w.say(b, wSignature, "return-type-changed", "", "the return type of "+code(nameOf(d))+tail)
		w.follows(b, "return-type-callers", "callers of "+code(nameOf(d))+" now get "+y)
	case d.is(syntax.Parameter) && !d.under(syntax.Parameter).ok():
		_, owner := ownerOf(b)
		w.parameterType(b, owner, code(parameterName(d)), x, y)
	case d.is(syntax.Variable, syntax.Field):
		w.say(b, wValue, "type-changed", inside(b), "the type of "+noun(d, "the")+tail).about(noun(d, "the"))
	case d.is(syntax.TypeAlias):
		w.say(b, wSignature, "type-changed", "", declaredName(d)+tail).about(declaredName(d))
	case d.is(syntax.Catch):
		w.say(b, wBehaviour, "catch-changed", inside(b), "exceptions of type "+y+" are now caught instead of "+x)
	default:
		w.say(b, wValue, "type-changed", inside(b), "the type "+x+" was replaced by "+y)
	}
}

// parameterType says that the type of a parameter changed, once for all of a
// function whose types changed alike.
func (w *writer) parameterType(n item, owner, name, from, to string) {
	tail := " of " + owner + " was changed from " + from + " to " + to
	w.names(n, wSignature, "parameter-type-changed", "", "the type of the parameter "+slot+tail, "the type of the parameters "+slot+tail, name)
}

// returns says that a return came or went.
func (w *writer) returns(n item, at place, added bool) {
	v, r := verb(added), returned(n)
	switch {
	case exits(n):
		w.say(n, wBehaviour, "exit-"+v, "", at.subject()+map[bool]string{true: " now ", false: " no longer "}[added]+does(n, 0)+guard(n))
	case added && r.ok():
		w.say(n, wBehaviour, "return-added", "", at.subject()+" now returns "+say(r)+guard(n))
		if strip(r).is(syntax.Switch) {
			w.details(r, "the return value")
		}
	case added:
		w.say(n, wBehaviour, "return-added", "", at.subject()+" now returns early"+guard(n))
	default:
		w.say(n, wBehaviour, "return-removed", at.String(), noun(n, "the")+guard(n)+" was removed")
	}
}

// returned is what a return statement gives back, or none.
func returned(n item) item {
	if a := n.first(syntax.Arguments); a.ok() {
		if k := a.namedKids(); len(k) == 1 {
			return k[0]
		}
		return a
	}
	if k := n.namedKids(); len(k) > 0 && k[0].field() != "name" {
		if before := neighbour(n, false); carrier(before) == n {
			return assigned(strip(unnested(before)))
		}
		return k[0]
	}
	return item{}
}

// exits tells whether a return ends the whole program.
func exits(n item) bool { return strings.HasPrefix(n.text(), "exit") && n.is(syntax.Return) }

// modifiers returns the words of a node with modifiers, without annotations.
func modifiers(n item) string {
	if !n.first(syntax.Decorator).ok() && !strings.Contains(n.text(), "\n") {
		return oneLine(n.text())
	}
	var out []string
	for _, k := range n.kids() {
		if !k.is(syntax.Decorator) {
			out = append(out, oneLine(k.text()))
		}
	}
	if len(out) == 0 && n.leaf() {
		return oneLine(n.text())
	}
	return strings.Join(out, " ")
}

// modifier says that words such as `static` came or went.
func (w *writer) modifier(n item, added bool) {
	if block(n.parent()) { // Ruby: a statement that holds for what follows, or for what it names
		is, what := map[bool]string{true: " is now ", false: " is no longer "}[added], "the "+code(n.text())+" above the methods that follow was "+verb(added)
		if a := n.first(syntax.Arguments); a.ok() {
			what = list(names(a.namedKids())) + is + code(callee(n))
		}
		w.say(n, wSignature, "modifier-"+verb(added), inside(n), what)
		return
	}
	for _, k := range n.kids() {
		if k.is(syntax.Decorator) {
			w.decorator(k, added)
		}
	}
	if t := strings.TrimRight(oneLine(n.text()), ";"); strings.HasPrefix(t, "=") || strings.HasPrefix(t, "pub(") {
		w.modifierWords(n, []string{t}, added)
		return
	}
	w.modifierWords(n, strings.Fields(modifiers(n)), added)
}

// modifierWords says that a declaration has words more or less.
func (w *writer) modifierWords(n item, words []string, added bool) {
	for _, m := range words {
		if !strings.HasPrefix(m, "@") {
			w.say(n, wSignature, "modifier-"+verb(added), "", declaredName(declared(n))+map[bool]string{true: " was made ", false: " is no longer "}[added]+code(m))
		}
	}
}

func (w *writer) modifiersChanged(a, b item) {
	x, y := strings.Fields(oneLine(a.text())), strings.Fields(oneLine(b.text()))
	without := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(m string) bool { return slices.Contains(b, m) })
	}
	w.modifierWords(b, without(y, x), true)
	w.modifierWords(b, without(x, y), false)
}
