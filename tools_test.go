package crscore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/analyzers"
	"crscore/analyzers/adapter"
	"crscore/change"
	"crscore/change/changetest"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/score"
	"crscore/smells"
)

// counted is a tool that prints "FILE LINE" for each line with a TODO, and fails on
// a file with a CRASH. Its starts are lines of a log.
func counted(t *testing.T) (tool analyzers.Tool, opts analyzers.Options, starts func() int) {
	t.Helper()
	dir := t.TempDir()
	path, log := filepath.Join(dir, "counted"), filepath.Join(dir, "log")
	script := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --version ] && { echo 1.2; exit; }\necho x >>'%s'\ngrep -q CRASH \"$@\" && exit 3\ngrep -n TODO /dev/null \"$@\" | sed 's/:/ /; s/:.*//'\nexit 0\n", log)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	tool = analyzers.Tool{
		Name: "counted", Languages: []lang.Name{lang.Python}, Program: "counted", Install: "write it", Exits: []int{0},
		Version: adapter.Version{Args: []string{"--version"}, Pattern: regexp.MustCompile(`(\d+\.\d+)`), From: "1", Before: "2"},
		Parse: func(out []byte) (r adapter.Report, err error) {
			for line := range strings.Lines(string(out)) {
				f := findings.Finding{Rule: "todo", Message: "Something is left to do"}
				if _, err := fmt.Sscan(line, &f.Path, &f.Line); err != nil {
					return adapter.Report{}, err
				}
				r.Findings = append(r.Findings, f)
			}
			return r, nil
		},
	}
	return tool, analyzers.Options{Paths: map[string]string{"counted": path}}, func() int {
		b, _ := os.ReadFile(log)
		return strings.Count(string(b), "x")
	}
}

// edited is a change of a whole file.
func edited(t *testing.T, path, old, now string) Input {
	t.Helper()
	c, err := change.Parse([]byte(fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-%s\n+%s\n", path, path, old, now)), change.Options{Old: ptr(old + "\n")})
	if err != nil {
		t.Fatal(err)
	}
	return Input{Change: c}
}

// TestStreamTools: the tool is started for many changes at once, and each has its
// own answer.
func TestStreamTools(t *testing.T) {
	tool, opts, starts := counted(t)
	e := newEngine(t, Options{Claims: []Source{}, Smells: []Source{ToolSmells(tool, opts)}, Similarity: words{}, Mode: score.Hard, Tau: new(float64), Workers: 3})
	if !strings.HasSuffix(e.Signature(), "smells=counted/1.2") {
		t.Error(e.Signature())
	}
	const n = 30
	jobs, outcomes := 0, 0
	err := e.Stream(t.Context(), func() (Job, error) {
		i := jobs
		if jobs++; i == n {
			return Job{}, io.EOF
		}
		in := edited(t, fmt.Sprintf("f%d.py", i), "a = 1", fmt.Sprintf("a = 2 # TODO %d", i))
		switch i {
		case 3:
			return Job{Load: func() (Input, error) { return Input{}, errors.New("no diff") }, Reviews: []string{"x"}}, nil
		case 4:
			in = edited(t, "f.py", "a = 1", "a = 2")
		case 5:
			in = edited(t, "f.py", "a = 1", "a = 2 # CRASH")
		case 6:
			in = edited(t, "f.go", "var a = 1", "var a = 2 // TODO")
		case 7:
			in.Change = changetest.Parse(t, "--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-a\n+b\n")
		}
		return Job{Load: func() (Input, error) { return in, nil }, Reviews: []string{"Something to do"}}, nil
	}, func(o Outcome) error {
		i, r := outcomes, o.Results[0]
		outcomes++
		want := map[int]string{3: "no diff", 4: "no pseudo-references", 5: "counted/1.2: failed: f.py: exit status 3", 6: "no pseudo-references",
			7: "counted/1.2: failed: f.py: only hunks"}[i]
		if (r.Status == Unscored) != (want != "") || !strings.Contains(r.Reason, want) {
			t.Errorf("change %d: %s: %s", i, r.Status, r.Reason)
		}
		if want == "" && (len(o.Refs) != 1 || o.Refs[0].Path != fmt.Sprintf("f%d.py", i) || o.Refs[0].Source != "counted") {
			t.Errorf("change %d: %+v", i, o.Refs)
		}
		return nil
	})
	if err != nil || outcomes != n {
		t.Fatal(outcomes, err)
	}
	// Twice for all, and some more because of the file that it fails on.
	if got := starts(); got > 15 {
		t.Errorf("%d starts for %d changes", got, n)
	}
}

func TestToolIsMissing(t *testing.T) {
	tool, opts, _ := counted(t)
	opts.Paths["counted"] += "x"
	e := newEngine(t, Options{Claims: []Source{}, Smells: []Source{BuiltinSmells(), ToolSmells(tool, opts)}, Similarity: words{}, Mode: score.Hard, Tau: new(float64)})
	if w := e.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "counted: missing: ") {
		t.Errorf("%q", w)
	}
	_, err := e.Refs(t.Context(), edited(t, "f.py", "a", "b"))
	if err == nil || !strings.Contains(err.Error(), "counted: missing: ") {
		t.Error(err)
	}
	// It was not needed.
	set, err := e.Refs(t.Context(), edited(t, "f.rb", "a", "b"))
	if err != nil || set.Sources.String() != "claims=none smells="+smells.Version+",counted" {
		t.Error(set, err)
	}
}

func TestInstalledTools(t *testing.T) {
	tool, opts, _ := counted(t)
	missing := tool
	missing.Name, missing.Program = "missing", "there-is-no-such-program"
	auto := installed{{tool: tool, opts: opts}, {tool: missing, opts: opts}}
	for _, c := range []struct{ path, now, signature, warning string }{
		{"f.py", "b # TODO", "auto(counted/1.2)", ""},
		{"f.py", "b", "auto(counted/1.2)", ""},
		{"f.rb", "b", "auto()", ""},
		{"f.py", "CRASH", "auto()", "counted/1.2: failed: f.py: exit status 3: it printed no message; it takes no part"},
	} {
		set, err := Refs(t.Context(), edited(t, c.path, "a", c.now), Options{Claims: []Source{}, Smells: []Source{auto}})
		if err != nil {
			t.Fatal(err)
		}
		if set.Sources.String() != "claims=none smells="+c.signature || strings.Join(set.Warnings, "\n") != c.warning || (len(set.Refs) == 1) != strings.Contains(c.now, "TODO") {
			t.Errorf("%+v: %+v", c, set)
		}
	}
}

// made is a change that adds files of one line.
func made(t *testing.T, lines ...string) Input {
	t.Helper()
	var diff strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&diff, "--- /dev/null\n+++ b/f%d.py\n@@ -0,0 +1 @@\n+%s\n", i, line)
	}
	c, err := change.Parse([]byte(diff.String()), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Input{Change: c}
}

