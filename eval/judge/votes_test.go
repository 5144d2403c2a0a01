package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"crscore/chat"
	"crscore/chat/chattest"
)

// TestVotes: 0 stands for a vote without a usable answer. 5 counts as 4, since the texts
// differ.
func TestVotes(t *testing.T) {
	for _, tt := range []struct {
		votes   []int
		grade   int // 0 for none
		differ  int
		message string // part of the note or the reason
	}{
		{[]int{5, 4, 3}, 4, 1, ""},
		{[]int{3, 4, 5}, 4, 1, ""},
		{[]int{5, 5, 1}, 4, 1, "only equal texts have"},
		{[]int{5, 5, 5}, 4, 0, "only equal texts have"},
		{[]int{1, 2, 4}, 2, 1, ""},
		{[]int{1, 4, 1}, 1, 1, ""},
		{[]int{3}, 3, 0, ""},
		{[]int{1, 1, 4, 4, 3}, 3, 1, ""},
		{[]int{2, 1, 2, 3, 4}, 2, 1, ""},
		{[]int{2, 0, 2}, 2, 0, "votes that are missing: 1 of 3"},
		{[]int{5, 5, 0}, 4, 0, "only equal texts have"},
		{[]int{2, 0, 3}, 0, 1, "1 of 3 votes are missing, and the others give no majority"},
		{[]int{0, 3, 0}, 0, 0, "2 of 3 votes are missing"},
		{[]int{0, 0, 0}, 0, 0, "all 3 votes are missing: no usable answer in 3 attempts"},
		{[]int{0}, 0, 0, "no usable answer in 3 attempts"},
		{[]int{2, 2, 0, 3, 4}, 0, 1, "1 of 5 votes are missing"},
		{[]int{2, 2, 0, 2, 4}, 2, 1, "votes that are missing: 1 of 5"},
	} {
		o := Options{Protocol: Grade, Votes: len(tt.votes), Seed: 9}
		m := bySeed(o, tt.votes...)
		v := verdicts(t, m, o, caseOf(t, "rename hash"))[0]
		if v.Grade != tt.grade || (v.Err == nil) != (tt.grade > 0) {
			t.Errorf("%v: grade %d, %v, want %d", tt.votes, v.Grade, v.Err, tt.grade)
		}
		if said := fmt.Sprint(v.Notes, v.Err); !strings.Contains(said, tt.message) {
			t.Errorf("%v: %s, want %q", tt.votes, said, tt.message)
		}
		voted := 0
		var want [][]int
		for _, g := range tt.votes {
			if g == 0 {
				want = append(want, nil)
				continue
			}
			voted++
			want = append(want, []int{g})
		}
		if !slices.EqualFunc(v.Votes, want, slices.Equal) {
			t.Errorf("%v: votes %v", tt.votes, v.Votes)
		}
		if differ, of := v.Disagree(); differ != tt.differ || of != min(voted/2, 1) {
			t.Errorf("%v: %d of %d differ", tt.votes, differ, of)
		}
		seeds := make(map[int]bool)
		for _, r := range m.Asked {
			seeds[r.Seed] = true
		}
		if missing := len(tt.votes) - voted; len(m.Asked) != voted+chat.Attempts*missing || len(seeds) != len(m.Asked) {
			t.Errorf("%v: %d calls with %d seeds", tt.votes, len(m.Asked), len(seeds))
		}
	}
}

