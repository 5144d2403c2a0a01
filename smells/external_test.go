package smells

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"crscore/analyzers"
	"crscore/change"
	"crscore/internal/findings"
	"crscore/internal/lang"
	"crscore/internal/limits"
)

// wordy is a tool that finds a line with a "!", and says what stands behind it; a
// line "cannot read" is a file that it cannot read. It counts its starts.
type wordy struct{ starts int }

var wordyTool = analyzers.Tool{Name: "wordy", Languages: []lang.Name{lang.Python}}

func (w *wordy) Run(_ context.Context, files []analyzers.File) (analyzers.Result, error) {
	w.starts++
	r := analyzers.Result{Files: make([]analyzers.FileResult, len(files))}
	for i, f := range files {
		r.Files[i].State = analyzers.Clean
		for n, line := range strings.Split(f.Text, "\n") {
			if state, ok := map[string]analyzers.State{"cannot read": analyzers.Failed, "hangs": analyzers.TimedOut}[line]; ok {
				r.Files[i] = analyzers.FileResult{State: state, Reason: "line 1: no"}
				break
			}
			if _, message, ok := strings.Cut(line, "!"); ok {
				r.Files[i].State = analyzers.Found
				r.Files[i].Findings = append(r.Files[i].Findings, findings.Finding{Rule: "R", Line: n + 1, Message: message})
			}
		}
	}
	return r, nil
}

// replaced is a change that replaces a text by another; lines is the diff of it.
func replaced(t *testing.T, path, old, now, lines string) *change.Change {
	t.Helper()
	count := func(signs string) int {
		return len(strings.FieldsFunc(lines, func(r rune) bool { return r == '\n' })) - strings.Count("\n"+lines, "\n"+signs)
	}
	diff := fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1,%d +1,%d @@\n%s", path, path, count("+"), count("-"), lines)
	opts := change.Options{}
	if old != "" {
		opts.Old, opts.New = &old, &now
	}
	c, err := change.Parse([]byte(diff), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Warnings) > 0 {
		t.Fatal(c.Warnings)
	}
	return c
}

func TestExamine(t *testing.T) {
	for _, c := range []struct {
		name, path, old, now, diff string
		want                       []string
		state                      analyzers.State
		reason                     string
	}{
		{"new", "a.py", "a\nb\n", "a\nc !avoid this\n", " a\n-b\n+c !avoid this\n", []string{"2 Avoid this."}, analyzers.Found, ""},
		{"on an unchanged line", "a.py", "a !x y\nb\n", "a !x y\nc\n", " a !x y\n-b\n+c\n", nil, analyzers.Clean, ""},
		{"there before", "a.py", "a\nb !x y\n", "a\nc !x y\n", " a\n-b !x y\n+c !x y\n", nil, analyzers.Clean, ""},
		{"one of two there before", "a.py", "a\nb !x y\n", "c !x y\nd !x y\n", "-a\n-b !x y\n+c !x y\n+d !x y\n", []string{"2 X y."}, analyzers.Found, ""},
		{"moved", "a.py", "b !x y\na\n", "a\nb !x y\n", "-b !x y\n a\n+b !x y\n", nil, analyzers.Clean, ""},
		{"worse", "a.py", "a !size of `f` is 9 (B)\n", "b !size of `f` is 14 (B)\n", "-a !size of `f` is 9 (B)\n+b !size of `f` is 14 (B)\n",
			[]string{"1 Size of `f` is 14 (B); it was 9 before."}, analyzers.Found, ""},
		{"better", "a.py", "a !size of `f` is 14\n", "b !size of `f` is 9\n", "-a !size of `f` is 14\n+b !size of `f` is 9\n", nil, analyzers.Clean, ""},
		{"of another name", "a.py", "a !size of f1 is 9\n", "b !size of f2 is 9\n", "-a !size of f1 is 9\n+b !size of f2 is 9\n", nil, analyzers.Clean, ""},
		{"at another line", "a.py", "a !first set in line 3\n", "b !first set in line 4\n", "-a !first set in line 3\n+b !first set in line 4\n", nil, analyzers.Clean, ""},
		{"cannot be read", "a.py", "a\n", "cannot read\n", "-a\n+cannot read\n", nil, analyzers.Failed, "a.py: line 1: no"},
		{"could not be read", "a.py", "cannot read\n", "a !x y\n", "-cannot read\n+a !x y\n", []string{"1 X y."}, analyzers.Found, ""},
		{"was too slow", "a.py", "hangs\n", "a !x y\n", "-hangs\n+a !x y\n", []string{"1 X y."}, analyzers.TimedOut, "a.py: before the change: line 1: no"},
		{"of another value", "a.py", "a !'5' is magic\n", "b !'7' is magic\n", "-a !'5' is magic\n+b !'7' is magic\n", nil, analyzers.Clean, ""},
		{"only hunks", "a.py", "", "", "-a\n+b !x\n", nil, analyzers.Failed, "a.py: only hunks of it are known, and wordy needs whole files: give a range, or its old or new text"},
		{"another language", "a.java", "a\n", "b !x\n", "-a\n+b !x\n", nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Examine(t.Context(), &wordy{}, wordyTool, []*change.Change{replaced(t, c.path, c.old, c.now, c.diff)})
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			var said []string
			for _, s := range got[0].Smells {
				said = append(said, fmt.Sprint(s.StartLine, " ", s.Text))
				if s.Path != c.path || s.Source != "wordy" || s.Rule != "R" {
					t.Errorf("%+v", s)
				}
			}
			if !slices.Equal(said, c.want) || got[0].State != c.state || got[0].Reason != c.reason {
				t.Errorf("%q, %s: %s", said, got[0].State, got[0].Reason)
			}
			if got[0].Answered() != (c.state != analyzers.Failed && c.state != analyzers.TimedOut) {
				t.Errorf("answered: %v", got[0].Answered())
			}
		})
	}
}

