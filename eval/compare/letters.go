package compare

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// letters are the signs of groups.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// letter gives the systems letters: two that share one are not shown to differ, two
// that share none are. That is the insert-and-absorb algorithm of Piepho (2004, An
// algorithm for a letter-based representation of all-pairwise comparisons).
func (g *Group) letter() {
	place := map[string]int{}
	for i, s := range g.Systems {
		place[s.Name] = i
	}
	n := 0
	for i := range g.Systems {
		if g.Systems[i].Changes > 0 {
			n++ // those come first
		}
	}
	if len(g.Pairs) == 0 || len(g.Pairs) != n*(n-1)/2 {
		return
	}
	groups := []set{newSet(len(g.Systems))}
	for i := range n {
		groups[0].add(i)
	}
	for i := range g.Pairs {
		p := &g.Pairs[i]
		if p.Corrected == nil {
			g.NoLetters = "not every pair has a test"
			return
		}
		if !p.Differs() {
			continue
		}
		a, b := place[p.A], place[p.B]
		for k := range groups {
			if groups[k].has(a) && groups[k].has(b) {
				with := slices.Clone(groups[k])
				groups[k].drop(a)
				with.drop(b)
				groups = append(groups, with)
			}
		}
		if groups = absorb(groups); len(groups) > 4*len(letters) {
			break
		}
	}
	if len(groups) > len(letters) {
		g.NoLetters = "there are more groups than letters"
		return
	}
	slices.SortFunc(groups, func(a, b set) int { return slices.Compare(a.members(), b.members()) })
	for i := range n {
		var b strings.Builder
		for k, group := range groups {
			if group.has(i) {
				b.WriteByte(letters[k])
			}
		}
		g.Systems[i].Letters = b.String()
	}
}

// absorb drops the groups that are in another.
func absorb(groups []set) []set {
	slices.SortStableFunc(groups, func(a, b set) int { return cmp.Compare(b.size(), a.size()) })
	var out []set
	for _, g := range groups {
		if !slices.ContainsFunc(out, g.in) {
			out = append(out, g)
		}
	}
	return out
}

// set is a set of small numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) drop(i int)     { s[i/64] &^= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

func (s set) size() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// in reports whether all of s is in other.
func (s set) in(other set) bool {
	for i, w := range s {
		if w&^other[i] != 0 {
			return false
		}
	}
	return true
}

func (s set) members() (out []int) {
	for i := range 64 * len(s) {
		if s.has(i) {
			out = append(out, i)
		}
	}
	return out
}
