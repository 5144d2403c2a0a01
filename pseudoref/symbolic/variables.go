package symbolic

import (
	"strings"

	"crscore/internal/syntax"
)

func (w *writer) assignment(n item, at place, added bool) {
	l, r := sides(n)
	where := at.String()
	if n.is(syntax.Update) || !l.ok() || !r.ok() || compound(n) != "" {
		w.say(n, wValue, "update-"+verb(added), where, "the update "+headline(n)+" was "+verb(added))
		return
	}
	if c := strip(r); n.traits().ErrorValues && c.is(syntax.Call) && w.reused(c) {
		return // it stands in the check of its error
	}
	if at.fn == "" && at.callback == "" && !at.ctor && l.is(syntax.Identifier) {
		w.variable(n, at, added)
		return
	}
	t := code(l.text())
	switch {
	case r.is(syntax.Lambda):
		w.namedLambda(n, lastName(l.text()), r, at, added)
	case !added:
		w.say(n, wValue, "assignment-removed", where, t+" is no longer set to "+say(r)+guard(n))
	case w.oldWords != nil && l.is(syntax.Identifier) && w.oldWords.of(l.text()) == 0 && !declaresIn(owner(n), l.text()):
		w.say(n, wValue, "variable-added", where, "a new variable "+t+" was introduced and set to "+say(r))
		w.unused(n, l.text())

		w.details(r, "the new variable "+t)
	default:
		w.say(n, wValue, "assignment-added", where, t+" is now set to "+say(r)+guard(n))
		w.details(r, t)
	}
}

func (w *writer) namedLambda(n item, name string, f item, at place, added bool) {
	claim := w.say(n, wDeclare, "function-"+verb(added), at.String(), "the function "+code(name)+" was "+verb(added))
	if added {
		w.takes(claim, code(name), f)
		w.documentedAs(claim, code(name), n)
	}
	w.functionBody(f, name, nil, added)
}

func (w *writer) variable(n item, at place, added bool) {
	where := at.String()
	name := nameOf(n)
	val := valueOf(n)
	if val.is(syntax.Lambda) {
		w.namedLambda(n, name, val, at, added)
		return
	}
	kind := variableWord(n, at)
	if !val.ok() {
		w.listed(n, wValue, "variable", where, kind, "", added, code(name))
	} else if added {
		w.say(n, wValue, "variable-added", where, "a new "+kind+" "+code(name)+" was introduced and set to "+say(val))
		w.details(val, "the new "+kind+" "+code(name))
	} else {
		w.say(n, wValue, "variable-removed", where, "the "+kind+" "+code(name)+", which was set to "+say(val)+", was removed")
	}
	if added {
		w.unused(n, name)

	}
}

// variableWord is "constant" or "variable". A const within a function is only
// a variable that is set once, unless its grammar has constants of their own.
func variableWord(n item, at place) string {
	name, shell := nameOf(n), n.traits().CallWord != ""
	declared := n.text()
	if n.is(syntax.Declarator) {
		declared = n.parent().text()
	}
	switch capitals := name == strings.ToUpper(name) && len(name) > 2; {
	case n.kind() == "preproc_def":
		return "macro"
	case shell: // where every name may be in capitals
		return "variable"
	case n.kind() == "const_spec", n.kind() == "const_item", capitals, at.fn == "" && at.callback == "" && firstWord(declared) == "const":
		return "constant"
	}
	return "variable"
}

// declaresIn tells whether there is a variable of a name in n.
func declaresIn(n item, name string) bool {
	for _, d := range n.find(200, syntax.Role.IsFunction, syntax.Declarator, syntax.Variable) {
		if nameOf(d) == name {
			return true
		}
	}
	return false
}

// unused says that a new name is used nowhere: a local one in its function, any
// other in its file.
func (w *writer) unused(n item, name string) {
	if w.newWords == nil || name == "" || strings.HasPrefix(name, "_") || !simpleName(name) {
		return
	}
	if strings.Contains(n.kind(), "promotion") || n.is(syntax.Parameter) && n.first(syntax.Modifier).ok() {
		return // it is a field, too
	}
	if n.traits().SpreadTypes && n.is(syntax.Variable) && (n.child("parameters").ok() || valueOf(n).is(syntax.Arguments)) {
		return // an object may be made for what its destructor does
	}
	scope, where, members := n.root(), "anywhere else in the file", true
	if f := n.under(syntax.Function, syntax.Constructor); f.ok() && bodyOf(f).is(syntax.Block) && placeOf(n).fn != "" {
		scope, where, members = f, "in "+placeOf(n).subject(), false
	} else if n.under(syntax.Parameters).ok() {
		return // the body of a macro is only text
	}
	if standsIn(scope, name, members) != 1 || n.is(syntax.Field) && public(n) {
		return // others may use what is public
	}
	f := w.names(n, wFollows, "unused", "", slot+" is not used "+where, slot+" are not used "+where, code(name))
	f.kind = implication
}

func simpleName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !wordByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// details says more about a long value: what it calls and what it depends on.
func (w *writer) details(v item, of string) {
	v = strip(v)
	if !v.ok() || v.size() <= 20 {
		return
	}
	if c := v.find(1, func(r syntax.Role) bool { return r == syntax.Lambda }, syntax.Comprehension); v.is(syntax.Comprehension) || len(c) == 1 {
		if !v.is(syntax.Comprehension) {
			v = c[0]
		}
		if s := comprehension(v); s != "" {
			w.say(v, wDetail, "value-collects", "", of+" comes from "+s)
			return
		}
	}
	switch c := parts(v); {
	case v.is(syntax.Conditional) && c != nil:
		w.say(v, wDetail, "value-depends", "", of+" depends on whether "+holds(c[0]))
		return
	case v.is(syntax.Binary) && boolean(v, 0):
		if v.size() <= maxCode { // else its value is told that way
			w.say(v, wDetail, "value-depends", "", of+" tells whether "+holds(v))
		}
		return
	}
	var calls []string
	for _, c := range append([]item{v}, v.find(20, func(r syntax.Role) bool { return r == syntax.Lambda }, syntax.Call, syntax.New)...) {
		if c.is(syntax.Call) || c.is(syntax.New) && arguments(c).ok() {
			if name := callee(c); name != "" && !strings.Contains(name, "_cast<") {
				calls = append(calls, "`"+name+"`")
			}
		}
	}
	// What is short is quoted as a whole.
	if calls = uniq(calls); len(calls) > 1 && v.size() > maxCode || len(calls) == 1 && v.size() > maxCode && !v.is(syntax.Call, syntax.New) {
		w.say(v, wDetail, "value-calls", "", of+" is computed by calling "+list(calls))
	}
}

// boolean tells whether an expression can only be true or false.
func boolean(n item, depth int) bool {
	n = strip(n)
	switch {
	case depth > maxSay:
		return false
	case n.is(syntax.Binary) && comparisons[operator(n)][0] != "":
		return true
	case n.is(syntax.Binary) && logical(operator(n)) != "":
		for _, k := range n.namedKids() {
			if !boolean(k, depth+1) {
				return false
			}
		}
		return true
	case n.is(syntax.Unary):
		op := operator(n)
		return op == "!" || op == "not"
	}
	return n.is(syntax.Bool) || n.is(syntax.Call) && predicate(calledName(n))
}
