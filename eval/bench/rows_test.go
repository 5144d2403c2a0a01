package bench

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crscore/change"
	"crscore/internal/dataset"
)

const twoFiles = `diff --git a/a.go b/b.go
similarity index 50%
rename from a.go
rename to b.go
--- a/a.go
+++ b/b.go
@@ -1,2 +1,2 @@
 package a
-diff --git a/x b/x
+diff --git a/y b/y
diff --git a/c.unknown b/c.unknown
--- a/c.unknown
+++ b/c.unknown
@@ -1 +1 @@
-1
+2
diff --git a/moved b/to
similarity index 100%
rename from moved
rename to to
`

func pullOf(paths ...string) *PullRequest {
	p := &PullRequest{ID: "o__n@abcdef0", URL: "https://github.com/o/n/pull/1", Language: "C++", Target: "abcdef0123"}
	for _, path := range paths {
		p.References = append(p.References, Reference{Place: Place{Path: path}, Note: "on " + path})
	}
	return p
}

func TestPullRow(t *testing.T) {
	c, err := change.Parse([]byte(twoFiles), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := pullOf("a.go", "x")
	mine := &System{Name: "mine", Answers: map[string]*Answer{p.ID: {Comments: []Comment{{Text: "one"}, {Text: "two"}}}}}
	row := p.PullRow("base", twoFiles, c, []*System{mine, {Name: "absent"}})
	if want := []dataset.Review{{ID: "msg", Text: "on a.go\n\non x"}, {ID: "mine", Text: "one\n\ntwo"}}; !reflect.DeepEqual(row.Reviews, want) {
		t.Errorf("%+v", row.Reviews)
	}
	if row.Lang != "cpp" || row.Base != "base" || row.Head != p.Target {
		t.Errorf("%+v", row)
	}
	// The language of a project must not become that of a single file, which a reader would take it for.
	c.Files = c.Files[:1]
	if row := p.PullRow("base", twoFiles, c, nil); row.Lang != "go" {
		t.Errorf("the language of a single file is %q", row.Lang)
	}
}

func TestFileRows(t *testing.T) {
	p := pullOf("b.go", "a.go", "c.unknown", "to", "")
	p.Invalid = pullOf("elsewhere", "b.go").References
	rows, warnings := p.FileRows("base", twoFiles, func(f *change.File, side change.Side) (string, bool) {
		return "package a\ndiff --git a/x b/x\n", f.NewPath == "b.go" && side == change.Old
	})
	if len(rows) != 2 || rows[0].Diff+rows[1].Diff != twoFiles[:strings.Index(twoFiles, "diff --git a/moved")] {
		t.Fatalf("%+v", rows)
	}
	var ids []string
	for _, r := range rows[0].Reviews {
		ids = append(ids, fmt.Sprint(r.ID, r.Text, *r.Valid))
	}
	if want := []string{"valid-1on b.gotrue", "valid-2on a.gotrue", "invalid-1on b.gofalse"}; !slices.Equal(ids, want) {
		t.Errorf("%q", ids)
	}
	if r := rows[0]; r.ID != p.ID+":b.go" || r.Lang != "go" || *r.New != "package a\ndiff --git a/y b/y\n" {
		t.Errorf("%+v", r)
	}
	if r := rows[1]; r.Path != "c.unknown" || r.Lang != "" || r.Old != nil {
		t.Errorf("%+v", r)
	}
	if want := []string{"c.unknown: the row has no old and new text: too large, or not those of the diff",
		`comments on files without lines in the diff, left out: 3 (the first: on "to")`}; !slices.Equal(warnings, want) {
		t.Errorf("%q", warnings)
	}
}

func TestJoin(t *testing.T) {
	truth, invalid := truthOf(t, `{"note": "v", "path": "a"}`, ""), truthOf(t, `{"note": "i", "path": "a"}`, "", `{"note": "j", "path": "b"}`)
	var got []string
	for _, p := range Join(truth, invalid) {
		got = append(got, fmt.Sprint(p.ID, len(p.References), len(p.Invalid)))
	}
	if want := []string{"acme__r0@00000001 1", "acme__r1@00000010 0", "acme__r2@00000020 1"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(truth.Pulls[0].Invalid) != 0 {
		t.Error("the truth was changed")
	}
}

// Every row can be read back, and no comment is lost without a word.
func FuzzFileRows(f *testing.F) {
	f.Add(twoFiles, "b.go")
	f.Add("diff --git \"a/\\303\\251 b\" \"b/\\303\\251 b\"\n--- \"a/\\303\\251 b\"\n+++ \"b/\\303\\251 b\"\n@@ -1 +1 @@\n-1\r\n+\xff\n", "é b")
	f.Fuzz(func(t *testing.T, diff, path string) {
		if strings.Join(splitDiff(diff), "") != diff {
			t.Errorf("%q", splitDiff(diff))
		}
		rows, warnings := pullOf(path).FileRows("base", diff, nil)
		if len(rows) == 0 && len(warnings) == 0 {
			t.Error("the comment is lost")
		}
		for _, row := range rows {
			text, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := dataset.NewReader(strings.NewReader(string(text))).Next()
			if err != nil || rec.ID != strings.ToValidUTF8(row.ID, "\ufffd") || len(rec.Reviews) != 1 || !*rec.Reviews[0].Valid {
				t.Errorf("%v: %+v", err, rec)
			}
		}
	})
}
