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
	if r.is(syntax.Lambda) {
		if owner, ok := strings.CutSuffix(oneLine(l.text()), ".prototype."+lastName(l.text())); ok {
			w.say(n, wDeclare, "function-"+verb(added), "", "the method "+code(lastName(l.text()))+" was "+verb(added)+" "+toFrom(added)+" "+code(owner))
			w.functionDetails(r, lastName(l.text()), added)
			return
		}
		w.namedLambda(n, lastName(l.text()), r, at, added)
		return
	}
	t := code(l.text())
	if added {
		if w.oldWords != nil && l.is(syntax.Identifier) && w.oldWords.of(l.text()) == 0 && !declaresIn(owner(n), l.text()) {
			w.say(n, wValue, "variable-added", where, "a new variable "+t+" was introduced and set to "+say(r))
			w.unused(n, l.text())
			w.details(r, "the new variable "+t)
			return
		}
		again := ""
		if w.setBefore(n) {
			again = " once more"
		}
		w.say(n, wValue, "assignment-added", where, t+" is now set to "+say(r)+again+guard(n))
		w.details(r, t)
		return
	}
	w.say(n, wValue, "assignment-removed", where, t+" is no longer set to "+say(r)+guard(n))
}

// setBefore tells whether the statements before an assignment in its block hold
// the same one, which is not new.
func (w *writer) setBefore(n item) bool {
	for n.ok() && !block(n.parent()) {
		n = n.parent()
	}
	if !n.ok() {
		return false
	}
	for k, i := n.prev(), 0; k.ok() && i < maxClimb; i, k = i+1, k.prev() {
		if k.hash() == n.hash() && !w.fresh[k] {
			return true
		}
	}
	return false
}

func (w *writer) namedLambda(n item, name string, f item, at place, added bool) {
	with, doc := "", ""
	if added {
		with, doc = withParameters(f), w.documentedAs(n)
	}
	w.say(n, wDeclare, "function-"+verb(added), at.String(), "the function "+code(name)+with+" was "+verb(added)+doc)
	w.functionBody(f, name, nil, added)
}

func (w *writer) variable(n item, at place, added bool) {
	where, v := at.String(), verb(added)
	name := nameOf(n)
	val := valueOf(n)
	if val.is(syntax.Lambda) {
		w.namedLambda(n, name, val, at, added)
		return
	}
	if p := n.child("pattern"); p.ok() && !p.leaf() && val.ok() && n.traits().OuterAttributes {
		w.destructured(n, p, val, at, added)
		return
	}
	kind := variableWord(n, at)
	if w.constructed(n, at, added) {
		return // objects are made for what their destructors do, too
	}
	if kind == "constant" && strings.Contains(n.parent().text(), "iota") && n.next().ok() {
		defer func() {
			for k := n.next(); k.ok(); k = k.next() {
				if k.is(syntax.Declarator) && !w.fresh[k] && !valueOf(k).ok() {
					w.follows(n, "iota-shifted", "the constants after "+code(name)+" get other values, because they are counted by `iota`")
					return
				}
			}
		}()
	}
	if !val.ok() {
		w.names(n, wValue, "variable-"+v, where, "the "+kind+" "+slot+" was "+v, "the "+kind+"s "+slot+" were "+v, code(name))
	} else if added {
		w.say(n, wValue, "variable-added", where, "a new "+kind+" "+code(name)+" was introduced and set to "+say(val))
		w.details(val, "the new "+kind+" "+code(name))
	} else {
		w.say(n, wValue, "variable-removed", where, "the "+kind+" "+code(name)+", which was set to "+say(val)+", was removed")
	}
	if added {
		w.unused(n, name)
	} else if at.fn == "" { // of a local variable it goes without saying
		w.stillUsed(n, name)
	}
}

// variableWord is "constant" or "variable". A const within a function is only
// a variable that is set once, unless its grammar has constants of their own.
func variableWord(n item, at place) string {
	name := nameOf(n)
	top := at.fn == "" && at.callback == ""
	if n.kind() == "preproc_def" {
		return "macro"
	}
	if n.traits().CallWord != "" { // a shell, where every name may be in capitals
		if firstWord(n.text()) == "readonly" || firstWord(n.parent().text()) == "readonly" && n.is(syntax.Declarator) {
			return "read-only variable"
		}
		return "variable"
	}
	if n.kind() == "const_spec" || n.kind() == "const_item" || top && (firstWord(n.text()) == "const" || n.is(syntax.Declarator) && firstWord(n.parent().text()) == "const") ||
		name != "" && name == strings.ToUpper(name) && len(name) > 2 {
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

// stillUsed says that a removed name is still mentioned.
func (w *writer) stillUsed(n item, name string) {
	if w.newWords == nil || name == "" || !simpleName(name) {
		return
	}
	if c := w.newWords.of(name); c == 0 && w.oldWords.of(name) > 1 {
		w.follows(n, "all-uses-gone", "no use of "+code(name)+" is left in the file")
	}
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
	switch v.role() {
	case syntax.Switch:
		var gives []string
		for _, c := range v.find(50, func(r syntax.Role) bool { return r == syntax.Case }, syntax.Case) {
			if x := c.child("return_expression"); x.ok() {
				gives = append(gives, say(x)+" for "+caseLabel(c))
			}
		}
		if len(gives) > 0 {
			w.say(v, wDetail, "value-cases", "", of+" is "+list(gives))
			return
		}
	case syntax.Conditional:
		if c := parts(v); c != nil {
			w.say(v, wDetail, "value-depends", "", of+" depends on whether "+holds(c[0]))
			return
		}
	case syntax.Binary:
		if boolean(v, 0) {
			if v.size() > maxCode {
				return // its value is told that way
			}
			w.say(v, wDetail, "value-depends", "", of+" tells whether "+holds(v))
			return
		}
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
	case n.is(syntax.Binary) && comparisons[operator(n)] != "":
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
