package consistency

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"crscore/eval/perturb"
	"crscore/eval/perturb/stability"
	"crscore/eval/resample"
	"crscore/internal/report/figures"
)

// Report is the result of a comparison.
type Report struct {
	// Changes is the number of changes with a variant that has comments.
	Changes int `json:"changes"`
	// Perturbations has p0, the bot's own noise, first.
	Perturbations []Row `json:"perturbations"`
	// Positions are over all perturbations but p0.
	Positions []Row `json:"positions"`
	// Scores tell how far the scores of comments move, where they were asked for: those on a change are
	// one review of it, and those on its variant one of the variant.
	Scores []stability.Perturbation `json:"scores,omitempty"`
	// Missing counts variants and changes without a file of comments.
	Missing int `json:"missing"`
	// Resamples is the number of draws, Seed their seed, Signature names what shapes the numbers.
	Resamples int    `json:"resamples"`
	Seed      uint64 `json:"seed"`
	Signature string `json:"signature"`
}

// Row counts the comments of a perturbation or a position.
type Row struct {
	// Name is the perturbation's id or the position, Title its words.
	Name  string `json:"name"`
	Title string `json:"title"`
	// Variants counts variants.
	Variants int `json:"variants"`
	// Kept and Lost are comments on the original, New those on the variant alone.
	Kept int `json:"kept"`
	Lost int `json:"lost"`
	New  int `json:"new"`
	// KeptShare is Kept / (Kept + Lost), NewShare is New / (Kept + New).
	KeptShare resample.Estimate `json:"kept_share"`
	NewShare  resample.Estimate `json:"new_share"`
}

// Summarize sums outcomes up.
func Summarize(ctx context.Context, all []*Outcome, missing int, o Options) (*Report, error) {
	if len(all) == 0 {
		return nil, ErrNone
	}
	_, changes := resample.Clusters(all, func(o *Outcome) string { return o.Change })
	r := &Report{
		Changes: changes, Missing: missing, Resamples: cmp.Or(o.Bootstrap.Resamples, resample.DefaultResamples), Seed: o.Bootstrap.Seed,
		Signature: fmt.Sprintf("%s lines=%d perturb=%s", o.Matcher.Signature(), o.Lines, perturb.Version),
	}
	var scores []*stability.Moves
	for _, p := range append([]perturb.Perturbation{perturb.Identity()}, perturb.All()...) {
		of := slices.DeleteFunc(slices.Clone(all), func(o *Outcome) bool { return o.Perturbation != p.ID })
		if len(of) == 0 {
			continue
		}
		row, err := newRow(ctx, string(p.ID), p.Name, of, Positions(), o)
		if err != nil {
			return nil, err
		}
		if o.Scorer != nil {
			scores = append(scores, moves(p, of))
		}
		r.Perturbations = append(r.Perturbations, row)
	}
	var err error
	if r.Scores, err = stability.Summarize(ctx, scores, stability.Options{Bootstrap: o.Bootstrap}); err != nil {
		return nil, err
	}
	real := slices.DeleteFunc(slices.Clone(all), func(o *Outcome) bool { return o.Perturbation == perturb.Identity().ID })
	titles := map[Position]string{
		Before: "rewritten above the comment", Inside: "rewritten in its lines",
		After: "rewritten below it", NoLines: "no lines, or none rewritten",
	}
	for _, p := range Positions() {
		row, err := newRow(ctx, string(p), titles[p], real, []Position{p}, o)
		if err != nil {
			return nil, err
		}
		r.Positions = append(r.Positions, row)
	}
	return r, nil
}

// newRow sums up the comments of some positions.
func newRow(ctx context.Context, name, title string, of []*Outcome, at []Position, o Options) (Row, error) {
	row := Row{Name: name, Title: title, Variants: len(of)}
	clusters, n := resample.Clusters(of, func(o *Outcome) string { return o.Change })
	kept, lost, fresh := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, out := range of {
		for _, p := range at {
			row.Kept, row.Lost, row.New = row.Kept+out.Kept[p], row.Lost+out.Lost[p], row.New+out.New[p]
			kept[clusters[i]] += float64(out.Kept[p])
			lost[clusters[i]] += float64(out.Lost[p])
			fresh[clusters[i]] += float64(out.New[p])
		}
	}
	worker := func() func(drawn []int32, out []float64) {
		return func(drawn []int32, out []float64) {
			k, l, f := 0.0, 0.0, 0.0
			for c, times := range drawn {
				k, l, f = k+float64(times)*kept[c], l+float64(times)*lost[c], f+float64(times)*fresh[c]
			}
			out[0], out[1] = k/(k+l), f/(k+f) // NaN without comments
		}
	}
	shares, err := o.Bootstrap.Estimates(ctx, n, 2, worker, func(int) string { return "no comment" })
	if err != nil {
		return row, err
	}
	row.KeptShare, row.NewShare = shares[0], shares[1]
	return row, nil
}

