package symbolic

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// shown names an element that code within markup puts there under a condition or
// for each of several values; "" for anything else.
func shown(n tree.Node) string {
	k := n.NamedKids()
	if n.Kind() != "jsx_expression" || len(k) != 1 {
		return ""
	}
	x := tree.Strip(k[0])
	switch {
	case x.Is(syntax.Binary) && logical(tree.Operator(x)) == "and":
		if s := x.NamedKids(); len(s) == 2 && tree.Strip(s[1]).Is(syntax.Element) {
			return "the element " + elementName(tree.Strip(s[1])) + ", which is shown when " + holds(s[0]) + ","
		}
	case x.Is(syntax.Conditional):
		if c := tree.Parts(x); c != nil && tree.Strip(c[1]).Is(syntax.Element) {
			return "the element " + elementName(tree.Strip(c[1])) + ", which is shown when " + holds(c[0]) + ","
		}
	case x.Is(syntax.Call):
		if es := x.Find(1, nil, syntax.Element); len(es) == 1 && tree.CalledName(x) == "map" {
			return "an element " + elementName(es[0]) + " for each of " + code(tree.Receiver(x).Text())
		}
	}
	return ""
}
