package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/dataset"
	"crscore/internal/lang"
)

// Row is a row of a dataset: a pull request, or one of its files. The ID names the pull request. A
// file adds a colon and its path. Reviews are of dataset.HumanReference, of a system, or valid-1,
// invalid-1 and so on.
type Row struct {
	dataset.Record
	// Base is the merge base, Head the commit that was annotated. The diff leads from one to the other.
	URL, Base, Head string
}

// MarshalJSON writes the row as a line of a dataset.
func (r Row) MarshalJSON() ([]byte, error) {
	return r.Written(dataset.Members[any]{{Name: "url", Value: r.URL}, {Name: "base", Value: r.Base}, {Name: "head", Value: r.Head}},
		"id", "url", "repo", "pull", "lang", "path", "base", "head", "diff", "old", "new", "reviews").MarshalJSON()
}

// PullRow makes the row of a pull request from its parsed diff. The valid comments together are the
// human reference; the comments of a system are a review of that system.
func (p *PullRequest) PullRow(base, diff string, c *change.Change, systems []*System) Row {
	row := p.row(base, diff)
	row.Lang = p.language(c)
	var notes []string
	for _, r := range p.References {
		notes = append(notes, r.Note)
	}
	row.add(dataset.HumanReference, notes)
	for _, s := range systems {
		if a := s.Answers[p.ID]; a != nil {
			var texts []string
			for _, c := range a.Comments {
				texts = append(texts, c.Text)
			}
			row.add(s.Name, texts)
		}
	}
	return row
}

func (r *Row) add(id string, texts []string) {
	r.Reviews = append(r.Reviews, dataset.Review{ID: id, Text: strings.Join(texts, "\n\n")})
}

func (p *PullRequest) row(base, diff string) Row {
	return Row{dataset.Record{ID: p.ID, Repo: p.Repo, Pull: p.ID, Diff: diff, Reviews: []dataset.Review{}}, p.URL, base, p.Target}
}

// language is that of the project. A reader takes it for the language of a single file, so that such
// a file has its own.
func (p *PullRequest) language(c *change.Change) string {
	l, _ := lang.Lookup(p.Language)
	if len(c.Files) == 1 {
		l = cmp.Or(c.Files[0].Lang, l)
	}
	return string(l)
}

// FileRows makes a row of each file of a diff of git that has judged comments. Each comment is a
// review with its label. texts returns whole texts as change.Options wants them. The warnings tell
// which texts are not known and which comments are left out.
func (p *PullRequest) FileRows(
	base, diff string, texts func(*change.File, change.Side) (string, bool),
) (rows []Row, warnings []string) {
	valid, invalid := slices.Clone(p.References), slices.Clone(p.Invalid)
	for _, piece := range splitDiff(diff) {
		c, err := change.Parse([]byte(piece), change.Options{Texts: texts})
		if err != nil || len(c.Files) != 1 || len(c.Files[0].Hunks) == 0 {
			continue // its comments are left out
		}
		f := &c.Files[0]
		row := p.row(base, piece)
		row.ID, row.Path, row.Lang = p.ID+":"+f.Path(), f.Path(), string(f.Lang)
		valid = row.take(valid, f, "valid", true)
		invalid = row.take(invalid, f, "invalid", false)
		if len(row.Reviews) == 0 {
			continue
		}
		old, knowsOld := f.Whole(change.Old)
		text, knowsNew := f.Whole(change.New)
		if knowsOld && knowsNew {
			row.Old, row.New = &old, &text
		} else {
			warnings = append(warnings, fmt.Sprintf("%s: the row has no old and new text: too large, or not those of the diff", f.Path()))
		}
		rows = append(rows, row)
	}
	if left := slices.Concat(valid, invalid); len(left) > 0 {
		warnings = append(warnings, fmt.Sprintf("comments on files without lines in the diff, left out: %d (the first: on %q)",
			len(left), left[0].Path))
	}
	return rows, warnings
}

// take adds the comments on a file, and returns the others.
func (r *Row) take(comments []Reference, f *change.File, label string, isValid bool) []Reference {
	n := 0
	return slices.DeleteFunc(comments, func(c Reference) bool {
		if c.Path == "" || c.Path != f.OldPath && c.Path != f.NewPath {
			return false
		}
		n++
		r.Reviews = append(r.Reviews, dataset.Review{ID: fmt.Sprintf("%s-%d", label, n), Text: c.Note, Valid: &isValid})
		return true
	})
}

// splitDiff parts a diff of git into its files. A line of a hunk begins with a sign.
func splitDiff(diff string) (files []string) {
	const head = "diff --git "
	for diff != "" {
		end := strings.Index(diff[1:], "\n"+head) + 2
		if end < 2 {
			end = len(diff)
		}
		files, diff = append(files, diff[:end]), diff[end:]
	}
	return files
}

// Join gives the pull requests of the truth their invalid comments. Behind them are those that only
// the invalid comments have, without references.
func Join(truth, invalid *File) []PullRequest {
	pulls := slices.Clone(truth.Pulls)
	for _, p := range invalid.Pulls {
		p.References, p.Invalid = nil, p.References
		if i := slices.IndexFunc(pulls, func(q PullRequest) bool { return q.ID == p.ID }); i >= 0 {
			pulls[i].Invalid = p.Invalid
		} else {
			pulls = append(pulls, p)
		}
	}
	return pulls
}
