package smells

import (
	"bytes"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// Branches: that are missing, written twice, or never reached.

func missingDefault(v *visitor, n *sitter.Node) {
	value := n.ChildByFieldName("value")
	if value == nil {
		value = n.ChildByFieldName("condition")
	}
	if value == nil {
		value = n.ChildByFieldName("subject")
	}
	switch {
	case value == nil, v.kind(n).name == "select_statement", v.kind(n).name == "match_expression", v.kind(n).name == "type_switch_statement":
		return // a chain of conditions, a question for a few types, or the language sees to it
	case v.kind(n).name == "switch_expression" && (v.lang != lang.Java || !v.around(1).kind.role.Is(syntax.Block, syntax.Case)):
		return
	}
	cases := v.children(n)
	if body := n.ChildByFieldName("body"); body != nil {
		cases = v.children(body)
	}
	count := 0
	for _, c := range cases {
		if c.kind.role == syntax.Else || c.kind == &errorSite || strings.HasPrefix(c.kind.name, "preproc") {
			return
		}
		if c.kind.role != syntax.Case {
			continue
		}
		count++
		if v.isDefault(c) {
			return
		}
	}
	if count == 0 || !v.ended(n) {
		return
	}
	word, missing := "switch", "`default`"
	switch v.lang {
	case lang.Ruby:
		word, missing = "case", "`else`"
	case lang.Python:
		word, missing = "match", "`case _`"
	}
	v.say(n, "The `%s` over %s has no %s branch; handle unexpected values.", word, v.quote(v.bare(value), "this value"), missing)
}

// isDefault tells whether a case holds for everything.
func (v *visitor) isDefault(c child) bool {
	switch c.kind.name {
	case "switch_default", "default_statement", "default_case":
		return true
	}
	for _, p := range v.children(c.Node) {
		switch {
		case p.kind.name == "default", p.kind.name == "switch_label" && strings.HasSuffix(v.text(p.Node), "default"):
			return true
		case v.lang == lang.Python && p.kind.role == syntax.Other && p.kind.named:
			// A name takes any value, unless there is a guard.
			t := v.text(p.Node)
			return !strings.ContainsAny(t, ".([{'\"|0123456789") && t != "None" && t != "True" && t != "False" && c.ChildByFieldName("guard") == nil
		}
	}
	return false
}

// maxBranch is the number of bytes above which branches are not compared,
// minBranch that below which two conditions for the same may be clearer than one.
const maxBranch, minBranch = 2000, 20

func duplicatedBranch(v *visitor, n *sitter.Node) {
	switch v.role(n) {
	case syntax.Conditional:
		yes, no := n.ChildByFieldName("consequence"), n.ChildByFieldName("alternative")
		if p := v.parts(n); v.lang == lang.Python && len(p) == 3 {
			yes, no = p[0].Node, p[2].Node
		}
		if yes != nil && no != nil && v.branch(yes) != "" && v.branch(yes) == v.branch(no) {
			v.say(n, "Both sides of this conditional expression are the same: %s; is one of them wrong?", v.quote(yes, "they do not differ"))
		}
	case syntax.Switch:
		body := n.ChildByFieldName("body")
		if body == nil {
			body = n
		}
		before := ""
		for _, c := range v.parts(body) {
			if c.kind.role != syntax.Case {
				continue
			}
			text := v.caseBody(c.Node)
			if len(text) >= minBranch && text == before && !v.binds(n, c) {
				v.say(c.Node, "This case does the same as the one before it; join them or mend one of them.")
			}
			before = text
		}
	default:
		v.duplicatedIf(n)
	}
}

// duplicatedIf compares each branch of a chain of conditions with the next.
func (v *visitor) duplicatedIf(n *sitter.Node) {
	if p := v.around(1).kind.role; p == syntax.Else || p == syntax.If && v.around(0).field == "alternative" {
		return // the chain was seen from its head
	}
	if strings.HasPrefix(v.kind(n).name, "preproc") {
		return
	}
	var branches []*sitter.Node
	last := false // the last one has no condition
	for todo := []*sitter.Node{n}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		conditional := v.role(at).Is(syntax.If, syntax.ElseIf)
		found := false
		for _, c := range v.children(at) {
			switch {
			case c.field == "alternative" || v.role(at) == syntax.If && c.kind.role.Is(syntax.Else, syntax.ElseIf):
				todo = append(todo, c.Node)
			case !conditional && c.kind.role == syntax.If && !found:
				todo = append(todo, c.Node)
				found = true
			case (c.field == "consequence" || c.field == "body" || c.kind.role == syntax.Block) && conditional:
				branches = append(branches, c.Node)
			}
		}
		if !conditional && !found {
			branches, last = append(branches, at), true
		}
	}
	for i := 1; i < len(branches); i++ {
		a, b := v.branch(branches[i-1]), v.branch(branches[i])
		final := last && i == len(branches)-1
		if a == "" || a != b || !final && len(a) < minBranch || !v.ended(branches[i]) || !v.seen(branches[i-1]) {
			continue
		}
		if final {
			v.sayFrom(branches[i-1], branches[i], "The `else` branch does the same as the branch before it; the condition makes no difference.")
		} else {
			v.sayFrom(branches[i-1], branches[i], "Two branches of this `if` do the same; join their conditions or mend one of them.")
		}
	}
}

