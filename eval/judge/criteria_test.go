package judge

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crscore/chat"
	"crscore/chat/chattest"
	"crscore/internal/limits"
)

var reviewBlock = regexp.MustCompile(`(?ms)^=== REVIEW ([A-Z]) [0-9a-f]{12}\n(.*?)^=== END OF REVIEW [A-Z] `)

// listed are the reviews of a prompt, in their order.
func listed(t testing.TB, r chat.Request) (texts []string) {
	if t != nil {
		t.Helper()
	}
	for i, m := range reviewBlock.FindAllStringSubmatch(r.Prompt, -1) {
		if t != nil && m[1] != letter(i) {
			t.Errorf("review %d has letter %s", i, m[1])
		}
		texts = append(texts, strings.ReplaceAll(strings.TrimSuffix(m[2], "\n"), "| ", ""))
	}
	return texts
}

// ranking is a good answer that ranks reviews by a key of place and text, the lowest first.
// Scores are the text's length, up to 10, and the place for c1.
func ranking(r chat.Request, key func(place int, text string) float64) string {
	texts := listed(nil, r)
	type item map[string]any
	var scores, ranks []item
	var keys []float64
	for i, text := range texts {
		s := item{"review": letter(i)}
		for _, c := range AllCriteria() {
			s[c.ID] = min(len(text), 10)
		}
		s["c1"] = min(i+1, 10)
		scores = append(scores, s)
		keys = append(keys, key(i, text))
	}
	for i, k := range keys {
		below, same := 0, 0
		for _, o := range keys {
			switch cmp.Compare(o, k) {
			case -1:
				below++
			case 0:
				same++
			}
		}
		ranks = append(ranks, item{"review": letter(i), "rank": float64(below) + float64(same+1)/2})
	}
	answer := item{"scores": scores, "reason": "so"}
	if len(texts) > 1 {
		answer["ranks"] = ranks
	}
	b, _ := json.Marshal(answer)
	return string(b)
}

func longestFirst(_ int, text string) float64 { return -float64(len(text)) }

func byLength() *chattest.Fake {
	return &chattest.Fake{Answer: func(r chat.Request) (string, error) { return ranking(r, longestFirst), nil }}
}

// TestOrders: the second order is the first reversed. Orders depend on the change's id, the
// seed and the texts, and on nothing else.
func TestOrders(t *testing.T) {
	texts := []string{"a", "bb", "ccc", "dddd", "eeeee"}
	orderOf := func(id string, seed int, texts []string) []string {
		m := byLength()
		c := caseOf(t, texts...)
		c.ID = id
		verdicts(t, m, Options{Protocol: Criteria, Seed: seed}, c)
		if len(m.Asked) != 2 {
			t.Fatalf("%d calls", len(m.Asked))
		}
		first, second := listed(t, m.Asked[0]), listed(t, m.Asked[1])
		slices.Reverse(second)
		if len(first) != len(texts) || !slices.Equal(first, second) {
			t.Errorf("the orders %v and %v are not reversed", first, second)
		}
		if m.Asked[0].Seed != seed || m.Asked[1].Seed != seed {
			t.Error("the orders have different seeds")
		}
		return first
	}
	want := orderOf("1", 1, texts)
	for range 5 {
		texts = append(texts[1:], texts[0])
		if got := orderOf("1", 1, texts); !slices.Equal(got, want) {
			t.Errorf("an input in order %v is shown as %v, want %v", texts, got, want)
		}
	}
	differ := func(what string, order func(i int) []string) {
		for i := range 5 {
			if !slices.Equal(order(i), want) {
				return
			}
		}
		t.Errorf("another %s has the same order", what)
	}
	differ("id", func(i int) []string { return orderOf(fmt.Sprint("id", i), 1, texts) })
	differ("seed", func(i int) []string { return orderOf("1", 2+i, texts) })
}

