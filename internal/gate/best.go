package gate

import (
	"cmp"
	"container/heap"
)

// point is what a sentence of a comment is about: the reference that is most
// similar to it. Of pairs of reviews that people linked to one reference each, this
// tells those on the same from those on others better than all references that a
// sentence is near to, and hardly worse than with the sentences' own similarity.
type point struct {
	ref                int
	credit, similarity float64
}

// candidate is a comment that wants to be kept.
type candidate struct {
	number int
	points []point // a sentence each
	con    float64
	// similarity is the mean of its points'.
	similarity float64
	// value is Con without what comments that are kept say already.
	value float64
}

// revalue counts of each sentence what it adds to the points that are made.
func (c *candidate) revalue(made map[int]float64) {
	c.value = 0
	for _, p := range c.points {
		c.value += max(0, p.credit-made[p.ref])
	}
	if len(c.points) > 0 {
		c.value /= float64(len(c.points))
	}
}

func newCandidate(number int, points []point, con float64) *candidate {
	c := &candidate{number: number, points: points, con: con}
	for _, p := range points {
		c.similarity += p.similarity / float64(len(points))
	}
	return c
}

// before orders candidates from the best: by value, Con, similarity and place.
func (c *candidate) before(d *candidate) bool {
	return cmp.Or(cmp.Compare(d.value, c.value), cmp.Compare(d.con, c.con),
		cmp.Compare(d.similarity, c.similarity), cmp.Compare(c.number, d.number)) < 0
}

type queue []*candidate

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].before(q[j]) }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*candidate)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// best keeps n of the candidates, one by one what is worth most beside those that
// are kept already. Those that remain have the value that they have beside them.
func best(list []*candidate, n int) (kept, rest []*candidate) {
	made := make(map[int]float64)
	q := queue(list)
	for _, c := range q {
		c.revalue(made)
	}
	heap.Init(&q)
	for len(q) > 0 && len(kept) < n {
		c := q[0]
		was := c.value
		if c.revalue(made); c.value != was { // values only fall: the first that has not is the best
			heap.Fix(&q, 0)
			continue
		}
		heap.Pop(&q)
		kept = append(kept, c)
		for _, p := range c.points {
			made[p.ref] = max(made[p.ref], p.credit)
		}
	}
	for _, c := range q {
		c.revalue(made)
	}
	return kept, q
}
