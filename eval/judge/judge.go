// Package judge has language models judge reviews, by three published protocols: rel (the
// baseline of CRScore, Naik et al. 2024), grade (GradedReviews, Jiang et al.: "Deep Assessment
// of Code Review Generation Approaches") and criteria (DeepCRCEval, Lu et al. 2024). The
// prompts are our own words.
//
// A review without a usable answer has no verdict and a reason: no grade is ever a default.
// The package asks a chat.Model; it knows no servers, files and flags. How well a judge agrees
// with people is for eval/agreement to say.
package judge

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"crscore/change"
	"crscore/chat"
	"crscore/chat/prompt"
	"crscore/internal/limits"
	"crscore/score"
)

// Protocol is the way in which a model is asked.
type Protocol string

// The protocols.
const (
	// Rel shows the change and one review, and asks for con, comp and rel from 1 to 5.
	Rel Protocol = "rel"
	// Grade shows a human review and a generated review, without the change, and asks for a
	// grade from 1 to 5: how much of the human review the other says.
	Grade Protocol = "grade"
	// Criteria shows the change and the reviews of all systems under letters, and asks for
	// nine scores from 1 to 10 each and for ranks, twice, in opposite orders.
	Criteria Protocol = "criteria"
)

// Criterion is a criterion of DeepCRCEval (section 3.1) in our words.
type Criterion struct{ ID, Name, About string }

// AllCriteria are the nine criteria, in their order.
func AllCriteria() []Criterion {
	return []Criterion{
		{"c1", "readability", "clear, easy language"},
		{"c2", "relevance", "about this very code"},
		{"c3", "explanation clarity", "makes plain what the issue is"},
		{"c4", "problem identification", "pinpoints a fault and puts it correctly"},
		{"c5", "actionability", "gives practical advice"},
		{"c6", "completeness", "covers all issues of the code"},
		{"c7", "specificity", "particular, no remark that fits any code"},
		{"c8", "contextual adequacy", "says where in the code"},
		{"c9", "brevity", "no padding"},
	}
}

// Limits of the scales.
const (
	MinGrade, MaxGrade         = 1, 5  // of rel and grade
	MinCriterion, MaxCriterion = 1, 10 // of criteria
)

// Defaults of Options.
const (
	DefaultContext = 16384
	DefaultSeed    = 1
	// DefaultVotesTemperature is the temperature of several votes. At 0 they would all be the
	// same vote.
	DefaultVotesTemperature = 0.7
)

// Options are the options of a Judge.
type Options struct {
	// Protocol is the way in which the model is asked.
	Protocol Protocol
	// Votes is the odd number of answers that vote on a grade; 0 means 3 for Grade and 1 for
	// Rel. Criteria has none: it asks in two orders.
	Votes int
	// Temperature is the temperature of the model's draws, from 0 to 2; nil means
	// DefaultVotesTemperature for several votes, else 0.
	Temperature *float64
	// Seed is the seed of the votes and of the orders.
	Seed int
	// Reasons asks for the model's reasons.
	Reasons bool
	// Context is the size of the context in tokens; 0 means DefaultContext. A model with a
	// shorter context has its own.
	Context int
	// Asking are the options of the calls.
	Asking chat.Options
}

// Judge judges the reviews of changes. It is safe for concurrent use.
type Judge struct {
	asker       *chat.Asker
	opts        Options
	temperature float64
}

// New returns a Judge. It does not call the model.
func New(m chat.Model, o Options) (*Judge, error) {
	switch o.Protocol {
	case Rel, Grade, Criteria:
	default:
		return nil, fmt.Errorf("unknown protocol %q: choose rel, grade or criteria", o.Protocol)
	}
	if o.Votes == 0 {
		o.Votes = 1
		if o.Protocol == Grade {
			o.Votes = 3
		}
	}
	j := &Judge{opts: o}
	if o.Votes > 1 {
		j.temperature = DefaultVotesTemperature
	}
	if o.Temperature != nil {
		j.temperature = *o.Temperature
	}
	switch {
	case o.Votes < 0 || o.Votes > limits.Votes || o.Votes%2 == 0:
		return nil, fmt.Errorf("votes: %d, but they must be odd, from 1 to %d", o.Votes, limits.Votes)
	case o.Votes > 1 && o.Protocol == Criteria:
		return nil, errors.New("protocol criteria has no votes: it asks twice, in opposite orders")
	case !(j.temperature >= 0 && j.temperature <= 2):
		return nil, fmt.Errorf("the temperature is %g, but must be from 0 to 2", j.temperature)
	case o.Votes > 1 && j.temperature == 0:
		return nil, fmt.Errorf("%d votes at temperature 0 are one vote: give a temperature above 0, or one vote", o.Votes)
	case o.Seed < 0 || o.Seed > limits.Seed:
		return nil, fmt.Errorf("the seed is %d, but must be from 0 to %d", o.Seed, limits.Seed)
	case o.Context < 0:
		return nil, fmt.Errorf("the context is %d tokens, but must be more than 0", o.Context)
	}
	if o.Context == 0 {
		j.opts.Context = DefaultContext
	}
	var err error
	j.asker, err = chat.NewAsker(m, o.Asking)
	return j, err
}

// Prepare asks the server once for the model's digest and context, which signature and answers
// depend on.
func (j *Judge) Prepare(ctx context.Context) error { return j.asker.Prepare(ctx) }

// Parallel is the number of calls at a time, to all servers of the model together.
func (j *Judge) Parallel() int { return j.asker.Parallel() }

// Usage returns what the answers took so far.
func (j *Judge) Usage() chat.Usage { return j.asker.Usage() }

