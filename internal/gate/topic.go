package gate

import (
	"crscore/internal/comments"
	"crscore/pseudoref"
	"crscore/smells"
	"crscore/sts/aboutness"
)

// Topic is the verdict on a comment.
type Topic string

// The verdicts. `go run ./internal/gate/aboutness` measures what each drops, and docs/bots.md says it.
const (
	TopicAbout     Topic = "about"     // Z is 0 or more: it has the hunk's names or words
	TopicElsewhere Topic = "elsewhere" // Z is below ElsewhereZ: it has names of other code
	TopicEmpty     Topic = "empty"     // it has nothing but praise, process remarks and boilerplate
	TopicVague     Topic = "vague"     // Con is below vagueCon and Z below 0: no evidence for it, little against it
	TopicUndecided Topic = "undecided" // Con and Z disagree, or a finding spares it
)

// topics are the verdicts in the order of reports.
func topics() []Topic {
	return []Topic{TopicAbout, TopicElsewhere, TopicEmpty, TopicVague, TopicUndecided}
}

// countVerdicts counts the comments with each verdict.
func countVerdicts(list []Verdict) map[Topic]int {
	out := make(map[Topic]int)
	for _, t := range topics() {
		out[t] = 0
	}
	for i := range list {
		if t := list[i].Topic; t != "" {
			out[t]++
		}
	}
	return out
}

// The bounds of the verdicts. docs/bots.md has what they cost. Words in common by chance give a remark
// a Z of up to remarkZ.
const (
	ElsewhereZ = -0.5
	vagueCon   = 0.15
	remarkZ    = 1
)

// A comment can be elsewhere if it has fewWords: less is no evidence. One below shortWords must have
// a name that the hunk lacks, and name no risk, no concern, no library and no proposal. A longer one
// without such a name must have a Con below matchedCon, and name no risk unless it has longWords.
const (
	fewWords   = 10
	shortWords = 20
	longWords  = 30
	matchedCon = 0.4
)

// elsewhere reports whether there is evidence that a comment with this Con is about other code.
func elsewhere(con float64, t *aboutness.Text, e *aboutness.Evidence) bool {
	switch {
	case e.Z >= ElsewhereZ || t.Words < fewWords:
		return false
	case t.Words < shortWords:
		return len(e.Missing) > 0 && len(e.Foreign) == 0 && !t.Concrete
	case len(e.Missing) == 0:
		return (!t.Risk || t.Words >= longWords) && con < matchedCon
	}
	return true
}

// topic gives a scored comment its verdict.
func (j *judge) topic(i int, model *aboutness.Model, t *aboutness.Text, e aboutness.Evidence) error {
	v := &j.d.Comments[i]
	v.Evidence, v.P, v.Z, v.Why = &e, &e.P, &e.Z, e.Why()
	if t.Proposes { // "Fine, just this:" before a suggestion is no remark
		v.OffTopic = ""
	}
	vague := *v.Con < vagueCon && e.Z < 0
	elsewhere := elsewhere(*v.Con, t, &e)
	reported := j.places.reported(j.list[i])
	if v.OffTopic == "" && *v.Con < vagueCon && e.Z < remarkZ && len(e.Found) == 0 && !reported {
		switch is, err := model.Remark(t); {
		case err != nil:
			return err
		case is:
			v.OffTopic = Remark
		}
	}
	switch {
	case v.OffTopic != "":
		v.Topic, v.Why = TopicEmpty, "nothing but "+v.OffTopic.text()
	case reported && (vague || elsewhere):
		v.Topic, v.Why = TopicUndecided, "an analyzer has a finding at its lines"
	case elsewhere:
		v.Topic = TopicElsewhere
	case vague:
		v.Topic = TopicVague
	case e.Z < 0:
		v.Topic = TopicUndecided
	default:
		v.Topic = TopicAbout
	}
	return nil
}

// reported reports whether an external tool has a finding at a comment's lines.
func (p *places) reported(c comments.Comment) bool {
	i, err := p.file(c)
	if err != nil || c.EndLine <= 0 || c.Side == comments.Old {
		return false
	}
	for _, k := range p.layout(i).refs {
		r := p.refs[k]
		if r.Kind == pseudoref.Smell && r.Source != smells.Source && r.Source != "data" &&
			r.StartLine > 0 && r.StartLine <= c.EndLine && max(r.StartLine, r.EndLine) >= c.StartLine {
			return true
		}
	}
	return false
}
