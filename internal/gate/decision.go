package gate

import (
	"encoding/json"
	"fmt"

	"crscore"
	"crscore/internal/comments"
	"crscore/internal/report"
)

// Outcome is what became of a review.
type Outcome string

// The outcomes. What could not be scored is neither a pass nor a failure.
const (
	Pass      Outcome = "pass"
	Fail      Outcome = "fail"
	Undecided Outcome = "undecided"
)

// Decision is what is said of the comments of a review. Its JSON is a contract:
// fields may be added, never renamed.
type Decision struct {
	Outcome Outcome `json:"outcome"`
	// Reasons say why it is not a pass.
	Reasons []string `json:"reasons"`
	// Review is the comments that are kept, judged as one; Given all that came, nil
	// where none was dropped.
	Review Review  `json:"review"`
	Given  *Review `json:"given,omitempty"`
	// Comments has a verdict on each comment, in the order in which they came.
	Comments []Verdict `json:"comments"`
	// Missed are the references that the review does not talk about: that are covered
	// by less than half. It is nil in a mode without a threshold.
	Missed    []report.Ref `json:"missed,omitempty"`
	Policy    Policy       `json:"policy"`
	Mode      string       `json:"mode"`
	Signature string       `json:"signature"`
	Warnings  []string     `json:"warnings,omitempty"`
}

// Review is a score of several comments as one.
type Review struct {
	Status    crscore.Status `json:"status"`
	Reason    string         `json:"reason,omitempty"`
	Comments  int            `json:"comments"`
	Sentences int            `json:"sentences"`
	Refs      int            `json:"refs"`
	Con       *float64       `json:"con,omitempty"` // nil, as the others, without a score
	Comp      *float64       `json:"comp,omitempty"`
	Rel       *float64       `json:"rel,omitempty"`
}

// Verdict is what is said of one comment.
type Verdict struct {
	Comment int    `json:"comment"` // counted from 1
	Path    string `json:"path,omitempty"`
	// File is the path once more, as the change has it where it has the file.
	File string `json:"file,omitempty"`
	Side string `json:"side,omitempty"`
	// StartLine and EndLine are as the comment has them.
	StartLine int  `json:"start_line,omitempty"`
	EndLine   int  `json:"end_line,omitempty"`
	Summary   bool `json:"summary,omitempty"` // the text above the comments
	Judgement
	// Body is what the comment says, About what its sentences are about.
	Body  string  `json:"body"`
	About []About `json:"about,omitempty"`
}

// Judgement is the part of a verdict that is written beside the comment.
type Judgement struct {
	Status crscore.Status `json:"status"`
	Reason string         `json:"reason,omitempty"`
	Con    *float64       `json:"con,omitempty"`
	// Comp is low by nature for one comment, and asked of none.
	Comp *float64 `json:"comp,omitempty"`
	// Scope tells what it was compared with, and Note why not with its own hunk.
	Scope     Scope  `json:"scope,omitempty"`
	Sentences int    `json:"sentences"`
	Refs      int    `json:"refs"`
	Note      string `json:"note,omitempty"`
	Kept      bool   `json:"kept"`
	// Dropped says why a comment is not kept.
	Dropped Drop `json:"dropped,omitempty"`
}

// Drop is a reason to drop a comment.
type Drop string

// The reasons.
const (
	OffTopic Drop = "off-topic" // below the least Con, or not on topic at all
	Repeated Drop = "repeated"  // beyond the limit, and better ones say it all
	TooMany  Drop = "too-many"  // beyond the limit
)

// About is a sentence with the reference that is most similar to it.
type About struct {
	Sentence   string  `json:"sentence"`
	Ref        int     `json:"ref"` // counted from 1, of all references of the change
	Similarity float64 `json:"similarity"`
	Credit     float64 `json:"credit"`
}

func verdict(i int, c comments.Comment) Verdict {
	v := Verdict{Comment: i + 1, Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine, Summary: c.Summary, Body: c.Body}
	v.Kept = true
	if c.EndLine > 0 {
		v.Side = string(c.Side)
	}
	return v
}

func (v *Verdict) unscored(err error) {
	v.Status, v.Reason = crscore.Unscored, err.Error()
}

func (v *Verdict) take(r crscore.Result) {
	v.Status, v.Reason = r.Status, r.Reason
	if r.Status == crscore.Scored {
		con, comp := r.Con, r.Comp // a pointer into r would hold its matrix for as long as the verdict
		v.Con, v.Comp, v.Sentences, v.Refs = &con, &comp, len(r.Sentences), len(r.Refs)
	}
	if r.Empty {
		v.Note = join(v.Note, "it has no sentence")
	}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// name is how a person is told of a comment.
func (v *Verdict) name() string {
	if v.Summary {
		return "the summary"
	}
	return fmt.Sprintf("comment %d", v.Comment)
}

// Marks are what the decision means for the file that the comments came in: which
// are dropped, and what is written beside the others and beside all of them.
func (d *Decision) Marks() (whole json.RawMessage, marks []comments.Mark, err error) {
	marks = make([]comments.Mark, len(d.Comments))
	for i := range d.Comments {
		v := &d.Comments[i]
		marks[i].Drop = !v.Kept
		if marks[i].Note, err = json.Marshal(v.Judgement); err != nil {
			return nil, nil, err
		}
	}
	whole, err = json.Marshal(struct {
		Outcome   Outcome  `json:"outcome"`
		Reasons   []string `json:"reasons"`
		Review    Review   `json:"review"`
		Given     *Review  `json:"given,omitempty"`
		Mode      string   `json:"mode"`
		Signature string   `json:"signature"`
	}{d.Outcome, d.Reasons, d.Review, d.Given, d.Mode, d.Signature})
	return whole, marks, err
}
