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
	List   bool // the frame is a list of an unknown kind
	nodes  *NodeList

	first int // number in the file of the first line of the text
	head  int // rows of the frame before it
	// The text of the change is Source[from:to]; before it may stand the section
	// heading of the hunk, up to heading. The rest of Source is a frame that makes
	// the grammar understand it.
	heading, from, to int
	rows              int // lines of the text
}

// Root returns the tree's root node.
func (f *Fragment) Root() *sitter.Node { return f.Tree.RootNode() }

// Text returns the source text of a node.
func (f *Fragment) Text(n *Node) string {
	return string(f.Source[n.StartByte():n.EndByte()])
}

// Lines returns the numbers, counted from 1, of a node's first and last line
// in its file. A node that starts in the heading of a hunk, whose place is not
// known, is said to start at the hunk's first line.
func (f *Fragment) Lines(n *Node) (first, last int) {
	end := n.EndPoint()
	row := int(end.Row)
	if end.Column == 0 && end.Row > n.StartPoint().Row {
		row-- // the node ends with a newline
	}
	return f.LinesOfRows(int(n.StartPoint().Row), row)
}

// Cut tells whether a node begins before the lines of a hunk or ends after them.
func (f *Fragment) Cut(n *Node) bool { return f.InHeading(n) || int(n.EndByte()) > f.to }

// InHeading tells whether a node starts in the heading of a hunk, so that its
// beginning is known but not where it stands.
func (f *Fragment) InHeading(n *Node) bool {
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
	p := parser{deadline: time.Now().Add(MaxParseTime), bytes: MaxChangeBytes, fragments: MaxFragments, framed: maxFramedBytes}
	for i := range c.Files {
		f := &File{File: &c.Files[i]}
		t.Files = append(t.Files, f)
		if p.table = tableFor(f.File); p.table == nil || f.Binary {
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
	framed           int // see maxFramedBytes
}

// file parses a file: both whole texts where they are known and not too large,
// else both sides of each hunk. A piece beyond the limits is left out on both
// sides, for a side alone would look as if the other were empty. It returns the
// number of pieces left out.
func (p *parser) file(ctx context.Context, f *File) (left int, err error) {
	oldText, okOld := f.Whole(change.Old)
	newText, okNew := f.Whole(change.New)
	if okOld && okNew && max(len(oldText), len(newText)) <= MaxFileBytes {
		if !p.affords(oldText, newText) {
			return 1, nil
		}
		piece, err := p.wholePiece(ctx, f.File, [2]string{oldText, newText})
		f.add(piece)
		return 0, err
	}
	for i := range f.Hunks {
		if !p.affords(f.Hunks[i].Text(change.Old), f.Hunks[i].Text(change.New)) {
			left++
			continue
		}
		piece, err := p.hunkPiece(ctx, f.File, i)
		if err != nil {
			return 0, err
		}
		f.add(piece)
	}
	return left, nil
}

// add takes the two sides of a piece, of which either may be nil.
func (f *File) add(piece [2]*Fragment) {
	if piece[change.Old] != nil {
		f.Old = append(f.Old, piece[change.Old])
	}
	if piece[change.New] != nil {
		f.New = append(f.New, piece[change.New])
	}
}

// wholePiece parses the whole texts of both sides. Empty ones have no fragment.
func (p *parser) wholePiece(ctx context.Context, f *change.File, texts [2]string) (piece [2]*Fragment, err error) {
	for side, text := range texts {
		if text == "" {
			continue
		}
		fr := &Fragment{Side: change.Side(side), Whole: true, Hunk: -1, Lang: f.Lang, Table: p.table, Source: []byte(text), first: 1, to: len(text)}
		if err := fr.parse(ctx, p.deadline); err != nil {
			closeAll(piece[:])
			return [2]*Fragment{}, err
		}
		piece[side] = fr
	}
	return piece, nil
}

// affords takes the two sides of a piece off the limits, unless they are beyond
// them.
func (p *parser) affords(texts ...string) bool {
	bytes, n := 0, 0
	for _, text := range texts {
		if len(text) > MaxFileBytes {
			return false
		}
		if strings.TrimSpace(text) != "" {
			bytes += len(text)
			n++
		}
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
		f.rows = strings.Count(string(f.Source[f.from:f.to]), "\n")
		if f.to > f.from && f.Source[f.to-1] != '\n' {
			f.rows++
		}
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
	rows := max(f.rows-1, 0)
	return f.first + min(max(a-f.head, 0), rows), f.first + min(max(b-f.head, 0), rows)
}

// Rest is the text of the hunk, without its frame, from a byte of Source on.
func (f *Fragment) Rest(start int) []byte {
	if f.Whole || f.to < start {
		return f.Source[min(start, len(f.Source)):]
	}
	return f.Source[start:f.to]
}

// Framed tells whether a node that starts at a byte of Source is part of the
// frame that was put around a hunk, and not of the change.
func (f *Fragment) Framed(start int) bool {
	return start >= f.heading && start < f.from || f.Beyond(start)
}

// Headed tells whether a byte of Source lies in the section heading of a hunk:
// what begins there is around the hunk, but other things may stand between.
func (f *Fragment) Headed(start int) bool { return start < f.heading }

// Beyond tells whether a byte of Source lies in the frame after the change.
func (f *Fragment) Beyond(start int) bool { return start >= f.to && f.to > 0 }
