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
	t := tree{trees.Files[0].New[0]}
	top := t.kids(nil)
	t.addTokens(top, out)
	out.broken, out.shape, out.flow = t.Root().HasError(), sha256.Sum256(t.addForms(top, out)), t.dataFlow(top)
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

// tree is a tree of syntax without comments and without the frame around a text. Its depth is at
// most limits.TreeDepth.
type tree struct{ *syntax.Fragment }

// kids are the children of a node, or the nodes at the top for nil. A node of the frame stands for its children.
func (t tree) kids(n *syntax.Node) (out []*syntax.Node) {
	add := func(k *syntax.Node) {
		switch {
		case t.Role(k) == syntax.Comment:
		case t.Framed(int(k.StartByte())):
			out = append(out, t.kids(k)...)
		default:
			out = append(out, k)
		}
	}
	if n == nil {
		add(t.Root())
		return out
	}
	for i := range int(n.ChildCount()) {
		add(n.Child(i))
	}
	return out
}

// addTokens adds the tokens of nodes. A literal is a token, with the white space inside it.
func (t tree) addTokens(nodes []*syntax.Node, to *code) {
	for _, n := range nodes {
		if n.ChildCount() > 0 && (t.Role(n) != syntax.String || n.Type() == "concatenated_string") {
			t.addTokens(t.kids(n), to)
		} else if strings.TrimSpace(n.Content()) != "" {
			to.tokens, to.keywords = append(to.tokens, n.Content()), append(to.keywords, t.keyword(n))
		}
	}
}

// keyword reports whether a token is a word of the language: its kind is the word itself, or such as
// "void_type" and "null_literal".
func (t tree) keyword(n *syntax.Node) bool {
	word := strings.ToLower(n.Content())
	if !unicode.IsLetter(rune(word[0])) || t.Role(n) == syntax.Identifier {
		return false
	}
	return slices.Contains([]string{word, word + "_type", word + "_literal"}, n.Type())
}

// addForms returns the forms of the named ones of nodes, and adds those of the subtrees: of the nodes
// with children.
func (t tree) addForms(nodes []*syntax.Node, to *code) (forms []byte) {
	for _, n := range nodes {
		if !n.IsNamed() {
			continue
		}
		kids := t.kids(n)
		one := sha256.Sum256(append([]byte(n.Type()), t.addForms(kids, to)...))
		if forms = append(forms, one[:]...); len(kids) > 0 {
			to.trees = append(to.trees, one)
		}
	}
	return forms
}