// Page lays the report out.
func (r *Report) Page() figures.Page {
	table := func(title, first string, rows []Row) figures.Table {
		t := figures.Table{Title: title, Columns: figures.Columns(first, "variants", "kept", "lost", "new", "share kept", "share new")}
		for _, row := range rows {
			t.Add(row.Name+" "+row.Title, row.Variants, row.Kept, row.Lost, row.New, row.KeptShare, row.NewShare)
		}
		return t
	}
	by := table("By perturbation", "perturbation", r.Perturbations)
	by.Footnotes = []string{
		"kept: a comment on the original that the variant has too. share kept: of those on the original.",
		"new: only on the variant. share new: of those on the variant.",
		"p0 is the same code: what is lost there, the bot does not say twice.",
	}
	page := figures.Page{
		Title: "Comments that stay when the code changes its form",
		Lead:  fmt.Sprintf("Changes: %d. Variants or changes without comments: %d.", r.Changes, r.Missing),
		Sections: []figures.Section{{Title: "Comments", Figures: []figures.Figure{
			by, table("By the place of the rewriting, p0 left out", "the code is", r.Positions),
		}}},
		Foot: fmt.Sprintf("signature %s\n\nThe 95%% intervals come from drawing changes %d times with replacement (seed %d).",
			r.Signature, r.Resamples, r.Seed),
	}
	if len(r.Scores) > 0 {
		page.Sections = append(page.Sections, figures.Section{
			Title: "Scores", Figures: r.scores(),
			Text: "Before: the comments on a change are scored as one review of it. After: those on its variant, as a review of the variant. " +
				"Where there is no comment, the scores are 0. The numbers are means over the variants that have both scores.",
		})
	}
	return page
}

// mean is an estimate without its interval.
func mean(e resample.Estimate) string {
	v, _, _ := strings.Cut(e.String(), " ")
	return v
}

// scores has a table for each score.
func (r *Report) scores() (out []figures.Figure) {
	var of [3]figures.Table
	for k, name := range []string{"Con", "Comp", "Rel"} {
		of[k] = figures.Table{Title: name, Columns: figures.Columns("perturbation", "variants", "before", "after", "mean Δ", "mean |Δ|")}
	}
	for _, p := range r.Scores {
		for k, m := range []stability.Move{p.Con, p.Comp, p.Rel} {
			of[k].Add(string(p.ID)+" "+p.Name, p.Reviews, mean(m.Before), mean(m.After), m.Bias, mean(m.MAD))
		}
	}
	out = append(out, of[0], of[1], of[2])
	if why := stability.WithoutNumbers("Variants without both scores", "variants", r.Scores); len(why.Rows) > 0 {
		out = append(out, why)
	}
	return out
}

// CSV writes a line for each row.
func (r *Report) CSV(w io.Writer) error {
	s := figures.NewSheet("by", "name", "variants", "kept", "lost", "new", "number", "estimate", "low", "high", "undefined")
	add := func(by string, rows []Row) {
		for _, row := range rows {
			s.Add(by, row.Name, row.Variants, row.Kept, row.Lost, row.New, "kept_share", row.KeptShare)
			s.Add(by, row.Name, row.Variants, row.Kept, row.Lost, row.New, "new_share", row.NewShare)
		}
	}
	add("perturbation", r.Perturbations)
	add("position", r.Positions)
	for _, p := range r.Scores {
		for k, m := range []stability.Move{p.Con, p.Comp, p.Rel} {
			for i, e := range []resample.Estimate{m.Before, m.After, m.Bias, m.MAD} {
				number := []string{"con_", "comp_", "rel_"}[k] + []string{"before", "after", "delta", "mad"}[i]
				s.Add("scores", p.ID, p.Reviews, "", "", "", number, e)
			}
		}
	}
	return s.CSV(w)
}
