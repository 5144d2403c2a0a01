package comments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"crscore/internal/findings"
	"crscore/internal/limits"
	"crscore/internal/report"
)

const githubReview = `{
  "commit_id": "0f3c", "event": "COMMENT",
  "body": "Two remarks.",
  "comments": [
    {"path": "a/b.go", "line": 12, "side": "RIGHT", "body": "Close it.\nElse it leaks.", "mine": 1.50},
    {"path": "c.go", "start_line": 3, "start_side": "LEFT", "line": 7, "side": "LEFT", "body": "Gone?"},
    {"path": "c.go", "position": 4, "body": "Old way."}
  ]
}
`

const githubList = `[{"id":1,"path":"a.go","line":null,"position":null,"original_line":8,"side":"RIGHT","body":"It was here."},` +
	`{"id":2,"path":"a.go","line":null,"position":1,"original_line":1,"subject_type":"file","body":"Too long."},` +
	`{"id":2345678901,"path":"a.go","start_line":2,"start_side":"LEFT","line":5,"side":"RIGHT","position":9,"body":"Both."},{"id":4,"in_reply_to_id":2345678901,"body":"Yes."},{"body":"None."}]`

const gitlabDiscussions = `[
  {"id": "6a", "individual_note": false, "notes": [
    {"id": 1, "type": "DiffNote", "system": false, "body": "Why?", "position": {"head_sha": "e1", "position_type": "text",
      "old_path": "was.rb", "new_path": "now.rb", "old_line": null, "new_line": 9, "line_range": {"start": {"new_line": 7}, "end": {"new_line": 9}}}},
    {"id": 2, "system": true, "body": "changed this line"},
    {"id": 3, "body": "An answer."}
  ]},
  {"id": "6b", "notes": [{"body": "General."}]}
]
`

const gitlabDrafts = `[{"id":5,"note":"Gone.","position":{"old_path":"x.c","new_path":"x.c","old_line":4,"position_type":"text"}},` +
	`{"note":"All.","position":{"new_path":"x.c","old_path":"x.c","position_type":"file","new_line":3}},` +
	`{"note":"Deleted.","position":{"old_path":"y.c","old_line":2,"line_range":{"start":{"old_line":9}}}}]`

const rdjson = `{"source": {"name": "bot"}, "diagnostics": [
	{"message": "One\nline", "location": {"path": "./a.go", "range": {"start": {"line": 3, "column": 4}, "end": {"line": 5}}}, "severity": "ERROR", "code": {"value": "R1"}},
	{"message": "Two", "location": {"path": "b.go"}}]}`

const rdjsonl = `{"message":"One","location":{"path":"a.go","range":{"start":{"line":3}}},"original_output":"x"}` + "\n\n" +
	`{"message":"Two","location":{"path":"b.go"}}`

const sarif = `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T"}}, "results": [
  {"ruleId": "R", "message": {"text": "First."}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a%20b.go"}, "region": {"startLine": 2, "endLine": 4}}}]},
  {"ruleId": "R", "message": {"text": "Passed."}, "kind": "pass"},
  {"ruleId": "S", "message": {"text": "Second."}, "level": "note", "properties": {"tags": ["x"]}}
]}]}`

const paragraphs = "First\nremark.\n\n\n- Second:\n```\ncode\n\nmore\n```\nend.\n\nThird."

