package gate

import (
	"cmp"
	"fmt"
	"slices"

	"crscore"
	"crscore/internal/dataset"
	"crscore/internal/present"
)

// decide applies the policy to the scores.
func (j *judge) decide() {
	d := &j.d
	if d.Reasons = unscored(d.Comments); len(d.Reasons) > 0 { // an outage drops no comment
		d.Outcome = Undecided
		d.Review = Review{Status: crscore.Unscored, Reason: d.Reasons[0], Comments: len(d.Comments)}
		return
	}
	for i := range d.Comments {
		v := &d.Comments[i]
		switch drop := d.Policy.Drop; {
		case v.Summary || len(drop) == 0:
		case slices.Contains(drop, Drop(v.Topic)):
			v.Kept, v.Dropped = false, Drop(v.Topic)
		case *v.Con < d.Policy.MinCon:
			v.Kept, v.Dropped = false, DropCon
		}
	}
	j.limit()
	var all, kept []int
	given, left := 0, 0 // comments without the summary
	for i := range d.Comments {
		v := &d.Comments[i]
		all = append(all, i)
		if v.Kept && !(v.Summary && v.OffTopic != "") { // thanks alone are no review
			kept = append(kept, i)
		}
		if !v.Summary {
			given++
		}
		if v.Kept && !v.Summary {
			left++
		}
	}
	if left < given {
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
	if left == 0 { // only the summary is left, and the rest of the policy holds for it
		d.holdEmpty(given)
	}
}

// unscored are the reasons why comments have no score, each of them once.
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

// offTopic reports whether a comment is below the policy's least Con, and says why. A
// remark is, whatever its Con, if the policy asks for any.
func (p Policy) offTopic(v *Verdict) (bool, string) {
	switch {
	case *v.Con < p.MinCon:
		return true, fmt.Sprintf("con %.3f, less than %v", *v.Con, p.MinCon)
	case v.OffTopic != "" && p.MinCon > 0:
		return true, fmt.Sprintf("no sentence about the code: %s", v.OffTopic)
	}
	return false, ""
}

// limit keeps the best comments of those that are left, and drops the others.
func (j *judge) limit() {
	most, repeated := j.d.Policy.MaxComments, slices.Contains(j.d.Policy.Drop, DropRepeated)
	if most == 0 && !repeated {
		return
	}
	var list []*candidate
	for i := range j.d.Comments {
		if v := &j.d.Comments[i]; v.Kept && !v.Summary {
			list = append(list, newCandidate(i, j.covers[i], *v.Con))
		}
	}
	if most == 0 {
		most = len(list)
	}
	kept, rest := best(list, most)
	others := said{}
	for _, c := range kept {
		if repeated && j.repeats(c, others) {
			j.drop(c, DropRepeated)
		} else {
			others.add(c)
		}
	}
	for _, c := range rest {
		if j.repeats(c, others) {
			j.drop(c, DropRepeated)
		} else {
			j.drop(c, DropTooMany)
		}
	}
}

func (j *judge) drop(c *candidate, why Drop) {
	v := &j.d.Comments[c.index]
	v.Kept, v.Dropped = false, why
}

// empty decides about a review of which no comment is left.
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

// holdEmpty applies Policy.Empty to a review without a comment.
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

// review scores the comments with these indexes as one review.
func (j *judge) review(indexes []int) (Review, crscore.Result) {
	all := crscore.Match{Refs: j.refs}
	r := Review{Refs: len(j.refs)}
	for _, i := range indexes {
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

// missed are the references with a weight that are covered by less than half: the
// heaviest first, among equals the least covered.
func (j *judge) missed(res crscore.Result) []dataset.Ref {
	rule := j.engine.Rule()
	if !rule.Mode.UsesTau() {
		return nil
	}
	var out []dataset.Ref
	for i, best := range res.Refs {
		r := j.refs[i]
		weight := rule.Weights.Of(string(r.Kind), r.Source)
		if best.Credit >= 0.5 || weight == 0 {
			continue
		}
		m := present.Ref(r)
		m.Similarity, m.Credit = &best.Similarity, &best.Credit
		if weight != 1 {
			m.Weight = &weight
		}
		out = append(out, m)
	}
	weight := func(r dataset.Ref) float64 {
		if r.Weight == nil {
			return 1
		}
		return *r.Weight
	}
	slices.SortStableFunc(out, func(a, b dataset.Ref) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(*a.Credit, *b.Credit))
	})
	return out
}

// hold applies the policy's bounds to the kept comments and their review.
func (d *Decision) hold() {
	for i := range d.Comments {
		v := &d.Comments[i]
		if off, why := d.Policy.offTopic(v); off && v.Kept && !v.Summary {
			d.Reasons = append(d.Reasons, fmt.Sprintf("%s has %s", v.name(), why))
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
