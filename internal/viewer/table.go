package viewer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"crscore/internal/dataset"
)

// listing is the answer to a query: the changes in their order, and the values of the cells.
type listing struct {
	query  *query
	scores *scores
	values []float64 // of the measure, of each review
	beside []float64 // likewise; nil for none
	gaps   []float64 // rank of the measure less that beside it, as a share; nil for none
	order  []int32   // changes
}

// column returns the numbers of a column, of each review; NaN for none.
func (x *index) column(c column, s *scores) []float64 {
	out := make([]float64, len(x.reviews))
	if c.kind == 'm' {
		copy(out, x.values[c.n])
		return out
	}
	for i := range out {
		if c.kind == 'h' {
			out[i] = x.reviews[i].human[c.n]
		} else {
			out[i] = s.numbers[i][c.n]
		}
	}
	return out
}

// list answers a query. found has the changes that a search has found; nil: all.
func (x *index) list(q *query, s *scores, found func(change int32) bool) *listing {
	l := &listing{query: q, scores: s, values: x.column(q.measure, s)}
	if q.beside != nil {
		l.beside = x.column(*q.beside, s)
		l.gaps = x.gaps(l.values, l.beside, x.lowered(q.measure), x.lowered(*q.beside))
	}
	var keys []float64
	if !slices.Contains([]string{"order", "id", "lang"}, q.sort) {
		keys = make([]float64, len(x.changes))
	}
	for n := range x.changes {
		if found != nil && !found(int32(n)) || !l.keeps(x, &x.changes[n]) {
			continue
		}
		if keys != nil {
			keys[n] = l.key(x, &x.changes[n])
		}
		l.order = append(l.order, int32(n))
	}
	l.arrange(x, keys)
	return l
}

// lowered reports whether lower values of a column are better.
func (x *index) lowered(c column) bool { return c.kind == 'm' && x.lower[c.n] }

// of returns the value of a system's review, NaN without one.
func (l *listing) of(x *index, c *change, system int32) float64 {
	if i := x.find(c, system); i >= 0 {
		return l.values[i]
	}
	return math.NaN()
}

// keeps reports whether the filter keeps a change.
func (l *listing) keeps(x *index, c *change) bool {
	q := l.query
	if q.lang != nil && *q.lang != c.lang {
		return false
	}
	if q.a >= 0 {
		d := l.of(x, c, q.a) - l.of(x, c, q.b)
		bounded := !math.IsInf(q.least, 0) || !math.IsInf(q.most, 0)
		if bounded && !(d >= q.least && d <= q.most) {
			return false
		}
	}
	bounded := !math.IsInf(q.from, 0) || !math.IsInf(q.to, 0)
	if !bounded && q.only == "" {
		return true
	}
	inside, only := !bounded, q.only == ""
	for i := c.first; i < c.behind; i++ {
		if !l.shows(x.reviews[i].system) {
			continue
		}
		if v := l.values[i]; (q.of < 0 || q.of == x.reviews[i].system) && v >= q.from && v <= q.to {
			inside = true
		}
		switch q.only {
		case "unscored":
			only = only || l.scores.states[i] != scored
		case "labelled":
			only = only || !math.IsNaN(x.reviews[i].human[2])
		}
	}
	return inside && only
}

// shows reports whether a system is a column, or named by the filter.
func (l *listing) shows(system int32) bool {
	_, ok := slices.BinarySearch(l.query.systems, system)
	return ok || system == l.query.of
}

// key is the number that a change is sorted by, NaN for none.
func (l *listing) key(x *index, c *change) float64 {
	q := l.query
	switch {
	case q.by >= 0:
		return l.of(x, c, q.by)
	case q.sort == "diff":
		return l.of(x, c, q.a) - l.of(x, c, q.b)
	}
	sum, n, low, high := 0.0, 0, math.Inf(1), math.Inf(-1)
	for i := c.first; i < c.behind; i++ {
		v := l.values[i]
		if q.sort == "over" || q.sort == "under" {
			v = l.gaps[i]
		}
		if math.IsNaN(v) || !l.shows(x.reviews[i].system) {
			continue
		}
		sum, n, low, high = sum+v, n+1, min(low, v), max(high, v)
	}
	switch {
	case n == 0:
		return math.NaN()
	case q.sort == "mean":
		return sum / float64(n)
	case q.sort == "spread":
		return high - low
	case q.sort == "over":
		return -high // the worst first
	default:
		return low
	}
}

