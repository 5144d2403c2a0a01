package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crscore/analyzers"
	"crscore/change"
	"crscore/internal/gittest"
	"crscore/internal/limits"
)

// ranges are the work tree, two commits, and a commit with the work tree.
func ranges() []string { return []string{"", "HEAD~1..HEAD", "HEAD~1"} }

// TestRepositoryIsNotTrusted plants every trap in a repository of its own, sees plain git
// fall into it, and has the same command of git, the change, and what analyzers get pass it by.
// The changes are the same as without it.
func TestRepositoryIsNotTrusted(t *testing.T) {
	want := map[string]*change.Change{}
	t.Run("none", func(t *testing.T) {
		gittest.Trapped(t, false)
		for _, rng := range ranges() {
			c, err := Change(t.Context(), rng, change.Options{})
			if err != nil || len(c.Files) == 0 {
				t.Fatalf("%q: %v, %+v", rng, err, c)
			}
			want[rng] = c
		}
	})
	for _, trap := range gittest.Traps() {
		t.Run(trap.Name, func(t *testing.T) {
			git, program, ran := gittest.Trapped(t, trap.Lacks)
			trap.Set(t, git, program)
			_ = exec.Command("git", trap.Plain...).Run()
			if err := os.Remove(ran); err != nil {
				t.Fatalf("plain git does not run the program: %v", err)
			}
			gittest.Edit(t) // plain git may have written the index
			r, err := Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			args := trap.Plain
			if args[0] == "diff" {
				args = slices.Concat([]string{"diff"}, diffFlags(), args[1:])
			}
			if out, err := r.output(t.Context(), 1<<20, nil, args...); (err != nil) != trap.Lacks {
				t.Errorf("git %q: %v\n%s", args, err, out)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Errorf("git %q ran the program", args)
			}
			gittest.Edit(t)
			for _, rng := range ranges() {
				c, err := Change(t.Context(), rng, change.Options{})
				if lacks := trap.Lacks && rng != ""; (err != nil) != lacks || !lacks && !reflect.DeepEqual(c.Files, want[rng].Files) {
					t.Errorf("%q: %v, %+v\nwithout traps: %+v", rng, err, c, want[rng])
				}
				if _, err := os.Stat(ran); err == nil {
					t.Fatalf("%q ran the program", rng)
				}
				before, after := Trees(rng)
				for side, tree := range []analyzers.Tree{before, after} {
					err := tree(t.Context(), func(_ string, text io.Reader) error {
						_, err := io.Copy(io.Discard, text)
						return err
					})
					if lacks := trap.Lacks && side == int(change.Old) && rng != ""; (err != nil) != lacks {
						t.Errorf("the %s project of %q: %v", change.Side(side), rng, err)
					}
					if _, err := os.Stat(ran); err == nil {
						t.Fatalf("reading the %s project of %q ran the program", change.Side(side), rng)
					}
				}
			}
		})
	}
}

// What a partial clone's error says helps.
func TestPartialCloneAdvice(t *testing.T) {
	git, _, _ := gittest.Trapped(t, true)
	if _, err := Change(t.Context(), "HEAD~1..HEAD", change.Options{}); err == nil {
		t.Fatal("nothing is missing")
	}
	git("fetch", "-q", "--refetch", "--no-filter")
	if _, err := Change(t.Context(), "HEAD~1..HEAD", change.Options{}); err != nil {
		t.Error(err)
	}
}

// Git before 2.39.4 does not know GIT_NO_LAZY_FETCH.
func TestPartialCloneOfOldGit(t *testing.T) {
	git, program, ran := gittest.Trapped(t, true)
	git("config", "remote.origin.uploadpack", program)
	cmd := exec.Command("git", "diff", "HEAD~1..HEAD")
	cmd.Env = slices.DeleteFunc(environment(os.Environ(), false), func(v string) bool { return strings.HasPrefix(v, "GIT_NO_LAZY_FETCH=") })
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "not allowed") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("git ran the program")
	}
}

