package agreement

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"crscore/eval/resample"
	"crscore/internal/limits"
	"crscore/internal/spelling"
)

// Contender is one of several metrics of the same reviews.
type Contender struct {
	// Name is shown in tables and figures. No two contenders have the same name.
	Name string `json:"name"`
	// Signature is how the scores were made; empty if it is not known.
	Signature string `json:"signature,omitempty"`
	// Own marks the scores of CRScore, in any of its modes.
	Own bool `json:"crscore,omitempty"`
	// Control marks what is no metric but what a metric must beat, such as the length.
	Control bool `json:"control,omitempty"`
	// Turned tells that lower numbers were better, and that the rows have them with the
	// sign turned. A positive correlation is agreement for every contender.
	Turned bool `json:"turned,omitempty"`
	// Rows are the reviews. A review without a row is unscored.
	Rows []Row `json:"-"`
}

// Standing is the agreement of one of several metrics with people.
type Standing struct {
	Contender
	// Scored is the number of labelled reviews that the metric scored.
	Scored int `json:"scored"`
	// Unscored is the number of labelled reviews that it did not score.
	Unscored int `json:"unscored"`
	// ByDimension is over the reviews that every metric scored. A metric of a single number
	// has rel only.
	ByDimension[Coefficients]
	// All is over all reviews that this metric scored: the numbers of Study. It is nil where
	// the other metrics scored them all.
	All *ByDimension[Coefficients] `json:"all_scored,omitempty"`
	// Difference is Spearman's ρ of this metric with rel, less ρ of Standings.Against, on the
	// same draws of changes. It is nil for Against, which reasons call A.
	Difference *Estimate `json:"difference,omitempty"`
	// Corrected is the p-value of Difference, corrected by Holm for the number of
	// differences; nil where there is no p-value.
	Corrected *float64 `json:"p_corrected,omitempty"`
}

// Standings has the agreement of several metrics with people, over the same reviews.
type Standings struct {
	// Reviews is the number of labelled reviews that every metric scored. Metrics with fewer
	// than MinReviews scores do not count.
	Reviews int `json:"reviews"`
	// Changes is the number of changes that the reviews are of.
	Changes int `json:"changes"`
	// Labelled is the number of reviews with labels.
	Labelled int `json:"labelled"`
	// Against is the name of the metric that all others are compared with.
	Against string `json:"against"`
	// Metrics are sorted by ρ with rel, the best first, those without ρ last.
	Metrics []Standing `json:"metrics"`
}

// Stand compares metrics by how well they agree with people. against is the name of the
// contender that all others are compared with; empty for the one with the highest ρ with rel
// that is no control. Rows may be in any order. Labels may be with any contender, but not
// contradict each other; reviews by people are left out.
//
// The numbers are over the reviews that every metric scored, on the draws that Study and
// Compare make of these. A metric with fewer than MinReviews scores is there without numbers.
// Errors are those of Study, and of names that are missing, double or unknown.
func Stand(ctx context.Context, contenders []Contender, against string, b Bootstrap) (Standings, error) {
	c, err := newContest(contenders, against)
	if err != nil {
		return Standings{}, err
	}
	o := Options{Bootstrap: b}
	samples := map[string][]float64{} // of ρ with rel, by name
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if m.Scored < MinReviews {
			for _, d := range m.all() {
				*d = noCoefficients(spelling.Count("%d reviews, need at least %d", m.Scored, MinReviews))
			}
			continue
		}
		shared := slices.DeleteFunc(slices.Clone(m.Rows), func(r Row) bool { return !c.shared[r.id()] })
		g, drawn, err := o.sampled(ctx, "", shared)
		if err != nil {
			return Standings{}, err
		}
		m.ByDimension, samples[m.Name] = g.ByDimension, drawn[spearmanOfRel]
		c.Reviews, c.Changes = g.Reviews, g.Changes
		if len(shared) == len(m.Rows) {
			continue
		}
		all, _, err := o.sampled(ctx, "", m.Rows)
		if err != nil {
			return Standings{}, err
		}
		m.All = &all.ByDimension
	}
	slices.SortStableFunc(c.Metrics, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(b.rho(), a.rho()), cmp.Compare(a.Name, b.Name)) // NaN is below all
	})
	return c.Standings, c.subtract(samples)
}

// rho is ρ with rel, NaN where it is undefined.
func (s *Standing) rho() float64 {
	if v := s.Rel.Spearman.Value; v != nil {
		return *v
	}
	return math.NaN()
}

