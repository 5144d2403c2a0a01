package calibration

import (
	"fmt"
	"math"
	"strings"

	"crscore/internal/report/figures"
)

// Page lays the report out, for a terminal and as HTML.
func (r Report) Page() figures.Page {
	p := figures.Page{Title: fmt.Sprintf("Calibration: %s", r.choice()), Lead: r.lead()}
	if c := r.Comparison; c != nil && c.Verdict() == Worse {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s is worse than the rule in force on held-out changes", r.choice()))
	}
	if s := r.Selection; s != nil && s.Fallback != "" {
		p.Warnings = append(p.Warnings, fmt.Sprintf("No mode could be selected: %s. "+
			"Mode hard by the paper's rule needs no labels; whether it suits these data is not known", s.Fallback))
	}
	if r.Mode.UsesTau() {
		p.Sections = []figures.Section{{Title: "Chosen", Figures: []figures.Figure{r.chosenTable()}}}
	}
	if c := r.Comparison; c != nil {
		p.Sections = append(p.Sections, figures.Section{Title: "Beside the rule in force", Text: upper(r.Conclusion()) + "."})
	}
	modes := figures.Section{Title: "Modes", Text: fmt.Sprintf(modesText, r.labels)}
	if r.Modes != nil {
		modes.Figures = []figures.Figure{r.modesTable(), r.modesFigure()}
		modes.Text += r.selectionText()
	} else {
		modes.Text = "The modes are not compared: " + r.ModesUndefined + "."
	}
	p.Sections = append(p.Sections, modes,
		figures.Section{Title: "Held out", Text: r.heldOutText(), Figures: []figures.Figure{r.foldsTable()}})
	if r.Mode.UsesTau() {
		thresholds := figures.Section{Title: "Thresholds", Text: r.sweepText(), Figures: []figures.Figure{r.curves()}}
		if len(r.details()) > 0 {
			thresholds.Figures = append(thresholds.Figures, r.sweepTable())
		}
		p.Sections = append(p.Sections, thresholds)
	}
	p.Sections = append(p.Sections, figures.Section{Title: "Similarities", Figures: []figures.Figure{r.histogramFigure()}})
	return p
}

func (r Report) lead() string {
	c := r.Counts
	var text string
	if s := r.Selection; s != nil && s.Fallback == "" {
		text = fmt.Sprintf("%s won among the modes and rules that were tried on these data (section Modes).\n\n", upper(r.choice()))
	}
	text += fmt.Sprintf("Rule %s. Fitted on %d of %d changes (%d scored reviews of all systems, %d with labels; %d pairs of a review and an annotators' reference, %d of them linked). Left out: %d unscored reviews, %d human references.",
		r.Explained, c.Used, c.Changes, c.Reviews, c.Labelled, c.Pairs, c.Linked, c.Unscored, c.HumanReference)
	text += fmt.Sprintf("\n\n%s: %s on the changes that it was fitted on, ", upper(r.Measure), digits(r.Fitted))
	if r.Rule == Paper { // all folds together have the same value again
		return text + fmt.Sprintf("%s as the mean of the held-out folds.", shown(r.HeldOut.Mean))
	}
	return text + fmt.Sprintf("%s on held-out changes (all folds together; the mean of the folds is %s).", shown(r.HeldOut.Pooled), shown(r.HeldOut.Mean))
}

// selectionText gives the value of the selected mode on changes that took no part in the
// selection.
func (r Report) selectionText() string {
	s := r.Selection
	if s == nil || s.Fallback != "" {
		return ""
	}
	if len(s.Folds) == 0 {
		return "\n\n" + upper(notMeasured) + "."
	}
	return fmt.Sprintf("\n\nThe best of several held-out values is itself flattered. So the selection was repeated within the folds: without each fold, select a mode on the other folds, fit it there, and score the fold. The mean of the folds is then %s. The winners without fold 1, 2, …: %s.",
		shown(s.HeldOut), strings.Join(s.Folds, ", "))
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
			t.Add(p.name, parameter(p.value), shownInterval(p.in))
		}
	}
	if c := r.Chosen.Comp; c != "" {
		t.Add("comp", c, "")
	}
	if w := r.Chosen.Weights; w != "" {
		t.Add("weights", w, "")
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
	text := fmt.Sprintf("A hash of its id (seed %[2]d) puts each change into one of %[1]d folds. The reviews of a change stay together. Each fold is measured with the parameters that were fitted on the other folds.",
		len(r.Folds), r.Seed)
	if r.Rule == Paper {
		text += " The paper's rule looks at no labels: its measure shows how much τ differs between folds."
	}
	return text
}

