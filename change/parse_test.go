package change

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/lang"
	"crscore/internal/limits"
)

const oldPush = "def push(item):\n    queue.append(item)\n    return len(queue)\n\n\ndef pop():\n    return queue.pop()\n"
const newPush = "def push(item, hash):\n    queue.append((item, hash))\n    return len(queue)\n\n\ndef pop():\n    return queue.pop()\n"
const bare = "@@ -1,5 +1,5 @@\n-def push(item):\n-    queue.append(item)\n+def push(item, hash):\n+    queue.append((item, hash))\n     return len(queue)\n \n \n"

func ptr(s string) *string { return &s }

// summary shows a change in a line a file, for tables.
func summary(c *Change) string {
	var b strings.Builder
	for _, f := range c.Files {
		fmt.Fprintf(&b, "%s %q->%q %s", f.Status, f.OldPath, f.NewPath, f.Lang)
		if f.OldMode != "" || f.NewMode != "" {
			fmt.Fprintf(&b, " mode %s->%s", f.OldMode, f.NewMode)
		}
		if f.Binary {
			b.WriteString(" binary")
		}
		fmt.Fprintf(&b, " -%v +%v\n", f.ChangedLines(Old), f.ChangedLines(New))
	}
	return b.String()
}

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		diff string
		opts Options
		want string
	}{
		{"bare hunk with a path", bare, Options{Path: "q/push.py"}, `modified "q/push.py"->"q/push.py" python -[1 2] +[1 2]`},
		{"bare hunk with a language", bare, Options{Lang: lang.Python}, `modified ""->"" python -[1 2] +[1 2]`},
		{"language wins over path for one file", bare, Options{Path: "push.txt", Lang: lang.Python}, `modified "push.txt"->"push.txt" python -[1 2] +[1 2]`},
		{"bare hunk, no newline at the end", strings.TrimSuffix(bare, "\n"), Options{Lang: lang.Python}, `modified ""->"" python -[1 2] +[1 2]`},
		{"two bare hunks with section", "@@ -1 +1 @@ class A:\n-a\n+b\n@@ -9,2 +9,3 @@ def f():\n x\n+y\n z\n", Options{}, `modified ""->""  -[1] +[1 10]`},
		{"two files", `diff --git a/a.js b/a.js
index 1111111..2222222 100644
--- a/a.js
+++ b/a.js
@@ -1 +1 @@
-let a
+let b
diff --git a/B.java b/B.java
--- a/B.java
+++ b/B.java
@@ -3,0 +4 @@ class B {
+  int x;
`, Options{}, "modified \"a.js\"->\"a.js\" javascript mode 100644-> -[1] +[1]\nmodified \"B.java\"->\"B.java\" java -[] +[4]"},
		{"rename without change", "diff --git a/old name.py b/new name.py\nsimilarity index 100%\nrename from old name.py\nrename to new name.py\n", Options{},
			`renamed "old name.py"->"new name.py" python -[] +[]`},
		{"mode change", "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n", Options{}, `modified "run.sh"->"run.sh" bash mode 100644->100755 -[] +[]`},
		{"new file", "diff --git a/n.go b/n.go\nnew file mode 100644\nindex 0000000..e69de29\n--- /dev/null\n+++ b/n.go\n@@ -0,0 +1,2 @@\n+package n\n+// x\n", Options{},
			`added ""->"n.go" go mode ->100644 -[] +[1 2]`},
		{"new empty file", "diff --git a/n.go b/n.go\nnew file mode 100644\nindex 0000000..e69de29\n", Options{}, `added ""->"n.go" go mode ->100644 -[] +[]`},
		{"deleted file", "diff --git a/n.go b/n.go\ndeleted file mode 100644\n--- a/n.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-package n\n", Options{},
			`deleted "n.go"->"" go mode 100644-> -[1] +[]`},
		{"binary marker", "diff --git a/x.png b/x.png\nindex 1111111..2222222 100644\nBinary files a/x.png and b/x.png differ\n", Options{},
			`modified "x.png"->"x.png"  mode 100644-> binary -[] +[]`},
		{"quoted path", "diff --git \"a/caf\\303\\251.py\" \"b/caf\\303\\251.py\"\n--- \"a/caf\\303\\251.py\"\n+++ \"b/caf\\303\\251.py\"\n@@ -1 +1 @@\n-a\n+b\n", Options{},
			`modified "café.py"->"café.py" python -[1] +[1]`},
		{"no newline at end of file", "--- a/x.rb\n+++ b/x.rb\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", Options{},
			`modified "x.rb"->"x.rb" ruby -[1] +[1]`},
		{"CRLF throughout", strings.ReplaceAll("diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1,2 +1,2 @@\n x\n-let a\n+let b\n", "\n", "\r\n"), Options{},
			`modified "a.js"->"a.js" javascript -[2] +[2]`},
		{"diff -u with dates", "--- old/x.c\t2024-01-01 10:00:00.000000000 +0000\n+++ new/x.c\t2024-01-01 10:00:01.000000000 +0000\n@@ -1 +1 @@\n-int a;\n+int b;\n", Options{},
			`modified "new/x.c"->"new/x.c" c -[1] +[1]`},
		{"plain deletion below a folder b", "--- a/b/foo.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", Options{}, `deleted "b/foo.py"->"" python -[1] +[]`},
		{"plain addition below a folder a", "--- /dev/null\n+++ b/a/foo.py\n@@ -0,0 +1 @@\n+a\n", Options{}, `added ""->"a/foo.py" python -[] +[1]`},
		{"plain headers below a folder b", "--- a/b/foo.py\n+++ b/b/foo.py\n@@ -1 +1 @@\n-a\n+b\n", Options{}, `modified "b/foo.py"->"b/foo.py" python -[1] +[1]`},
		{"format-patch with signature", "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\nBody.\n---\n x.py | 2 +-\n\ndiff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n", Options{},
			`modified "x.py"->"x.py" python -[1] +[1]`},
		{"byte order mark", "\ufeff" + bare, Options{Lang: lang.Python}, `modified ""->"" python -[1 2] +[1 2]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse([]byte(tt.diff), tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want+"\n", summary(c)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, diff, want string
		is               error
	}{
		{"empty", "", "the diff is empty", ErrEmpty},
		{"blank", " \n\t\n", "the diff is empty", ErrEmpty},
		{"prose", "Hello,\nthis is a letter.\n", "not a unified diff", ErrNotDiff},
		{"JSON", `{"diff": "@@ -1 +1 @@"}`, "not a unified diff", ErrNotDiff},
		{"hunk cut short", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n", "line 3", nil},
		{"hunk cut short, bare", "@@ -1,3 +1,3 @@\n a\n-b\n", "line 1", nil},
		{"hunk header broken", "@@ -1,x +1 @@\n a\n", "line 1", nil},
		{"second hunk header broken", "@@ -1 +1 @@\n-a\n+b\n@@ -7,1\n-a\n+b\n", "line 4", nil},
		{"combined diff", "diff --cc x.py\nindex 1,2..3\n--- a/x.py\n+++ b/x.py\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n", "combined diffs", nil},
		{"UTF-16", "\xff\xfed\x00i\x00f\x00f\x00", "UTF-16", nil},
		{"hunk lost behind too long a hunk", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n+d\n@@ -9 +9 @@\n-a\n+b\n", "line 6: the hunk of line 3 is longer than its header says; surplus lines from here on: 2", nil},
		{"more old lines than the header says", "@@ -1 +1,2 @@\n-a\n-b\n+c\n+d\n", "line 1: the hunk has 1 old", nil},
		{"no change", "@@ -1 +1 @@\n a\n", "line 1: the hunk changes no line", nil},
		{"numbers too large", "@@ -2147483647,1 +1 @@\n-a\n+b\n", "line 1: the hunk header has", nil},
		{"new file with old lines", "--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "line 3: the file is new", nil},
		{"deleted file with new lines", "--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "line 3: the file is deleted", nil},
		{"lost header", "+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "line 2: a hunk without a file header", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse([]byte(tt.diff), Options{})
			if err == nil {
				t.Fatalf("no error, but %s", summary(c))
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error is not %v", tt.is)
			}
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q lacks %q or has more than a line", err, tt.want)
			}
		})
	}
}

// TestDamagedFiles leaves out the file that cannot be read, by its name and line,
// and keeps the others. The file alone is an error at the same line.
func TestDamagedFiles(t *testing.T) {
	const fine = "diff --git a/fine.py b/fine.py\n--- a/fine.py\n+++ b/fine.py\n@@ -1 +1 @@\n-a\n+b\n" // 6 lines
	const hunk = "@@ -1 +1 @@\n-a\n+b\n"
	for _, tt := range []struct{ name, file, want string }{
		{"base85", "diff --git a/x.png b/x.png\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZQzU|?i`00jU6\n\nliteral 0\nHcmV?d\n\n", "x.png was left out: line 14: the binary patch has a damaged line"},
		{"base85 letters", "diff --git a/x.png b/x.png\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZQzU|?i 00jU6\n\n", "x.png was left out: line 11: the binary patch has a damaged line"},
		{"no data", "diff --git a/x.png b/x.png\nindex 1..2\nGIT binary patch\n\n", "x.png was left out: line 10: the binary patch has no data"},
		{"size", "diff --git a/x.png b/x.png\nindex 1..2\nGIT binary patch\nliteral x\n\n", "x.png was left out: line 10: the binary patch has the size \"x\""},
		{"cut short", "diff --git a/x.png b/x.png\nindex 1..2\nGIT binary patch\ndelta 3\nKcmZQzU|?i`00jU6", "x.png was left out: line 12: the binary patch is cut short"},
		{"bad escape", "diff --git \"a/\\q.py\" \"b/\\q.py\"\nindex 1..2\n--- \"a/\\q.py\"\n+++ \"b/\\q.py\"\n" + hunk, "the file was left out: line 9: the quoted path has a bad escape"},
		{"bad escape, plain", "--- \"a/x.py\"\n+++ \"b/\\q.py\"\n" + hunk, "the file was left out: line 8: the quoted path has a bad escape"},
		{"no end of a quoted path", "diff --git \"a/x.py \"b/x.py\"\n", "the file was left out: line 7: the quoted path has a bad escape or no end"},
		{"mode", "diff --git a/x.py b/x.py\nold mode 100644\nnew mode what\n", "x.py was left out: line 9: the mode \"what\" is no octal number"},
		{"index", "diff --git a/x.py b/x.py\nindex 12 100644\n--- a/x.py\n+++ b/x.py\n" + hunk, "x.py was left out: line 8: the index line has no"},
		{"rename without a name", "diff --git a/x.py b/y.py\nrename to y.py\n", "the file was left out: line 7: the header of a renamed or copied file lacks a name"},
		{"path", "--- a/" + strings.Repeat("p", 5000) + "\n+++ b/" + strings.Repeat("p", 5000) + "\n" + hunk, "the file was left out: line 7: the path of a file has 5000 bytes"},
	} {
		after := fine
		if tt.name == "cut short" {
			after = ""
		}
		c, err := Parse([]byte(fine+tt.file+after), Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		want := summary(&Change{Files: c.Files[:1]})
		if got := summary(c); got != strings.Repeat(want, 1+len(after)/len(fine)) || !strings.Contains(want, "fine.py") {
			t.Errorf("%s: %s", tt.name, got)
		}
		if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], tt.want) {
			t.Errorf("%s: warnings %q lack %q", tt.name, c.Warnings, tt.want)
		}
		_, what, _ := strings.Cut(tt.want, ": line ")
		number, what, _ := strings.Cut(what, ": ")
		n, _ := strconv.Atoi(number)
		if _, err = Parse([]byte(tt.file), Options{}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("malformed diff: line %d: %s", n-6, what)) {
			t.Errorf("%s, alone: %v", tt.name, err)
		}
	}

	c, err := Parse([]byte(fine+strings.Repeat("diff --git a/x b/x\nold mode x\n", 50)), Options{})
	if err != nil || len(c.Warnings) != limits.ChangeWarnings+1 || !strings.Contains(c.Warnings[limits.ChangeWarnings], "30 more") {
		t.Errorf("50 damaged files: %v, %d warnings", err, len(c.Warnings))
	}
}

