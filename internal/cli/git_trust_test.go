package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crscore/analyzers"
	"crscore/change"
	"crscore/internal/ollamatest"
)

// trap is a way in which a repository has git run a program.
type trap struct {
	name string
	// set plants it; the program is a shell command.
	set func(t *testing.T, git func(...string) string, program string)
	// plain are arguments with which git falls into it.
	plain []string
	// lacks is set for a partial clone in which something is missing.
	lacks bool
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
		write(t, file, text)
	}
}

func traps() []trap {
	diff := []string{"diff", "HEAD"}
	missing := []string{"diff", "HEAD~1..HEAD"}
	return []trap{
		{name: "external diff", set: settings("diff.external", "PROGRAM"), plain: diff},
		{name: "diff driver", set: attributes(".gitattributes", "* diff=x", "diff.x.command", "PROGRAM"), plain: diff},
		{name: "conversion to text", set: attributes(".git/info/attributes", "* diff=x", "diff.x.textconv", "PROGRAM"), plain: diff},
		{name: "filter", set: attributes(".gitattributes", "* filter=x", "filter.x.clean", "PROGRAM"), plain: diff},
		{name: "filter that is required", set: attributes(".git/info/attributes", "* filter=A.b", "filter.A.b.clean", "PROGRAM; false", "filter.A.b.required", "true"), plain: []string{"ls-files", "--modified"}},
		{name: "filter process", set: attributes(".gitattributes", "* filter=x", "filter.x.process", "PROGRAM"), plain: diff},
		{name: "filter without a name", set: attributes(".gitattributes", "* filter=", "filter..clean", "PROGRAM"), plain: diff},
		{name: "filter of an included file", plain: diff, set: func(t *testing.T, git func(...string) string, program string) {
			write(t, ".gitattributes", "* filter=x")
			git("config", "-f", ".git/more", "filter.x.clean", program)
			git("config", "includeIf.onbranch:**.path", "more")
		}},
		{name: "filter of one work tree", plain: diff, set: func(t *testing.T, git func(...string) string, program string) {
			write(t, ".gitattributes", "* filter=x")
			git("config", "extensions.worktreeConfig", "true")
			git("config", "--worktree", "filter.x.clean", program)
		}},
		{name: "filter by another file of attributes", set: attributes(".git/named", "* filter=x", "core.attributesFile", ".git/named", "filter.x.clean", "PROGRAM"), plain: diff},
		{name: "fsmonitor", set: settings("core.fsmonitor", "PROGRAM"), plain: diff},
		{name: "fsmonitor of ls-files", set: settings("core.fsmonitor", "PROGRAM", "core.untrackedCache", "true"), plain: []string{"ls-files", "--others", "--exclude-standard"}},
		{name: "hook", plain: diff, set: func(t *testing.T, _ func(...string) string, program string) {
			hook(t, ".git/hooks", program)
		}},
		{name: "hooks in another folder", plain: diff, set: func(t *testing.T, git func(...string) string, program string) {
			hook(t, "hooks", program)
			git("config", "core.hooksPath", "hooks")
		}},
		{name: "filter of a submodule", set: func(t *testing.T, git func(...string) string, program string) {
			write(t, "module/.git/info/attributes", "* filter=x")
			git("-C", "module", "config", "filter.x.clean", program)
			git("config", "diff.ignoreSubmodules", "none")
		}, plain: diff},
		{name: "program of a remote", lacks: true, set: settings("remote.origin.uploadpack", "PROGRAM"), plain: missing},
		{name: "ssh", lacks: true, set: settings("core.sshCommand", "PROGRAM", "remote.origin.url", "ssh://127.0.0.1/x"), plain: missing},
		{name: "proxy", lacks: true, set: settings("core.gitProxy", "PROGRAM", "remote.origin.url", "git://127.0.0.1/x"), plain: missing},
		{name: "url that is a program", lacks: true, set: settings("protocol.ext.allow", "always", "remote.origin.url", "ext::PROGRAM x"), plain: missing},
		{name: "network", lacks: true, plain: missing, set: func(t *testing.T, git func(...string) string, program string) {
			git("config", "remote.origin.url", refusing(t, func() { _ = os.WriteFile(program+".ran", nil, 0o600) }))
		}},
		{name: "question for a password", lacks: true, plain: missing, set: func(t *testing.T, git func(...string) string, program string) {
			git("config", "remote.origin.url", refusing(t, func() {}))
			git("config", "core.askPass", program)
		}},
		{name: "credential helper", lacks: true, plain: missing, set: func(t *testing.T, git func(...string) string, program string) {
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

// changed makes two commits, with a submodule, and a change of the work tree. Others
// were only touched, so that git would look at them and write the index.
func changed(t *testing.T, git func(...string) string) {
	t.Helper()
	write(t, "a.py", "def size(items):\n    return len(items)\n")
	write(t, "same.py", "x = 1\n")
	git("init", "-q", "module")
	write(t, "module/b.py", "x = 1\n")
	git("-C", "module", "add", ".")
	git("-C", "module", "commit", "-qm", "one")
	git("-c", "advice.addEmbeddedRepo=false", "add", ".")
	git("commit", "-qm", "one")
	write(t, "a.py", "def size(items, deep):\n    return len(items)\n")
	git("commit", "-qam", "two")
	edit(t)
}

func edit(t *testing.T) {
	t.Helper()
	write(t, "a.py", "def size(items, deep):\n    return len(items) + deep\n")
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
	edit(t)
}

// answer is what crscore says to a command line.
type answer struct {
	code      int
	out, errs string
}

// answersOf calls the commands with each kind of range. None may run the program.
func answersOf(t *testing.T, ran string, commands ...[]string) map[string]answer {
	t.Helper()
	answers := map[string]answer{}
	for _, rng := range ranges() {
		for _, line := range commands {
			if rng != "" {
				line = slices.Concat(line, []string{"--range", rng})
			}
			var out, errs bytes.Buffer
			code := Main(line, strings.NewReader(""), &out, &errs)
			answers[strings.Join(line, " ")] = answer{code, out.String(), errs.String()}
			if _, err := os.Stat(ran); err == nil {
				t.Fatalf("%q ran the program", line)
			}
		}
	}
	return answers
}

// ranges are the work tree, two commits, and a commit with the work tree.
func ranges() []string { return []string{"", "HEAD~1..HEAD", "HEAD~1"} }

// sameAnswers holds the answers against those in a repository without traps. In a partial
// clone there is none about the commit whose texts are missing.
func sameAnswers(t *testing.T, got, want map[string]answer, lacks bool) {
	t.Helper()
	for line, g := range got {
		if lacks && strings.Contains(line, "HEAD~1") {
			if g.code != exitUsage || !strings.Contains(g.errs, "(this is a partial clone, and crscore fetches nothing: `git fetch --refetch --no-filter`") {
				t.Errorf("%s: exit code %d: %s", line, g.code, g.errs)
			}
		} else if w := want[line]; g.code != exitDone || g.out != w.out || w.out == "" {
			t.Errorf("%s: exit code %d: %s%s\nwithout traps: %s", line, g.code, g.errs, g.out, w.out)
		}
	}
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

// trapped makes a repository in which a program can be trapped, with nothing but git on
// PATH. It returns what runs git, the program, and the file that the program leaves.
func trapped(t *testing.T, lacks bool) (git func(...string) string, program, ran string) {
	t.Helper()
	git = gitRepo(t)
	programs(t, "git", "git-upload-pack", "sh", "cat", "touch")
	changed(t, git)
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

// TestRepositoryIsNotTrusted plants every trap in a repository of its own, sees plain git
// fall into it, and has the same command of git, crscore, and what analyzers get pass it by. The answers are the
// same as without it.
func TestRepositoryIsNotTrusted(t *testing.T) {
	var want map[string]answer
	refs := []string{"refs", "--smells", "auto"}
	t.Run("none", func(t *testing.T) {
		_, _, ran := trapped(t, false)
		want = answersOf(t, ran, refs)
	})
	for _, trap := range traps() {
		t.Run(trap.name, func(t *testing.T) {
			git, program, ran := trapped(t, trap.lacks)
			trap.set(t, git, program)
			_ = exec.Command("git", trap.plain...).Run()
			if err := os.Remove(ran); err != nil {
				t.Fatalf("plain git does not run the program: %v", err)
			}
			edit(t) // plain git may have written the index
			r, err := openRepository(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			args := trap.plain
			if args[0] == "diff" {
				args = slices.Concat([]string{"diff"}, diffFlags(), args[1:])
			}
			if out, err := r.output(t.Context(), 1<<20, nil, args...); (err != nil) != trap.lacks {
				t.Errorf("git %q: %v\n%s", args, err, out)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Errorf("git %q ran the program", args)
			}
			edit(t)
			sameAnswers(t, answersOf(t, ran, refs), want, trap.lacks)
			for _, rng := range ranges() {
				project := gitProject(rng)
				for side, tree := range []analyzers.Tree{project.Old, project.New} {
					err := tree(t.Context(), func(_ string, text io.Reader) error {
						_, err := io.Copy(io.Discard, text)
						return err
					})
					if lacks := trap.lacks && side == int(change.Old) && rng != ""; (err != nil) != lacks {
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

// TestNoCommandTrusts calls every command that asks git, which are doctor, those that take a
// range and bench dataset, where all traps are planted.
func TestNoCommandTrusts(t *testing.T) {
	comments := filepath.Join(t.TempDir(), "comments.txt")
	if err := os.WriteFile(comments, []byte("The result also counts deep."), 0o600); err != nil {
		t.Fatal(err)
	}
	// The comment of the bot tells which change the model was asked about.
	bot := ollamatest.NewFake(t, 32768, func(w http.ResponseWriter, r ollamatest.Asked) {
		ollamatest.Say(fmt.Sprintf(`{"comments":[{"path":"","line":0,"side":"new","body":"Asked about %x."}]}`, sha256.Sum256([]byte(r.Prompt))))(w, r)
	})
	t.Setenv("OLLAMA_HOST", bot.URL)
	needs := map[string][]string{
		"review": {"--model", "ollama:m", "--no-cache"},
		"refs":   {"--smells", "auto"},
		"score":  {"--smells", "auto", "--review", "The result also counts deep."},
		"gate":   {"--comments", comments},
	}
	var commands [][]string
	for _, cmd := range root(streams{out: &output{}, log: &logger{}}).Commands() {
		if cmd.Flags().Lookup("range") == nil {
			continue
		}
		args, ok := needs[cmd.Name()]
		if !ok {
			t.Errorf("%s asks git, and this test does not know how it is called", cmd.Name())
		}
		commands = append(commands, append([]string{cmd.Name()}, args...))
	}
	if len(commands) < 3 {
		t.Fatalf("commands with a range: %q", commands)
	}
	var want map[string]answer
	var wantDiff string
	t.Run("none", func(t *testing.T) {
		git, _, ran := trapped(t, false)
		want = answersOf(t, ran, commands...)
		wantDiff = diffOfClone(t, git, false)
	})
	for _, lacks := range []bool{false, true} {
		t.Run(fmt.Sprintf("partial clone %t", lacks), func(t *testing.T) {
			git, program, ran := trapped(t, lacks)
			for _, trap := range traps() {
				if lacks || !trap.lacks {
					trap.set(t, git, program)
				}
			}
			_ = os.Remove(ran) // git runs it while it is set up
			edit(t)
			sameAnswers(t, answersOf(t, ran, commands...), want, lacks)
			if diff := diffOfClone(t, git, lacks); diff != wantDiff && !lacks {
				t.Errorf("bench dataset: %s\nwithout traps: %s", diff, wantDiff)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Fatal("bench dataset ran the program")
			}
			t.Setenv("OLLAMA_HOST", "http://127.0.0.1:1")
			var out, errs bytes.Buffer
			if code := Main([]string{"doctor"}, strings.NewReader(""), &out, &errs); code != exitDone || !strings.Contains(out.String(), "✓ git") {
				t.Errorf("doctor: exit code %d: %s%s", code, &errs, &out)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("doctor ran the program")
			}
		})
	}
}

// diffOfClone has bench dataset take the current directory for a clone, and returns the diff. A
// partial clone has none.
func diffOfClone(t *testing.T, git func(...string) string, lacks bool) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(mustAbs(t, "."), filepath.Join(dir, "shop")); err != nil {
		t.Fatal(err)
	}
	got := datasetOf("--truth", benchTruth(t, git("rev-parse", "HEAD~1"), git("rev-parse", "HEAD"), "a.py"), "--clones", dir, "--per", "file")
	var row struct{ Diff, Old, New string }
	err := json.Unmarshal([]byte(got.out), &row)
	switch {
	case lacks && (got.code != exitIncomplete || !strings.Contains(got.errs, "this is a partial clone")):
		t.Errorf("bench dataset: %+v", got)
	case !lacks && (got.code != exitDone || err != nil || row.Diff == ""):
		t.Errorf("bench dataset: %+v", got)
	}
	return row.Diff + row.Old + row.New
}

// What a partial clone's error says helps.
func TestPartialCloneAdvice(t *testing.T) {
	git, _, _ := trapped(t, true)
	if _, err := gitChange(t.Context(), "HEAD~1..HEAD", change.Options{}); err == nil {
		t.Fatal("nothing is missing")
	}
	git("fetch", "-q", "--refetch", "--no-filter")
	if _, err := gitChange(t.Context(), "HEAD~1..HEAD", change.Options{}); err != nil {
		t.Error(err)
	}
}

// Git before 2.39.4 does not know GIT_NO_LAZY_FETCH.
func TestPartialCloneOfOldGit(t *testing.T) {
	git, program, ran := trapped(t, true)
	git("config", "remote.origin.uploadpack", program)
	cmd := exec.Command("git", "diff", "HEAD~1..HEAD")
	cmd.Env = slices.DeleteFunc(gitEnv(os.Environ(), false), func(v string) bool { return strings.HasPrefix(v, "GIT_NO_LAZY_FETCH=") })
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "not allowed") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("git ran the program")
	}
}

// What git's filters would have made of files is told, of changed files only.
func TestFiltersThatAreOff(t *testing.T) {
	git := gitRepo(t)
	for _, name := range []string{"a.py", "b.py", "c.py", "d.py", "é f.py", "same.py", "other.py"} {
		write(t, "sub/"+name, "x = 1\n")
	}
	git("add", ".")
	git("commit", "-qm", "one")
	for _, name := range []string{"a.py", "b.py", "c.py", "d.py", "é f.py", "other.py"} {
		write(t, "sub/"+name, "x = 2\n")
	}
	write(t, ".git/info/attributes", "*.py filter=big\n/sub/é* filter=lfs\nother.py filter=unknown\nd.py -filter\n")
	git("config", "filter.big.process", "false")
	git("config", "filter.big.required", "true")
	git("config", "filter.lfs.clean", "false")
	git("config", "filter.unknown.smudge", "false")
	t.Chdir("sub")
	for _, rng := range []string{"", "HEAD"} {
		c, err := gitChange(t.Context(), rng, change.Options{})
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
			write(t, ".git/more", strings.Repeat("[filter \"x\"]\n\tclean = false\n", 3)+manyFilters())
			git("config", "include.path", "more")
		}, "git's configuration has more than 1000 settings of filters"},
		{"a work tree elsewhere", func(_ *testing.T, git func(...string) string) {
			git("config", "core.worktree", "/")
		}, "the repository's own configuration sets its work tree to /, which has no .git: set GIT_WORK_TREE to use it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			git := gitRepo(t)
			changed(t, git)
			test.set(t, git)
			if _, err := gitChange(t.Context(), "", change.Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the change: %v", err)
			}
			if err := gitProject("").New(t.Context(), nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the project: %v", err)
			}
		})
	}
}

func manyFilters() string {
	var b strings.Builder
	for i := range maxFilters {
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
	if _, err := openRepository(ctx); !errors.Is(err, context.Canceled) || n == 0 {
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
	if _, err := openRepository(late); !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "git rev-parse timed out") {
		t.Errorf("error %v", err)
	}
	fake("exec yes")
	if _, err := new(repository).output(t.Context(), 1<<12, nil, "x"); err == nil || err.Error() != "git x printed more than the limit of 4 KiB" {
		t.Errorf("error %v", err)
	}
	fake("yes warning | head -c 1000000 >&2\nexit 1")
	if _, err := new(repository).output(t.Context(), 1<<12, nil, "x"); err == nil || err.Error() != "warning" {
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
		if got := gitReason(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
