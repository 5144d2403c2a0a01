package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

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

// annotated says which annotations a new declaration has.
func (w *writer) annotated(n item, what string) {
	for _, d := range decorators(n) {
		switch name := nameOf(d); {
		case name == "Override" || isTest(n, ""):
		default:
			w.names(n, wDetail, "annotated", "", what+" has the "+annotationWord(d)+" "+slot, what+" has the "+annotationWord(d)+"s "+slot, code(d.text()))
		}
	}
}

func (w *writer) modifier(n item, added bool) {
	if block(n.parent()) { // Ruby: a statement that holds for what follows, or for what it names
		if a := n.first(syntax.Arguments); a.ok() {
			w.say(n, wSignature, "modifier-"+verb(added), inside(n), list(names(a.namedKids()))+map[bool]string{true: " is now ", false: " is no longer "}[added]+code(callee(n)))
			return
		}
		var below []string
		for k := n.next(); k.ok() && !k.is(syntax.Modifier); k = k.next() {
			if k.role().IsFunction() && nameOf(k) != "" {
				below = append(below, code(nameOf(k)))
			}
		}
		if is := map[bool]string{true: " below it is now ", false: " is no longer "}[added]; len(below) > 0 && !openingWord(n) {
			if len(below) > 1 {
				is = strings.Replace(is, " is ", " are ", 1)
			}
			w.say(n, wSignature, "modifier-"+verb(added), inside(n), code(n.text())+" was "+verb(added)+", so "+list(below)+is+oneLine(n.text()))
			return
		}
		w.say(n, wSignature, "modifier-"+verb(added), inside(n), "the "+code(n.text())+" above the methods that follow was "+verb(added))
		return
	}
	if t := strings.TrimRight(oneLine(n.text()), ";"); strings.HasPrefix(t, "=") || strings.HasPrefix(t, "pub(") {
		w.modifierWord(n, t, added)
		return
	}
	for _, k := range n.kids() {
		if k.is(syntax.Decorator) {
			w.decorator(k, added)
		}
	}
	for _, m := range strings.Fields(modifiers(n)) {
		w.modifierWord(n, m, added)
	}
}

func (w *writer) modifierWord(n item, m string, added bool) {
	d := declared(n)
	if strings.HasPrefix(m, "@") {
		return
	}
	if added {
		w.say(n, wSignature, "modifier-added", "", declaredName(d)+" was made "+code(m))
	} else {
		w.say(n, wSignature, "modifier-removed", "", declaredName(d)+" is no longer "+code(m))
	}
}

func (w *writer) visibility(n item, from, to string) {
	x, y := openness[from], openness[to]
	d := strings.TrimPrefix(declaredName(declared(n)), "the ")
	switch {
	case x == 0 || y == 0:
	case x > y:
		w.follows(n, "visibility-narrowed", "code outside can no longer use the "+d)
	case x < y:
		w.follows(n, "visibility-widened", "the "+d+" can now be used by more code")
	}
}

func (w *writer) modifiersChanged(a, b item) {
	x, y := strings.Fields(oneLine(a.text())), strings.Fields(oneLine(b.text()))
	for _, m := range y {
		if !slices.Contains(x, m) {
			w.modifierWord(b, m, true)
		}
	}
	for _, m := range x {
		if !slices.Contains(y, m) {
			w.modifierWord(b, m, false)
		}
	}
}

// openingWord tells whether a modifier stands for what is the case without it.
func openingWord(n item) bool { return oneLine(n.text()) == "public" }
