package bench

import (
	"context"
	"math"
)

// Assign is a way to give comments to references.
type Assign string

const (
	// Best gives each comment to at most one reference: most matches first, then the highest sum of
	// scores, then the least sum of distances.
	Best Assign = "best"
	// Upstream does what the runner of AACR-Bench does: each reference in turn takes the first
	// comment that is free, and precision and recall are rounded to three decimals before F1.
	Upstream Assign = "upstream"
)

// noLines is the distance of places of which one has no lines.
const noLines = math.MaxInt32

// edge is a comment and a reference of the same file and side.
type edge struct {
	comment, reference int
	distance           int // lines between both, 0 where they overlap
	Verdict
}

// distance returns the number of lines between two places of one file and side.
func distance(a, b Place) (lines int, ok bool) {
	switch {
	case a.Path != "" && b.Path != "" && a.Path != b.Path, a.Side != "" && b.Side != "" && a.Side != b.Side:
		return 0, false
	case a.From == 0 || b.From == 0:
		return noLines, true
	}
	return max(0, a.From-b.To, b.From-a.To), true
}

// within reports whether a distance is at most k; that of places without lines is.
func within(distance, k int) bool { return distance <= k || distance == noLines }

// meet lists the edges of comments and references within k lines, by reference, then by comment.
func meet(list []Comment, references []Reference, k int) (out []edge) {
	for r := range references {
		for g := range list {
			if d, ok := distance(list[g].Place, references[r].Place); ok && within(d, k) {
				out = append(out, edge{comment: g, reference: r, distance: d})
			}
		}
	}
	return out
}

// greedy is Upstream: edges are sorted by reference, then by comment.
func greedy(edges []*edge) (out []*edge) {
	used, served := map[int]bool{}, map[int]bool{}
	for _, e := range edges {
		if !served[e.reference] && !used[e.comment] {
			served[e.reference], used[e.comment] = true, true
			out = append(out, e)
		}
	}
	return out
}

// cost is compared from left to right: matches, scores in units of 1e-9, and lines between.
type cost [3]int64

func (a cost) minus(b cost) cost { return cost{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a cost) less(b cost) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// optimal is Best: the Hungarian algorithm with potentials (Kuhn 1955; Jonker and Volgenant 1987), in
// time references² × comments. The references are rows; the comments are columns, and so is one
// dummy for each reference, which costs nothing.
func optimal(edges []*edge) (out []*edge) {
	rows, columns := map[int]int{}, map[int]int{} // places, counted from 1
	for _, e := range edges {
		if rows[e.reference] == 0 {
			rows[e.reference] = len(rows) + 1
		}
		if columns[e.comment] == 0 {
			columns[e.comment] = len(columns) + 1
		}
	}
	n, real := len(rows), len(columns)
	m := real + n
	at := make([]*edge, (n+1)*(real+1))
	for _, e := range edges {
		at[rows[e.reference]*(real+1)+columns[e.comment]] = e
	}
	price := func(i, j int) cost {
		if j > real {
			return cost{}
		}
		e := at[i*(real+1)+j]
		if e == nil {
			return cost{1} // a dummy is better
		}
		return cost{-1, -int64(math.Round(min(max(e.Score, 0), 1) * 1e9)), int64(e.distance)}
	}
	u, v, row, way := make([]cost, n+1), make([]cost, m+1), make([]int, m+1), make([]int, m+1)
	for i := 1; i <= n; i++ {
		row[0] = i
		least, known, used := make([]cost, m+1), make([]bool, m+1), make([]bool, m+1)
		j0 := 0
		for row[j0] != 0 {
			used[j0] = true
			i0, next := row[j0], 0
			for j := 1; j <= m; j++ {
				if used[j] {
					continue
				}
				if c := price(i0, j).minus(u[i0]).minus(v[j]); !known[j] || c.less(least[j]) {
					least[j], known[j], way[j] = c, true, j0
				}
				// Among equals a free column ends the search.
				free := next > 0 && row[next] != 0 && row[j] == 0
				if next == 0 || least[j].less(least[next]) || free && least[j] == least[next] {
					next = j
				}
			}
			delta := least[next]
			for j := 0; j <= m; j++ {
				if used[j] {
					u[row[j]], v[j] = u[row[j]].minus(cost{}.minus(delta)), v[j].minus(delta)
				} else {
					least[j] = least[j].minus(delta)
				}
			}
			j0 = next
		}
		for j0 != 0 {
			row[j0], j0 = row[way[j0]], way[j0]
		}
	}
	for j := range real + 1 {
		if e := at[row[j]*(real+1)+j]; row[j] != 0 && e != nil {
			out = append(out, e)
		}
	}
	return out
}

// Assignment gives each reference at most one comment, and each comment at most one reference, as
// Best does where all places are the same: most matches first, then the highest sum of scores. It
// takes a row of verdicts a reference, with a verdict a comment, and returns the comment of each
// reference, -1 for none. The time is references² × comments. It fails only when ctx ends.
func Assignment(ctx context.Context, verdicts [][]Verdict) ([]int, error) {
	var edges []*edge
	out := make([]int, len(verdicts))
	for r, row := range verdicts {
		out[r] = -1
		for c, v := range row {
			if v.Same && v.Undecided == "" {
				edges = append(edges, &edge{comment: c, reference: r, Verdict: v})
			}
		}
	}
	for _, e := range optimal(edges) {
		out[e.reference] = e.comment
	}
	return out, ctx.Err()
}