// samples are a file of every format.
func samples() map[Format][]string {
	return map[Format][]string{
		GitHub: {githubReview, githubList, `{"path":"a.go","line":1,"body":"x"}`}, GitLab: {gitlabDiscussions, gitlabDrafts},
		RDJSON: {rdjson}, RDJSONL: {rdjsonl}, SARIF: {sarif}, Text: {"Plain [text].\n"}, Paragraphs: {paragraphs},
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     Format // to be told by the text
		want       []Comment
	}{
		{"a review of GitHub", githubReview, GitHub, []Comment{
			{Body: "Two remarks.", Summary: true},
			{Body: "Close it.\nElse it leaks.", Path: "a/b.go", StartLine: 12, EndLine: 12},
			{Body: "Gone?", Path: "c.go", Side: Old, StartLine: 3, EndLine: 7},
			{Body: "Old way.", Path: "c.go", DiffLine: 4},
		}},
		{"GitHub's list", githubList, GitHub, []Comment{
			{Body: "It was here.", Path: "a.go", Lost: true}, {Body: "Too long.", Path: "a.go"},
			{Body: "Both.", Path: "a.go", StartLine: 5, EndLine: 5}, {Body: "None."},
		}},
		{"a comment alone", `{"path":"a.go","line":1,"body":"x"}`, GitHub, []Comment{{Body: "x", Path: "a.go", StartLine: 1, EndLine: 1}}},
		{"a summary alone", `{"body":"x","comments":null}`, GitHub, []Comment{{Body: "x", Summary: true}}},
		{"GitLab's discussions", gitlabDiscussions, GitLab, []Comment{
			{Body: "Why?", Path: "now.rb", OldPath: "was.rb", StartLine: 7, EndLine: 9},
			{Body: "General."},
		}},
		{"GitLab's drafts", gitlabDrafts, GitLab, []Comment{
			{Body: "Gone.", Path: "x.c", OldPath: "x.c", Side: Old, StartLine: 4, EndLine: 4}, {Body: "All.", Path: "x.c", OldPath: "x.c"},
			{Body: "Deleted.", Path: "y.c", Side: Old, StartLine: 2, EndLine: 2}, // a range that ends before it starts
		}},
		{"rdjson", rdjson, RDJSON, []Comment{
			{Body: "One\nline", Path: "./a.go", StartLine: 3, EndLine: 5, Tool: "bot", Rule: "R1", Severity: findings.Error},
			{Body: "Two", Path: "b.go", Tool: "bot", Severity: findings.Warning},
		}},
		{"what rdjson says outside", `{"source":{"name":"bot"},"severity":"ERROR","diagnostics":[{"message":"One"},{"message":"Two","source":{"name":"other"},"severity":"INFO"}]}`, RDJSON, []Comment{
			{Body: "One", Tool: "bot", Severity: findings.Error}, {Body: "Two", Tool: "other", Severity: findings.Info},
		}},
		{"rdjsonl", rdjsonl, RDJSONL, []Comment{
			{Body: "One", Path: "a.go", StartLine: 3, EndLine: 3, Severity: findings.Warning}, {Body: "Two", Path: "b.go", Severity: findings.Warning},
		}},
		{"SARIF", sarif, SARIF, []Comment{
			{Body: "First.", Path: "a b.go", StartLine: 2, EndLine: 4, Tool: "T", Rule: "R", Severity: findings.Warning},
			{Body: "Second.", Tool: "T", Rule: "S", Severity: findings.Info},
		}},
		{"text", "\ufeff[nit] One.\n\nTwo.\n", Text, []Comment{{Body: "[nit] One.\n\nTwo."}}},
		{"text that begins as JSON", `"ttl" is [required] now`, Text, []Comment{{Body: `"ttl" is [required] now`}}},
		{"text with a number", "2 callers break.", Text, []Comment{{Body: "2 callers break."}}},
		{"text with a link", "[[cache]] is stale.", Text, []Comment{{Body: "[[cache]] is stale."}}},
		{"text with tags", "<!-- bot -->\n<h3>One</h3>", Text, []Comment{{Body: "<!-- bot -->\n<h3>One</h3>"}}},
		{"an empty list", " [ ]\n", GitHub, nil},
		{"no error", `{"comments":[],"error":null,"errors":[]}`, GitHub, nil},
		{"nothing in rdjson", `{"diagnostics":[]}`, RDJSON, nil},
		{"nothing in SARIF", `{"version":"2.1.0","runs":[]}`, SARIF, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Read([]byte(c.text), "")
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.want {
				if c.want[i].Side == "" {
					c.want[i].Side = New
				}
			}
			if d := cmp.Diff(c.want, f.Comments, anyNumber()); d != "" || f.Format != c.format {
				t.Errorf("%s: %s", f.Format, d)
			}
		})
	}
}

