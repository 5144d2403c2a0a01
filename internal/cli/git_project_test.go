package cli

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crscore/analyzers"
)

// gitRepo makes the current directory a new repository, and returns what runs git
// in it.
func gitRepo(t *testing.T) func(args ...string) string {
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

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// filesOf reads a tree.
func filesOf(t *testing.T, tree analyzers.Tree) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := tree(t.Context(), func(path string, text io.Reader) error {
		b, err := io.ReadAll(text)
		files[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestGitProject(t *testing.T) {
	git := gitRepo(t)
	odd := "a \"b\"\tc\né.txt"
	write(t, "a.go", "one")
	write(t, "sub/b.go", "b\nno end")
	write(t, "empty", "")
	write(t, odd, "odd")
	write(t, "same.go", "one")
	if err := errors.Join(os.Symlink("/etc/passwd", "link.go"), os.Symlink("sub", "dir")); err != nil {
		t.Fatal(err)
	}
	write(t, ".gitignore", "ignored\n")
	write(t, "ignored", "x")
	git("add", ".")
	git("update-index", "--add", "--cacheinfo", "160000,1234567890123456789012345678901234567890,module")
	git("commit", "-qm", "one")
	write(t, "a.go", "two")
	git("commit", "-qam", "two")

	one := map[string]string{"a.go": "one", "sub/b.go": "b\nno end", "empty": "", odd: "odd", "same.go": "one", ".gitignore": "ignored\n"}
	two := maps.Clone(one)
	two["a.go"] = "two"
	for _, dir := range []string{".", "sub"} {
		t.Chdir(dir)
		p := gitProject("HEAD~1..HEAD")
		if got := filesOf(t, p.Old); !maps.Equal(got, one) {
			t.Errorf("before, from %s: %q", dir, got)
		}
		if got := filesOf(t, p.New); !maps.Equal(got, two) {
			t.Errorf("after, from %s: %q", dir, got)
		}
	}

	// The work tree: what git knows, as it is on disk.
	t.Chdir("..")
	write(t, "a.go", "three")
	write(t, "added.go", "new")
	git("add", "-N", "added.go")
	write(t, "unknown.go", "new")
	if err := errors.Join(os.Remove("empty"), os.Remove("same.go"), exec.Command("mkfifo", "same.go").Run(), os.Remove(odd), os.Symlink("a.go", odd),
		os.RemoveAll("sub"), os.Symlink("/etc", "sub")); err != nil {
		t.Fatal(err)
	}
	for rng, old := range map[string]map[string]string{"": two, "HEAD~1": one} {
		p := gitProject(rng)
		if got := filesOf(t, p.Old); !maps.Equal(got, old) {
			t.Errorf("%q, before: %q", rng, got)
		}
		if got := filesOf(t, p.New); !maps.Equal(got, map[string]string{"a.go": "three", "added.go": "new", ".gitignore": "ignored\n"}) {
			t.Errorf("%q, after: %q", rng, got)
		}
	}
}

// An end by the reader ends git, too, and its reason is kept.
func TestGitProjectStops(t *testing.T) {
	git := gitRepo(t)
	for _, name := range []string{"a", "b", "c"} {
		write(t, name, strings.Repeat(name, 1<<20))
	}
	git("add", ".")
	git("commit", "-qm", "one")
	full := errors.New("full")
	for _, rng := range []string{"HEAD", ""} {
		for _, tree := range []analyzers.Tree{gitProject(rng).Old, gitProject(rng).New} {
			n := 0
			err := tree(t.Context(), func(_ string, text io.Reader) error {
				if n++; n == 2 {
					return full
				}
				_, err := text.Read(make([]byte, 1)) // the rest is passed over
				return err
			})
			if !errors.Is(err, full) || n != 2 {
				t.Errorf("%q: %v after %d files", rng, err, n)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := gitProject("HEAD").Old(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
