package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

// parameterChanged says what became of a parameter that keeps its name: its
// type or its default. It answers false where something else changed.
func (w *writer) parameterChanged(a, b item) bool {
	if parameterName(a) != parameterName(b) || a.traits().SpreadTypes {
		return false
	}
	_, owner := ownerOf(b)
	name := code(parameterName(b))
	of := "the parameter " + name + " of " + owner
	ta, tb := a.child("type"), b.child("type")
	switch {
	case typeText(ta) == typeText(tb):
	case !ta.ok():
		w.parameterTyped(b, owner, name+" ("+typeText(tb)+")")
	case !tb.ok():
		w.names(b, wSignature, "type-removed", "", "the parameter "+slot+" of "+owner+" no longer has a type", "the parameters "+slot+" of "+owner+" no longer have types", name)
	default:
		w.parameterType(b, owner, name, typeText(ta), typeText(tb))
	}
	da, db := a.child("value", "default_value"), b.child("value", "default_value")
	switch {
	case da.text() == db.text():
		return typeText(ta) != typeText(tb)
	case !da.ok():
		w.say(b, wSignature, "default-added", "", of+" now has the default "+say(db))
	case !db.ok():
		w.say(b, wSignature, "default-removed", "", of+" no longer has the default "+say(da))
	default:
		w.say(b, wSignature, "default-changed", "", "the default of "+of+" was changed from "+say(da)+" to "+say(db))
	}
	return true
}

// parameters lists the parameters of a function, without self and this.
func parameters(f item) []item {
	if _, ok := macroTest(f); ok {
		return nil // they are its name
	}
	p := f.child("parameters")
	if !p.ok() {
		p = f.first(syntax.Parameters)
	}
	if !p.ok() {
		if fs := f.find(1, func(r syntax.Role) bool { return r == syntax.Block }, syntax.Parameters); len(fs) == 1 {
			p = fs[0]
		}
	}
	kids := p.namedKids()
	if !p.ok() { // Some grammars have no list.
		for _, k := range f.namedKids() {
			if k.is(syntax.Parameter) {
				kids = append(kids, k)
			}
		}
	}
	var out []item
	for _, k := range kids {
		if t := k.text(); t != "self" && t != "cls" && t != "this" && t != "void" && !k.is(syntax.Decorator, syntax.Self) {
			out = append(out, k)
		}
	}
	return out
}

func parameterName(p item) string {
	if p.traits().SpreadTypes && p.is(syntax.Parameter) && !nameNode(p).ok() {
		return oneLine(p.text())
	}
	for _, k := range append(p.namedKids(), p) {
		if pattern(k) && k.field() != "right" && k.field() != "value" { // it has no name but those it takes out
			return oneLine(k.text())
		}
	}
	s := nameOf(p)
	if s == "" || p.kind() == "typed_parameter" {
		if k := p.find(1, nil, syntax.Identifier); len(k) == 1 {
			s = k[0].text()
		}
	}
	if s == "" {
		s = oneLine(p.text())
	}
	return s
}

// listOwner returns what a parameter's list stands in, or none.
func listOwner(p item) item {
	l := p
	if !l.is(syntax.Parameters) {
		l = p.under(syntax.Parameters, syntax.Block)
	}
	if !l.is(syntax.Parameters) {
		return item{}
	}
	return l.parent()
}

// ownerOf returns the function that a parameter belongs to, and its name.
func ownerOf(p item) (item, string) {
	if c := listOwner(p); c.role().IsClass() {
		return c, "the constructor of " + code(nameOf(c))
	}
	f := p.under(syntax.Function, syntax.Constructor, syntax.Lambda)
	if d := p.under(syntax.Field, syntax.Variable, syntax.TypeAlias); !f.ok() && d.ok() && d.traits().SpreadTypes && d.kidOf("(") {
		return d, "the function pointer " + code(nameOf(d))
	}
	if !f.ok() {
		return f, "the function" // a type or a prototype
	}
	if f.is(syntax.Lambda) {
		pl := placeOf(p)
		switch {
		case pl.test:
			return f, pl.String()
		case pl.callback != "":
			return f, "the callback of " + code(pl.callback)
		case pl.fn != "":
			return f, "the function " + code(pl.fn)
		}
		return f, "the function"
	}
	name := nameOf(f)
	if isConstructor(f) {
		if c := placeOf(f).class; c != "" {
			return f, "the constructor of " + code(c)
		}
		return f, "the constructor"
	}
	return f, "the " + functionWord(f) + " " + code(name)
}

// parameter says that a parameter was added or removed.
func (w *writer) parameter(n item, added bool) {
	if t := n.text(); t == "self" || t == "cls" || t == "this" {
		return // nobody passes it
	}
	v := verb(added)
	f, owner := ownerOf(n)
	name := code(parameterName(n))
	def := valueOf(n)
	if !n.is(syntax.Parameter) {
		def = item{}
	}
	tail := " was " + v + " " + toFrom(added) + " " + owner
	switch {
	case n.text() == "*":
		w.say(n, wSignature, "parameter-by-name", "", "the parameters behind the `*` of "+owner+map[bool]string{true: " must now", false: " need no longer"}[added]+" be passed by name")
	case added && def.ok():
		w.beside(w.say(n, wSignature, "parameter-added", "", owner+" now takes an optional parameter "+name), "default", name+" has the default "+say(def))
	case added && n.kind() == "optional_parameter":
		w.names(n, wSignature, "parameter-added", "", owner+" now takes the optional parameter "+slot, owner+" now takes the optional parameters "+slot, name)
	default:
		w.names(n, wSignature, "parameter-"+v, "", "the parameter "+slot+tail, "the parameters "+slot+strings.Replace(tail, " was ", " were ", 1), name)
		if f.is(syntax.Lambda) || isTest(f, nameOf(f)) || variadic(n) {
			break
		}
		callers := "callers of " + owner
		one := callers + " must no longer pass " + slot
		many := one
		switch {
		case added && n.traits().LooseArguments:
			one, many = callers+" that do not pass "+slot+" leave it undefined", callers+" that do not pass "+slot+" leave them undefined"
		case added:
			one = callers + " must now pass " + slot
			many = one
		}
		w.names(n, wFollows, "parameter-"+v+"-callers", "", one, many, name).kind = implication
	}
	if added && f.ok() && !f.role().IsClass() && !f.is(syntax.Lambda) && bodyOf(f).ok() {
		w.parameterUndocumented(f, parameterName(n))
		w.unused(n, parameterName(n))
	}
}

// variadic tells whether a parameter takes any number of values, or is only a
// sign between others.
func variadic(p item) bool {
	for _, s := range []string{"splat", "variadic", "spread", "rest_", "block_"} {
		if strings.Contains(p.kind(), s) {
			return true
		}
	}
	return p.text() == "/"
}
