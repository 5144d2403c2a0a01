package smells

import (
	"strings"

	"crscore/change"
)

// siteBefore identifies a place on both sides.
type siteBefore struct {
	rule     int
	key      string
	line     int    // of the old side, if places are matched by line
	function string // if places are matched by function
}

// fresh returns the places that are new or worse than before. A place existed before if the
// same rule gave the same text at the same line, in the same function, in lines that
// replaced each other, or in a function with the same name elsewhere. Each old place
// matches one new place. was has the old place for each returned place, nil if there was
// none.
func (m *lineMap) fresh(before, now []site) (out []site, was []*site) {
	was = make([]*site, len(now))
	taken := make([]bool, len(before))
	take := func(at func(s *site, old bool) (siteBefore, bool)) {
		free := map[siteBefore][]int{}
		for i := range before {
			if k, ok := at(&before[i], true); ok && !taken[i] {
				free[k] = append(free[k], i)
			}
		}
		for i := range now {
			if len(free) == 0 {
				return
			}
			k, ok := at(&now[i], false)
			if was[i] != nil || !ok || len(free[k]) == 0 {
				continue
			}
			o := free[k][0]
			free[k], taken[o], was[i] = free[k][1:], true, &before[o]
		}
	}
	take(func(s *site, old bool) (siteBefore, bool) {
		k := siteBefore{rule: s.rule, key: s.key, line: s.first}
		if old {
			return k, true
		}
		line, ok := m.before(s.first)
		k.line = line
		return k, ok
	})
	take(func(s *site, _ bool) (siteBefore, bool) {
		return siteBefore{rule: s.rule, key: s.key, function: s.function}, true
	})
	take(func(s *site, old bool) (siteBefore, bool) {
		side := change.New
		if old {
			side = change.Old
		}
		run, ok := m.run(side, s.first)
		return siteBefore{rule: s.rule, key: s.key, line: run}, ok
	})
	take(func(s *site, _ bool) (siteBefore, bool) {
		name := s.function[strings.LastIndexByte(s.function, '.')+1:]
		return siteBefore{rule: s.rule, key: s.key, function: name}, name != ""
	})
	var kept []*site
	for i := range now {
		if was[i] == nil || was[i].value < now[i].value {
			out, kept = append(out, now[i]), append(kept, was[i])
		}
	}
	return out, kept
}

// changed reports whether a changed place of either side lies in the lines first to last.
func (m *lineMap) changed(side change.Side) func(first, last int) bool {
	return func(first, last int) bool { return m.within(side, 2*first, 2*last) }
}