// TestToolAnswers: what became of each tool is said whatever became of the references,
// and with auto a file that a tool cannot read costs the others nothing.
func TestToolAnswers(t *testing.T) {
	tool, opts, _ := counted(t)
	old, gone := tool, tool
	old.Name, old.Version.From = "old", "1.3"
	gone.Name, gone.Program = "gone", "there-is-no-such-program"
	optsOld, optsGone := opts, opts
	optsOld.Paths = map[string]string{"old": opts.Paths["counted"]}
	optsGone.Paths = map[string]string{"gone": opts.Paths["counted"] + "x"}
	named := []Source{&toolSource{tool: tool, opts: opts}, &toolSource{tool: old, opts: optsOld}, &toolSource{tool: gone, opts: optsGone}}
	auto := installed{named[0].(*toolSource), named[1].(*toolSource), named[2].(*toolSource), {tool: gone}}
	const (
		tooOld   = "version 1.2 is not supported; install a version from 1.3 and before 2"
		notThere = "/countedx: no such file or directory"
		crashed  = "f1.py: exit status 3: it printed no message"
	)
	for _, c := range []struct {
		name      string
		smells    []Source
		lines     []string
		answers   string
		signature string // "" for none
		refs      int
		warnings  []string
	}{
		{"all", named[:1], []string{"a", "TODO"}, "counted/1.2 findings 2-0 1", "counted/1.2", 1, nil},
		{"clean", named[:1], []string{"a"}, "counted/1.2 clean 1-0 0", "counted/1.2", 0, nil},
		{"not needed", named, nil, "", "", 0, nil},
		{"named", named, []string{"TODO", "CRASH"}, "counted/1.2 failed 2-1 1; old/1.2 unsupported version 2-2 0; gone missing 2-2 0", "", 0, nil},
		{"auto", []Source{auto}, []string{"TODO", "CRASH", "TODO"}, "counted/1.2 failed 3-1 2; old/1.2 unsupported version 3-3 0; gone missing 3-3 0; gone missing 3-3 0",
			"auto(counted/1.2(files=2/3))", 2, []string{
				"counted/1.2: failed: " + crashed + "; it has read 2 of 3 files", "old/1.2: unsupported version: " + tooOld + "; it takes no part", notThere + "; it takes no part",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.lines == nil {
				c.lines = []string{"a"}
			}
			in := made(t, c.lines...)
			if c.answers == "" {
				in = edited(t, "f.rb", "a", "b")
			}
			set, err := Refs(t.Context(), in, Options{Claims: []Source{}, Smells: c.smells})
			var answers []string
			for _, a := range set.Tools {
				name := a.Tool
				if a.Version != "" {
					name += "/" + a.Version
				}
				answers = append(answers, fmt.Sprintf("%s %s %d-%d %d", name, a.State, a.Files, a.Unread, a.Findings))
				if (a.Reason == "") != (a.Unread == 0) {
					t.Errorf("%+v", a)
				}
			}
			if got := strings.Join(answers, "; "); got != c.answers {
				t.Errorf("%q, want %q", got, c.answers)
			}
			if c.name == "named" {
				if err == nil || len(set.Refs) > 0 {
					t.Error(set.Refs, err)
				}
				return
			}
			if err != nil || len(set.Refs) != c.refs || c.signature != "" && set.Sources.String() != "claims=none smells="+c.signature {
				t.Error(set, err)
			}
			if len(set.Warnings) != len(c.warnings) {
				t.Fatalf("%q", set.Warnings)
			}
			for i, w := range c.warnings {
				if !strings.HasSuffix(set.Warnings[i], w) {
					t.Errorf("%q, want %q", set.Warnings[i], w)
				}
			}
			e := newEngine(t, Options{Claims: []Source{}, Smells: c.smells, Similarity: words{}, Mode: score.Hard, Tau: new(float64)})
			_, results, err := e.Judge(t.Context(), in, "x", "y")
			if err != nil || len(results) != 2 || len(results[1].Tools) != len(set.Tools) {
				t.Errorf("%+v, %v", results, err)
			}
		})
	}
}

