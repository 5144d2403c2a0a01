package symbolic

import "crscore/internal/syntax"

// shown names an element that code within markup puts there under a condition or
// for each of several values; "" for anything else.
func shown(n item) string {
	k := n.namedKids()
	if n.kind() != "jsx_expression" || len(k) != 1 {
		return ""
	}
	x := strip(k[0])
	switch {
	case x.is(syntax.Binary) && logical(operator(x)) == "and":
		if s := x.namedKids(); len(s) == 2 && strip(s[1]).is(syntax.Element) {
			return "the element " + elementName(strip(s[1])) + ", which is shown when " + holds(s[0]) + ","
		}
	case x.is(syntax.Conditional):
		if c := parts(x); c != nil && strip(c[1]).is(syntax.Element) {
			return "the element " + elementName(strip(c[1])) + ", which is shown when " + holds(c[0]) + ","
		}
	case x.is(syntax.Call):
		if es := x.find(1, nil, syntax.Element); len(es) == 1 && calledName(x) == "map" {
			return "an element " + elementName(es[0]) + " for each of " + code(receiver(x).text())
		}
	}
	return ""
}
