package gate

import (
	"encoding/json"
	"fmt"

	"crscore"
	"crscore/internal/commentcheck"
	"crscore/internal/comments"
	"crscore/internal/dataset"
	"crscore/sts/aboutness"
)

// Outcome is the decision about a review.
type Outcome string

// The outcomes. A review without a score neither passes nor fails: it is Undecided.
const (
	Pass      Outcome = "pass"
	Fail      Outcome = "fail"
	Undecided Outcome = "undecided"
)

// Decision is the outcome for a review with a verdict on each comment. Its JSON is a
// contract: fields may be added, never renamed.
type Decision struct {
	// Outcome is pass, fail or undecided.
	Outcome Outcome `json:"outcome"`
	// Reasons say why the outcome is not Pass.
	Reasons []string `json:"reasons"`
	// Review is the score of the kept comments as one review. Given is the score of all
	// comments, nil where none was dropped.
	Review Review  `json:"review"`
	Given  *Review `json:"given,omitempty"`
	// Comments has a verdict on each comment, in the order of the file.
	Comments []Verdict `json:"comments"`
	// Verdicts counts the comments with each verdict, kept or not.
	Verdicts map[Topic]int `json:"verdicts"`
	// Missed are the references that the review covers by less than half, the heaviest
	// first. It is nil in a mode without a threshold.
	Missed []dataset.Ref `json:"missed,omitempty"`
	// Refs are the references of the change, which About.Ref counts. They are no part of the
	// JSON: the service answers them where they are asked for.
	Refs   []dataset.Ref `json:"-"`
	Policy Policy        `json:"policy"`
	Mode   string        `json:"mode"`
	// Signature is the engine's, and names the model behind P and Z, too.
	Signature string   `json:"signature"`
	Warnings  []string `json:"warnings,omitempty"`
}

// Review is the score of several comments as one review.
type Review struct {
	// Status is scored or unscored. Reason says why there is no score, empty if there is one.
	Status crscore.Status `json:"status"`
	Reason string         `json:"reason,omitempty"`
	// Comments, without the summary, Sentences and Refs are the numbers of comments,
	// sentences and references that were scored.
	Comments  int `json:"comments"`
	Sentences int `json:"sentences"`
	Refs      int `json:"refs"`
	// Con, Comp and Rel are from 0 to 1, and nil without a score.
	Con  *float64 `json:"con,omitempty"`
	Comp *float64 `json:"comp,omitempty"`
	Rel  *float64 `json:"rel,omitempty"`
}

// Verdict is the judgement of one comment, with its place and text.
type Verdict struct {
	Comment int `json:"comment"` // its number in the file, counted from 1; 0 for the summary
	// Path is the path as the comment names it, empty for a comment without a file.
	Path string `json:"path,omitempty"`
	// File is the path as the change names the file, or Path where the change has no such
	// file.
	File string `json:"file,omitempty"`
	Side string `json:"side,omitempty"`
	// StartLine and EndLine are the lines that the comment names, or that its position in the
	// diff is; they count from 1, and are 0 for none.
	StartLine int  `json:"start_line,omitempty"`
	EndLine   int  `json:"end_line,omitempty"`
	Summary   bool `json:"summary,omitempty"` // the text above the comments
	Judgement
	// Body is the text of the comment; About has the best reference of each sentence.
	Body  string  `json:"body"`
	About []About `json:"about,omitempty"`
	// New is the comment as formats have it that know only the files after the change: with
	// File as its path, and with the nearest new line for a deleted one.
	New comments.Comment `json:"-"`
	// Evidence is the evidence behind Z, nil without Z.
	Evidence *aboutness.Evidence `json:"-"`
}

// Judgement is the part of a verdict that gate writes beside the comment.
type Judgement struct {
	// Status is scored or unscored. Reason says why there is no score, empty if there is one.
	Status crscore.Status `json:"status"`
	Reason string         `json:"reason,omitempty"`
	// Con is from 0 to 1, nil without a score.
	Con *float64 `json:"con,omitempty"`
	// Comp is reported but not judged: one comment covers few references.
	Comp *float64 `json:"comp,omitempty"`
	// Scope tells which references the comment was compared with. Note says why the scope is
	// wider than the comment's hunk. Sentences and Refs are the numbers that were compared.
	Scope     Scope  `json:"scope,omitempty"`
	Sentences int    `json:"sentences"`
	Refs      int    `json:"refs"`
	Note      string `json:"note,omitempty"`
	// Topic is the verdict, and Why what speaks for it. P is the probability that the comment is
	// about its hunk rather than about other code, and Z its log-odds. A summary and a comment
	// without a score have none.
	Topic Topic    `json:"verdict,omitempty"`
	Why   string   `json:"why,omitempty"`
	P     *float64 `json:"p,omitempty"`
	Z     *float64 `json:"z,omitempty"`
	Kept  bool     `json:"kept"`
	// Dropped says why a comment is not kept.
	Dropped Drop `json:"dropped,omitempty"`
	// OffTopic is the kind of a comment that consists of remarks only, kept or not.
	OffTopic RemarkKind `json:"off_topic,omitempty"`
	// Checks are findings about the comment, with Policy.Checks.
	Checks []commentcheck.Finding `json:"checks,omitempty"`
}

// Drop is a reason to drop a comment.
type Drop string

// The reasons. The first three are verdicts.
const (
	DropElsewhere      = Drop(TopicElsewhere)
	DropEmpty          = Drop(TopicEmpty)
	DropVague          = Drop(TopicVague)
	DropRepeated  Drop = "repeated" // kept comments say the same
	DropTooMany   Drop = "too-many" // beyond Policy.MaxComments
	DropCon       Drop = "con"      // below Policy.MinCon
)

// Droppable are the kinds of comments that a policy can drop.
func Droppable() []Drop { return []Drop{DropElsewhere, DropEmpty, DropVague, DropRepeated} }

// DefaultDrop are the kinds that cost hardly a good comment.
func DefaultDrop() []Drop { return []Drop{DropElsewhere, DropEmpty} }

// About is a sentence with its most similar reference.
type About struct {
	// Sentence is the text of the sentence.
	Sentence string `json:"sentence"`
	Ref      int    `json:"ref"` // counted from 1, of all references of the change
	// Similarity is the similarity of the two. Credit is the sentence's part in Con, from 0
	// to 1.
	Similarity float64 `json:"similarity"`
	Credit     float64 `json:"credit"`
}

func newVerdict(number int, c comments.Comment) Verdict {
	v := Verdict{Comment: number, Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine, Summary: c.Summary, Body: c.Body}
	v.Kept = true
	if c.Summary {
		v.Comment = 0
	}
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
		con, comp := r.Con, r.Comp // a pointer into r would keep its matrix in memory
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

// name names the comment in messages.
func (v *Verdict) name() string {
	if v.Summary {
		return "the summary"
	}
	return fmt.Sprintf("comment %d", v.Comment)
}

// Marks turns the decision into marks for the comments' file: which comments are dropped,
// and the notes to write beside the others (marks) and beside the review (whole).
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
		Warnings  []string `json:"warnings,omitempty"`
	}{d.Outcome, d.Reasons, d.Review, d.Given, d.Mode, d.Signature, d.Warnings})
	return whole, marks, err
}
