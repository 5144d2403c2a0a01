package smellcheck

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/smells"
)

func TestWorkflowCommand(t *testing.T) {
	var b bytes.Buffer
	writeWorkflowCommand(&b, &smells.Smell{Path: "a\n::b,c%.py", StartLine: 3, Rule: "r", Name: "a: b, c", Text: "100%\r\n::error::x"})
	if want := "::error file=a%0A%3A%3Ab%2Cc%25.py,line=3,col=1,title=a%3A b%2C c::100%25  ::error::x (r)\n"; b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestChooseRules(t *testing.T) {
	base := smells.Options{Rules: []string{"long-comprehension"}, Off: []string{"todo-comment"}}
	for _, c := range []struct {
		list string
		want smells.Options
	}{
		{"", base},
		{"long-method, deep-nesting", smells.Options{Rules: []string{"long-method", "deep-nesting"}, Off: []string{"all"}}},
		{"all", smells.Options{Rules: []string{"all"}}},
		{"+todo-comment,-long-comprehension", smells.Options{Rules: []string{"todo-comment"}, Off: []string{"long-comprehension"}}},
		{"-all", smells.Options{Rules: []string{"long-comprehension"}, Off: []string{"todo-comment", "all"}}},
	} {
		got, err := ChooseRules(base, c.list)
		if err != nil {
			t.Fatal(c.list, err)
		}
		// An empty list and no list are the same.
		if g, w := strings.Join(got.Rules, " ")+"/"+strings.Join(got.Off, " "), strings.Join(c.want.Rules, " ")+"/"+strings.Join(c.want.Off, " "); g != w {
			t.Errorf("%q: %s, want %s", c.list, g, w)
		}
	}
}

func TestFromRoot(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(sub)
	for path, want := range map[string]string{"a.py": "sub/a.py", "../b.py": "b.py", "../../c.py": "../../c.py"} {
		if got := fromRoot(dir, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
