package symbolic

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"crscore/pseudoref/symbolic/treediff"

	facts "crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/tree"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref"
)

// writer collects the facts of one file.
type writer struct {
	file  *syntax.File
	rules map[string]*facts.Rule // by ID
	facts []*fact
	// work is what is left of the work for trees of the change, tooMuch counts the
	// pieces that took more.
	work    *int
	tooMuch int
	// changed holds the changed lines of each side, once they are asked for.
	changed [2][]int
	// untested are the names of new functions, for which a test may be missing.
	untested []string
	// oldWords and newWords count the identifiers of the whole texts; nil
	// where only hunks are known.
	oldWords, newWords *tree.WordCounts
	same               *treediff.Matching             // of the two trees; nil where there is only one
	moved              map[tree.Node]tree.Node        // code in another place: old to new and new to old
	resulted           map[tree.Node]bool             // statements whose results were told
	done               map[tree.Node]bool             // nodes that an earlier claim took in
	removedRoots       map[tree.Node]bool             // nodes that edits remove
	fresh              map[tree.Node]bool             // nodes that edits add or remove
	freshCalls         map[*tree.Tree]map[uint64]bool // in what edits add or remove on the other side; nil until they are asked for
	newTree            *tree.Tree                     // the new side of what is compared
}

// maxFacts bounds what is collected for a file before ranking.
const maxFacts = 2000

// say adds a claim about a node and returns it.
func (w *writer) say(n tree.Node, weight int, rule, where, what string) *fact {
	f := &fact{kind: pseudoref.Claim, rule: rule, weight: weight, where: where, what: what, path: w.file.Path(), side: change.New}
	if n.Ok() {
		f.side = n.Frag.Side
		f.first, f.last = n.LineRange()
		if where != "" && changeRules.MatchString(rule) && w.inNew(n) && where == placeOf(n).String() {
			f.where = "the code that moved to " + where // nothing can change in what is new
		}
	}
	// A tree of broken code may hide a name; a claim without it is none.
	if len(w.facts) < maxFacts && !(n.Ok() && strings.Contains(what, nothing)) {
		w.facts = append(w.facts, f)
	}
	return f
}

// inNew tells whether the function around a node is new.
func (w *writer) inNew(n tree.Node) bool {
	f := n.Under(syntax.Function, syntax.Constructor)
	return f.Ok() && (w.fresh[f] || tree.Unnested(f.Parent()) == f && w.fresh[f.Parent()])
}

// changeRules are the rules about something that was there before.
var changeRules = regexp.MustCompile(`-(?:changed|replaced|renamed|inverted|narrowed|widened)$`)

// about sets the name that a claim is about.
func (f *fact) about(topic string) *fact {
	f.topic = topic
	return f
}

// names adds a claim that merges with its like: one and many hold a slot.
func (w *writer) names(n tree.Node, weight int, rule, where, one, many string, names ...string) *fact {
	f := w.say(n, weight, rule, where, one)
	f.many, f.names = many, names
	if k := len(w.facts); k > 0 && w.facts[k-1] == f && slices.Contains(names, nothing) {
		w.facts = w.facts[:k-1]
	}
	return f
}

// follows adds an implication.
func (w *writer) follows(n tree.Node, rule, what string) {
	w.say(n, wFollows, rule, "", what).kind = pseudoref.Implication
}

// changedLines lists the changed lines of a side.
func (w *writer) changedLines(side change.Side) []int {
	if w.changed[side] == nil {
		w.changed[side] = w.file.ChangedLines(side)
	}
	return w.changed[side]
}

// changes tells whether a node lies on changed lines: whether it starts on one
// or, if that is enough, touches one.
func (w *writer) changes(n tree.Node, touch bool) bool {
	first, last := n.LineRange()
	if !touch {
		last = first
	}
	lines := w.changedLines(n.Frag.Side)
	i := sort.SearchInts(lines, first)
	return i < len(lines) && lines[i] <= last
}

