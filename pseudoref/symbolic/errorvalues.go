package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// failedCall is the call whose error an `if` asks for, or none. Where errors are
// values, each call is followed by such an `if`, and what is said of it names the
// call.
func failedCall(n item) item {
	if !n.is(syntax.If) || !n.traits().ErrorValues {
		return item{}
	}
	x, isNull := nullCheck(condition(n))
	if !x.is(syntax.Identifier) || isNull || !strings.HasPrefix(x.text(), "err") && !strings.HasSuffix(strings.ToLower(x.text()), "err") {
		return item{}
	}
	from := n.child("initializer")
	if !from.ok() {
		from = neighbour(n, false)
	}
	if !from.is(syntax.Variable, syntax.Assign) || !mentions(from.child("left", "name"), x.text()) {
		return item{}
	}
	if v := strip(assigned(from)); v.is(syntax.Call) && callee(v) != "" {
		return v
	}
	return item{}
}

// madeError returns the message of a call that makes an error, "" for anything else.
func madeError(call item) string {
	call = strip(call)
	if !call.is(syntax.Call) {
		return ""
	}
	if _, ok := call.traits().ErrorMakers[callee(call)]; !ok {
		return ""
	}
	if s := arguments(call).find(1, nil, syntax.String); len(s) == 1 {
		return unquoted(s[0].text())
	}
	return ""
}

// values lists what a return statement returns.
func values(n item) []item {
	k := n.namedKids()
	if len(k) == 1 && k[0].is(syntax.Parens) {
		k = k[0].namedKids()
	}
	return k
}

// mentions tells whether a name stands in a node.
func mentions(n item, name string) bool {
	return slices.ContainsFunc(n.leaves(64, syntax.Identifier), func(x item) bool { return x.text() == name })
}