// TestManyLines keeps to the limit of lines by leaving out whole files.
func TestManyLines(t *testing.T) {
	long := fmt.Sprintf("diff --git a/long b/long\n--- a/long\n+++ b/long\n@@ -1 +1 @@\n-a\n+b\n@@ -5,0 +5,%d @@\n%s", limits.ChangeLines, strings.Repeat("+\n", limits.ChangeLines))
	small := "diff --git a/small b/small\n--- a/small\n+++ b/small\n@@ -1 +1 @@\n-a\n+b\n"
	c, err := Parse([]byte(small+long+small), Options{})
	if err != nil || len(c.Files) != 2 || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "long was left out: line 13") {
		t.Fatalf("%v", err)
	}
	if c.Files[1].Path() != "small" || len(c.Files[1].Hunks[0].Lines) != 2 {
		t.Errorf("the file behind has %v", c.Files[1].Hunks)
	}
	if _, err = Parse([]byte(long), Options{}); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "line 7") {
		t.Errorf("alone: %v", err)
	}
}

func TestLimit(t *testing.T) {
	big := strings.Repeat("+x\n", 50<<20/3)
	_, err := Parse([]byte("--- a/x\n+++ b/x\n@@ -0,0 +1,17476266 @@\n"+big), Options{})
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "32 MiB") {
		t.Errorf("50 MB: %v", err)
	}
	if _, err := Parse([]byte(bare), Options{MaxBytes: 10}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("small limit: %v", err)
	}
	for _, n := range []int{limits.PathBytes, limits.PathBytes + 1} {
		path := strings.Repeat("p", n)
		for name, parse := range map[string]func() (*Change, error){
			"given": func() (*Change, error) { return Parse([]byte(bare), Options{Path: path}) },
			"plain": func() (*Change, error) { return Parse([]byte("--- a/"+path+"\n+++ b/"+path+"\n"+bare), Options{}) },
			"git": func() (*Change, error) {
				return Parse([]byte("diff --git a/x b/"+path+"\nsimilarity index 100%\nrename from x\nrename to "+path+"\n"), Options{})
			},
		} {
			if _, err := parse(); (err != nil) != (n > limits.PathBytes) || err != nil && !strings.Contains(err.Error(), "4097 bytes, more than the limit of 4096") {
				t.Errorf("a path of %d bytes, %s: %.200v", n, name, err)
			}
		}
	}
}

