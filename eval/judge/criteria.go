package judge

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"crscore/internal/limits"
)

// compare judges the open reviews of a change by protocol Criteria. Equal texts are shown
// once and have equal scores and ranks. Empty reviews share the last places; without an answer
// they have no rank, so no review has a verdict.
func (j *Judge) compare(ctx context.Context, c Case, shown string, open []int, out []Verdict) {
	texts, of := distinct(c.Reviews, open)
	fail := func(err error) {
		for i := range out {
			if out[i].Err == nil { // an empty review too: it has no rank
				out[i] = Verdict{Err: err}
			}
		}
	}
	if len(texts) > limits.JudgedReviews {
		fail(fmt.Errorf("the change has %d different reviews, and one call compares at most %d: leave systems out", len(texts), limits.JudgedReviews))
		return
	}
	var answers []criteriaAnswer
	for _, order := range orders(c.ID, j.opts.Seed, texts) {
		a, err := j.compareIn(ctx, shown, texts, order)
		if err != nil {
			fail(err)
			return
		}
		answers = append(answers, a)
	}
	n := float64(len(answers))
	for k, i := range open {
		v := &out[i]
		v.Criteria = make([]float64, len(AllCriteria()))
		for _, a := range answers {
			for x, s := range a.scores[of[k]] {
				v.Criteria[x] += s / n
			}
			v.Places = append(v.Places, a.places[of[k]])
			if j.opts.Reasons {
				v.Reasons = append(v.Reasons, a.reason)
			}
			if a.renumbered {
				a.notes = append(a.notes, "the ranks of an answer were no ranking, and were numbered anew in their order")
			}
			for _, note := range a.notes {
				if !slices.Contains(v.Notes, note) {
					v.Notes = append(v.Notes, note)
				}
			}
		}
	}
	j.rank(open, of, answers, out)
}

// rank gives all reviews that are judged their ranks: the mean over the answers of the mean of
// their places. Empty reviews are below all others.
func (j *Judge) rank(open, of []int, answers []criteriaAnswer, out []Verdict) {
	var judged []int
	last := float64(limits.JudgedReviews + 1)
	for i := range out {
		if out[i].Err == nil {
			judged = append(judged, i)
		}
	}
	orders := max(len(answers), 1)
	for o := range orders {
		given := make([]float64, len(judged))
		for k, i := range judged {
			given[k] = last
			if at := slices.Index(open, i); at >= 0 {
				given[k] = answers[o].places[of[at]].Rank
			}
		}
		for k, r := range meanPlaces(given) {
			out[judged[k]].Rank += r / float64(orders)
		}
	}
	for _, i := range judged {
		out[i].Of = len(judged)
	}
}

// distinct returns the different texts of the open reviews, and the text of each.
func distinct(reviews []Review, open []int) (texts []string, of []int) {
	for _, i := range open {
		t := strings.TrimSpace(reviews[i].Text)
		at := slices.Index(texts, t)
		if at < 0 {
			at = len(texts)
			texts = append(texts, t)
		}
		of = append(of, at)
	}
	return texts, of
}

// orders returns the orders in which texts are shown: sorted by a hash of the change's id, the
// seed and the text, and exactly reversed. One text has one order, no text has none.
func orders(id string, seed int, texts []string) [][]int {
	if len(texts) == 0 {
		return nil
	}
	keys := make([][sha256.Size]byte, len(texts))
	order := make([]int, len(texts))
	for i, t := range texts {
		keys[i] = sha256.Sum256(fmt.Appendf(nil, "%q %d %q", id, seed, t))
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(keys[a][:], keys[b][:]) })
	if len(texts) == 1 {
		return [][]int{order}
	}
	reversed := slices.Clone(order)
	slices.Reverse(reversed)
	return [][]int{order, reversed}
}

// criteriaAnswer is an answer of protocol Criteria, by text.
type criteriaAnswer struct {
	scores     [][]float64
	places     []Place
	reason     string
	renumbered bool
	notes      []string // what is special about the raw answer
}

// compareIn asks about texts in an order.
func (j *Judge) compareIn(ctx context.Context, shown string, texts []string, order []int) (a criteriaAnswer, err error) {
	listed := make([]string, len(order))
	for place, t := range order {
		listed[place] = texts[t]
	}
	var read criteriaAnswer // by place
	err = j.ask(ctx, criteriaQuestion(shown, listed), 0, &a.notes, func(m members) (err error) {
		read, err = readCriteria(m, len(order))
		return err
	})
	if err != nil {
		return a, err
	}
	a = criteriaAnswer{make([][]float64, len(texts)), make([]Place, len(texts)), read.reason, read.renumbered, a.notes}
	for place, t := range order {
		a.scores[t], a.places[t] = read.scores[place], read.places[place]
	}
	return a, nil
}

// readCriteria reads an answer about n reviews: each letter once in each list. Ranks that are
// no ranking with mean places are numbered anew in their order.
func readCriteria(m members, n int) (a criteriaAnswer, err error) {
	a = criteriaAnswer{scores: make([][]float64, n), places: make([]Place, n)}
	err = eachLetter(m, "scores", n, func(i int, item members) error {
		for _, c := range AllCriteria() {
			s, err := whole(item, c.ID, MinCriterion, MaxCriterion)
			if err != nil {
				return err
			}
			a.scores[i] = append(a.scores[i], float64(s))
		}
		return nil
	})
	if err != nil {
		return a, err
	}
	if a.reason, err = text(m, "reason"); err != nil {
		return a, err
	}
	given := make([]float64, n)
	if n > 1 {
		err = eachLetter(m, "ranks", n, func(i int, item members) error {
			if given[i], err = number(item, "rank"); err == nil && (given[i] < 1 || given[i] > float64(n)) {
				err = fmt.Errorf("a rank is %g in the answer, and there are %d reviews", given[i], n)
			}
			return err
		})
	}
	for i, r := range meanPlaces(given) {
		a.places[i] = Place{i + 1, r}
		a.renumbered = a.renumbered || n > 1 && r != given[i]
	}
	return a, err
}

// eachLetter calls use for each item of a list. Each of n letters must occur once.
func eachLetter(m members, list string, n int, use func(i int, item members) error) error {
	var items []members
	if err := json.Unmarshal(m[list], &items); err != nil {
		return fmt.Errorf("the answer lacks the list %q", list)
	}
	seen := make([]bool, n)
	for _, item := range items {
		name, err := text(item, "review")
		if err != nil {
			return fmt.Errorf("%s: %w", list, err)
		}
		i := 0
		for i < n && letter(i) != name {
			i++
		}
		switch {
		case i == n:
			return fmt.Errorf("the answer has %s of %q, which is no review", list, name)
		case seen[i]:
			return fmt.Errorf("the answer has %s of review %s twice", list, name)
		}
		seen[i] = true
		if err := use(i, item); err != nil {
			return fmt.Errorf("review %s: %w", name, err)
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		return fmt.Errorf("the answer lacks %s of review %s", list, letter(i))
	}
	return nil
}

// meanPlaces returns the ranks of values from the lowest up. Equal values share the mean of
// their places.
func meanPlaces(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return out
}
