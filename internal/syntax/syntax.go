// Package syntax parses the files of a change with tree-sitter. Parse makes the trees of
// both sides once; smells and claims share them. A Table has the meaning of the node kinds
// of a language, so that a Role is the same in every language.
//
// The package makes no statements about a change: detectors are in smells, sentences in
// pseudoref/symbolic.
package syntax

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/limits"
)

// Fragment is a part of one side of a file with its tree: the whole file if it is known,
// else a hunk. Trees of hunks usually have ERROR nodes.
type Fragment struct {
	// Side is the side of the file.
	Side change.Side
	// Whole is set for a whole file. Hunk is the index of the hunk, -1 for a whole file.
	Whole bool
	Hunk  int
	// Lang is the language, Table the table of the language.
	Lang  lang.Name
	Table *Table
	// Source is the text that was parsed, Nodes its tree. The text of a hunk has a frame
	// around it; see Framed.
	Source []byte
	Nodes  *NodeList
	// List is set if the frame is a list of an unknown kind.
	List bool

	first int // number in the file of the first line of the text
	head  int // rows of the frame before it
	// The text of the change is Source[from:to]. The section heading of the hunk may
	// come before it, up to heading. The rest of Source is a frame that makes the text
	// valid for the grammar.
	heading, from, to int
	rows              int // lines of the text
}

// Root returns the tree's root node.
func (f *Fragment) Root() *Node { return f.Nodes.Root() }

// Text returns the source text of a node.
func (f *Fragment) Text(n *Node) string {
	return string(f.Source[n.StartByte():n.EndByte()])
}

// Lines returns the numbers of a node's first and last line in the file, counted from 1.
// The place of a hunk's heading is not known, so a node that starts there gets the first
// line of the hunk.
func (f *Fragment) Lines(n *Node) (first, last int) {
	end := n.EndPoint()
	row := int(end.Row)
	if end.Column == 0 && end.Row > n.StartPoint().Row {
		row-- // the node ends with a newline
	}
	return f.LinesOfRows(int(n.StartPoint().Row), row)
}

// Column returns the column of a node's first byte, counted from 0. The mark that some files
// begin with is no column.
func (f *Fragment) Column(n *Node) int {
	at := n.StartPoint()
	if at.Row == 0 && bytes.HasPrefix(f.Source, []byte("\ufeff")) {
		return max(int(at.Column)-len("\ufeff"), 0)
	}
	return int(at.Column)
}

// Cut reports whether a node begins before the lines of a hunk or ends after them.
func (f *Fragment) Cut(n *Node) bool { return f.InHeading(n) || int(n.EndByte()) > f.to }

// InHeading reports whether a node starts in the heading of a hunk. Its first words are
// known, but not its line.
func (f *Fragment) InHeading(n *Node) bool {
	return int(n.StartPoint().Row) < f.head
}

// File is a changed file with the trees of its two sides. Sides of languages
// without a grammar, binary files and texts beyond the limits have no fragments.
type File struct {
	*change.File
	// Old and New are the fragments of the two sides, in file order.
	Old, New []*Fragment
	// Unread is set if the limits left out a part of the file.
	Unread bool
}

// Fragments returns the fragments of a side, in file order.
func (f *File) Fragments(side change.Side) []*Fragment {
	if side == change.Old {
		return f.Old
	}
	return f.New
}

// Trees are the parsed files of a change.
type Trees struct {
	// Files has an entry for each file of the change, in the same order.
	Files []*File
	// Warnings say which files were not parsed and why.
	Warnings []string
}

// Parse parses every file of a change that has a grammar, within the limits. The error is
// ctx's own, or that of a grammar that cannot be used, wrapped with the file.
func Parse(ctx context.Context, c *change.Change) (*Trees, error) {
	t := &Trees{Files: make([]*File, 0, len(c.Files))}
	p := parser{
		effort: effort{limits.ChangeWork, limits.ChangeParseTime},
		bytes:  limits.ChangeParsed, fragments: limits.ChangeFragments, framed: limits.ChangeFramed,
	}
	unread := 0
	for i := range c.Files {
		f := &File{File: &c.Files[i]}
		t.Files = append(t.Files, f)
		if p.table = tableFor(f.File); p.table == nil || f.Binary {
			continue
		}
		p.reason, p.left = "", 0
		if err := p.file(ctx, f); err != nil {
			return nil, fmt.Errorf("parsing %s: %w", cmp.Or(f.Path(), "the file"), err)
		}
		if f.Unread = p.left > 0 || p.reason != ""; !f.Unread {
			continue
		}
		if unread++; unread <= limits.WarnedParses {
			t.Warnings = append(t.Warnings, cmp.Or(f.Path(), "the file")+": "+p.unread(len(f.Hunks)))
		}
	}
	if more := unread - limits.WarnedParses; more > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("pieces of %d more files were left out for the same limits", more))
	}
	return t, nil
}

// Unread is the number of files of which a part was beyond the limits.
func (t *Trees) Unread() int {
	n := 0
	for _, f := range t.Files {
		if f.Unread {
			n++
		}
	}
	return n
}

