package bench

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"crscore/eval/resample"
	"crscore/internal/report"
	"crscore/internal/report/figures"
)

// maxCases bounds the cases of a page; JSON has all.
const maxCases = 1000

// Page lays the report out: the systems, the tiers and slices, and the cases if there are some.
func (r *Report) Page() figures.Page {
	out := figures.Page{Title: "Known problems that reviewers find"}
	out.Lead = fmt.Sprintf("Systems: %d. Pull requests: %d, with references: %d, known-invalid comments: %d.",
		len(r.Systems), r.PullRequests, r.References, r.Invalid)
	for _, w := range r.Warnings {
		out.Lead += "\n\nWarning: " + w + "."
	}
	out.Sections = []figures.Section{{Title: "Systems", Figures: []figures.Figure{r.systems(), r.counts()}}}
	for _, part := range []struct {
		title, note string
		of          func(s *SystemReport) []*Slice
	}{
		{"Distances", "Matches if comments may be off by other numbers of lines. Comments without lines count at file only.",
			func(s *SystemReport) []*Slice { return s.Tiers }},
		{"Parts", "", func(s *SystemReport) []*Slice { return s.Slices }},
	} {
		if t := r.parted(part.of); len(t) > 0 {
			out.Sections = append(out.Sections, figures.Section{Title: part.title, Text: part.note, Figures: t})
		}
	}
	if cases := r.cases(); len(cases.Cases) > 0 {
		out.Sections = append(out.Sections, figures.Section{Title: "Cases", Figures: []figures.Figure{cases}})
	}
	out.Foot = fmt.Sprintf("signature %s\n\nThe 95%% intervals come from drawing pull requests %d times with replacement (seed %d).", r.Signature, r.Resamples, r.Seed)
	return out
}

func (n *Numbers) cells() []string {
	return []string{n.Precision.String(), n.Recall.String(), n.F1.String()}
}

func (r *Report) systems() figures.Figure {
	t := figures.Table{
		Title:   "Precision, recall and F1 with 95% intervals",
		Columns: figures.Columns("system", "P", "R", "F1", "line P", "line R", "line F1"),
		Footnotes: []string{"P, R, F1: the comment stands at the lines of the reference and means the same. line: it stands there.",
			"Comments that match no reference are not wrong: nobody judged them."},
	}
	why := map[string]bool{}
	for _, s := range r.Systems {
		t.Rows = append(t.Rows, figures.Row{Cells: slices.Concat([]string{s.Name}, s.Full.cells(), s.Lines.cells())})
		for _, e := range []resample.Estimate{s.Full.Precision, s.Full.Recall} {
			if note := fmt.Sprintf("Undefined for %s: %s.", s.Name, e.Undefined); e.Undefined != "" && !why[note] {
				why[note] = true
				t.Footnotes = append(t.Footnotes, note)
			}
		}
	}
	return t
}

// mean is an average, or a dash where nothing is known.
func mean(v *float64) string {
	if v == nil {
		return "–"
	}
	return strconv.FormatFloat(*v, 'f', 2, 64)
}

func (r *Report) counts() figures.Figure {
	t := figures.Table{
		Title: "Comments",
		Columns: figures.Columns("system", "answers", "missing", "comments", "an answer", "matches", "line matches",
			"known invalid", "neither", "share neither"),
		Footnotes: []string{"known invalid: matches a comment that was judged wrong, and no reference. neither: unknown, not wrong."},
	}
	spent := []struct {
		name string
		of   func(s *SystemReport) *float64
	}{
		{"seconds", func(s *SystemReport) *float64 { return s.Spent.Seconds }},
		{"tokens in", func(s *SystemReport) *float64 { return s.Spent.InputTokens }},
		{"tokens out", func(s *SystemReport) *float64 { return s.Spent.OutputTokens }},
		{"cost", func(s *SystemReport) *float64 { return s.Spent.Cost }},
	}
	spent = slices.DeleteFunc(spent, func(c struct {
		name string
		of   func(s *SystemReport) *float64
	}) bool {
		return !slices.ContainsFunc(r.Systems, func(s *SystemReport) bool { return c.of(s) != nil })
	})
	for _, c := range spent {
		t.Columns = append(t.Columns, figures.Column{Name: c.name, Numbers: true})
	}
	for _, s := range r.Systems {
		cells := []string{s.Name}
		for _, n := range []int{s.Answered, s.Missing, s.Comments} {
			cells = append(cells, strconv.Itoa(n))
		}
		cells = append(cells, mean(s.PerPull))
		for _, n := range []int{s.Full.Matches, s.Lines.Matches, s.Invalid, s.Neither} {
			cells = append(cells, strconv.Itoa(n))
		}
		cells = append(cells, s.NeitherShare.String())
		for _, c := range spent {
			cells = append(cells, mean(c.of(s)))
		}
		t.Rows = append(t.Rows, figures.Row{Cells: cells})
	}
	if len(spent) > 0 {
		t.Footnotes = append(t.Footnotes, "Seconds, tokens and cost are means over the answers that say them.")
	}
	return t
}

