package agreement

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/spelling"
)

// Page lays the results out: first the summaries, then the details, study by study.
func (r *Results) Page() figures.Page {
	p := figures.Page{Title: "Agreement with human labels"}
	var lead, foot []string
	var details []figures.Section
	if r.Comparison != nil {
		p.Sections = append(p.Sections, r.comparison())
	}
	for i := range r.Studies {
		st := &r.Studies[i]
		prefix := ""
		if len(r.Studies) > 1 {
			prefix = st.Name + ": "
		}
		named := prefix
		if st.Metric != "" {
			named = st.Name + ": "
		}
		lead = append(lead, named+st.counts())
		if st.Turned {
			lead = append(lead, named+"lower is better; its sign is turned.")
		}
		sections := st.sections()
		for k := range sections {
			sections[k].Title = prefix + sections[k].Title
		}
		p.Sections, details = append(p.Sections, sections[0]), append(details, sections[1:]...)
		if st.Signature != "" {
			foot = append(foot, prefix+"signature "+st.Signature)
		}
	}
	if r.Metrics != nil {
		p.Sections = append(p.Sections, r.Metrics.section(r.Resamples))
		foot = append(foot, r.Metrics.signatures()...)
	}
	for _, v := range r.Validity {
		p.Sections = append(p.Sections, v.section())
		if v.Signature != "" && len(r.Studies) == 0 {
			foot = append(foot, "signature "+v.Signature)
		}
	}
	p.Sections = append(p.Sections, details...)
	p.Lead = strings.Join(lead, "\n\n")
	foot = append(foot, fmt.Sprintf("The 95%% intervals come from drawing changes with their reviews %d times with replacement (seed %d). p-values are two-sided. Those of correlations assume independent reviews, so they are too small. An interval is [undefined] where too many draws have no value.", r.Resamples, r.Seed))
	p.Foot = strings.Join(foot, "\n\n")
	return p
}

func (st *NamedReport) counts() string {
	a := st.Agreement
	return spelling.Count("%d reviews of %d changes by %d systems (left out: human references: %d, without labels: %d, unscored: %d)",
		a.All.Reviews, a.All.Changes, len(a.Systems), a.LeftOut.HumanReference, a.LeftOut.Unlabelled, a.LeftOut.Unscored)
}

// sections are the sections of a study, the summary first, without empty sections.
func (st *NamedReport) sections() []figures.Section {
	all := []figures.Section{
		{Title: "Summary", Figures: st.summary()},
		{Title: "Systems", Figures: st.systems()},
		{Title: "Languages", Figures: st.languages()},
		{Title: "Scores at each label", Figures: st.labels()},
		{Title: "Links", Figures: st.links()},
		{Title: "Necessary references", Figures: st.necessary()},
		{Title: "Worst cases", Text: st.quintiles(), Figures: st.worst()},
	}
	return slices.DeleteFunc(all, func(s figures.Section) bool { return len(s.Figures) == 0 && s.Text == "" })
}

// called is the name of the metric's number beside the label rel.
func (st *NamedReport) called() string { return cmp.Or(st.Metric, "rel") }

// withRel names the correlation of the metric's number with the label rel.
func (st *NamedReport) withRel(of string) string {
	if st.Metric == "" {
		return of + " by rel"
	}
	return fmt.Sprintf("%s, %s with rel", of, st.Metric)
}

var dimensionNames = [3]string{"con", "comp", "rel"}

// three lists the dimensions of d in the order of dimensionNames.
func three[T any](d ByDimension[T]) [3]T { return [3]T{d.Con, d.Comp, d.Rel} }

// reasons lists why numbers are undefined, each reason once.
type reasons []string

func (r *reasons) add(what string, e Estimate) {
	if e.Undefined == "" {
		return
	}
	if e.Value == nil {
		what += " is undefined"
	}
	if s := what + ": " + e.Undefined; !slices.Contains(*r, s) {
		*r = append(*r, s)
	}
}

