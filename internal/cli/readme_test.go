package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocksOf returns the fenced blocks of a page in a language.
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
	"docs/commands.md",
	"docs/analyzers.md",
	"docs/agreement.md",
	"docs/calibration.md",
	"docs/runs.md",
	"docs/compare.md",
	"docs/formats.md",
	"docs/view.md",
	"docs/metrics.md",
	"docs/bench.md",
	"docs/revision.md",
	"docs/stability.md",
}

// TestPageCommands types the commands of the documentation in a work tree like the one that the
// pages describe.
func TestPageCommands(t *testing.T) {
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
cp "$ROOT/testdata/reviewers.jsonl" reviewers.jsonl
cp -r "$ROOT/testdata/bench" bench
git init -q clones/acme/shop && cd clones/acme/shop
git config user.email t@example.org && git config user.name t && mkdir shop && git branch -M main
printf 'def average_price(items):\n    return 0\n' > shop/cart.py && git add . && git commit -qm one && git checkout -qb work
printf 'def average_price(items):\n    total = sum(items)\n    return total / len(items) * 0.85\n' > shop/cart.py && git commit -qam two
cd ../../.. && source=$(git -C clones/acme/shop rev-parse main) && target=$(git -C clones/acme/shop rev-parse work)
judged() {
printf '[{"githubPrUrl": "https://github.com/acme/shop/pull/12", "source_commit": "%s", "target_commit": "%s", "comments": [' $source $target
for i in 1 2 3 4; do printf '{"note": "%s %s", "path": "shop/cart.py"}, ' "$1" $i; done
printf '{"note": "An empty cart.", "path": "shop/cart.py"}]}]'
}
judged 'Dividing by len(items) fails for an empty cart, case' > pulls.json && judged 'Use tabs, file' > bad.json
mkdir mine && sed "s/1a2b3c4/${target:0:7}/" bench/careful/acme__shop@1a2b3c4.json > mine/acme__shop@${target:0:7}.json
cp "$ROOT/testdata/revisions.jsonl" answers.jsonl
cp "$ROOT/testdata/forms.jsonl" forms.jsonl
cp "$ROOT/internal/cli/testdata/agree.jsonl" labelled.jsonl
crscore score --data labelled.jsonl | sed -E 's/"con":([^,]+),"comp":([^,]+),"rel":[^,]+/"metrics":{"chrf":\1,"bleu":\2}/' > metrics.jsonl
cp labelled.jsonl reviews.jsonl && gzip reviews.jsonl
printf 'id,patch,lang,msg\n1,"@@ -1 +1 @@\n-a = 1\n+a = 2\n",py,Why 2?\n' > reviews.csv
printf '[{"number":1,"patch":"@@ -1 +1 @@\\n-a = 1\\n+a = 2\\n","language":"py","model":"bot","comment":"Why 2?"}]' > comments.json
printf 'number,diff,lang,bot_says,cat\n1,"@@ -1 +1 @@\n-a = 1\n+a = 2\n",py,Why 2?,""\n' > systems.csv
cp "$ROOT/testdata/cache-expiry/change.diff" fix.diff
cp "$ROOT/testdata/cache-expiry/before.py" before.py
printf 'The test is lost.\nWhy not c?\n' > bot.txt && printf 'A test is missing.\nWhy not c?\n' > human.txt
ended() { # a service, as soon as it listens
rm -f ended.log # or the last service's words would be taken for the next one's
"$@" 2> ended.log & p=$!
until grep -qs listening ended.log; do kill -0 $p; sleep 0.05; done
kill -INT $p && wait $p
}
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
			case strings.Contains(line, "pylint") && !installed("pylint"), strings.Contains(line, "radon") && !installed("radon"):
				continue
			case strings.HasPrefix(line, "crscore view"): // until somebody ends it
				line = "ended " + line
			}
			n++
			script += line + "\n"
		}
	}
	if n < 5 {
		t.Errorf("only %d commands were found", n)
	}
	cmd := exec.Command("bash", "-c", "set -o pipefail\n"+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ROOT="+root, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
}

// TestReadme types the README's commands in a copy of its folder, and looks in their output
// for the lines that the README shows.
func TestReadme(t *testing.T) {
	bin, dir := filepath.Dir(build(t)), t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("../../testdata")); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Fields(string(page))); n > 900 {
		t.Errorf("the README has %d words, more than 900", n)
	}
	shown := 0
	for _, m := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```)?").FindAllStringSubmatch(string(page), -1) {
		script := "set -eo pipefail\n"
		for line := range strings.Lines(m[1]) {
			if !strings.HasPrefix(line, "make ") && !strings.HasPrefix(line, "go install") { // the tests themselves, and what build has done
				script += strings.Replace(line, "go run ./cmd/crscore", "crscore", 1)
			}
		}
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, script, out)
		}
		if m[2] != "" {
			shown++
			holds(t, "the README", m[2], string(out))
		}
	}
	if shown < 4 {
		t.Errorf("the README shows the output of %d commands", shown)
	}
}

// TestLinks follows the links of the documentation to files of the repository.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile("../../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, page := range append(pages, "../../README.md", "../../sts/builtin/README.md") {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
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

// TestPageOfGo compares the Go of docs/go.md with the example that runs.
func TestPageOfGo(t *testing.T) {
	b, err := os.ReadFile("../../example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	example := strings.ReplaceAll(string(b), "\t", "")
	for _, line := range strings.Split(blocksOf(t, "docs/go.md", "go")[0], "\n") {
		if line = strings.TrimSpace(line); !strings.Contains(example, line) {
			t.Errorf("docs/go.md has %q, the example has not", line)
		}
	}
}

// TestPageOfJSON reads the dataset of docs/json.md.
func TestPageOfJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.jsonl")
	if err := os.WriteFile(file, []byte(blocksOf(t, "docs/json.md", "json")[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	mustRun(t, build(t), "score", "--data", file)
}
