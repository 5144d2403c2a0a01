package perturb

import (
	"slices"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// ecma is the dialect of JavaScript, TypeScript and their forms with markup.
func ecma(l lang.Name) *dialect {
	return &dialect{
		lang: l, mention: ecmaMention, others: ecmaOthers(), lambdas: true, fieldsFirst: l != lang.JavaScript,
		names:    []string{"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"},
		reflects: regexp.MustCompile(`\beval\s*\(|\bwith\s*\(|\barguments\b|\bstatic\s*\{`),
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
		result: func(u *unit, value *syntax.Node, name string) (string, string) {
			switch {
			case value.Type() == "sequence_expression":
				return "", "return with comments or several values"
			case value.Content() == "[]" && l != lang.JavaScript:
				return "", emptyArray
			case named(value):
				return "", "return of a function or a class, which would bear the name"
			case l == lang.JavaScript:
				return "const " + name + " = ", ""
			}
			t, why := u.typescriptResult()
			return "const " + name + t + " = ", why
		},
		copied: ecmaCopied, end: ";",
	}
}

// typescriptResult is the type of a result: of a return in the function. A function without a
// type for it gets its type from its place, where it has no name.
func (u *unit) typescriptResult() (code, why string) {
	t := u.node.ChildByFieldName("return_type")
	promised := regexp.MustCompile(`^:\s*Promise<(.*)>$`)
	switch {
	case t == nil && !u.frag.Role(u.node).IsFunction():
		return "", "functions that get their type from their place"
	case t == nil && slices.Contains(word.FindAllString(u.frag.Text(u.body), -1), u.frag.Name(u.node)):
		return "", "functions that get their type from themselves"
	case t == nil || hasToken(u.node, "*"):
		return "", ""
	case t.Type() != "type_annotation" || u.hides(t.Content()):
		return "", "functions with a result of a special type"
	case !hasToken(u.node, "async"):
		return t.Content(), ""
	}
	in := promised.FindStringSubmatch(t.Content())
	if in == nil {
		return "", "functions with a result of a special type"
	}
	return ": (" + in[1] + ") | Promise<" + in[1] + ">", ""
}

const emptyArray = "values whose type comes from their place"

const functionNames = "names of functions and classes"

// ecmaOthers are the places of names that are no variables.
func ecmaOthers() map[string]other {
	out := map[string]other{}
	fixing(out, functionNames, "name", "function_declaration", "generator_function_declaration", "class_declaration",
		"function_expression", "generator_function", "class", "enum_declaration", "function", "function_signature", "internal_module",
		"abstract_class_declaration")
	fixing(out, "names of elements, imports and exports", "", "jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element",
		"nested_identifier", "jsx_namespace_name", "export_specifier", "import_specifier", "namespace_import", "import_clause")
	return out
}

// ecmaTarget climbs from a name over the patterns that it is a part of.
func ecmaTarget(n *syntax.Node) (t, p *syntax.Node) {
	for t, p = n, n.Parent(); ; t, p = p, p.Parent() {
		switch p.Type() {
		case "array_pattern", "object_pattern", "rest_pattern":
			continue
		case "pair_pattern":
			if is(t, "value") {
				continue
			}
		case "assignment_pattern", "object_assignment_pattern":
			if is(t, "left") && !named(p.ChildByFieldName("right")) {
				continue
			}
		}
		return t, p
	}
}

func ecmaMention(u *unit, n *syntax.Node) mention {
	t, p := ecmaTarget(n)
	if m, ok := u.d.other(t, p); ok {
		return m
	}
	m := u.ecmaDeclared(t, p)
	if m.usage == elsewhere {
		m.usage = refers
	}
	m.short = n.Type() != "identifier"
	return m
}

// ecmaDeclared is what a child t of p is declared as, or no usage.
func (u *unit) ecmaDeclared(t, p *syntax.Node) mention {
	declared := func(scope *syntax.Node) mention { return mention{usage: declares, scope: scopeOf(scope)} }
	names := [][2]string{{"name", "value"}, {"pattern", "value"}, {"left", "right"}}
	for _, f := range names {
		if is(t, f[0]) && named(p.ChildByFieldName(f[1])) {
			return fixedFor(functionNames)
		}
	}
	switch p.Type() {
	case "variable_declarator":
		switch d := p.Parent(); {
		case !is(t, "name"):
		case d.Type() == "variable_declaration":
			return declared(u.ecmaBody(d))
		case d.Parent().Type() == "switch_case" || d.Parent().Type() == "switch_default":
			return declared(d.Parent().Parent())
		default:
			return declared(d.Parent())
		}
	case "required_parameter", "optional_parameter":
		switch {
		case !is(t, "pattern"):
		case p.Child(0) != t: // private name, readonly name: a field too
			return fixedFor("names of fields")
		default:
			return declared(p.Parent().Parent())
		}
	case "formal_parameters":
		if name := t.Content(); strings.HasPrefix(name, "$") || strings.Contains(" require exports module ", " "+name+" ") {
			return fixedFor(parameterWhy) // AngularJS and loaders of modules look at them
		}
		return declared(p.Parent())
	case "arrow_function", "catch_clause":
		if is(t, "parameter") {
			return declared(p)
		}
	case "for_in_statement":
		switch kind := p.ChildByFieldName("kind"); {
		case !is(t, "left") || kind == nil:
		case kind.Content() == "var":
			return declared(u.ecmaBody(p))
		default:
			return declared(p)
		}
	}
	return mention{}
}

// named reports whether a value bears the name of the variable that it is given to: a function
// or a class, in parentheses too.
func named(value *syntax.Node) bool {
	for value != nil && value.Type() == "parenthesized_expression" {
		value = value.NamedChild(0)
	}
	kinds := []string{"arrow_function", "function", "function_expression", "generator_function", "class"}
	return value != nil && slices.Contains(kinds, value.Type())
}

// ecmaBody returns the body of the function around a node: the scope of var.
func (u *unit) ecmaBody(n *syntax.Node) *syntax.Node {
	return u.frag.Enclosing(n, func(r syntax.Role) bool { return r.IsFunction() || r == syntax.Lambda }).ChildByFieldName("body")
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
	switch t := declarator.ChildByFieldName("type"); {
	case t != nil:
		between = u.frag.Text(t) + between
	case u.d.lang != lang.JavaScript && (value.Content() == "[]" || strings.HasPrefix(value.Content(), "Symbol(")):
		return nil, nil, code, emptyArray
	}
	return stmt, value, [2]string{u.text[stmt.StartByte():d.node.StartByte()], between}, ""
}
