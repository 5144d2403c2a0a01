// Package syntax is the tree-sitter plumbing that smells and claims share:
// each file of a change is parsed once, on both sides, and its trees are
// handed on. It also says what the node kinds of each language mean.
//
// It finds nothing and judges nothing: detectors live in smells, sentences in
// pseudoref/symbolic.
package syntax

import (
	"context"
	"fmt"
	"strings"
	"time"

	sitter "github.com/smacker/go-tree-sitter"

	"crscore/change"
	"crscore/internal/lang"
)

// MaxFileBytes is the size above which a side of a file is not parsed; such
// files are generated or minified, and their trees take a hundred times as much.
const MaxFileBytes = 4 << 20

// MaxParseTime bounds the parse of one fragment. Some grammars take a time that
// grows exponentially with nonsense. What takes longer is an error and not a
// missing tree, so that a slow machine gives no other claims than a fast one.
const MaxParseTime = 20 * time.Second

// Fragment is a stretch of one side of a file with its tree: the whole file
// where it is known, else one hunk of it, where ERROR nodes are normal.
type Fragment struct {
	Side   change.Side
	Whole  bool
	Hunk   int // index of the hunk, -1 for a whole file
	Lang   lang.Name
	Source []byte
	Tree   *sitter.Tree

	first int // number in the file of the first line that is not the heading
	head  int // lines of heading put before it: the hunk's section, 0 or 1
}

// Root returns the tree's root node.
func (f *Fragment) Root() *sitter.Node { return f.Tree.RootNode() }

// Text returns the source text of a node.
func (f *Fragment) Text(n *sitter.Node) string {
	return string(f.Source[n.StartByte():n.EndByte()])
}

// Lines returns the numbers, counted from 1, of a node's first and last line
// in its file. A node that starts in the heading of a hunk, whose place is not
// known, is said to start at the hunk's first line.
func (f *Fragment) Lines(n *sitter.Node) (first, last int) {
	end := n.EndPoint()
	row := int(end.Row)
	if end.Column == 0 && end.Row > n.StartPoint().Row {
		row-- // the node ends with a newline
	}
	first = f.first + max(int(n.StartPoint().Row)-f.head, 0)
	last = f.first + max(row-f.head, 0)
	return first, last
}

// InHeading tells whether a node starts in the heading of a hunk, so that its
// beginning is known but not where it stands.
func (f *Fragment) InHeading(n *sitter.Node) bool {
	return int(n.StartPoint().Row) < f.head
}

// File is a changed file with the trees of its two sides. Sides of languages
// without a grammar, binary files and oversized texts have no fragments.
type File struct {
	*change.File
	Old, New []*Fragment
}

// Fragments returns the fragments of a side, in file order.
func (f *File) Fragments(side change.Side) []*Fragment {
	if side == change.Old {
		return f.Old
	}
	return f.New
}

// Trees are the parsed files of a change, in its order.
type Trees struct {
	Files []*File
	// Warnings say which files were not parsed and why.
	Warnings []string
}

// Parse parses every file of a change for which there is a grammar. The caller
// must Close the result. A tree must not be used by two goroutines at once.
// The error is ctx's own, wrapped with the file.
func Parse(ctx context.Context, c *change.Change) (*Trees, error) {
	t := &Trees{Files: make([]*File, 0, len(c.Files))}
	for i := range c.Files {
		f := &File{File: &c.Files[i]}
		t.Files = append(t.Files, f)
		g := grammar(f.Lang)
		if g == nil || f.Binary {
			continue
		}
		for _, side := range []change.Side{change.Old, change.New} {
			frags, err := parseSide(ctx, g, f.File, side)
			if side == change.Old {
				f.Old = frags
			} else {
				f.New = frags
			}
			if err == errTooLarge {
				t.Warnings = append(t.Warnings, fmt.Sprintf("%s: the %s side is larger than %d MiB and was not parsed", f.Path(), side, MaxFileBytes>>20))
				continue
			}
			if err != nil {
				t.Close()
				return nil, fmt.Errorf("parsing the %s side of %s: %w", side, f.Path(), err)
			}
		}
	}
	return t, nil
}

// Close frees every tree. Nodes must not be used afterwards.
func (t *Trees) Close() {
	for _, f := range t.Files {
		for _, fr := range append(f.Old, f.New...) {
			fr.Tree.Close()
		}
		f.Old, f.New = nil, nil
	}
}

var errTooLarge = fmt.Errorf("larger than %d bytes", MaxFileBytes)

func parseSide(ctx context.Context, g *sitter.Language, f *change.File, side change.Side) ([]*Fragment, error) {
	// A file that is too large to parse may have hunks that are not.
	if text, ok := f.Whole(side); ok && len(text) <= MaxFileBytes {
		if text == "" {
			return nil, nil
		}
		fr := &Fragment{Side: side, Whole: true, Hunk: -1, Lang: f.Lang, Source: []byte(text), first: 1}
		if err := fr.parse(ctx, g, MaxParseTime); err != nil {
			return nil, err
		}
		return []*Fragment{fr}, nil
	}
	var out []*Fragment
	for i := range f.Hunks {
		h := &f.Hunks[i]
		text := h.Text(side)
		if strings.TrimSpace(text) == "" {
			continue
		}
		fr := &Fragment{Side: side, Hunk: i, Lang: f.Lang, first: h.NewStart}
		if side == change.Old {
			fr.first = h.OldStart
		}
		if h.Section != "" {
			text, fr.head = h.Section+"\n"+text, 1
		}
		fr.Source = []byte(text)
		if err := fr.parse(ctx, g, MaxParseTime); err != nil {
			for _, o := range out {
				o.Tree.Close()
			}
			return nil, err
		}
		out = append(out, fr)
	}
	return out, nil
}

// parse uses a parser of its own: after a cancelled parse a parser would go on
// with the old text.
func (f *Fragment) parse(ctx context.Context, g *sitter.Language, maxTime time.Duration) error {
	if len(f.Source) > MaxFileBytes {
		return errTooLarge
	}
	p := sitter.NewParser()
	defer p.Close()
	p.SetLanguage(g)
	limited, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	tree, err := p.ParseCtx(limited, nil, f.Source)
	switch {
	case err == nil:
		f.Tree = tree
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("it took longer than the limit of %v", maxTime)
	}
	return err
}

// LinesOfRows is Lines for rows of the fragment's text, counted from 0.
func (f *Fragment) LinesOfRows(a, b int) (first, last int) {
	return f.first + max(a-f.head, 0), f.first + max(b-f.head, 0)
}
