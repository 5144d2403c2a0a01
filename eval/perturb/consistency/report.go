package consistency

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"crscore/eval/perturb"
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
	// Scores are those of a perturbation, where comments were scored.
	Scores *Scores `json:"scores,omitempty"`
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
	for _, p := range append([]perturb.Perturbation{perturb.Identity()}, perturb.All()...) {
		of := slices.DeleteFunc(slices.Clone(all), func(o *Outcome) bool { return o.Perturbation != p.ID })
		if len(of) == 0 {
			continue
		}
		row, err := newRow(ctx, string(p.ID), p.Name, of, Positions(), o)
		if err != nil {
			return nil, err
		}
		if row.Scores, err = newScores(ctx, of, o); err != nil {
			return nil, err
		}
		r.Perturbations = append(r.Perturbations, row)
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
	var all sums
	add := func(out *Outcome, s *sums) {
		for _, p := range at {
			s[0], s[1], s[2] = s[0]+float64(out.Kept[p]), s[1]+float64(out.Lost[p]), s[2]+float64(out.New[p])
		}
	}
	for _, out := range of {
		add(out, &all)
	}
	row.Kept, row.Lost, row.New = int(all[0]), int(all[1]), int(all[2])
	shares, err := o.estimates(ctx, of, 2, "no comment", add, func(s *sums, out []float64) {
		out[0], out[1] = s[0]/(s[0]+s[1]), s[2]/(s[0]+s[2]) // NaN without comments
	})
	if err != nil {
		return row, err
	}
	row.KeptShare, row.NewShare = shares[0], shares[1]
	return row, nil
}

// sums are over outcomes: of comments that are kept, lost and new; or of 1, of three scores before,
// and of three after.
type sums [7]float64

// estimates computes values from sums over outcomes, with intervals from drawing changes.
func (o Options) estimates(
	ctx context.Context, of []*Outcome, values int, why string, add func(*Outcome, *sums), compute func(s *sums, out []float64),
) ([]resample.Estimate, error) {
	clusters, n := resample.Clusters(of, func(o *Outcome) string { return o.Change })
	each := make([]sums, n)
	for i, out := range of {
		add(out, &each[clusters[i]])
	}
	worker := func() func(drawn []int32, out []float64) {
		return func(drawn []int32, out []float64) {
			var all sums
			for c, times := range drawn {
				for k, v := range each[c] {
					all[k] += float64(times) * v
				}
			}
			compute(&all, out)
		}
	}
	return o.Bootstrap.Estimates(ctx, n, values, worker, func(int) string { return why })
}

// Page lays the report out.
func (r *Report) Page() figures.Page {
	table := func(title, first string, rows []Row) figures.Table {
		t := figures.Table{Title: title, Columns: figures.Columns(first, "variants", "kept", "lost", "new", "share kept", "share new")}
		for _, row := range rows {
			t.Rows = append(t.Rows, figures.Row{Cells: []string{
				row.Name + " " + row.Title, strconv.Itoa(row.Variants), strconv.Itoa(row.Kept), strconv.Itoa(row.Lost), strconv.Itoa(row.New),
				row.KeptShare.String(), row.NewShare.String(),
			}})
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
	if scores := r.scores(); len(scores) > 0 {
		page.Sections = append(page.Sections, figures.Section{
			Title: "Scores", Figures: scores,
			Text: "Before: the comments on a change are scored as one review of it. After: those on its variant, as a review of the variant. " +
				"Where there is no comment, the scores are 0. The numbers are means over the variants that have both scores.",
		})
	}
	return page
}

// scores has a table for each score; none where comments were not scored.
func (r *Report) scores() (out []figures.Figure) {
	var of [3]figures.Table
	for k, name := range []string{"Con", "Comp", "Rel"} {
		of[k] = figures.Table{Title: name, Columns: figures.Columns("perturbation", "variants", "before", "after", "Δ")}
	}
	why := figures.Table{Title: "Variants without both scores", Columns: figures.Columns("perturbation", "variants", "why")}
	why.Columns[2].Numbers = false
	for _, row := range r.Perturbations {
		if row.Scores == nil {
			return nil
		}
		name := row.Name + " " + row.Title
		for k, d := range row.Scores.list() {
			before, _, _ := strings.Cut(d.Before.String(), " ") // without the interval
			after, _, _ := strings.Cut(d.After.String(), " ")
			of[k].Rows = append(of[k].Rows, figures.Row{Cells: []string{name, strconv.Itoa(row.Scores.Scored), before, after, d.Delta.String()}})
		}
		for _, reason := range slices.Sorted(maps.Keys(row.Scores.Unscored)) {
			why.Rows = append(why.Rows, figures.Row{Cells: []string{name, strconv.Itoa(row.Scores.Unscored[reason]), reason}})
		}
	}
	out = append(out, of[0], of[1], of[2])
	if len(why.Rows) > 0 {
		out = append(out, why)
	}
	return out
}

// CSV writes a line for each row.
func (r *Report) CSV(w io.Writer) error {
	lines := [][]string{{"by", "name", "variants", "kept", "lost", "new", "number", "estimate", "low", "high", "undefined"}}
	for _, part := range []struct {
		by   string
		rows []Row
	}{{"perturbation", r.Perturbations}, {"position", r.Positions}} {
		for _, row := range part.rows {
			add := func(number string, e resample.Estimate) {
				line := []string{part.by, row.Name, strconv.Itoa(row.Variants), strconv.Itoa(row.Kept), strconv.Itoa(row.Lost),
					strconv.Itoa(row.New), number}
				lines = append(lines, append(line, e.Columns()...))
			}
			add("kept_share", row.KeptShare)
			add("new_share", row.NewShare)
			if row.Scores == nil {
				continue
			}
			add("scored", resample.MeanOf(float64(row.Scores.Scored), ""))
			for k, d := range row.Scores.list() {
				name := [...]string{"con", "comp", "rel"}[k]
				add(name+"_before", d.Before)
				add(name+"_after", d.After)
				add(name+"_delta", d.Delta)
			}
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