func (st *NamedReport) summary() []figures.Figure {
	var why reasons
	t := coefficientsTable("Correlation with the human labels, with 95% intervals", st.Agreement.All.ByDimension)
	for i, c := range three(st.Agreement.All.ByDimension) {
		for _, e := range []Estimate{c.Spearman, c.KendallTauB, c.Pearson} {
			why.add(dimensionNames[i], e)
		}
	}
	t.Footnotes = why
	out := []figures.Figure{t}
	if z := st.AsZero; z != nil {
		t := figures.Table{Title: spelling.Count("Without and with %d unscored reviews", st.Agreement.LeftOut.Unscored), Columns: figures.Columns("Spearman ρ", "unscored left out", "unscored as 0")}
		for i, c := range three(z.Agreement.All.ByDimension) {
			left := three(st.Agreement.All.ByDimension)[i].Spearman
			t.Add(dimensionNames[i], left, c.Spearman)
		}
		t.Add(st.withRel("order of systems"), st.Ranking.Rel.Spearman, z.Ranking.Rel.Spearman)
		t.Add("reviews", st.Agreement.All.Reviews, z.Agreement.All.Reviews)
		out = append(out, t)
	}
	why = nil
	more := figures.Table{Title: "Beyond single reviews", Columns: figures.Columns("", "value")}
	more.Add(st.withRel("order of the systems")+", ρ", st.Ranking.Rel.Spearman)
	if m := st.Matching; m != nil {
		more.Add("linked pairs found, ROC-AUC", m.ROCAUC)
		if own := st.own(); own != nil {
			more.Add(fmt.Sprintf("linked pairs found, F1 at the own τ %.4g", own.Tau), own.F1)
		}
		if best := bestF1(m); best != nil {
			more.Add(fmt.Sprintf("linked pairs found, F1 at the best τ %.4g", best.Tau), best.F1)
			why = append(why, "the best τ was chosen on the same pairs, so its F1 is too high")
		}
	}
	if st.PaperTau != nil {
		more.Add("τ by the paper's rule", fmt.Sprintf("%.4f", *st.PaperTau))
	}
	why.add("the order of the systems", st.Ranking.Rel.Spearman)
	if st.Matching != nil {
		why.add("ROC-AUC", st.Matching.ROCAUC)
	}
	if st.NoZero != "" {
		why = append(why, "unscored reviews cannot be 0: "+st.NoZero)
	}
	more.Footnotes = why
	return append(out, more)
}

// coefficientsTable has a row for each dimension.
func coefficientsTable(title string, of ByDimension[Coefficients]) figures.Table {
	t := figures.Table{Title: title, Columns: figures.Columns("", "Spearman ρ", "Kendall τ-b", "Pearson r", "largest p")}
	for i, c := range three(of) {
		t.Add(dimensionNames[i], c.Spearman, c.KendallTauB, c.Pearson, largestP(c))
	}
	return t
}

// largestP is the largest p-value of the three coefficients.
func largestP(c Coefficients) string {
	largest := -1.0
	for _, e := range []Estimate{c.Spearman, c.KendallTauB, c.Pearson} {
		if e.P == nil {
			return "undefined"
		}
		largest = max(largest, *e.P)
	}
	return showP(largest)
}

func showP(p float64) string {
	switch {
	case p < 1e-99:
		return "<1e-99"
	case p < 0.001:
		return fmt.Sprintf("%.0e", p)
	default:
		return fmt.Sprintf("%.3f", p)
	}
}

// value is a number without its interval.
func value(e Estimate) string {
	if e.Value == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.3f", *e.Value)
}

// tableSystems bounds the lines of a table; JSON has all.
const tableSystems = 50

func (st *NamedReport) systems() []figures.Figure {
	var why reasons
	order := coefficientsTable("Order of the systems by their means", st.Ranking.ByDimension)
	for i, c := range three(st.Ranking.ByDimension) {
		why.add(dimensionNames[i], c.Spearman)
	}
	order.Footnotes = why

	within := map[string]Estimate{}
	for _, g := range st.Agreement.Systems {
		within[g.Name] = g.Rel.Spearman
	}
	systems := slices.Clone(st.Ranking.Systems)
	slices.SortStableFunc(systems, func(a, b System) int {
		return cmp.Compare(*b.Means.Rel.Human.Value, *a.Means.Rel.Human.Value)
	})
	t := figures.Table{
		Title:   "Means of the scores beside those of the human labels (1 to 5), best first by people",
		Columns: figures.Columns("system", "n", "rel", "human", "con", "human", "comp", "human", "ρ of rel within"),
	}
	if st.Metric != "" {
		t.Columns = figures.Columns("system", "n", st.Metric, "human rel", "human con", "human comp", "ρ with rel within")
	}
	for _, s := range systems[:min(len(systems), tableSystems)] {
		m := s.Means
		row := []string{
			s.Name, fmt.Sprint(s.Reviews), m.Rel.Metric.String(), value(m.Rel.Human), value(m.Con.Metric), value(m.Con.Human),
			value(m.Comp.Metric), value(m.Comp.Human), within[s.Name].String(),
		}
		if st.Metric != "" {
			row = slices.Delete(slices.Delete(row, 6, 7), 4, 5) // the same number again
		}
		t.Rows = append(t.Rows, figures.Row{Cells: row})
	}
	if more := len(systems) - tableSystems; more > 0 {
		t.Footnotes = append(t.Footnotes, spelling.Count("%d more systems are in the JSON", more))
	}
	return []figures.Figure{order, t}
}

