package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// parameterChanged says what became of a parameter that keeps its name: its
// type or its default. It answers false where something else changed.
func (w *writer) parameterChanged(a, b tree.Node) bool {
	if tree.ParameterName(a) != tree.ParameterName(b) || a.Traits().SpreadTypes {
		return false
	}
	_, owner := ownerOf(b)
	name := code(tree.ParameterName(b))
	of := "the parameter " + name + " of " + owner
	ta, tb := a.Child("type"), b.Child("type")
	switch {
	case typeText(ta) == typeText(tb):
	case !ta.Ok():
		w.parameterTyped(b, owner, name+" ("+typeText(tb)+")")
	case !tb.Ok():
		w.names(b, wSignature, "type-removed", "", "the parameter "+slot+" of "+owner+" no longer has a type", "the parameters "+slot+" of "+owner+" no longer have types", name)
	default:
		w.parameterType(b, owner, name, typeText(ta), typeText(tb))
	}
	da, db := a.Child("value", "default_value"), b.Child("value", "default_value")
	switch {
	case da.Text() == db.Text():
		return typeText(ta) != typeText(tb)
	case !da.Ok():
		w.say(b, wSignature, "default-added", "", of+" now has the default "+say(db))
	case !db.Ok():
		w.say(b, wSignature, "default-removed", "", of+" no longer has the default "+say(da))
	default:
		w.say(b, wSignature, "default-changed", "", "the default of "+of+" was changed from "+say(da)+" to "+say(db))
	}
	return true
}

// parameters lists the parameters of a function, without self and this.
func parameters(f tree.Node) []tree.Node {
	if _, ok := tree.MacroTest(f); ok {
		return nil // they are its name
	}
	p := f.Child("parameters")
	if !p.Ok() {
		p = f.First(syntax.Parameters)
	}
	if !p.Ok() {
		if fs := f.Find(1, func(r syntax.Role) bool { return r == syntax.Block }, syntax.Parameters); len(fs) == 1 {
			p = fs[0]
		}
	}
	kids := p.NamedKids()
	if !p.Ok() { // Some grammars have no list.
		for _, k := range f.NamedKids() {
			if k.Is(syntax.Parameter) {
				kids = append(kids, k)
			}
		}
	}
	var out []tree.Node
	for _, k := range kids {
		if t := k.Text(); t != "self" && t != "cls" && t != "this" && t != "void" && !k.Is(syntax.Decorator, syntax.Self) {
			out = append(out, k)
		}
	}
	return out
}

// listOwner returns what a parameter's list stands in, or none.
func listOwner(p tree.Node) tree.Node {
	l := p
	if !l.Is(syntax.Parameters) {
		l = p.Under(syntax.Parameters, syntax.Block)
	}
	if !l.Is(syntax.Parameters) {
		return tree.Node{}
	}
	return l.Parent()
}

// ownerOf returns the function that a parameter belongs to, and its name.
func ownerOf(p tree.Node) (tree.Node, string) {
	if c := listOwner(p); c.Role().IsClass() {
		return c, "the constructor of " + code(tree.NameOf(c))
	}
	f := p.Under(syntax.Function, syntax.Constructor, syntax.Lambda)
	if d := p.Under(syntax.Field, syntax.Variable, syntax.TypeAlias); !f.Ok() && d.Ok() && d.Traits().SpreadTypes && d.KidOf("(") {
		return d, "the function pointer " + code(tree.NameOf(d))
	}
	if !f.Ok() {
		return f, "the function" // a type or a prototype
	}
	if f.Is(syntax.Lambda) {
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
	name := tree.NameOf(f)
	if isConstructor(f) {
		if c := placeOf(f).class; c != "" {
			return f, "the constructor of " + code(c)
		}
		return f, "the constructor"
	}
	return f, "the " + functionWord(f) + " " + code(name)
}

// parameter says that a parameter was added or removed.
func (w *writer) parameter(n tree.Node, added bool) {
	if t := n.Text(); t == "self" || t == "cls" || t == "this" {
		return // nobody passes it
	}
	v := verb(added)
	f, owner := ownerOf(n)
	name := code(tree.ParameterName(n))
	def := tree.ValueOf(n)
	if !n.Is(syntax.Parameter) {
		def = tree.Node{}
	}
	tail := " was " + v + " " + toFrom(added) + " " + owner
	switch {
	case n.Text() == "*":
		w.say(n, wSignature, "parameter-by-name", "", "the parameters behind the `*` of "+owner+map[bool]string{true: " must now", false: " need no longer"}[added]+" be passed by name")
	case added && def.Ok():
		w.beside(w.say(n, wSignature, "parameter-added", "", owner+" now takes an optional parameter "+name), "default", name+" has the default "+say(def))
	case added && n.Kind() == "optional_parameter":
		w.names(n, wSignature, "parameter-added", "", owner+" now takes the optional parameter "+slot, owner+" now takes the optional parameters "+slot, name)
	default:
		w.names(n, wSignature, "parameter-"+v, "", "the parameter "+slot+tail, "the parameters "+slot+strings.Replace(tail, " was ", " were ", 1), name)
		if f.Is(syntax.Lambda) || isTest(f, tree.NameOf(f)) || variadic(n) {
			break
		}
		callers := "callers of " + owner
		one := callers + " must no longer pass " + slot
		many := one
		switch {
		case added && n.Traits().LooseArguments:
			one, many = callers+" that do not pass "+slot+" leave it undefined", callers+" that do not pass "+slot+" leave them undefined"
		case added:
			one = callers + " must now pass " + slot
			many = one
		}
		w.names(n, wFollows, "parameter-"+v+"-callers", "", one, many, name).kind = implication
	}
	if added && f.Ok() && !f.Role().IsClass() && !f.Is(syntax.Lambda) && treediff.BodyOf(f).Ok() {
		w.parameterUndocumented(f, tree.ParameterName(n))
		w.unused(n, tree.ParameterName(n))
	}
}

// variadic tells whether a parameter takes any number of values, or is only a
// sign between others.
func variadic(p tree.Node) bool {
	for _, s := range []string{"splat", "variadic", "spread", "rest_", "block_"} {
		if strings.Contains(p.Kind(), s) {
			return true
		}
	}
	return p.Text() == "/"
}
