package revision

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
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

// The bytes between tokens and between runs. No text has them, since they are no UTF-8.
const (
	tokenMark = "\xff"
	runMark   = "\xfe"
)

// code is a text with what is compared of it. Comments, and what stands around the text to make it
// valid, are left out.
type code struct {
	text   string
	tokens []string
	// keywords tells which tokens are words of the language.
	keywords []bool
	// trees are the subtrees by their form, and shape is the form of all.
	trees []form
	shape form
	// flow is the data flow.
	flow []string
	// broken: the text has errors of syntax.
	broken bool
}

// form stands for a tree: the kinds of its named nodes.
type form [sha256.Size]byte

// node is a node of a tree. Its kids are nodes of the text alone.
type node struct {
	kind, field string
	named       bool
	role        syntax.Role
	text        string // of a node without children
	kids        []*node
}

// parse reads a text as a piece of a file.
func parse(ctx context.Context, l lang.Name, text string) (*code, error) {
	out := &code{text: text}
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
		reason, _, _ := strings.Cut(strings.TrimPrefix(strings.Join(trees.Warnings, "; "), "the file: "), ": ")
		return nil, errors.New(reason) // without the counts of pieces
	}
	b := builder{f: trees.Files[0].New[0], code: out}
	b.cursor, out.broken = b.f.Nodes.Cursor(b.f.Root()), b.f.Root().HasError()
	var root node
	b.add(&root, false)
	out.shape, out.flow = b.form(&root), dataFlow(&root)
	return out, nil
}

// dedent removes the indentation that all lines with code have.
func dedent(rows []string) {
	var common string
	blank := func(row string) bool { return strings.Trim(row, " \t") == "" }
	for i, row := range slices.DeleteFunc(slices.Clone(rows), blank) {
		if i == 0 {
			common = row[:len(row)-len(strings.TrimLeft(row, " \t"))]
		}
		for !strings.HasPrefix(row, common) {
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
}

// add adds the cursor's node to a node. inside: it is a part of a token.
func (b *builder) add(to *node, inside bool) {
	n := b.cursor.CurrentNode()
	role := b.f.Role(n)
	if role == syntax.Comment {
		return
	}
	if !b.f.Framed(int(n.StartByte())) {
		one := &node{kind: n.Type(), field: b.cursor.CurrentFieldName(), named: n.IsNamed(), role: role}
		to.kids = append(to.kids, one)
		to = one
		leaf := n.ChildCount() == 0
		if leaf {
			one.text = n.Content()
		}
		// A literal is a token, with the white space inside it.
		token := !inside && (leaf || role == syntax.String && one.kind != "concatenated_string")
		if token && strings.TrimSpace(n.Content()) != "" {
			b.code.tokens = append(b.code.tokens, n.Content())
			b.code.keywords = append(b.code.keywords, keyword(one))
		}
		inside = inside || token
	}
	for more := b.cursor.GoToFirstChild(); more; {
		b.add(to, inside)
		if more = b.cursor.GoToNextSibling(); !more {
			b.cursor.GoToParent()
		}
	}
}

// form returns the form of a node, and keeps those of the subtrees: of the nodes below it with children.
func (b *builder) form(n *node) form {
	key := []byte(n.kind)
	for _, k := range n.kids {
		if !k.named {
			continue
		}
		one := b.form(k)
		if key = append(key, one[:]...); len(k.kids) > 0 {
			b.code.trees = append(b.code.trees, one)
		}
	}
	return sha256.Sum256(key)
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
