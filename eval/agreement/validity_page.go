package agreement

import (
	"cmp"

	"crscore/internal/report/figures"
	"crscore/internal/spelling"
)

// section shows what the scores tell apart.
func (v *Validity) section() figures.Section {
	var why reasons
	t := figures.Table{
		Title:   "ROC-AUC, with 95% intervals by drawing pull requests; 0.5 is chance",
		Columns: figures.Columns("", "valid or invalid", "own or another repository's change"),
	}
	for _, d := range v.Scores {
		called := cmp.Or(v.Metric, d.Score)
		if v.Metric != "" && d.Score != v.Scores[0].Score {
			break // the same number again
		}
		t.Add(called, d.Valid, d.Own)
		why.add(called+", valid or invalid", d.Valid)
		why.add(called+", own or another change", d.Own)
	}
	t.Footnotes = why
	return figures.Section{
		Title: v.Name + ": valid comments",
		Text: spelling.Count("People found %d comments valid and %d invalid, of %d pull requests (unscored: %d). "+
			"%d of them were scored against the change of another repository, too.", v.Valid, v.Invalid, v.Pulls, v.Unscored, v.Other),
		Figures: []figures.Figure{t},
	}
}