// Signature names everything that shapes a verdict, in order. Prepare comes first.
func (j *Judge) Signature() score.Signature {
	s := score.Signature{
		{Name: "judge", Value: string(j.opts.Protocol) + "/" + PromptVersion},
		{Name: "model", Value: j.asker.Signature()},
		{Name: "votes", Value: strconv.Itoa(j.opts.Votes)},
		{Name: "temperature", Value: fmt.Sprint(j.temperature)},
		{Name: "seed", Value: strconv.Itoa(j.opts.Seed)},
		{Name: "context", Value: strconv.Itoa(j.window())},
	}
	if j.opts.Reasons {
		s = append(s, score.Field{Name: "reasons", Value: "yes"})
	}
	return s
}

// window is the size of the context in tokens. It is the same for every call, because Ollama
// reloads a model for another size.
func (j *Judge) window() int {
	if n := j.asker.ContextLength(); n > 0 {
		return min(n, j.opts.Context)
	}
	return j.opts.Context
}

// Case is a change with its reviews.
type Case struct {
	// ID is the id of the change. The order of reviews depends on it.
	ID string
	// Change is the change, nil with the reason in Err. Grade needs none.
	Change *change.Change
	Err    error
	// Reviews are the reviews that are judged.
	Reviews []Review
	// References are the human reviews of the change, for Grade.
	References []string
}

// Review is a review that is judged.
type Review struct {
	Text string // as its author wrote it
	Err  error  // why it cannot be judged, nil if it can
}

// Verdict is what a judge says about a review.
type Verdict struct {
	// Err is the reason why there is no verdict, nil if there is one.
	Err error
	// Con, Comp and Rel are the grades of protocol Rel, Grade the grade of protocol Grade, all
	// from 1 to 5.
	Con, Comp, Rel, Grade int
	// Criteria are the scores of protocol Criteria from 1 to 10, in the order of AllCriteria:
	// means over two orders.
	Criteria []float64
	// Rank is the rank of protocol Criteria among all judged reviews of the change, 1 for the
	// best; the mean over two orders. Equal reviews share the mean of their places.
	Rank float64
	// Of is the number of reviews that were ranked.
	Of int
	// Votes are the answers behind the grades of Rel and Grade: con, comp and rel, or the
	// grade. A vote that is missing is nil.
	Votes [][]int
	// Places are the place and rank of the review in each order of Criteria.
	Places []Place
	// Reasons are the model's reasons, one for each answer, if they were asked for.
	Reasons []string
	// Notes say what is special about the verdict.
	Notes []string
}

// Place is where a review stood in an order, and which rank it got there among the different
// reviews of the change.
type Place struct {
	Place int     `json:"place"` // in the list, counted from 1
	Rank  float64 `json:"rank"`  // from 1 for the best; equal ranks share the mean of their places
}

// Overall is the mean of the nine criteria, from 1 to 10. DeepCRCEval has no such number; it
// is ours.
func (v Verdict) Overall() float64 {
	sum := 0.0
	for _, c := range v.Criteria {
		sum += c
	}
	return sum / float64(len(v.Criteria))
}

// emptyNote is the note of a review that says nothing.
const emptyNote = "the review is empty: the lowest of the scale, without a call"

// Judge judges the reviews of a change. Prepare comes first. The verdicts are in the order of
// the reviews. The error is of ctx.
func (j *Judge) Judge(ctx context.Context, c Case) ([]Verdict, error) {
	out := make([]Verdict, len(c.Reviews))
	var open []int // reviews that need an answer
	var shown string
	var notes []string
	err := c.Err
	if j.opts.Protocol != Grade && err == nil {
		shown, notes, err = j.show(c.Change)
	}
	for i, r := range c.Reviews {
		switch {
		case r.Err != nil:
			out[i].Err = r.Err
		case err != nil && j.opts.Protocol != Grade:
			out[i].Err = err
		case j.opts.Protocol == Grade && len(c.References) == 0:
			out[i].Err = errors.New("the change has no human review to compare with")
		case strings.TrimSpace(r.Text) == "":
			out[i] = j.lowest()
		default:
			out[i].Notes = append(out[i].Notes, notes...)
			open = append(open, i)
		}
	}
	switch j.opts.Protocol {
	case Criteria:
		j.compare(ctx, c, shown, open, out)
	case Grade:
		for _, i := range open {
			j.grade(ctx, c.References, c.Reviews[i].Text, &out[i])
		}
	default:
		for _, i := range open {
			j.rate(ctx, shown, c.Reviews[i].Text, &out[i])
		}
	}
	return out, ctx.Err()
}

// show writes a change as a block of a prompt.
func (j *Judge) show(ch *change.Change) (block string, notes []string, err error) {
	if ch == nil {
		return "", nil, errors.New("the change has no diff")
	}
	lines, shortened := prompt.Lines(ch)
	if shortened > 0 {
		notes = append(notes, fmt.Sprintf("lines of which the judge saw only the first %d bytes: %d", limits.PromptLine, shortened))
	}
	return prompt.Block("CHANGE", prompt.Render(lines)), notes, nil
}

// lowest is the verdict on a review that says nothing. Its rank comes later.
func (j *Judge) lowest() Verdict {
	v := Verdict{Notes: []string{emptyNote}}
	switch j.opts.Protocol {
	case Rel:
		v.Con, v.Comp, v.Rel = MinGrade, MinGrade, MinGrade
	case Grade:
		v.Grade = MinGrade
	case Criteria:
		for range AllCriteria() {
			v.Criteria = append(v.Criteria, MinCriterion)
		}
	}
	return v
}
