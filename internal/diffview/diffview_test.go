package diffview

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"crscore/change"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

func of(ctx context.Context, c *change.Change) (*Change, error) {
	trees, err := syntax.Parse(ctx, c)
	if err != nil {
		return nil, err
	}
	return Of(ctx, trees)
}

// drawn writes a change with its kinds and marks: <kind:text>, and [text] where it changed.
func drawn(t *testing.T, diff string, opts change.Options) string {
	t.Helper()
	c, err := change.Parse([]byte(diff), opts)
	if err != nil {
		t.Fatal(err)
	}
	v, err := of(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range v.Files {
		fmt.Fprintf(&b, "%s %s %s +%d -%d\n", f.Status, f.Path, f.Lang, f.Added, f.Deleted)
		for _, h := range f.Hunks {
			fmt.Fprintf(&b, "@@ %s\n", h.Section)
			for _, l := range h.Lines {
				fmt.Fprintf(&b, "%s%d,%d|", l.Op, l.Old, l.New)
				for _, p := range l.Parts {
					text := p.Text
					if p.Kind != "" {
						text = fmt.Sprintf("<%s:%s>", p.Kind, text)
					}
					if p.Changed {
						text = "[" + text + "]"
					}
					b.WriteString(text)
				}
				b.WriteString("\n")
			}
		}
	}
	return b.String()
}

func TestOf(t *testing.T) {
	for _, tt := range []struct{ name, diff, path, want string }{
		{"python", "@@ -3,3 +3,4 @@ class Mailer:\n     def send(self, message):\n-        return deliver(message)\n+        # once more\n+        return deliver(message, 3)\n     def stop(self): pass\n", "a.py",
			`modified a.py python +2 -1
@@ class Mailer:
 3,3|    <keyword:def> send(self, message):
-4,0|        <keyword:return> deliver(message)
+0,4|        <comment:# once more>
+0,5|        <keyword:return> deliver(message[, ][<number:3>])
 5,6|    <keyword:def> stop(self): <keyword:pass>
`},
		{"a string over lines", "@@ -1,3 +1,3 @@\n text := `one\n-two`\n+three`\n var n int\n", "a.go",
			"modified a.go go +1 -1\n@@ \n 1,1|text := <string:`one>\n-2,0|[<string:two>]<string:`>\n+0,2|[<string:three>]<string:`>\n 3,3|<keyword:var> n <type:int>\n"},
		{"no grammar", "@@ -1 +1 @@\n-a: one two\n+a: one three\n", "a.yaml", "modified a.yaml yaml +1 -1\n@@ \n-1,0|a: one [two]\n+0,1|a: one [three]\n"},
		{"unlike lines have no marks", "@@ -1 +1 @@\n-alpha beta\n+gamma = delta(1)\n", "a.txt", "modified a.txt  +1 -1\n@@ \n-1,0|alpha beta\n+0,1|gamma = delta(1)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := drawn(t, tt.diff, change.Options{Path: tt.path}); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	long := strings.Repeat("é", limits.ShownLine)
	c, err := change.Parse([]byte("--- a/x\n+++ b/x\n@@ -0,0 +1,30000 @@\n+"+long+"\n"+strings.Repeat("+a\n", 29999)+"--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"), change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := of(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	first := v.Files[0].Hunks[0].Lines[0]
	if got := len(first.Parts[0].Text) + first.Left; got != len(long) || first.Left < limits.ShownLine {
		t.Errorf("a long line: %d bytes are left out, of %d", first.Left, len(long))
	}
	if n := len(v.Files[0].Hunks[0].Lines); n != limits.ShownLines || v.Left != 30000-limits.ShownLines+2 || len(v.Files) != 2 || v.Files[0].Added != 30000 || len(v.Files[1].Hunks) != 0 {
		t.Errorf("%d lines of a large change are shown, %d are left, of %d files", n, v.Left, len(v.Files))
	}
}

func TestSize(t *testing.T) {
	c, err := change.Parse([]byte("@@ -0,0 +1,9000 @@\n"+strings.Repeat("+"+strings.Repeat("a", limits.ShownLine)+"\n", 9000)), change.Options{Path: "a.txt"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := of(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(v.Files[0].Hunks[0].Lines); n+v.Left != 9000 || n != limits.ShownBytes/(limits.ShownLine+2*partSize) {
		t.Errorf("%d long lines are shown, %d are left", n, v.Left)
	}
}

// TestBudget: the comparisons of words end, however large the change is.
func TestBudget(t *testing.T) {
	budget := 1_000
	c, err := change.Parse([]byte("@@ -1,200 +1,200 @@\n"+strings.Repeat("-one two three four\n+one two three five\n", 200)), change.Options{Path: "a.txt"})
	if err != nil {
		t.Fatal(err)
	}
	marked := 0
	for _, m := range changedWords(c.Files[0].Hunks[0].Lines, &budget) {
		if m != nil {
			marked++
		}
	}
	if marked == 0 || marked > 200 || budget > 0 || budget < -100 {
		t.Errorf("%d lines are marked with a budget of 1000, %d are left of it", marked, budget)
	}
}

// FuzzOf: the parts of a line are its text, whatever the change.
func FuzzOf(f *testing.F) {
	f.Add("@@ -1 +1 @@\n-a\n+b\n", "a.py")
	f.Add("@@ -1,2 +1,2 @@\n-a \xff\t`\n+\"b\n c\n", "a.js")
	f.Fuzz(func(t *testing.T, diff, path string) {
		c, err := change.Parse([]byte(diff), change.Options{Path: path})
		if err != nil {
			return
		}
		v, err := of(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range v.Files {
			for h := range v.Files[i].Hunks {
				for l, line := range v.Files[i].Hunks[h].Lines {
					var text strings.Builder
					for _, p := range line.Parts {
						text.WriteString(p.Text)
					}
					if want := c.Files[i].Hunks[h].Lines[l].Text; !strings.HasPrefix(want, text.String()) || len(want) != text.Len()+line.Left {
						t.Errorf("line %d is %q, not %q", l, text.String(), want)
					}
				}
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	var text strings.Builder
	text.WriteString("--- a/x.go\n+++ b/x.go\n@@ -1,2000 +1,2000 @@\n")
	for i := range 1000 {
		fmt.Fprintf(&text, " func f%d(a int) string { // says\n-\treturn \"%d\" + name(a)\n+\treturn \"%d\" + name(a, %d)\n }\n", i, i, i, i)
	}
	c, err := change.Parse([]byte(strings.Replace(text.String(), "1,2000 +1,2000", "1,3000 +1,3000", 1)), change.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := of(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