// branch returns the text of a branch without space, braces and words around
// it, "" of an empty or a long one.
func (v *visitor) branch(n *sitter.Node) string {
	if n.EndByte()-n.StartByte() > maxBranch {
		return ""
	}
	t := strings.Join(strings.Fields(v.f.Text(n)), " ")
	for _, w := range []string{"else", "then", ":"} {
		if rest, ok := strings.CutPrefix(t, w); ok && (w == ":" || rest == "" || strings.ContainsRune(" {:", rune(rest[0]))) {
			t = strings.TrimSpace(rest)
		}
	}
	if rest, ok := strings.CutPrefix(t, "{"); ok {
		t = strings.TrimSuffix(rest, "}")
	}
	return strings.TrimRight(strings.TrimSpace(t), "; ")
}

// binds tells whether a case gives names to what it holds for: the same words
// are then about something else.
func (v *visitor) binds(n *sitter.Node, c child) bool {
	if v.kind(n).name == "type_switch_statement" {
		return true
	}
	head, _, _ := strings.Cut(v.f.Text(c.Node), "=>")
	return v.lang == lang.Rust && strings.ContainsAny(head, "({@") || v.lang == lang.Python && strings.Contains(head, " as ")
}

// caseBody returns the text of what a case does, as branch does.
func (v *visitor) caseBody(n *sitter.Node) string {
	if n.EndByte()-n.StartByte() > maxBranch {
		return ""
	}
	from := -1
	for _, c := range v.children(n) {
		if c.field == "body" && c.kind.role == syntax.Block || c.field == "consequence" {
			from = int(c.StartByte())
			break
		}
		if k := c.kind.name; k == ":" || k == "->" || k == "=>" {
			from = int(c.EndByte())
			break
		}
	}
	if from < 0 {
		return ""
	}
	return strings.Join(strings.Fields(string(bytes.TrimRight(v.f.Source[from:n.EndByte()], ",; \t\n"))), " ")
}

// unreachableCode is shown what leaves a block, and finds what stands behind it.
func unreachableCode(v *visitor, n *sitter.Node) {
	around, at := v.parent(), 1
	if around != nil && around.kind.role == syntax.ExpressionStatement { // Rust
		at = 2
	}
	if len(v.seats) <= at {
		return
	}
	around = &v.seats[len(v.seats)-1-at]
	if around.left || !around.kind.role.Is(syntax.Block, syntax.Case, syntax.Else) {
		return
	}
	around.left = true // so that a block is looked through once
	var left *child
	for _, c := range v.parts(around.node) {
		switch k := c.kind; {
		case strings.HasPrefix(k.name, "preproc"), k == &errorSite:
			return
		case left == nil:
			if v.leaves(c) {
				left = &c
			}
		case k.role.IsFunction(), k.role.IsClass(), k.role.Is(syntax.Label, syntax.Case, syntax.Catch, syntax.Else, syntax.ElseIf, syntax.Finally,
			syntax.Break, syntax.Import, syntax.TypeAlias, syntax.Modifier, syntax.Decorator):
			left = nil
		case idle(v, c), k.name == "heredoc_body", strings.HasPrefix(k.name, "text"), k.name == "variable_declaration" && !strings.Contains(v.text(c.Node), "="),
			strings.HasPrefix(v.text(c.Node), "yield"):
			return
		default:
			v.sayFrom(left.Node, c.Node, "The code after this `%s` is unreachable: it never runs; remove it or mend the flow.", firstWord(v.f.Text(left.Node)))
			return
		}
	}
}

func firstWord(t string) string {
	for i := range len(t) {
		if t[i] < 'a' || t[i] > 'z' {
			return t[:i]
		}
	}
	return t
}

// leaves tells whether nothing runs behind a statement.
func (v *visitor) leaves(c child) bool {
	if c.kind.name == "expression_statement" { // Rust
		if p := v.parts(c.Node); len(p) == 1 {
			c = p[0]
		}
	}
	return c.kind.role.Is(syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto) && firstWord(v.text(c.Node)) != ""
}
