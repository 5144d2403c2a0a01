package agreement

import (
	"fmt"
	"math"
	"sort"
)

// Point is something that people found a review of a change should talk about,
// beside what a source of references says of the change.
type Point struct {
	Change string
	Kind   string // as the annotators call it: "claim", "issue"
	// Similarity is that of the most similar reference, in [0,1].
	Similarity float64
}

// Coverage says how many of the points that people marked as necessary some
// reference matches: what bounds Comp from above for a perfect review.
type Coverage struct {
	Kind   string `json:"kind"`
	Points int    `json:"points"`
	// Matched counts the points with a similarity above τ, as in the paper's
	// equation 2; nil in a mode without τ.
	Matched *int `json:"matched"`
	// Mean is the mean similarity of the points.
	Mean float64 `json:"mean_similarity"`
}

// Cover counts the points of each kind, in the order of their names. A nil tau
// leaves Matched out.
func Cover(points []Point, tau *float64) ([]Coverage, error) {
	byKind := map[string]*Coverage{}
	for _, p := range points {
		if math.IsNaN(p.Similarity) || math.IsInf(p.Similarity, 0) {
			return nil, fmt.Errorf("agreement: change %q: the similarity of a point is %g, not a finite number", p.Change, p.Similarity)
		}
		c := byKind[p.Kind]
		if c == nil {
			c = &Coverage{Kind: p.Kind}
			if tau != nil {
				c.Matched = new(int)
			}
			byKind[p.Kind] = c
		}
		c.Points++
		c.Mean += p.Similarity
		if tau != nil && p.Similarity > *tau {
			*c.Matched++
		}
	}
	out := make([]Coverage, 0, len(byKind))
	for _, c := range byKind {
		c.Mean /= float64(c.Points)
		out = append(out, *c)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Kind < out[j].Kind })
	return out, nil
}
