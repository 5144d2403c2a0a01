package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/syntax"
)

// lastPart is what follows the last "::" of a qualified name.
func lastPart(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// declared returns the declaration that an annotation or modifier belongs to.
func declared(n item) item {
	if n.is(syntax.Decorator) {
		if d := attributed(n); d.ok() {
			return d
		}
	}
	p := n.up(func(p item) bool {
		return p.role().IsFunction() || p.role().IsClass() || p.is(syntax.Field, syntax.Variable, syntax.Parameter) || p.kind() == "decorated_definition" || p.kind() == "accessor_declaration"
	})
	if p.ok() && p.kind() == "decorated_definition" {
		p = unnested(p)
	}
	return p
}

// declaredName names a declaration with its kind of thing.
func declaredName(d item) string {
	switch {
	case !d.ok():
		return "the declaration"
	case isConstructor(d):
		return "the constructor"
	case d.kind() == "accessor_declaration":
		word := "get"
		if slices.ContainsFunc(d.kids(), func(k item) bool { return k.kind() == "set" || k.kind() == "init" }) {
			word = "set"
		}
		return "the " + code(word) + " accessor of " + code(nameOf(d.under(syntax.Field)))
	}
	word := "declaration"
	switch {
	case d.role().IsFunction():
		word = functionWord(d)
	case d.role().IsClass():
		word = classWord(d)
	case d.is(syntax.Field), d.is(syntax.Variable) && memberOnly(d):
		word = fieldWord(d)
	case d.is(syntax.Variable):
		word = "variable"
	case d.is(syntax.Parameter):
		word = "parameter"
	case d.is(syntax.EnumMember):
		word = memberWord(d)
	case d.is(syntax.Namespace):
		word = "module"
	case d.is(syntax.TypeAlias):
		word = "type"
	}
	return "the " + word + " " + code(nameOf(d))
}
