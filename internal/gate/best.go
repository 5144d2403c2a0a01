package gate

import (
	"cmp"
	"container/heap"
	"slices"
)

// coverage is the reference that is most similar to a sentence, with the credit. On pairs
// of reviews that people linked to one reference each, the best reference alone separates
// repetitions from other pairs better than all similar references do, and hardly worse
// than the similarity of the two sentences.
type coverage struct {
	ref                int
	credit, similarity float64
}

// candidate is a comment that limit may keep.
type candidate struct {
	index  int // of the comment in the list
	covers []coverage
	con    float64
	// similarity is the mean similarity of its sentences.
	similarity float64
	// value is Con without the credit for references that kept comments cover.
	value float64
}

// revalue computes what each sentence adds to the credit of the covered references.
func (c *candidate) revalue(covered map[int]float64) {
	c.value = 0
	for _, s := range c.covers {
		c.value += max(0, s.credit-covered[s.ref])
	}
	if len(c.covers) > 0 {
		c.value /= float64(len(c.covers))
	}
}

// sameText is the least cosine of two comments that say the same. Of pairs of findings that a judge
// called the same (CodeReviewBench), 45% reach it, of the others 3%.
const sameText = 0.7

// mostAlike bounds the kept comments about a reference that a comment is compared with.
const mostAlike = 64

// said has the kept comments by the references that they cover.
type said map[int][]*candidate

func (s said) add(c *candidate) {
	for _, cover := range c.covers {
		if cover.credit > 0 && len(s[cover.ref]) < mostAlike {
			s[cover.ref] = append(s[cover.ref], c)
		}
	}
}

// repeats reports whether kept comments cover all that a comment covers, and one of them says the
// same: two concerns about one statement are no repetition.
func (j *judge) repeats(c *candidate, kept said) bool {
	if c.value != 0 || c.con == 0 {
		return false
	}
	return slices.ContainsFunc(c.covers, func(cover coverage) bool {
		return cover.credit > 0 && slices.ContainsFunc(kept[cover.ref], func(k *candidate) bool {
			return j.list[c.index].Body == j.list[k.index].Body || cosine(j.vectors[c.index], j.vectors[k.index]) >= sameText
		})
	})
}

func newCandidate(index int, covers []coverage, con float64) *candidate {
	c := &candidate{index: index, covers: covers, con: con}
	for _, s := range covers {
		c.similarity += s.similarity / float64(len(covers))
	}
	return c
}

// before orders candidates from the best: by value, Con, similarity and index.
func (c *candidate) before(d *candidate) bool {
	return cmp.Or(cmp.Compare(d.value, c.value), cmp.Compare(d.con, c.con),
		cmp.Compare(d.similarity, c.similarity), cmp.Compare(c.index, d.index)) < 0
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

// best keeps n of the candidates: one after the other the candidate of the greatest value
// beside those kept before. The values of the rest are those beside all kept ones.
func best(list []*candidate, n int) (kept, rest []*candidate) {
	covered := make(map[int]float64) // credit by reference
	q := queue(list)
	for _, c := range q {
		c.revalue(covered)
	}
	heap.Init(&q)
	for len(q) > 0 && len(kept) < n {
		c := q[0]
		was := c.value
		if c.revalue(covered); c.value != was { // values only fall: an unchanged first is the best
			heap.Fix(&q, 0)
			continue
		}
		heap.Pop(&q)
		kept = append(kept, c)
		for _, s := range c.covers {
			covered[s.ref] = max(covered[s.ref], s.credit)
		}
	}
	for _, c := range q {
		c.revalue(covered)
	}
	return kept, q
}
