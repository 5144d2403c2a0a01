package judge

import (
	"math"
	"strings"
	"testing"

	"crscore/chat"
	"crscore/internal/limits"
)

// FuzzReadGrades: every grade of an answer that is accepted is within the scale.
func FuzzReadGrades(f *testing.F) {
	for _, s := range []string{
		`{"con":4,"comp":2,"rel":3,"reason":"so"}`, `{"con":4,"comp":2,"rel":6}`, `{"con":4.5,"comp":"2","rel":null}`,
		"```json\n{\"con\":1e0,\"comp\":5,\"rel\":1,\"reason\":\"\\u2028\"}\n```", `{"con":1e999}`, `{"con":-0}`, "prose", "{",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, answer string, reason bool) {
		m, err := chat.Object(answer, nil)
		if err != nil {
			return
		}
		a, err := readGrades(m, relNames(), reason)
		if err != nil {
			return
		}
		if len(a.grades) != 3 {
			t.Fatalf("%d grades", len(a.grades))
		}
		for _, g := range a.grades {
			if g < MinGrade || g > MaxGrade {
				t.Errorf("a grade is %d", g)
			}
		}
	})
}

// FuzzReadCriteria: an answer that is accepted has nine scores within the scale for each
// letter, and its ranks are a ranking.
func FuzzReadCriteria(f *testing.F) {
	ab := []string{"A", "B"}
	for _, s := range []string{
		answerOf(ab, `{"review":"A","rank":1},{"review":"B","rank":2}`), answerOf(ab, `{"review":"A","rank":1},{"review":"B","rank":1}`),
		answerOf([]string{"A"}, ""), answerOf([]string{"A", "A"}, ""), answerOf(ab, "null"), `{"scores":[null]}`, `{"scores":{}}`, "{}",
		"{\"" + strings.Repeat("\x8d", 90), // it breaks off, and its end has no rune
	} {
		f.Add(s, uint8(2))
		f.Add(s, uint8(1))
	}
	f.Fuzz(func(t *testing.T, answer string, reviews uint8) {
		n := int(reviews)%limits.JudgedReviews + 1
		m, err := chat.Object(answer, nil)
		if err != nil {
			return
		}
		a, err := readCriteria(m, n)
		if err != nil {
			return
		}
		if len(a.scores) != n || len(a.places) != n {
			t.Fatalf("%d scores and %d places of %d reviews", len(a.scores), len(a.places), n)
		}
		sum := 0.0
		for i := range n {
			if len(a.scores[i]) != len(AllCriteria()) {
				t.Errorf("review %d has %d scores", i, len(a.scores[i]))
			}
			for _, s := range a.scores[i] {
				if s < MinCriterion || s > MaxCriterion || s != math.Trunc(s) {
					t.Errorf("a score is %g", s)
				}
			}
			p := a.places[i]
			if sum += p.Rank; p.Place != i+1 || p.Rank < 1 || p.Rank > float64(n) {
				t.Errorf("review %d is at %+v", i, p)
			}
		}
		if sum != float64(n*(n+1))/2 {
			t.Errorf("the ranks of %d reviews have the sum %g", n, sum)
		}
	})
}
