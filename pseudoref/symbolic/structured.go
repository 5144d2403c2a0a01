package symbolic

import (
	"cmp"
	"path"
	"slices"
	"sort"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/change"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/outline"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"
)

// Files that are no programs are compared by their outlines: the whole texts
// where they are known, else each hunk. nodes.go tells their edits, documents.go those of
// documents.

// teller makes claims from the edits of one piece of a structured file.
type teller struct {
	*writer
	format outline.Format
	nouns  []string // of the dialect
	lines  [2][]int // the line numbers of the rows of either side of a hunk
	whole  bool
	// covered are the lines of either side that claims are about.
	covered [2][]tree.Span
}

// maxOutlineBytes is the size above which a text is compared hunk by hunk.
const maxOutlineBytes = 1 << 20

// structured makes the claims about a file that is no program. It answers false
// where the file has no outline.
func (w *writer) structured() bool {
	format := outline.FormatOf(w.file.Path(), w.file.Lang)
	if format == outline.None {
		return false
	}
	t := &teller{writer: w, format: format}
	before, okOld := w.file.Whole(change.Old)
	after, okNew := w.file.Whole(change.New)
	if t.whole = okOld && okNew && max(len(before), len(after)) <= maxOutlineBytes; t.whole {
		t.piece(outline.Input{Format: format, Text: before, Whole: true}, outline.Input{Format: format, Text: after, Whole: true})
	}
	for i := 0; i < len(w.file.Hunks) && !t.whole; i++ {
		h := &w.file.Hunks[i]
		t.lines = [2][]int{}
		for k := range h.Lines {
			for _, side := range []change.Side{change.Old, change.New} {
				if n := h.Lines[k].Number(side); n != 0 {
					t.lines[side] = append(t.lines[side], n)
				}
			}
		}
		start := h.OldStart <= 1 && h.NewStart <= 1 && h.Section == ""
		t.piece(outline.Input{Format: format, Text: h.Text(change.Old), Whole: start, Heading: h.Section},
			outline.Input{Format: format, Text: h.Text(change.New), Whole: start, Heading: h.Section})
	}
	for i := range w.file.Hunks {
		if same := t.whole && len(t.Facts) == 1 && t.Facts[0].Rule.ID == "formatting-only"; format != outline.Markdown && !same && !t.told(i) {
			w.lines(i)
		}
	}
	return true
}

// piece compares the two sides of a file or a hunk.
func (t *teller) piece(before, after outline.Input) {
	a, b := outline.Read(before), outline.Read(after)
	t.nouns = nounsOf(t.file.Path(), t.format, a, b)
	edits := outline.Diff(a, b)
	for _, e := range edits {
		if !t.Full() && t.believes(e) {
			t.edit(e)
		}
	}
	if len(edits) == 0 && t.whole && len(t.Facts) == 0 {
		f := t.writer.add(tree.Node{}, "formatting-only", "", fact.Slots{Form: "order"})
		f.First, f.Last = t.changedRange(change.New)
	}
}

// edit hands an edit to those who know its subject.
func (t *teller) edit(e outline.Edit) {
	switch n := cmp.Or(e.New, e.Old); {
	case n.Kind == outline.Comment:
		t.commentEdit(e)
	case t.format == outline.Markdown:
		t.documentEdit(e)
	default:
		t.nodeEdit(e)
	}
}

// believes tells whether an edit lies on changed lines. Where a hunk leaves out
// what its lines belong to, the two sides can be misread in two ways.
func (t *teller) believes(e outline.Edit) bool {
	on := func(n *outline.Node, side change.Side, touch bool) bool {
		if n == nil {
			return false
		}
		first, last := t.lineRange(n, side)
		if !touch {
			last = first
		}
		lines := t.changedLines(side)
		i := sort.SearchInts(lines, first)
		return i < len(lines) && lines[i] <= last
	}
	both := e.Old != nil && e.New != nil
	return on(e.Old, change.Old, both || t.whole) || on(e.New, change.New, both || t.whole)
}

func (t *teller) lineRange(n *outline.Node, side change.Side) (first, last int) {
	lines := t.lines[side]
	switch {
	case t.whole:
		return n.First + 1, max(n.First, n.Last) + 1
	case len(lines) == 0:
		return 0, 0
	}
	return lines[min(n.First, len(lines)-1)], lines[min(max(n.First, n.Last), len(lines)-1)]
}

// add adds a fact about the node of an edit: the new one where there is one. What
// documents say ranks below what is said of other files.
func (t *teller) add(e outline.Edit, id, where string, s fact.Slots, names ...string) *fact.Fact {
	f := t.writer.add(tree.Node{}, id, where, s, names...)
	switch {
	case t.format == outline.Markdown && f.Weight > headingWeight:
		f.Weight = docsWeight
	case strings.HasPrefix(id, "line-"): // one that the format does not know
		f.Weight = fact.Detail
	}
	t.locate(f, e)
	return f
}