// TestCompare: scores and ranks are means over both orders; equal texts have equal numbers;
// empty reviews share the last places; a review that cannot be judged has no place.
func TestCompare(t *testing.T) {
	m := byLength()
	c := caseOf(t, "", "bb", "dddd", " bb\n", " ", "never seen", "a")
	c.Reviews[5].Err = errors.New("unreadable")
	got := verdicts(t, m, Options{Protocol: Criteria, Reasons: true}, c)
	for i, want := range []float64{5.5, 2.5, 1, 2.5, 5.5, 0, 4} {
		v := got[i]
		if v.Rank != want || (v.Err == nil) != (want > 0) || v.Err == nil && v.Of != 6 {
			t.Errorf("review %d has rank %g of %d, %v, want %g", i, v.Rank, v.Of, v.Err, want)
		}
	}
	for _, tt := range []struct {
		i     int
		score float64
	}{{1, 2}, {2, 4}, {3, 2}, {6, 1}} {
		v := got[tt.i]
		// c1 is the place: the mean of three places in both orders is 2.
		if want := append([]float64{2}, slices.Repeat([]float64{tt.score}, 8)...); !slices.Equal(v.Criteria, want) {
			t.Errorf("review %d has %v, want %v", tt.i, v.Criteria, want)
		}
		if len(v.Places) != 2 || v.Places[0].Place+v.Places[1].Place != 4 || !slices.Equal(v.Reasons, []string{"so", "so"}) || len(v.Notes) > 0 {
			t.Errorf("review %d: %+v", tt.i, v)
		}
		if want := (2 + 8*tt.score) / 9; v.Overall() != want {
			t.Errorf("review %d has overall %g, want %g", tt.i, v.Overall(), want)
		}
	}
	if !slices.Equal(got[1].Places, got[3].Places) {
		t.Errorf("equal texts have places %v and %v", got[1].Places, got[3].Places)
	}
	if len(listed(t, m.Asked[0])) != 3 || strings.Contains(m.Asked[0].Prompt, "never seen") {
		t.Error("the prompt has other reviews than the three texts")
	}
}

// TestOneReview: a single text is asked about once, without ranks.
func TestOneReview(t *testing.T) {
	m := byLength()
	for i, v := range verdicts(t, m, Options{Protocol: Criteria}, caseOf(t, "a", "a")) {
		if v.Err != nil || v.Rank != 1.5 || v.Of != 2 || len(v.Places) != 1 {
			t.Errorf("review %d: %+v", i, v)
		}
	}
	if len(m.Asked) != 1 || strings.Contains(string(m.Asked[0].Schema), `"ranks"`) || strings.Contains(m.Asked[0].System, `"ranks"`) {
		t.Errorf("%d calls", len(m.Asked))
	}
}

// TestManyReviews: more than 12 different texts are refused without a call.
func TestManyReviews(t *testing.T) {
	var texts []string
	for i := range limits.JudgedReviews {
		texts = append(texts, strings.Repeat("x", i+1))
	}
	texts = append(texts, "x", "") // the same, and nothing
	m := byLength()
	for i, v := range verdicts(t, m, Options{Protocol: Criteria}, caseOf(t, texts...)) {
		if v.Err != nil {
			t.Errorf("review %d: %v", i, v.Err)
		}
	}
	m = byLength()
	for i, v := range verdicts(t, m, Options{Protocol: Criteria}, caseOf(t, append(texts, "one more")...)) {
		if v.Err == nil || !strings.Contains(v.Err.Error(), "13 different reviews, and one call compares at most 12") {
			t.Errorf("review %d: %+v", i, v)
		}
	}
	if len(m.Asked) > 0 {
		t.Errorf("%d calls", len(m.Asked))
	}
}

// TestNoComparison: without an answer in both orders no review has a verdict. An empty review
// would have a rank among none.
func TestNoComparison(t *testing.T) {
	n := 0
	m := &chattest.Fake{Answer: func(r chat.Request) (string, error) {
		if n++; n > 1 {
			return "prose", nil
		}
		return ranking(r, longestFirst), nil
	}}
	for i, v := range verdicts(t, m, Options{Protocol: Criteria}, caseOf(t, "a", "bb", "")) {
		if v.Err == nil || !strings.Contains(v.Err.Error(), "no usable answer in 3 attempts") || v.Criteria != nil || v.Rank != 0 || v.Of != 0 || v.Notes != nil {
			t.Errorf("review %d: %+v", i, v)
		}
	}
	if len(m.Asked) != 4 {
		t.Errorf("%d calls", len(m.Asked))
	}
}

// answerOf is an answer with these letters and ranks.
func answerOf(scores []string, ranks string) string {
	var items []string
	for _, l := range scores {
		items = append(items, fmt.Sprintf(`{"review":%q,"c1":1,"c2":2,"c3":3,"c4":4,"c5":5,"c6":6,"c7":7,"c8":8,"c9":10}`, l))
	}
	return `{"scores":[` + strings.Join(items, ",") + `],"reason":"so","ranks":[` + ranks + `]}`
}

