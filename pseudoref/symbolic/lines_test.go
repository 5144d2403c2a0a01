package symbolic

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// TestLineRuns sorts and joins lines without writing to the change.
func TestLineRuns(t *testing.T) {
	line := func(op change.Op, text string) change.Line { return change.Line{Op: op, Text: text} }
	ls := []change.Line{line('-', "# a"), line('+', "x"), line('-', "# b"), line('-', "y"), line('+', "# c"), line('+', "# d")}
	before := slices.Clone(ls)
	r := changedRun(ls)
	w := &writer{file: &syntax.File{File: &change.File{Lang: lang.Python}}}
	if d := cmp.Diff(lineHunk{
		old: []change.Line{line('-', "# a\n# b"), line('-', "y")},
		new: []change.Line{line('+', "x"), line('+', "# c\n# d")},
	}, lineHunk{w.commentRuns(r.old), w.commentRuns(r.new)}, cmp.AllowUnexported(lineHunk{})); d != "" {
		t.Error(d)
	}
	w.commentRuns(changedRun(ls[4:]).new)
	if d := cmp.Diff(before, ls); d != "" {
		t.Errorf("the change was written to: %s", d)
	}
}
