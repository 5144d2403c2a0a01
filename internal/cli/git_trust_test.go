package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crscore/internal/gittest"
	"crscore/internal/ollamatest"
	"crscore/internal/terminal"
)

// answer is what crscore says to a command line.
type answer struct {
	code      int
	out, errs string
}

// answersOf calls the commands with each kind of range. None may run the program.
func answersOf(t *testing.T, ran string, commands ...[]string) map[string]answer {
	t.Helper()
	answers := map[string]answer{}
	for _, rng := range []string{"", "HEAD~1..HEAD", "HEAD~1"} { // the work tree, two commits, a commit with the work tree
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
	for _, cmd := range root(streams{out: terminal.NewOutput(io.Discard), log: terminal.NewLog(io.Discard)}).Commands() {
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
		git, _, ran := gittest.Trapped(t, false)
		want = answersOf(t, ran, commands...)
		wantDiff = diffOfClone(t, git, false)
	})
	for _, lacks := range []bool{false, true} {
		t.Run(fmt.Sprintf("partial clone %t", lacks), func(t *testing.T) {
			git, program, ran := gittest.Trapped(t, lacks)
			for _, trap := range gittest.Traps() {
				if lacks || !trap.Lacks {
					trap.Set(t, git, program)
				}
			}
			_ = os.Remove(ran) // git runs it while it is set up
			gittest.Edit(t)
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
