package symbolic

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"crscore/pseudoref/symbolic/tree"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
	"crscore/pseudoref"
)

// writer collects the facts of one file.
type writer struct {
	file  *syntax.File
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
	same               *matching                      // of the two trees; nil where there is only one
	moved              map[tree.Node]tree.Node        // code in another place: old to new and new to old
	resulted           map[tree.Node]bool             // statements whose results were told
	docRest            []string                       // what the documentation that was quoted goes on to say
	looked             int                            // names that were looked up
	done               map[tree.Node]bool             // nodes that an earlier claim took in
	removedRoots       map[tree.Node]bool             // nodes that edits remove
	fresh              map[tree.Node]bool             // nodes that edits add or remove
	freshCalls         map[*tree.Tree]map[uint64]bool // in what edits add or remove on the other side; nil until they are asked for
	newTree            *tree.Tree                     // the new side of what is compared
	lone               []lone                         // statements that came or went in hunks
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
func (w *writer) believable(edits []edit) ([]edit, bool) {
	out, ok := edits[:0:0], true
	for _, e := range edits {
		n := e.new
		if !n.Ok() {
			n = e.old
		}
		if !e.new.Ok() && e.old.Text() == syntax.Unseen {
			continue // what goes on with it is told
		}
		keep := e.move // from or to what was changed around it
		switch both := e.old.Ok() && e.new.Ok(); {
		case keep:
		case both:
			keep = w.changes(e.old, true) || w.changes(e.new, true)
		case n.Frag.Whole:
			keep = w.changes(n, true)
		case e.link && tree.Arguments(n).Ok():
			keep = w.changes(tree.Arguments(n), false)
		case e.link:
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
	var edits []edit
	var rs []rename
	switch {
	case a != nil && b != nil:
		if a.Frag.Whole && b.Frag.Whole {
			w.oldWords, w.newWords = &tree.WordCounts{Tree: a}, &tree.WordCounts{Tree: b}
		}
		edits, w.same = diff(a.Root(), b.Root())
		for range maxRounds {
			found := renamed(edits, w.same)
			if len(found) == 0 {
				break
			}
			rs = append(rs, found...)
			readAs(b, rs)
			edits, w.same = diff(a.Root(), b.Root())
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
			edits = append(edits, edit{new: k, newIn: b.Root()})
		}
	case a != nil:
		if a.Frag.Whole {
			w.oldWords, w.newWords = &tree.WordCounts{Tree: a}, &tree.WordCounts{}
		}
		for _, k := range a.Root().Kids() {
			edits = append(edits, edit{old: k, oldIn: a.Root()})
		}
	}
	edits, ok := w.believable(edits)
	ok = ok && !w.misread(a) && !w.misread(b)
	edits = w.renames(edits)
	for _, e := range edits {
		if e.move {
			w.moved[e.old], w.moved[e.new] = e.new, e.old
		}
	}
	w.removedRoots, w.fresh = map[tree.Node]bool{}, map[tree.Node]bool{}
	w.refresh(edits)
	for _, e := range edits {
		if e.old.Ok() && !e.new.Ok() {
			w.removedRoots[e.old], w.removedRoots[tree.Unnested(e.old)] = true, true
		}
	}
	w.sayRenames(rs)
	w.describe(w.couple(edits))
	w.leftImports(b)
	return ok
}

// refresh notes what edits add or remove.
func (w *writer) refresh(edits []edit) {
	for _, e := range edits {
		if !e.new.Ok() {
			w.fresh[e.old] = true
		} else if !e.old.Ok() {
			w.fresh[e.new] = true
		}
	}
}

// describe says what each edit does.
func (w *writer) describe(edits []edit) {
	for i := range edits {
		if len(w.facts) >= maxFacts {
			return
		}
		e := &edits[i]
		if !e.move && (e.old.Ok() && w.done[e.old] || e.new.Ok() && w.done[e.new]) {
			continue
		}
		before := len(w.facts)
		switch {
		case (!e.old.Ok() || !e.new.Ok()) && !e.link && e.oldIn.Is(syntax.Binary) && w.condition(*e):
		case !e.move && w.assertionEdit(*e):
		case e.move:
			w.move(*e)
		case e.old.Ok() && e.new.Ok():
			w.replaced(*e)
		case e.new.Ok():
			w.single(e.new, *e, true)
		default:
			w.single(e.old, *e, false)
		}
		if len(w.facts) > before && w.resulted != nil {
			w.results(*e)
		}
		if len(w.facts) > before {
			w.remember(*e, w.facts[before:])
		}
	}
}

// renames finds names that were replaced by the same other name several
// times, says so once, and takes those edits out.
func (w *writer) renames(edits []edit) []edit {
	type pair struct{ from, to string }
	count := map[pair]int{}
	from, to := map[string]map[string]bool{}, map[string]map[string]bool{}
	note := func(m map[string]map[string]bool, a, b string) {
		if m[a] == nil {
			m[a] = map[string]bool{}
		}
		m[a][b] = true
	}
	key := func(e edit) (pair, bool) {
		if e.move || !e.old.Ok() || !e.new.Ok() || !tree.NameLike(e.old) || !tree.NameLike(e.new) || !e.old.Leaf() || !e.new.Leaf() {
			return pair{}, false
		}
		return pair{e.old.Text(), e.new.Text()}, true
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
		if d := e.old.Parent(); d.Ok() && declares(d.Role()) && !d.Is(syntax.Pair, syntax.KeywordArgument) && tree.NameOf(d) == p.from {
			out = append(out, e)
		}
		if !said[p] {
			said[p] = true
			where := placeOf(e.new).String()
			for _, o := range edits {
				if q, ok := key(o); ok && q == p && placeOf(o.new).String() != where {
					where = ""
					break
				}
			}
			w.say(e.new, wBehaviour, "renamed", where, code(p.from)+" was replaced by "+code(p.to)+" in "+strconv.Itoa(count[p])+" places")
		}
	}
	return out
}

// couple joins a statement that went with the one that came in its place.
func (w *writer) couple(edits []edit) []edit {
	var out []edit
	used := make([]bool, len(edits))
	similar := newSimilar()
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
		return class(a) == class(b) && (class(a) != syntax.Call || similar(a, b) > 0.2) || similar(a, b) >= minSimilar
	}
	plain := func(n tree.Node) bool {
		return n.Is(syntax.ExpressionStatement, syntax.Variable, syntax.Return, syntax.Throw, syntax.Call, syntax.Assign, syntax.If, syntax.Loop, syntax.Assert, syntax.Yield, syntax.New, syntax.Await)
	}
	for i, e := range edits {
		if used[i] {
			continue
		}
		if e.old.Ok() && !e.new.Ok() && plain(e.old) && !w.moved[e.old].Ok() {
			for j := i + 1; j < len(edits) && j < i+pairWindow; j++ {
				o := edits[j]
				if used[j] || o.old.Ok() || !o.new.Ok() || o.oldIn != e.oldIn || !plain(o.new) || w.moved[o.new].Ok() || !alike(e.old, o.new) {
					continue
				}
				used[j] = true
				e.new = o.new
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
