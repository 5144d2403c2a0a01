package smells

import (
	"fmt"
	"strings"
	"unicode/utf8"

	sitter "github.com/smacker/go-tree-sitter"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// Expressions and classes that are too large.

func longLambda(v *visitor, n *sitter.Node) {
	size := utf8.RuneCount(v.f.Source[n.StartByte():n.EndByte()])
	v.measured(n, size, "lambda", "This lambda is %d characters long, more than %d; it is hard to read; define a named function instead.",
		size, v.limits[v.rule])
}

func longComprehension(v *visitor, n *sitter.Node) {
	size := utf8.RuneCount(v.f.Source[n.StartByte():n.EndByte()])
	v.measured(n, size, "comprehension", "This comprehension is %d characters long, more than %d; it is hard to read; use a loop or split it.",
		size, v.limits[v.rule])
}

func manyMethods(v *visitor, n *sitter.Node) {
	body := n.ChildByFieldName("body")
	if body == nil {
		return
	}
	count := 0
	for _, c := range v.parts(body) {
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
	v.measured(n, count, name, "%s has %d %s, more than %d; it does too much and should be split.", name, count, of, v.limits[v.rule])
}

// manyAttributes counts the fields of a class, in Python what is set on self.
func manyAttributes(v *visitor, n *sitter.Node) {
	body := n.ChildByFieldName("body")
	if body == nil {
		return
	}
	if v.lang == lang.Python {
		v.class(n, v.selfAttributes(body), "attributes")
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

// selfAttributes walks the inside of a class, but for classes in it.
func (v *visitor) selfAttributes(body *sitter.Node) int {
	names := map[string]bool{}
	add := func(n *sitter.Node) {
		if n.Type() != "attribute" {
			return
		}
		if o, a := n.ChildByFieldName("object"), n.ChildByFieldName("attribute"); o != nil && a != nil && v.text(o) == "self" {
			names[v.text(a)] = true
		}
	}
	cur := sitter.NewTreeCursor(body)
	defer cur.Close()
	for {
		n := cur.CurrentNode()
		k := v.kind(n)
		if k.role == syntax.Assign {
			if left := n.ChildByFieldName("left"); left != nil {
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