func (st *NamedReport) languages() []figures.Figure {
	if len(st.Agreement.Languages) == 0 {
		return nil
	}
	var why reasons
	t := figures.Table{Title: "Spearman ρ by language", Columns: figures.Columns("language", "reviews", "changes", "con", "comp", "rel")}
	for _, g := range st.Agreement.Languages {
		row := []string{g.Name, fmt.Sprint(g.Reviews), fmt.Sprint(g.Changes)}
		for i, c := range three(g.ByDimension) {
			row = append(row, c.Spearman.String())
			what := g.Name
			if g.Reviews >= MinReviews { // else all three are undefined
				what += ", " + dimensionNames[i]
			}
			why.add(what, c.Spearman)
		}
		t.Rows = append(t.Rows, figures.Row{Cells: row})
	}
	t.Footnotes = why
	return []figures.Figure{t}
}

// labels shows the mean score at each human label.
func (st *NamedReport) labels() []figures.Figure {
	t := figures.Table{Title: "Means of the scores at each human label", Columns: figures.Columns("label", "n", "mean con", "n", "mean comp", "n", "mean rel")}
	if st.Metric != "" {
		t.Title = "Means of " + st.Metric + " at each human label of con, comp and rel"
		t.Columns = figures.Columns("label", "n", "con", "n", "comp", "n", "rel")
	}
	sensitivity := three(st.Sensitivity.ByDimension)
	for label := range 5 {
		row := []string{fmt.Sprint(label + 1)}
		for _, d := range sensitivity {
			row = append(row, fmt.Sprint(d[label].Reviews), d[label].Mean.String())
		}
		t.Rows = append(t.Rows, figures.Row{Cells: row})
	}
	out := []figures.Figure{t}
	boxes := figures.Boxes{Title: "rel by human label", X: "human label", Y: figures.Axis{Label: st.called()}}
	if st.Metric != "" {
		boxes.Title = st.Metric + " by human rel"
	}
	for _, l := range sensitivity[2] {
		b := figures.Box{Sample: figures.Sample{Name: fmt.Sprint(l.Label)}}
		for _, row := range st.Input.Rows {
			if row.Metric != nil && row.Human != nil && row.Review != HumanReference && NearestLabel(row.Human.Rel) == l.Label {
				b.Values = append(b.Values, row.Metric.Rel)
			}
		}
		if i := l.Mean.Interval; i != nil {
			b.Low, b.High = i[0], i[1]
		}
		if l.Mean.Value == nil && l.Reviews > 0 { // the metric has no rel
			return out
		}
		boxes.Groups = append(boxes.Groups, b)
	}
	return append(out, boxes)
}

// necessary tells how many of the references that annotators marked as necessary are
// similar to a reference of the change.
func (st *NamedReport) necessary() []figures.Figure {
	if len(st.Coverage) == 0 {
		return nil
	}
	t := figures.Table{
		Title:   "References that annotators marked as necessary, and the most similar reference of the change",
		Note:    "A necessary reference without a similar reference of the change cannot raise comp.",
		Columns: figures.Columns("kind", "necessary", "matched at τ", "mean similarity"),
	}
	for _, c := range st.Coverage {
		matched := "no τ"
		if c.Matched != nil {
			matched = fmt.Sprintf("%d (%.1f%%)", *c.Matched, 100*float64(*c.Matched)/float64(c.Points))
		}
		t.Add(cmp.Or(c.Kind, "(none)"), c.Points, matched, fmt.Sprintf("%.4f", c.Mean))
	}
	return []figures.Figure{t}
}