// TestLongHeaders reads headers of megabytes in a moment; in time that grows with
// the square of their length it would be hours.
func TestLongHeaders(t *testing.T) {
	const n = 8 << 20
	for _, head := range []string{
		"a/" + strings.Repeat(" ", n) + "/x",
		"a/" + strings.Repeat(" a/", n/3),
		strings.Repeat("a/x ", n/4) + "b",
		"\"" + strings.Repeat("\\\\", n/2) + "\" b",
		strings.Repeat("--- \n", n/5),
		strings.Repeat("x\nFrom x\nX: y\n---\n", n/17),
		"a/x b/x\n--- a/x\n+++ b/x\n" + strings.Repeat("@@ -1 +1 @@\n", n/48),
	} {
		if c, err := Parse([]byte("diff --git "+head+"\nold mode 100644\nnew mode 100755\n"), Options{}); err == nil {
			t.Errorf("%.20q: no error, but %.200s", head, summary(c))
		}
	}
}

func TestHostileText(t *testing.T) {
	c, err := Parse([]byte("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\xff\xfeb\n+a\x00b\x1b[31m"+strings.Repeat("z", 1<<20)+"\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Files[0].Hunks[0].Lines[0].Text; got != "a\ufffd\ufffdb" {
		t.Errorf("old line %q", got)
	}
	if got := c.Files[0].Hunks[0].Lines[1].Text; len(got) != 1<<20+len("a\ufffdb\x1b[31m") {
		t.Errorf("new line has %d bytes", len(got))
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "3 bytes") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new *string
		known    bool
		warn     bool
	}{
		{"both", ptr(oldPush), ptr(newPush), true, false},
		{"old only", ptr(oldPush), nil, true, false},
		{"new only", nil, ptr(newPush), true, false},
		{"CRLF old", ptr(strings.ReplaceAll(oldPush, "\n", "\r\n")), nil, true, false},
		{"old without its last newline", ptr(strings.TrimSuffix(oldPush, "\n")), nil, true, false},
		{"neither", nil, nil, false, false},
		{"another file", ptr("x = 1\n"), nil, false, true},
		{"old fits, new does not", ptr(oldPush), ptr("x = 1\n"), false, true},
		{"swapped", ptr(newPush), ptr(oldPush), false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse([]byte(bare), Options{Path: "push.py", Old: tt.old, New: tt.new})
			if err != nil {
				t.Fatal(err)
			}
			o, okOld := c.Files[0].Whole(Old)
			n, okNew := c.Files[0].Whole(New)
			if okOld != tt.known || okNew != tt.known || (len(c.Warnings) > 0) != tt.warn {
				t.Fatalf("known %v %v, warnings %q", okOld, okNew, c.Warnings)
			}
			if tt.known && (strings.TrimSpace(o) != strings.TrimSpace(oldPush) || strings.TrimSpace(n) != strings.TrimSpace(newPush)) {
				t.Errorf("old %q\nnew %q", o, n)
			}
		})
	}
	two := "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+b\n"
	if c, err := Parse([]byte(two), Options{Old: ptr("a\n")}); err != nil || len(c.Warnings) != 1 {
		t.Errorf("one text for two files: %v, warnings %q", err, c.Warnings)
	} else if _, ok := c.Files[0].Whole(Old); ok {
		t.Error("one text was taken for one of two files")
	}
	c, err := Parse([]byte("--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x = 1\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := c.Files[0].Whole(New); !ok || n != "x = 1\n" {
		t.Errorf("new file: %q %v", n, ok)
	}
}

