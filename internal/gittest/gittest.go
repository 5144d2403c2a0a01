// Package gittest makes git repositories for tests, with and without traps. A trap is a way in
// which a repository has git run a program.
package gittest

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// New makes the current directory a new repository, and returns what runs git
// in it.
func New(t *testing.T) func(args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	t.Chdir(t.TempDir())
	for _, env := range []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org"} {
		name, value, _ := strings.Cut(env, "=")
		t.Setenv(name, value)
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", ".")
	return run
}

// Write writes a file and makes the folders above it.
func Write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Trap is a way in which a repository has git run a program.
type Trap struct {
	Name string // of the test
	// Set plants it; the program is a shell command.
	Set func(t *testing.T, git func(...string) string, program string)
	// Plain are arguments with which git falls into it.
	Plain []string
	// Lacks is set for a partial clone in which something is missing.
	Lacks bool
}

// settings plants settings: names and values, in which PROGRAM is the program.
func settings(pairs ...string) func(*testing.T, func(...string) string, string) {
	return func(_ *testing.T, git func(...string) string, program string) {
		for s := range slices.Chunk(pairs, 2) {
			git("config", s[0], strings.ReplaceAll(s[1], "PROGRAM", program))
		}
	}
}

// attributes plants settings and gives files the attributes by a file.
func attributes(file, text string, pairs ...string) func(*testing.T, func(...string) string, string) {
	return func(t *testing.T, git func(...string) string, program string) {
		settings(pairs...)(t, git, program)
		Write(t, file, text)
	}
}

// Traps are all known traps.
func Traps() []Trap {
	diff := []string{"diff", "HEAD"}
	missing := []string{"diff", "HEAD~1..HEAD"}
	return []Trap{
		{Name: "external diff", Set: settings("diff.external", "PROGRAM"), Plain: diff},
		{Name: "diff driver", Set: attributes(".gitattributes", "* diff=x", "diff.x.command", "PROGRAM"), Plain: diff},
		{Name: "conversion to text", Set: attributes(".git/info/attributes", "* diff=x", "diff.x.textconv", "PROGRAM"), Plain: diff},
		{Name: "filter", Set: attributes(".gitattributes", "* filter=x", "filter.x.clean", "PROGRAM"), Plain: diff},
		{Name: "filter that is required", Set: attributes(".git/info/attributes", "* filter=A.b", "filter.A.b.clean", "PROGRAM; false", "filter.A.b.required", "true"), Plain: []string{"ls-files", "--modified"}},
		{Name: "filter process", Set: attributes(".gitattributes", "* filter=x", "filter.x.process", "PROGRAM"), Plain: diff},
		{Name: "filter without a name", Set: attributes(".gitattributes", "* filter=", "filter..clean", "PROGRAM"), Plain: diff},
		{Name: "filter of an included file", Plain: diff, Set: func(t *testing.T, git func(...string) string, program string) {
			Write(t, ".gitattributes", "* filter=x")
			git("config", "-f", ".git/more", "filter.x.clean", program)
			git("config", "includeIf.onbranch:**.path", "more")
		}},
		{Name: "filter of one work tree", Plain: diff, Set: func(t *testing.T, git func(...string) string, program string) {
			Write(t, ".gitattributes", "* filter=x")
			git("config", "extensions.worktreeConfig", "true")
			git("config", "--worktree", "filter.x.clean", program)
		}},
		{Name: "filter by another file of attributes", Set: attributes(".git/named", "* filter=x", "core.attributesFile", ".git/named", "filter.x.clean", "PROGRAM"), Plain: diff},
		{Name: "fsmonitor", Set: settings("core.fsmonitor", "PROGRAM"), Plain: diff},
		{Name: "fsmonitor of ls-files", Set: settings("core.fsmonitor", "PROGRAM", "core.untrackedCache", "true"), Plain: []string{"ls-files", "--others", "--exclude-standard"}},
		{Name: "hook", Plain: diff, Set: func(t *testing.T, _ func(...string) string, program string) {
			hook(t, ".git/hooks", program)
		}},
		{Name: "hooks in another folder", Plain: diff, Set: func(t *testing.T, git func(...string) string, program string) {
			hook(t, "hooks", program)
			git("config", "core.hooksPath", "hooks")
		}},
		{Name: "filter of a submodule", Set: func(t *testing.T, git func(...string) string, program string) {
			Write(t, "module/.git/info/attributes", "* filter=x")
			git("-C", "module", "config", "filter.x.clean", program)
			git("config", "diff.ignoreSubmodules", "none")
		}, Plain: diff},
		{Name: "program of a remote", Lacks: true, Set: settings("remote.origin.uploadpack", "PROGRAM"), Plain: missing},
		{Name: "ssh", Lacks: true, Set: settings("core.sshCommand", "PROGRAM", "remote.origin.url", "ssh://127.0.0.1/x"), Plain: missing},
		{Name: "proxy", Lacks: true, Set: settings("core.gitProxy", "PROGRAM", "remote.origin.url", "git://127.0.0.1/x"), Plain: missing},
		{Name: "url that is a program", Lacks: true, Set: settings("protocol.ext.allow", "always", "remote.origin.url", "ext::PROGRAM x"), Plain: missing},
		{Name: "network", Lacks: true, Plain: missing, Set: func(t *testing.T, git func(...string) string, program string) {
			git("config", "remote.origin.url", refusing(t, func() { _ = os.WriteFile(program+".ran", nil, 0o600) }))
		}},
		{Name: "question for a password", Lacks: true, Plain: missing, Set: func(t *testing.T, git func(...string) string, program string) {
			git("config", "remote.origin.url", refusing(t, func() {}))
			git("config", "core.askPass", program)
		}},
		{Name: "credential helper", Lacks: true, Plain: missing, Set: func(t *testing.T, git func(...string) string, program string) {
			git("config", "remote.origin.url", refusing(t, func() {}))
			git("config", "credential.helper", "!"+program)
		}},
	}
}

