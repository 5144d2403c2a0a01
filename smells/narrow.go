package smells

import (
	"slices"
	"sort"

	"crscore/change"
)

// lineMap maps the lines of a file between the two sides of a change.
type lineMap struct {
	// added says that every line is changed: the file is new and has no hunks.
	added bool
	// points are the changed places of each side, ascending: 2n for a changed line n, and
	// 2n-1 for a change of the other side between the lines n-1 and n.
	points [2][]int
	hunks  []change.Hunk
	// runs are, by side, the runs of consecutive changed lines, ascending.
	runs [2][]lineRun
	// old has the old numbers of the unchanged lines inside hunks.
	old map[int]int
}

// lineRun is a run of changed lines. The lines that replaced each other have the same
// number on both sides.
type lineRun struct {
	span
	number int
}

func newLineMap(f *change.File) *lineMap {
	m := &lineMap{added: f.Status == change.Added && len(f.Hunks) == 0, hunks: f.Hunks, old: map[int]int{}}
	run := 0
	for i := range f.Hunks {
		h := &f.Hunks[i]
		run++
		// The numbers of the next lines.
		oldNext, _ := bounds(h.OldStart, h.OldLines)
		newNext, _ := bounds(h.NewStart, h.NewLines)
		for j := range h.Lines {
			switch l := &h.Lines[j]; l.Op {
			case change.Context:
				run++
				m.old[l.NewLine] = l.OldLine
				oldNext, newNext = l.OldLine+1, l.NewLine+1
			case change.Add:
				newNext = l.NewLine + 1
				m.addRun(change.New, l.NewLine, run)
				m.add(2*oldNext-1, 2*l.NewLine)
			case change.Delete:
				oldNext = l.OldLine + 1
				m.addRun(change.Old, l.OldLine, run)
				m.add(2*l.OldLine, 2*newNext-1)
			}
		}
	}
	for side := range m.points { // hunks out of order are not refused elsewhere
		slices.Sort(m.points[side])
		slices.SortFunc(m.runs[side], func(a, b lineRun) int { return a.first - b.first })
	}
	return m
}

// run returns the number of the run of changed lines that contains a line.
func (m *lineMap) run(side change.Side, line int) (int, bool) {
	r := m.runs[side]
	i := sort.Search(len(r), func(i int) bool { return r[i].last >= line })
	if i == len(r) || r[i].first > line {
		return 0, false
	}
	return r[i].number, true
}

func (m *lineMap) addRun(side change.Side, line, number int) {
	r := m.runs[side]
	if k := len(r) - 1; k >= 0 && r[k].number == number && r[k].last == line-1 {
		r[k].last = line
		return
	}
	m.runs[side] = append(r, lineRun{span{line, line}, number})
}

func (m *lineMap) add(old, now int) {
	m.points[change.Old] = append(m.points[change.Old], old)
	m.points[change.New] = append(m.points[change.New], now)
}

// bounds returns the first line of a hunk's side and the line after the last. In the diff
// format an empty side starts at the line before it.
func bounds(start, lines int) (first, end int) {
	if lines == 0 {
		return start + 1, start + 1
	}
	return start, start + lines
}

// touched reports whether a changed place lies in the lines first to last of the new side: an
// added line, or a deletion between two of the lines.
func (m *lineMap) touched(first, last int) bool {
	return m.within(change.New, 2*first, 2*last)
}

// near reports whether a changed place of either side lies in the lines first to last or at
// their edge. For an unchanged block the answer is the same on both sides.
func (m *lineMap) near(side change.Side, first, last int) bool {
	return m.within(side, 2*first-2, 2*last+2)
}

func (m *lineMap) within(side change.Side, from, to int) bool {
	if m.added {
		return true
	}
	p := m.points[side]
	i := sort.SearchInts(p, from)
	return i < len(p) && p[i] <= to
}

