package report

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChecklist(t *testing.T) {
	items := []Check{
		{Good, []string{"radon", "5.1"}, "/usr/bin/radon", ""},
		{Bad, []string{"été", "timed out"}, "a text that is longer than the line has room for", "no answer"},
		{Neutral, []string{"pmd\x1b[31m", "missing"}, "", "a command of its own"},
		{Good, []string{"pylint", "2.16.2"}, "/a/long/path/to/the/program", ""},
		{Good, nil, "only a text", ""},
		{Partly, nil, "some of it", ""},
	}
	var b bytes.Buffer
	Printer{&b, TextOptions{Width: 46}}.Checklist("Tools", items)
	want := `Tools
  ✓ radon    5.1        /usr/bin/radon
  ✗ été      timed out  a text that is longer
                        than the line has room
                        for
      no answer
  · pmd[31m  missing
      a command of its own
  ✓ pylint   2.16.2
      /a/long/path/to/the/program
  ✓ only a text
  ◐ some of it

`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	b.Reset()
	Printer{&b, TextOptions{Color: true}}.Checklist("Tools", items[:1])
	if want := "\x1b[1mTools\x1b[0m\n  \x1b[32m✓\x1b[0m radon  5.1  /usr/bin/radon\n\n"; b.String() != want {
		t.Errorf("in colour: %q", &b)
	}
}