func TestReadFindings(t *testing.T) {
	const list = `{"message": "This is slow", "location": {"path": "/x/f.py", "range": {"start": {"line": 1}}}, "source": {"name": "semgrep"}}
{"message": "Elsewhere", "location": {"path": "g.py", "range": {"start": {"line": 1}}}}
{"message": "Of the whole file", "location": {"path": "f.py"}}
`
	s, err := ReadFindings([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	set, err := Refs(t.Context(), edited(t, "f.py", "a", "b"), Options{Claims: []Source{}, Smells: []Source{s}})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Refs) != 1 || set.Refs[0].Text != "This is slow." || set.Refs[0].Source != "semgrep" || set.Refs[0].Path != "f.py" {
		t.Errorf("%+v", set.Refs)
	}
	const warnings = "findings about files that the change does not have: 1 of 3 (the first: the diff has no file g.py)\nfindings that name no line, and so no changed one: 1 of 3"
	if strings.Join(set.Warnings, "\n") != warnings || !strings.HasPrefix(set.Sources.String(), "claims=none smells=findings:") {
		t.Errorf("%q, %s", set.Warnings, set.Sources.String())
	}
	if _, err := ReadFindings([]byte("no findings")); err == nil {
		t.Error("no error")
	}
}

// TestProjectToolIsNotAsked: without a project a tool that needs one is not started,
// not even for its version.
func TestProjectToolIsNotAsked(t *testing.T) {
	tool, opts, _ := counted(t)
	tool.Project = &adapter.Project{}
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(opts.Paths["counted"], fmt.Appendf(nil, "#!/bin/sh\necho x >>'%s'\necho 1.2\n", log), 0o700); err != nil {
		t.Fatal(err)
	}
	set, err := Refs(t.Context(), edited(t, "f.py", "a", "b"), Options{Claims: []Source{}, Smells: []Source{installed{{tool: tool, opts: opts}}}})
	if err != nil || set.Sources.String() != "claims=none smells=auto()" || len(set.Warnings) > 0 {
		t.Errorf("%+v, %v", set, err)
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("it was started")
	}
}