// parted shows a table for each way to part the references: recall, and where comments have the
// parts too, precision and F1.
func (r *Report) parted(of func(s *SystemReport) []*Slice) (out []figures.Figure) {
	if len(r.Systems) == 0 {
		return nil
	}
	all := of(r.Systems[0])
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].By == all[from].By {
			to++
		}
		t := figures.Table{Title: "By " + all[from].By, Columns: figures.Columns(all[from].By, "references", "R", "line R")}
		whole := slices.Contains([]string{"lang", "distance"}, all[from].By)
		if whole {
			t.Columns = figures.Columns(all[from].By, "references", "P", "R", "F1", "line R")
		}
		for _, s := range r.Systems {
			t.Rows = append(t.Rows, figures.Row{Group: s.Name})
			for _, p := range of(s)[from:to] {
				cells := []string{p.Value, strconv.Itoa(p.References)}
				if whole {
					cells = append(cells, p.Full.cells()...)
				} else {
					cells = append(cells, p.Full.Recall.String())
				}
				t.Rows = append(t.Rows, figures.Row{Cells: append(cells, p.Lines.Recall.String())})
			}
		}
		out, from = append(out, t), to
	}
	return out
}

// at shows a place.
func (p Place) at() string {
	s := cmp.Or(p.Path, "any file")
	if p.From > 0 {
		s += fmt.Sprintf(":%d", p.From)
	}
	if p.To > p.From {
		s += fmt.Sprintf("–%d", p.To)
	}
	if p.Side == Left {
		s += " (left)"
	}
	return s
}

// cases shows the unmatched comments beside the missed references.
func (r *Report) cases() figures.Cases {
	out := figures.Cases{Title: "Unmatched comments and missed references"}
	left := 0
	for _, c := range r.Cases {
		if len(c.Missed)+len(c.Unmatched) == 0 {
			continue
		}
		if len(out.Cases) == maxCases {
			left++
			continue
		}
		one := figures.Case{
			Title: c.PullRequest + ", " + c.System, Names: [2]string{"Unmatched comments", "Missed references"},
			Facts: []string{fmt.Sprintf("matches %d", len(c.Matches))},
		}
		if c.Missing {
			one.Facts = append(one.Facts, "no answer")
		}
		for _, u := range c.Unmatched {
			item := figures.Item{Kind: u.at(), Text: u.Text, Code: u.Code}
			if u.Invalid {
				item.Kind, item.Mark = item.Kind+", known invalid", report.Bad
			}
			one.Sentences = append(one.Sentences, item)
		}
		for _, m := range c.Missed {
			kind := strings.Join(slices.DeleteFunc([]string{m.at(), m.Category, m.Origin}, func(s string) bool { return s == "" }), ", ")
			one.Refs = append(one.Refs, figures.Item{Kind: kind, Text: m.Note, Code: m.Code})
		}
		out.Cases = append(out.Cases, one)
	}
	if left > 0 {
		out.Note = fmt.Sprintf("%d more cases are in the JSON.", left)
	}
	return out
}

// CSV writes a line for each number.
func (r *Report) CSV(w io.Writer) error {
	lines := [][]string{{"system", "by", "value", "match", "number", "matches", "estimate", "low", "high", "undefined"}}
	for _, s := range r.Systems {
		whole := &Slice{Lines: s.Lines, Full: s.Full}
		for _, p := range slices.Concat([]*Slice{whole}, s.Tiers, s.Slices) {
			for i, n := range []*Numbers{&p.Full, &p.Lines} {
				for k, e := range []resample.Estimate{n.Precision, n.Recall, n.F1} {
					lines = append(lines, append([]string{report.Cell(report.Plain(s.Name)), p.By, report.Cell(report.Plain(p.Value)),
						[]string{"full", "line"}[i], []string{"precision", "recall", "f1"}[k], strconv.Itoa(n.Matches)}, estimate(e)...))
				}
			}
		}
		for _, more := range []struct {
			name string
			n    int
			e    resample.Estimate
		}{{"invalid_share", s.Invalid, s.InvalidShare}, {"neither_share", s.Neither, s.NeitherShare}} {
			lines = append(lines, append([]string{report.Cell(report.Plain(s.Name)), "", "", "full", more.name, strconv.Itoa(more.n)}, estimate(more.e)...))
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

func estimate(e resample.Estimate) []string {
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	cells := []string{number(e.Value), "", "", e.Undefined}
	if e.Interval != nil {
		cells[1], cells[2] = number(&e.Interval[0]), number(&e.Interval[1])
	}
	return cells
}