// locate gives a claim the lines of an edit, which it covers.
func (t *teller) locate(f *fact.Fact, e outline.Edit) {
	for side, n := range []*outline.Node{e.Old, e.New} {
		if n != nil {
			f.Side = change.Side(side)
			f.First, f.Last = t.lineRange(n, f.Side)
			t.covered[side] = append(t.covered[side], tree.Span{First: f.First, Last: f.Last})
		}
	}
}

// told tells whether claims are about changed lines of a hunk.
func (t *teller) told(hunk int) bool {
	for _, l := range t.file.Hunks[hunk].Lines {
		side := change.New
		if l.Op == change.Delete {
			side = change.Old
		}
		is := func(s tree.Span) bool { return s.First <= l.Number(side) && l.Number(side) <= s.Last }
		if l.Op != change.Context && slices.ContainsFunc(t.covered[side], is) {
			return true
		}
	}
	return false
}

// commentEdit tells what became of a comment.
func (t *teller) commentEdit(e outline.Edit) {
	n, from := cmp.Or(e.New, e.Old), len(t.Facts)
	switch {
	case e.Old != nil && e.New != nil:
		t.textsOfComment(tree.Node{}, e.Old.Value, e.New.Value, phrase.Place{})
	case looksLikeCode(n.Value):
		t.writer.add(tree.Node{}, "comment-"+verb(e.New != nil), "", fact.Slots{Form: "code"})
	default:
		t.remarked(tree.Node{}, n.Value, phrase.Place{}, e.New != nil)
	}
	for _, f := range t.Facts[from:] {
		t.locate(f, e)
	}
}

// wording says which words of a text were replaced.
func (t *teller) wording(e outline.Edit, id, where, object, from, to string) {
	if len(from) > 1 && len(to) > 1 && from[len(from)-1] == to[len(to)-1] && strings.IndexByte(".!?:", to[len(to)-1]) >= 0 {
		from, to = from[:len(from)-1], to[:len(to)-1]
	}
	for _, s := range retold(object, from, to, phrase.Either(t.format == outline.Markdown && !e.Renamed, besideDocs, besideWords)) {
		t.add(e, id, where, s)
	}
}

// The names of files that tools write, and what such files say at their beginning.
var (
	lockFile       = regexp.MustCompile(`(?i)(?:[.-]lock(?:file|b|\.json|\.yaml)?|^go(?:\.work)?\.sum|^npm-shrinkwrap\.json)$`)
	writtenByTools = regexp.MustCompile(`(?i)(?:\.(?:js|css)\.map|\.min\.\w+|\.bundle\.js|_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)|\.g\.dart|\.designer\.cs|\.snap)$`)
	saysGenerated  = regexp.MustCompile(`(?i)(?:generated\b.*\bdo not (?:edit|modify)|^\W*@generated\b|this (?:is an autogenerated file|file is automatically (?:@)?generated))`)
)

// minifiedLine is the length from which nobody wrote a changed line of a script by hand.
const minifiedLine = 5000

// byTool says that a lock file, or another file that a tool writes, was
// changed; more there is not to say. It answers false for other files.
func (w *writer) byTool() bool {
	name, noun := path.Base(w.file.Path()), "the generated file"
	text, _ := w.file.Whole(change.New)
	generated := writtenByTools.MatchString(name) || saysGenerated.MatchString(text[:min(len(text), 400)])
	for i := range w.file.Hunks {
		for _, l := range w.file.Hunks[i].Lines {
			generated = generated || l.NewLine > 0 && l.NewLine <= 5 && saysGenerated.MatchString(phrase.Cut(l.Text, 300)) ||
				l.Op != change.Context && len(l.Text) > minifiedLine && (w.file.Lang == lang.JavaScript || w.file.Lang == lang.CSS)
		}
	}
	if lockFile.MatchString(name) {
		noun, generated = "the lock file", true
	}
	if generated && w.file.Status == change.Modified {
		f := w.add(tree.Node{}, "generated", "", fact.Slots{Object: noun + " " + phrase.Code(name)})
		f.First, f.Last = w.changedRange(change.New)
	}
	return generated
}

// documents tells whether files are nothing but documents.
func documents(files []*syntax.File) bool {
	for _, f := range files {
		switch ext := strings.ToLower(path.Ext(f.Path())); {
		case f.Lang == lang.Markdown, ext == ".rst", ext == ".adoc":
		default:
			return false
		}
	}
	return true
}

func structuredRules() []fact.Rule {
	return []fact.Rule{
		fact.Claim("generated", fact.Detail, "{object} was updated"),
		fact.Implication("docs-only", "only documentation was changed, so the behaviour of the code stays the same"),
	}
}
