package agreement

import (
	"fmt"
	"math"
	"sort"
)

// Point is a reference that annotators marked as necessary for a review of the change,
// with its similarity to the references that the program made.
type Point struct {
	// Change is the id of the change.
	Change string
	// Kind is the annotators' word for it, such as claim or issue.
	Kind string // as the annotators call it: "claim", "issue"
	// Similarity is to the most similar reference of the change, in [0,1].
	Similarity float64
}

// Coverage tells how many of the necessary references of one kind match a reference of
// the change. It bounds the Comp of a perfect review.
type Coverage struct {
	// Kind is the annotators' word.
	Kind string `json:"kind"`
	// Points is the number of necessary references of this kind.
	Points int `json:"points"`
	// Matched is the number of them with a similarity above τ, as in the paper's equation 2;
	// nil in a mode without τ.
	Matched *int `json:"matched"`
	// Mean is their mean similarity.
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