// TestExamineStarts: however many changes, the tool is started once for the new
// texts and once for the old ones.
func TestExamineStarts(t *testing.T) {
	var changes []*change.Change
	for i := range 20 {
		changes = append(changes, replaced(t, fmt.Sprintf("f%d.py", i), "a\n", "b !x y\n", "-a\n+b !x y\n"))
	}
	w := &wordy{}
	got, err := Examine(t.Context(), w, wordyTool, changes)
	if err != nil || w.starts != 2 {
		t.Fatalf("%d starts, %v", w.starts, err)
	}
	for i, e := range got {
		if len(e.Smells) != 1 || e.Smells[0].Path != fmt.Sprintf("f%d.py", i) {
			t.Errorf("change %d: %+v", i, e)
		}
	}
}

// TestLinks: what a link's text is, is no code, whatever the link's name.
func TestLinks(t *testing.T) {
	c, err := change.Parse([]byte("diff --git a/l.py b/l.py\nnew file mode 120000\nindex 0000000..1111111\n--- /dev/null\n+++ b/l.py\n@@ -0,0 +1 @@\n+cannot read\n\\ No newline at end of file\n"+
		"diff --git a/m.py b/m.py\nindex 2222222..1111111 120000\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a\n+b !x\n"), change.Options{})
	if err != nil || len(c.Files) != 2 {
		t.Fatal(c, err)
	}
	got, err := Examine(t.Context(), &wordy{}, wordyTool, []*change.Change{c})
	if err != nil || got[0].Files != 0 || !got[0].Answered() {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFromFindings(t *testing.T) {
	c, err := change.Parse([]byte("--- a/src/a.py\n+++ b/src/a.py\n@@ -4,2 +4,2 @@\n a\n-b\n+c\n--- a/lib/src/a.py\n+++ b/lib/src/a.py\n@@ -1 +1 @@\n-b\n+c\n"), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"src/a.py": "src/a.py", "./src/a.py": "src/a.py", "/home/me/project/src/a.py": "src/a.py", `C:\project\src\a.py`: "src/a.py",
		"/ci/lib/src/a.py": "lib/src/a.py", "a.py": "", "xsrc/a.py": "", "other/src/a.py": "", "": "", "/": "", "C:": "",
	} {
		got, elsewhere, nowhere := FromFindings(c, []findings.Finding{
			{Tool: "t", Path: path, Line: 4, Message: "unchanged in one"}, {Tool: "t", Path: path, Line: 5, Message: "on a changed line"},
			{Tool: "t", Path: path, Line: 1, Message: "changed in the other"}, {Tool: "t", Path: path, Message: "of the whole file"},
		})
		switch {
		case want == "":
			if len(elsewhere) != 4 || nowhere != 0 || got != nil {
				t.Errorf("%q: %+v, %v, %d", path, got, elsewhere, nowhere)
			}
		case len(got) != 1 || got[0].Path != want || got[0].Source != "t" || elsewhere != nil || nowhere != 1 || (want == "src/a.py") != (got[0].StartLine == 5):
			t.Errorf("%q: %+v, %v, %d", path, got, elsewhere, nowhere)
		}
	}
}

// TestFindingsElsewhere: a file of the same name in another folder is another one.
func TestFindingsElsewhere(t *testing.T) {
	c, err := change.Parse([]byte("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-b\n+c\n"), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]string{
		{"a.py", "lib/a.py"}, {"/ci/a.py", "/ci/lib/a.py"}, {"/ci/lib/a.py", "/ci/a.py"}, {"/ci/a.py", "/usr/lib/a.py", "/ci/b.py"},
		{`D:\ci\lib\a.py`, `D:\ci\a.py`}, {"a.py", "/a.pyc", "/"},
		{"a.py", strings.Repeat("/lib", 1<<20) + "/a.py"},
	} {
		var found []findings.Finding
		for _, p := range list {
			found = append(found, findings.Finding{Path: p, Line: 1, Message: p})
		}
		got, elsewhere, _ := FromFindings(c, found)
		if len(got) != 1 || len(elsewhere) != len(list)-1 || strings.Contains(got[0].Text, "lib") {
			t.Errorf("%.200q: %+v, %.200q elsewhere", list, got, elsewhere)
		}
	}
}

func FuzzExternal(f *testing.F) {
	f.Add("size is 9", "size is 14", "R", 3)
	f.Add("x\x1b[31m\nutf8 line 99999999999999999999", "", "", -1)
	f.Fuzz(func(t *testing.T, before, now, rule string, line int) {
		c, err := change.Parse([]byte("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-b\n+c\n"), change.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := newLineMap(&c.Files[0])
		list := []findings.Finding{{Rule: rule, Message: now, Line: line}}
		if got := m.external("t", &c.Files[0], list, list); len(got) > 0 {
			t.Errorf("%q is new beside itself", now)
		}
		for _, s := range m.external("t", &c.Files[0], list, []findings.Finding{{Rule: rule, Message: before, Line: line}}) {
			if strings.ContainsAny(s.Text, "\n\x1b") || len([]rune(s.Text)) > limits.SmellText+40 {
				t.Errorf("%q", s.Text)
			}
		}
	})
}
