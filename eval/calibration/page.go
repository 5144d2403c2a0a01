package calibration

import (
	"fmt"
	"math"
	"strings"

	"crscore/internal/report/figures"
)

// Page shows the report, on a terminal and as HTML.
func (r Report) Page() figures.Page {
	p := figures.Page{
		Title: fmt.Sprintf("Calibration of mode %s by rule %s", r.Mode, r.Rule),
		Lead:  r.lead(),
		Sections: []figures.Section{
			{Title: "Chosen", Figures: []figures.Figure{r.chosenTable()}},
			{Title: "Held out", Text: r.heldOutText(), Figures: []figures.Figure{r.foldsTable()}},
		},
	}
	if r.Modes != nil {
		p.Sections = append(p.Sections, figures.Section{Title: "Modes", Text: modesText, Figures: []figures.Figure{r.modesTable()}})
	}
	if why := r.ModesUndefined; why != "" {
		p.Sections = append(p.Sections, figures.Section{Title: "Modes", Text: "They are not compared: " + why + "."})
	}
	thresholds := figures.Section{Title: "Thresholds", Text: r.sweepText(), Figures: []figures.Figure{r.curves()}}
	if len(r.details()) > 0 {
		thresholds.Figures = append(thresholds.Figures, r.sweepTable())
	}
	p.Sections = append(p.Sections, thresholds, figures.Section{Title: "Similarities", Figures: []figures.Figure{r.histogramFigure()}})
	return p
}