// own is the quality of the links at the τ of the scores, nil without one.
func (st *NamedReport) own() *Threshold {
	if st.Input.Tau == nil || st.Matching == nil {
		return nil
	}
	for i := range st.Matching.Thresholds {
		if t := &st.Matching.Thresholds[i]; t.Tau == *st.Input.Tau {
			return t
		}
	}
	return nil
}

// bestF1 is the threshold with the best F1, nil without any.
func bestF1(m *Matching) (best *Threshold) {
	for i := range m.Thresholds {
		t := &m.Thresholds[i]
		if t.F1.Value != nil && (best == nil || *t.F1.Value > *best.F1.Value) {
			best = t
		}
	}
	return best
}

func (st *NamedReport) links() []figures.Figure {
	m := st.Matching
	if m == nil {
		return nil
	}
	linked, other := figures.Sample{Name: "linked"}, figures.Sample{Name: "not linked"}
	for _, l := range st.Input.Links {
		switch {
		case l.Review == HumanReference:
		case l.Addressed:
			linked.Values = append(linked.Values, l.Similarity)
		default:
			other.Values = append(other.Values, l.Similarity)
		}
	}
	best, own := bestF1(m), st.own()
	var markers []figures.Marker
	if own != nil {
		markers = append(markers, figures.Marker{X: own.Tau, Label: fmt.Sprintf("own τ %.4g", own.Tau)})
	}
	curves := figures.Lines{
		Title: "Precision, recall and F1 over τ",
		Note:  "A pair of a review and an annotators' reference is found if its similarity is above τ (the paper's Table 4).",
		X:     figures.Axis{Label: "τ"}, Y: figures.Axis{Label: "share", Min: 0, Max: 1}, Markers: markers,
	}
	if best != nil && best != own {
		curves.Markers = append(slices.Clone(markers), figures.Marker{X: best.Tau, Label: fmt.Sprintf("best F1, τ %.4g", best.Tau)})
	}
	precision, recall, f1 := figures.Series{Name: "precision"}, figures.Series{Name: "recall"}, figures.Series{Name: "F1"}
	for i := range m.Thresholds {
		at := &m.Thresholds[i]
		curves.At = append(curves.At, at.Tau)
		add(&precision, at.Precision)
		add(&recall, at.Recall)
		add(&f1, at.F1)
	}
	curves.Series = []figures.Series{precision, recall, f1}
	return []figures.Figure{curves, figures.Histogram{
		Title: "Similarity of pairs that annotators linked, and of the others", X: figures.Axis{Label: "similarity", Min: 0, Max: 1},
		Note:   spelling.Count("%d pairs are linked, %d are not (left out: %d of human references).", m.Linked, m.Other, m.LeftOut),
		Groups: []figures.Sample{linked, other}, Markers: markers,
	}}
}

// add puts an estimate at the end of a curve.
func add(s *figures.Series, e Estimate) {
	v, low, high := math.NaN(), math.NaN(), math.NaN()
	if e.Value != nil {
		v = *e.Value
	}
	if e.Interval != nil {
		low, high = e.Interval[0], e.Interval[1]
	}
	s.Y, s.Low, s.High = append(s.Y, v), append(s.Low, low), append(s.High, high)
}

// quintiles defines the worst cases in words.
func (st *NamedReport) quintiles() string {
	w := st.Worst
	if w.Undefined != "" {
		return "The worst cases are undefined: " + w.Undefined + "."
	}
	return fmt.Sprintf("Underrated are reviews with the human label 5 and a %s of at most %.3g, which is the lowest fifth with its ties (%s of the reviews); overrated are those with the label 1 and a %s of at least %.3g, the highest fifth with its ties (%s), as in the paper's appendix E.1.",
		st.called(), *w.FirstQuintile, st.share(func(rel float64) bool { return rel <= *w.FirstQuintile }),
		st.called(), *w.FourthQuintile, st.share(func(rel float64) bool { return rel >= *w.FourthQuintile }))
}

