package run

import (
	"cmp"
	"math"
	"slices"

	"crscore/internal/dataset"
	"crscore/internal/report/figures"
)

// corpusTitle is the title of the table of metrics.
const corpusTitle = "Corpus scores"

// Drawn has a figure of each metric: the systems' scores, the best first.
func (m *Metrics) Drawn() figures.Page {
	s := figures.Section{Title: "Scores of the systems"}
	for i, one := range m.Set.Metrics {
		what, lower := "mean over the reviews", one.Turned
		if _, ok := m.Set.Whole(i); ok {
			what = "all reviews together"
		}
		d := figures.Dots{Title: one.Spec + " by system", X: one.Spec + ", " + what, Note: "Signature: " + one.Signature}
		if lower {
			d.X += ", lower is better"
		}
		for _, sys := range m.totals.order {
			row := figures.Dot{Name: sys.name, Value: math.NaN()}
			if v := m.kind.of(sys)[i].score(); v != nil {
				row.Value = *v
			}
			d.Rows = append(d.Rows, row)
		}
		slices.SortStableFunc(d.Rows, func(a, b figures.Dot) int {
			switch {
			case math.IsNaN(a.Value) || math.IsNaN(b.Value): // last
				return cmp.Compare(b.Value, a.Value)
			case lower:
				return cmp.Compare(a.Value, b.Value)
			}
			return cmp.Compare(b.Value, a.Value)
		})
		s.Figures = append(s.Figures, d)
	}
	return figures.Page{Title: corpusTitle, Sections: []figures.Section{s}}
}

// systemScores is a system in the JSON of --corpus. The names are stable.
type systemScores struct {
	System   string                   `json:"system"`
	Scored   int                      `json:"scored"`
	Unscored int                      `json:"unscored"`
	Metrics  dataset.Members[float64] `json:"metrics"`
	// Reviews are the numbers of reviews behind scores that are of fewer than Scored.
	Reviews dataset.Members[int] `json:"reviews,omitempty"`
}

// corpusMetric is a metric in the JSON of --corpus.
type corpusMetric struct {
	Name      string `json:"name"`
	Value     string `json:"value"` // corpus or mean
	Signature string `json:"signature"`
}

// Corpus has the scores of the systems for JSON.
func (m *Metrics) Corpus() any {
	out := struct {
		Systems   []systemScores `json:"systems"`
		Metrics   []corpusMetric `json:"metrics"`
		Signature string         `json:"signature"`
	}{Systems: []systemScores{}, Signature: m.Signature().String()}
	for _, sys := range m.totals.order {
		one := systemScores{System: sys.name, Scored: sys.scored, Unscored: sys.unscored, Metrics: dataset.Members[float64]{}}
		for i, named := range m.Set.Metrics {
			sum := &m.kind.of(sys)[i]
			if v := sum.score(); v != nil {
				one.Metrics = append(one.Metrics, dataset.Member[float64]{Name: named.Spec, Value: *v})
			}
			if sum.n < sys.scored {
				one.Reviews = append(one.Reviews, dataset.Member[int]{Name: named.Spec, Value: sum.n})
			}
		}
		out.Systems = append(out.Systems, one)
	}
	for i, named := range m.Set.Metrics {
		value := "mean"
		if _, own := m.Set.Whole(i); own {
			value = "corpus"
		}
		out.Metrics = append(out.Metrics, corpusMetric{named.Spec, value, named.Signature})
	}
	return out
}
