package symbolic

import (
	"slices"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// macroArguments says which arguments a new macro of C evaluates more than once.
func (w *writer) macroArguments(n item) {
	b := n.child("body")
	if n.kind() != "preproc_function_def" || !b.ok() || b.size() > maxMacro {
		return
	}
	text := b.text()
	var out []string
	for _, p := range parameters(n) {
		name := p.text()
		if !simpleName(name) {
			continue
		}
		re := regexp.MustCompile(`(^|[^#\w]|[^#]#)\b` + regexp.QuoteMeta(name) + `\b`)
		if len(re.FindAllString(text, 3)) > 1 && !unevaluated.MatchString(text) {
			out = append(out, code(name))
		}
	}
	if len(out) > 0 {
		w.follows(n, "macro-argument-twice", "the macro "+code(nameOf(n))+" may evaluate "+list(out)+" more than once, so a call that is passed may run twice")
	}
}

// maxMacro is the size of the macros that are looked at.
const maxMacro = 400

// unevaluated matches what does not evaluate its operand.
var unevaluated = regexp.MustCompile(`sizeof|typeof|##|\bdo\b`)

// compiledElse says what is compiled instead where the condition of a new section
// for the preprocessor does not hold.
func (w *writer) compiledElse(n item, at place, added bool) {
	alt := n.child("alternative")
	if !alt.is(syntax.Else) || !added || len(w.inner(alt)) > 0 {
		return
	}
	var out []item
	for _, k := range alt.namedKids() {
		if !k.is(syntax.Comment) {
			out = append(out, k)
		}
	}
	if e := effects(out); len(e) > 0 {
		w.say(n, wDetail, "compiled-otherwise", at.String(), "when "+runsWhen(n, false)+", "+at.subject()+" "+list(e)+" instead")
	}
}

// inUnsafe says that what a function returns is computed in an unsafe block now,
// or no longer.
func (w *writer) inUnsafe(a, b item, at place) bool {
	x, y := a, b
	if u := b.kind() == "unsafe_block" && a.is(syntax.Return); u {
		y = tailOf(b)
	} else if a.kind() == "unsafe_block" && b.is(syntax.Return) {
		x = tailOf(a)
	} else {
		return false
	}
	if !x.is(syntax.Return) || !y.is(syntax.Return) {
		return false
	}
	now := map[bool]string{true: " is now computed", false: " is no longer computed"}[b != y]
	w.say(b, wBehaviour, "unsafe-result", "", "what "+at.subject()+" returns"+now+" in an `unsafe` block")
	if b != y && !slices.ContainsFunc([]item{b.prev(), b.parent().prev()}, func(c item) bool { return c.is(syntax.Comment) }) {
		w.follows(b, "unsafe-unexplained", "no comment says why the new `unsafe` block is sound")
	}
	if k, l := x.namedKids(), y.namedKids(); len(k) == 1 && len(l) == 1 {
		w.valueChanged(k[0], l[0], at)
	}
	return true
}

// tailOf returns the last statement of a block.
func tailOf(n item) item {
	k := body(n)
	if len(k) == 0 {
		if b := n.first(syntax.Block); b.ok() {
			k = b.namedKids()
		}
	}
	if len(k) == 0 {
		return item{}
	}
	return k[len(k)-1]
}

// query puts a query of C# into words: what it goes over, keeps, sorts by and
// gives.
func query(n item) string {
	if n.kind() != "query_expression" {
		return ""
	}
	from, kept := "", false
	var does []string
	for _, k := range n.namedKids() {
		kids := k.namedKids()
		if len(kids) == 0 {
			continue
		}
		last := strip(kids[len(kids)-1])
		switch k.kind() {
		case "from_clause":
			if from == "" {
				from = "a query over " + code(last.text())
			}
		case "where_clause":
			if !kept {
				does = append(does, "keeps those for which "+clause(last, true, 0))
				kept = true
			}
		case "order_by_clause":
			does = append(does, "sorts by "+code(strip(kids[0]).text()))
		case "group_clause":
			does = append(does, "groups by "+code(last.text()))
		case "select_clause":
			if last.size() <= maxCode {
				does = append(does, "gives "+code(last.text()))
			}
		}
	}
	if from == "" || len(does) == 0 {
		return from
	}
	return from + " that " + list(does)
}

// kindOfType says that a class became a record, a struct a class and so on, and
// what follows from it.
func (w *writer) kindOfType(a, b item) bool {
	d := b.parent()
	if !d.role().IsClass() || a.named() || b.named() || !typeWords[a.text()] || !typeWords[b.text()] {
		return false
	}
	w.say(b, wSignature, "type-kind-changed", "", code(nameOf(d))+" is now "+an(b.text())+" instead of "+an(a.text()))
	switch {
	case b.text() == "record" && d.traits().MixedBases:
		w.follows(b, "record-equality", "objects of "+code(nameOf(d))+" are now compared by their values")
	case b.text() == "struct" && d.traits().MixedBases:
		w.follows(b, "struct-copied", "values of "+code(nameOf(d))+" are now copied where they are assigned or passed")
	case a.text() == "struct" && d.traits().MixedBases:
		w.follows(b, "class-shared", "objects of "+code(nameOf(d))+" are now shared where they are assigned or passed, and may be null")
	}
	return true
}

var typeWords = map[string]bool{"class": true, "record": true, "struct": true, "interface": true, "enum": true, "object": true, "trait": true, "protocol": true, "actor": true}
