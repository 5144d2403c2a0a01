package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"crscore/chat/prompt"
)

// elect counts votes, where a missing vote is nil: the most frequent of them, or their median
// where several are most frequent (5, 4, 3 → 4). With missing votes a value needs more than
// half of all votes. ok is false without a winner.
func elect(votes []*int) (winner int, ok bool) {
	var valid []int
	for _, v := range votes {
		if v != nil {
			valid = append(valid, *v)
		}
	}
	if len(valid) == 0 {
		return 0, false
	}
	slices.Sort(valid)
	count := make(map[int]int)
	most := 0
	for _, v := range valid {
		count[v]++
		most = max(most, count[v])
	}
	if len(valid) < len(votes) && 2*most <= len(votes) {
		return 0, false
	}
	var frequent []int
	for v, n := range count {
		if n == most {
			frequent = append(frequent, v)
		}
	}
	if len(frequent) > 1 { // so no vote is missing, and their number is odd
		return valid[len(valid)/2], true
	}
	return frequent[0], true
}

// ballot asks for all votes of a review. read turns an answer into values, one for each name.
// It returns the winners by name.
func (j *Judge) ballot(ctx context.Context, q question, names []string, v *Verdict) ([]int, error) {
	var failure error
	valid := 0
	for vote := range j.opts.Votes {
		var a gradesAnswer
		err := j.ask(ctx, q, vote, &v.Notes, func(m members) (err error) {
			a, err = readGrades(m, names, j.opts.Reasons)
			return err
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failure = err
			v.Votes = append(v.Votes, nil)
			continue
		}
		valid++
		v.Votes = append(v.Votes, a.grades)
		if j.opts.Reasons {
			v.Reasons = append(v.Reasons, a.reason)
		}
	}
	out := make([]int, len(names))
	for i := range names {
		votes := make([]*int, len(v.Votes))
		for k, g := range v.Votes {
			if g != nil {
				votes[k] = &g[i]
			}
		}
		winner, ok := elect(votes)
		switch {
		case !ok && j.opts.Votes == 1:
			return nil, failure
		case !ok && valid == 0:
			return nil, fmt.Errorf("all %d votes are missing: %w", j.opts.Votes, failure)
		case !ok:
			return nil, fmt.Errorf("%d of %d votes are missing, and the others give no majority: %w", j.opts.Votes-valid, j.opts.Votes, failure)
		}
		out[i] = winner
	}
	if valid < j.opts.Votes {
		v.Notes = append(v.Notes, fmt.Sprintf("votes that are missing: %d of %d (%v)", j.opts.Votes-valid, j.opts.Votes, failure))
	}
	return out, nil
}

// rate judges a review by protocol Rel.
func (j *Judge) rate(ctx context.Context, shown, review string, v *Verdict) {
	q := relQuestion(shown, review, j.opts.Reasons)
	grades, err := j.ballot(ctx, q, relNames(), v)
	if err != nil {
		*v = Verdict{Err: err, Votes: v.Votes, Reasons: v.Reasons}
		return
	}
	v.Con, v.Comp, v.Rel = grades[0], grades[1], grades[2]
}

// grade judges a review by protocol Grade, against each reference; the highest grade counts.
// A review that a reference repeats has 5 without a call. For other reviews a 5 is a 4.
func (j *Judge) grade(ctx context.Context, references []string, review string, v *Verdict) {
	for _, ref := range references {
		if lexical(ref) == lexical(review) {
			v.Grade = MaxGrade
			v.Notes = append(v.Notes, "the review repeats the human review: 5, without a call")
			return
		}
	}
	for i, ref := range references {
		one := Verdict{}
		grades, err := j.ballot(ctx, gradeQuestion(ref, review, j.opts.Reasons), []string{"grade"}, &one)
		if err != nil {
			if len(references) > 1 {
				err = fmt.Errorf("reference %d of %d: %w", i+1, len(references), err)
			}
			*v = Verdict{Err: err, Votes: one.Votes, Reasons: one.Reasons}
			return
		}
		if grades[0] == MaxGrade {
			grades[0] = MaxGrade - 1
			one.Notes = append(one.Notes, "the judge gave 5, which only equal texts have: 4")
		}
		if grades[0] > v.Grade {
			v.Grade, v.Votes, v.Reasons, v.Notes = grades[0], one.Votes, one.Reasons, one.Notes
		}
	}
}

// lexical is a text without what rule 1 of GradedReviews leaves out: case, white space and
// marks at the end.
func lexical(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), ""))
	return strings.TrimRightFunc(s, func(r rune) bool { return strings.ContainsRune(".!?,;:", r) || unicode.IsSpace(r) })
}

// relNames are the members of an answer of protocol Rel.
func relNames() []string { return []string{"con", "comp", "rel"} }

// Disagree counts the numbers with more than one vote, and those whose votes differ.
func (v Verdict) Disagree() (differ, voted int) {
	for k := range relNames() {
		var seen []int
		for _, votes := range v.Votes {
			if k < len(votes) {
				seen = append(seen, votes[k])
			}
		}
		if len(seen) < 2 {
			continue
		}
		voted++
		if slices.Min(seen) != slices.Max(seen) {
			differ++
		}
	}
	return differ, voted
}

// quoted writes a review as a block of a prompt.
func quoted(name, text string) string { return prompt.Block(name, prompt.Quote(text)) }
