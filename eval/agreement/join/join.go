// Package join joins scores with the labels of people, for studies of how far both agree.
package join

import (
	"context"
	"fmt"
	"slices"

	"crscore"
	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/internal/present"
	"crscore/pseudoref"
)

// Study has the data of a study, joined from scores and labels.
type Study struct {
	agreement.Input
	// Name is short, for people. The scores have the Signature.
	Name, Signature string
	// Keep has the worst cases, Unmatched the reviews that only scores or only labels have.
	Keep      *agreement.Keep[agreement.CaseEvidence]
	Unmatched *agreement.Unmatched
	PaperTau  *float64 // the paper's threshold for these similarities
	Mode      string   // of CRScore; empty for another metric
	Missing   error    // what is missing of it
	File      string   // of the scores
}

// Row is a review of a record without a score.
func Row(rec *dataset.Record, i int) agreement.Row {
	review := &rec.Reviews[i]
	return agreement.Row{
		Change: rec.ID, Review: review.ID, Language: present.Language(rec), Pull: rec.Pull,
		Valid: review.Valid, Human: (*agreement.Scores)(review.Human),
	}
}

// Evidence has the text of a review, and the points that annotators made of it.
func Evidence(rec *dataset.Record, i int) agreement.CaseEvidence {
	review := &rec.Reviews[i]
	c := agreement.CaseEvidence{Text: review.Text}
	if review.Addressed != nil {
		for j, p := range rec.RefsEdited {
			c.Points = append(c.Points, agreement.CasePoint{Kind: p.Kind, Text: p.Text, Addressed: slices.Contains(review.Addressed, j+1)})
		}
	}
	return c
}

// Points compares what annotators marked as necessary with the references of
// a change: an issue with all of them, a claim with those that are no smells.
func Points(ctx context.Context, e *crscore.Engine, rec *dataset.Record, set crscore.RefSet) ([]agreement.Point, error) {
	var texts []string
	var out []agreement.Point
	for _, p := range rec.RefsEdited {
		if p.Necessary {
			texts = append(texts, p.Text)
			out = append(out, agreement.Point{Change: rec.ID, Kind: p.Kind})
		}
	}
	if len(texts) == 0 || len(set.Refs) == 0 {
		return out, nil
	}
	matches, err := e.Match(ctx, set, texts...)
	if err != nil {
		return nil, fmt.Errorf("comparing the annotators' references of change %s: %w", rec.ID, err)
	}
	for i := range out {
		if err := matches[i].Err; err != nil {
			return nil, fmt.Errorf("comparing the annotators' references of change %s: %w", rec.ID, err)
		}
		for _, row := range matches[i].Sim {
			for j, sim := range row {
				if set.Refs[j].Kind != pseudoref.Smell || out[i].Kind == "issue" {
					out[i].Similarity = max(out[i].Similarity, float64(sim))
				}
			}
		}
	}
	return out, nil
}

// Labels are the reviews of a dataset without scores.
type Labels struct {
	reviews map[agreement.ReviewID]labelled
	order   []agreement.ReviewID
}

// Add adds the reviews of a record.
func (l *Labels) Add(rec *dataset.Record) error {
	if l.reviews == nil {
		l.reviews = map[agreement.ReviewID]labelled{}
	}
	for i := range rec.Reviews {
		r := labelled{row: Row(rec, i)}
		id := agreement.ReviewID{Change: rec.ID, Review: r.row.Review}
		if _, twice := l.reviews[id]; twice {
			return fmt.Errorf("%s: review %q of change %q is there a second time", rec.Where(), id.Review, id.Change)
		}
		if r.row.Human != nil {
			r.about = Evidence(rec, i)
		}
		l.reviews[id] = r
		l.order = append(l.order, id)
	}
	return nil
}

type labelled struct {
	row   agreement.Row
	about agreement.CaseEvidence // nothing where nobody labelled the review
}

// HasLabels reports whether people labelled a review of a system.
func HasLabels(r agreement.Row) bool { return r.Human != nil && r.Review != dataset.HumanReference }

// Mismatch gives examples of ids that stand on one side only.
func Mismatch(a string, onlyA []agreement.ReviewID, b string, onlyB []agreement.ReviewID) string {
	if len(onlyA) == 0 || len(onlyB) == 0 {
		return ""
	}
	x, y := onlyA[0], onlyB[0]
	return fmt.Sprintf(" (ids do not match: only in %s is review %q of change %q, for one, and only in %s review %q of change %q)", a, x.Review, x.Change, b, y.Review, y.Change)
}
