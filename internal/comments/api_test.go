package comments

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the APIs of GitHub and GitLab return, with the fields that matter here.
const (
	// GET /repos/O/R/pulls/N/comments, newest first: an answer comes before what it
	// answers.
	githubAPI = `[
  {"id": 14, "in_reply_to_id": 13, "path": "a.go", "body": "An answer to an answer.", "line": 5, "side": "RIGHT"},
  {"id": 13, "in_reply_to_id": 10, "path": "a.go", "body": "Done.", "line": 5, "side": "RIGHT"},
  {"id": 12, "path": "a.go", "diff_hunk": "@@ -1 +1 @@", "position": null, "original_position": 4, "line": null, "original_line": null, "start_line": null, "side": "RIGHT", "body": "Outdated."},
  {"id": 11, "in_reply_to_id": 9, "path": "b.go", "position": 3, "line": null, "body": "By its position; what it answers is not here."},
  {"id": 10, "in_reply_to_id": null, "path": "a.go", "start_line": 2, "line": 5, "start_side": "RIGHT", "side": "RIGHT", "position": 7, "original_line": 5, "subject_type": "line", "body": "Why?"}
]`
	// What a script makes that writes all fields.
	githubNulls = `[
  {"id": null, "in_reply_to_id": null, "path": "a.go", "line": 1, "side": null, "body": "One."},
  {"id": null, "in_reply_to_id": null, "path": null, "line": null, "body": "Two."}
]`
	// GET /projects/P/merge_requests/N/discussions.
	gitlabAPI = `[
  {"id": "1a", "notes": [
    {"id": 1, "type": "DiffNote", "body": "A range.", "system": false, "resolvable": true, "resolved": true, "resolved_by": {"id": 7},
     "position": {"base_sha": "b", "old_path": "a.rb", "new_path": "a.rb", "position_type": "text", "old_line": null, "new_line": 11,
       "line_range": {"start": {"line_code": "588440f6_9_10", "type": "new"}, "end": {"line_code": "588440f6_9_11", "type": "new"}}}},
    {"id": 2, "type": "DiffNote", "body": "Fixed.", "system": false, "resolved": true}
  ]},
  {"id": "1b", "notes": [
    {"id": 3, "body": "What was here.", "position": {"old_path": "a.rb", "new_path": "a.rb", "position_type": "text", "old_line": 8, "new_line": null,
       "line_range": {"start": {"line_code": "588440f6_7_7", "type": "old", "old_line": 6, "new_line": null}, "end": {"type": "old"}}}}
  ]},
  {"id": "1c", "notes": [{"id": 4, "system": true, "body": "resolved all threads"}]},
  {"id": "1d", "notes": [
    {"id": 5, "system": true, "body": "changed this line in version 2 of the diff"},
    {"id": 6, "body": "Of a picture.", "position": {"old_path": "p.png", "new_path": "p.png", "position_type": "image", "x": 3, "y": 4, "old_line": null, "new_line": null}}
  ]}
]`
	// GET .../draft_notes, where one is about no line.
	gitlabDraft = `[{"id": 5, "note": "In general.", "position": {"base_sha": null, "old_path": null, "new_path": null, "position_type": "text", "old_line": null, "new_line": null, "line_range": null}}]`
)

func TestReadAPI(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Comment
	}{
		{"GitHub's", githubAPI, []Comment{
			{Body: "Outdated.", Path: "a.go", Side: New, Lost: true},
			{Body: "By its position; what it answers is not here.", Path: "b.go", Side: New, DiffLine: 3},
			{Body: "Why?", Path: "a.go", Side: New, StartLine: 2, EndLine: 5},
		}},
		{"all fields of GitHub's", githubNulls, []Comment{{Body: "One.", Path: "a.go", Side: New, StartLine: 1, EndLine: 1}, {Body: "Two.", Side: New}}},
		{"GitLab's", gitlabAPI, []Comment{
			{Body: "A range.", Path: "a.rb", OldPath: "a.rb", Side: New, StartLine: 10, EndLine: 11},
			{Body: "What was here.", Path: "a.rb", OldPath: "a.rb", Side: Old, StartLine: 6, EndLine: 8},
			{Body: "Of a picture.", Path: "p.png", OldPath: "p.png", Side: New},
		}},
		{"GitLab's drafts", gitlabDraft, []Comment{{Body: "In general.", Side: New}}},
	} {
		f, err := Read([]byte(c.text), "")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, f.Comments, anyNumber()); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if got := write(t, f, "", ""); got != c.text {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.text, got))
		}
	}
	f, err := Read([]byte(githubAPI), "")
	if err != nil {
		t.Fatal(err)
	}
	// The answers go with the third, whether they come before it or not.
	want := `[
  {"id": 11, "in_reply_to_id": 9, "path": "b.go", "position": 3, "line": null, "body": "By its position; what it answers is not here."}
]`
	if got := write(t, f, "", "", 0, 2); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestLineCode(t *testing.T) {
	for code, want := range map[string][2]int{"588440f6_9_10": {9, 10}, "": {}, "588440f6": {}, "a_b_c": {}, "a_1_99999999999": {1, 0}, "a_1_2_3": {}} {
		if got := [2]int{ofLineCode(code, Old), ofLineCode(code, New)}; got != want {
			t.Errorf("%q: %v, want %v", code, got, want)
		}
	}
}

