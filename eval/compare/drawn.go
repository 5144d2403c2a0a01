package compare

import (
	"fmt"
	"math"

	"crscore/eval/resample"
	"crscore/internal/report/figures"
)

// boxes are the scores of single reviews.
func (p *Report) boxes() figures.Figure {
	b := figures.Boxes{Title: fmt.Sprintf("%s of single reviews by system", p.Metric), X: "system", Y: figures.Axis{Label: p.Metric}}
	for i := range p.Systems {
		s := &p.Systems[i]
		box := figures.Box{Sample: figures.Sample{Name: called(s), Values: s.Values}}
		if e := s.Mean(p.Metric); e.Interval != nil {
			box.Low, box.High = e.Interval[0], e.Interval[1]
		}
		b.Groups = append(b.Groups, box)
	}
	return b
}

// means are the systems' means, the best first.
func (p *Report) means() figures.Figure {
	d := figures.Dots{Title: fmt.Sprintf("Mean %s by system", p.Metric), Note: "The lines are 95% intervals.", X: "mean " + p.Metric}
	for i := range p.Systems {
		s := &p.Systems[i]
		mean := s.Mean(p.Metric)
		row := figures.DotOf(called(s), mean.Value, mean.Interval)
		row.Marked = s.Name == p.Baseline && p.Baseline != ""
		d.Rows = append(d.Rows, row)
	}
	if p.Baseline != "" {
		d.Note += " The baseline is highlighted."
	}
	return d
}

// forestPairs is up to how many pairs all are drawn: those of ten systems.
const forestPairs = 45

// forest are the differences with their intervals: all of few, else those from the best system.
func (p *Report) forest() figures.Figure {
	d := figures.Dots{
		Title: fmt.Sprintf("Differences of mean %s", p.Metric), X: "difference of mean " + p.Metric,
		Note: fmt.Sprintf("The lines are 95%% intervals. A dot is a significant difference: p %sat most %g. A ring is none.",
			p.corrected(), Level),
	}
	if p.Baseline != "" {
		d.Title += " from " + p.Baseline
	} else if len(p.Pairs) > forestPairs {
		best := p.Pairs[0].A
		d.Note += " Drawn are those from the best system."
		for d.Shown < len(p.Pairs) && p.Pairs[d.Shown].A == best {
			d.Shown++
		}
	}
	for i := range p.Pairs {
		c := &p.Pairs[i]
		name := c.A
		if p.Baseline == "" {
			name += " − " + c.B
		}
		row := figures.DotOf(name, c.Difference.Value, c.Difference.Interval)
		row.Hollow = !c.Differs()
		d.Rows = append(d.Rows, row)
	}
	return d
}

// corrected names the correction of the p-values in a sentence.
func (p *Report) corrected() string {
	if p.Correction == resample.Uncorrected {
		return ""
	}
	return "corrected for the number of pairs "
}

// matrix shows which systems differ.
func (p *Report) matrix() figures.Figure {
	m := figures.Matrix{Title: "Which systems differ in mean " + p.Metric, Of: "difference of mean " + p.Metric}
	if p.Correction != resample.Uncorrected {
		m.Note = "The p-values are corrected for the number of pairs."
	}
	place := map[string]int{}
	for i := range p.Systems {
		m.Names = append(m.Names, called(&p.Systems[i]))
		place[p.Systems[i].Name] = i
	}
	number := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	for i := range p.Pairs {
		c := &p.Pairs[i]
		d := figures.DotOf("", c.Difference.Value, c.Difference.Interval)
		m.Contrasts = append(m.Contrasts, figures.Contrast{
			A: place[c.A], B: place[c.B], Difference: d.Value, Low: d.Low, High: d.High,
			P: number(c.Difference.P), Corrected: number(c.Corrected),
			Significant: c.Differs(), Better: d.Value > 0 != p.LowerIsBetter && d.Value != 0,
		})
	}
	return m
}
