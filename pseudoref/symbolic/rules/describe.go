package rules

import (
	"slices"
	"sort"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/treediff"
)

// writer collects the facts of one file.
type writer struct {
	*fact.Collector
	file *syntax.File
	// work is what is left of the work for trees of the change, tooMuch counts the pieces that took more.
	work    *int
	tooMuch int
	// changed holds the changed lines of each side, once they are asked for.
	changed [2][]int
	// newWords is the tree of the new text, in which names are counted; nil where only hunks are known.
	newWords   *tree.Tree
	same       *treediff.Matching      // of the two trees; nil where there is only one
	moved      map[tree.Node]tree.Node // code in another place: old to new and new to old
	resulted   map[tree.Node]bool      // statements whose results were told
	done       map[tree.Node]bool      // nodes that an earlier claim took in
	fresh      map[tree.Node]bool      // nodes that edits add or remove
	freshCalls map[callOn]bool         // in what edits add or remove on the other side; nil until they are asked for
	newTree    *tree.Tree              // the new side of what is compared
}

// add adds a fact about a node under a rule of the catalogue. Names fill the slot {names};
// the fact is merged with facts that differ only in their names.
func (w *writer) add(n tree.Node, id, place string, s fact.Slots, names ...string) *fact.Fact {
	at := fact.Lines{Side: change.New}
	if !n.Ok() {
		return w.Add(id, place, at, s, names...)
	}
	at.Side = n.Frag.Side
	at.First, at.Last = n.LineRange()
	if s.Hold(fact.Nothing) || slices.Contains(names, fact.Nothing) {
		return (&fact.Fact{}).As(w.Rules.Get(id), s) // a claim without a name is none
	}
	f := w.Add(id, place, at, s, names...)
	f.Test = inTest(n)
	return f
}

// inTest tells whether a node is a test or stands in one.
func inTest(n tree.Node) bool {
	n = tree.Unnested(n)
	return phrase.PlaceOf(n).Test || n.Role().IsFunction() && phrase.IsTest(n, tree.NameOf(n))
}

// changedLines lists the changed lines of a side.
func (w *writer) changedLines(side change.Side) []int {
	if w.changed[side] == nil {
		w.changed[side] = w.file.ChangedLines(side)
	}
	return w.changed[side]
}

// changes tells whether a node lies on changed lines: whether it starts on one or, if that is enough, touches one.
func (w *writer) changes(n tree.Node, touch bool) bool {
	first, last := n.LineRange()
	if !touch {
		last = first
	}
	lines := w.changedLines(n.Frag.Side)
	i := sort.SearchInts(lines, first)
	return i < len(lines) && lines[i] <= last
}

// believable drops edits that lie on no changed line. Whole files hardly have any; broken hunks do, where the two
// sides are misread in two ways. It answers false when a hunk has such edits.
func (w *writer) believable(edits []treediff.Edit) ([]treediff.Edit, bool) {
	out, ok := edits[:0:0], true
	for _, e := range edits {
		if !e.New.Ok() && e.Old.Text() == syntax.Unseen {
			continue // what goes on with it is told
		}
		if e.Move || w.onChangedLines(e) { // a move is from or to what was changed around it
			out = append(out, e)
		} else {
			ok = false
		}
	}
	return out, ok
}

// onChangedLines tells whether what an edit is about lies on changed lines.
func (w *writer) onChangedLines(e treediff.Edit) bool {
	if e.Old.Ok() && e.New.Ok() {
		return w.changes(e.Old, true) || w.changes(e.New, true) // one side may stand on a line that stayed
	}
	n := phrase.Either(e.New.Ok(), e.New, e.Old)
	return w.changes(n, e.Link || n.Frag.Whole)
}

// misread tells whether the grammar stumbles within a changed line of a hunk.
// Errors over many lines come from what the hunk leaves out and mean nothing.
func (w *writer) misread(t *tree.Tree) bool {
	if t == nil || t.Frag.Whole {
		return false
	}
	for _, row := range t.ErrorRows {
		line, _ := t.Frag.LinesOfRows(row, row)
		if _, ok := slices.BinarySearch(w.changedLines(t.Frag.Side), line); ok {
			return true
		}
	}
	return false
}