// unread is the warning for a file with that many hunks: the parts that were left out, and the reason.
func (p *parser) unread(hunks int) string {
	if hunks == 0 && p.left == 0 {
		return string(p.reason)
	}
	if p.left == 0 {
		return string(p.reason) + " as a whole: its hunks were parsed one by one"
	}
	return fmt.Sprintf("%s: %d pieces were left out; their lines are described one by one (limits: %d MiB a piece, %d MiB or %d pieces a change)",
		cmp.Or(p.reason, "too large to be parsed"), p.left, limits.FileParsed>>20, limits.ChangeParsed>>20, limits.ChangeFragments)
}

// parser parses a change. It holds the rest of the limits.
type parser struct {
	table            *Table
	effort           effort
	bytes, fragments int
	framed           int // see limits.ChangeFramed

	// Of the file that is being parsed:
	left   int       // pieces that were left out
	reason errUnread // why a piece within the size limits was not parsed
}

// file parses a file: both whole texts if they are known and within the limits, else both
// sides of each hunk. A piece beyond the limits is left out on both sides, since a single
// side would look like an added or removed text.
func (p *parser) file(ctx context.Context, f *File) error {
	oldText, okOld := f.Whole(change.Old)
	newText, okNew := f.Whole(change.New)
	if okOld && okNew && max(len(oldText), len(newText)) <= limits.FileParsed {
		if !p.affords(oldText, newText) {
			p.left++
			return nil
		}
		piece, err := p.wholePiece(ctx, f.File, [2]string{oldText, newText})
		if err == nil {
			f.add(piece)
			return nil
		}
		if !p.skips(err) {
			return err
		}
	}
	for i := range f.Hunks {
		if !p.affords(f.Hunks[i].Text(change.Old), f.Hunks[i].Text(change.New)) {
			p.left++
			continue
		}
		piece, err := p.hunkPiece(ctx, f.File, i)
		if err != nil {
			if !p.skips(err) {
				return err
			}
			p.left++
			continue
		}
		f.add(piece)
	}
	return nil
}

// skips reports whether an error is about a text beyond the limits.
func (p *parser) skips(err error) bool { return errors.As(err, &p.reason) }

// add adds the two sides of a piece. Either may be nil.
func (f *File) add(piece [2]*Fragment) {
	if piece[change.Old] != nil {
		f.Old = append(f.Old, piece[change.Old])
	}
	if piece[change.New] != nil {
		f.New = append(f.New, piece[change.New])
	}
}

// wholePiece parses the whole texts of both sides. Empty ones have no fragment.
func (p *parser) wholePiece(ctx context.Context, f *change.File, texts [2]string) ([2]*Fragment, error) {
	var piece [2]*Fragment
	var sides []*Fragment
	for side, text := range texts {
		if text != "" {
			piece[side] = &Fragment{
				Side: change.Side(side), Whole: true, Hunk: -1, Lang: f.Lang, Table: p.table, Source: []byte(text), first: 1, to: len(text),
			}
			sides = append(sides, piece[side])
		}
	}
	if err := p.parse(ctx, sides...); err != nil {
		return [2]*Fragment{}, err
	}
	return piece, nil
}

// affords takes the two sides of a piece off the limits. It reports whether they fit.
func (p *parser) affords(texts ...string) bool {
	bytes, n := 0, 0
	for _, text := range texts {
		if len(text) > limits.FileParsed {
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

// parse gives fragments their nodes: none, one, or both sides of a whole file.
func (p *parser) parse(ctx context.Context, sides ...*Fragment) error {
	var texts [][]byte
	for _, f := range sides {
		texts = append(texts, f.Table.masked(f.Source))
	}
	nodes, err := nodesOf(ctx, p.table, texts, &p.effort)
	if err != nil {
		return err
	}
	for i, f := range sides {
		f.Nodes = newNodeList(f, nodes[i])
		f.rows = bytes.Count(f.Source[f.from:f.to], []byte("\n"))
		if f.to > f.from && f.Source[f.to-1] != '\n' {
			f.rows++
		}
	}
	return nil
}

// Read returns a fragment of a whole file with another text, which has its lines in the
// same places. The error is ctx's own, or says why the text has no tree.
func (f *Fragment) Read(ctx context.Context, text []byte) (*Fragment, error) {
	p := parser{table: f.Table, effort: effort{workPerText + workPerByte*len(text), limits.ChangeParseTime}}
	out := &Fragment{Side: f.Side, Whole: f.Whole, Hunk: f.Hunk, Lang: f.Lang, Table: f.Table, Source: text, first: f.first, to: len(text)}
	if err := p.parse(ctx, out); err != nil {
		return nil, err
	}
	return out, nil
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

// Framed reports whether a node that starts at a byte of Source is part of the frame
// around a hunk, and not of the change.
func (f *Fragment) Framed(start int) bool {
	return start >= f.heading && start < f.from || f.Beyond(start)
}

// Headed reports whether a byte of Source lies in the section heading of a hunk. A node
// that starts there encloses the hunk, perhaps with other nodes between them.
func (f *Fragment) Headed(start int) bool { return start < f.heading }

// Beyond reports whether a byte of Source lies in the frame after the change.
func (f *Fragment) Beyond(start int) bool { return start >= f.to && f.to > 0 }
