package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"crscore/eval/resample"
	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/spelling"
)

// shownCases bounds the cases of a page; JSON has all.
const shownCases = 1000

// Page lays the report out: the systems, the tiers and slices, and the cases if there are some.
func (r *Report) Page() figures.Page {
	out := figures.Page{Title: "Known problems that reviewers find"}
	out.Lead = fmt.Sprintf("Systems: %d. Pull requests: %d, with references: %d, known-invalid comments: %d.",
		len(r.Systems), r.PullRequests, r.References, r.Invalid)
	out.Warnings = r.Warnings
	out.Sections = []figures.Section{
		{Title: "Systems", Figures: []figures.Figure{r.systems(), r.counts()}},
		{Title: "Distances", Figures: r.parted(func(s *SystemReport) []*Slice { return s.Tiers }),
			Text: "Matches if comments may be off by other numbers of lines. Comments without lines count at file only."},
		{Title: "Parts", Figures: r.parted(func(s *SystemReport) []*Slice { return s.Slices })},
	}
	if cases := r.cases(); len(cases.Cases) > 0 {
		out.Sections = append(out.Sections, figures.Section{Title: "Cases", Figures: []figures.Figure{cases}})
	}
	out.Sections = slices.DeleteFunc(out.Sections, func(s figures.Section) bool { return len(s.Figures) == 0 })
	out.Foot = fmt.Sprintf("signature %s\n\nThe 95%% intervals come from drawing pull requests %d times with replacement "+
		"(seed %d).", r.Signature, r.Resamples, r.Seed)
	return out
}

func (n *Numbers) estimates() []resample.Estimate {
	return []resample.Estimate{n.Precision, n.Recall, n.F1}
}

func (r *Report) systems() figures.Figure {
	t := figures.Table{
		Title:   "Precision, recall and F1 with 95% intervals",
		Columns: figures.Columns("system", "P", "R", "F1", "line P", "line R", "line F1"),
		Footnotes: []string{
			"P, R, F1: the comment stands at the lines of the reference and means the same. line: it stands there.",
			"Comments that match no reference are not wrong: nobody judged them.",
		},
	}
	for _, s := range r.Systems {
		t.Add(s.Name, s.Full.Precision, s.Full.Recall, s.Full.F1, s.Lines.Precision, s.Lines.Recall, s.Lines.F1)
		for _, e := range slices.Concat(s.Full.estimates(), s.Lines.estimates()) {
			note := fmt.Sprintf("Undefined for %s: %s.", s.Name, e.Undefined)
			if e.Undefined != "" && !slices.Contains(t.Footnotes, note) {
				t.Footnotes = append(t.Footnotes, note)
			}
		}
	}
	return t
}

func (r *Report) counts() figures.Figure {
	t := figures.Table{
		Title: "Comments",
		Footnotes: []string{
			"known invalid: matches a comment that was judged wrong, and no reference. neither: unknown, not wrong.",
		},
	}
	columns := []figures.Col[*SystemReport]{
		figures.Texts("system", func(s *SystemReport) any { return s.Name }),
		figures.Numbers("answers", func(s *SystemReport) any { return s.Answered }),
		figures.Numbers("missing", func(s *SystemReport) any { return s.Missing }),
		figures.Numbers("comments", func(s *SystemReport) any { return s.Comments }),
		figures.Numbers("matches", func(s *SystemReport) any { return s.Full.Matches }),
		figures.Numbers("line matches", func(s *SystemReport) any { return s.Lines.Matches }),
		figures.Numbers("known invalid", func(s *SystemReport) any { return s.Invalid }),
		figures.Numbers("neither", func(s *SystemReport) any { return s.Neither }),
		figures.Numbers("share neither", func(s *SystemReport) any { return s.NeitherShare }),
	}
	fixed := len(columns)
	for _, name := range spentNames {
		if slices.ContainsFunc(r.Systems, func(s *SystemReport) bool { _, ok := s.Spent.Get(name); return ok }) {
			columns = append(columns, figures.Numbers(strings.ReplaceAll(name, "_", " "), func(s *SystemReport) any {
				if v, ok := s.Spent.Get(name); ok {
					return strconv.FormatFloat(v, 'f', 2, 64)
				}
				return "–"
			}))
		}
	}
	if len(columns) > fixed {
		t.Footnotes = append(t.Footnotes, "Seconds, tokens and cost are means over the answers that say them.")
	}
	figures.Fill(&t, r.Systems, columns)
	return t
}

// parted shows a table for each way to part the references: recall, and where comments have the
// parts too, precision and F1.
func (r *Report) parted(of func(s *SystemReport) []*Slice) (out []figures.Figure) {
	var by []string
	for _, s := range r.Systems {
		for _, p := range of(s) {
			if !slices.Contains(by, p.By) {
				by = append(by, p.By)
			}
		}
	}
	for _, name := range by {
		whole := name == byLanguage || name == "distance"
		t := figures.Table{Title: "By " + name, Columns: figures.Columns(name, "references", "R", "line R")}
		if whole {
			t.Columns = figures.Columns(name, "references", "P", "R", "F1", "line R")
		}
		for _, s := range r.Systems {
			t.Rows = append(t.Rows, figures.Row{Group: s.Name})
			for _, p := range of(s) {
				switch value := cmp.Or(p.Value, "unknown"); {
				case p.By != name:
				case whole:
					t.Add(value, p.References, p.Full.Precision, p.Full.Recall, p.Full.F1, p.Lines.Recall)
				default:
					t.Add(value, p.References, p.Full.Recall, p.Lines.Recall)
				}
			}
		}
		out = append(out, t)
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
	some := slices.DeleteFunc(slices.Clone(r.Cases), func(c Case) bool { return len(c.Missed)+len(c.Unmatched) == 0 })
	if left := len(some) - shownCases; left > 0 {
		out.Note = spelling.Count("%d more cases are in the JSON.", left)
	}
	for _, c := range some[:min(len(some), shownCases)] {
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
			kind := slices.DeleteFunc([]string{m.at(), m.Category, m.Origin}, func(s string) bool { return s == "" })
			one.Refs = append(one.Refs, figures.Item{Kind: strings.Join(kind, ", "), Text: m.Note, Code: m.Code})
		}
		out.Cases = append(out.Cases, one)
	}
	return out
}

// CSV writes a line for each number.
func (r *Report) CSV(w io.Writer) error {
	sheet := figures.NewSheet("system", "by", "value", "match", "number", "count", "estimate", "low", "high", "undefined")
	for _, s := range r.Systems {
		for _, p := range slices.Concat([]*Slice{{Matched: s.Matched}}, s.Tiers, s.Slices) {
			for i, n := range []*Numbers{&p.Full, &p.Lines} {
				for k, e := range n.estimates() {
					sheet.Add(s.Name, p.By, p.Value, []string{"full", "line"}[i], []string{"precision", "recall", "f1"}[k], n.Matches, e)
				}
			}
		}
		sheet.Add(s.Name, "", "", "full", "invalid_share", s.Invalid, s.InvalidShare)
		sheet.Add(s.Name, "", "", "full", "neither_share", s.Neither, s.NeitherShare)
	}
	return sheet.CSV(w)
}
