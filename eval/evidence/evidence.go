// Package evidence converts records of a dataset into the engine's input (Input, Job), and
// the engine's outcome for a change into a block of similarity matrices (Block) with labels
// and links. From a block, all reviews can be scored again under every rule, and thresholds
// can be fitted. The package knows no scoring rules and no files.
package evidence

import (
	"context"
	"fmt"
	"slices"

	"crscore"
	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/pseudoref"
)

// Block makes the block of a record from the engine's outcome. Its points are the
// annotators' corrected references. A review that was not compared with the change's
// references has the reason, and is compared with the annotators' references where that is
// possible. A review that cannot be read, or exceeds the limits, has no sentences.
//
// The error is from comparing scored reviews with the annotators' references.
func Block(ctx context.Context, e *crscore.Engine, rec *dataset.Record, o crscore.Outcome) (*matrices.Block, error) {
	b := &matrices.Block{ID: rec.ID, Refs: refsOf(o.Refs), Points: pointsOf(rec), Reviews: make([]matrices.Review, len(rec.Reviews))}
	if len(o.Results) != len(rec.Reviews) {
		return nil, fmt.Errorf("change %s: %d results for %d reviews", rec.ID, len(o.Results), len(rec.Reviews))
	}
	if o.Sources != (crscore.Sources{}) && o.Sources != e.Provenance().Sources {
		b.Sources = o.Sources.String()
	}
	for i, review := range rec.Reviews {
		r := &b.Reviews[i]
		r.ID, r.Human, r.Addressed = review.ID, review.Human, addressed(review.Addressed, len(b.Points))
		if o.Results[i].Match == nil {
			r.Unscored = o.Results[i].Reason
		}
	}
	points, err := comparePoints(ctx, e, rec, o)
	if err != nil {
		return nil, err
	}
	for i := range b.Reviews {
		fill(&b.Reviews[i], o.Results[i].Match, points[i])
	}
	return b, nil
}

func refsOf(refs []pseudoref.Ref) []matrices.Ref {
	out := make([]matrices.Ref, len(refs))
	for i, r := range refs {
		out[i] = matrices.Ref{Kind: string(r.Kind), Source: r.Source}
	}
	return out
}

// pointsOf are the record's corrected references.
func pointsOf(rec *dataset.Record) []matrices.Ref {
	out := make([]matrices.Ref, len(rec.RefsEdited))
	for i, p := range rec.RefsEdited {
		out[i] = matrices.Ref{Kind: p.Kind, Necessity: matrices.Unnecessary}
		switch {
		case p.Unjudged:
			out[i].Necessity = matrices.Unjudged
		case p.Necessary:
			out[i].Necessity = matrices.Necessary
		}
	}
	return out
}

// addressed are the numbers that name a point, in ascending order. nil stays nil:
// nobody looked.
func addressed(numbers []int, points int) []int {
	if numbers == nil {
		return nil
	}
	out := slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return n < 1 || n > points })
	slices.Sort(out)
	return append([]int{}, slices.Compact(out)...)
}

// comparePoints compares reviews with the annotators' references: one Match a
// review, nil for one without. Where there are references, reviews that could not be
// compared with them are left out; where there are none, all are tried one by one.
func comparePoints(ctx context.Context, e *crscore.Engine, rec *dataset.Record, o crscore.Outcome) ([]*crscore.Match, error) {
	out := make([]*crscore.Match, len(o.Results))
	if len(rec.RefsEdited) == 0 {
		return out, nil
	}
	set := crscore.RefSet{Refs: make([]pseudoref.Ref, len(rec.RefsEdited)), Code: o.Code}
	for j := range set.Refs {
		set.Refs[j].Text = rec.RefsEdited[j].Text
	}
	var texts []string
	var at []int // their places
	for i := range o.Results {
		if o.Results[i].Match != nil || len(o.Refs) == 0 && rec.Reviews[i].Err == nil {
			texts, at = append(texts, rec.Reviews[i].Text), append(at, i)
		}
	}
	found, err := e.Match(ctx, set, texts...)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && len(o.Refs) == 0:
		return out, nil // no review has a score that the links would belong to
	case err != nil:
		return nil, fmt.Errorf("comparing the reviews of change %s with the annotators' references: %w", rec.ID, err)
	}
	for k := range found {
		if found[k].Err == nil {
			out[at[k]] = &found[k]
		}
	}
	return out, nil
}

// fill puts a review's rows together of those that it has.
func fill(r *matrices.Review, refs, points *crscore.Match) {
	var parts [][][]float32
	for _, m := range []*crscore.Match{refs, points} {
		if m != nil {
			parts, r.Sentences = append(parts, m.Sim), len(m.Sim)
		}
	}
	for i := range r.Sentences {
		for _, sim := range parts {
			r.Sim = appendRow(r.Sim, sim[i])
		}
	}
}

// appendRow cuts values to [0,1], as scoring does. NaN stays, and a file refuses it.
func appendRow(sim, row []float32) []float32 {
	for _, v := range row {
		sim = append(sim, min(max(v, 0), 1))
	}
	return sim
}

// Links are the pairs of a review and an annotators' reference, with the similarity of the
// reference to the review's most similar sentence. It is 0 for an empty review with a score.
// A review without a score and without sentences has no links.
func Links(b *matrices.Block) []agreement.Link {
	var out []agreement.Link
	for i := range b.Reviews {
		r := &b.Reviews[i]
		if r.Addressed == nil || r.Unscored != "" && r.Sentences == 0 {
			continue
		}
		_, points := b.Rows(i)
		for j := range b.Points {
			best := float32(0)
			for _, row := range points {
				best = max(best, row[j])
			}
			out = append(out, agreement.Link{
				Change: b.ID, Review: r.ID, Reference: j + 1, Similarity: float64(best), Addressed: slices.Contains(r.Addressed, j+1),
			})
		}
	}
	return out
}
