// Package gate decides which of a bot's comments are worth posting, and whether the
// kept comments are a good enough review.
//
// It judges each comment by its Con against the references of its own hunk, and the
// kept comments together, as one review, by Con, Comp and Rel. Reading and writing files
// of comments belongs to internal/comments, making references and scores to the engine.
package gate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"crscore"
	"crscore/internal/comments"
	"crscore/internal/present"
	"crscore/internal/spelling"
	"crscore/pseudoref"
	"crscore/sts/aboutness"
)

// Policy says what comments and the review must reach. With the zero value every review
// passes that has a score.
type Policy struct {
	// Drop lists the kinds of comments that are dropped; see Droppable.
	Drop []Drop `json:"drop"`
	// DropOffTopic adds DefaultDrop to Drop.
	DropOffTopic bool `json:"drop_off_topic"`
	// MinCon is the least Con of each comment, from 0 to 1. A comment below it is dropped if the
	// policy drops any kind of comment, and else fails the review.
	MinCon float64 `json:"min_con"`
	// MinComp and MinRel are the least Comp and Rel of the kept review, from 0 to 1.
	MinComp float64 `json:"min_comp"`
	MinRel  float64 `json:"min_rel"`
	// MaxComments keeps the best comments, 0 all. A comment that repeats a better one is
	// worth less.
	MaxComments int `json:"max_comments"`
	// Empty decides about a review without comments, or with none left; "" is EmptyPass.
	Empty Empty `json:"empty"`
	// Checks adds what commentcheck finds in each comment. It decides nothing.
	Checks bool `json:"checks,omitempty"`
	// Model tells comments about a hunk from others; nil is the built-in model.
	Model *aboutness.Model `json:"-"`
}

// complete is the policy with its defaults filled in.
func (p Policy) complete() Policy {
	drop := append([]Drop{}, p.Drop...)
	if p.DropOffTopic {
		drop = append(drop, DefaultDrop()...)
	}
	slices.Sort(drop)
	p.Drop = slices.Compact(drop)
	if p.Empty == "" {
		p.Empty = EmptyPass
	}
	return p
}

// Empty decides about a review without comments.
type Empty string

// The two decisions.
const (
	EmptyPass Empty = "pass"
	EmptyFail Empty = "fail"
)

// Check returns an error for a policy with a value out of range.
func (p Policy) Check() error {
	for _, d := range p.Drop {
		if !slices.Contains(Droppable(), d) {
			return fmt.Errorf("no kind of comment to drop is %q: choose of %v", d, Droppable())
		}
	}
	p = p.complete()
	for _, m := range []struct {
		name  string
		value float64
	}{{"con of a comment", p.MinCon}, {"comp", p.MinComp}, {"rel", p.MinRel}} {
		if math.IsNaN(m.value) || m.value < 0 || m.value > 1 {
			return fmt.Errorf("the least %s is %v, but must be a number from 0 to 1", m.name, m.value)
		}
	}
	if p.MaxComments < 0 {
		return fmt.Errorf("the most comments are %d, but must be at least 1, or 0 for no limit", p.MaxComments)
	}
	switch p.Empty {
	case EmptyPass, EmptyFail:
		return nil
	}
	return fmt.Errorf("an empty review can pass or fail, not %q", p.Empty)
}

// Judge decides about the comments of a review of a change. Where a stage fails, the
// outcome is Undecided with the reason, and no comment is dropped. The error is about the
// policy, or is ctx's own.
func Judge(ctx context.Context, e *crscore.Engine, in crscore.Input, list []comments.Comment, p Policy) (*Decision, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	j := &judge{engine: e, matches: make([]crscore.Match, len(list)), covers: make([][]coverage, len(list)), vectors: make([][]float64, len(list)), remarks: vocabularies()}
	j.d = Decision{Comments: make([]Verdict, len(list)), Policy: p.complete(), Mode: string(e.Rule().Mode), Signature: e.Signature()}
	number := 0
	files := newFiles(in.Change, list...)
	for i := range list {
		c := files.settle(list[i])
		if !c.Summary {
			number++
		}
		j.list = append(j.list, c)
		j.d.Comments[i] = newVerdict(cmp.Or(c.Number, number), c)
		j.d.Comments[i].New = files.onNew(c)
		j.d.Comments[i].File = j.d.Comments[i].New.Path
	}
	if len(list) > 0 { // an empty list needs no references
		j.files = files
		if err := j.scoreAll(ctx, in); err != nil {
			return nil, err
		}
		j.d.Warnings = append(j.d.Warnings[:len(j.d.Warnings):len(j.d.Warnings)], j.files.strays(j.list)...)
	}
	if p.Checks && len(list) > 0 {
		if err := j.check(ctx, in.Change); err != nil {
			return nil, err
		}
	}
	j.d.Verdicts = countVerdicts(j.d.Comments)
	j.decide()
	return &j.d, nil
}

