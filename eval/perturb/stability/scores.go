package stability

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"crscore/eval/perturb"
	"crscore/internal/dataset"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

var variantID = regexp.MustCompile(`^(.+)#(p[0-9]+)\.([0-9]+)$`)

// SplitID parts the id of a variant, such as 7988#p8.1, into the id of the change, the
// perturbation and the seed, which stays a text. ok is false for another id.
func SplitID(id string) (of string, p perturb.ID, seed string, ok bool) {
	m := variantID.FindStringSubmatch(id)
	if m == nil {
		return "", "", "", false
	}
	return m[1], perturb.ID(m[2]), m[3], true
}

// Collector makes moves of the scores that any metric gave to the variants of a dataset. Rows
// may come in any order. The zero value is ready for use.
type Collector struct {
	changes []string // in the order of their first row
	scores  map[string]map[perturb.ID]map[string]*Scores
	reviews map[string][]string // of a change
	rows    int
	// Signature is that of the first score that has one.
	Signature string
}

// Add adds a score, of at most limits.FileScores. It refuses a row of no variant, and a second
// score.
func (c *Collector) Add(s dataset.Score) error {
	of, p, _, ok := SplitID(s.ID)
	if !ok {
		return fmt.Errorf("%s: %q is no id of a variant, such as 7988#p8.1: score a file of crscore perturb --out", s.Where(), s.ID)
	}
	if c.rows++; c.rows > limits.FileScores {
		return fmt.Errorf("%s: more than %d scores", s.Where(), limits.FileScores)
	}
	if c.scores == nil {
		c.scores, c.reviews = map[string]map[perturb.ID]map[string]*Scores{}, map[string][]string{}
	}
	if c.scores[of] == nil {
		c.scores[of] = map[perturb.ID]map[string]*Scores{}
		c.changes = append(c.changes, of)
	}
	if c.scores[of][p] == nil {
		c.scores[of][p] = map[string]*Scores{}
	}
	if _, twice := c.scores[of][p][s.Review]; twice {
		return fmt.Errorf("%s: a second score of review %q of %s: give each score once, and the variants of one seed", s.Where(), s.Review, s.ID)
	}
	c.scores[of][p][s.Review] = scoresOf(&s)
	if !slices.Contains(c.reviews[of], s.Review) {
		c.reviews[of] = append(c.reviews[of], s.Review)
	}
	if c.Signature == "" {
		c.Signature = s.Signature
	}
	return nil
}

// Changes is the number of changes.
func (c *Collector) Changes() int { return len(c.changes) }

// Moves returns the moves of each perturbation that has rows, without controls. It is an error
// when no change has scores of p0.
func (c *Collector) Moves() (out []*Moves, err error) {
	original := perturb.Identity().ID
	some := false
	for _, p := range perturb.All() {
		m := &Moves{Perturbation: p, Left: map[string]int{}}
		for _, change := range c.changes {
			before, after := c.scores[change][original], c.scores[change][p.ID]
			some = some || before != nil
			switch {
			case before == nil:
				m.Left["no scores of p0"]++
				continue
			case after == nil:
				m.Left["no scores of the variant"]++
				continue
			}
			m.Fits++
			for _, review := range c.reviews[change] {
				b, a := before[review], after[review]
				if dataset.IsHumanReference(0, review) {
					continue
				}
				if b == nil || a == nil {
					m.Unscored++
					continue
				}
				m.Pairs = append(m.Pairs, Pair{Change: change, Review: review, Before: *b, After: *a})
			}
		}
		if m.Fits > 0 {
			out = append(out, m)
		}
	}
	if !some {
		return nil, errors.New("no scores of p0, the originals: score all rows of crscore perturb --out")
	}
	return out, nil
}

// scoresOf are the scores of a row, nil without any. A metric that is a single number has it as Rel.
func scoresOf(s *dataset.Score) *Scores {
	if !s.Scored() {
		return nil
	}
	number := func(v *float64) float64 {
		if v == nil || s.Metric != "" {
			return math.NaN()
		}
		return *v
	}
	out := &Scores{number(s.Con), number(s.Comp), number(s.Rel)}
	if s.Metric != "" {
		out.Rel = *s.Rel
	}
	return out
}
