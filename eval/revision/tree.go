package revision

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// Languages are the languages whose code is scored.
func Languages() []lang.Name {
	return []lang.Name{lang.Java, lang.Python, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go}
}

// The bytes between tokens and nodes. No text has them, since they are no UTF-8.
const (
	tokenMark = "\xff"
	openMark  = "\xfe"
	closeMark = "\xfd"
)

// code is a text with its tree.
type code struct {
	text   string
	tokens []string
	// keywords tells which tokens are words of the language.
	keywords []bool
	// form is the tree as a text: the kinds of the nodes, and the tokens.
	form string
	// root holds the nodes of the text. Comments, and what stands around the text to make it
	// valid, are left out.
	root *node
	// broken: the text has errors of syntax.
	broken bool
}

type node struct {
	kind, field string
	named       bool
	role        syntax.Role
	text        string // of a node without children
	kids        []*node
}

// parse reads a text as a piece of a file.
func parse(ctx context.Context, l lang.Name, text string) (*code, error) {
	out := &code{text: text, root: &node{}}
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	rows := strings.Split(text, "\n")
	if l == lang.Python {
		dedent(rows)
	}
	hunk := change.Hunk{OldStart: 1, NewStart: 1, NewLines: len(rows)}
	for _, row := range rows {
		hunk.Lines = append(hunk.Lines, change.Line{Op: change.Add, Text: row})
	}
	trees, err := syntax.Parse(ctx, &change.Change{Files: []change.File{{Lang: l, Hunks: []change.Hunk{hunk}}}})
	switch {
	case err != nil:
		return nil, err
	case len(trees.Files[0].New) == 0:
		return nil, errors.New(strings.Join(trees.Warnings, "; "))
	}
	b := builder{f: trees.Files[0].New[0], code: out}
	b.cursor, out.broken = b.f.Nodes.Cursor(b.f.Root()), b.f.Root().HasError()
	b.add(out.root, false)
	out.form = b.form.String()
	return out, nil
}

// dedent removes the indentation that all lines have.
func dedent(rows []string) {
	common, found := "", false
	for _, row := range rows {
		body := strings.TrimLeft(row, " \t")
		if body == "" {
			continue
		}
		indent := row[:len(row)-len(body)]
		if !found {
			common, found = indent, true
		}
		for !strings.HasPrefix(indent, common) {
			common = common[:len(common)-1]
		}
	}
	for i, row := range rows {
		rows[i] = strings.TrimPrefix(row, common)
	}
}

// builder makes a code of a fragment. The depth of its recursion is at most syntax.MaxDepth.
type builder struct {
	f      *syntax.Fragment
	cursor *syntax.Cursor
	code   *code
	form   strings.Builder
}

// add adds the cursor's node to a node. inside: it is a part of a token.
func (b *builder) add(to *node, inside bool) {
	n := b.cursor.CurrentNode()
	role := b.f.Role(n)
	switch {
	case role == syntax.Comment:
		return
	case b.f.Framed(int(n.StartByte())):
		b.children(to, inside)
		return
	}
	one := &node{kind: n.Type(), field: b.cursor.CurrentFieldName(), named: n.IsNamed(), role: role}
	to.kids = append(to.kids, one)
	if n.ChildCount() == 0 {
		one.text = n.Content()
	}
	// A literal is a token, with the white space inside it.
	token := n.ChildCount() == 0 || role == syntax.String && one.kind != "concatenated_string"
	switch {
	case inside:
	case !token:
		b.form.WriteString(one.kind + openMark)
	case strings.TrimSpace(n.Content()) != "":
		b.code.tokens = append(b.code.tokens, n.Content())
		b.code.keywords = append(b.code.keywords, keyword(one))
		b.form.WriteString(tokenMark + n.Content())
	}
	b.children(one, inside || token)
	if !inside && !token {
		b.form.WriteString(closeMark)
	}
}

func (b *builder) children(to *node, inside bool) {
	for more := b.cursor.GoToFirstChild(); more; {
		b.add(to, inside)
		if more = b.cursor.GoToNextSibling(); !more {
			b.cursor.GoToParent()
		}
	}
}

// keyword reports whether a leaf is a word of the language: its kind is the word itself, or such as
// "void_type" and "null_literal".
func keyword(n *node) bool {
	word := strings.ToLower(n.text)
	if word == "" || !unicode.IsLetter(rune(word[0])) || n.role == syntax.Identifier {
		return false
	}
	return n.kind == word || n.kind == word+"_type" || n.kind == word+"_literal"
}
