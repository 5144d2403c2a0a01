package git

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	"crscore/analyzers"
	"crscore/internal/gittest"
)

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

func TestTrees(t *testing.T) {
	git := gittest.New(t)
	odd := "a \"b\"\tc\né.txt"
	gittest.Write(t, "a.go", "one")
	gittest.Write(t, "sub/b.go", "b\nno end")
	gittest.Write(t, "empty", "")
	gittest.Write(t, odd, "odd")
	gittest.Write(t, "same.go", "one")
	if err := errors.Join(os.Symlink("/etc/passwd", "link.go"), os.Symlink("sub", "dir")); err != nil {
		t.Fatal(err)
	}
	gittest.Write(t, ".gitignore", "ignored\n")
	gittest.Write(t, "ignored", "x")
	git("add", ".")
	git("update-index", "--add", "--cacheinfo", "160000,1234567890123456789012345678901234567890,module")
	git("commit", "-qm", "one")
	gittest.Write(t, "a.go", "two")
	git("commit", "-qam", "two")

	one := map[string]string{"a.go": "one", "sub/b.go": "b\nno end", "empty": "", odd: "odd", "same.go": "one", ".gitignore": "ignored\n"}
	two := maps.Clone(one)
	two["a.go"] = "two"
	for _, dir := range []string{".", "sub"} {
		t.Chdir(dir)
		before, after := Trees("HEAD~1..HEAD")
		if got := filesOf(t, before); !maps.Equal(got, one) {
			t.Errorf("before, from %s: %q", dir, got)
		}
		if got := filesOf(t, after); !maps.Equal(got, two) {
			t.Errorf("after, from %s: %q", dir, got)
		}
	}

	// The work tree: what git knows, as it is on disk.
	t.Chdir("..")
	gittest.Write(t, "a.go", "three")
	gittest.Write(t, "added.go", "new")
	git("add", "-N", "added.go")
	gittest.Write(t, "unknown.go", "new")
	if err := errors.Join(os.Remove("empty"), os.Remove("same.go"), exec.Command("mkfifo", "same.go").Run(), os.Remove(odd), os.Symlink("a.go", odd),
		os.RemoveAll("sub"), os.Symlink("/etc", "sub")); err != nil {
		t.Fatal(err)
	}
	for rng, old := range map[string]map[string]string{"": two, "HEAD~1": one} {
		before, after := Trees(rng)
		if got := filesOf(t, before); !maps.Equal(got, old) {
			t.Errorf("%q, before: %q", rng, got)
		}
		if got := filesOf(t, after); !maps.Equal(got, map[string]string{"a.go": "three", "added.go": "new", ".gitignore": "ignored\n"}) {
			t.Errorf("%q, after: %q", rng, got)
		}
	}
}

// An end by the reader ends git, too, and its reason is kept.
func TestTreesStop(t *testing.T) {
	git := gittest.New(t)
	for _, name := range []string{"a", "b", "c"} {
		gittest.Write(t, name, strings.Repeat(name, 1<<20))
	}
	git("add", ".")
	git("commit", "-qm", "one")
	full := errors.New("full")
	for _, rng := range []string{"HEAD", ""} {
		before, after := Trees(rng)
		for _, tree := range []analyzers.Tree{before, after} {
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
	before, _ := Trees("HEAD")
	if err := before(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