// subtract compares all metrics with one.
func (s *Standings) subtract(samples map[string][]float64) error {
	at := max(0, slices.IndexFunc(s.Metrics, func(m Standing) bool { // 0: all are controls
		return m.Name == s.Against || s.Against == "" && !m.Control
	}))
	base := &s.Metrics[at]
	s.Against = base.Name
	ps := make([]float64, len(s.Metrics))
	for i := range s.Metrics {
		m := &s.Metrics[i]
		ps[i] = math.NaN()
		if i == at {
			continue
		}
		d := Difference{A: base.Rel.Spearman, B: m.Rel.Spearman}
		d.subtract(samples[base.Name], samples[m.Name], s.Changes)
		if m.Difference = &d.Difference; d.Difference.P != nil {
			ps[i] = *d.Difference.P
		}
	}
	ps, err := resample.Holm.Adjust(ps)
	for i, p := range ps {
		if !math.IsNaN(p) {
			s.Metrics[i].Corrected = &p
		}
	}
	return err
}

// contest is what the contenders have in common. The rows of its metrics are those with a
// score and labels, in the order of changes and reviews.
type contest struct {
	Standings
	shared map[ReviewID]bool // those that every metric with MinReviews scored
}

func newContest(contenders []Contender, against string) (*contest, error) {
	c := &contest{Standings: Standings{Against: against}, shared: map[ReviewID]bool{}}
	var names []string
	labels := map[ReviewID]*Scores{}
	for _, m := range contenders {
		if m.Name == "" || slices.Contains(names, m.Name) {
			return nil, fmt.Errorf("agreement: the name %q of a metric is empty or double", m.Name)
		}
		names = append(names, m.Name)
		for _, r := range m.Rows {
			if r.Human == nil || r.Review == HumanReference {
				continue
			}
			if other := labels[r.id()]; other != nil && *other != *r.Human {
				return nil, fmt.Errorf("agreement: %s has two different human labels: %v and %v",
					name(r.Change, r.Review), *other, *r.Human)
			}
			labels[r.id()] = r.Human
		}
	}
	switch {
	case len(names) == 0 || len(names) > limits.Contenders:
		return nil, fmt.Errorf("agreement: %d metrics: need 1 to %d", len(names), limits.Contenders)
	case against != "" && !slices.Contains(names, against):
		return nil, fmt.Errorf("agreement: there is no metric %q to compare with, but: %s",
			against, strings.Join(names, ", "))
	}
	c.Labelled = len(labels)
	count, counted := map[ReviewID]int{}, 0
	for _, m := range contenders {
		s := Standing{Contender: m}
		if err := s.choose(labels); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		c.Metrics = append(c.Metrics, s)
		if s.Scored < MinReviews {
			continue
		}
		counted++
		for _, r := range s.Rows {
			count[r.id()]++
		}
	}
	for id, n := range count {
		if n == counted {
			c.shared[id] = true
		}
	}
	if len(c.shared) < MinReviews {
		for i, m := range c.Metrics {
			names[i] += fmt.Sprintf(": %d", m.Scored)
		}
		return nil, fmt.Errorf("agreement: %d labelled reviews have a score of every metric, need at least %d (%s)",
			len(c.shared), MinReviews, strings.Join(names, ", "))
	}
	return c, nil
}

// choose replaces the rows by those with a score and labels, in order, and counts them.
func (s *Standing) choose(labels map[ReviewID]*Scores) error {
	var rows []Row
	single := !slices.ContainsFunc(s.Rows, func(r Row) bool {
		return r.Metric != nil && (r.Metric.Con != r.Metric.Rel || r.Metric.Comp != r.Metric.Rel)
	})
	for _, r := range s.Rows {
		if r.Human = labels[r.id()]; r.Human == nil {
			continue
		}
		if m := r.Metric; m != nil {
			s.Scored++
			if single {
				r.Metric = &Scores{math.NaN(), math.NaN(), m.Rel}
			}
		}
		rows = append(rows, r)
	}
	s.Unscored = len(labels) - s.Scored
	if s.Rows = nil; s.Scored < MinReviews {
		return nil
	}
	var err error
	s.Rows, _, err = choose(rows, LeaveOut)
	return err
}

func (r *Row) id() ReviewID { return ReviewID{r.Change, r.Review} }
