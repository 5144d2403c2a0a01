package smells

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	sitter "github.com/smacker/go-tree-sitter"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// Expressions and classes that are too large.

// longLambda measures lambdas; in other languages than Python only those of one
// expression in one line, since others may have as many lines as a function.
func longLambda(v *visitor, n *sitter.Node) {
	if v.lang == lang.Python || int(n.EndByte()-n.StartByte()) > v.limits[v.rule] && v.oneExpression(n) {
		v.long(n, "This lambda", "define a named function instead")
	}
}

// oneExpression tells whether a lambda stands in one line, has no name, and has a
// condition or a lambda in its one expression: a mere call of something is easy
// to read, however long.
func (v *visitor) oneExpression(n *sitter.Node) bool {
	p, up := v.around(1), 1
	if v.lang == lang.Ruby && v.kind(n).name != "lambda" {
		if p.kind.role != syntax.Call || !lambdaWord.MatchString(v.text(p.node)) {
			return false
		}
		up = 2
	}
	if n.EndByte()-n.StartByte() > maxBranch || n.StartPoint().Row != n.EndPoint().Row || v.around(up).kind.role.Is(syntax.Declarator, syntax.Variable, syntax.Assign, syntax.Pair, syntax.Field, syntax.Export, syntax.Lambda) {
		return false
	}
	body := n.ChildByFieldName("body")
	if body == nil && v.lang == lang.Ruby {
		body = n // a block
	}
	block := v.lang == lang.Ruby || v.lang == lang.Cpp // there every lambda has one
	for depth := 0; block && body != nil && depth < 4 && (v.role(body) == syntax.Block || v.role(body) == syntax.Lambda); depth++ {
		parts := slices.DeleteFunc(v.parts(body), func(c child) bool { return c.kind.role == syntax.Parameters })
		if len(parts) != 1 {
			return false
		}
		body = parts[0].Node
	}
	if body == nil || v.role(body).Is(syntax.Block, syntax.Element, syntax.Collection, syntax.Lambda) {
		return false
	}
	text := v.f.Source[n.StartByte():n.EndByte()]
	return conditions.Match(text) || len(arrows.FindAll(text, 2)) > 1
}

var (
	conditions = regexp.MustCompile(`&&|[\w)\]] ?\|\| | \? .* : |\b(?:and|or)\b`)
	arrows     = regexp.MustCompile(`=>| -> |->[({]`)
)

// lambdaWord begins a call of Ruby that makes a lambda.
var lambdaWord = regexp.MustCompile(`^(?:lambda|proc|Proc\.new)\b`)

func longComprehension(v *visitor, n *sitter.Node) {
	v.long(n, "This comprehension", "use a loop or split it")
}

// long reports an expression with too many characters.
func (v *visitor) long(n *sitter.Node, what, advice string) {
	v.measured(n, what, utf8.RuneCount(v.f.Source[n.StartByte():n.EndByte()]),
		"%s is %d characters long, more than %d; it is hard to read; "+advice+".",
		"%s grew from %d to %d characters, more than %d; it is hard to read; "+advice+".")
}

func manyMethods(v *visitor, n *sitter.Node) {
	body := v.field(n, "body")
	if body == nil {
		return
	}
	parts, count := v.parts(body), 0
	if len(parts) <= v.limits[v.rule] {
		return
	}
	for _, c := range parts {
		if c.kind.role == syntax.Identifier && (v.text(c.Node) == "private" || v.text(c.Node) == "protected") {
			break // Ruby: those that follow
		}
		if c.kind.name == "decorated_definition" {
			for _, p := range v.parts(c.Node) {
				if p.kind.role.IsFunction() {
					c = p
				}
			}
		}
		if c.kind.role == syntax.Function && v.public(c.Node) {
			count++
		}
	}
	v.class(n, count, "public methods")
}

