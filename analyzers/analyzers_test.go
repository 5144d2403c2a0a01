package analyzers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// script is a tool of the tests' own: a shell script that prints lines such as
// "crscore0.py 3 text", or "crscore0.py - reason" for a file that it could not read.
func script(t *testing.T, text string) (Tool, Options) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "toy")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 1.0; exit; fi\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return Tool{
		Name: "toy", Languages: []lang.Name{lang.Python}, Program: "toy", Install: "write it",
		Version: adapter.Version{Args: []string{"--version"}, Pattern: regexp.MustCompile(`(\d+\.\d+)`), From: "1", Before: "2"},
		Config:  []adapter.ConfigFile{{Name: "toy.cfg", Text: "fixed\n"}},
		Keep:    []adapter.Variable{{Name: "TOY_A"}, {Name: "TOY_B", Home: ".toy"}, {Name: "TOY_C", Home: ".none"}},
		Env:     []string{"TOY=1"},
		Exits:   []int{0},
		Parse: func(out []byte) (adapter.Report, error) {
			var r adapter.Report
			for line := range strings.Lines(string(out)) {
				f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
				if len(f) < 3 {
					return adapter.Report{}, errors.New("not a line of three")
				}
				if f[1] == "-" {
					r.Unread = append(r.Unread, adapter.Unread{Path: f[0], Reason: f[2]})
					continue
				}
				n := 0
				_, _ = fmt.Sscan(f[1], &n)
				r.Findings = append(r.Findings, findings.Finding{Path: f[0], Line: n, Message: f[2], Rule: "r", Severity: findings.Info})
			}
			return r, nil
		},
	}, Options{Paths: map[string]string{"toy": path}, Timeout: 30 * time.Second}
}

func texts(texts ...string) []File {
	files := make([]File, len(texts))
	for i, s := range texts {
		files[i] = File{Path: fmt.Sprintf("dir/%d.py", i), Text: s}
	}
	return files
}

func run(t *testing.T, tool Tool, files []File, o Options) Result {
	t.Helper()
	r, err := Run(t.Context(), tool, files, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBox shows what a tool sees of the machine.
func TestBox(t *testing.T) {
	tool, o := script(t, `ls -a | while read -r f; do echo "crscore0.py 1 has $f"; done
env | cut -d= -f1 | sort | while read -r v; do echo "crscore0.py 2 $v"; done
echo "$PWD/crscore0.py 3 $(cat toy.cfg) $(ls -A "$HOME" | wc -l | tr -d " ") $TOY_A $TOY_B $TOY_C in $PWD/crscore0.py"`)
	t.Setenv("TOY_A", "kept")
	t.Setenv("SECRET_TOKEN", "x")
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := os.Mkdir(filepath.Join(home, ".toy"), 0o700); err != nil {
		t.Fatal(err)
	}
	private(t)
	r := run(t, tool, texts("a\nb\nc"), o)
	var got []string
	for _, f := range r.Files[0].Findings {
		if f.Line == 3 {
			got = append(got, f.Message)
			continue
		}
		got = append(got, strings.TrimPrefix(f.Message, "has "))
	}
	// Shells add variables of their own.
	got = slices.DeleteFunc(got, func(s string) bool { return slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, s) })
	// The tool's name for the file is replaced by its own.
	want := ". .. dir/0.py toy.cfg HOME LANG LC_ALL NO_COLOR PATH TMPDIR TOY TOY_A TOY_B fixed 0 kept " + home + "/.toy in dir/0.py"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("the tool sees\n%s\nwant\n%s", s, want)
	}
}