func TestReadParagraphs(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{paragraphs, []string{"First\nremark.", "- Second:\n```\ncode\n\nmore\n```\nend.", "Third."}},
		{"````\na\n```\n\nb\n````\n\nc", []string{"````\na\n```\n\nb\n````", "c"}},
		{"```\na\n~~~\n\nb\n```\n\nc", []string{"```\na\n~~~\n\nb\n```", "c"}},
		{"```\na\n```go\n\nb", []string{"```\na\n```go\n\nb"}}, // which does not end it
		{"<!-- crscore {} -->\na\n\n<!-- crscore b\n\n<!-- crscore {} -->", []string{"a", "<!-- crscore b"}},
		{" \n\n", nil},
	} {
		f, err := Read([]byte(c.text), Paragraphs)
		if err != nil {
			t.Fatal(err)
		}
		var bodies []string
		for _, c := range f.Comments {
			bodies = append(bodies, c.Body)
		}
		if d := cmp.Diff(c.want, bodies); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		format Format
		want   string
	}{
		{"", "", "the file is empty"},
		{"\xff\xfe[\x00", "", "UTF-16"},
		{"x", "xml", `unknown format "xml": choose one of github, gitlab, rdjson, rdjsonl, sarif, text, paragraphs`},
		{"[{\"body\":\n\"a\",}]", "", "line 2: invalid character '}'"},
		{"[{\"body\":\n", "", "line 2: unexpected end of JSON input"},
		{`{"a":1}`, "", "this is JSON, but not a review"},
		{"[\n{\"body\":\"a\"},\n{\"body\":\"b\",\n\"line\":\"3a\"}]", "", `reading github: comment 2: line 4: "line": "3a" is not a line number`},
		{"[{\"body\":\"a\"},3]", "", "comment 2: line 1: a JSON number instead of an object"},
		{`[{"body":"a","line":1.5}]`, "", `comment 1: line 1: "line": 1.5 is not a line number`},
		{`[{"body":"a","line":1e99}]`, "", `is not a line number`},
		{`[{"body":"a","side":"UP"}]`, "", `the side is "UP", not LEFT or RIGHT`},
		{`[{"path":"a","note":null}]`, "github", `comment 1: line 1: there is no "body"`},
		{`{"event":"COMMENT"}`, "github", `the review has no list of "comments", not even an empty one, and no text as its "body"`},
		{`{"comments":{}}`, "", `"comments" is a JSON object, not an array`},
		{`7`, "github", "this is a JSON number, not a review"},
		{`[{"notes":[{"body":"a","system":true},{}]}]`, "", `reading gitlab: entry 1: note 2: line 1: there is neither a "body" nor a "note"`},
		{`[{"note":"a","position":3}]`, "", `"position" is a JSON number, not an object`},
		{`[{"note":"a","position":{"new_line":"x"}}]`, "", `its position: line 1: "new_line": "x" is not a line number`},
		{`{"diagnostics":[{"message":"a"},{}]}`, "", "diagnostic 2: line 1: a diagnostic without a message"},
		{`{}`, "rdjson", `there is no list of "diagnostics", not even an empty one`},
		{"{\"message\":\"a\",\"location\":{}}\n{\"message\":", "", "reading rdjsonl: line 2: unexpected end of JSON input"},
		{"{\"message\":\"a\",\"location\":{}}\n[]\n", "", "line 2: a JSON array instead of an object"},
		{`{"version":"2.1.0","runs":[{"results":[{}]}]}`, "", "run 1, result 1 has no message"},
		{`{"version":"2.1.0","runs":[],"Runs":[{"results":[]}]}`, "", "0 runs where 1 were read"},
		{"[" + strings.Repeat(`{"body":"a"},`, limits.Comments) + `{"body":"a"}]`, "", "more than the limit of 50000 comments"},
		// Answers of failing servers, and missing lists.
		{`{"message":"Not Found","documentation_url":"https://api.example.org","status":"404"}`, "", `or SARIF: its "message" is "Not Found"`},
		{`{"message":{"base":["is invalid"]}}`, "", "this is JSON, but not a review"},
		{`{"error":"invalid_token","error_description":"Token was revoked."}`, "", `its "error" is "invalid_token"`},
		{`[{"message":"Not Found"}]`, "", "this is JSON, but not a review"},
		{`{"data":null,"errors":[{"message":"a","locations":[]}]}`, "", "this is JSON, but not a review"},
		{`{"message":"a","location":null}`, "", `its "message" is "a"`},
		{"{\"message\":\"a\",\"location\":{}}\n{\"message\":\"Not Found\"}", "", "reading rdjsonl: diagnostic 2: line 2: a diagnostic without a location"},
		{`{"message":"Not Found"}`, GitHub, "the review has no list"},
		{`{"message":"Not Found"}`, GitLab, `there is neither a "body" nor a "note"`},
		{`{"message":"Not Found"}`, RDJSON, `there is no list of "diagnostics"`},
		{`{"message":"Not Found"}`, RDJSONL, "line 1: a diagnostic without a location"},
		{`{"message":"Not Found"}`, SARIF, `the version is ""`},
		{`{"version":"2.1.0","runs":null}`, "", "reading sarif: it has no list of runs, not even an empty one"},
		{`{"version":"2.1.0"}`, SARIF, "it has no list of runs"},
		{`{"version":"2.1.0","runs":[null]}`, "", "run 1: it has no list of results"},
		{`{"version":"2.1.0","runs":[{"results":null}]}`, "", "run 1: it has no list of results"},
		{`{"diagnostics":null}`, "", `there is no list of "diagnostics"`},
		{`{"body":"","comments":[],"error":"rate limit"}`, "", `reading github: the review reports a failure of its author: its "error" is "rate limit"`},
		{`{"comments":[],"errors":[{"message":"a"}]}`, "", `its "errors" is [{"message":"a"}]`},
		{`{"comments":null}`, "", `the review has no list of "comments"`},
		{`{"body":"","comments":null}`, "", `the review has no list of "comments"`},
		{`{"id":80,"body":"","state":"COMMENTED"}`, "", `the review has no list of "comments"`},
		{`{"comments":[null]}`, "", "comment 1: line 1: a JSON null instead of an object"},
		{`[{"notes":null}]`, "", `there is neither a "body" nor a "note"`},
		{`[{"notes":[null]}]`, "", "note 1: line 1: a JSON null instead of an object"},
		{"<!DOCTYPE html>\n<html><h1>502 Bad Gateway</h1></html>", "", "this is a page of HTML or XML"},
		{"<HTML>", "", "this is a page of HTML"},
		{"<?xml version=\"1.0\"?><checkstyle/>", "", "this is a page of HTML or XML"},
		{"<checkstyle version=\"1\">\n</checkstyle>\n", "", "this is a page of HTML or XML"},
		{"```json\n[{\"path\":\"a\",\"body\":\"b\"}]\n```\n", "", "this is JSON in a fence of Markdown: take off"},
		// JSON that is no file of comments is no text either.
		{`["One.","Two."]`, "", "this is JSON, but not a review of GitHub, discussions of GitLab, rdjson, rdjsonl or SARIF; if it is meant as text, give text as its format"},
		{"[5]", "", "this is JSON, but not a review"},
		{"[null]", "", "this is JSON, but not a review"},
		{"[[[{\"body\":\"a\"}],\n[]]]", "", "this is JSON, but not a review"},
		{"[[{\"body\":\"a\"}],\n{\"body\":\"a\"}]", "", "line 2: this is a JSON object, not a review or a list of comments"},
		{"{\"path\":\"x\",\"body\":\"a\"}\n{\"path\":\"x\",\"body\":\n{\"path\":\"x\",\"body\":\"c\"}", "", "line 2: unexpected end of JSON input"},
		{"{\"path\":\"x\",\"body\":\"a\"}\r\n\r\n{\"path\":\"x\",body}\r\n", "", "line 3: invalid character 'b'"},
		{"{\"path\":\"x\",\"body\":\"a\"}\n[1]", "", "comment 2: line 2: a JSON array instead of an object"},
		{"[[{\"body\":", "", "unexpected end of JSON input"},
		{"null\n", "", "this is JSON, but not a review"},
		{"null\nnull\n", "", "this is JSON, but not a review"},
		{`"One."`, "", "this is JSON, but not a review"},
		{"7", "", "this is JSON, but not a review"},
		{strings.Repeat("[", 1<<20), "", "exceeded max depth"},
		// Other encodings, and what is no text.
		{"\xfe\xff\x00[", "", "UTF-16"},
		{"[\x00{\x00\"\x00", "", "line 1: a byte is zero, as in UTF-16"},
		{"One.\nGIF89a\x00", Text, "line 2: a byte is zero"},
		{"[\n{\"body\":\"D\xe9j\xe0\"}]", "", "line 2: the byte 0xe9 is not UTF-8; convert it to UTF-8 first"},
		{"\ufeffOne.\n\nTwo \xff.", Paragraphs, "line 3: the byte 0xff is not UTF-8"},
		// JSON that is broken, in every format, and that is not what the format says.
		{"{\"event\":\"COMMENT\",\n\"comments\":[{]}", "", "line 2: invalid character ']'"},
		{"{\"comments\":[\n{\"body\":\"a\"},\n{\"body\":[]}]}", "", `reading github: comment 2: line 3: there is no "body"`},
		{"[{\"id\":1,\"in_reply_to_id\":2,\"body\":\"a\"},\n{\"id\":2,\"in_reply_to_id\":1,\"body\":\"b\"}]", "", "comment 1: line 1: it only answers other answers"},
		{"[\n{\"id\":\"1a\",\"notes\":[\n{\"body\":}]}]", "", "line 3: invalid character '}'"},
		{"[{\"notes\":[{\"body\":\"a\"}]},\n{\"notes\":{}}]", "", `reading gitlab: entry 2: line 2: "notes" is a JSON object, not an array`},
		{"[{\"notes\":[{\"body\":\"a\",\n\"position\":{\"line_range\":7}}]}]", "", `reading gitlab: entry 1: note 1: its position: line 2: "line_range" is a JSON number, not an object`},
		{"{\"diagnostics\":[\n{\"message\":\"a\",}]}", "", "line 2: invalid character '}'"},
		{"{\"diagnostics\":[\n{\"message\":\"a\",\"location\":{\"path\":3}}]}", "", "reading rdjson: diagnostic 1: line 2: json: cannot unmarshal number"},
		{"{\"message\":\"a\",\"location\":{}}\n\n{\"message\":\"b\",}", "", "reading rdjsonl: line 3: invalid character '}'"},
		{"{\"message\":\"a\",\"location\":{}}\n{\"location\":{}}", "", "reading rdjsonl: diagnostic 2: line 2: a diagnostic without a message"},
		{"{\"version\":\"2.1.0\",\n\"runs\":[{\"results\":[}]}", "", "line 2: invalid character '}'"},
		{"{\"version\":\"2.1.0\",\n\"runs\":[{\"results\":7}]}", "", "reading sarif: line 2: json: cannot unmarshal number"},
		{"{\"version\":\"3\",\"runs\":[]}", "", `the version is "3"`},
		{strings.Repeat(" ", limits.CommentsBytes+1), "", "larger than the limit of 32 MiB"},
		{strings.Repeat("[", 20_000), "github", "exceeded max depth"},
	} {
		f, err := Read([]byte(c.text), c.format)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "comments: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v, %v; want %s", c.text, f, err, c.want)
		}
	}
}

