package perturb

import (
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

func java() *dialect {
	return &dialect{
		lang: lang.Java, names: []string{"identifier"}, mention: javaMention, fieldsFirst: true,
		start: func(u *unit) (int, bool, string) {
			return afterBrace(u, func(n *syntax.Node) bool { return n.Type() == "explicit_constructor_invocation" })
		},
		not:        [2]string{"!(", ")"},
		deadThrow:  []string{"boolean %[1]s = false;", "if (%[1]s) {", "\tthrow new RuntimeException(\"never\");", "}"},
		deadAssign: []string{"boolean %[1]s = false;", "if (%[1]s) {", "\t%[1]s = true;", "}"},
		wrapBefore: []string{"try {"}, wrapBehind: []string{"} catch (Exception %[1]s) {", "\tthrow %[1]s;", "}"},
		result: func(u *unit, name string) (string, string) {
			t := u.node.ChildByFieldName("type")
			if t == nil || t.Type() == "void_type" || u.node.ChildByFieldName("dimensions") != nil {
				return "", "functions without a result"
			}
			return u.frag.Text(t) + " " + name + " = ", ""
		},
		copied: javaCopied, end: ";",
	}
}

func javaMention(u *unit, n *syntax.Node) mention {
	p := n.Parent()
	declared := func(scope span) mention { return mention{usage: declares, scope: scope} }
	switch p.Type() {
	case "variable_declarator":
		if !is(n, "name") {
			return mention{usage: refers}
		}
		switch d := p.Parent(); d.Type() {
		case "local_variable_declaration":
			return declared(span{int(n.StartByte()), int(d.Parent().EndByte())})
		case "spread_parameter":
			return declared(scopeOf(d.Parent().Parent()))
		}
		return mention{usage: fixed, why: "names of fields of inner classes"}
	case "formal_parameter":
		if f := p.Parent().Parent(); f != nil && f.Type() != "record_declaration" {
			return declared(where(f))
		}
		return mention{usage: fixed, why: "names of fields of inner classes"}
	case "inferred_parameters":
		return declared(where(p.Parent()))
	case "lambda_expression":
		if is(n, "parameters") {
			return declared(where(p))
		}
	case "catch_formal_parameter":
		return declared(where(p.Parent()))
	case "enhanced_for_statement":
		if is(n, "name") {
			return declared(scopeOf(p.ChildByFieldName("body")))
		}
	case "resource":
		if try := u.up(p, "try_with_resources_statement"); is(n, "name") && try != nil {
			return declared(span{int(n.StartByte()), scopeOf(try.ChildByFieldName("body")).to})
		}
	case "instanceof_expression":
		if is(n, "name") {
			return mention{usage: fixed, why: "variables of patterns"}
		}
	case "type_pattern", "record_pattern", "record_pattern_component", "record_pattern_body":
		return mention{usage: fixed, why: "variables of patterns"}
	case "switch_label":
		return mention{usage: fixed, why: "names of constants"}
	case "method_reference":
		if p.NamedChild(0) != n {
			return mention{}
		}
	case "field_access":
		if is(n, "field") {
			return mention{}
		}
	case "element_value_pair":
		if is(n, "key") {
			return mention{}
		}
	case "labeled_statement", "break_statement", "continue_statement", "scoped_identifier":
		return mention{}
	case "method_invocation", "annotation", "marker_annotation", "class_declaration", "interface_declaration", "enum_declaration",
		"record_declaration", "method_declaration", "constructor_declaration", "enum_constant", "annotation_type_declaration":
		if is(n, "name") {
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
	for i := range int(stmt.NamedChildCount()) {
		if c := stmt.NamedChild(i); c.Type() == "variable_declarator" && c != declarator {
			return nil, nil, code, "variables without a plain definition"
		}
	}
	return stmt, value, [2]string{u.text[stmt.StartByte():d.node.StartByte()], " = "}, ""
}
