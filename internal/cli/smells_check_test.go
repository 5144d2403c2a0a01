package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/findings"
)

// TestCheckFormats reads SARIF and rdjsonl back as any other tool's findings.
func TestCheckFormats(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const path = "a b%2F,é.py"
	if err := os.WriteFile(path, []byte("def f(x=[]):\n    return x\n\n# TODO more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []findings.Finding{
		{Tool: "crscore", Path: path, Line: 1, EndLine: 1, Rule: "mutable-default", Severity: findings.Warning,
			Message: "The default value of `x` is mutable and shared by all calls; use `None` and create it in the function."},
		{Tool: "crscore", Path: path, Line: 4, EndLine: 4, Rule: "todo-comment", Severity: findings.Warning,
			Message: "A `TODO` comment is left in; resolve it now or open an issue for it."},
	}
	for _, format := range []string{"sarif", "rdjsonl"} {
		var out, errs bytes.Buffer
		if code := Main([]string{"smells", "check", "--format", format, path}, strings.NewReader(""), &out, &errs); code != exitFailed {
			t.Fatalf("%s: exit %d\n%s", format, code, &errs)
		}
		got, err := findings.Read(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s, -want +got:\n%s", format, d)
		}
	}
}

// TestSmellsDocs types the commands of docs/smells.md, whose exit code may say that there
// are smells, and checks its example of a silenced smell.
func TestSmellsDocs(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	const page = "docs/smells.md"
	dir, bin := t.TempDir(), filepath.Dir(build(t))
	python, shown := blocksOf(t, page, "python")[0], strings.TrimSpace(blocksOf(t, page, "text")[0])
	unsilenced, _, ok := strings.Cut(python, "#")
	if !ok {
		t.Fatal("the example has no comment")
	}
	for name, text := range map[string]string{
		"src/silenced.py": python, "lib/a.py": "def f(): pass\n",
		"app.py": "import sys\n\n" + unsilenced + "\n    sys.argv.append(items)\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := `set -e
git init -q . && git config user.email t@example.org && git config user.name t
git add src && git commit -qm one && git branch -m main && git checkout -qb work && git add . && git commit -qm two
crscore smells check src 2> summary.txt
grep -q '(1 silenced by comments)' summary.txt
crscore smells check app.py > shown.txt || [ $? = 1 ]
`
	n := 0
	for _, block := range blocksOf(t, page, "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, "  #")
			script += strings.TrimSpace(line) + " || [ $? = 1 ]\n"
			n++
		}
	}
	if n < 6 {
		t.Errorf("only %d commands were found", n)
	}
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "shown.txt"))
	if err != nil {
		t.Fatal(err)
	}
	holds(t, page, shown, string(got))
}