// What git's filters would have made of files is told, of changed files only.
func TestFiltersThatAreOff(t *testing.T) {
	git := gittest.New(t)
	for _, name := range []string{"a.py", "b.py", "c.py", "d.py", "é f.py", "same.py", "other.py"} {
		gittest.Write(t, "sub/"+name, "x = 1\n")
	}
	git("add", ".")
	git("commit", "-qm", "one")
	for _, name := range []string{"a.py", "b.py", "c.py", "d.py", "é f.py", "other.py"} {
		gittest.Write(t, "sub/"+name, "x = 2\n")
	}
	gittest.Write(t, ".git/info/attributes", "*.py filter=big\n/sub/é* filter=lfs\nother.py filter=unknown\nd.py -filter\n")
	git("config", "filter.big.process", "false")
	git("config", "filter.big.required", "true")
	git("config", "filter.lfs.clean", "false")
	git("config", "filter.unknown.smudge", "false")
	t.Chdir("sub")
	for _, rng := range []string{"", "HEAD"} {
		c, err := Change(t.Context(), rng, change.Options{})
		if err != nil {
			t.Fatal(err)
		}
		const off = " was not run, since a repository can name any program as one; files that are compared as they are on disk: "
		if want := []string{"git's filter big" + off + "sub/a.py, sub/b.py, sub/c.py", "git's filter lfs" + off + "sub/é f.py"}; !slices.Equal(c.Warnings, want) || len(c.Files) != 6 {
			t.Errorf("%d files, %q", len(c.Files), c.Warnings)
		}
	}
}

func TestRepositoriesThatAreRefused(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(t *testing.T, git func(...string) string)
		want string
	}{
		{"another's", func(t *testing.T, _ func(...string) string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give files away")
			}
			if err := errors.Join(os.Chown(".", 12345, -1), os.Chown(".git", 12345, -1)); err != nil {
				t.Fatal(err)
			}
		}, "git config --global --add safe.directory "},
		{"a filter that cannot be named", func(_ *testing.T, git func(...string) string) {
			git("config", "filter.a=b.clean", "false")
		}, `git's configuration has the filter "a=b.clean", which cannot be turned off because of its name`},
		{"too many filters", func(t *testing.T, git func(...string) string) {
			gittest.Write(t, ".git/more", strings.Repeat("[filter \"x\"]\n\tclean = false\n", 3)+manyFilters())
			git("config", "include.path", "more")
		}, "git's configuration has more than 1000 settings of filters"},
		{"a work tree elsewhere", func(_ *testing.T, git func(...string) string) {
			git("config", "core.worktree", "/")
		}, "the repository's own configuration sets its work tree to /, which has no .git: set GIT_WORK_TREE to use it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			git := gittest.New(t)
			gittest.Changed(t, git)
			test.set(t, git)
			if _, err := Change(t.Context(), "", change.Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the change: %v", err)
			}
			_, after := Trees("")
			if err := after(t.Context(), nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the project: %v", err)
			}
		})
	}
}

func manyFilters() string {
	var b strings.Builder
	for i := range limits.GitFilters {
		fmt.Fprintf(&b, "[filter \"x%d\"]\n\tclean = false\n", i)
	}
	return b.String()
}

// A git that does not end is ended with all that it started, and one that talks without
// end is not listened to.
func TestGitThatDoesNotEnd(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	fake := func(script string) {
		if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	child := filepath.Join(dir, "child")
	fake("sleep 600 &\necho $! > " + child + ".new; mv " + child + ".new " + child + "\nwait")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var n int
	go func() {
		for ctx.Err() == nil {
			if pid, err := os.ReadFile(child); err == nil {
				n, _ = strconv.Atoi(strings.TrimSpace(string(pid)))
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := Open(ctx); !errors.Is(err, context.Canceled) || n == 0 {
		t.Errorf("error %v, process %d", err, n)
	}
	for i := 0; running(n); i++ {
		if time.Sleep(10 * time.Millisecond); i == 1000 {
			t.Fatal("what git started is still running")
		}
	}
	fake("exec sleep 600")
	late, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := Open(late); !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "git rev-parse timed out") {
		t.Errorf("error %v", err)
	}
	fake("exec yes")
	if _, err := new(Repository).output(t.Context(), 1<<12, nil, "x"); err == nil || err.Error() != "git x printed more than the limit of 4 KiB" {
		t.Errorf("error %v", err)
	}
	fake("yes warning | head -c 1000000 >&2\nexit 1")
	if _, err := new(Repository).output(t.Context(), 1<<12, nil, "x"); err == nil || err.Error() != "warning" {
		t.Errorf("error %v", err)
	}
}

// running reports whether a process is there and no zombie.
func running(pid int) bool {
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(string(state), "Z")
}

func TestGitSays(t *testing.T) {
	for said, want := range map[string]string{
		"":                              "",
		"fatal: bad object x\n":         "bad object x",
		"error: a\nerror: b\n":          "a",
		"warning: a\nfatal: b\n\n\tc\n": "b c",
		"fatal: a\nfatal: b":            "b",
	} {
		if got := reason(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