func (r Report) foldsTable() figures.Table {
	type part struct {
		name string
		Fold
	}
	var parts []part
	for k, f := range r.Folds {
		parts = append(parts, part{fmt.Sprint(k + 1), f})
	}
	all := Fold{Changes: r.Counts.Used, Parameters: r.Chosen, Fitted: defined(r.Fitted), HeldOut: r.HeldOut.Pooled}
	parts = append(parts, part{"all", all})
	columns := []figures.Col[part]{
		figures.Texts("fold", func(p part) any { return p.name }),
		figures.Numbers("changes", func(p part) any { return p.Changes }),
	}
	for _, c := range []struct {
		name string
		of   func(Parameters) *float64
	}{
		{"tau", func(p Parameters) *float64 { return p.Tau }},
		{"low", func(p Parameters) *float64 { return p.Low }},
		{"slope", func(p Parameters) *float64 { return p.Slope }},
	} {
		if c.of(r.Chosen) != nil {
			columns = append(columns, figures.Numbers(c.name, func(p part) any { return parameter(c.of(p.Parameters)) }))
		}
	}
	columns = append(columns, figures.Numbers("fitted", func(p part) any { return shown(p.Fitted) }),
		figures.Numbers("held out", func(p part) any { return shown(p.HeldOut) }))
	t := figures.Table{Title: "Folds: " + r.Measure}
	figures.Fill(&t, parts, columns)
	t.Rows[len(parts)-1].Marked = true
	return t
}

const modesText = `Every mode is fitted by each of its rules within the same folds. The table has Spearman's ρ of rel with the %s, on the changes of each fold with the parameters fitted on the other folds. The mean of the folds (column held out) decides. The column folds together pools the scores of all folds, which come from slightly different parameters.

The intervals are over changes, and keep folds and parameters as they are. Where the interval of "behind the best" holds 0, these data do not tell the two apart.`

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
		t.Add(c.name(), shown(c.Fitted), shown(c.HeldOut.Mean), shownInterval(c.Interval), behind, shown(c.HeldOut.Pooled), chosen).
			Marked = i == r.Modes.Best
		if c.OverBest != nil {
			t.Footnotes = append(t.Footnotes, fmt.Sprintf("%s is %+.4f over its form by the best sentence, 95%% interval %s.",
				c.name(), *c.OverBest, shownInterval(c.OverBestInterval)))
		}
		if c.Undefined != "" {
			t.Footnotes = append(t.Footnotes, c.name()+": "+c.Undefined)
		}
	}
	return t
}

// modesFigure draws the held-out agreement of the modes.
func (r Report) modesFigure() figures.Dots {
	d := figures.Dots{
		Title: "Held-out agreement of the modes", X: "Spearman's ρ of rel, mean of the held-out folds",
		Note: "The lines are 95% intervals. The best mode is highlighted.",
	}
	for i, c := range r.Modes.Results {
		row := figures.DotOf(c.name(), c.HeldOut.Mean, c.Interval)
		row.Marked = i == r.Modes.Best
		d.Rows = append(d.Rows, row)
	}
	return d
}

func (c Contender) name() string {
	name := string(c.Mode)
	if c.Comp != "" {
		name += " " + string(c.Comp)
	}
	if c.Rule == "" {
		return name
	}
	return name + " by " + string(c.Rule)
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
		text += " Precision, recall and F1 are those of predicting a link for each pair with a similarity above τ."
	}
	return text
}

// column is one number of a threshold.
type column struct {
	name string
	of   func(Threshold) *float64
}

// lines are the columns of the drawing.
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
	t.Footnotes = []string{"The threshold nearest to the chosen τ is marked."}
	return t
}

func (r Report) histogramFigure() figures.Histogram {
	h := figures.Histogram{
		Title: "Pairs by their similarity", X: figures.Axis{Label: "similarity", Max: 1}, Bins: bins,
		Note:   "The similarity of an annotators' reference to the review's most similar sentence.",
		Groups: []figures.Sample{r.Similarities.sample("linked", r.Similarities.Linked), r.Similarities.sample("not linked", r.Similarities.NotLinked)},
	}
	if r.Mode.UsesTau() {
		h.Markers = []figures.Marker{r.marker()}
	}
	if len(r.Similarities.Linked) == 0 {
		h.Title, h.Note = "Sentences by their best similarity", "These data have no links of reviews to annotators' references."
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