// public tells whether a method or field can be used from outside.
func (v *visitor) public(n *sitter.Node) bool {
	modifiers := false
	for _, c := range v.children(n) {
		if c.kind.role == syntax.Modifier {
			t := v.text(c.Node)
			if strings.Contains(t, "private") || strings.Contains(t, "protected") {
				return false
			}
			modifiers = modifiers || t != ""
		}
	}
	switch v.lang {
	case lang.Python:
		return !strings.HasPrefix(v.f.Name(n), "_")
	case lang.CSharp, lang.Rust:
		return modifiers
	}
	return true
}

// class reports what a class has too many of.
func (v *visitor) class(n *sitter.Node, count int, of string) {
	if !v.ended(n) {
		return
	}
	name := "This class"
	if t := v.f.Name(n); t != "" && len(t) <= maxQuoted {
		name = fmt.Sprintf("The class `%s`", t)
	}
	v.measured(n, name, count, "%s has %d "+of+", more than %d; it does too much and should be split.",
		"%s grew from %d to %d "+of+", more than %d; it does too much and should be split.")
}

// manyAttributes counts the fields of a class, in Python what is set on self.
func manyAttributes(v *visitor, n *sitter.Node) {
	body := v.field(n, "body")
	if body == nil {
		return
	}
	if v.lang == lang.Python {
		if v.mayHaveAttributes(body) {
			v.class(n, v.selfAttributes(body), "attributes")
		}
		return
	}
	count := 0
	for _, c := range v.parts(body) {
		if c.kind.role != syntax.Field {
			continue
		}
		names, constant := 0, false
		for _, p := range v.children(c.Node) {
			if p.kind.role == syntax.Declarator {
				names++
			}
			if t := v.text(p.Node); p.kind.role == syntax.Modifier && (strings.Contains(t, "static") || strings.Contains(t, "const")) {
				constant = true
			}
			if p.kind.name == "const" || p.kind.name == "static" || p.kind.role == syntax.Parameters {
				constant = true
			}
		}
		if !constant {
			count += max(names, 1)
		}
	}
	v.class(n, count, "attributes")
}

// mayHaveAttributes tells whether selfAttributes may count too many; to look for
// the text costs less than a walk.
func (v *visitor) mayHaveAttributes(body *sitter.Node) bool {
	names := map[string]bool{}
	self := []byte("self.")
	for rest := v.f.Source[body.StartByte():body.EndByte()]; len(names) <= v.limits[v.rule]; {
		i := bytes.Index(rest, self)
		if i < 0 {
			return false
		}
		rest = rest[i+len(self):]
		name := rest[:wordEnd(rest)]
		if after := bytes.TrimLeft(rest[len(name):min(len(rest), len(name)+8)], " \t)]"); len(after) == 0 || bytes.IndexByte([]byte("=:,\\\r\n"), after[0]) >= 0 {
			names[string(name)] = true
		}
	}
	return true
}

// wordEnd returns the length of the word that a text begins with.
func wordEnd(t []byte) int {
	for i, c := range t {
		if c != '_' && c != '$' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80 {
			return i
		}
	}
	return len(t)
}

// selfAttributes walks the inside of a class, but for classes in it.
func (v *visitor) selfAttributes(body *sitter.Node) int {
	names := map[string]bool{}
	add := func(n *sitter.Node) {
		if v.kind(n).name != "attribute" {
			return
		}
		if o, a := v.field(n, "object"), v.field(n, "attribute"); o != nil && a != nil && v.text(o) == "self" {
			names[v.text(a)] = true
		}
	}
	cur := v.nodes.Cursor(body)
	for {
		n, k := cur.CurrentNode(), v.kindAt(cur)
		if k.role == syntax.Assign {
			if left := v.field(n, "left"); left != nil {
				add(left)
				if v.role(left) == syntax.Collection {
					for _, c := range v.parts(left) {
						add(c.Node)
					}
				}
			}
		}
		if k.named && !k.role.IsClass() && cur.GoToFirstChild() {
			continue
		}
		for !cur.GoToNextSibling() {
			if !cur.GoToParent() {
				return len(names)
			}
		}
	}
}
