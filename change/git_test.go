package change

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// repo is a repository that the real git writes diffs of.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "HOME="+r.dir, "XDG_CONFIG_HOME="+r.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.Output()
	if err != nil {
		if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != 1 || len(e.Stderr) > 0 { // diff --no-index
			r.t.Fatalf("git %s: %v", strings.Join(args, " "), err)
		}
	}
	return string(out)
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	name = filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) commit(message string) {
	r.t.Helper()
	r.git("add", "-A")
	r.commitIndex(message)
}

func (r *repo) commitIndex(message string) {
	r.t.Helper()
	r.git("-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message)
}

func lines(n int, prefix string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(prefix + strings.Repeat("i", i) + "\n")
	}
	return b.String()
}

// everyKind is a repository whose last commit has a file of every kind.
func everyKind(t *testing.T) *repo {
	r := newRepo(t)
	r.write("lib/edited.py", lines(9, "x"))
	r.write("a/b/edited.py", "one\n")
	r.write("lib/image.png", "\x00\x01\x02")
	r.write("run me.sh", "echo\n")
	r.write("lib/gone.py", "x = 1\n")
	r.write("lib/empty_gone.py", "")
	r.write("lib/moved.py", lines(9, "y"))
	r.write("lib/moved and edited.py", lines(20, "z"))
	r.write("lib/copied.py", lines(9, "c"))
	r.write("crlf.js", "let a\r\nlet b\r\n")
	r.write("no_end.rb", "a")
	for _, name := range oddNames {
		r.write(name, "x\n")
	}
	r.git("add", "-A")
	r.git("update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,sub")
	r.commitIndex("first")
	r.write("lib/edited.py", strings.Replace(lines(9, "x"), "xiiii\n", "-- a/x\n", 1))
	r.write("a/b/edited.py", "two\n")
	r.write("lib/image.png", "\x00\x01\x03"+lines(50, "q"))
	r.write("lib/more.png", "\x00")
	if err := os.Chmod(filepath.Join(r.dir, "run me.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.git("rm", "-q", "lib/gone.py", "lib/empty_gone.py")
	r.write("lib/empty.py", "")
	r.write("lib/new.py", "number = 2\n")
	r.git("mv", "lib/moved.py", "lib/moved2.py")
	r.git("mv", "lib/moved and edited.py", "moved and edited.py")
	r.write("moved and edited.py", lines(20, "z")+"w\n")
	r.write("lib/copied2.py", lines(9, "c"))
	r.write("lib/copied.py", lines(9, "c")+"d\n")
	r.write("crlf.js", "let a\r\nlet c\r\n")
	r.write("no_end.rb", "b")
	for _, name := range oddNames {
		r.write(name, "y\n")
	}
	r.git("add", "-A")
	r.git("update-index", "--add", "--cacheinfo", "160000,2222222222222222222222222222222222222222,sub")
	r.commitIndex("second\n\n  diff --git a/x b/x")
	return r
}

var oddNames = []string{"café.py", `quo"te.py`, "ta\tb.py", `back\slash.py`, `end\`, "line\nbreak.py", "b x b/x.py", "sp ace/b b.py"}

const everyKindSummary = `modified "a/b/edited.py"->"a/b/edited.py" python mode 100644-> -[1] +[1]
modified "b x b/x.py"->"b x b/x.py" python mode 100644-> -[1] +[1]
modified "back\\slash.py"->"back\\slash.py" python mode 100644-> -[1] +[1]
modified "café.py"->"café.py" python mode 100644-> -[1] +[1]
modified "crlf.js"->"crlf.js" javascript mode 100644-> -[2] +[2]
modified "end\\"->"end\\"  mode 100644-> -[1] +[1]
modified "lib/copied.py"->"lib/copied.py" python mode 100644-> -[] +[10]
copied "lib/copied.py"->"lib/copied2.py" python -[] +[]
modified "lib/edited.py"->"lib/edited.py" python mode 100644-> -[5] +[5]
added ""->"lib/empty.py" python mode ->100644 -[] +[]
deleted "lib/empty_gone.py"->"" python mode 100644-> -[] +[]
deleted "lib/gone.py"->"" python mode 100644-> -[1] +[]
modified "lib/image.png"->"lib/image.png"  mode 100644-> binary -[] +[]
added ""->"lib/more.png"  mode ->100644 binary -[] +[]
renamed "lib/moved.py"->"lib/moved2.py" python -[] +[]
added ""->"lib/new.py" python mode ->100644 -[] +[1]
modified "line\nbreak.py"->"line\nbreak.py" python mode 100644-> -[1] +[1]
renamed "lib/moved and edited.py"->"moved and edited.py" python mode 100644-> -[] +[21]
modified "no_end.rb"->"no_end.rb" ruby mode 100644-> -[1] +[1]
modified "quo\"te.py"->"quo\"te.py" python mode 100644-> -[1] +[1]
modified "run me.sh"->"run me.sh" bash mode 100644->100755 -[] +[]
modified "sp ace/b b.py"->"sp ace/b b.py" python mode 100644-> -[1] +[1]
modified "sub"->"sub"  mode 160000-> -[1] +[1]
modified "ta\tb.py"->"ta\tb.py" python mode 100644-> -[1] +[1]
`

// TestGitForms reads one commit in every form that git has for it. The lines and
// paths are the same in all.
func TestGitForms(t *testing.T) {
	r := everyKind(t)
	for _, tt := range []struct {
		name string
		args []string
		warn string
	}{
		{"plain", []string{"diff"}, ""},
		{"binary", []string{"diff", "--binary"}, ""},
		{"noprefix", []string{"-c", "diff.noprefix=true", "diff"}, ""},
		{"noprefix, binary", []string{"diff", "--no-prefix", "--binary"}, ""},
		{"mnemonic prefixes", []string{"-c", "diff.mnemonicPrefix=true", "diff"}, ""},
		{"prefixes", []string{"diff", "--src-prefix=old/", "--dst-prefix=new/"}, ""},
		{"prefixes of different lengths", []string{"diff", "--src-prefix=before/", "--dst-prefix=x/", "--binary"}, ""},
		{"names as they are", []string{"-c", "core.quotePath=false", "diff"}, ""},
		{"no context", []string{"diff", "-U0"}, ""},
		{"functions", []string{"diff", "--function-context"}, ""},
		{"full index", []string{"diff", "--full-index"}, ""},
		{"stat and patch", []string{"diff", "--stat", "--summary", "--raw", "--patch"}, ""},
		{"coloured", []string{"diff", "--color=always"}, "coloured"},
		{"coloured, moved", []string{"diff", "--color=always", "--color-moved", "--ws-error-highlight=all"}, "coloured"},
		{"coloured in parts", []string{"-c", "color.diff.meta=normal", "-c", "color.diff.context=blue", "-c", "color.diff.func=red", "diff", "--color=always", "--binary"}, "coloured"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse([]byte(r.git(append(tt.args, "-C", "--no-rename-empty", "HEAD~1", "HEAD")...)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(everyKindSummary, summary(c)); d != "" {
				t.Error(d)
			}
			if (tt.warn != "") != (len(c.Warnings) == 1) || !strings.Contains(strings.Join(c.Warnings, ""), tt.warn) {
				t.Errorf("warnings %q", c.Warnings)
			}
		})
	}
	for _, args := range []string{
		"show", "show --stat -p --format=fuller", "log -p -1", "log -1 -p --pretty=email",
		"format-patch -1 --stdout", "format-patch -1 --stdout --no-stat", "format-patch -1 --stdout --attach",
	} {
		c, err := Parse([]byte(r.git(append(strings.Fields(args), "-C", "--no-rename-empty")...)), Options{})
		if err != nil {
			t.Fatalf("git %s: %v", args, err)
		}
		if d := cmp.Diff(everyKindSummary, summary(c)); d != "" || len(c.Warnings) > 0 {
			t.Errorf("git %s: %s, warnings %q", args, d, c.Warnings)
		}
	}
}

// TestGitText gives the whole texts back that git has, in both directions.
func TestGitText(t *testing.T) {
	r := everyKind(t)
	for _, flags := range [][]string{{"-U3"}, {"-U0"}, {"-U0", "--no-renames"}} {
		for _, give := range []Side{Old, New} {
			diff := r.git(append([]string{"diff", "HEAD~1", "HEAD"}, flags...)...)
			text := func(f *File, side Side) (string, bool) {
				rev, path := "HEAD~1:", f.OldPath
				if side == New {
					rev, path = "HEAD:", f.NewPath
				}
				if path == "" || f.Submodule() {
					return "", !f.Submodule()
				}
				return r.git("show", rev+path), true
			}
			c, err := Parse([]byte(diff), Options{Texts: func(f *File, side Side) (string, bool) {
				if side != give {
					return "", false
				}
				return text(f, side)
			}})
			if err != nil || len(c.Warnings) > 0 {
				t.Fatalf("%v: %v, warnings %q", flags, err, c.Warnings)
			}
			for i := range c.Files {
				f := &c.Files[i]
				for _, side := range []Side{Old, New} {
					want, known := text(f, side)
					want, _ = clean(want)
					if got, ok := f.Whole(side); ok != (known && !f.Binary) || ok && got != want {
						t.Errorf("%v, given %v: %s of %s is %q, not %q", flags, give, side, f.Path(), got, want)
					}
				}
			}
		}
	}
}

const (
	quotedHeader = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"
	quotedHunk   = "The old patch was\n@@ -1,2 +1 @@\n"
)

// TestSeries reads what git writes about several commits. Each patch of a series
// stands for itself, so that a path can come again.
func TestSeries(t *testing.T) {
	r := newRepo(t)
	r.write("a.py", "1\n--\n2\n")
	r.commit("first")
	r.write("a.py", "1\n2\n")
	r.commit("second\n\nIt looks so:\n\n" + quotedHeader + "\n---\n" + quotedHeader + "\nand so on.")
	r.write("a.py", "1\n3\n")
	r.write("b.py", "b\n")
	r.commit("third\n\n" + quotedHunk + "\n--- a/b.py\n+++ b/b.py\n---\ndiff --git a/z b/z\n\nand diff --git")
	want := "modified \"a.py\"->\"a.py\" python mode 100644-> -[2] +[]\n" +
		"modified \"a.py\"->\"a.py\" python mode 100644-> -[2] +[2]\nadded \"\"->\"b.py\" python mode ->100644 -[] +[1]\n"
	for _, tt := range []struct {
		args string
		warn int
	}{
		{"format-patch --stdout HEAD~2", 1},
		{"format-patch --stdout --cover-letter HEAD~2", 1},
		{"format-patch --stdout --attach HEAD~2", 1},
		{"format-patch --stdout --signature=-x HEAD~2", 1},
		{"log -p --reverse HEAD~2..", 0},
		{"log -p --reverse --color=always --stat HEAD~2..", 1},
		{"show HEAD~1 HEAD", 0},
	} {
		c, err := Parse([]byte(r.git(strings.Fields(tt.args)...)), Options{})
		if err != nil {
			t.Errorf("git %s: %v", tt.args, err)
			continue
		}
		if d := cmp.Diff(want, summary(c)); d != "" || len(c.Warnings) != tt.warn {
			t.Errorf("git %s: %s, warnings %q", tt.args, d, c.Warnings)
		}
	}

	cover := r.git("format-patch", "--stdout", "--cover-letter", "HEAD~2")
	cover = strings.Replace(cover, "*** BLURB HERE ***", quotedHeader, 1)
	if c, err := Parse([]byte(cover), Options{}); err != nil || summary(c) != want {
		t.Errorf("cover letter with a diff: %v", err)
	}
	// The quoted diff comes first where there are no numbers of changed files; a
	// deleted "--" is no end of a message.
	r.write("c.py", "1\n--\n 1 file changed\n")
	r.commit("fourth")
	r.write("c.py", "1\n 1 file changed\n")
	r.write("d.py", "1\n")
	r.commit("fifth")
	if c, err := Parse([]byte(r.git("format-patch", "--stdout", "--no-stat", "-1")), Options{}); err != nil || len(c.Files)+len(c.Warnings) != 2 {
		t.Errorf("a file was lost without a word: %v %s", err, summary(c))
	}

	r.write("a.py", "stashed\n")
	r.git("stash", "-q")
	if c, err := Parse([]byte(r.git("stash", "show", "-p")), Options{}); err != nil || len(c.Files) != 1 {
		t.Errorf("git stash show: %v", err)
	}
}

// TestRefusedForms says what to do about diffs that are none.
func TestRefusedForms(t *testing.T) {
	r := newRepo(t)
	r.write("a.py", "def f():\n    return one\n\nlast\n")
	r.commit("first")
	r.write("a.py", "def f():\n    return two\n\nlast\n")
	for _, mode := range []string{"plain", "porcelain", "color"} {
		_, err := Parse([]byte(r.git("diff", "--word-diff="+mode)), Options{})
		if err == nil || !strings.Contains(err.Error(), "--word-diff") {
			t.Errorf("--word-diff=%s: %v", mode, err)
		}
	}
	r.git("checkout", "-q", "-b", "side")
	r.commit("side")
	r.git("checkout", "-q", "main")
	r.write("a.py", "def f():\n    return three\n\nlast\n")
	r.commit("main")
	if out := r.git("merge", "side"); !strings.Contains(out, "CONFLICT") {
		t.Fatalf("the merge has no conflict: %s", out)
	}
	r.write("a.py", "def f():\n    return four\n\nlast\n")
	r.commit("merge")
	if _, err := Parse([]byte(r.git("show")), Options{}); err == nil || !strings.Contains(err.Error(), "git show -m") {
		t.Errorf("a merge: %v", err)
	}
}

// TestPrefixes finds the path behind whatever prefixes there are.
func TestPrefixes(t *testing.T) {
	for _, tt := range []struct{ both, old, new, want string }{
		{"a/x.py b/x.py", "", "", `"x.py"->"x.py"`},
		{"x.py x.py", "", "", `"x.py"->"x.py"`},
		{"a/x.py a/x.py", "", "", `"a/x.py"->"a/x.py"`},
		{"i/a/x y.py w/a/x y.py", "", "", `"a/x y.py"->"a/x y.py"`},
		{"old/x y.py newer/x y.py", "", "", `"x y.py"->"x y.py"`},
		{"v1/a/x.py v2/b/x.py", "", "", `"x.py"->"x.py"`},
		{"v1/a/lib/x.py y/lib/x.py", "v1/a/lib/x.py", "y/lib/x.py", `"lib/x.py"->"lib/x.py"`},
		{"v1/a/lib/x.py y/lib/x.py", "v1/a/lib/x.py", "/dev/null", `"v1/a/lib/x.py"->""`},
		{"lib/x.py new/lib/x.py", "lib/x.py", "new/lib/x.py", `"lib/x.py"->"lib/x.py"`},
		{"old-x.py new-x.py", "", "", `"old-x.py"->"new-x.py"`},
		{"a/one/x.py b/two/x.py", "a/one/x.py", "b/two/x.py", `"one/x.py"->"two/x.py"`}, // git diff --no-index
		{`"a/\303\244.py" b/x.py`, "", "", `"ä.py"->"x.py"`},
		{`a/x.py "b/\377\000.py"`, "", "", `"x.py"->"��.py"`},
		{"a b c", "", "", "no file"},
	} {
		diff := "diff --git " + tt.both + "\nold mode 100644\nnew mode 100755\n"
		if tt.old != "" {
			diff += "--- " + tt.old + "\n+++ " + tt.new + "\n@@ -1 +0,0 @@\n-a\n"
		}
		got := "no file"
		if c, err := Parse([]byte(diff), Options{}); err == nil {
			got = strings.TrimPrefix(summary(c), string(c.Files[0].Status)+" ")
			got, _, _ = strings.Cut(got, " "+string(c.Files[0].Lang)+" mode")
		}
		if got != tt.want {
			t.Errorf("%s: %s, not %s", tt.both, got, tt.want)
		}
	}
}

// TestColours takes off what git and its pagers write, and leaves the escapes that
// the text of a file has itself.
func TestColours(t *testing.T) {
	const plain = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\x1b[1mc\x1b[x\n"
	for _, tt := range []struct{ diff, want string }{
		{plain, "b\x1b[1mc\x1b[x"},
		{"\x1b[1;31mprose\n" + plain, "b\x1b[1mc\x1b[x"},
		{strings.Replace(plain, "@@ -1 +1 @@", "\x1b[36m@@ -1 +1 @@\x1b[m\x1b[K", 1), "bc\x1b[x"},
		{"\x1b[1;38;5;255m" + plain, "bc\x1b[x"},
	} {
		c, err := Parse([]byte(tt.diff), Options{})
		if err != nil {
			t.Errorf("%q: %v", tt.diff, err)
			continue
		}
		if got := c.Files[0].Hunks[0].Lines[1].Text; got != tt.want || c.Files[0].Hunks[0].Section != "" {
			t.Errorf("%q: %q, not %q", tt.diff, got, tt.want)
		}
	}
}