// TestVotesOfRel: con, comp and rel are voted on by themselves.
func TestVotesOfRel(t *testing.T) {
	o := Options{Protocol: Rel, Votes: 3, Reasons: true}
	m := script(`{"reason":"a","con":5,"comp":1,"rel":1}`, "```json\n"+`{"reason":"b\n c","con":5,"comp":2,"rel":3}`+"\n```", `{"reason":"","con":4,"comp":4,"rel":3}`)
	v := verdicts(t, m, o, caseOf(t, "rename hash"))[0]
	if v.Err != nil || v.Con != 5 || v.Comp != 2 || v.Rel != 3 || !slices.Equal(v.Reasons, []string{"a", "b c", ""}) {
		t.Errorf("%+v", v)
	}
	if differ, voted := v.Disagree(); differ != 3 || voted != 3 {
		t.Errorf("%d of %d differ", differ, voted)
	}
	for _, tt := range []struct {
		votes         [][]int
		differ, voted int
	}{
		{nil, 0, 0},
		{[][]int{{1, 2, 3}}, 0, 0},
		{[][]int{{1, 2, 3}, nil, {1, 3, 3}}, 1, 3},
		{[][]int{nil, nil, {4}}, 0, 0},
		{[][]int{{4}, {4}}, 0, 1},
	} {
		if differ, voted := (Verdict{Votes: tt.votes}).Disagree(); differ != tt.differ || voted != tt.voted {
			t.Errorf("%v: %d of %d differ", tt.votes, differ, voted)
		}
	}
}

// TestReason: an answer without the reason that was asked for is not usable.
func TestReason(t *testing.T) {
	v := verdicts(t, say(`{"con":5,"comp":1,"rel":1}`), Options{Protocol: Rel, Reasons: true}, caseOf(t, "fine"))[0]
	if v.Err == nil || !strings.Contains(v.Err.Error(), `the answer lacks the text "reason"`) {
		t.Error(v.Err)
	}
}

// TestEqualTexts: a review that repeats the human review has 5 without a call.
func TestEqualTexts(t *testing.T) {
	for _, tt := range []struct {
		reference, review string
		equal             bool
	}{
		{"Rename it.", "Rename it.", true},
		{"Rename it.", "rename  IT", true},
		{"Rename it", " Rename\n\tit.!?,;: ", true},
		{"Rename it ?", "renameit", true},
		{"Rename it.", "Rename, it.", false},
		{"Rename it.", "Rename it)", false},
		{"Rename it.", "Rename", false},
	} {
		m := say(`{"grade":5}`)
		c := caseOf(t, tt.review)
		c.References = []string{"something else", tt.reference}
		v := verdicts(t, m, Options{Protocol: Grade}, c)[0]
		if tt.equal && (v.Grade != 5 || len(m.Asked) != 0 || len(v.Notes) != 1 || v.Votes != nil) {
			t.Errorf("%q, %q: %+v after %d calls", tt.reference, tt.review, v, len(m.Asked))
		}
		if !tt.equal && (v.Grade != 4 || len(m.Asked) != 6) {
			t.Errorf("%q, %q: %+v after %d calls", tt.reference, tt.review, v, len(m.Asked))
		}
	}
}

// TestReferences: the highest grade of several human reviews counts, and all must have one.
func TestReferences(t *testing.T) {
	c := caseOf(t, "mine")
	c.References = []string{"low", "high", "middle"}
	answer := func(r chat.Request) (string, error) {
		switch {
		case strings.Contains(r.Prompt, "| low"):
			return `{"grade":1}`, nil
		case strings.Contains(r.Prompt, "| high"):
			return `{"grade":4}`, nil
		}
		return `{"grade":2}`, nil
	}
	v := verdicts(t, &chattest.Fake{Answer: answer}, Options{Protocol: Grade, Votes: 1}, c)[0]
	if v.Err != nil || v.Grade != 4 || !slices.EqualFunc(v.Votes, [][]int{{4}}, slices.Equal) {
		t.Errorf("%+v", v)
	}
	gone := errors.New("gone")
	v = verdicts(t, &chattest.Fake{Answer: func(r chat.Request) (string, error) {
		if strings.Contains(r.Prompt, "| middle") {
			return "", gone
		}
		return answer(r)
	}}, Options{Protocol: Grade, Votes: 1}, c)[0]
	if !errors.Is(v.Err, gone) || v.Grade != 0 || !strings.Contains(v.Err.Error(), "reference 3 of 3") {
		t.Errorf("%+v", v)
	}
}
