package perturb

import (
	"slices"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

func python() *dialect {
	return &dialect{
		lang: lang.Python, names: []string{"identifier"}, mention: pythonMention, others: pythonOthers(), indented: true,
		reflects:   regexp.MustCompile(`\b(?:locals|globals|vars|eval|exec|dir)\s*\(|\bexec\b|\b_getframe\b|\bcurrentframe\b|\.query\s*\([^)]*@`),
		start:      pythonStart,
		not:        [2]string{"not (", ")"},
		deadThrow:  []string{"%[1]s = False", "if %[1]s:", "\traise RuntimeError(\"never\")"},
		deadAssign: []string{"%[1]s = False", "if %[1]s:", "\t%[1]s = True"},
		wrapBefore: []string{"try:"}, wrapBehind: []string{"except Exception:", "\traise"},
		result: func(_ *unit, _ *syntax.Node, name string) (string, string) { return name + " = ", "" },
		copied: func(u *unit, d mention) (stmt, value *syntax.Node, code [2]string, why string) {
			a := d.node.Parent()
			if a.Type() != "assignment" || !is(d.node, "left") || a.ChildByFieldName("type") != nil {
				return nil, nil, code, "variables without a plain definition"
			}
			stmt, value = a.Parent(), a.ChildByFieldName("right")
			if stmt.Type() != "expression_statement" || value == nil || value.Type() == "assignment" || stmt.NamedChildCount() != 1 {
				return nil, nil, code, "variables without a plain definition"
			}
			return stmt, value, [2]string{"", " = "}, ""
		},
	}
}

// pythonStart is before the first statement behind the docstring.
func pythonStart(u *unit) (at int, before bool, why string) {
	docstring := true
	for c := range children(u.body) {
		switch {
		case !u.leads(c):
			return 0, false, "functions in one line"
		case u.frag.Role(c) == syntax.Comment:
		case docstring && c.Type() == "expression_statement" && c.NamedChildCount() == 1 && u.frag.Role(c.NamedChild(0)) == syntax.String:
			at, docstring = int(c.EndByte()), false
		default:
			return int(c.StartByte()), true, ""
		}
	}
	return at, false, ""
}

// pythonOthers are the places of names that are no variables.
func pythonOthers() map[string]other {
	out := map[string]other{"keyword_argument": {field: "name"}, "attribute": {field: "attribute"}}
	fixing(out, parameterWhy, "", "parameters", "lambda_parameters", "dictionary_splat_pattern", "typed_parameter")
	fixing(out, parameterWhy, "name", "default_parameter", "typed_default_parameter")
	fixing(out, "names declared outside the function", "", "global_statement", "nonlocal_statement")
	fixing(out, "names of imports and of patterns", "", "dotted_name", "aliased_import", "case_pattern", "splat_pattern",
		"keyword_pattern", "class_pattern", "union_pattern")
	fixing(out, "names of functions and classes", "name", "function_definition", "class_definition")
	return out
}

func pythonMention(u *unit, n *syntax.Node) mention {
	// {x=} in a text shows the code itself.
	if in := u.up(n, "interpolation"); in != nil && hasToken(in, "=") {
		return fixedFor("names that a text shows")
	}
	// A target may be a part of a pattern: a, (b, *c) = …
	t, p := n, n.Parent()
	for slices.Contains([]string{"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"}, p.Type()) {
		t, p = p, p.Parent()
	}
	if m, ok := u.d.other(t, p); ok {
		return m
	}
	switch p.Type() {
	case "assignment", "augmented_assignment", "for_statement":
		if is(t, "left") {
			return u.pythonVariable(n, false)
		}
	case "for_in_clause":
		if is(t, "left") {
			c := p.Parent()
			m := mention{usage: declares, scope: where(c)}
			for first := range children(c) {
				if first.Type() == "for_in_clause" {
					m.hole = scopeOf(first.ChildByFieldName("right")) // it is outside the scope
					break
				}
			}
			return m
		}
	case "as_pattern_target":
		return u.pythonVariable(n, false)
	case "named_expression":
		if is(t, "name") {
			return u.pythonVariable(n, true)
		}
	case "as_pattern":
		if u.up(n, "case_pattern") != nil {
			return fixedFor("names of imports and of patterns")
		}
	}
	return mention{usage: refers}
}

// pythonVariable is the declaration of a variable of the function around it.
func (u *unit) pythonVariable(n *syntax.Node, walrus bool) mention {
	for p := n.Parent(); p != nil; p = p.Parent() {
		switch p.Type() {
		case "class_definition":
			return fixedFor("names of attributes of a class")
		case "function_definition", "lambda":
			return mention{usage: declares, scope: scopeOf(p.ChildByFieldName("body"))}
		case "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression":
			if !walrus {
				return mention{usage: declares, scope: where(p)}
			}
		}
	}
	return fixedFor("names declared outside the function")
}

// stringLines are the first bytes of lines that start inside a string.
func (u *unit) stringLines() map[int]bool {
	inside := map[int]bool{}
	for n := range u.inside {
		if u.frag.Role(n) != syntax.String {
			continue
		}
		text := u.frag.Text(n)
		for at := strings.IndexByte(text, '\n'); at >= 0; {
			inside[int(n.StartByte())+at+1] = true
			next := strings.IndexByte(text[at+1:], '\n')
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return inside
}
