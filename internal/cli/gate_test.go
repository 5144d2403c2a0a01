package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBotsPage runs the commands of docs/bots.md beside the change and the review that the
// page is about.
func TestBotsPage(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	demo, err := filepath.Abs("../../testdata/cache-expiry")
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := filepath.Dir(build(t)), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "review.json"), []byte(blocksOf(t, "docs/bots.md", "json")[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	bash := func(line string) string {
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "DEMO="+demo, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if exit := new(exec.ExitError); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == exitFailed) {
			t.Fatalf("%s: %v\n%s", line, err, errs.String())
		}
		return string(out)
	}
	bash(`set -e
git init -q . && git config user.email t@example.org && git config user.name t
cp "$DEMO/before.py" cache.py && cp "$DEMO/change.diff" pr.diff
git add cache.py && git commit -qm one && git branch -m main
git checkout -qb work && git apply pr.diff && git commit -qam two`)
	shown := blocksOf(t, "docs/bots.md", "text")[0]
	for i, block := range blocksOf(t, "docs/bots.md", "sh") {
		for line := range strings.Lines(block) {
			if out := bash(line); i == 0 {
				holds(t, "docs/bots.md", shown, out)
			}
		}
	}
	kept, err := os.ReadFile(filepath.Join(dir, "kept.json"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(kept), `"path"`); n != 3 || strings.Contains(string(kept), "crscore") {
		t.Errorf("%d comments were kept:\n%s", n, kept)
	}
}