// believable drops edits that lie on no changed line. Whole files hardly have
// any; broken hunks do, where the two sides are misread in two ways. It answers
// false when a hunk has such edits.
func (w *writer) believable(edits []treediff.Edit) ([]treediff.Edit, bool) {
	out, ok := edits[:0:0], true
	for _, e := range edits {
		n := e.New
		if !n.Ok() {
			n = e.Old
		}
		if !e.New.Ok() && e.Old.Text() == syntax.Unseen {
			continue // what goes on with it is told
		}
		keep := e.Move // from or to what was changed around it
		switch both := e.Old.Ok() && e.New.Ok(); {
		case keep:
		case both:
			keep = w.changes(e.Old, true) || w.changes(e.New, true)
		case n.Frag.Whole:
			keep = w.changes(n, true)
		case e.Link && tree.Arguments(n).Ok():
			keep = w.changes(tree.Arguments(n), false)
		case e.Link:
			keep = w.changes(n, true)
		default:
			keep = w.changes(n, false)
		}
		if keep {
			out = append(out, e)
		} else {
			ok = false
		}
	}
	return out, ok
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

// trees compares the two sides of a file or a hunk. It answers false when the
// trees of a hunk contradict its lines.
func (w *writer) trees(a, b *tree.Tree) bool {
	w.resulted = map[tree.Node]bool{}
	w.moved, w.done, w.same = map[tree.Node]tree.Node{}, map[tree.Node]bool{}, nil
	w.oldWords, w.newWords = nil, nil
	w.newTree = b
	var edits []treediff.Edit
	var rs []rename
	switch {
	case a != nil && b != nil:
		if a.Frag.Whole && b.Frag.Whole {
			w.oldWords, w.newWords = &tree.WordCounts{Tree: a}, &tree.WordCounts{Tree: b}
		}
		edits, w.same = treediff.Diff(a.Root(), b.Root())
		for range treediff.MaxRounds {
			found := renamed(edits, w.same)
			if len(found) == 0 {
				break
			}
			rs = append(rs, found...)
			readAs(b, rs)
			edits, w.same = treediff.Diff(a.Root(), b.Root())
		}
		if len(edits) == 0 && len(rs) == 0 && a.Root().Hash() == b.Root().Hash() {
			w.sameTokens(a, b)
			return true
		}
	case b != nil:
		if b.Frag.Whole {
			w.oldWords, w.newWords = &tree.WordCounts{}, &tree.WordCounts{Tree: b}
		}
		for _, k := range b.Root().Kids() {
			edits = append(edits, treediff.Edit{New: k, NewIn: b.Root()})
		}
	case a != nil:
		if a.Frag.Whole {
			w.oldWords, w.newWords = &tree.WordCounts{Tree: a}, &tree.WordCounts{}
		}
		for _, k := range a.Root().Kids() {
			edits = append(edits, treediff.Edit{Old: k, OldIn: a.Root()})
		}
	}
	edits, ok := w.believable(edits)
	ok = ok && !w.misread(a) && !w.misread(b)
	edits = w.renames(edits)
	for _, e := range edits {
		if e.Move {
			w.moved[e.Old], w.moved[e.New] = e.New, e.Old
		}
	}
	w.removedRoots, w.fresh = map[tree.Node]bool{}, map[tree.Node]bool{}
	w.refresh(edits)
	for _, e := range edits {
		if e.Old.Ok() && !e.New.Ok() {
			w.removedRoots[e.Old], w.removedRoots[tree.Unnested(e.Old)] = true, true
		}
	}
	w.sayRenames(rs)
	w.describe(w.couple(edits))
	w.leftImports(b)
	return ok
}

// refresh notes what edits add or remove.
func (w *writer) refresh(edits []treediff.Edit) {
	for _, e := range edits {
		if !e.New.Ok() {
			w.fresh[e.Old] = true
		} else if !e.Old.Ok() {
			w.fresh[e.New] = true
		}
	}
}

// describe says what each edit does.
func (w *writer) describe(edits []treediff.Edit) {
	for i := range edits {
		if len(w.facts) >= maxFacts {
			return
		}
		e := &edits[i]
		if !e.Move && (e.Old.Ok() && w.done[e.Old] || e.New.Ok() && w.done[e.New]) {
			continue
		}
		before := len(w.facts)
		switch {
		case (!e.Old.Ok() || !e.New.Ok()) && !e.Link && e.OldIn.Is(syntax.Binary) && w.condition(*e):
		case !e.Move && w.assertionEdit(*e):
		case e.Move:
			w.move(*e)
		case e.Old.Ok() && e.New.Ok():
			w.replaced(*e)
		case e.New.Ok():
			w.single(e.New, *e, true)
		default:
			w.single(e.Old, *e, false)
		}
		if len(w.facts) > before && w.resulted != nil {
			w.results(*e)
		}
	}
}

// renames finds names that were replaced by the same other name several
// times, says so once, and takes those edits out.
func (w *writer) renames(edits []treediff.Edit) []treediff.Edit {
	type pair struct{ from, to string }
	count := map[pair]int{}
	from, to := map[string]map[string]bool{}, map[string]map[string]bool{}
	note := func(m map[string]map[string]bool, a, b string) {
		if m[a] == nil {
			m[a] = map[string]bool{}
		}
		m[a][b] = true
	}
	key := func(e treediff.Edit) (pair, bool) {
		if e.Move || !e.Old.Ok() || !e.New.Ok() || !tree.NameLike(e.Old) || !tree.NameLike(e.New) || !e.Old.Leaf() || !e.New.Leaf() {
			return pair{}, false
		}
		return pair{e.Old.Text(), e.New.Text()}, true
	}
	for _, e := range edits {
		if p, ok := key(e); ok {
			count[p]++
			note(from, p.from, p.to)
			note(to, p.to, p.from)
		}
	}
	said := map[pair]bool{}
	out := edits[:0:0]
	for _, e := range edits {
		p, ok := key(e)
		if !ok || count[p] < 2 || len(from[p.from]) > 1 || len(to[p.to]) > 1 {
			out = append(out, e)
			continue
		}
		// The declaration's own claim is kept: it says what was renamed.
		if d := e.Old.Parent(); d.Ok() && treediff.Declares(d.Role()) && !d.Is(syntax.Pair, syntax.KeywordArgument) && tree.NameOf(d) == p.from {
			out = append(out, e)
		}
		if !said[p] {
			said[p] = true
			where := placeOf(e.New).String()
			for _, o := range edits {
				if q, ok := key(o); ok && q == p && placeOf(o.New).String() != where {
					where = ""
					break
				}
			}
			w.say(e.New, wBehaviour, "renamed", where, code(p.from)+" was replaced by "+code(p.to)+" in "+strconv.Itoa(count[p])+" places")
		}
	}
	return out
}

// couple joins a statement that went with the one that came in its place.
func (w *writer) couple(edits []treediff.Edit) []treediff.Edit {
	var out []treediff.Edit
	used := make([]bool, len(edits))
	similar := treediff.NewSimilar()
	alike := func(a, b tree.Node) bool {
		a, b = tree.Strip(tree.Unnested(a)), tree.Strip(tree.Unnested(b))
		class := func(n tree.Node) syntax.Role {
			switch r := n.Role(); r {
			case syntax.Variable, syntax.AugAssign:
				return syntax.Assign
			case syntax.Await, syntax.New:
				return syntax.Call
			default:
				return r
			}
		}
		if (a.Is(syntax.If, syntax.Loop) || b.Is(syntax.If, syntax.Loop)) && a.Role() != b.Role() {
			return false
		}
		return class(a) == class(b) && (class(a) != syntax.Call || similar(a, b) > 0.2) || similar(a, b) >= treediff.MinSimilar
	}
	plain := func(n tree.Node) bool {
		return n.Is(syntax.ExpressionStatement, syntax.Variable, syntax.Return, syntax.Throw, syntax.Call, syntax.Assign, syntax.If, syntax.Loop, syntax.Assert, syntax.Yield, syntax.New, syntax.Await)
	}
	for i, e := range edits {
		if used[i] {
			continue
		}
		if e.Old.Ok() && !e.New.Ok() && plain(e.Old) && !w.moved[e.Old].Ok() {
			for j := i + 1; j < len(edits) && j < i+treediff.PairWindow; j++ {
				o := edits[j]
				if used[j] || o.Old.Ok() || !o.New.Ok() || o.OldIn != e.OldIn || !plain(o.New) || w.moved[o.New].Ok() || !alike(e.Old, o.New) {
					continue
				}
				used[j] = true
				e.New = o.New
				break
			}
		}
		out = append(out, e)
	}
	return out
}

// sameTokens says that two sides differ in nothing but layout.
func (w *writer) sameTokens(a, b *tree.Tree) {
	f := w.say(tree.Node{}, wFormat, "formatting-only", "", "only white space was changed: "+w.layout())
	f.first, f.last = w.changedRange(change.New)
}

// changedRange returns the first and last changed line of a side, or zeros.
func (w *writer) changedRange(side change.Side) (int, int) {
	if l := w.file.ChangedLines(side); len(l) > 0 {
		return l[0], l[len(l)-1]
	}
	return 0, 0
}

// verb is "added" or "removed".
func verb(added bool) string {
	if added {
		return "added"
	}
	return "removed"
}

const implication = pseudoref.Implication