// TestChildrenAreKilled starts a child that writes for as long as it lives.
func TestChildrenAreKilled(t *testing.T) {
	for name, after := range map[string]string{
		"at the timeout":                     "sleep 300",
		"at the end":                         "exit 0",
		"when ctx ends":                      "sleep 300",
		"when there is too much output":      "cat /dev/zero",
		"at the end, holding the pipes open": "exit 0",
		"in a session of its own":            "sleep 300",
	} {
		t.Run(name, func(t *testing.T) {
			beat := filepath.Join(t.TempDir(), "beat")
			redirect := ">/dev/null 2>&1"
			if strings.Contains(name, "pipes") {
				redirect = ""
			}
			shell := "sh"
			if strings.Contains(name, "session") {
				if _, err := os.Stat("/proc/self/environ"); err != nil || exec.Command("setsid", "true").Run() != nil {
					t.Skip("no /proc, or no setsid")
				}
				shell = "setsid sh"
			}
			tool, o := script(t, fmt.Sprintf("%s -c \"while :; do echo x >>'%s'; sleep 0.02; done\" %s &\nwhile [ ! -s '%s' ]; do sleep 0.02; done\n%s", shell, beat, redirect, beat, after))
			private(t)
			a, err := Find(t.Context(), tool, o)
			if err != nil || a.State != Clean {
				t.Fatalf("%+v, %v", a, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			switch name {
			case "at the timeout", "in a session of its own":
				a.options.Timeout = 500 * time.Millisecond
			case "when ctx ends":
				time.AfterFunc(500*time.Millisecond, cancel)
			}
			start := time.Now()
			r, err := a.Run(ctx, texts(""))
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
			if ctx.Err() != nil {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			} else if err != nil || r.State == Clean != strings.Contains(name, "at the end") {
				t.Errorf("%s: %s, %v", r.State, r.Reason, err)
			}
			time.Sleep(100 * time.Millisecond) // to die
			before, _ := os.ReadFile(beat)
			time.Sleep(200 * time.Millisecond)
			after, _ := os.ReadFile(beat)
			if len(before) == 0 || len(before) != len(after) {
				t.Errorf("the child lives: %d, then %d bytes", len(before), len(after))
			}
		})
	}
}

// TestGuard kills a process that runs a tool. The tool and its child, which write for
// as long as they live, end with it, and the box goes.
func TestGuard(t *testing.T) {
	const self = "CRSCORE_TEST_GUARD"
	if path := os.Getenv(self); path != "" {
		tool, o := script(t, "")
		o.Paths["toy"], o.Timeout = path, time.Hour
		t.Error(Run(context.Background(), tool, texts(""), o))
		return
	}
	dir := t.TempDir()
	beat, boxes := filepath.Join(dir, "beat"), filepath.Join(dir, "boxes")
	if err := os.Mkdir(boxes, 0o700); err != nil {
		t.Fatal(err)
	}
	_, o := script(t, fmt.Sprintf("write() { while :; do echo $1 >>'%s'; echo >\"$HOME/x\"; sleep 0.02; done; }\nwrite child &\nwrite tool", beat))
	cmd := exec.Command(os.Args[0], "-test.run=^TestGuard$")
	cmd.Env = append(os.Environ(), self+"="+o.Paths["toy"], "TMPDIR="+boxes)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	within := func(what string, holds func() bool) {
		t.Helper()
		for range 1000 {
			if holds() {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatal(what)
	}
	within("it does not start", func() bool {
		b, _ := os.ReadFile(beat)
		return strings.Contains(string(b), "child") && strings.Contains(string(b), "tool")
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	within("the box is left", func() bool {
		left, err := filepath.Glob(filepath.Join(boxes, "crscore-*"))
		return err == nil && len(left) == 0
	})
	before, _ := os.ReadFile(beat)
	time.Sleep(200 * time.Millisecond)
	if after, _ := os.ReadFile(beat); len(after) != len(before) {
		t.Errorf("the tool lives: %d, then %d bytes", len(before), len(after))
	}
}

// TestOneBadFile holds that a file on which a tool crashes does not take the
// answer from the others.
func TestOneBadFile(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	tool, o := script(t, fmt.Sprintf("echo >>'%s'; if grep -qs CRASH crscore*.py; then echo boom >&2; kill -KILL $$; fi\nfor f; do echo \"$f 1 seen\"; done", starts))
	private(t)
	all := make([]string, batchFiles+100)
	all[7], all[batchFiles+99] = "CRASH", "CRASH"
	r := run(t, tool, texts(all...), o)
	for i, f := range r.Files {
		want := Found
		if all[i] != "" {
			want = Failed
		}
		if f.State != want || want == Found && f.Findings[0].Path != fmt.Sprintf("dir/%d.py", i) {
			t.Errorf("file %d: %+v", i, f)
		}
	}
	if r.State != Failed || !strings.Contains(r.Reason, "2 of 500 files, dir/7.py for one: a signal ended it (signal: killed): boom") {
		t.Errorf("%s: %s", r.State, r.Reason)
	}

	// A slow tool is given fewer files at once.
	if err := os.Remove(starts); err != nil {
		t.Fatal(err)
	}
	tool.Batch = 50
	r = run(t, tool, texts(make([]string, 120)...), o)
	if b, _ := os.ReadFile(starts); len(b) != 3 || r.State != Found || r.Files[119].State != Found {
		t.Errorf("%d starts: %s", len(b), r.State)
	}
	tool.Batch = 0

	// When every file is bad, the tool is not started for ever.
	if err := os.Remove(starts); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i] = "CRASH"
	}
	r = run(t, tool, texts(all[:batchFiles]...), o)
	for i, f := range r.Files {
		if f.State != Failed {
			t.Errorf("file %d: %+v", i, f)
		}
	}
	if b, _ := os.ReadFile(starts); len(b) != 1+restarts {
		t.Errorf("%d starts", len(b))
	}
}

func TestFindingsAreMadeFit(t *testing.T) {
	tool, o := script(t, `printf 'crscore1.py 99 \033[31mred\033[0m\tand\302\205 white \377\n'; echo "crscore1.py -3 y"; echo "crscore0.py 1 misread"; echo "crscore0.py - "; echo "crscore0.py - later"; echo "crscore2.py 1 $(head -c 9000 /dev/zero | tr '\000' x)"`)
	private(t)
	r := run(t, tool, texts("", "a\nb\n", "c"), o)
	f := r.Files[1].Findings
	if len(f) != 2 || f[0].Line != 0 || f[1].Line != 2 || f[1].Message != "[31mred[0m and white" || f[1].Path != "dir/1.py" {
		t.Errorf("%+v", f)
	}
	if r.Files[0].State != Failed || r.Files[0].Findings != nil || r.Files[0].Reason != "the tool gives no reason" || r.State != Failed {
		t.Errorf("%+v", r)
	}
	if n := len([]rune(r.Files[2].Findings[0].Message)); n != limits.FindingText {
		t.Errorf("a message of %d characters", n)
	}
}

// TestNamesInMessages: the tool's name of a file is replaced, and nothing else is.
func TestNamesInMessages(t *testing.T) {
	tool, o := script(t, `echo "crscore0.py 1 f0.py is set in crscore0.py and ./crscore0.py, not in crscore1.py"`)
	private(t)
	r := run(t, tool, texts("a"), o)
	if got := r.Files[0].Findings; len(got) != 1 || got[0].Message != "f0.py is set in dir/0.py and ./dir/0.py, not in crscore1.py" {
		t.Errorf("%+v", r)
	}
}

func TestFilesThatAreNotRun(t *testing.T) {
	tool, o := script(t, "exit 3")
	private(t)
	r := run(t, tool, []File{{Path: "a.rb"}, {Path: "b"}, {Path: "c.py", Text: strings.Repeat("x", limits.FileAnalyzed+1)}, {Path: "d.py", Text: "a\r\nb\rc\n"}}, o)
	for i, want := range []string{
		"toy does not read ruby", "toy does not read files of an unknown language", "larger than the limit of 4 MiB",
		"it has carriage returns alone, which the tool may take for ends of lines",
	} {
		if r.Files[i].State != Failed || r.Files[i].Reason != want {
			t.Errorf("%+v", r.Files[i])
		}
	}
	tool.Project = &adapter.Project{}
	if r := run(t, tool, texts(""), o); r.State != Failed || !strings.Contains(r.Reason, "whole project") {
		t.Errorf("%+v", r)
	}
}

func TestNoPlaceForFiles(t *testing.T) {
	tool, o := script(t, "")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if r, err := Run(t.Context(), tool, texts(""), o); err == nil || !strings.Contains(err.Error(), "making a directory for toy (TMPDIR says where)") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRelativePlace: TMPDIR may be relative, and tools may print absolute names.
func TestRelativePlace(t *testing.T) {
	tool, o := script(t, `echo "$PWD/crscore0.py 1 $HOME"`)
	t.Chdir(t.TempDir())
	if err := os.Mkdir("tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", "tmp")
	r := run(t, tool, texts("a\n"), o)
	if r.State != Found || !filepath.IsAbs(r.Files[0].Findings[0].Message) {
		t.Errorf("%+v", r)
	}
	if left, err := os.ReadDir("tmp"); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestNodeModules(t *testing.T) {
	tool, o := script(t, "")
	tool.Program, tool.NodeModule = "no-such-program", "pkg/bin/toy"
	private(t)
	modules := t.TempDir()
	if err := os.MkdirAll(filepath.Join(modules, "pkg/bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(o.Paths["toy"], filepath.Join(modules, "pkg/bin/toy")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dirs []string
		want State
	}{{nil, Missing}, {[]string{t.TempDir()}, Missing}, {[]string{t.TempDir(), modules}, Clean}} {
		r := run(t, tool, nil, Options{NodeModules: c.dirs})
		if r.State != c.want || r.State == Missing && !strings.Contains(r.Reason, "not on PATH, nor in a node_modules folder that was named; to install it: write it") {
			t.Errorf("%v: %s: %s", c.dirs, r.State, r.Reason)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"5.1.0", "5.0", 1}, {"5.0", "5.0.0", 0}, {"7", "10", -1}, {"6.99.99", "7", -1}, {"7.0.0", "7", 0}} {
		if got := compareVersions(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %d", c.a, c.b, got)
		}
	}
}