// write writes a file without the comments of these numbers.
func write(t testing.TB, f *File, note, whole string, drop ...int) string {
	t.Helper()
	marks := make([]Mark, len(f.Comments))
	for i := range marks {
		if note != "" {
			marks[i].Note = json.RawMessage(fmt.Sprintf(note, i))
		}
	}
	for _, i := range drop {
		marks[i].Drop = true
	}
	var b bytes.Buffer
	var all json.RawMessage
	if whole != "" {
		all = json.RawMessage(whole)
	}
	if err := f.Write(&b, marks, all); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteUnchanged(t *testing.T) {
	for format, texts := range samples() {
		for _, text := range texts {
			f, err := Read([]byte(text), format)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(text, write(t, f, "", "")); d != "" {
				t.Errorf("%s: %s", format, d)
			}
		}
	}
}

func TestWrite(t *testing.T) {
	const note, whole = `{"n":%d}`, `{"all":1}`
	for _, c := range []struct {
		name, text string
		format     Format
		drop       []int
		want       string
	}{
		{"a review", githubReview, GitHub, []int{2, 3}, `{
  "commit_id": "0f3c", "event": "COMMENT",
  "body": "Two remarks.",
  "comments": [
    {"path": "a/b.go", "line": 12, "side": "RIGHT", "body": "Close it.\nElse it leaks.", "mine": 1.50, "crscore":{"n":1}}
  ],
  "crscore": {"all":1}
}
`},
		{"the first", `[{"body":"a"}, {"body":"b"}, {"body":"c"}]`, GitHub, []int{0}, `[{"body":"b","crscore":{"n":1}}, {"body":"c","crscore":{"n":2}}]`},
		{"first and last", `[{"body":"a"}, {"body":"b"}, {"body":"c"}]`, GitHub, []int{0, 2}, `[{"body":"b","crscore":{"n":1}}]`},
		{"all", `[ {"body":"a"}, {"body":"b"} ]`, GitHub, []int{0, 1}, `[  ]`},
		{"a note from before", `[{"crscore":{"n":9},"body":"a"}]`, GitHub, nil, `[{"crscore":{"n":0},"body":"a"}]`},
		{"an answer goes with what it answers", `[{"id":1,"body":"a"},{"id":2,"in_reply_to_id":1,"body":"b"},{"in_reply_to_id":7,"body":"c"}]`, GitHub, []int{0},
			`[{"in_reply_to_id":7,"body":"c","crscore":{"n":1}}]`},
		{"a discussion with answers", gitlabDiscussions, GitLab, []int{0}, `[
  {"id": "6b", "notes": [{"body": "General.","crscore":{"n":1}}]}
]
`},
		{"a system's discussion", `[{"notes":[{"body":"a"},{"body":"b"}]},{"notes":[{"body":"c","system":true}]}]`, GitLab, []int{0}, `[{"notes":[{"body":"c","system":true}]}]`},
		{"rdjson", `{"diagnostics":[{"message":"a"},{"message":"b"}]}`, RDJSON, []int{1}, `{"diagnostics":[{"message":"a","crscore":{"n":0}}],"crscore":{"all":1}}`},
		{"rdjsonl", rdjsonl, RDJSONL, []int{0}, `{"message":"Two","location":{"path":"b.go"},"crscore":{"n":1}}`},
		{"rdjsonl's last", rdjsonl, RDJSONL, []int{1}, `{"message":"One","location":{"path":"a.go","range":{"start":{"line":3}}},"original_output":"x","crscore":{"n":0}}` + "\n\n"},
		{"SARIF", sarif, SARIF, []int{0}, `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T"}}, "results": [
  {"ruleId": "R", "message": {"text": "Passed."}, "kind": "pass"},
  {"ruleId": "S", "message": {"text": "Second."}, "level": "note", "properties": {"tags": ["x"],"crscore":{"n":1}}}
], "properties":{"crscore":{"all":1}}}]}`},
		{"text", "One.\n", Text, nil, "<!-- crscore {\"n\":0} -->\nOne.\n"},
		{"text with a note from before", "<!-- crscore {} -->\nOne.\n", Text, nil, "<!-- crscore {\"n\":0} -->\nOne.\n"},
		{"no text", "One.\n", Text, []int{0}, ""},
		{"paragraphs", paragraphs, Paragraphs, []int{1}, "<!-- crscore {\"n\":0} -->\nFirst\nremark.\n\n\n<!-- crscore {\"n\":2} -->\nThird."},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Read([]byte(c.text), c.format)
			if err != nil {
				t.Fatal(err)
			}
			got := write(t, f, note, whole, c.drop...)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if got == "" {
				return
			}
			again, err := Read([]byte(got), c.format)
			if err != nil {
				t.Fatal(err)
			}
			if len(again.Comments) != len(f.Comments)-len(c.drop) {
				t.Errorf("%d comments after %d without %d", len(again.Comments), len(f.Comments), len(c.drop))
			}
		})
	}
}

