package perturb

import (
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

func golang() *dialect {
	return &dialect{
		lang: lang.Go, names: []string{"identifier", "type_identifier", "package_identifier"}, mention: goMention, lambdas: true,
		start: func(u *unit) (int, bool, string) {
			return afterBrace(u, func(*syntax.Node) bool { return false })
		},
		not:        [2]string{"!(", ")"},
		deadThrow:  []string{"%[1]s := false", "if %[1]s {", "\tpanic(\"never\")", "}"},
		deadAssign: []string{"%[1]s := false", "if %[1]s {", "\t%[1]s = true", "}"},
		result: func(u *unit, value *syntax.Node, name string) (string, string) {
			t := u.node.ChildByFieldName("result")
			switch {
			case t == nil:
				return "", "functions without a result"
			case t.Type() == "parameter_list" || value.NamedChildCount() != 1:
				return "", "functions with several or named results"
			case u.hides(t.Content()):
				return "", "functions with a result of a special type"
			}
			return "var " + name + " " + u.frag.Text(t) + " = ", ""
		},
		copied: goCopied, used: true,
	}
}

func goMention(u *unit, n *syntax.Node) mention {
	switch n.Content() {
	case "_":
		return mention{}
	case "make", "new": // the grammar reads their arguments as types
		return fixedFor("names of built-in functions")
	}
	if n.Type() != "identifier" { // they share their scopes with variables
		return fixedFor("names of types and packages")
	}
	p := n.Parent()
	declared := func(from, to int) mention { return mention{usage: declares, scope: span{from, to}} }
	switch p.Type() {
	case "expression_list":
		d := p.Parent()
		switch left := is(p, "left"); d.Type() {
		case "short_var_declaration":
			if left {
				return declared(int(d.EndByte()), goScope(d))
			}
		case "range_clause":
			if left && hasToken(d, ":=") {
				return declared(int(d.EndByte()), int(d.Parent().EndByte()))
			}
		case "receive_statement":
			if left && hasToken(d, ":=") {
				return declared(int(d.EndByte()), int(d.Parent().EndByte()))
			}
		case "type_switch_statement":
			if is(p, "alias") {
				m := declared(int(p.EndByte()), int(d.EndByte()))
				m.hole = scopeOf(d.ChildByFieldName("value"))
				return m
			}
		}
	case "var_spec", "const_spec":
		return declared(int(p.EndByte()), goScope(p))
	case "parameter_declaration", "variadic_parameter_declaration":
		return mention{usage: declares, scope: scopeOf(p.Parent().Parent().ChildByFieldName("body"))}
	case "type_parameter_declaration":
		return fixedFor("names of types and packages")
	case "literal_element":
		if k := p.Parent(); k.Type() == "keyed_element" && k.NamedChild(0) == p {
			return fixedFor("names that may be of fields in a literal")
		}
	case "function_declaration":
		return mention{}
	}
	return mention{usage: refers}
}

// goScope is the end of the scope of a declaration: of the block around it, or of the statement
// that it opens.
func goScope(n *syntax.Node) int {
	for p := n.Parent(); p != nil; p = p.Parent() {
		switch p.Type() {
		case "block", "if_statement", "for_statement", "expression_switch_statement", "type_switch_statement", "expression_case",
			"type_case", "default_case", "communication_case":
			return int(p.EndByte())
		}
	}
	return int(n.EndByte())
}

// goCopied: `v := e` or `var v T = e` with one variable.
func goCopied(u *unit, d mention) (stmt, value *syntax.Node, code [2]string, why string) {
	const none = "variables without a plain definition"
	switch p := d.node.Parent(); p.Type() {
	case "expression_list":
		stmt = p.Parent()
		values := stmt.ChildByFieldName("right")
		if stmt.Type() != "short_var_declaration" || p.NamedChildCount() != 1 || values == nil || values.NamedChildCount() != 1 {
			return nil, nil, code, none
		}
		return stmt, values.NamedChild(0), [2]string{"", " := "}, ""
	case "var_spec":
		stmt = p.Parent()
		values := p.ChildByFieldName("value")
		if stmt.Type() != "var_declaration" || stmt.NamedChildCount() != 1 || values == nil || values.NamedChildCount() != 1 ||
			p.ChildByFieldName("name") != d.node || u.text[stmt.StartByte():d.node.StartByte()] != "var " {
			return nil, nil, code, none
		}
		between := " "
		if t := p.ChildByFieldName("type"); t != nil {
			between = " " + u.frag.Text(t) + " "
		}
		return stmt, values.NamedChild(0), [2]string{"var ", between + "= "}, ""
	}
	return nil, nil, code, none
}
