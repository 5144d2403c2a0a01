// Package hostile makes changes that may crash or slow down a program: random diffs of real
// source files, and shapes of text that grammars and recursive code do not expect. Its tests
// give them to the command and the service. On one machine, the same seed makes the same
// changes.
package hostile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"crscore/internal/dataset"
	"crscore/internal/lang"
)

// Row is a line of a dataset.
type Row struct {
	dataset.Record

	text bool // the review is hostile, not the change
}

// JSON returns the line of the dataset, with its newline.
func (r Row) JSON() []byte {
	b, err := json.Marshal(r.Written(nil))
	if err != nil {
		panic(err) // impossible: all fields have JSON
	}
	return append(b, '\n')
}

// reviews are the reviews of every row.
var reviews = []dataset.Review{{ID: "bot", Text: "Callers of this function must now pass a limit. What happens when the list is empty?"}}

// Normal is a change that any program can score.
func Normal(id string) Row {
	return Row{Record: dataset.Record{ID: id, Path: "mean.py", Reviews: reviews,
		Diff: "@@ -1,2 +1,4 @@\n def mean(values):\n+    if not values:\n+        return None\n     return sum(values) / len(values)\n"}}
}

// diffForm is the form of a diff.
type diffForm struct {
	context     int
	git         bool // with the header of git
	texts       bool // the whole texts stand beside it
	heading     bool // hunks have section headings
	byLang      bool // bare hunks come with a language, not with a path
	oneHunkOnly int  // number of the only hunk that is kept, -1 for all
}

// randomForm draws the form of a diff.
func randomForm(r *rand.Rand) diffForm {
	f := diffForm{context: []int{0, 1, 3, 3, 3, 10}[r.IntN(6)], git: r.IntN(2) == 0, texts: r.IntN(3) == 0,
		heading: r.IntN(2) == 0, byLang: r.IntN(4) == 0, oneHunkOnly: -1}
	if !f.git && !f.texts && r.IntN(2) == 0 {
		f.oneHunkOnly = r.IntN(4)
	}
	return f
}

// file is a file before and after a change.
type file struct {
	path     string
	lang     lang.Name
	old, new string
}

// row writes a change of one file, or of several by git's headers.
func (f diffForm) row(id string, files ...file) Row {
	row := Row{Record: dataset.Record{ID: id, Reviews: reviews}}
	if len(files) > 1 || f.git {
		var b strings.Builder
		for _, x := range files {
			b.WriteString(gitHeader(x))
			b.WriteString(f.hunks(x))
		}
		row.Diff = b.String()
	} else if row.Diff = f.hunks(files[0]); f.byLang {
		row.Lang = string(files[0].lang)
	} else {
		row.Path = files[0].path
	}
	if len(files) == 1 && f.texts {
		row.Old, row.New = &files[0].old, &files[0].new
	}
	return row
}

func gitHeader(x file) string {
	switch {
	case x.old == "":
		return fmt.Sprintf("diff --git a/%s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n", x.path)
	case x.new == "":
		return fmt.Sprintf("diff --git a/%s b/%[1]s\ndeleted file mode 100644\n--- a/%[1]s\n+++ /dev/null\n", x.path)
	}
	return fmt.Sprintf("diff --git a/%s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n", x.path)
}
