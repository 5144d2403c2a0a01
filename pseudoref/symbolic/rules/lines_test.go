package rules

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/change"
	"crscore/internal/lang"
)

// TestClassified joins the lines of comments without writing to the change.
func TestClassified(t *testing.T) {
	line := func(text string) change.Line { return change.Line{Op: change.Add, Text: text} }
	ls := []change.Line{line("# a"), line("# b"), line("y()"), line("# c"), line(""), line("# d")}
	before := slices.Clone(ls)
	var got []string
	for _, k := range classified(lang.Python, ls) {
		got = append(got, k.noun+" "+k.Text)
	}
	if d := cmp.Diff([]string{"comment # a\n# b", "line y()", "comment # c", "comment # d"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(before, ls); d != "" {
		t.Errorf("the change was written to: %s", d)
	}
}
