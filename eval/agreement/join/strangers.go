package join

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"crscore"
	"crscore/eval/agreement"
	"crscore/internal/dataset"
)

// Strangers score comments against the changes of other repositories: a control, since
// a metric that cannot tell these from a comment's own change tells nothing.
type Strangers struct {
	Seed    uint64 // of the draws
	changes []stranger
}

// stranger is a change with comments that people found valid or invalid.
type stranger struct {
	id, repo string
	set      crscore.RefSet
	texts    []string
	rows     []int // of the texts, in the study
}

// Add takes the comments of a record whose rows begin at first.
func (s *Strangers) Add(rec *dataset.Record, o crscore.Outcome, first int) {
	one := stranger{id: rec.ID, repo: rec.Repo, set: crscore.RefSet{Refs: o.Refs, Code: o.Code}}
	for i, r := range rec.Reviews {
		if r.Valid != nil && o.Results[i].Status == crscore.Scored {
			one.texts, one.rows = append(one.texts, r.Text), append(one.rows, first+i)
		}
	}
	if rec.Repo != "" && len(one.rows) > 0 {
		s.changes = append(s.changes, one)
	}
}

// Score fills in Row.Other. For each change the seed and its id draw the other: the order of
// the dataset does not change it. Rows without a repository, and all rows of a dataset with
// one repository, get none.
func (s *Strangers) Score(ctx context.Context, e *crscore.Engine, rows []agreement.Row) error {
	slices.SortFunc(s.changes, func(a, b stranger) int { return cmp.Compare(a.id, b.id) })
	for _, c := range s.changes {
		var others []int
		for i := range s.changes {
			if s.changes[i].repo != c.repo {
				others = append(others, i)
			}
		}
		if len(others) == 0 {
			continue
		}
		name := fnv.New64a()
		_, _ = name.Write([]byte(c.id)) // a hash has no errors
		at := others[rand.New(rand.NewPCG(s.Seed, name.Sum64())).IntN(len(others))]
		matches, err := e.Match(ctx, s.changes[at].set, c.texts...)
		if err != nil {
			return fmt.Errorf("comparing the reviews of change %s with another change: %w", c.id, err)
		}
		for i, m := range matches {
			if r := e.Score(m); r.Status == crscore.Scored { // one beyond a limit has no score; the study counts the rows that have
				rows[c.rows[i]].Other = &agreement.Scores{Con: r.Con, Comp: r.Comp, Rel: r.Rel}
			}
		}
	}
	return nil
}
