package rules

import (
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// declared returns the declaration that an annotation or modifier belongs to.
func declared(n tree.Node) tree.Node {
	if n.Is(syntax.Decorator) {
		if d := attributed(n); d.Ok() {
			return d
		}
	}
	p := n.Up(func(p tree.Node) bool {
		return modifiable(p) || p.Kind() == "decorated_definition" || p.Kind() == "accessor_declaration"
	})
	return tree.Unnested(p)
}

// modifiable tells whether a node is a declaration that takes modifiers.
func modifiable(p tree.Node) bool {
	return p.Role().IsFunction() || p.Role().IsClass() || p.Is(syntax.Field, syntax.Variable, syntax.Parameter)
}
