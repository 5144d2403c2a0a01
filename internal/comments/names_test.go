package comments

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/dataset"
)

const ghPullRequest = `{"body":"What the author says.","comments":[{"author":{"login":"a"},"body":"Is it tested?","isMinimized":false}],
 "reviews":[{"author":{"login":"b"},"body":"The lock is gone.","state":"CHANGES_REQUESTED"},{"author":{"login":"c"},"body":"","state":"APPROVED"}]}`

// TestShapes reads what other tools than GitHub's interface write.
func TestShapes(t *testing.T) {
	at := func(body string, first, last int) Comment {
		return Comment{Body: body, Path: "a.go", StartLine: first, EndLine: last, Side: New}
	}
	for _, c := range []struct {
		name, text, names string
		want              []Comment
		notes             int
	}{
		{"what gh prints", ghPullRequest, "", []Comment{{Body: "Is it tested?"}, {Body: "The lock is gone."}}, 0},
		{"gh's reviews alone", `{"reviews":[{"body":"x","state":"COMMENTED"}]}`, "", []Comment{{Body: "x"}}, 0},
		{"gh's last reviews", `{"latestReviews":[{"body":"x","state":"COMMENTED"}],"comments":[]}`, "", []Comment{{Body: "x"}}, 0},
		{"gh's comments and body", `{"body":"Mine.","comments":[{"author":{"login":"a"},"body":"x"}]}`, "", []Comment{{Body: "x"}}, 0},
		{"reviews of the interface", `[{"id":1,"body":"","state":"APPROVED"},{"id":2,"body":"x","state":"COMMENTED"}]`, "", []Comment{{Body: "x"}}, 0},
		{"pages in a list", `[[{"path":"a.go","line":1,"body":"x"}],[],[{"path":"a.go","line":2,"body":"y"}]]`, "", []Comment{at("x", 1, 1), at("y", 2, 2)}, 0},
		{"pages one after the other", "[{\"id\":1,\"body\":\"x\"}]\n[{\"id\":2,\"in_reply_to_id\":1,\"body\":\"y\"}]", "", []Comment{{Body: "x"}}, 0},
		{"JSON Lines", "\ufeff{\"path\":\"a.go\",\"line\":\"3\",\"body\":\"x\"}\r\n\r\n{\"path\":\"a.go\",\"start_line\":4,\"line\":5,\"body\":\"y\"}\r\n", "", []Comment{at("x", 3, 3), at("y", 4, 5)}, 0},
		{"other names", `[{"File":"a.go","from_line":2,"toLine":3,"side":"right","content":"x"},{"File":"a.go","from_line":2,"content":"y"}]`, "", []Comment{at("x", 2, 3), at("y", 2, 2)}, 4},
		{"a note with a path", `[{"note":"x","path":"a.go","from_line":"1","to_line":"2","side":"left"}]`, "", []Comment{{Body: "x", Path: "a.go", StartLine: 1, EndLine: 2, Side: Old}}, 3},
		{"a map", `[{"say":"x","at":{"f":"a.go","l":3},"line":9,"body":7}]`, "body=say,path=at.f,line=at.l", []Comment{at("x", 3, 3)}, 0},
		{"a map that leaves out", `[{"say":"x","path":"a.go","line":9}]`, "body=say,line=", []Comment{at("x", 0, 0)}, 0},
		{"a map of a list", `{"run":{"found":[{"say":"x"}]},"body":"y"}`, "comments=run.found,body=say", []Comment{{Body: "x"}}, 0},
	} {
		names, err := dataset.ParseMap(Fields(), strings.FieldsFunc(c.names, func(r rune) bool { return r == ',' }))
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read([]byte(c.text), "", names...)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i := range c.want {
			if c.want[i].Side == "" {
				c.want[i].Side = New
			}
		}
		if d := cmp.Diff(c.want, f.Comments, anyNumber()); d != "" || f.Format != GitHub || len(f.Notes) != c.notes {
			t.Errorf("%s: %s %q %s", c.name, f.Format, f.Notes, d)
		}
	}
	for _, c := range []struct{ text, names, want string }{
		{`[{"say":"x"}]`, "body=said", `comment 1: line 1: there is no "body"`},
		{`[{"body":"x"}]`, "path=file", `no comment has a field "file", which the map gives for path`},
		{`{"reviews":[{"body":"x","state":"COMMENTED","comments":[{"body":"y"}]}]}`, "", `comment 1: line 1: it has "comments" of its own`},
		{`{"reviews":[{"body":"","state":"COMMENTED","comments":{"nodes":[]}}]}`, "", `comment 1: line 1: it has "comments" of its own`},
		{`{"found":[]}`, "comments=list", `there is no list "list", which the map gives for comments`},
		{`{"found":{}}`, "comments=found", `there is no list "found"`},
		{`[{"file":"x","text":"y","text_":1},{}]`, "", `comment 2: line 1: there is no "body"`},
	} {
		names, _ := dataset.ParseMap(Fields(), []string{c.names})
		if _, err := Read([]byte(c.text), "", names...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := Read([]byte("x"), Text, dataset.Column{Field: "body", Column: "x"}); err == nil || !strings.Contains(err.Error(), "not for text") {
		t.Error(err)
	}
}

// TestWriteShapes drops comments, and keeps all else.
func TestWriteShapes(t *testing.T) {
	for _, c := range []struct {
		text string
		drop []int
		want string
	}{
		{"{\"path\":\"a\",\"body\":\"x\"}\n{\"path\":\"a\",\"body\":\"y\"}\n\n{\"path\":\"a\",\"body\":\"z\"}\n", []int{0, 2}, "{\"path\":\"a\",\"body\":\"y\"}\n\n"},
		{"{\"path\":\"a\",\"body\":\"x\"}\n{\"path\":\"a\",\"body\":\"y\"}", []int{0, 1}, ""},
		{"[[{\"body\":\"x\"},{\"body\":\"y\"}],\n[{\"body\":\"z\"}]]", []int{1, 2}, "[[{\"body\":\"x\"}],\n[]]"},
		{"[{\"id\":1,\"body\":\"x\"}]\n[{\"id\":2,\"in_reply_to_id\":1,\"body\":\"y\"},{\"body\":\"z\"}]", []int{0}, "[]\n[{\"body\":\"z\"}]"},
		{`{"reviews":[{"body":"x","state":"A"},{"body":"","state":"A"}],"comments":[{"body":"y"}]}`, []int{1}, `{"reviews":[{"body":"","state":"A"}],"comments":[{"body":"y"}]}`},
	} {
		f, err := Read([]byte(c.text), "")
		if err != nil {
			t.Fatal(err)
		}
		marks := make([]Mark, len(f.Comments))
		for i := range marks {
			marks[i].Drop = slices.Contains(c.drop, i)
		}
		var b strings.Builder
		if err := f.Write(&b, marks, nil); err != nil || b.String() != c.want {
			t.Errorf("%q became %q, want %q: %v", c.text, b.String(), c.want, err)
		}
	}
}