// before returns the old number of an unchanged line of the new side.
func (m *lineMap) before(line int) (int, bool) {
	// The hunks before the line shift it.
	i := sort.Search(len(m.hunks), func(i int) bool {
		first, _ := bounds(m.hunks[i].NewStart, m.hunks[i].NewLines)
		return first > line
	}) - 1
	if i < 0 {
		return line, true
	}
	_, oldEnd := bounds(m.hunks[i].OldStart, m.hunks[i].OldLines)
	if _, newEnd := bounds(m.hunks[i].NewStart, m.hunks[i].NewLines); line >= newEnd {
		return line - newEnd + oldEnd, true
	}
	o, ok := m.old[line]
	return o, ok
}

// match returns, for each block of the new side, the same block on the old side, or nil. The
// first of these old blocks that is not yet taken is the match: the block whose first line
// is the same unchanged line; the next block with the same qualified name; for a renamed
// block, the block around the first unchanged line of its body; for a block that was moved
// into or out of a class, the block with the same name and a similar length.
func (m *lineMap) match(before, now []measured) []*measured {
	out := make([]*measured, len(now))
	if len(before) == 0 {
		return out
	}
	taken := make([]bool, len(before))
	take := func(i, o int) {
		out[i], taken[o] = &before[o], true
	}
	take(0, 0) // the Module

	type place struct {
		line, column int
		function     bool
	}
	at := map[place]int{}
	for o := range before {
		b := &before[o]
		at[place{b.StartLine, b.Column, b.function()}] = o
	}
	for i := 1; i < len(now); i++ {
		b := &now[i]
		if line, ok := m.before(b.StartLine); ok {
			if o, ok := at[place{line, b.Column, b.function()}]; ok && o > 0 {
				take(i, o)
			}
		}
	}

	type name struct {
		function  bool
		qualified string
	}
	free := map[name][]int{}
	for o := 1; o < len(before); o++ {
		if !taken[o] {
			k := name{before[o].function(), before[o].qualified}
			free[k] = append(free[k], o)
		}
	}
	for i := 1; i < len(now); i++ {
		k := name{now[i].function(), now[i].qualified}
		if out[i] == nil && len(free[k]) > 0 {
			take(i, free[k][0])
			free[k] = free[k][1:]
		}
	}

	for i := 1; i < len(now); i++ {
		if out[i] != nil {
			continue
		}
		if o := m.renamed(before, &now[i]); o > 0 && !taken[o] && before[o].function() == now[i].function() {
			take(i, o)
		}
	}

	bare := map[name][]int{}
	for o := 1; o < len(before); o++ {
		if !taken[o] && before[o].Name != "" {
			k := name{before[o].function(), before[o].Name}
			bare[k] = append(bare[k], o)
		}
	}
	for i := 1; i < len(now); i++ {
		k := name{now[i].function(), now[i].Name}
		if out[i] == nil && len(bare[k]) > 0 && alike(now[i].statements, before[bare[k][0]].statements) {
			take(i, bare[k][0])
			bare[k] = bare[k][1:]
		}
	}
	return out
}

// alike reports whether two lengths differ by at most a fifth.
func alike(a, b int) bool { return 5*min(a, b) >= 4*max(a, b) }

// nearby bounds the lines and levels that renamed looks at, so that its cost is not
// quadratic.
const nearby = 20

// renamed returns the index of the innermost old block around the first
// unchanged line of a block's body, or 0.
func (m *lineMap) renamed(before []measured, b *measured) int {
	for line := b.StartLine + 1; line <= min(b.EndLine, b.StartLine+nearby); line++ {
		old, ok := m.before(line)
		if !ok {
			continue
		}
		o := sort.Search(len(before), func(o int) bool { return before[o].StartLine > old }) - 1
		for range nearby {
			if o <= 0 || before[o].EndLine >= old {
				return max(o, 0)
			}
			o = before[o].Parent
		}
		return 0
	}
	return 0
}
