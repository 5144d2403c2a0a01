package revision

import (
	"context"
	"errors"
	"fmt"
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
	tokens []token
	// form is the tree as a text: the kinds of the nodes, and the tokens.
	form string
	// root holds the nodes of the text. Comments, and what stands around the text to make it
	// valid, are left out.
	root *node
	// broken: the text has errors of syntax.
	broken bool
}

type token struct {
	text    string
	keyword bool
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
		return nil, errors.New(strings.Join(append(trees.Warnings, fmt.Sprintf("%s has no tree", l))[:1], ""))
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
	end    int // of the last token
}

// add adds the cursor's node to a node. inside: it is a part of a token.
func (b *builder) add(to *node, inside bool) {
	n := b.cursor.CurrentNode()
	start, end := int(n.StartByte()), int(n.EndByte())
	role, leaf := b.f.Role(n), n.ChildCount() == 0
	switch {
	case role == syntax.Comment:
		b.end = max(b.end, end)
		return
	case b.f.Framed(start):
		if leaf {
			b.end = max(b.end, end)
		}
		b.children(to, inside)
		return
	}
	one := &node{kind: n.Type(), field: b.cursor.CurrentFieldName(), named: n.IsNamed(), role: role}
	if leaf {
		one.text = n.Content()
	}
	to.kids = append(to.kids, one)
	// A literal is a token, with the white space inside it.
	whole := leaf || role == syntax.String && one.kind != "concatenated_string"
	if whole && !inside {
		b.token(one, start, end)
	} else if !inside {
		b.form.WriteString(one.kind + openMark)
	}
	b.children(one, inside || whole)
	if !whole && !inside {
		b.form.WriteString(closeMark)
	}
}

func (b *builder) children(to *node, inside bool) {
	if !b.cursor.GoToFirstChild() {
		return
	}
	for {
		b.add(to, inside)
		if !b.cursor.GoToNextSibling() {
			break
		}
	}
	b.cursor.GoToParent()
}

// token adds a token, and before it what the grammar skipped as wrong.
func (b *builder) token(n *node, start, end int) {
	skipped := ""
	if b.code.broken && b.end < start && !b.f.Framed(b.end) {
		skipped = strings.TrimSpace(string(b.f.Source[b.end:start]))
	}
	b.end = max(b.end, end)
	for i, text := range []string{skipped, string(b.f.Source[start:end])} {
		if strings.TrimSpace(text) != "" {
			b.code.tokens = append(b.code.tokens, token{text, i == 1 && keyword(n)})
			b.form.WriteString(tokenMark + text)
		}
	}
}

// keyword reports whether a leaf is a word of the language: the grammars know them as tokens
// without a name, or by a kind such as "this", "void_type" and "null_literal".
func keyword(n *node) bool {
	word := strings.ToLower(n.text)
	if word == "" || !unicode.IsLetter(rune(word[0])) || n.role == syntax.Identifier {
		return false
	}
	return !n.named || n.kind == word || n.kind == word+"_type" || n.kind == word+"_literal"
}

// words are the texts of the tokens.
func (c *code) words() []string {
	out := make([]string, len(c.tokens))
	for i, t := range c.tokens {
		out[i] = t.text
	}
	return out
}