// share is the share of the reviews with such a rel.
func (st *NamedReport) share(such func(rel float64) bool) string {
	all, n := 0, 0
	for _, r := range st.Input.Rows {
		if r.Metric != nil && r.Human != nil && r.Review != HumanReference {
			all++
			if such(r.Metric.Rel) {
				n++
			}
		}
	}
	return fmt.Sprintf("%.0f%%", 100*float64(n)/float64(all))
}

func (st *NamedReport) worst() []figures.Figure {
	if st.Worst.Undefined != "" {
		return nil
	}
	var out []figures.Figure
	for _, end := range []struct {
		name string
		of   Misrated
	}{{"Underrated", st.Worst.Underrated}, {"Overrated", st.Worst.Overrated}} {
		c := figures.Cases{Title: spelling.Count("%s: %d of %d reviews", end.name, end.of.Reviews, st.Agreement.All.Reviews)}
		for _, one := range end.of.Cases {
			c.Cases = append(c.Cases, st.caseFigure(one))
		}
		out = append(out, c)
	}
	return out
}

func (st *NamedReport) caseFigure(c Case) figures.Case {
	show := func(d ByDimension[*float64], format string) string {
		var parts []string
		for i, v := range three(d) {
			if v != nil {
				parts = append(parts, dimensionNames[i]+" "+fmt.Sprintf(format, *v))
			}
		}
		return strings.Join(parts, ", ")
	}
	out := figures.Case{
		Title: fmt.Sprintf("change %s, review %s", c.Change, c.Review),
		Facts: []string{"human " + show(c.Human, "%g"), "metric " + show(c.Metric, "%.2f"), rankFact(c.RankDifference)},
	}
	if st.Metric != "" && c.Metric.Rel != nil {
		out.Facts[1] = fmt.Sprintf("%s %.2f", st.Metric, *c.Metric.Rel)
	}
	about, ok := c.Evidence.(CaseEvidence)
	switch {
	case !ok:
	case about.Explain != nil:
		out.Explain(about.Explain)
	default:
		out.Sentences = []figures.Item{{Text: about.Text}}
		for _, p := range about.Points {
			mark := report.Bad
			if p.Addressed {
				mark = report.Good
			}
			out.Refs = append(out.Refs, figures.Item{Text: p.Text, Kind: p.Kind, Mark: mark})
		}
	}
	return out
}

func rankFact(difference float64) string {
	if difference < 0 {
		return fmt.Sprintf("too high by %.0f%% of the ranks", -100*difference)
	}
	return fmt.Sprintf("too low by %.0f%% of the ranks", 100*difference)
}

// comparison sets the second study's scores beside the first's.
func (r *Results) comparison() figures.Section {
	a, b := r.Studies[0].Name, r.Studies[1].Name
	c := r.Comparison
	s := figures.Section{Title: fmt.Sprintf("%s beside %s", b, a)}
	var said []string
	for i, d := range three(c.ByDimension) {
		said = append(said, fmt.Sprintf("%s (Spearman ρ): %s.", dimensionNames[i], d.Spearman.Sentence(a, b)))
	}
	s.Text = strings.Join(said, "\n\n")
	t := figures.Table{
		Title:   spelling.Count("Over the %d reviews of %d changes that both have scores for; A is %s, B is %s", c.Reviews, c.Changes, a, b),
		Columns: figures.Columns("", "A", "B", "B less A", "p"),
		Footnotes: []string{fmt.Sprintf("p is twice the share of draws in which the other metric is as good or better. With %d draws it is at least %s.",
			r.Resamples, showP(2/float64(r.Resamples+1)))},
	}
	addComparison(&t, c)
	s.Figures = []figures.Figure{t}
	if zero := r.ComparisonAsZero; zero != nil {
		t := figures.Table{Title: spelling.Count("The same with unscored reviews as 0: %d reviews", zero.Reviews), Columns: t.Columns, Footnotes: t.Footnotes}
		addComparison(&t, zero)
		s.Figures = append(s.Figures, t)
	}
	return s
}

// addComparison adds a row for each dimension and coefficient.
func addComparison(t *figures.Table, c *Comparison) {
	for i, d := range three(c.ByDimension) {
		for k, of := range d.all() {
			name := [3]string{"Spearman ρ", "Kendall τ-b", "Pearson r"}[k]
			t.Add(dimensionNames[i]+", "+name, value(of.A), value(of.B), of.Difference, pOf(of.Difference.P))
		}
	}
}
