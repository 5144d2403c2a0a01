package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// parameterChanged says what became of a parameter that keeps its name: its
// type, its default, or the property that it declares. It answers false where
// something else changed.
func (w *writer) parameterChanged(a, b item) bool {
	name := code(parameterName(b))
	if parameterName(a) != parameterName(b) || a.traits().SpreadTypes {
		return false
	}
	_, owner := ownerOf(b)
	said := false
	ta, tb := typeOfParameter(a), typeOfParameter(b)
	switch {
	case ta == tb:
	case ta == "":
		w.parameterTyped(b, owner, name+" ("+code(tb)+")")
		said = true
	case tb == "":
		w.names(b, wSignature, "type-removed", "", "the parameter "+slot+" of "+owner+" no longer has a type", "the parameters "+slot+" of "+owner+" no longer have types", name)
		said = true
	default:
		w.parameterType(b, owner, name, code(ta), code(tb))
		said = true
	}
	da, db := parameterDefault(a), parameterDefault(b)
	switch {
	case da.text() == db.text():
	case !da.ok():
		w.say(b, wSignature, "default-added", "", "the parameter "+name+" of "+owner+" is now optional, with the default "+say(db))
		said = true
	case !db.ok():
		w.say(b, wSignature, "default-removed", "", "the parameter "+name+" of "+owner+" is no longer optional: its default "+say(da)+" was removed")
		w.follows(b, "default-removed-callers", "callers of "+owner+" must now always pass "+name)
		said = true
	default:
		w.say(b, wSignature, "default-changed", "", "the default of the parameter "+name+" of "+owner+" was changed from "+say(da)+" to "+say(db))
		said = true
	}
	if m := parameterModifiers(b); m != "" && parameterModifiers(a) == "" {
		w.names(b, wSignature, "parameter-promoted", "", "the parameter "+slot+" of "+owner+" now also declares a `"+m+"` property", "the parameters "+slot+" of "+owner+" now also declare `"+m+"` properties", name)
		said = true
	}
	return said
}

func typeOfParameter(p item) string {
	if !p.is(syntax.Parameter) {
		return ""
	}
	return strings.TrimLeft(oneLine(p.child("type").text()), ": ")
}

func parameterDefault(p item) item {
	if !p.is(syntax.Parameter) {
		return item{}
	}
	return p.child("value", "default_value")
}

// parameterModifiers are the words that make a parameter declare a property.
func parameterModifiers(p item) string {
	var out []string
	for _, k := range p.kids() {
		if k.is(syntax.Modifier) {
			out = append(out, oneLine(k.text()))
		}
	}
	return strings.Join(out, " ")
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

// parameter says that a parameter was added to or removed from the list old.
func (w *writer) parameter(n, old item, added bool) {
	v := verb(added)
	if t := n.text(); t == "self" || t == "cls" || t == "this" {
		return // nobody passes it
	}
	f, owner := ownerOf(n)
	name := code(parameterName(n))
	def := valueOf(n)
	if n.is(syntax.Identifier) || !n.is(syntax.Parameter) {
		def = item{}
	}
	if s := strings.TrimSpace(n.text()); n.named() && (s == "*" || s == "/") && !n.frag.Table.Traits.UntypedCatch {
		word := map[bool]string{true: "must now", false: "need no longer"}[added]
		if later := parameterNames(after(n)); s == "*" && len(later) > 0 {
			w.say(n, wSignature, "parameter-by-name", "", list(later)+" of "+owner+" "+word+" be passed by name")
		}
		return
	}
	if what := rest(n); what != "" {
		w.say(n, wSignature, "parameter-"+v, "", owner+map[bool]string{true: " now also takes ", false: " no longer takes "}[added]+what+" as "+name)
		return
	}
	if added && def.ok() {
		w.say(n, wSignature, "parameter-added", "", owner+" now takes an optional parameter "+name+" with the default "+say(def))
		if later := laterParameters(n, old); later != "" {
			one := "callers of " + owner + " that pass " + later + " by position must be updated, because " + slot
			w.names(n, wFollows, "parameter-position", "", one+" comes before it", one+" come before it", name).kind = implication
		} else {
			w.follows(n, "parameter-default-callers", "callers of "+owner+" that do not pass "+name+" get the default "+say(def))
		}
	} else if added && n.kind() == "optional_parameter" {
		w.names(n, wSignature, "parameter-added", "", owner+" now takes the optional parameter "+slot, owner+" now takes the optional parameters "+slot, name)
	} else {
		w.names(n, wSignature, "parameter-"+v, "", "the parameter "+slot+" was "+v+" "+toFrom(added)+" "+owner, "the parameters "+slot+" were "+v+" "+toFrom(added)+" "+owner, name)
		if !f.is(syntax.Lambda) && !isTest(f, nameOf(f)) {
			one := "callers of " + owner + " must no longer pass " + slot
			many := one
			switch {
			case added && n.traits().LooseArguments:
				one = "callers of " + owner + " that do not pass " + slot + " leave it undefined"
				many = "callers of " + owner + " that do not pass " + slot + " leave them undefined"
			case added:
				one = "callers of " + owner + " must now pass " + slot
				many = one
			}
			w.names(n, wFollows, "parameter-"+v+"-callers", "", one, many, name).kind = implication
		}
	}
	if added && f.ok() && !f.role().IsClass() && !f.is(syntax.Lambda) && bodyOf(f).ok() {
		w.parameterUndocumented(f, parameterName(n))
		w.unused(n, parameterName(n))
	}
}

// after lists the parameters behind one.
func after(p item) []item {
	var out []item
	for k := p.next(); k.ok(); k = k.next() {
		if k.named() && !k.is(syntax.Comment) {
			out = append(out, k)
		}
	}
	return out
}

// rest says what a parameter that takes any number of values takes, or "".
func rest(p item) string {
	switch p.kind() {
	case "list_splat_pattern", "splat_parameter", "variadic_parameter", "spread_parameter", "rest_pattern":
		return "any number of further arguments"
	case "dictionary_splat_pattern", "hash_splat_parameter":
		return "any further arguments by name"
	case "block_parameter":
		return "a block"
	}
	return ""
}

// laterParameters names the old parameter that comes right after a new one and
// can be passed by position, or "".
func laterParameters(p, old item) string {
	if !p.parent().is(syntax.Parameters) {
		return "" // Swift, where arguments have names
	}
	kids := p.parent().namedKids()
	for i, k := range kids {
		if k != p {
			if strings.HasPrefix(k.text(), "*") && i < len(kids) {
				// What follows is passed by name.
				for _, l := range kids[i+1:] {
					if l == p {
						return ""
					}
				}
			}
			continue
		}
		for _, l := range kids[i+1:] {
			if strings.HasPrefix(l.text(), "*") || strings.HasPrefix(l.text(), "/") {
				return ""
			}
			if slices.ContainsFunc(old.namedKids(), func(o item) bool { return parameterName(o) == parameterName(l) }) {
				return code(parameterName(l))
			}
		}
	}
	return ""
}
