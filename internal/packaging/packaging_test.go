package packaging

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// root is the repository's folder.
var root = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// scratch is a folder that the tests of this package share.
var scratch string

func TestMain(m *testing.M) {
	code := func() int {
		var err error
		if scratch, err = os.MkdirTemp("", "packaging"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(scratch)
		// The tests' releases are not signed by the key in install.sh.
		if err := os.Setenv("CRSCORE_KEY", ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}()
	os.Exit(code)
}

// command builds the command, once.
var command = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(scratch, "bin", "crscore")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", bin, "crscore/cmd/crscore").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return bin, nil
})

func crscore(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the command is not built in short tests")
	}
	bin, err := command()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// need skips a test that wants programs, which make packaging installs and asks for.
func need(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getenv("CRSCORE_PACKAGING") == "" {
		t.Skipf("make packaging runs this with %s", strings.Join(programs, ", "))
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Fatalf("%v: .ci/packaging installs it", err)
		}
	}
}

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// example returns the first block of docs/ci.md in a language that contains a text.
func example(t *testing.T, lang, with string) string {
	t.Helper()
	for _, m := range regexp.MustCompile("(?ms)^```"+lang+"\n(.*?)^```").FindAllStringSubmatch(read(t, "docs/ci.md"), -1) {
		if strings.Contains(m[1], with) {
			return m[1]
		}
	}
	t.Fatalf("docs/ci.md has no %s with %s", lang, with)
	return ""
}

// write makes files by name; a file that begins with #! is executable.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// sh runs a script and returns what it prints.
func sh(t *testing.T, dir string, env []string, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-c", "set -euo pipefail\n"+script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", script, err, out)
	}
	return string(out)
}

// gitEnv keeps a user's settings of git away.
var gitEnv = []string{
	"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org",
}

// review is the review of the examples' bot.
const review = `{"event": "COMMENT", "body": "", "comments": [
  {"path": "cache.py", "line": 16, "side": "RIGHT", "body": "` + "`put`" + ` now requires a ` + "`ttl`" + ` argument, so every existing caller breaks."},
  {"path": "cache.py", "line": 26, "side": "RIGHT", "body": "Please squash the commits before merging. The wiki still shows the old message."},
  {"path": "cache.py", "line": 24, "side": "RIGHT", "body": "Expired entries are only removed when somebody reads them."}
]}
`

// project makes a repository with the branch main, the branch work that changes a file, and
// a bot that reviews the change. It returns the commits of both branches.
func project(t *testing.T, more map[string]string) (dir, base, head string) {
	t.Helper()
	dir = t.TempDir()
	write(t, dir, map[string]string{
		"cache.py":   read(t, "testdata/cache-expiry/before.py"),
		"said.json":  review,
		"review-bot": "#!/bin/sh\ncat said.json\n",
	})
	write(t, dir, more)
	out := sh(t, dir, append(gitEnv, "ROOT="+root), `
git init -q -b main . && git add . && git commit -qm one && git rev-parse HEAD
git checkout -qb work && git apply "$ROOT/testdata/cache-expiry/change.diff" && git commit -qam two && git rev-parse HEAD`)
	commits := strings.Fields(out)
	if len(commits) != 2 {
		t.Fatalf("git says %q", out)
	}
	return dir, commits[0], commits[1]
}

// source makes a repository with the named files of this repository, and with a small
// command that runs crscore in its place. So the hook and the action build a command in their
// own way, but quickly.
func source(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod": "module crscore\n\ngo 1.26\n",
		"go.sum": "",
		"cmd/crscore/main.go": `package main

// #include <stdlib.h>
import "C"

import (
	"fmt"
	"os"
	"syscall"
)

func main() {
	real := os.Getenv("CRSCORE_REAL")
	if real == "" {
		err := os.WriteFile("/x", nil, 0o644)
		fmt.Printf("uid %d home %q cannot write: %v, args %v, %d\n", os.Getuid(), os.Getenv("HOME"), err, os.Args[1:], C.abs(-1))
		return
	}
	fmt.Fprintln(os.Stderr, syscall.Exec(real, append([]string{"crscore"}, os.Args[1:]...), os.Environ()))
	os.Exit(1)
}
`})
	for _, name := range names {
		write(t, dir, map[string]string{name: read(t, name)})
	}
	sh(t, dir, gitEnv, "git init -q . && git add . && git commit -qm one && git tag v0.1.0")
	return dir
}
