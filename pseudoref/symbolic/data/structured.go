// Package data tells what happened in files that are no programs: structured files by their keys and elements,
// documents by their sections. Both are compared by their outlines; what keys are called is in tables.
//
// Trees of code may not come in, and nothing of one file of one project.
package data

import (
	"cmp"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/limits"
	"crscore/internal/outline"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/texts"
)

// Files that are no programs are compared by their outlines: the whole texts where they are known, else each hunk.
// nodes.go tells their edits, documents.go those of documents.

// teller makes claims from the edits of one piece of a structured file.
type teller struct {
	*fact.Collector
	file   *syntax.File
	format outline.Format
	start  [2]int // the number of the first line of either side
	whole  bool   // the whole texts are compared, not hunks
}

// Tell makes the claims about a file that is no program. It answers false if the file has no outline. What an outline
// does not show, such as the kind of quotation marks around a value, is not told.
func Tell(c *fact.Collector, f *syntax.File) bool {
	format := outline.FormatOf(f.Path(), f.Lang)
	if format == outline.None {
		return false
	}
	t := &teller{Collector: c, file: f, format: format}
	before, okOld := f.Whole(change.Old)
	after, okNew := f.Whole(change.New)
	if t.whole = okOld && okNew && max(len(before), len(after)) <= limits.FileOutlined; t.whole {
		t.start = [2]int{1, 1}
		t.piece(before, after, outline.Input{Format: format, Whole: true})
	}
	for i := 0; i < len(f.Hunks) && !t.whole; i++ {
		h := &f.Hunks[i]
		t.start = [2]int{h.OldStart, h.NewStart}
		start := h.OldStart <= 1 && h.NewStart <= 1 && h.Section == "" // nothing stands above it
		t.piece(h.Text(change.Old), h.Text(change.New), outline.Input{Format: format, Whole: start, Heading: h.Section})
	}
	return true
}

// piece compares the two sides of a file or a hunk.
func (t *teller) piece(before, after string, in outline.Input) {
	in.Text = before
	a := outline.Read(in)
	in.Text = after
	b := outline.Read(in)
	edits := outline.Diff(a, b)
	for _, e := range edits {
		switch n := cmp.Or(e.New, e.Old); {
		case t.Full(): // the rest would not be kept
		case n.Kind == outline.Comment:
			t.commentEdit(e)
		case t.format == outline.Markdown:
			t.documentEdit(e)
		default:
			t.nodeEdit(e)
		}
	}
	if len(edits) == 0 && t.whole && len(t.Facts) == 0 {
		t.Add("formatting-only", "", fact.Changing(t.file.File), fact.Slots{Form: "order"})
	}
}

// say adds a fact about the node of an edit. Its lines are those of the new node where there
// is one. Facts about documents rank below facts about other files.
func (t *teller) say(e outline.Edit, id, where string, s fact.Slots, names ...string) *fact.Fact {
	f := t.Add(id, where, fact.Lines{Side: change.New}, s, names...)
	switch {
	case t.format == outline.Markdown && f.Weight > headingWeight:
		f.Weight = docsWeight
	case strings.HasPrefix(id, "line-"): // one that the format does not know
		f.Weight = fact.Detail
	}
	for side, n := range []*outline.Node{e.Old, e.New} {
		if n != nil {
			f.Side = change.Side(side)
			f.First, f.Last = t.start[side]+n.First, t.start[side]+n.Last
		}
	}
	return f
}

// commentEdit tells what became of a comment.
func (t *teller) commentEdit(e outline.Edit) {
	id, all := "comment-"+fact.Verb(e.New != nil), texts.Comment(cmp.Or(e.New, e.Old).Value, "", e.New != nil)
	if e.Old != nil && e.New != nil {
		id, all = "comment-changed", texts.CommentChanged(e.Old.Value, e.New.Value, "")
	}
	for _, s := range all {
		t.say(e, id, "", s)
	}
}

// wording says which words of a text were replaced.
func (t *teller) wording(e outline.Edit, id, where, object, from, to string) {
	// In prose, more words beside those that changed show what it is about.
	beside := phrase.Either(t.format == outline.Markdown && !e.Renamed, texts.BesideDocs, texts.BesideWords)
	for _, s := range texts.Retold(object, from, to, beside) {
		t.say(e, id, where, s)
	}
}

// All returns the rules about structured files.
func All() []fact.Rule { return slices.Concat(documentRules(), nodeRules(), versionRules()) }