// judge is the state of one call of Judge.
type judge struct {
	engine  *crscore.Engine
	list    []comments.Comment
	files   *files
	places  *places
	set     crscore.RefSet
	refs    []pseudoref.Ref // of set
	matches []crscore.Match // of each comment with all references
	covers  [][]coverage    // of each comment, a sentence each
	vectors [][]float64     // of each comment that has a verdict
	remarks []vocabulary
	d       Decision
}

// scoreAll scores the comments, each by itself.
func (j *judge) scoreAll(ctx context.Context, in crscore.Input) error {
	set, err := j.engine.Refs(ctx, in)
	if in.Change != nil {
		j.d.Warnings = in.Change.Warnings // those of a set have them, too
	}
	if err == nil {
		j.d.Warnings = set.Warnings
		j.d.Signature = j.engine.Signed(set.Sources).String()
		err = set.Empty()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		for i := range j.d.Comments {
			j.d.Comments[i].unscored(err)
		}
		return nil
	}
	j.set, j.refs = set, set.Refs
	j.d.Refs = present.Refs(j.engine.Rule(), set.Refs)
	if err := j.match(ctx); err != nil {
		return err
	}
	places := newPlaces(j.files, set.Refs, j.engine.Rule().Weights)
	j.places = places
	for i := range j.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if j.d.Comments[i].Status == crscore.Unscored {
			continue
		}
		c := j.list[i]
		if set.LeftOut > 0 && !c.Summary {
			if _, err := j.files.file(c); err != nil {
				j.d.Comments[i].unscored(fmt.Errorf("it may be about a file of the change that could not be read (%d)", set.LeftOut))
				continue
			}
		}
		j.score(i, places.of(c))
	}
	return j.findAbout(ctx)
}

// match compares the comments with the references. A comment beyond a limit has no score.
func (j *judge) match(ctx context.Context) error {
	bodies := make([]string, len(j.list))
	for i := range bodies {
		bodies[i] = j.list[i].Body
	}
	matches, err := j.engine.Match(ctx, j.set, bodies...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i := range j.list {
		if err != nil {
			j.d.Comments[i].unscored(err)
		} else if j.matches[i] = matches[i]; matches[i].Err != nil {
			j.d.Comments[i].unscored(matches[i].Err)
		}
	}
	return nil
}

// score judges a comment against the references of its place.
func (j *judge) score(i int, at place) {
	v, m := &j.d.Comments[i], j.matches[i]
	v.Scope, v.Note = at.scope, at.note
	own := crscore.Match{Review: m.Review, Sentences: m.Sentences, Refs: make([]pseudoref.Ref, len(at.refs)), Sim: make([][]float32, len(m.Sim))}
	for k, r := range at.refs {
		own.Refs[k] = m.Refs[r]
	}
	for s, row := range m.Sim {
		own.Sim[s] = make([]float32, len(at.refs))
		for k, r := range at.refs {
			own.Sim[s][k] = row[r]
		}
	}
	res := j.engine.Score(own)
	v.take(res)
	for s, best := range res.Sentences {
		c := coverage{ref: at.refs[best.Index], credit: best.Credit, similarity: best.Similarity}
		j.covers[i] = append(j.covers[i], c)
		v.About = append(v.About, About{Sentence: m.Sentences[s].Text, Ref: c.ref + 1, Similarity: c.similarity, Credit: c.credit})
	}
	j.markRemarks(i)
}

// markRemarks finds out whether a comment is nothing but remarks. Of the summary each
// remark is left out of the review, so that thanks above the comments do not lower it.
func (j *judge) markRemarks(i int) {
	v, m := &j.d.Comments[i], &j.matches[i]
	sentences := make([]string, len(m.Sentences))
	for s := range sentences {
		sentences[s] = m.Sentences[s].Text
	}
	v.OffTopic = remarkKind(j.remarks, sentences)
	if !v.Summary {
		return
	}
	kept := crscore.Match{Review: m.Review, Refs: m.Refs}
	for s, text := range sentences {
		if remarkKind(j.remarks, []string{text}) == "" {
			kept.Sentences, kept.Sim = append(kept.Sentences, m.Sentences[s]), append(kept.Sim, m.Sim[s])
		}
	}
	if n := len(sentences) - len(kept.Sentences); n > 0 {
		v.Note = join(v.Note, spelling.Count("%d of %d sentences are praise or process remarks and left out of the review", n, len(sentences)))
	}
	*m = kept
}