// TestApply puts hunks into texts that they fit, and into no other.
func TestApply(t *testing.T) {
	for _, tt := range []struct {
		name, diff string
		from       Side
		text, want string // want is empty where the text does not fit
	}{
		{"insertion without context", "@@ -1,0 +2 @@\n+b\n", Old, "a\nc\n", "a\nb\nc\n"},
		{"its reversal", "@@ -1,0 +2 @@\n+b\n", New, "a\nb\nc\n", "a\nc\n"},
		{"deletion without context", "@@ -2 +1,0 @@\n-b\n", New, "a\nc\n", "a\nb\nc\n"},
		{"hunks out of order", "@@ -3 +3 @@\n-c\n+C\n@@ -1 +1 @@\n-a\n+A\n", Old, "a\nb\nc\n", "A\nb\nC\n"},
		{"overlapping hunks", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -2 +2 @@\n-b\n+B\n", Old, "a\nb\nb\n", ""},
		{"newline lost", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", Old, "a\n", "a"},
		{"newline won", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", Old, "a", "b\n"},
		{"newline in the text alone", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", Old, "a\nc\n", ""},
		{"line that goes on", "@@ -1 +1 @@\n-a\n+b\n", Old, "ab\n", ""},
		{"text too short", "@@ -3 +3 @@\n-a\n+b\n", Old, "x\n", ""},
		{"new file over a text", "@@ -0,0 +1 @@\n+b\n", Old, "a\n", ""},
		{"all deleted, but not all there is", "@@ -1 +0,0 @@\n-a\n", Old, "a\nb\n", ""},
	} {
		opts := Options{Old: &tt.text}
		if tt.from == New {
			opts = Options{New: &tt.text}
		}
		c, err := Parse([]byte(tt.diff), opts)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got, ok := c.Files[0].Whole(Old + New - tt.from); ok != (tt.want != "") || got != tt.want || ok != (len(c.Warnings) == 0) {
			t.Errorf("%s: %q %v, warnings %q", tt.name, got, ok, c.Warnings)
		}
	}
}

func TestHunkText(t *testing.T) {
	c, err := Parse([]byte("@@ -3,2 +3,2 @@ def f():\n a\n-b\n+c\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &c.Files[0].Hunks[0]
	if h.Text(Old) != "a\nb\n" || h.Text(New) != "a\nc\n" || h.Section != "def f():" {
		t.Errorf("%q %q %q", h.Text(Old), h.Text(New), h.Section)
	}
	want := []Line{{"a", 3, 3, Context, false}, {"b", 4, 0, Delete, false}, {"c", 0, 4, Add, false}}
	if d := cmp.Diff(want, h.Lines); d != "" {
		t.Error(d)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(bare))
	f.Add([]byte("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n"))
	f.Add([]byte("diff --git a/x.png b/x.png\nGIT binary patch\nliteral 3\nKcmZQzU|?i`00jU6\n\nliteral 0\nHcmV?d00001\n\n"))
	f.Add([]byte("@@ -1,2 +1 @@\n\\ No newline at end of file\n"))
	f.Add([]byte("@@ -9223372036854775807,1 +1 @@\n-a\n+b\n"))
	for _, seed := range []string{
		"diff --git x.png x.png\nindex 1..2 100644\nBinary files x.png and x.png differ\ndiff --git old/x new/x\nold mode 100644\nnew mode 100755\n",
		"diff --git \"a/\\q\" b/x\nrename from \"\\303\\244\"\nrename to y\n--- \"a/x\"\t\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n+x\n",
		"\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[1m--- a/x\x1b[m\n\x1b[1m+++ b/x\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m f\n\x1b[31m-a\x1b[m\n\x1b[32m+\x1b[m\x1b[32mb\x1b[m\n",
		"From 1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH 1/2] x\n\n" + quotedHeader + quotedHunk + "---\n x.py | 2 +-\n 1 file changed\n\n" + quotedHeader + "-- \n2.39\n\nFrom 2 Mon\nSubject: [PATCH 0/2]\n\n" + quotedHeader,
		"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n [-a-]{+b+}\n c\n",
		"--- /dev/null\t1970-01-01 00:00:00.000000000 +0000\n+++ x\n@@ -0,0 +1 @@\n+x\n@@ -0,0 +1 @@\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, diff []byte) {
		whole := oldPush
		c, err := Parse(diff, Options{Old: &whole, MaxBytes: 1 << 20})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		if len(c.Files) == 0 {
			t.Error("no error and no file")
		}
		for i := range c.Files {
			for _, side := range []Side{Old, New} {
				last := 0
				for j := range c.Files[i].Hunks {
					_ = c.Files[i].Hunks[j].Text(side)
				}
				for _, n := range c.Files[i].ChangedLines(side) {
					if n < last && n > 0 {
						break // hunks out of order are the diff's own affair
					}
					last = n
				}
			}
		}
	})
}

// BenchmarkParse reads a diff of 100 files with 10 hunks each, whole texts
// included.
func BenchmarkParse(b *testing.B) {
	var diff strings.Builder
	var old strings.Builder
	for i := range 400 {
		fmt.Fprintf(&old, "line %d of the file\n", i+1)
	}
	for f := range 100 {
		fmt.Fprintf(&diff, "diff --git a/f%d.py b/f%d.py\n--- a/f%d.py\n+++ b/f%d.py\n", f, f, f, f)
		for h := range 10 {
			n := h*40 + 2
			fmt.Fprintf(&diff, "@@ -%d,3 +%d,3 @@ def f():\n line %d of the file\n-line %d of the file\n+another line\n line %d of the file\n", n, n, n, n+1, n+2)
		}
	}
	whole := old.String()
	b.SetBytes(int64(diff.Len()))
	b.ReportAllocs()
	for b.Loop() {
		c, err := Parse([]byte(diff.String()), Options{Texts: func(_ *File, side Side) (string, bool) { return whole, side == Old }})
		if err != nil || len(c.Warnings) > 0 {
			b.Fatal(err, c.Warnings)
		}
	}
}
