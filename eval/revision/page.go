package revision

import (
	"cmp"
	"fmt"
	"io"

	"crscore/eval/resample"
	"crscore/internal/report/figures"
)

// Report is what a study finds. Its JSON names are stable; numbers are not rounded.
type Report struct {
	// Instances says which rows count.
	Instances Instances `json:"instances"`
	// Rows counts the rows of the input, Unscored those without scores, and WithoutOriginal the scored
	// rows whose original is missing or unscored: they count in no drop.
	Rows            int `json:"rows"`
	Unscored        int `json:"unscored"`
	WithoutOriginal int `json:"without_original"`
	// Tools are in the order of the input.
	Tools []*ToolReport `json:"tools"`
	// Resamples is the number of draws behind the intervals, Seed their seed.
	Resamples int    `json:"resamples"`
	Seed      uint64 `json:"seed"`
	// Signature names everything that shapes a number. The caller sets it.
	Signature string `json:"signature"`
}

// ToolReport has the numbers of a tool.
type ToolReport struct {
	// Name is the tool's name; the counts are as in Report.
	Name            string `json:"name"`
	Unscored        int    `json:"unscored"`
	WithoutOriginal int    `json:"without_original"`
	// Perturbations are in the order of their names; the originals are first.
	Perturbations []*Numbers `json:"perturbations"`
	// Worst is the perturbation with the greatest drop of EXM, the first of several, and WorstDropEXM the
	// drop in percent; empty and nil where no drop is known.
	Worst        string   `json:"worst,omitempty"`
	WorstDropEXM *float64 `json:"worst_delta_exm"`
}

// Numbers are means over rows of a perturbation, or over the originals, where Perturbation is
// empty. Scores defines the measures.
type Numbers struct {
	// Rows counts the scored rows that count, InfiniteREE those that REE leaves out.
	Perturbation string            `json:"perturbation"`
	Rows         int               `json:"rows"`
	EXM          resample.Estimate `json:"exm"`
	EM           resample.Estimate `json:"em"`
	REE          resample.Estimate `json:"ree"`
	InfiniteREE  int               `json:"ree_infinite"`
	BLEU4        resample.Estimate `json:"bleu4"`
	CodeBLEU     resample.Estimate `json:"codebleu"`
	// Solved counts the rows whose original the tool solved. DropEXM is ΔEXM = 100·(1 − EXM) over
	// these, and DropEM is ΔEM = 100·(1 − EM), both in percent.
	Solved  int               `json:"solved"`
	DropEXM resample.Estimate `json:"delta_exm"`
	DropEM  resample.Estimate `json:"delta_em"`
}

// estimates are in the order of the constants.
func (n *Numbers) estimates() [numbers]*resample.Estimate {
	return [numbers]*resample.Estimate{&n.EXM, &n.EM, &n.REE, &n.BLEU4, &n.CodeBLEU, &n.DropEXM, &n.DropEM}
}

// Page lays the report out as tables.
func (r *Report) Page() figures.Page {
	measures := figures.Table{
		Title:   "Measures with 95% intervals",
		Columns: figures.Columns("perturbation", "rows", "EXM", "EM", "REE", "infinite", "bleu4", "codebleu"),
		Footnotes: []string{
			"EXM: an answer is the revision. EM: an answer has all of its edits. REE: superfluous edits, a share of the revision's.",
			"bleu4: the paper's column CodeBLEU. codebleu: the measure of that name.",
		},
	}
	drops := figures.Table{
		Title:     "Drops with 95% intervals, in percent of the solved originals",
		Columns:   figures.Columns("perturbation", "solved", "ΔEXM", "ΔEM"),
		Footnotes: []string{"The perturbation with the greatest ΔEXM is marked."},
	}
	for _, t := range r.Tools {
		measures.Rows = append(measures.Rows, figures.Row{Group: t.Name})
		drops.Rows = append(drops.Rows, figures.Row{Group: t.Name})
		for _, n := range t.Perturbations {
			measures.Add(cmp.Or(n.Perturbation, "none"), n.Rows, n.EXM, n.EM, n.REE, n.InfiniteREE, n.BLEU4, n.CodeBLEU)
			if n.Perturbation != "" {
				drops.Add(n.Perturbation, n.Solved, n.DropEXM, n.DropEM).Marked = n.Perturbation == t.Worst
			}
		}
	}
	return figures.Page{
		Title: "Code revision under perturbations that keep the meaning",
		Lead: fmt.Sprintf("Tools: %d. Rows: %d, unscored: %d, without a scored original: %d. Instances that count: %s.",
			len(r.Tools), r.Rows, r.Unscored, r.WithoutOriginal, r.Instances),
		Sections: []figures.Section{{Title: "Tools", Figures: []figures.Figure{measures, drops}}},
		Foot: fmt.Sprintf("signature %s\n\nThe 95%% intervals come from drawing originals %d times with replacement (seed %d).",
			r.Signature, r.Resamples, r.Seed),
	}
}

// CSV writes a line for each number.
func (r *Report) CSV(w io.Writer) error {
	s := figures.NewSheet("tool", "perturbation", "number", "rows", "solved", "estimate", "low", "high", "undefined")
	for _, t := range r.Tools {
		for _, n := range t.Perturbations {
			for k, e := range n.estimates() {
				name := [numbers]string{"exm", "em", "ree", "bleu4", "codebleu", "delta_exm", "delta_em"}[k]
				s.Add(t.Name, n.Perturbation, name, n.Rows, n.Solved, e)
			}
		}
	}
	return s.CSV(w)
}
