// Package gate is the policy over a bot's comments: which of them are worth
// posting, and whether all of them together are review enough.
//
// Each comment is judged by Con against the pseudo-references of its own place in
// the change, and all that are kept as one review by Con, Comp and Rel. How
// comments are written in files, and how references and scores are made, may not
// come in: that is the work of comments and of the engine.
package gate

import (
	"context"
	"fmt"
	"math"
	"strings"

	"crscore"
	"crscore/internal/comments"
	"crscore/pseudoref"
)

// MaxSentences bounds the sentences of all comments of a change together. Those that
// are beyond it have no score, and so nothing is decided.
const MaxSentences = 4 * crscore.MaxSentences

// Policy is what is asked of comments. The zero value asks nothing, and so lets
// everything pass that can be judged.
type Policy struct {
	// MinCon is the least Con of each comment, MinComp and MinRel are those of the
	// review that is kept; all from 0 to 1.
	MinCon  float64 `json:"min_con"`
	MinComp float64 `json:"min_comp"`
	MinRel  float64 `json:"min_rel"`
	// DropOffTopic leaves out what is below MinCon, or has no sentence on topic at
	// all, where it would else fail or pass.
	DropOffTopic bool `json:"drop_off_topic"`
	// MaxComments is how many comments are kept, the best; 0 means all. What a
	// better one says already does not count for another.
	MaxComments int `json:"max_comments"`
	// Empty is what becomes of a review without any comment, or with none that is
	// kept; "" is EmptyPass.
	Empty Empty `json:"empty"`
}

// Empty is what is made of a review that has nothing to say.
type Empty string

// The two answers.
const (
	EmptyPass Empty = "pass"
	EmptyFail Empty = "fail"
)

// Check returns an error for a policy that nothing can be held against.
func (p Policy) Check() error {
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
	case "", EmptyPass, EmptyFail:
		return nil
	}
	return fmt.Errorf("an empty review can pass or fail, not %q", p.Empty)
}

// Judge decides about the comments of a review of a change. A stage that fails
// makes the outcome Undecided, with the reason, and drops nothing; the error is
// only ever that of the policy, or ctx's own.
func Judge(ctx context.Context, e *crscore.Engine, in crscore.Input, list []comments.Comment, p Policy) (*Decision, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.Empty == "" {
		p.Empty = EmptyPass
	}
	j := &judge{engine: e, list: list, matches: make([]crscore.Match, len(list)), points: make([][]point, len(list))}
	j.d = Decision{Comments: make([]Verdict, len(list)), Policy: p, Mode: string(e.Rule().Mode), Signature: e.Signature()}
	for i, c := range list {
		j.d.Comments[i] = verdict(i, c)
	}
	if len(list) > 0 { // else nothing has to be made to decide
		j.files = newFiles(in.Change)
		for i, c := range list {
			j.d.Comments[i].File = j.files.path(c)
		}
		if err := j.scoreAll(ctx, in); err != nil {
			return nil, err
		}
	}
	j.decide()
	return &j.d, nil
}

// judge is a decision in the making.
type judge struct {
	engine  *crscore.Engine
	list    []comments.Comment
	files   *files
	refs    []pseudoref.Ref
	matches []crscore.Match // of each comment with all references
	points  [][]point       // what each comment is about
	d       Decision
}

// scoreAll scores the comments, each by itself.
func (j *judge) scoreAll(ctx context.Context, in crscore.Input) error {
	set, err := j.engine.Refs(ctx, in)
	if err == nil {
		j.d.Warnings = set.Warnings
		j.d.Signature = strings.TrimSuffix(j.engine.Signature(), j.engine.Made().Sources()) + set.Signature
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
	j.refs = set.Refs
	if err := j.match(ctx); err != nil {
		return err
	}
	places := newPlaces(j.files, set.Refs, j.engine.Rule().Weights)
	for i := range j.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if j.d.Comments[i].Status != crscore.Unscored {
			j.score(i, places.of(j.list[i]))
		}
	}
	return nil
}

// match compares the comments with the references, so many at a time that only one
// alone can be beyond the engine's limits: it has no score then, and the others do. Of
// those that are beyond the limits of all, none is looked at.
func (j *judge) match(ctx context.Context) error {
	room := min(crscore.MaxSentences, crscore.MaxPairs/len(j.refs)) // a sentence has a byte at least
	sentences := 0
	for from := 0; from < len(j.list); {
		to, size := from, 0
		for to < len(j.list) && (to == from || size+len(j.list[to].Body) <= room) {
			size += len(j.list[to].Body)
			to++
		}
		texts := make([]string, to-from)
		for i := range texts {
			texts[i] = j.list[from+i].Body
		}
		matches, err := j.engine.Match(ctx, j.refs, texts...)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for i := from; i < to; i++ {
			if err != nil {
				j.d.Comments[i].unscored(err)
				continue
			}
			sentences += len(matches[i-from].Sentences)
			if err := j.beyond(sentences); err != nil {
				for k := i; k < len(j.list); k++ {
					j.d.Comments[k].unscored(err)
				}
				return nil
			}
			j.matches[i] = matches[i-from]
		}
		from = to
	}
	return nil
}

// beyond tells which limit so many sentences of all comments are beyond.
func (j *judge) beyond(sentences int) error {
	switch {
	case sentences > MaxSentences:
		return fmt.Errorf("the comments have more sentences than the limit of %d", MaxSentences)
	case sentences*len(j.refs) > crscore.MaxPairs:
		return fmt.Errorf("the comments have more sentences for %d references than the limit of %d pairs", len(j.refs), crscore.MaxPairs)
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
		p := point{ref: at.refs[best.Index], credit: best.Credit, similarity: best.Similarity}
		j.points[i] = append(j.points[i], p)
		v.About = append(v.About, About{Sentence: m.Sentences[s].Text, Ref: p.ref + 1, Similarity: p.similarity, Credit: p.credit})
	}
}