// arrange sorts the changes. Changes without a number are last, and equal ones in the order of
// the dataset.
func (l *listing) arrange(x *index, keys []float64) {
	var less func(a, b int32) int
	switch l.query.sort {
	case "order":
		if l.query.down {
			slices.Reverse(l.order)
		}
		return
	case "id":
		less = func(a, b int32) int { return compareIDs(x.changes[a].key, x.changes[b].key) }
	case "lang":
		less = func(a, b int32) int {
			return cmp.Compare(x.langs.names[x.changes[a].lang], x.langs.names[x.changes[b].lang])
		}
	default:
		less = func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) }
	}
	slices.SortStableFunc(l.order, func(a, b int32) int {
		if keys != nil {
			if p, q := math.IsNaN(keys[a]), math.IsNaN(keys[b]); p || q {
				return cmp.Compare(btoi(p), btoi(q))
			}
		}
		if l.query.down {
			return less(b, a)
		}
		return less(a, b)
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareIDs compares numbers as numbers where both ids are some.
func compareIDs(a, b string) int {
	if digits(a) && digits(b) {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && (s[0] != '0' || s == "0")
}

// gaps says how much higher one column ranks a review than the other, as a share of the reviews
// that have both: above 0 for one that is overrated. Ties share the mean of their ranks. The
// human reference is left out.
func (x *index) gaps(a, b []float64, lowA, lowB bool) []float64 {
	out := make([]float64, len(a))
	human, left := x.systems.at[dataset.HumanReference]
	var at []int32
	for i := range a {
		out[i] = math.NaN()
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) && !(left && x.reviews[i].system == human) {
			at = append(at, int32(i))
		}
	}
	for _, side := range []struct {
		values []float64
		sign   float64
		low    bool
	}{{a, 1, lowA}, {b, -1, lowB}} {
		sorted := slices.Clone(at)
		slices.SortFunc(sorted, func(p, q int32) int {
			if side.low {
				p, q = q, p
			}
			return cmp.Compare(side.values[p], side.values[q])
		})
		for from := 0; from < len(sorted); {
			to := from + 1
			for to < len(sorted) && side.values[sorted[to]] == side.values[sorted[from]] {
				to++
			}
			rank := float64(from+1+to) / 2
			for _, i := range sorted[from:to] {
				if side.sign > 0 {
					out[i] = rank
				} else {
					out[i] = (out[i] - rank) / float64(len(at))
				}
			}
			from = to
		}
	}
	return out
}

// cache keeps the last answers, so that pages of one query are cut from one list.
type cache struct {
	mu     sync.Mutex
	scores lru[*scores]
	lists  lru[*listing]
}

// Numbers of answers that are kept. Scores of a million reviews take 32 MB.
const (
	keptScores = 3
	keptLists  = 4
)

// lru has values by their names, the last used last.
type lru[T any] struct {
	names  []string
	values []T
}

func (l *lru[T]) get(name string) (v T, ok bool) {
	i := slices.Index(l.names, name)
	if i < 0 {
		return v, false
	}
	v = l.values[i]
	l.names, l.values = append(slices.Delete(l.names, i, i+1), name), append(slices.Delete(l.values, i, i+1), v)
	return v, true
}

func (l *lru[T]) put(name string, v T, most int) {
	if len(l.names) >= most {
		l.names, l.values = slices.Delete(l.names, 0, 1), slices.Delete(l.values, 0, 1)
	}
	l.names, l.values = append(l.names, name), append(l.values, v)
}

// scoresOf returns the scores under the query's rule.
func (v *Viewer) scoresOf(q *query) (*scores, error) {
	name := ""
	if q.rule != nil {
		name = q.rule.Signature()
	}
	if s, ok := v.cache.scores.get(name); ok {
		return s, nil
	}
	s := v.given()
	if q.rule != nil {
		var err error
		if s, err = v.rescore(*q.rule); err != nil {
			return nil, err
		}
	}
	v.cache.scores.put(name, s, keptScores)
	return s, nil
}

// listingOf answers a query, with what a search for its text has found so far.
func (v *Viewer) listingOf(q *query) (*listing, *Search, error) {
	var found func(int32) bool
	var search *Search
	name := q.name
	if q.text != "" {
		var hits []bool
		hits, search = v.seek.find(v, q.text)
		found = func(c int32) bool { return hits[c] }
		name += fmt.Sprint(" found ", search.Found, " of ", search.Searched)
	}
	v.cache.mu.Lock()
	defer v.cache.mu.Unlock()
	if l, ok := v.cache.lists.get(name); ok {
		return l, search, nil
	}
	s, err := v.scoresOf(q)
	if err != nil {
		return nil, nil, err
	}
	l := v.list(q, s, found)
	v.cache.lists.put(name, l, keptLists)
	return l, search, nil
}
