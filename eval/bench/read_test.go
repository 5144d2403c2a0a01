package bench

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"crscore/internal/comments"
)

// truthOf writes a truth file of pull requests of acme with so many comments.
func truthOf(t testing.TB, comments ...string) *File {
	t.Helper()
	var pulls []string
	for i, c := range comments {
		pulls = append(pulls, fmt.Sprintf(`{"githubPrUrl": "https://github.com/acme/r%d/pull/%d", "target_commit": "%07d89", "project_main_language": "Go", "comments": [%s]}`, i, i+10, i, c))
	}
	f, err := ReadTruth([]byte("[" + strings.Join(pulls, ",\n") + "]"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

func TestReadTruth(t *testing.T) {
	f := truthOf(t, `{"note": "n", "path": ".\\a\\b.go", "side": "LEFT", "from_line": 9, "to_line": "7", "is_ai_comment": true, "source_model": "m", "unknown": 1},
		{"note": "", "path": "", "side": null, "from_line": null, "to_line": 3},
		{"note": "n", "path": "x", "side": "both", "from_line": -1, "to_line": 3, "is_ai_comment": false}`)
	want := []Reference{
		{Place: Place{"a/b.go", Left, 7, 9}, Note: "n", Origin: "model", Model: "m"}, {},
		{Place: Place{Path: "x"}, Note: "n", Origin: "human"},
	}
	for i, r := range f.Pulls[0].References {
		if r != want[i] {
			t.Errorf("%+v, want %+v", r, want[i])
		}
	}
	if p := f.Pulls[0]; p.ID != "acme__r0@0000000" || p.Language != "Go" || len(f.Sum) != 64 {
		t.Errorf("%+v %s", p, f.Sum)
	}
	if got := strings.Join(f.Warnings, "\n"); got != `comments with from > to, which are swapped: 1 (the first: line 1)
comments of a side other than left and right, which fits both: 1 (the first: line 3)
comments with a negative line, which fits all lines: 1 (the first: line 3)` {
		t.Error(got)
	}
}

func TestReadTruthErrors(t *testing.T) {
	const pull = `{"githubPrUrl": "https://github.com/o/n/pull/1", "target_commit": "abcdef0", "comments": %s}`
	comments := func(s string) string { return "[\n" + fmt.Sprintf(pull, s) + "]" }
	for text, want := range map[string]string{
		"":                 "line 1: this is no JSON array (EOF); wanted is [{",
		`[{"comments":5}]`: `"comments": a JSON number may not stand here; wanted is [{`,
		"{}":               "line 1: this is no JSON array ({); wanted is [{",
		"[]":               "there is no pull request",
		"[\n{\"id\": 1}]":  `line 2: pull request 1: "githubPrUrl" is "", not https://github.com/OWNER/NAME/pull/NUMBER; wanted is [{`,
		"[1]":              "line 1: pull request 1: a JSON number may not stand here",
		`[{"githubPrUrl": "https://github.com/o/n/pull/1", "target_commit": "HEAD"}]`: `"target_commit" is "HEAD", not a commit`,
		comments("null"):            `line 2: pull request 1: there is no list of "comments", not even an empty one`,
		comments(`[{"path": "a"}]`): `comment 1 on line 2: there is no "note"`,
		comments("[{\"note\": \"\", \"path\": \"\"},\n\n{\"note\": \"a\"}]"): `comment 2 on line 4: there is no "path"`,
		comments(`[{"note": "", "path": "", "from_line": 1.5}]`):             `comment 1 on line 2: 1.5 is no line`,
		comments(`[{"note": "", "path": "", "from_line": "x"}]`):             `"x" is no line`,
		comments("[]") + "x": "line 2: something follows the array",
		"[\n" + fmt.Sprintf(pull, "[]") + ",\n" + fmt.Sprintf(pull, "[]") + "]": "line 3: pull request 2: o__n@abcdef0 stands on line 2 too: join their comments",
		"[\n" + fmt.Sprintf(pull, "[]"):                                         "line 2: EOF",
		"\x1f\x8bx":                                                             "unpacking: ",
	} {
		if _, err := ReadTruth([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

func TestAdd(t *testing.T) {
	b := New(truthOf(t, "", "", ""), nil)
	const blocks = "<path>a.go</path>\n<side>left</side><from>2</from><to>3</to>\n<note>One <b>bold</b>\nline.</note>\n<notesplit />\n" +
		"<path>b.go <side>right <from>4 <to>null <note>Two.<notesplit/>\nc d.go right 5 6 Three.\n<notesplit />\n"
	const instances = `[{"instance_id": "acme__r0@0000000", "review": {"comments": [{"path": "a", "content": "x<details>y</details>", "start_line": 3, "end_line": 2, "side": "right"}], "summary": {"input_tokens": 7, "cost": 0.5}}, "duration_seconds": 2},
		{"instance_id": "acme__r1@0000001"}, {"instance_id": "other__r@0000001", "review": {"comments": []}}, {"instance_id": "acme__r2@000000289", "review": {"comments": []}}]`
	for _, c := range []struct{ file, text, want string }{
		{"acme__r0@0000000.json", `[{"path": "a", "line": 4, "body": "b"}]`, "acme__r0@0000000 [a right 4 4 b]"},
		{"acme__r0@000000089.json.gz", zipped(`[{"path": "a", "line": 4, "side": "LEFT", "body": "b"}]`), "acme__r0@0000000 [a left 4 4 b]"},
		{"comments_r1_11.txt", blocks, "acme__r1@0000001 [a.go left 2 3 One <b>bold</b>\nline.] [b.go right 0 0 Two.] [c d.go right 5 6 Three.]"},
		{"comments_acme__r1_11.txt", "", "acme__r1@0000001; s: comments none in an empty file, which counts as an answer: 1 (the first: comments_acme__r1_11.txt)"},
		{"comments_r1_11.txt", "junk", "error: comments_r1_11.txt: line 1: this block is not <path> <side> <from> <to> <note>"},
		{"comments_r1_11.txt", "\n<path>a<side>left<from>x<to>1<note>n<notesplit />", `error: comments_r1_11.txt: line 2: x is no line: a whole number`},
		{"acme__r2@0000002.md", "Please test this.", "acme__r2@0000002 [ right 0 0 Please test this.]; s: comments without lines, which fit all lines of their file: 1"},
		{"acme__r2@0000002.json", `[{"file": "q.py", "comment": "c"}]`, "acme__r2@0000002 [q.py right 0 0 c]; s: comments without lines, which fit all lines of their file: 1 (the first: acme__r2@0000002.json)" +
			"; s: comments on files that neither the truth nor a diff has: 1 (the first: acme__r2@0000002.json, q.py)" +
			"; s: the field comment of the comments is read as their body; s: the field file of the comments is read as their path"},
		{"acme__r2@0000002.json", `{"body": "Summary.", "comments": []}`, "acme__r2@0000002; s: comments that are the summary of a review, left out: 1"},
		{"acme__r2@0000002.json", "", "error: acme__r2@0000002.json: comments: the file is empty"},
		{"acme__r9@0000002.json", "[]", "; s: files of pull requests that the truth lacks, left out: 1 (the first: acme__r9@0000002.json)"},
		{"all.json", instances, "error: all.json: line 2: acme__r1@0000001: there is no list \"comments\" in \"review\"" +
			"acme__r0@0000000 [a right 2 3 x<details>y</details>]acme__r2@0000002; s: comments with from > to, which are swapped: 1 (the first: all.json)" +
			"; s: comments on files that neither the truth nor a diff has: 1 (the first: all.json, a)" +
			"; s: files of pull requests that the truth lacks, left out: 1 (the first: all.json, line 2)"},
		{"acme__r1@0000001.json", `{"instance_id": "acme__r0@0000000", "review": {"comments": []}}`,
			`error: acme__r1@0000001.json: line 1: the file is named after acme__r1@0000001, and its "instance_id" is acme__r0@0000000`},
		{"x.jsonl", "{\"instance_id\": \"acme__r0@0000000\", \"review\": {\"comments\": []}}\n{\"instance_id\": \"acme__r0@0000000\", \"review\": {\"comments\": []}}",
			"error: x.jsonl: line 2: comments on acme__r0@0000000 stand in x.jsonl tooacme__r0@0000000"},
	} {
		s := &System{Name: "s"}
		s.Add(b, c.file, []byte(c.text), "")
		if got := shown(b, s); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %.40q:\n%s\n%s", c.file, c.text, got, c.want)
		}
	}
	s := &System{Name: "s"}
	s.Add(b, "all.json", []byte(instances), "")
	if a := s.Answers["acme__r0@0000000"]; *a.Spent[0] != 2 || *a.Spent[1] != 7 || *a.Spent[3] != .5 || a.Spent[2] != nil {
		t.Errorf("%+v", a)
	}
	s = &System{Name: "s"}
	s.Add(b, "acme__r0@0000000.txt", []byte("One.\n\nTwo."), comments.Paragraphs)
	if n := len(s.Answers["acme__r0@0000000"].Comments); n != 2 {
		t.Errorf("%d paragraphs", n)
	}
}

func shown(b *Benchmark, s *System) string {
	var out strings.Builder
	for _, err := range s.Broken {
		out.WriteString("error: " + err.Error())
		if i := strings.Index(out.String(), ", not even"); i >= 0 {
			short := out.String()[:i]
			out.Reset()
			out.WriteString(short)
		}
	}
	for _, p := range b.Pulls {
		if a := s.Answers[p.ID]; a != nil {
			out.WriteString(p.ID)
			for _, c := range a.Comments {
				fmt.Fprintf(&out, " [%s %s %d %d %s]", c.Path, c.Side, c.From, c.To, c.Text)
			}
		}
	}
	for _, w := range s.Warnings() {
		out.WriteString("; " + w)
	}
	return out.String()
}

// TestAmbiguousNames: two repositories of one name and number can only be told apart by the owner.
func TestAmbiguousNames(t *testing.T) {
	f, err := ReadTruth([]byte(`[{"githubPrUrl": "https://github.com/a/r/pull/1", "target_commit": "1111111", "comments": []},
		{"githubPrUrl": "https://github.com/b/r/pull/1", "target_commit": "2222222", "comments": []}]`))
	if err != nil {
		t.Fatal(err)
	}
	b := New(f, nil)
	if _, err := b.find("comments_r_1.txt"); err == nil || !strings.Contains(err.Error(), "two pull requests could be called") {
		t.Error(err)
	}
	if id, err := b.find("comments_b_r_1.txt"); id != "b__r@2222222" || err != nil {
		t.Error(id, err)
	}
}

// TestSample: each language has its share, and the order of the file does not matter.
func TestSample(t *testing.T) {
	var f File
	for i := range 30 {
		f.Pulls = append(f.Pulls, PullRequest{ID: fmt.Sprintf("o__r@%07d", i), Language: []string{"Go", "Go", "C"}[i%3], Repo: "o/r", number: fmt.Sprint(i)})
	}
	f.Sum = strings.Repeat("0", 64)
	draw := func(seed uint64, reverse bool) string {
		g := f
		if reverse {
			g.Pulls = nil
			for _, p := range f.Pulls {
				g.Pulls = append([]PullRequest{p}, g.Pulls...)
			}
		}
		b := New(&g, nil)
		if err := b.Sample(9, seed); err != nil {
			t.Fatal(err)
		}
		langs, out := map[string]int{}, b.Signature
		for _, p := range b.Pulls {
			langs[p.Language]++
			out += " " + p.ID
		}
		if langs["Go"] != 6 || langs["C"] != 3 {
			t.Error(langs)
		}
		return out
	}
	if draw(1, false) != draw(1, true) || draw(1, false) == draw(2, false) || !strings.Contains(draw(3, false), "sample=9:seed=3") {
		t.Error("the draws depend on the order, or not on the seed")
	}
	if err := New(&f, nil).Sample(31, 0); err == nil {
		t.Error("a sample larger than the benchmark")
	}
}

func FuzzReadTruth(f *testing.F) {
	f.Add([]byte(`[{"githubPrUrl": "https://github.com/o/n/pull/1", "target_commit": "abcdef0", "comments": [{"note": "n", "path": "p", "from_line": 3, "to_line": "1"}]}]`))
	f.Add([]byte(zipped("[]")))
	f.Add([]byte("[{},"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := ReadTruth(text)
		if err != nil {
			return
		}
		for _, p := range New(file, file).Pulls {
			for _, r := range p.References {
				if r.From > r.To || r.From < 0 || r.From == 0 && r.To != 0 || strings.Contains(r.Path, `\`) {
					t.Errorf("%+v", r)
				}
			}
		}
	})
}

func FuzzAdd(f *testing.F) {
	f.Add("comments_r0_10.txt", []byte("<path>a<side>left<from>1<to>2<note>n<notesplit />"))
	f.Add("x.json", []byte(`{"instance_id": "acme__r0@0000000", "review": {"comments": [{"content": "c"}]}}`))
	f.Add("acme__r0@0000000.json", []byte(`[{"path": "a", "line": 4, "body": "b"}]`))
	f.Add("acme__r0@0000000", []byte(zipped("a right 1 2 b <notesplit>")))
	b := New(truthOf(f, `{"note": "n", "path": "a", "from_line": 1, "to_line": 2}`), nil)
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		s := &System{Name: "s"}
		s.Add(b, name, text, "")
		if len(s.Answers)+len(s.Broken)+len(s.Unknown) == 0 && !hasInstances(text) {
			t.Error("a file is lost")
		}
		rep, err := Study(t.Context(), b, []*System{s}, options(Lines{}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(rep); err != nil {
			t.Fatal(err)
		}
		if got := rep.Systems[0]; got.Full.Matches+got.Invalid+got.Neither != got.Comments {
			t.Errorf("%+v", got)
		}
	})
}

func FuzzReadDiffs(f *testing.F) {
	b := New(truthOf(f, ""), nil)
	f.Add([]byte(`{"id": "acme__r0@0000000", "diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}`), 1)
	f.Add([]byte(`{"url": "https://github.com/acme/r0/pull/10", "diff": ""}`+"\n{}"), 0)
	f.Fuzz(func(t *testing.T, text []byte, line int) {
		d, err := ReadDiffs(b, text)
		if err != nil {
			return
		}
		if code := d.Code("acme__r0@0000000", Place{Path: "x", From: line, To: line}); strings.Count(code, "\n") >= shownCode {
			t.Error(code)
		}
	})
}

// TestSettle: comments get the names that the pull request has for their files, and keep the
// lines that its diff has.
func TestSettle(t *testing.T) {
	b := New(truthOf(t, `{"note": "n", "path": "shop/till.py", "side": "right", "from_line": 3, "to_line": 3}`), nil)
	var err error
	b.Diffs, err = ReadDiffs(b, []byte(`{"id": "acme__r0@0000000", "diff": "--- a/shop/till.py\n+++ b/shop/till.py\n@@ -2,1 +3,2 @@\n a\n+b\n@@ -9,1 +11,1 @@\n-c\n+d\n--- a/my lib/x.py\n+++ b/my lib/x.py\n@@ -1,1 +1,1 @@\n-a\n+b\n"}`))
	if err != nil {
		t.Fatal(err)
	}
	partly, err := ReadDiffs(b, []byte(`{"id": "acme__r0@0000000", "diff": "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+b\n"}`))
	if err != nil || len(partly.Warnings) != 1 || !strings.Contains(partly.Warnings[0], "line 1, and maybe others, has files that cannot be read: x.py was left out: line 3") {
		t.Errorf("%v, %q", err, partly.Warnings)
	}
	for _, c := range []struct{ path, lines, want string }{
		{"/shop/till.py", `"start_line": 3, "end_line": 3, "side": "right"`, "shop/till.py right 3 3"},
		{`.\\shop\\till.py`, `"start_line": 1, "end_line": 8, "side": "right"`, "shop/till.py right 3 4"},
		{"b/shop/till.py", `"start_line": 1, "end_line": 5000000000, "side": "right"`, "shop/till.py right 3 11"},
		{"shop/till.py", `"start_line": 4, "end_line": 90, "side": "left"`, "shop/till.py left 9 9"},
		{"shop/till.py", `"start_line": 50, "end_line": 60, "side": "right"`, "shop/till.py right 50 60"},
		{"file:///C:/ci/my%20lib/x.py", `"side": "right"`, "my lib/x.py right 0 0"},
		{"./lib//x.py", `"side": "right"`, "lib/x.py right 0 0; comments on files that neither the truth nor a diff has: 1 (the first: all.json, ./lib//x.py)"},
	} {
		s := &System{}
		s.Add(b, "all.json", []byte(`{"instance_id": "acme__r0@0000000", "review": {"comments": [{"content": "x", "path": "`+c.path+`", `+c.lines+`}]}}`), "")
		if len(s.Broken) > 0 {
			t.Error(s.Broken)
			continue
		}
		p := s.Answers["acme__r0@0000000"].Comments[0].Place
		if got := strings.Join(append([]string{fmt.Sprintf("%s %s %d %d", p.Path, p.Side, p.From, p.To)}, s.notes.texts()...), "; "); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.path, c.lines, got, c.want)
		}
	}
}
