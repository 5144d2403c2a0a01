package dataset

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWritten: a record that was written is read as it was.
func TestWritten(t *testing.T) {
	old := "a <b>\n"
	rec := Record{
		Line: 1, Number: 1, ID: "1", Lang: "go", Path: "a.go", Repo: "o/r", Pull: "7", Diff: "@@ -1 +1 @@\n-a\n+\u00e4\n", Old: &old,
		Claims: map[string][]string{"m": {"It is so."}}, NoClaims: []string{"n"}, Smells: []string{},
		Reviews: []Review{
			{ID: "msg", Text: "", Human: &Human{1, 2.5, 5}, Addressed: []int{}, Valid: new(false)},
			{ID: "bot", Text: "x", Addressed: []int{2, 1}},
		},
		RefsEdited: []EditedRef{{Text: "t", Kind: "claim", Necessary: true}, {Kind: "issue", Unjudged: true}, {}},
	}
	line, err := json.Marshal(rec.Written(nil))
	if err != nil {
		t.Fatal(err)
	}
	got, err := NewReader(strings.NewReader(string(line))).Next()
	if d := cmp.Diff(rec, got); err != nil || d != "" {
		t.Errorf("%v\n%s\n%s", err, line, d)
	}
	if _, changed := rec.Claims["n"]; changed {
		t.Error("writing changed the record")
	}
	rec.Reviews = []Review{{ID: "bot", Text: "lost", Err: errors.New("no text")}}
	if line, _ = json.Marshal(rec.Written(nil)); strings.Contains(string(line), "lost") {
		t.Errorf("%s", line)
	}
}

// TestWrittenOrder: members are in the order that was asked for, with those of others.
func TestWrittenOrder(t *testing.T) {
	rec := Record{ID: "1", Repo: "o/r", Old: new("x")}
	for want, line := range map[string]Line{
		`{"id":"1","repo":"o/r","diff":"","old":"x","reviews":null}`:    rec.Written(nil),
		`{"old":null,"more":true,"reviews":null,"repo":"o/r","id":"1"}`: rec.Written(Members[any]{{"more", true}, {"old", nil}}, "old", "more", "reviews", "new", "repo", "id"),
	} {
		if got, err := json.Marshal(line); err != nil || string(got) != want {
			t.Errorf("%s, %v, and %s was wanted", got, err, want)
		}
	}
}
