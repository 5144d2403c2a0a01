package gate

import (
	"fmt"

	"crscore"
	"crscore/internal/report"
	"crscore/internal/rows"
)

// decide applies the policy to what was scored.
func (j *judge) decide() {
	d := &j.d
	if d.Reasons = unscored(d.Comments); len(d.Reasons) > 0 { // nothing is dropped for an outage
		d.Outcome = Undecided
		d.Review = Review{Status: crscore.Unscored, Reason: d.Reasons[0], Comments: len(d.Comments)}
		return
	}
	if d.Policy.DropOffTopic {
		for i := range d.Comments {
			if v := &d.Comments[i]; !v.Summary && d.Policy.offTopic(v) {
				v.Kept, v.Dropped = false, OffTopic
			}
		}
	}
	j.limit()
	var all, kept []int
	given, left := 0, 0 // comments but for the summary
	for i := range d.Comments {
		v := &d.Comments[i]
		all = append(all, i)
		if v.Kept {
			kept = append(kept, i)
		}
		if !v.Summary {
			given++
		}
		if v.Kept && !v.Summary {
			left++
		}
	}
	if len(kept) < len(all) {
		r, _ := j.review(all)
		d.Given = &r
	}
	if len(kept) == 0 {
		j.empty(given)
		return
	}
	var res crscore.Result
	d.Review, res = j.review(kept)
	if d.Review.Status == crscore.Unscored {
		d.Outcome, d.Reasons = Undecided, []string{"the review has no score: " + d.Review.Reason}
		return
	}
	d.Missed = j.missed(res)
	d.hold()
	if left == 0 { // a summary is, and is held against the rest of the policy
		d.holdEmpty(given)
	}
}

// unscored are the reasons why comments have no score, each said once.
func unscored(list []Verdict) []string {
	count := make(map[string]int)
	var first []*Verdict
	for i := range list {
		if v := &list[i]; v.Status == crscore.Unscored {
			if count[v.Reason]++; count[v.Reason] == 1 {
				first = append(first, v)
			}
		}
	}
	reasons := []string{}
	for _, v := range first {
		who := v.name() + " has"
		if n := count[v.Reason]; n > 1 {
			who = fmt.Sprintf("%d comments, %s the first, have", n, v.name())
		}
		reasons = append(reasons, fmt.Sprintf("%s no score: %s", who, v.Reason))
	}
	return reasons
}

// offTopic tells whether a comment has less than is asked of each.
func (p Policy) offTopic(v *Verdict) bool { return *v.Con < p.MinCon || *v.Con == 0 }

// limit drops the comments beyond the limit.
func (j *judge) limit() {
	if j.d.Policy.MaxComments == 0 {
		return
	}
	var list []*candidate
	for i := range j.d.Comments {
		if v := &j.d.Comments[i]; v.Kept && !v.Summary {
			list = append(list, newCandidate(i, j.points[i], *v.Con))
		}
	}
	_, rest := best(list, j.d.Policy.MaxComments)
	for _, c := range rest {
		v := &j.d.Comments[c.number]
		v.Kept, v.Dropped = false, TooMany
		if c.value == 0 && c.con > 0 {
			v.Dropped = Repeated
		}
	}
}

// empty decides where nothing is left: there is no review to hold against anything.
func (j *judge) empty(given int) {
	d := &j.d
	d.Outcome, d.Review = Pass, Review{Status: crscore.Unscored, Reason: "there is no comment"}
	if given > 0 {
		var res crscore.Result
		d.Review, res = j.review(nil)
		d.Missed = j.missed(res)
	}
	d.holdEmpty(given)
}

// holdEmpty holds a review without a comment against the policy.
func (d *Decision) holdEmpty(given int) {
	if d.Policy.Empty != EmptyFail {
		return
	}
	reason := "there is no comment"
	if given > 0 {
		reason = "no comment is left"
	}
	d.Outcome, d.Reasons = Fail, append(d.Reasons, reason)
}

// review scores comments as one review.
func (j *judge) review(numbers []int) (Review, crscore.Result) {
	all := crscore.Match{Refs: j.refs}
	r := Review{Refs: len(j.refs)}
	for _, i := range numbers {
		all.Sentences = append(all.Sentences, j.matches[i].Sentences...)
		all.Sim = append(all.Sim, j.matches[i].Sim...)
		if !j.list[i].Summary {
			r.Comments++
		}
	}
	res := j.engine.Score(all)
	r.Status, r.Reason, r.Sentences = res.Status, res.Reason, len(all.Sentences)
	if res.Status == crscore.Scored {
		r.Con, r.Comp, r.Rel = &res.Con, &res.Comp, &res.Rel
	}
	return r, res
}

// missed are the references that count and are covered by less than half.
func (j *judge) missed(res crscore.Result) []report.Ref {
	rule := j.engine.Rule()
	if !rule.Mode.UsesTau() {
		return nil
	}
	var out []report.Ref
	for i, best := range res.Refs {
		r := j.refs[i]
		if best.Credit >= 0.5 || rule.Weights.Of(string(r.Kind), r.Source) == 0 {
			continue
		}
		m := rows.Ref(r)
		m.Similarity, m.Credit = &best.Similarity, &best.Credit
		out = append(out, m)
	}
	return out
}

// hold holds what is kept against the policy.
func (d *Decision) hold() {
	for i := range d.Comments {
		if v := &d.Comments[i]; v.Kept && !v.Summary && *v.Con < d.Policy.MinCon {
			d.Reasons = append(d.Reasons, fmt.Sprintf("%s has con %.3f, less than %v", v.name(), *v.Con, d.Policy.MinCon))
		}
	}
	for _, m := range []struct {
		name         string
		value, least float64
	}{{"comp", *d.Review.Comp, d.Policy.MinComp}, {"rel", *d.Review.Rel, d.Policy.MinRel}} {
		if m.value < m.least {
			d.Reasons = append(d.Reasons, fmt.Sprintf("the review has %s %.3f, less than %v", m.name, m.value, m.least))
		}
	}
	if d.Outcome = Pass; len(d.Reasons) > 0 {
		d.Outcome = Fail
	}
}
