package analyzers

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGuide does what docs/adding-an-analyzer.md says in a copy of this room, and runs the tests that the page speaks of.
func TestGuide(t *testing.T) {
	page, err := os.ReadFile("../docs/adding-an-analyzer.md")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "analyzers"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum", "change", "internal"} {
		path, err := filepath.Abs(filepath.Join("..", name))
		if err == nil {
			err = os.Symlink(path, filepath.Join(root, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	bin := t.TempDir()
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	blocks := regexp.MustCompile("(?ms)^```[a-z]+ (\\S+)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 9 {
		t.Fatalf("the page has %d blocks with names", len(blocks))
	}
	for _, b := range blocks {
		name, text := filepath.Join(root, b[1]), b[2]
		switch b[1] {
		case "tabcheck":
			name = filepath.Join(bin, b[1])
		case "analyzers/registry.go":
			text = insert(t, name, "var tools = []adapter.Tool{\n", "}\n", text)
			text = strings.Replace(text, "import (\n", "import (\n\t\"crscore/analyzers/tabcheck\"\n", 1)
		case "analyzers/tools_test.go":
			text = insert(t, name, "var toolCases = []toolCase{\n", "}\n", text)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}

	analyzersPage, err := os.ReadFile("../docs/analyzers.md")
	if err == nil {
		err = errors.Join(os.Mkdir(filepath.Join(root, "docs"), 0o700), os.WriteFile(filepath.Join(root, "docs/analyzers.md"), analyzersPage, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	testdata := filepath.Join(root, "analyzers/tabcheck/testdata")
	sample, err := os.ReadFile(filepath.Join(testdata, "output.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		args []string
		want string
	}{
		{testdata, []string{"tabcheck", "clean.py", "finding.py", "broken.py"}, string(sample)},
		{root, []string{"gofmt", "-l", "analyzers/tabcheck"}, ""},
		{root, []string{"go", "test", "-count=1", "-v", "./analyzers/tabcheck"}, "--- PASS: FuzzParse"},
		{root, []string{"go", "test", "-count=1", "-v", "-run", "TestTools/tabcheck|TestEveryTool", "./analyzers"}, "--- PASS: TestTools/tabcheck"},
		{root, []string{"go", "test", "-count=1", "./analyzers", "-run", "TestDocs", "-update"}, "ok"},
		{root, []string{"go", "test", "-count=1", "-v", "./analyzers", "-run", "TestDocs"}, "--- PASS: TestDocs"},
		{root, []string{"grep", "tabcheck", "docs/analyzers.md"}, "| `tabcheck` | python | files |"},
	} {
		cmd := exec.Command(c.args[0], c.args[1:]...)
		cmd.Dir = c.dir
		cmd.Env = append(os.Environ(), "CI=1")
		out, err := cmd.CombinedOutput()
		if err != nil || c.want == "" && len(out) > 0 || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s", strings.Join(c.args, " "), err, out)
		}
	}
}

// insert reads a file and puts lines at the end of a list in it.
func insert(t *testing.T, name, from, to, lines string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), "\n"+from)
	list, after, end := strings.Cut(rest, "\n"+to)
	if !ok || !end {
		t.Fatalf("%s has no list that starts with %q", name, from)
	}
	return before + "\n" + from + list + "\n" + lines + to + after
}
