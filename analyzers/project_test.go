package analyzers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"crscore/analyzers/adapter"
	"crscore/internal/lang"
	"crscore/internal/limits"
)

// projectScript is script for a tool that needs a project. With a module it is
// given folders, without one files.
func projectScript(t *testing.T, module, text string) *Analyzer {
	t.Helper()
	tool, o := script(t, text)
	tool.Project = &adapter.Project{Module: module, After: func(path string, has func(lang.Name) bool) []string {
		return []string{"--", path, fmt.Sprint(has(lang.Python), has(lang.Ruby))}
	}}
	a, err := Find(t.Context(), tool, o)
	if err != nil || a.State != Clean {
		t.Fatalf("%+v, %v", a, err)
	}
	return a
}

func runProject(t *testing.T, a *Analyzer, tree Tree, paths ...string) Result {
	t.Helper()
	private(t)
	r, err := a.RunProject(t.Context(), tree, paths)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestProjectFolders shows what a tool for modules is given.
func TestProjectFolders(t *testing.T) {
	a := projectScript(t, "mod", `[ -e mod ] || exit 9
echo "$PWD/a/x.py 1 $*"
echo "b/x.py 1 relative"; echo "b/x.py 2 outside of the file"; echo "b/unasked.py 1 left out"; echo "../mod 1 left out"`)
	tree := textTree(map[string]string{
		"sub/mod": "", "sub/a/x.py": "", "sub/a/y.py": "", "sub/b/x.py": "1", "sub/b/unasked.py": "", "mod": "", "sub/deep/mod": "", "sub/deep/z.py": "",
	})
	r := runProject(t, a, tree, "sub/a/x.py", "sub/b/x.py", "sub/a/y.py", "sub/deep/z.py")
	var got []string
	for i, f := range r.Files {
		for _, f := range f.Findings {
			got = append(got, fmt.Sprintf("%d %s:%d %s", i, f.Path, f.Line, f.Message))
		}
	}
	want := []string{"0 sub/a/x.py:1 ./a ./b", "1 sub/b/x.py:1 outside of the file", "1 sub/b/x.py:1 relative"}
	if !slices.Equal(got, want) || r.State != Found {
		t.Errorf("got %q, want %q\n%+v", got, want, r)
	}
}

// TestProjectFiles shows what a tool for files is given: one at a time, and none
// that is taken for a flag.
func TestProjectFiles(t *testing.T) {
	a := projectScript(t, "", `echo "$1 1 $# $*"`)
	r := runProject(t, a, textTree(map[string]string{"-x.py": "", "a/@y.py": ""}), "-x.py", "a/@y.py")
	if r.State != Found || r.Files[0].Findings[0].Message != "4 ./-x.py -- -x.py true false" || r.Files[1].Findings[0].Message != "4 ./a/@y.py -- a/@y.py true false" {
		t.Errorf("%+v", r)
	}
}

// TestHeaders holds that a header is one of the language that the project has.
func TestHeaders(t *testing.T) {
	tool, _ := Lookup("clang-tidy")
	a, err := Find(t.Context(), tool, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.State != Clean {
		t.Skip("NOT TESTED: ", a.Reason) // TestTools fails for it where it must be there
	}
	const header = "#pragma once\nstatic inline int one(void) { return 1; }\n"
	const class = header + "class Shop { int open() { int a = 0; if (a = 1) return a; return 0; } };\n"
	for _, c := range []struct {
		header string
		other  string
		want   State
	}{{header, "a.c", Clean}, {class, "a.c", Failed}, {class, "a.cpp", Found}, {header, "a.cpp", Clean}} {
		if r := runProject(t, a, textTree(map[string]string{"shop.h": c.header, c.other: ""}), "shop.h"); r.State != c.want {
			t.Errorf("beside %s: %+v", c.other, r)
		}
	}
}

// TestBrokenPackage holds that a package that is broken takes no answer from
// another.
func TestBrokenPackage(t *testing.T) {
	a := projectScript(t, "mod", `case "$*" in *bad*) echo "# bad" >&2; echo "bad/x.py:3: no good" >&2; exit 1;; esac; echo "a/x.py 1 m"`)
	r := runProject(t, a, textTree(map[string]string{"mod": "", "a/x.py": "", "b/x.py": "", "bad/x.py": "", "bad/y.py": ""}), "a/x.py", "b/x.py", "bad/x.py", "bad/y.py")
	for i, want := range []State{Found, Clean, Failed, Failed} {
		if r.Files[i].State != want || want == Failed && r.Files[i].Reason != "exit status 1: bad/x.py:3: no good" {
			t.Errorf("file %d: %+v", i, r.Files[i])
		}
	}
}

func TestProjectReasons(t *testing.T) {
	t.Setenv("TOY_A", "/a/cache")
	tree := textTree(map[string]string{
		"mod": "", "a.py": "", "big.py": strings.Repeat("x", limits.FileAnalyzed+1), "skipped.py": "", ".github/x.py": "", "a\nb.py": "", "go.work": "", "other.rb": "",
	})
	for _, c := range []struct{ path, script, want string }{
		{"a.py", "echo 'a.py - why'", "why"},
		{"a.py", "echo 'see manual' >&2; exit 3", "exit status 3: see manual (read it)"},
		{"a.py", "echo '/etc/secret:1: unknown word hunter2' >&2; exit 3", "it complains about a file that is not in the project"},
		{"a.py", "echo 'a.py - in ../../x/secret:1: unknown word hunter2'", "it complains about a file that is not in the project"},
		{"a.py", "echo \"$TOY_A/mod/x.py:1: no good\" >&2; exit 3", "exit status 3: mod/x.py:1: no good"},
		{"a.py", "echo 'no luck' >&2; exit 1", "exit status 1: no luck"},
		{"a.py", "echo '/elsewhere/a.py 1 m'", "its output speaks of a file that it was not given: /elsewhere/a.py"},
		{"a.py", "echo '../a.py 1 m'", "its output speaks of a file that it was not given: ../a.py"},
		{"none.py", "", "the project has no such file, or it is a link"},
		{"big.py", "", "larger than the limit of 4 MiB"},
		{"skipped.py", "", "left out: skipped.py"},
		{".github/x.py", "", "hidden files are not given to the tool"},
		{"a\nb.py", "", "its path is not valid in a project"},
		{"../x.py", "", "its path is not valid in a project"},
		{"/x.py", "", "its path is not valid in a project"},
		{"other.rb", "", "toy does not read ruby"},
	} {
		a := projectScript(t, "mod", c.script)
		a.Tool.Exits = []int{0, 1}
		a.Tool.Hints = []adapter.Hint{{Says: "manual", Do: "read it"}}
		a.Tool.Project.Skips = func(path, _ string) string {
			if path == "skipped.py" {
				return "left out: " + path
			}
			return ""
		}
		if r := runProject(t, a, tree, c.path); r.State != Failed || r.Reason != c.want || r.Files[0].Reason != c.want {
			t.Errorf("%q: %s: %q, want %q", c.path, r.State, r.Reason, c.want)
		}
	}
	a := projectScript(t, "mod", "")
	if r := runProject(t, a, textTree(map[string]string{"a.py": ""}), "a.py"); r.Reason != "there is no mod in a folder above it" {
		t.Errorf("%+v", r)
	}
	if r := runProject(t, a, textTree(map[string]string{"mod/x": "", "a.py": ""}), "a.py"); r.Reason != "there is no mod in a folder above it" {
		t.Errorf("a folder called mod: %+v", r)
	}
	if r := runProject(t, a, nil); r.State != Clean {
		t.Errorf("nothing was asked: %+v", r)
	}
}

// TestProjectCopy shows what of a project is copied.
func TestProjectCopy(t *testing.T) {
	a := projectScript(t, "", `n=0; find . -type f | sort | while read -r f; do n=$((n+1)); echo "a.py $n $f $(stat -c %a "$f")"; done`)
	r := runProject(t, a, textTree(map[string]string{
		"a.py": strings.Repeat("\n", 20), "toy.cfg": "mine", "d/.clang-tidy": "", ".git/config": "", "d/.hg/hgrc": "", "compile_flags.txt": "", "d/compile_commands.json": "",
		"staticcheck.conf": "", "go.work": "", "go.work.sum": "", "d/run.sh": "", "../up": "", "/abs": "", `d\e`: "", "d//f": "", "d/./f": "", "": "", ".": "",
	}), "a.py")
	var got []string
	for _, f := range r.Files[0].Findings {
		got = append(got, f.Message)
	}
	if want := []string{"./a.py 600", "./d/run.sh 600", "./toy.cfg 600"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: %+v", got, want, r)
	}
}

func TestProjectLimits(t *testing.T) {
	tree := textTree(map[string]string{"a": strings.Repeat("x", 1<<20), "b": strings.Repeat("x", 1<<20), ".c": ""})
	for _, c := range []struct {
		files int
		bytes int64
		want  string
	}{
		{2, 2 << 20, ""},
		{1, 2 << 20, "the project has more than the limit of 1 files"},
		{2, 2<<20 - 1, "the project is larger than the limit of 1 MiB"},
		{2, 0, "the project is larger than the limit of 0 MiB"},
	} {
		private(t)
		box, err := newSandbox(Tool{})
		if err != nil {
			t.Fatal(err)
		}
		if err := box.copy(t.Context(), tree, c.files, c.bytes); fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%d files, %d bytes: %v; want %s", c.files, c.bytes, err, c.want)
		}
		box.remove()
	}
}

// What cannot be read is a reason, without the place where the copy is.
func TestProjectCannotBeRead(t *testing.T) {
	a := projectScript(t, "", "")
	for want, tree := range map[string]Tree{
		"git is ill":           func(context.Context, AddFile) error { return errors.New("git is ill") },
		"copying the project:": textTree(map[string]string{"a": "", "a/b": ""}),
	} {
		if r := runProject(t, a, tree, "a.py"); r.State != Failed || !strings.Contains(r.Reason, want) || strings.Contains(r.Reason, os.TempDir()) {
			t.Errorf("%s: %s; want %s", r.State, r.Reason, want)
		}
	}
}

func TestProjectIsNotForTheTool(t *testing.T) {
	tool, o := script(t, "")
	a, err := Find(t.Context(), tool, o)
	if err != nil {
		t.Fatal(err)
	}
	if r := runProject(t, a, textTree(nil), "a.py"); r.State != Failed || r.Reason != "it is run on files, and not on a project" {
		t.Errorf("%+v", r)
	}
}

func TestProjectEndsWithContext(t *testing.T) {
	a := projectScript(t, "", "")
	private(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := a.RunProject(ctx, func(context.Context, AddFile) error { cancel(); return errors.New("killed") }, []string{"a.py"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestHostileProjects holds that nothing of a project is run, whatever it asks for,
// and that the answer is the one without what it asks for, or says why there is none.
func TestHostileProjects(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "made")
	touch := "touch " + marker
	script := "#!/bin/sh\n" + touch + "\n"
	const finding = "package shop\n\nimport \"fmt\"\n\n%s\n\nfunc init() { fmt.Printf(\"%%d\\n\") }\n"
	goFile := func(extra string) string { return fmt.Sprintf(finding, extra) }
	for _, c := range []struct {
		name   string
		tools  []string
		files  map[string]string // besides go.mod; one of them is called x.go or x.c
		want   State
		reason string
	}{
		{"a program to build with", []string{"govet", "staticcheck", "golangci-lint"}, map[string]string{
			"x.go": goFile("//go:generate " + touch), "go.env": "GOFLAGS=-toolexec=./run.sh\n", ".config/go/env": "GOFLAGS=-toolexec=./run.sh\n", "run.sh": script, "go": script, "vet": script, "gcc": script,
			".git/config": "[core]\n\tfsmonitor = ./run.sh\n", ".hg/hgrc": "[hooks]\npre-log = " + touch + "\n",
		}, Found, ""},
		{"a newer Go", []string{"govet", "staticcheck"}, map[string]string{
			"go.mod": "module example.com/shop\n\ngo 1.999\n", "x.go": goFile(""),
		}, Failed, "install that version of Go"},
		{"a newer Go, for golangci-lint", []string{"golangci-lint"}, map[string]string{
			"go.mod": "module example.com/shop\n\ngo 1.999\n", "x.go": goFile(""),
		}, Failed, "lower than the targeted Go version"},
		{"another toolchain", []string{"govet", "staticcheck"}, map[string]string{
			"go.mod": "module example.com/shop\n\ngo 1.21\n\ntoolchain go1.999\n", "x.go": goFile(""),
		}, Found, ""},
		{"a module that is not there", []string{"govet", "staticcheck", "golangci-lint"}, map[string]string{
			"go.mod": "module example.com/shop\n\ngo 1.21\n\nrequire example.org/none v1.0.0\n", "x.go": goFile("import _ \"example.org/none\""),
			"go.sum": "example.org/none v1.0.0 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nexample.org/none v1.0.0/go.mod h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
		}, Failed, "go mod download"},
		{"a place outside", []string{"govet", "staticcheck", "golangci-lint"}, map[string]string{
			"go.mod": "module example.com/shop\n\ngo 1.21\n\nrequire example.org/none v1.0.0\n\nreplace example.org/none => ../../../none\n", "x.go": goFile("import _ \"example.org/none\""),
		}, Failed, ""},
		{"cgo", []string{"govet", "staticcheck", "golangci-lint"}, map[string]string{
			"x.go": goFile("// #cgo CFLAGS: -fplugin=./p.so\n// #cgo LDFLAGS: -Wl,-plugin,./p.so\nimport \"C\""), "p.so": script,
		}, Failed, "it uses cgo, which is off"},
		{"another platform", []string{"govet", "staticcheck", "golangci-lint"}, map[string]string{
			"x.go": "//go:build plan9 && ignore\n\n" + goFile(""), "y.go": "package shop\n",
		}, Failed, "leave it out on this machine"},
		{"plugins and settings", []string{"golangci-lint"}, map[string]string{
			"x.go":          goFile(""),
			".golangci.yml": "version: \"2\"\nlinters:\n  default: none\n  enable: [bad]\n  settings:\n    custom:\n      bad:\n        path: ./p.so\n", "p.so": script,
			".custom-gcl.yml": "version: v2.0.0\n", "golangci.yml": "version: \"2\"\nlinters:\n  default: none\n",
		}, Found, ""},
		{"settings", []string{"staticcheck"}, map[string]string{"x.go": goFile(""), "staticcheck.conf": "checks = [\"-all\"]\n"}, Found, ""},
		{"plugins for the compiler", []string{"clang-tidy"}, map[string]string{
			"x.c":         "int f(int a) { if (a = 2) return 1; return 0; }\n",
			".clang-tidy": "Checks: '-*'\nExtraArgs: ['-Xclang', '-load', '-Xclang', './p.so']\n", "p.so": script,
			"compile_flags.txt": "-Xclang\n-load\n-Xclang\n./p.so\n", "compile_commands.json": `[{"directory": ".", "file": "x.c", "command": "./p.so x.c"}]`,
			".clang-format": "BasedOnStyle: nonsense\n", "cc": script, "clang": script,
		}, Found, ""},
		{"a secret for a header", []string{"clang-tidy"}, map[string]string{
			"x.c": "#include \"/etc/passwd\"\nint f(int a) { return a; }\n",
		}, Failed, "it complains about a file that is not in the project"},
	} {
		for _, name := range c.tools {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				tool, _ := Lookup(name)
				a, err := Find(t.Context(), tool, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if a.State != Clean {
					t.Skip("NOT TESTED: ", a.Reason) // TestTools fails for it where it must be there
				}
				if c.files["go.mod"] == "" {
					c.files["go.mod"] = goMod["go.mod"]
				}
				// The program that reads the project may stand in it.
				caches(t)
				home := t.TempDir()
				t.Setenv("HOME", home)
				t.Chdir(home)
				t.Setenv("GOFLAGS", "-toolexec="+filepath.Join(home, "run.sh"))
				for name, text := range c.files {
					name = filepath.Join(home, name)
					if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o700)); err != nil {
						t.Fatal(err)
					}
				}
				path := "x.go"
				if c.files[path] == "" {
					path = "x.c"
				}
				r := runProject(t, a, textTree(c.files), path)
				if r.State != c.want || !strings.Contains(r.Reason, c.reason) {
					t.Errorf("%s: %s; want %s: %s", r.State, r.Reason, c.want, c.reason)
				}
				t.Logf("%s: %s %+v", r.State, r.Reason, r.Files[0].Findings)
				if _, err := os.Stat(marker); err == nil {
					t.Fatal("something of the project was run")
				}
			})
		}
	}
}

// TestLeftOut holds that a file is left out by any name that some system reads as its own.
func TestLeftOut(t *testing.T) {
	for _, p := range []string{
		"go.work", "sub/go.work", "GO.WORK", "go.work.", "staticcheck.conf. ", "\u017ftaticcheck.conf", "go.wor\u212a", "a/Compile_Flags.txt", ".git/config", "a/.x", "../a", "/a", "a/../b", `a\b`, "a\nb", ".", "",
	} {
		if leftOut(p) == "" {
			t.Errorf("%q is given to tools", p)
		}
	}
	for _, p := range []string{"go.mod", "a/b.go", "ä ö/c.go", "go.work/x.go"} {
		if why := leftOut(p); why != "" {
			t.Errorf("%q: %s", p, why)
		}
	}
	for _, p := range []string{"C:evil.go", "a/c.go:stream", "NUL", "a/con.go"} {
		if windows := runtime.GOOS == "windows"; windows != (leftOut(p) != "") {
			t.Errorf("%q: %q", p, leftOut(p))
		}
	}
}