func TestReadCriteria(t *testing.T) {
	abc := []string{"A", "B", "C"}
	ranks := func(a, b, c string) string {
		return fmt.Sprintf(`{"review":"A","rank":%s},{"review":"C","rank":%s},{"review":"B","rank":%s}`, a, c, b)
	}
	good := answerOf(abc, ranks("1", "2", "3"))
	for _, tt := range []struct {
		answer string
		want   []float64 // ranks
		anew   bool
		err    string
	}{
		{good, []float64{1, 2, 3}, false, ""},
		{answerOf([]string{"C", "A", "B"}, ranks("2", "1", "3")), []float64{2, 1, 3}, false, ""},
		{answerOf(abc, ranks("1.5", "1.5", "3")), []float64{1.5, 1.5, 3}, false, ""},
		{answerOf(abc, ranks("2", "2", "2")), []float64{2, 2, 2}, false, ""},
		{answerOf(abc, ranks("1", "1", "2")), []float64{1.5, 1.5, 3}, true, ""},
		{answerOf(abc, ranks("1", "2", "2")), []float64{1, 2.5, 2.5}, true, ""},
		{answerOf(abc, ranks("3", "1.2", "1.1")), []float64{3, 2, 1}, true, ""},
		{answerOf(abc, ranks("0", "1", "2")), nil, false, "review A: a rank is 0 in the answer, and there are 3 reviews"},
		{answerOf(abc, ranks("1", "2", "4")), nil, false, "review C: a rank is 4 in the answer"},
		{answerOf(abc, ranks(`"1"`, "2", "3")), nil, false, `"rank" is "1" in the answer, not a number`},
		{answerOf([]string{"A", "B", "B"}, ranks("1", "2", "3")), nil, false, "scores of review B twice"},
		{answerOf([]string{"A", "B", "C", "A"}, ranks("1", "2", "3")), nil, false, "scores of review A twice"},
		{answerOf([]string{"A", "C"}, ranks("1", "2", "3")), nil, false, "the answer lacks scores of review B"},
		{answerOf([]string{"A", "B", "D"}, ranks("1", "2", "3")), nil, false, `scores of "D", which is no review`},
		{answerOf([]string{"A", "B", "c"}, ranks("1", "2", "3")), nil, false, `scores of "c", which is no review`},
		{answerOf(abc, `{"review":"A","rank":1}`), nil, false, "the answer lacks ranks of review B"},
		{answerOf(abc, ranks("1", "2", "3")+`,{"review":"C","rank":3}`), nil, false, "ranks of review C twice"},
		{answerOf(abc, `null`), nil, false, `ranks: the answer lacks the text "review"`},
		{strings.Replace(good, `"c9":10`, `"c9":11`, 1), nil, false, `review A: "c9" is 11 in the answer, not a whole number from 1 to 10`},
		{strings.Replace(good, `"c9":10`, `"c9":0`, 1), nil, false, `"c9" is 0`},
		{strings.Replace(good, `"c4":4`, `"c4":4.5`, 1), nil, false, `"c4" is 4.5`},
		{strings.Replace(good, `"c4":4,`, ``, 1), nil, false, `the answer lacks "c4"`},
		{strings.Replace(good, `"reason":"so",`, ``, 1), nil, false, `the answer lacks the text "reason"`},
		{strings.Replace(good, `"scores"`, `"Scores"`, 1), nil, false, `the answer lacks the list "scores"`},
		{strings.Replace(good, `"ranks"`, `"rank"`, 1), nil, false, `the answer lacks the list "ranks"`},
	} {
		m, err := chat.Object(tt.answer, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := readCriteria(m, 3)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %q", tt.answer, err, tt.err)
			}
			continue
		}
		if err != nil || a.renumbered != tt.anew || a.reason != "so" {
			t.Errorf("%s: %+v, %v", tt.answer, a, err)
			continue
		}
		for i, r := range tt.want {
			if a.places[i] != (Place{i + 1, r}) || !slices.Equal(a.scores[i], []float64{1, 2, 3, 4, 5, 6, 7, 8, 10}) {
				t.Errorf("%s: review %d: %v %v", tt.answer, i, a.places[i], a.scores[i])
			}
		}
	}
}

// TestRenumbered: ranks that are no ranking are told in a note, once.
func TestRenumbered(t *testing.T) {
	m := say(answerOf([]string{"A", "B", "C"}, `{"review":"A","rank":1},{"review":"B","rank":1},{"review":"C","rank":2}`))
	for i, v := range verdicts(t, m, Options{Protocol: Criteria}, caseOf(t, "a", "bb", "ccc")) {
		if v.Err != nil || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "numbered anew") {
			t.Errorf("review %d: %v %q", i, v.Err, v.Notes)
		}
	}
}