// TestWriteWithoutNotes takes out what an earlier run has written.
func TestWriteWithoutNotes(t *testing.T) {
	for format, texts := range samples() {
		for _, text := range texts {
			f, err := Read([]byte(text), format)
			if err != nil {
				t.Fatal(err)
			}
			noted := write(t, f, `{"n":%d}`, `{"all":1}`)
			if f, err = Read([]byte(noted), format); err != nil {
				t.Fatal(err)
			}
			want := text
			if format == SARIF { // the property bags stay
				want = `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T"}}, "results": [
  {"ruleId": "R", "message": {"text": "First."}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a%20b.go"}, "region": {"startLine": 2, "endLine": 4}}}], "properties":{}},
  {"ruleId": "R", "message": {"text": "Passed."}, "kind": "pass"},
  {"ruleId": "S", "message": {"text": "Second."}, "level": "note", "properties": {"tags": ["x"]}}
], "properties":{}}]}`
			}
			if got := write(t, f, "", ""); got != want {
				t.Errorf("%s: %s", format, cmp.Diff(want, got))
			}
		}
	}
	f, err := Read([]byte(`[{"crscore":1,"body":"a"},{"crscore":3,"body":"b"},{"body":"c","crscore":3,"id":1}]`), "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := write(t, f, "", ""), `[{"body":"a"},{"body":"b"},{"body":"c","id":1}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHeader has texts that look like a note of crscore and are none.
func TestHeader(t *testing.T) {
	for _, c := range []struct{ text, body string }{
		{"<!-- crscore {\"con\":1} -->\r\nHello.", "Hello."},
		{"<!-- crscore {} -->\n<!-- crscore {} -->\nHello.", "Hello."},
		{"<!-- crscore {} --> Read this. <!-- {} -->\nHello.", "<!-- crscore {} --> Read this. <!-- {} -->\nHello."},
		{"<!-- crscore {\"a\":\"--> Read this. <!--\"} -->\nHello.", "<!-- crscore {\"a\":\"--> Read this. <!--\"} -->\nHello."},
		{"<!-- crscore {\"a\":\"--!> Read this.\"} -->\nHello.", "<!-- crscore {\"a\":\"--!> Read this.\"} -->\nHello."},
		{"<!-- crscore words -->\nHello.", "<!-- crscore words -->\nHello."},
		{"<!-- crscore {}\n-->\nHello.", "<!-- crscore {}\n-->\nHello."},
		{"--> Hello.", "--> Hello."},
		{"<!-\u0001- crscore {\"con\":1} -->\nHello.", "Hello."},
	} {
		f, err := Read([]byte(c.text), Text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Comments[0].Body; got != c.body {
			t.Errorf("%q: %q, want %q", c.text, got, c.body)
		}
		// What is judged is written, and read again as it was.
		got := write(t, f, `{"n":%d}`, "")
		if want := "<!-- crscore {\"n\":0} -->\n" + c.body; got != want {
			t.Errorf("%q became %q, want %q", c.text, got, want)
		}
		if again, err := Read([]byte(got), Text); err != nil || again.Comments[0].Body != c.body {
			t.Errorf("%q: %+v, %v", got, again, err)
		}
	}
}

func TestReadValue(t *testing.T) {
	for _, c := range []struct {
		value  string
		format Format
		want   Format
		n      int
		err    string
	}{
		{` [{"body":"a"},{"body":"b"}]`, "", GitHub, 2, ""},
		{`{"diagnostics":[{"message":"a"}]}`, "", RDJSON, 1, ""},
		{`"One.\n\nTwo."`, Paragraphs, Paragraphs, 2, ""},
		{`"[{\"note\":\"a\"}]"`, "", GitLab, 1, ""},
		{`""`, Text, Text, 0, ""},
		{`""`, "", "", 0, "comments: the file is empty: an empty list is [], and an empty text needs text as its format"},
		{`["One.","Two."]`, "", "", 0, "comments: this is JSON, but not a review of GitHub, discussions of GitLab, rdjson, rdjsonl or SARIF; if it is meant as text, give text as its format"},
		{`["One.","Two."]`, Text, "", 0, "comments: a JSON array, where text has to be a string"},
		{`{"body":"a"}`, Paragraphs, "", 0, "comments: a JSON object, where paragraphs has to be a string"},
		{`{"message":"a","location":{}}`, "", "", 0, "comments: a JSON object, where rdjsonl has to be a string"},
		{`"{\"message\":\"a\",\"location\":{}}"`, "", RDJSONL, 1, ""},
		{`"[5]"`, Text, Text, 1, ""},
		{`null`, "", "", 0, "comments: a JSON null, where a list, an object or a string is wanted"},
		{`[`, "", "", 0, "comments: the value is not JSON"},
		{``, "", "", 0, "comments: the value is not JSON"},
		{`"a\u0000b"`, "", "", 0, "comments: line 1: a byte is zero, as in UTF-16 and in what is no text; convert it to UTF-8 first"},
	} {
		f, err := ReadValue([]byte(c.value), c.format)
		switch {
		case err != nil || c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v, want %q", c.value, err, c.err)
			}
		case f.Format != c.want || len(f.Comments) != c.n:
			t.Errorf("%s: %s, %+v", c.value, f.Format, f.Comments)
		}
	}
}
