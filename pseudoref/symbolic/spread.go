package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// In C and C++ a type is spread over what stands before a name: qualifiers, the
// type's own name, stars and ampersands. It is spoken of as a whole.

// typeWord tells whether a node is one of the words of a spread type.
func typeWord(n item) bool {
	switch n.kind() {
	case "*", "&", "&&":
		return true
	case "type_qualifier":
		return slices.Contains([]string{"const", "volatile", "restrict", "_Atomic"}, n.text())
	}
	return n.field() == "type" && n.is(syntax.Type)
}

// nameNode is the child of a declaration that names what it declares.
func nameNode(d item) item { return d.child("declarator", "name") }

// spreadWords lists the words of the type of a declaration.
func spreadWords(d item) []item {
	var out []item
	name := nameNode(d)
	for _, k := range d.kids() {
		if k == name || k.field() == "parameters" {
			if k.is(syntax.Declarator) {
				for _, x := range k.kids() {
					if x == nameNode(k) || !typeWord(x) {
						break
					}
					out = append(out, x)
				}
			}
			break
		}
		if typeWord(k) {
			out = append(out, k)
		}
	}
	return out
}

// spreadType is the text of the type of a declaration, "" for none.
func spreadType(d item) string {
	ws := spreadWords(d)
	if len(ws) == 0 {
		return ""
	}
	from, to := ws[0].node().start, ws[len(ws)-1].node().end
	if b := d.first(syntax.Parameters); b.ok() && d.kidOf("(") && !d.is(syntax.Function, syntax.Constructor) {
		to = b.node().end // a pointer to a function
	}
	return oneLine(string(d.src[from:to]))
}

// kidOf tells whether a node has a child of a kind.
func (n item) kidOf(kind string) bool {
	return slices.ContainsFunc(n.kids(), func(k item) bool { return k.kind() == kind })
}

// spread says how the type of a declaration changed, where an edit is a part of
// it. It answers false for any other edit.
func (w *writer) spread(e edit) bool {
	n := e.new
	if !n.ok() {
		n = e.old
	}
	old, new := e.oldIn, e.newIn
	if !n.traits().SpreadTypes || !typeWord(n) || !old.ok() || !new.ok() {
		return false
	}
	if old.is(syntax.Declarator) && new.is(syntax.Declarator) {
		old, new = old.parent(), new.parent()
	}
	holder := new
	if n.tree == old.tree {
		holder = old
	}
	if !slices.Contains(spreadWords(holder), n) {
		return false
	}
	if n.kind() == "type_qualifier" && new.is(syntax.Variable, syntax.Field) && bare(old) == bare(new) {
		return false // it was made const, or is no longer
	}
	return w.spreadChanged(old, new)
}

// bare is a spread type without its qualifiers.
func bare(d item) string {
	var out []string
	for _, k := range spreadWords(d) {
		if k.kind() != "type_qualifier" {
			out = append(out, oneLine(k.text()))
		}
	}
	return strings.Join(out, " ")
}

// spreadChanged says once how the type of a declaration changed.
func (w *writer) spreadChanged(old, new item) bool {
	x, y := spreadType(old), spreadType(new)
	if x == "" || y == "" {
		return false
	}
	ws := spreadWords(new)
	if w.done[ws[0]] {
		return true
	}
	for _, k := range append(ws, spreadWords(old)...) {
		w.done[k] = true
	}
	if strings.ReplaceAll(x, " ", "") == strings.ReplaceAll(y, " ", "") {
		return true
	}
	from, to := code(x), code(y)
	if from == to {
		return false
	}
	switch {
	case new.is(syntax.Function):
		name := code(nameOf(new))
		w.say(ws[0], wSignature, "return-type-changed", "", "the return type of "+name+" was changed from "+from+" to "+to)
		switch {
		case y == "void":
			w.follows(ws[0], "return-type-callers", "callers of "+name+" can no longer use a result")
		case x != "void":
			w.follows(ws[0], "return-type-callers", "callers of "+name+" now get "+to)
		}
	case new.is(syntax.Parameter):
		_, owner := ownerOf(new)
		if !nameNode(new).ok() {
			w.say(ws[0], wSignature, "parameter-type-changed", "", "the type of a parameter of "+owner+" was changed from "+from+" to "+to)
			break
		}
		w.parameterType(ws[0], owner, code(parameterName(new)), from, to)
	case new.is(syntax.Loop):
		w.say(ws[0], wValue, "type-changed", inside(new), "the loop variable "+code(nameOf(new))+" is now declared as "+to+" instead of "+from)
		if !strings.Contains(x, "&") && strings.HasSuffix(y, "&") {
			w.follows(ws[0], "loop-copy", "the loop no longer copies each element")
		}
	case new.under(syntax.Catch, syntax.Block).is(syntax.Catch):
		w.say(ws[0], wBehaviour, "catch-changed", inside(new), "exceptions of type "+to+" are now caught instead of "+from)
	case new.is(syntax.Variable, syntax.Field) && (strings.Contains(x, "auto") || strings.Contains(y, "auto")):
		w.say(ws[0], wDetail, "type-deduced", inside(new), noun(new, "the")+" is now declared as "+to+" instead of "+from)
	case new.is(syntax.Variable, syntax.Field):
		w.say(ws[0], wValue, "type-changed", inside(new), "the type of "+noun(new, "the")+" was changed from "+from+" to "+to).about(noun(new, "the"))
	default:
		return false
	}
	return true
}
