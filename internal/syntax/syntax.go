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

// Limits of what is parsed. A tree takes some sixty times the memory of its
// text, and four hundred times that of nonsense. What is beyond is left out with
// a warning, the same on every machine.
const (
	// MaxFileBytes is the size above which a text is not parsed as a whole: it is
	// generated or minified. Its hunks still are, one by one.
	MaxFileBytes = 1 << 20
	// MaxChangeBytes and MaxFragments bound all texts of a change together.
	MaxChangeBytes = 4 << 20
	MaxFragments   = 4000
	// MaxParseTime bounds the parse of a change. Some grammars take a time that
	// grows exponentially with nonsense. What takes longer is an error and not a
	// missing tree, so that a slow machine gives no other claims than a fast one.
	MaxParseTime = 20 * time.Second
)

// Fragment is a stretch of one side of a file with its tree: the whole file
// where it is known, else one hunk of it, where ERROR nodes are normal.
type Fragment struct {
	Side   change.Side
	Whole  bool
	Hunk   int // index of the hunk, -1 for a whole file
	Lang   lang.Name
	Table  *Table // of Lang
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

// Parse parses every file of a change for which there is a grammar, within the
// limits. The caller must Close the result. A tree must not be used by two
// goroutines at once. The error is ctx's own, or that parsing took too long,
// wrapped with the file.
func Parse(ctx context.Context, c *change.Change) (*Trees, error) {
	t := &Trees{Files: make([]*File, 0, len(c.Files))}
	p := parser{deadline: time.Now().Add(MaxParseTime), bytes: MaxChangeBytes, fragments: MaxFragments}
	for i := range c.Files {
		f := &File{File: &c.Files[i]}
		t.Files = append(t.Files, f)
		if p.table = TableOf(f.Lang); p.table == nil || f.Binary {
			continue
		}
		left, err := p.file(ctx, f)
		if err != nil {
			t.Close()
			return nil, fmt.Errorf("parsing %s: %w", showPath(f.Path()), err)
		}
		if left > 0 {
			t.Warnings = append(t.Warnings, fmt.Sprintf("%s: too large to be parsed: %d pieces were left out (limits: %d MiB a piece, %d MiB or %d pieces a change)",
				showPath(f.Path()), left, MaxFileBytes>>20, MaxChangeBytes>>20, MaxFragments))
		}
	}
	return t, nil
}

func showPath(p string) string {
	if p == "" {
		return "the file"
	}
	return p
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

// parser parses one change and holds what is left of its limits.
type parser struct {
	table            *Table
	deadline         time.Time
	bytes, fragments int
}

// file parses a file: both whole texts where they are known and not too large,
// else both sides of each hunk. A piece beyond the limits is left out on both
// sides, for a side alone would look as if the other were empty. It returns the
// number of pieces left out.
func (p *parser) file(ctx context.Context, f *File) (left int, err error) {
	var pieces [][2]*Fragment
	oldText, okOld := f.Whole(change.Old)
	newText, okNew := f.Whole(change.New)
	if okOld && okNew && max(len(oldText), len(newText)) <= MaxFileBytes {
		piece := [2]*Fragment{}
		for side, text := range []string{oldText, newText} {
			if text != "" {
				piece[side] = &Fragment{Side: change.Side(side), Whole: true, Hunk: -1, Lang: f.Lang, Source: []byte(text), first: 1}
			}
		}
		pieces = append(pieces, piece)
	} else {
		for i := range f.Hunks {
			pieces = append(pieces, [2]*Fragment{hunkFragment(f.File, i, change.Old), hunkFragment(f.File, i, change.New)})
		}
	}
	for _, piece := range pieces {
		if !p.affords(piece) {
			left++
			continue
		}
		for _, fr := range piece {
			if fr == nil {
				continue
			}
			fr.Table = p.table
			if err := fr.parse(ctx, p.deadline); err != nil {
				return 0, err
			}
			if fr.Side == change.Old {
				f.Old = append(f.Old, fr)
			} else {
				f.New = append(f.New, fr)
			}
		}
	}
	return left, nil
}

// hunkFragment is one side of a hunk, nil where there is nothing on it.
func hunkFragment(f *change.File, hunk int, side change.Side) *Fragment {
	h := &f.Hunks[hunk]
	text := h.Text(side)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	fr := &Fragment{Side: side, Hunk: hunk, Lang: f.Lang, first: h.NewStart}
	if side == change.Old {
		fr.first = h.OldStart
	}
	if h.Section != "" {
		text, fr.head = h.Section+"\n"+text, 1
	}
	if f.Lang == lang.PHP && !strings.Contains(text, "<?") && !strings.Contains(text, "?>") && !strings.HasPrefix(strings.TrimSpace(text), "<") {
		// Without its tag, PHP's grammar reads everything as text.
		if fr.head == 0 {
			text, fr.head = "\n"+text, 1
		}
		text = "<?php " + text
	}
	fr.Source = []byte(text)
	return fr
}

// affords takes the two sides of a piece off the limits, unless they are beyond
// them.
func (p *parser) affords(piece [2]*Fragment) bool {
	bytes, n := 0, 0
	for _, f := range piece {
		if f == nil {
			continue
		}
		if len(f.Source) > MaxFileBytes {
			return false
		}
		bytes += len(f.Source)
		n++
	}
	if bytes > p.bytes || n > p.fragments {
		return false
	}
	p.bytes -= bytes
	p.fragments -= n
	return true
}

// parse uses a parser of its own: after a cancelled parse a parser would go on
// with the old text.
func (f *Fragment) parse(ctx context.Context, deadline time.Time) error {
	p := sitter.NewParser()
	defer p.Close()
	p.SetLanguage(f.Table.grammar())
	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	tree, err := p.ParseCtx(limited, nil, f.Table.masked(f.Source))
	switch {
	case err == nil:
		f.Tree = tree
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("the change took longer to parse than the limit of %v", MaxParseTime)
	}
	return err
}

// LinesOfRows is Lines for rows of the fragment's text, counted from 0.
func (f *Fragment) LinesOfRows(a, b int) (first, last int) {
	return f.first + max(a-f.head, 0), f.first + max(b-f.head, 0)
}
