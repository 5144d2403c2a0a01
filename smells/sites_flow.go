package smells

import (
	"bytes"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Branches that are written twice, and code that is never reached.

// minBranch is the smallest branch that is compared, in bytes: for a smaller branch two conditions with
// the same code may be clearer than one condition.
const minBranch = 20

// duplicatedBranch finds neighbouring branches that do the same.
func duplicatedBranch(v *visitor, n *syntax.Node) {
	switch v.role(n) {
	case syntax.Conditional:
		yes, no := v.field(n, "consequence"), v.field(n, "alternative")
		if v.lang == lang.PHP {
			yes = v.field(n, "body")
		}
		if p := v.parts(n); v.lang == lang.Python && len(p) == 3 {
			yes, no = p[0].Node, p[2].Node
		}
		if yes != nil && no != nil && v.branch(yes) != "" && v.branch(yes) == v.branch(no) {
			v.say(n, "conditional expression", fill{"side": v.quote(yes, "they do not differ")})
		}
	case syntax.Switch:
		body := v.field(n, "body")
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
				v.say(c.Node, "case", nil)
			}
			before = text
		}
	default:
		v.duplicatedIf(n)
	}
}

// duplicatedIf compares each branch of a chain of conditions with the next.
func (v *visitor) duplicatedIf(n *syntax.Node) {
	if p := v.around(1).kind.role; p == syntax.Else || p == syntax.If && v.around(0).field == "alternative" {
		return // the chain was seen from its head
	}
	if strings.HasPrefix(v.kind(n).name, "preproc") {
		return
	}
	var branches []*syntax.Node
	last := false // the last branch has no condition
	for todo := []*syntax.Node{n}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		conditional := v.role(at).Is(syntax.If, syntax.ElseIf)
		found := v.role(at) == syntax.Block && len(v.parts(at)) > 1 // other statements there make a difference
		only := !found
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
		if !conditional && (!found || !only) {
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
			v.sayFrom(branches[i-1], branches[i], "else", nil)
		} else {
			v.sayFrom(branches[i-1], branches[i], "if", nil)
		}
	}
}

// branch returns the text of a branch without spaces, braces and keywords around it, "" for
// an empty or a long branch.
func (v *visitor) branch(n *syntax.Node) string {
	if n.EndByte()-n.StartByte() > limits.BranchBytes {
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

// binds reports whether a case names the values that it matches. The same words then mean
// something else.
func (v *visitor) binds(n *syntax.Node, c child) bool {
	if v.kind(n).name == "type_switch_statement" {
		return true
	}
	head, _, _ := strings.Cut(v.f.Text(c.Node), "=>")
	switch v.lang {
	case lang.Rust:
		return strings.ContainsAny(head, "({@")
	case lang.Python:
		return strings.Contains(head, " as ")
	case lang.Java, lang.CSharp:
		return typePattern.MatchString(v.f.Text(c.Node))
	}
	return false
}

// typePattern matches the beginning of a case for a type that names or unpacks the value.
var typePattern = regexp.MustCompile(`^(?:case\s+)?(?:(?:final |not )?[A-Za-z_][\w.<>,?\[\]]*\s+[a-z_]\w*\s*(?:->|=>|:|when\b|&&)|[A-Za-z_][\w.<>]*\s*[({]|[({])`)

// caseBody returns the text of the body of a case, in the form of branch.
func (v *visitor) caseBody(n *syntax.Node) string {
	if n.EndByte()-n.StartByte() > limits.BranchBytes {
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

// unreachableCode finds the code after a statement that leaves a block.
func unreachableCode(v *visitor, n *syntax.Node) {
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
		case k.name == "named_label_statement", k.role.IsFunction(), k.role.IsClass(), k.role.Is(syntax.Label, syntax.Case, syntax.Catch, syntax.Else, syntax.ElseIf, syntax.Finally,
			syntax.Break, syntax.Import, syntax.TypeAlias, syntax.Modifier, syntax.Decorator):
			left = nil
		case idle(v, c), k.name == "heredoc_body", strings.HasPrefix(k.name, "text"), k.name == "variable_declaration" && !strings.Contains(v.text(c.Node), "="),
			strings.HasPrefix(v.text(c.Node), "yield"), (v.lang == lang.C || v.lang == lang.Cpp) && (unusedMarker.MatchString(v.f.Text(c.Node)) || k.role == syntax.Variable),
			v.onlyText(c), v.unreachableOnPurpose(left.Node, c.Node):
			return
		default:
			v.sayFrom(left.Node, c.Node, "", fill{"return": firstWord(v.f.Text(left.Node))})
			return
		}
	}
}

// unusedMarker matches a statement that only prevents a warning of the compiler, or an
// unknown macro.
var unusedMarker = regexp.MustCompile(`^(?:[A-Z][A-Z0-9_]*\s*\(|\(void\)|\w+\s*;?$|\w*(?:case|default)\w*\s*\()|(?m:^\s*\w+:\s*$)`)

// reachedAnyway matches a comment that says why a statement is there.
var reachedAnyway = regexp.MustCompile(`(?i)(?://|#|/\*).*(?:reach|compiler|lint|pylint|noqa|warning|NOSONAR|make .*happy|shut up|silence|\bphan\b|phpstan|psalm)`)

// unreachableOnPurpose reports whether a comment on the lines of two statements, or
// between them, says why the second is there.
func (v *visitor) unreachableOnPurpose(left, behind *syntax.Node) bool {
	rest, _, _ := bytes.Cut(v.f.Source[behind.EndByte():min(int(behind.EndByte())+limits.WordBytes, len(v.f.Source))], []byte("\n"))
	return reachedAnyway.Match(v.f.Source[left.EndByte():behind.StartByte()]) || reachedAnyway.Match(rest)
}

// onlyText reports whether a statement is a string: a comment, or the rest of a comment.
func (v *visitor) onlyText(c child) bool {
	if c.kind.role != syntax.ExpressionStatement {
		return c.kind.role == syntax.String
	}
	p := v.parts(c.Node)
	return len(p) == 1 && p[0].kind.role == syntax.String
}

func firstWord(t string) string {
	for i := range len(t) {
		if t[i] < 'a' || t[i] > 'z' {
			return t[:i]
		}
	}
	return t
}

// leaves reports whether nothing runs behind a statement.
func (v *visitor) leaves(c child) bool {
	if c.kind.name == "expression_statement" { // Rust
		if p := v.parts(c.Node); len(p) == 1 {
			c = p[0]
		}
	}
	return c.kind.role.Is(syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto) && firstWord(v.f.Text(c.Node)) != ""
}
