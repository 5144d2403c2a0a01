package stability

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"crscore/eval/resample"
	"crscore/internal/report/figures"
)

// Page lays the report out.
func (r *Report) Page() figures.Page {
	out := figures.Page{
		Title: "Stability of scores when the code changes its form",
		Lead:  fmt.Sprintf("Changes: %d. Each is rewritten without another meaning, and its reviews are scored again.", r.Changes),
		Foot: fmt.Sprintf("signature %s\n\nThe 95%% intervals come from drawing changes %d times with replacement (seed %d).",
			r.Signature, r.Resamples, r.Seed),
	}
	if r.Metric == "" {
		out.Lead += " p0 is the change itself, diffed anew: nothing may move. other has the reviews of another change: they must move."
	}
	metric := cmp.Or(r.Metric, "Rel")
	rel := figures.Table{
		Title:     metric + ", with 95% intervals",
		Columns:   figures.Columns("perturbation", "fits", "reviews", "mean |Δ|", "95th percentile", "equal", "mean Δ"),
		Footnotes: []string{"fits: changes with a variant. equal: share of reviews that keep their score."},
	}
	order := figures.Table{
		Title:     "Order by " + metric,
		Columns:   figures.Columns("perturbation", "flips", "τ-b of reviews", "τ-b of systems"),
		Footnotes: []string{"flips: share of pairs of reviews of one change that change order. τ-b: Kendall's, before and after."},
	}
	parts := figures.Table{
		Title:   "Con and Comp: mean |Δ| and mean Δ",
		Columns: figures.Columns("perturbation", "con |Δ|", "con Δ", "comp |Δ|", "comp Δ"),
	}
	why := WithoutNumbers("Changes without a variant", "changes", r.Perturbations)
	var hunks []string
	for _, p := range r.Perturbations {
		if p.Hunks > 0 {
			hunks = append(hunks, fmt.Sprintf("%s %d", p.ID, p.Hunks))
		}
		rel.Add(p.title(), p.Fits, p.Reviews, p.Rel.MAD, p.Rel.P95, p.Rel.Equal, p.Rel.Bias)
		order.Add(p.title(), p.Flips, p.TauReviews, p.TauSystems)
		parts.Add(p.title(), p.Con.MAD, p.Con.Bias, p.Comp.MAD, p.Comp.Bias)
	}
	if len(hunks) > 0 {
		rel.Footnotes = append(rel.Footnotes, "of them from hunks alone, without the whole texts: "+strings.Join(hunks, ", ")+".")
	}
	moves := figures.Section{Title: "Moves", Figures: []figures.Figure{rel, order}}
	if r.Metric == "" {
		moves.Figures = append(moves.Figures, parts)
	}
	out.Sections = []figures.Section{moves}
	if checked := r.checked(); len(checked.Rows) > 0 {
		out.Sections = append(out.Sections, figures.Section{Title: "What compilers say", Figures: []figures.Figure{checked}})
	}
	if len(why.Rows) > 0 {
		out.Sections = append(out.Sections, figures.Section{Title: "What was left out", Figures: []figures.Figure{why}})
	}
	if c := r.worst(); len(c.Cases) > 0 {
		out.Sections = append(out.Sections, figures.Section{Title: "The largest moves", Figures: []figures.Figure{c}})
	}
	return out
}

// checked tells what compilers say of the variants; it has no rows where they were not asked.
func (r *Report) checked() figures.Table {
	t := figures.Table{
		Title:     "Variants that compilers were asked about",
		Columns:   figures.Columns("perturbation", "sound", "broken", "not checked"),
		Footnotes: []string{"broken: with a new diagnostic, and left out. not checked: no compiler has an answer, and the variant counts."},
	}
	reasons := map[string]int{}
	for _, p := range r.Perturbations {
		if p.Checked == nil {
			continue
		}
		unchecked := 0
		for _, l := range p.Checked.Unchecked {
			unchecked += l.Changes
			reasons[l.Reason] += l.Changes
		}
		t.Add(p.title(), p.Checked.Checked, p.Checked.Broken, unchecked)
	}
	for _, l := range left(reasons) {
		t.Footnotes = append(t.Footnotes, fmt.Sprintf("not checked, %d: %s.", l.Changes, l.Reason))
	}
	return t
}

// title is the id with the name.
func (p Perturbation) title() string { return string(p.ID) + " " + p.Name }

// WithoutNumbers tells why changes, or variants of them, have no numbers.
func WithoutNumbers(title, of string, all []Perturbation) figures.Table {
	t := figures.Table{Title: title, Columns: figures.Columns("perturbation", of, "why")}
	t.Columns[2].Numbers = false
	for _, p := range all {
		for _, l := range p.Left {
			t.Add(p.title(), l.Changes, l.Reason)
		}
	}
	return t
}

// worst shows the largest moves of each perturbation beside the rewriting.
func (r *Report) worst() figures.Cases {
	out := figures.Cases{Title: "Reviews whose Rel moved far, one of each change"}
	for _, p := range r.Perturbations {
		for _, w := range p.Worst {
			out.Cases = append(out.Cases, figures.Case{
				Title: fmt.Sprintf("%s %s: change %s, review %s", p.ID, p.Name, w.Change, w.Review),
				Names: [2]string{"Review", "Rewriting of the new text"},
				Facts: []string{
					fmt.Sprintf("rel %.3f → %.3f", w.Before.Rel, w.After.Rel), fmt.Sprintf("con %.3f → %.3f", w.Before.Con, w.After.Con),
					fmt.Sprintf("comp %.3f → %.3f", w.Before.Comp, w.After.Comp),
				},
				Sentences: []figures.Item{{Text: w.Text}}, Refs: []figures.Item{{Text: "diff", Code: w.Diff}},
			})
		}
	}
	return out
}

// CSV writes a line for each number.
func (r *Report) CSV(w io.Writer) error {
	s := figures.NewSheet("perturbation", "score", "number", "fits", "reviews", "estimate", "low", "high", "undefined")
	for _, p := range r.Perturbations {
		add := func(score, name string, e resample.Estimate) { s.Add(p.ID, score, name, p.Fits, p.Reviews, e) }
		for i, m := range []Move{p.Con, p.Comp, p.Rel} {
			score := [...]string{"con", "comp", "rel"}[i]
			add(score, "mad", m.MAD)
			add(score, "p95", m.P95)
			add(score, "equal", m.Equal)
			add(score, "bias", m.Bias)
		}
		add("rel", "flips", p.Flips)
		add("rel", "tau_reviews", p.TauReviews)
		add("rel", "tau_systems", p.TauSystems)
	}
	return s.CSV(w)
}