func TestWriteIsSafe(t *testing.T) {
	f, err := Read([]byte("[{\"body\":\"a\u202e\u009b\"}]"), "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := write(t, f, "", ""), `[{"body":"a\u202e\u009b"}]`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if f, err = Read([]byte("a\x1b[31m\u202eb\tc\n"), Text); err != nil {
		t.Fatal(err)
	}
	if got, want := write(t, f, "", ""), "a[31mb\tc\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// anyNumber compares comments without their numbers, which TestNumbers looks at.
func anyNumber() cmp.Option { return cmpopts.IgnoreFields(Comment{}, "Number") }

// TestNumbers counts what stands in a file: answers and suppressed results, too, and no
// summary.
func TestNumbers(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		format Format
		want   []int
	}{
		"a review":    {`{"body": "All.", "comments": [{"body": "a"}, {"body": "b"}]}`, "", []int{0, 1, 2}},
		"answers":     {githubAPI, "", []int{3, 4, 5}},
		"discussions": {gitlabAPI, "", []int{1, 2, 4}},
		"suppressed":  {`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": [{"message": {"text": "a"}, "kind": "pass"}, {"message": {"text": "b"}}]}, {"tool": {"driver": {"name": "u"}}, "results": [{"message": {"text": "c"}}]}]}`, "", []int{2, 3}},
		"lines":       {`{"message": "a", "location": {"path": "x"}}` + "\n\n" + `{"message": "b", "location": {"path": "x"}}`, "", []int{1, 2}},
		"paragraphs":  {"a\n\nb\n\nc", Paragraphs, []int{1, 2, 3}},
	} {
		f, err := Read([]byte(c.text), c.format)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []int
		for _, comment := range f.Comments {
			got = append(got, comment.Number)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// The readers, and the one that chooses among them.
func FuzzRead(f *testing.F)           { fuzz(f, "") }
func FuzzReadGitHub(f *testing.F)     { fuzz(f, GitHub) }
func FuzzReadGitLab(f *testing.F)     { fuzz(f, GitLab) }
func FuzzReadRDJSON(f *testing.F)     { fuzz(f, RDJSON) }
func FuzzReadRDJSONL(f *testing.F)    { fuzz(f, RDJSONL) }
func FuzzReadSARIF(f *testing.F)      { fuzz(f, SARIF) }
func FuzzReadText(f *testing.F)       { fuzz(f, Text) }
func FuzzReadParagraphs(f *testing.F) { fuzz(f, Paragraphs) }

func fuzz(f *testing.F, format Format) {
	for of, texts := range samples() {
		for _, text := range texts {
			if format == "" || of == format {
				f.Add([]byte(text), uint64(5))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, drop uint64) {
		file, err := Read(text, format)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		var gone []int
		var kept []Comment
		for i, c := range file.Comments {
			if c.StartLine > c.EndLine || c.StartLine < 0 || c.StartLine == 0 && c.EndLine != 0 || c.Side != New && (c.Side != Old || c.EndLine == 0) {
				t.Errorf("%+v", c)
			}
			if drop>>(i%64)&1 == 1 && !c.Summary {
				gone = append(gone, i)
			} else {
				kept = append(kept, c)
			}
		}
		if (file.Format == Text || file.Format == Paragraphs) && !bytes.Equal(report.Inert(text), text) {
			return // a command to a CI system is broken up
		}
		unsafe := func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r)
		}
		if bytes.IndexFunc(text, unsafe) < 0 && !bytes.Contains(text, []byte(noteName)) {
			if got := write(t, file, "", ""); got != string(bytes.TrimPrefix(text, []byte("\ufeff"))) {
				t.Errorf("nothing dropped, no note: %q became %q", text, got)
			}
		}
		got := write(t, file, `{"n":%d}`, `{"all":1}`, gone...)
		again, err := Read([]byte(got), file.Format)
		switch {
		case err != nil && len(kept) == 0: // an object that was a comment
		case err != nil:
			t.Fatalf("%q became %q: %v", text, got, err)
		case len(again.Comments) != len(kept):
			t.Errorf("%q without %v became %q", text, gone, got)
		default:
			if d := cmp.Diff(kept, again.Comments, anyNumber()); d != "" {
				t.Errorf("%q without %v became %q: %s", text, gone, got, d)
			}
		}
	})
}
