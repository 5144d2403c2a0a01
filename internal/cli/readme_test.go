package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks returns the fenced blocks of the README of one language.
func blocks(t *testing.T, lang string) []string { return blocksOf(t, "README.md", lang) }

func blocksOf(t *testing.T, page, lang string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../..", page))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^```"+lang+"\n(.*?)^```").FindAllStringSubmatch(string(b), -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 {
		t.Fatalf("%s has no block of %s", page, lang)
	}
	return out
}

// typed are the pages whose commands TestReadmeCommands types.
var typed = []string{
	"README.md",
	"docs/analyzers.md",
	"docs/agreement.md",
	"docs/calibration.md",
	"docs/runs.md",
	"docs/compare.md",
	"docs/formats.md",
}

// TestReadmeCommands types the commands of the README and of other pages in a work
// tree like the one that they speak of.
func TestReadmeCommands(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := filepath.Dir(build(t)), t.TempDir()
	script := `set -e
git init -q . && git config user.email t@example.org && git config user.name t
cp "$ROOT/testdata/cache-expiry/before.py" cache.py
git add . && git commit -qm one && git branch -m main
git checkout -qb work && git apply "$ROOT/testdata/cache-expiry/change.diff" && git commit -qam two
echo '# end' >> cache.py
cp "$ROOT/testdata/cache-expiry/thorough.md" review.md
cp "$ROOT/internal/cli/testdata/agree.jsonl" labelled.jsonl
cp labelled.jsonl reviews.jsonl && gzip reviews.jsonl
printf 'id,patch,lang,msg\n1,"@@ -1 +1 @@\n-a = 1\n+a = 2\n",py,Why 2?\n' > reviews.csv
printf 'number,diff,lang,bot_says,cat\n1,"@@ -1 +1 @@\n-a = 1\n+a = 2\n",py,Why 2?,""\n' > systems.csv
cp "$ROOT/testdata/cache-expiry/change.diff" fix.diff
cp "$ROOT/testdata/cache-expiry/before.py" before.py
echo '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "semgrep"}}, "results": []}]}' > semgrep.sarif
`
	n := 0
	var commands []string
	for _, page := range typed {
		commands = append(commands, blocksOf(t, page, "sh")...)
	}
	for _, block := range commands {
		for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
			switch {
			case strings.HasPrefix(line, "make "), strings.HasPrefix(line, "go install"):
				continue // this test is a part of the first, and changes nothing outside
			case strings.Contains(line, "pylint") && !installed("pylint"), strings.Contains(line, "radon") && !installed("radon"):
				continue
			case strings.HasPrefix(line, "go run ./cmd/crscore"):
				line = `(cd "$ROOT" && crscore` + strings.TrimPrefix(line, "go run ./cmd/crscore") + ") > first.txt"
			}
			n++
			script += line + "\n"
		}
	}
	if n < 5 {
		t.Errorf("only %d commands were found in the README", n)
	}
	cmd := exec.Command("bash", "-c", "set -o pipefail\n"+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ROOT="+root, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}

	// What the README shows of the first command is what it prints.
	shown, err := os.ReadFile(filepath.Join(dir, "first.txt"))
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "the README", blocks(t, "text")[0], string(shown))
}

// holds looks for the lines that a page shows in what is printed, in their order;
// "..." stands for others.
func holds(t *testing.T, page, shown, printed string) {
	t.Helper()
	rest := printed
	for _, line := range strings.Split(strings.TrimSpace(shown), "\n") {
		if strings.TrimSpace(line) == "..." || line == "" {
			continue
		}
		_, after, ok := strings.Cut(rest, line+"\n")
		if !ok {
			t.Errorf("%s shows %q, which the command does not print there:\n%s", page, line, printed)
			break
		}
		rest = after
	}
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// TestReadmeGo holds the README's Go against the example that runs.
func TestReadmeGo(t *testing.T) {
	b, err := os.ReadFile("../../example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	example := strings.ReplaceAll(string(b), "\t", "")
	for _, line := range strings.Split(blocks(t, "go")[0], "\n") {
		if line = strings.TrimSpace(line); !strings.Contains(example, line) {
			t.Errorf("the README has %q, the example has not", line)
		}
	}
}

// TestReadmeData reads the README's dataset line as a dataset.
func TestReadmeData(t *testing.T) {
	file := filepath.Join(t.TempDir(), "readme.jsonl")
	if err := os.WriteFile(file, []byte(blocks(t, "json")[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, build(t), "score", "--data", file)
}