func (r Report) lead() string {
	c := r.Counts
	text := fmt.Sprintf("Rule %s. Fitted on %d changes of %d (%d scored reviews of all systems, %d with labels; %d pairs of a review and a point, %d of them linked). Left out: unscored %d, human reference %d.",
		r.Explained, c.Used, c.Changes, c.Reviews, c.Labelled, c.Pairs, c.Linked, c.Unscored, c.HumanReference)
	text += fmt.Sprintf("\n\n%s: %s on what it was fitted on, ", upper(r.Measure), digits(r.Fitted))
	if r.Rule == Paper { // what all folds together have is the same number again
		return text + fmt.Sprintf("%s in the mean of the parts that were held out.", shown(r.HeldOut.Mean))
	}
	return text + fmt.Sprintf("%s on changes that were held out (all folds together; the folds' mean is %s).", shown(r.HeldOut.Pooled), shown(r.HeldOut.Mean))
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// digits and shown round for the eye.
func digits(v float64) string {
	if notFinite(v) {
		return "undefined"
	}
	return fmt.Sprintf("%.4f", v)
}

func shown(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return digits(*v)
}

// parameter is one of a rule as it is written.
func parameter(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.6g", *v)
}

func shownInterval(in *[2]float64) string {
	if in == nil {
		return "undefined"
	}
	return fmt.Sprintf("[%.4g, %.4g]", in[0], in[1])
}

func (r Report) chosenTable() figures.Table {
	t := figures.Table{
		Title:   "Parameters",
		Columns: []figures.Column{{Name: "parameter"}, {Name: "value", Numbers: true}, {Name: "95% interval", Numbers: true}},
	}
	for _, p := range []struct {
		name  string
		value *float64
		in    *[2]float64
	}{{"tau", r.Chosen.Tau, r.Intervals.Tau}, {"low", r.Chosen.Low, r.Intervals.Low}, {"slope", r.Chosen.Slope, r.Intervals.Slope}} {
		if p.value != nil {
			t.Rows = append(t.Rows, figures.Row{Cells: []string{p.name, parameter(p.value), shownInterval(p.in)}})
		}
	}
	if w := r.Chosen.Weights; w != "" {
		t.Rows = append(t.Rows, figures.Row{Cells: []string{"weights", w, ""}})
	}
	t.Footnotes = []string{fmt.Sprintf("Intervals: bootstrap over changes, %d draws, seed %d.", r.Intervals.Resamples, r.Seed)}
	if n := r.Intervals.Degenerate; n > 0 {
		t.Footnotes = append(t.Footnotes, fmt.Sprintf("Draws on which nothing can be fitted: %d.", n))
	}
	if why := r.Intervals.Undefined; why != "" {
		t.Footnotes = append(t.Footnotes, "No interval: "+why+".")
	}
	return t
}

func (r Report) heldOutText() string {
	text := fmt.Sprintf("The changes are dealt to %d folds by a hash of their ids (seed %d); the reviews of a change stay together. Each fold is measured with the rule that was fitted on the others.",
		len(r.Folds), r.Seed)
	if r.Rule == Paper {
		text += " This rule looks at no labels; its measure says how far τ differs from part to part."
	}
	return text
}

func (r Report) foldsTable() figures.Table {
	t := figures.Table{Title: "Folds: " + r.Measure, Columns: []figures.Column{{Name: "fold"}, {Name: "changes", Numbers: true}}}
	names, values := r.parameterColumns()
	for _, n := range names {
		t.Columns = append(t.Columns, figures.Column{Name: n, Numbers: true})
	}
	t.Columns = append(t.Columns, figures.Column{Name: "fitted", Numbers: true}, figures.Column{Name: "held out", Numbers: true})
	for k, f := range r.Folds {
		row := append([]string{fmt.Sprint(k + 1), fmt.Sprint(f.Changes)}, values(f.Parameters)...)
		t.Rows = append(t.Rows, figures.Row{Cells: append(row, shown(f.Fitted), shown(f.HeldOut))})
	}
	all := append([]string{"all", fmt.Sprint(r.Counts.Used)}, values(r.Chosen)...)
	t.Rows = append(t.Rows, figures.Row{Marked: true, Cells: append(all, digits(r.Fitted), shown(r.HeldOut.Pooled))})
	return t
}

// parameterColumns are the parameters that the mode has.
func (r Report) parameterColumns() (names []string, values func(Parameters) []string) {
	names = []string{"tau"}
	c := r.Chosen
	if c.Low != nil {
		names = append(names, "low")
	}
	if c.Slope != nil {
		names = append(names, "slope")
	}
	return names, func(p Parameters) []string {
		out := []string{parameter(p.Tau)}
		if c.Low != nil {
			out = append(out, parameter(p.Low))
		}
		if c.Slope != nil {
			out = append(out, parameter(p.Slope))
		}
		return out
	}
}

const modesText = `Every mode is fitted by each of its rules within the same folds, and Spearman's ρ of rel with the labels is taken on changes that were held out. The folds' mean decides which agrees best: there, one rule scores all reviews that are put in order. All folds together mix the scores of rules that were fitted a little differently.

Intervals are over changes, with folds and rules as they are. Where that of the distance to the best holds 0, the data do not tell the two apart.`

func (r Report) modesTable() figures.Table {
	t := figures.Table{Title: fmt.Sprintf("Rank agreement of rel by mode, %d reviews", r.Modes.Reviews)}
	for i, n := range []string{"mode and rule", "fitted on all", "held out", "95% interval", "behind the best", "folds together", "chosen on all"} {
		t.Columns = append(t.Columns, figures.Column{Name: n, Numbers: i > 0 && i < 6})
	}
	for i, c := range r.Modes.Results {
		behind := ""
		if c.Behind != nil {
			behind = fmt.Sprintf("%.4f %s", *c.Behind, shownDifference(c.BehindInterval))
		}
		chosen := ""
		if c.Chosen != nil {
			chosen = c.Chosen.short()
		}
		t.Rows = append(t.Rows, figures.Row{Marked: i == r.Modes.Best, Cells: []string{
			c.name(), shown(c.Fitted), shown(c.HeldOut.Mean), shownInterval(c.Interval), behind, shown(c.HeldOut.Pooled), chosen,
		}})
		if c.Undefined != "" {
			t.Footnotes = append(t.Footnotes, c.name()+": "+c.Undefined)
		}
	}
	return t
}

func (c Contender) name() string {
	if c.Rule == "" {
		return string(c.Mode)
	}
	return fmt.Sprintf("%s by %s", c.Mode, c.Rule)
}

func shownDifference(in *[2]float64) string {
	if in == nil {
		return ""
	}
	return fmt.Sprintf("[%.3f, %.3f]", in[0], in[1])
}

// short is the parameters in a line.
func (p Parameters) short() string {
	var parts []string
	for _, v := range []struct {
		name  string
		value *float64
	}{{"tau", p.Tau}, {"low", p.Low}, {"slope", p.Slope}} {
		if v.value != nil {
			parts = append(parts, v.name+" "+parameter(v.value))
		}
	}
	if p.Weights != "" {
		parts = append(parts, p.Weights)
	}
	return strings.Join(parts, ", ")
}

func (r Report) sweepText() string {
	text := "Con, Comp and Rel are means over the scored reviews of all systems, the human reference left out."
	switch {
	case r.Chosen.Low != nil:
		text += " The lower threshold stays where it was fitted, as long as τ is above it."
	case r.Chosen.Slope != nil:
		text += " The slope stays as it was fitted."
	}
	if r.Counts.Labelled > 0 {
		text += " ρ is Spearman's, with the labels of the same dimension."
	}
	if r.Counts.Pairs > 0 {
		text += " Precision, recall and F1 are those of taking pairs with a similarity above τ for linked ones."
	}
	return text
}

// column is one number of a threshold.
type column struct {
	name string
	of   func(Threshold) *float64
}

// lines are what is drawn.
func (r Report) lines() []column {
	out := []column{
		{"Con", func(t Threshold) *float64 { return t.Con }},
		{"Comp", func(t Threshold) *float64 { return t.Comp }},
		{"Rel", func(t Threshold) *float64 { return t.Rel }},
	}
	if r.Counts.Pairs > 0 {
		out = append(out, column{"F1 of links", func(t Threshold) *float64 { return t.Links.F1 }})
	}
	if r.Counts.Labelled > 0 {
		out = append(out, column{"ρ of Rel", func(t Threshold) *float64 { return t.Spearman.Rel }})
	}
	return out
}

// details are the agreement with people in numbers; none without people.
func (r Report) details() (out []column) {
	if r.Counts.Pairs > 0 {
		out = append(out,
			column{"precision", func(t Threshold) *float64 { return t.Links.Precision }},
			column{"recall", func(t Threshold) *float64 { return t.Links.Recall }},
			column{"F1", func(t Threshold) *float64 { return t.Links.F1 }})
	}
	if r.Counts.Labelled > 0 {
		out = append(out,
			column{"ρ of Con", func(t Threshold) *float64 { return t.Spearman.Con }},
			column{"ρ of Comp", func(t Threshold) *float64 { return t.Spearman.Comp }},
			column{"ρ of Rel", func(t Threshold) *float64 { return t.Spearman.Rel }})
	}
	return out
}

func (r Report) curves() figures.Lines {
	l := figures.Lines{
		Title: "Scores and agreement over τ",
		X:     figures.Axis{Label: "τ", Max: 1}, Y: figures.Axis{Label: "value"},
	}
	for _, t := range r.Sweep {
		l.At = append(l.At, t.Tau)
	}
	for _, c := range r.lines() {
		s := figures.Series{Name: c.name}
		for _, t := range r.Sweep {
			v := math.NaN()
			if p := c.of(t); p != nil {
				v = *p
			}
			s.Y = append(s.Y, v)
		}
		l.Series = append(l.Series, s)
	}
	l.Markers = []figures.Marker{r.marker()}
	return l
}

func (r Report) marker() figures.Marker {
	m := figures.Marker{X: *r.Chosen.Tau, Label: "chosen τ " + parameter(r.Chosen.Tau)}
	if in := r.Intervals.Tau; in != nil {
		m.Low, m.High = in[0], in[1]
	}
	return m
}

// sweepRows is about how many thresholds the table has; JSON has all.
const sweepRows = 20

func (r Report) sweepTable() figures.Table {
	t := figures.Table{Title: "Agreement with people over τ", Columns: []figures.Column{{Name: "τ", Numbers: true}}}
	columns := r.details()
	for _, c := range columns {
		t.Columns = append(t.Columns, figures.Column{Name: c.name, Numbers: true})
	}
	nearest := 0
	for i, s := range r.Sweep {
		if math.Abs(s.Tau-*r.Chosen.Tau) < math.Abs(r.Sweep[nearest].Tau-*r.Chosen.Tau) {
			nearest = i
		}
	}
	for i, s := range r.Sweep {
		if i%(len(r.Sweep)/sweepRows) != 0 && i != nearest {
			continue
		}
		row := figures.Row{Cells: []string{fmt.Sprintf("%.3f", s.Tau)}, Marked: i == nearest}
		for _, c := range columns {
			cell := "–"
			if v := c.of(s); v != nil {
				cell = fmt.Sprintf("%.3f", *v)
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Footnotes = []string{"The row of the threshold next to the chosen one is marked."}
	return t
}

func (r Report) histogramFigure() figures.Histogram {
	h := figures.Histogram{
		Title: "Pairs by their similarity", X: figures.Axis{Label: "similarity", Max: 1}, Bins: bins,
		Note:    "The similarity of a point of the annotators to the review's most similar sentence.",
		Groups:  []figures.Sample{r.Similarities.sample("linked", r.Similarities.Linked), r.Similarities.sample("not linked", r.Similarities.NotLinked)},
		Markers: []figures.Marker{r.marker()},
	}
	if len(r.Similarities.Linked) == 0 {
		h.Title, h.Note = "Sentences by their best similarity", "Nobody linked reviews to points in these data."
		h.Groups = []figures.Sample{r.Similarities.sample("sentences", r.Similarities.Sentences)}
	}
	return h
}

// sample has a value in the middle of its bin for each that was counted.
func (h Histogram) sample(name string, counts []int) figures.Sample {
	s := figures.Sample{Name: name}
	for k, n := range counts {
		for range n {
			s.Values = append(s.Values, (h.Edges[k]+h.Edges[k+1])/2)
		}
	}
	return s
}