// hook plants a hook that runs when the index is written.
func hook(t *testing.T, dir, program string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "post-index-change"), []byte("#!/bin/sh\n"+program), 0o700); err != nil {
		t.Fatal(err)
	}
}

// refusing is the address of a server that wants a password.
func refusing(t *testing.T, asked func()) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked()
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// Changed makes two commits, with a submodule, and a change of the work tree. Others
// were only touched, so that git would look at them and write the index.
func Changed(t *testing.T, git func(...string) string) {
	t.Helper()
	Write(t, "a.py", "def size(items):\n    return len(items)\n")
	Write(t, "same.py", "x = 1\n")
	git("init", "-q", "module")
	Write(t, "module/b.py", "x = 1\n")
	git("-C", "module", "add", ".")
	git("-C", "module", "commit", "-qm", "one")
	git("-c", "advice.addEmbeddedRepo=false", "add", ".")
	git("commit", "-qm", "one")
	Write(t, "a.py", "def size(items, deep):\n    return len(items)\n")
	git("commit", "-qam", "two")
	Edit(t)
}

// Edit changes the work tree of Changed.
func Edit(t *testing.T) {
	t.Helper()
	Write(t, "a.py", "def size(items, deep):\n    return len(items) + deep\n")
	for _, name := range []string{"same.py", "module/b.py"} {
		if err := os.Chtimes(name, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// partialClone makes the current directory a clone of it that lacks the old texts.
func partialClone(t *testing.T, git func(...string) string) {
	t.Helper()
	git("config", "uploadpack.allowFilter", "true")
	git("config", "uploadpack.allowAnySHA1InWant", "true")
	from, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	git("clone", "-q", "--filter=blob:none", "file://"+from, ".")
	git("config", "gc.auto", "0") // nothing goes on in the background
	Edit(t)
}

// programs makes PATH a folder with links to programs and nothing else.
func programs(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(name + " is not there")
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

// Trapped makes a repository in which a program can be trapped, with nothing but git on
// PATH. It returns what runs git, the program, and the file that the program leaves.
func Trapped(t *testing.T, lacks bool) (git func(...string) string, program, ran string) {
	t.Helper()
	git = New(t)
	programs(t, "git", "git-upload-pack", "sh", "cat", "touch")
	Changed(t, git)
	if lacks {
		partialClone(t, git)
	}
	program = filepath.Join(t.TempDir(), "program")
	ran = program + ".ran"
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch "+ran+"\n[ $# = 0 ] && cat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return git, program, ran
}