// trees compares the two sides of a file or a hunk. It answers false when the trees of a hunk contradict its lines.
func (w *writer) trees(a, b *tree.Tree) bool {
	w.resulted, w.moved, w.done = map[tree.Node]bool{}, map[tree.Node]tree.Node{}, map[tree.Node]bool{}
	w.fresh = map[tree.Node]bool{}
	w.same, w.newWords, w.newTree, w.freshCalls = nil, nil, b, nil
	if (a == nil || a.Frag.Whole) && (b == nil || b.Frag.Whole) {
		w.newWords = b // a hunk cannot tell whether a name is used elsewhere
	}
	var edits []treediff.Edit
	var rs []rename
	switch {
	case a != nil && b != nil:
		edits, w.same = treediff.Diff(a.Root(), b.Root())
		if rs = renamed(edits, w.same); len(rs) > 0 {
			readAs(b, rs) // what only mentions a renamed name is no edit
			edits, w.same = treediff.Diff(a.Root(), b.Root())
		}
		if len(edits) == 0 && len(rs) == 0 && a.Root().Hash() == b.Root().Hash() {
			w.respaced(b)
			w.throughout("formatting-only", w.layout())
			return true
		}
	case b != nil: // a new file, or a hunk that only adds
		edits = phrase.Each(b.Root().Kids(), func(k tree.Node) treediff.Edit { return treediff.Edit{New: k, NewIn: b.Root()} })
	case a != nil:
		edits = phrase.Each(a.Root().Kids(), func(k tree.Node) treediff.Edit { return treediff.Edit{Old: k, OldIn: a.Root()} })
	}
	edits, ok := w.believable(edits)
	for _, e := range edits {
		switch {
		case e.Move: // asked for by what came around it
			w.moved[e.Old], w.moved[e.New] = e.New, e.Old
		case !e.New.Ok():
			w.fresh[e.Old] = true
		case !e.Old.Ok():
			w.fresh[e.New] = true
		}
	}
	w.sayRenames(rs)
	w.describe(w.couple(edits))
	if w.same != nil {
		w.respaced(b)
	}
	return ok && !w.misread(a) && !w.misread(b) // else the lines are told, which are never wrong
}

// describe says what each edit does. A condition, an assertion or a call that an earlier claim told whole is not told
// again for the edits in it. What comes of an edit is said only where there was something to say of the edit.
func (w *writer) describe(edits []treediff.Edit) {
	for i := range edits {
		if w.Full() {
			return
		}
		e := &edits[i]
		if !e.Move && (e.Old.Ok() && w.done[e.Old] || e.New.Ok() && w.done[e.New]) {
			continue
		}
		before := len(w.Facts)
		switch {
		case (!e.Old.Ok() || !e.New.Ok()) && !e.Link && e.OldIn.Is(syntax.Binary) && w.condition(*e):
		case e.Move:
			w.move(*e)
		case e.Old.Ok() && e.New.Ok():
			w.replaced(*e)
		case e.New.Ok():
			w.single(e.New, *e, true)
		default:
			w.single(e.Old, *e, false)
		}
		if len(w.Facts) > before {
			w.results(*e) // what becomes of a value, and what a new condition guards
		}
	}
}

// couple joins a statement that went with the one that came in its place: what removed
// `return a` and added `return b` is told as what became of the return.
func (w *writer) couple(edits []treediff.Edit) []treediff.Edit {
	var out []treediff.Edit
	used := make([]bool, len(edits))
	similar := treediff.NewSimilar()
	for i, e := range edits {
		if used[i] {
			continue
		}
		for j := i + 1; e.Old.Ok() && !e.New.Ok() && couples(e.Old) && j < min(len(edits), i+treediff.PairWindow); j++ {
			if o := edits[j]; !used[j] && !o.Old.Ok() && o.OldIn == e.OldIn && couples(o.New) && becomes(e.Old, o.New, similar) {
				used[j], e.New, e.Move = true, o.New, e.Old.Text() == o.New.Text() // a move of what is short
			}
		}
		out = append(out, e)
	}
	return out
}

// couples tells whether a node is a statement of a kind that others take the place of.
func couples(n tree.Node) bool {
	return n.Is(syntax.ExpressionStatement, syntax.Variable, syntax.Return, syntax.Throw, syntax.Call, syntax.Assign,
		syntax.If, syntax.Loop, syntax.Assert, syntax.Yield, syntax.New, syntax.Await)
}

// becomes tells whether one statement can have become another: they do the same sort of thing, or share words.
func becomes(a, b tree.Node, similar func(a, b tree.Node) float64) bool {
	a, b = tree.Strip(tree.Unnested(a)), tree.Strip(tree.Unnested(b))
	if (a.Is(syntax.If, syntax.Loop) || b.Is(syntax.If, syntax.Loop)) && a.Role() != b.Role() { // a question does not become a deed
		return false
	}
	sort := func(n tree.Node) syntax.Role {
		if n.Is(syntax.Variable, syntax.AugAssign) {
			return syntax.Assign // `x = 1` may become `int x = 1`, or `x += 1`
		}
		return n.Role()
	}
	s := similar(a, b)
	return s >= treediff.MinSimilar || sort(a) == sort(b) && (!a.Is(syntax.Call) || s > 0.2) // any two calls have their form in common
}
