package perturb

import (
	"regexp"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// ecma is the dialect of JavaScript, TypeScript and their forms with markup.
func ecma(l lang.Name) *dialect {
	return &dialect{
		lang: l, mention: ecmaMention, lambdas: true,
		names:    []string{"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"},
		reflects: regexp.MustCompile(`\beval\s*\(|\bwith\s*\(|\barguments\b`),
		start: func(u *unit) (int, bool, string) {
			return afterBrace(u, func(n *syntax.Node) bool {
				e := n.NamedChild(0)
				if n.Type() != "expression_statement" || e == nil {
					return false
				}
				f := e.ChildByFieldName("function")
				return u.frag.Role(e) == syntax.String || f != nil && f.Type() == "super"
			})
		},
		not:        [2]string{"!(", ")"},
		deadThrow:  []string{"const %[1]s = false;", "if (%[1]s) {", "\tthrow new Error(\"never\");", "}"},
		deadAssign: []string{"let %[1]s = false;", "if (%[1]s) {", "\t%[1]s = true;", "}"},
		wrapBefore: []string{"try {"}, wrapBehind: []string{"} catch (%[1]s) {", "\tthrow %[1]s;", "}"},
		result: func(u *unit, name string) (string, string) {
			return "const " + name + " = ", ""
		},
		copied: ecmaCopied, end: ";",
	}
}

func ecmaMention(u *unit, n *syntax.Node) mention {
	short := n.Type() != "identifier"
	named := func(m mention) mention {
		m.short = short
		return m
	}
	t, p := n, n.Parent()
climb:
	for ; ; t, p = p, p.Parent() {
		switch p.Type() {
		case "array_pattern", "object_pattern", "rest_pattern":
			continue
		case "pair_pattern":
			if is(t, "value") {
				continue
			}
		case "assignment_pattern", "object_assignment_pattern":
			if is(t, "left") {
				if u.named(p.ChildByFieldName("right")) {
					return mention{usage: fixed, why: "names of functions and classes"}
				}
				continue
			}
		}
		break climb
	}
	declared := func(scope *syntax.Node) mention { return named(mention{usage: declares, scope: scopeOf(scope)}) }
	switch p.Type() {
	case "variable_declarator":
		switch d := p.Parent(); {
		case !is(t, "name"):
		case u.named(p.ChildByFieldName("value")):
			return mention{usage: fixed, why: "names of functions and classes"}
		case d.Type() == "variable_declaration":
			return declared(u.ecmaFunction(d))
		case d.Parent().Type() == "switch_case" || d.Parent().Type() == "switch_default":
			return declared(d.Parent().Parent())
		default:
			return declared(d.Parent())
		}
	case "required_parameter", "optional_parameter":
		if !is(t, "pattern") {
			break
		}
		if p.NamedChild(0) != t { // private name: a field too
			return mention{usage: fixed, why: "names of fields"}
		}
		return declared(p.Parent().Parent())
	case "formal_parameters":
		return declared(p.Parent())
	case "arrow_function", "catch_clause":
		if is(t, "parameter") {
			return declared(p)
		}
	case "for_in_statement":
		if !is(t, "left") {
			break
		}
		switch kind := p.ChildByFieldName("kind"); {
		case kind == nil:
		case kind.Content() == "var":
			return declared(u.ecmaFunction(p))
		default:
			return declared(p)
		}
	case "assignment_expression":
		if is(t, "left") && u.named(p.ChildByFieldName("right")) {
			return mention{usage: fixed, why: "names of functions and classes"}
		}
	case "function_declaration", "generator_function_declaration", "class_declaration", "function_expression", "generator_function",
		"class", "enum_declaration", "function", "function_signature", "internal_module", "abstract_class_declaration":
		if is(t, "name") {
			return mention{usage: fixed, why: "names of functions and classes"}
		}
	case "jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element", "nested_identifier", "jsx_namespace_name",
		"export_specifier", "import_specifier", "namespace_import", "import_clause":
		return mention{usage: fixed, why: "names of elements, imports and exports"}
	}
	return named(mention{usage: refers})
}

// named reports whether a value bears the name of the variable that it is given to.
func (u *unit) named(value *syntax.Node) bool {
	return value != nil && u.frag.Role(value).Is(syntax.Lambda, syntax.Class, syntax.Function)
}

// ecmaFunction returns the function around a node.
func (u *unit) ecmaFunction(n *syntax.Node) *syntax.Node {
	for p := n.Parent(); p != nil && p != u.node; p = p.Parent() {
		if r := u.frag.Role(p); r.IsFunction() || r == syntax.Lambda {
			return p
		}
	}
	return u.node
}

// ecmaCopied: `const v = e` with one variable.
func ecmaCopied(u *unit, d mention) (stmt, value *syntax.Node, code [2]string, why string) {
	const none = "variables without a plain definition"
	declarator := d.node.Parent()
	if declarator.Type() != "variable_declarator" || !is(d.node, "name") {
		return nil, nil, code, none
	}
	stmt, value = declarator.Parent(), declarator.ChildByFieldName("value")
	if k := stmt.Type(); k != "lexical_declaration" && k != "variable_declaration" || stmt.NamedChildCount() != 1 || value == nil {
		return nil, nil, code, none
	}
	between := " = "
	if t := declarator.ChildByFieldName("type"); t != nil {
		between = u.frag.Text(t) + between
	}
	return stmt, value, [2]string{u.text[stmt.StartByte():d.node.StartByte()], between}, ""
}
