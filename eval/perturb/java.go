package perturb

import (
	"maps"
	"strings"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

func java() *dialect {
	return &dialect{
		lang: lang.Java, names: []string{"identifier"}, mention: javaMention, others: javaOthers(), fieldsFirst: true,
		start: func(u *unit) (int, bool, string) {
			return afterBrace(u, func(n *syntax.Node) bool { return n.Type() == "explicit_constructor_invocation" })
		},
		not:        [2]string{"!(", ")"},
		deadThrow:  []string{"boolean %[1]s = false;", "if (%[1]s) {", "\tthrow new RuntimeException(\"never\");", "}"},
		deadAssign: []string{"boolean %[1]s = false;", "if (%[1]s) {", "\t%[1]s = true;", "}"},
		wrapBefore: []string{"try {"}, wrapBehind: []string{"} catch (Exception %[1]s) {", "\tthrow %[1]s;", "}"},
		result: func(u *unit, _ *syntax.Node, name string) (string, string) {
			t := u.node.ChildByFieldName("type")
			if t == nil || t.Type() == "void_type" || u.node.ChildByFieldName("dimensions") != nil {
				return "", "functions without a result"
			}
			if u.hides(u.frag.Text(t)) {
				return "", "functions with a result of a special type"
			}
			return u.frag.Text(t) + " " + name + " = ", ""
		},
		copied: javaCopied, end: ";",
	}
}

// javaOthers are the places of names that are no variables.
func javaOthers() map[string]other {
	out := nameOf("name", "method_invocation", "annotation", "marker_annotation", "class_declaration", "interface_declaration",
		"enum_declaration", "record_declaration", "method_declaration", "constructor_declaration", "annotation_type_declaration")
	maps.Copy(out, nameOf("", "labeled_statement", "break_statement", "continue_statement", "scoped_identifier"))
	out["field_access"], out["element_value_pair"] = other{field: "field"}, other{field: "key"}
	fixing(out, "names of constants", "", "switch_label", "enum_constant")
	fixing(out, "variables of patterns", "", "type_pattern", "record_pattern", "record_pattern_component", "record_pattern_body")
	fixing(out, "variables of patterns", "name", "instanceof_expression")
	return out
}

func javaMention(u *unit, n *syntax.Node) mention {
	p := n.Parent()
	if m, ok := u.d.other(n, p); ok || n.Content() == "_" {
		return m
	}
	const fields = "names of fields of inner classes"
	declared := func(scope span) mention { return mention{usage: declares, scope: scope} }
	switch p.Type() {
	case "variable_declarator":
		switch d := p.Parent(); {
		case !is(n, "name"):
		case d.Type() == "local_variable_declaration":
			return declared(span{int(n.StartByte()), int(d.Parent().EndByte())})
		case d.Type() == "spread_parameter":
			return declared(scopeOf(d.Parent().Parent()))
		default:
			return fixedFor(fields)
		}
	case "formal_parameter":
		f := p.Parent().Parent()
		switch of := u.frag.Enclosing(f, syntax.Role.IsClass); {
		case f.Type() == "record_declaration":
			return fixedFor(fields)
		case f.Type() == "constructor_declaration" && of != nil && of.Type() == "record_declaration":
			return fixedFor(parameterWhy) // they must have the names of the fields
		case strings.Contains(u.text[p.StartByte():n.StartByte()], "@"):
			return fixedFor(parameterWhy) // frameworks bind them by name
		}
		return declared(where(f))
	case "inferred_parameters", "catch_formal_parameter":
		return declared(where(p.Parent()))
	case "lambda_expression":
		if is(n, "parameters") {
			return declared(where(p))
		}
	case "enhanced_for_statement":
		if is(n, "name") {
			return declared(scopeOf(p.ChildByFieldName("body")))
		}
	case "resource":
		if try := u.up(p, "try_with_resources_statement"); is(n, "name") && try != nil {
			return declared(span{int(n.StartByte()), scopeOf(try.ChildByFieldName("body")).to})
		}
	case "method_reference":
		if p.NamedChild(0) != n {
			return mention{}
		}
	}
	return mention{usage: refers}
}

// javaCopied: `T v = e;` with one variable.
func javaCopied(u *unit, d mention) (stmt, value *syntax.Node, code [2]string, why string) {
	declarator := d.node.Parent()
	stmt = declarator.Parent()
	value = declarator.ChildByFieldName("value")
	if stmt.Type() != "local_variable_declaration" || value == nil || declarator.ChildByFieldName("dimensions") != nil {
		return nil, nil, code, "variables without a plain definition"
	}
	for c := range children(stmt) {
		if c.Type() == "variable_declarator" && c != declarator {
			return nil, nil, code, "variables without a plain definition"
		}
	}
	head := u.text[stmt.StartByte():d.node.StartByte()]
	if strings.Contains(head, "@") { // such as @Cleanup
		return nil, nil, code, "variables with annotations"
	}
	return stmt, value, [2]string{head, " = "}, ""
}
