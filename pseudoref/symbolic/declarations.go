package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

// lastPart is what follows the last "::" of a qualified name.
func lastPart(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// declared returns the declaration that an annotation or modifier belongs to.
func declared(n tree.Node) tree.Node {
	if n.Is(syntax.Decorator) {
		if d := attributed(n); d.Ok() {
			return d
		}
	}
	p := n.Up(func(p tree.Node) bool {
		return p.Role().IsFunction() || p.Role().IsClass() || p.Is(syntax.Field, syntax.Variable, syntax.Parameter) || p.Kind() == "decorated_definition" || p.Kind() == "accessor_declaration"
	})
	if p.Ok() && p.Kind() == "decorated_definition" {
		p = tree.Unnested(p)
	}
	return p
}

// declaredName names a declaration with its kind of thing.
func declaredName(d tree.Node) string {
	switch {
	case !d.Ok():
		return "the declaration"
	case isConstructor(d):
		return "the constructor"
	case d.Kind() == "accessor_declaration":
		word := "get"
		if slices.ContainsFunc(d.Kids(), func(k tree.Node) bool { return k.Kind() == "set" || k.Kind() == "init" }) {
			word = "set"
		}
		return "the " + code(word) + " accessor of " + code(tree.NameOf(d.Under(syntax.Field)))
	}
	word := "declaration"
	switch {
	case d.Role().IsFunction():
		word = functionWord(d)
	case d.Role().IsClass():
		word = classWord(d)
	case d.Is(syntax.Field), d.Is(syntax.Variable) && memberOnly(d):
		word = fieldWord(d)
	case d.Is(syntax.Variable):
		word = "variable"
	case d.Is(syntax.Parameter):
		word = "parameter"
	case d.Is(syntax.EnumMember):
		word = memberWord(d)
	case d.Is(syntax.Namespace):
		word = "module"
	case d.Is(syntax.TypeAlias):
		word = "type"
	}
	return "the " + word + " " + code(tree.NameOf(d))
}
