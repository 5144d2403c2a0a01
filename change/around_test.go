package change

import (
	"fmt"
	"strings"
	"testing"
)

const fineFile = "diff --git a/fine.py b/fine.py\n--- a/fine.py\n+++ b/fine.py\n@@ -1 +1 @@\n-a\n+b\n" // 6 lines

// TestEveryLine says of each line that no file has where it is, or refuses the diff.
func TestEveryLine(t *testing.T) {
	const plain = "--- a/x.py\n+++ b/x.py\n"
	for _, tt := range []struct {
		name, diff string
		path       string
		recount    bool
		want       string // summary of the files
		warn       string // parts of the warnings; "" for none
		err        string
	}{
		{name: "surplus addition", diff: plain + "@@ -1,1 +1,1 @@\n-a\n+b\n+eval(c)\n", err: "line 6: the hunk of line 3 is longer than its header says; surplus lines from here on: 1"},
		{name: "surplus behind context", diff: plain + "@@ -1,1 +1,1 @@\n-a\n+b\n c\n+eval(d)\n", err: "line 6: the hunk of line 3 is longer than its header says; surplus lines from here on: 2"},
		{name: "surplus behind a blank line", diff: plain + "@@ -1,1 +1,1 @@\n-a\n+b\n\n+eval(d)\n", err: "line 6: the hunk of line 3 is longer than its header says; surplus lines from here on: 2"},
		{name: "surplus context", diff: plain + "@@ -1,1 +1,1 @@\n-a\n+b\n c\n", err: "line 6: the hunk of line 3 is longer than its header says; surplus lines from here on: 1"},
		{name: "surplus behind a missing line end", diff: plain + "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n+c\n", err: "line 7: the hunk of line 3 is longer than its header says; surplus lines from here on: 1"},
		{name: "recount", diff: plain + "@@ -1,1 +1,1 @@\n-a\n+b\n c\n+eval(d)\n\n\n", recount: true, want: `-[1] +[1 3]`, warn: "line 3: the hunk has 2 old and 3 new lines, and its header says 1 and 1"},
		{name: "recount of a short hunk", diff: plain + "@@ -1,9 +1,9 @@\n-a\n+b\n" + fineFile, recount: true, want: "-[1] +[1]|fine.py", warn: "line 3: the hunk has 1 old and 1 new lines, and its header says 9 and 9"},
		{name: "recount before names", diff: plain + "@@ -1,9 +1,9 @@\n-a\n+b\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+b\n", recount: true, want: "-[1] +[1]|y.py", warn: "line 3: the hunk has 1 old"},
		{name: "recount before a signature", diff: plain + "@@ -1,9 +1,9 @@\n-a\n+b\n-- \n2.39\n", recount: true, want: "-[1] +[1]", warn: "line 3: the hunk has 1 old"},
		{name: "recount without a change", diff: plain + "@@ -1,9 +1,9 @@\n a\n", recount: true, err: "line 3: the hunk changes no line"},
		{name: "recount where nothing is wrong", diff: fineFile, recount: true, want: "fine.py"},
		{name: "blank context stripped", diff: plain + "@@ -1,6 +1,6 @@\n x\n\n-a\n+b\n c\n", want: "-[3] +[3]", warn: "line 3: context lines that the hunk lacks at its end were taken for blank lines: 2"},
		{name: "blank context stripped from a file", diff: plain + "@@ -1,3 +1,3 @@\n x\n-a\n+b\n" + fineFile, want: "-[2] +[2]|fine.py", warn: "were taken for blank lines: 1"},
		{name: "too much missing", diff: plain + "@@ -1,9 +1,9 @@\n x\n-a\n+b\n", err: "line 3: the hunk is cut short: 7 old and 7 new"},
		{name: "cut by the end of a text", diff: fineFile + plain + "@@ -1,9 +1,9 @@\n x\n-a\n+b\n... (4 lines more)\n" + fineFile, want: "fine.py|fine.py", warn: "x.py was left out: line 13: the hunk of line 9 is cut short here"},
		{name: "a cut behind a hunk", diff: fineFile + "[diff cut]\nhere\n", want: "fine.py", warn: `line 7: 2 lines were not read, which belong to no file and no message: "[diff cut]"`},
		{name: "an indented file", diff: fineFile + "    diff --git a/y.py b/y.py\n    --- a/y.py\n    +++ b/y.py\n    @@ -1 +1 @@\n    -a\n    +b\n", want: "fine.py", warn: `line 7: 6 lines were not read`},
		{name: "an indented hunk", diff: fineFile + "diff --git a/y.py b/y.py\n  --- a/y.py\n  +++ b/y.py\n  @@ -1 +1 @@\n  -a\n  +b\n", want: "fine.py", warn: `y.py was left out: line 8: "--- a/y.py" stands where the hunks|line 8: 5 lines were not read`},
		{name: "names without a hunk", diff: fineFile + "diff --git a/y.py b/y.py\n--- a/y.py\n+++ b/y.py\n", want: "fine.py", warn: `y.py was left out: line 10: the hunks of the file are missing`},
		{name: "a file of which the time has changed", diff: "diff --git a/y.py b/y.py\n" + fineFile, want: "y.py|fine.py"},
		{name: "a lost header", diff: fineFile + "index 1..2\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n" + fineFile, want: "fine.py|fine.py", warn: `line 7: 2 lines were not read, which belong to no file and no message: "index 1..2"|left out: line 9: a hunk without a file header`},
		{name: "prose", diff: "Here it is:\n\n" + fineFile + "\nRegards\n", want: "fine.py", warn: `line 1: 1 line was not read|line 10: 1 line was not read, which belongs to no file and no message: "Regards"`},
		{name: "difflib without names", diff: "--- \n+++ \n@@ -1 +1 @@\n-a\n+b\n", path: "z.py", want: "z.py"},
		{name: "difflib without names, stripped", diff: "---\n+++\n@@ -1 +1 @@\n-a\n+b\n", path: "z.py", want: "z.py"},
		{name: "names of header lines", diff: plain + "@@ -1,2 +1,2 @@\n--- a\n+++ b\n c\n@@ -9 +9 @@\n-a\n+b\n", want: "-[1 9] +[1 9]"},
		{name: "GNU diff of folders", diff: "diff -ru a/x.py b/x.py\n" + plain + "@@ -1 +1 @@\n-a\n+b\nOnly in a: y\nBinary files a/p and b/p differ\nCommon subdirectories: a/d and b/d\n", want: "x.py"},
		{name: "Subversion", diff: "Index: x.py\n===================================================================\n--- x.py\t(revision 1)\n+++ x.py\t(working copy)\n@@ -1 +1 @@\n-a\n+b\n\nProperty changes on: x.py\n___________________________________________________________________\nAdded: svn:executable\n## -0,0 +1 ##\n+*\n\\ No newline at end of property\n", want: "x.py"},
		{name: "Mercurial", diff: "# HG changeset patch\n# User x\n# Parent 12\nA message\n- with a list\n\ndiff -r 12 -r 34 x.py\n" + plain + "@@ -1 +1 @@\n-a\n+b\n", want: "x.py"},
		{name: "mail of no mailbox", diff: "From: a\nSubject: b\n\nHello,\n- one\n---\n x.py | 2 +-\n 1 file changed\n\n" + fineFile + "-- \n2.39.5\n", want: "fine.py"},
		{name: "log", diff: "commit 0123456789012345678901234567890123456789\nMerge: 1 2\nAuthor: x <x@y>\nDate:   now\n\n    Message\n    +1\n\nNotes:\n    note\n---\n x | 2 +-\n\n" + fineFile + "\ncommit 0123456\n\n    diff --git a/q b/q\n\n" + fineFile, want: "fine.py|fine.py"},
		{name: "log with what is none", diff: "commit 0123456789\nAuthor: x\n\n    Message\n\n+eval(x)\n" + fineFile, want: "fine.py", warn: `line 6: 1 line was not read, which belongs to no file and no message: "+eval(x)"`},
		{name: "text behind a signature", diff: fineFile + "-- \n2.39\n\n+eval(x)\n", want: "fine.py", warn: `"+eval(x)"`},
		{name: "combined diff among others", diff: fineFile + "diff --cc m.py\nindex 1,2..3\n--- a/m.py\n+++ b/m.py\n@@@ -1,1 -1,1 +1,2 @@@\n  a\n++b\n" + fineFile, want: "fine.py|fine.py", warn: "m.py was left out: line 7: combined diffs of merges are not supported"},
		{name: "line ends of old Macs", diff: strings.ReplaceAll(fineFile, "\n", "\r"), want: "fine.py"},
		{name: "line ends of Windows, made twice", diff: strings.ReplaceAll(fineFile, "\n", "\r\r\n"), want: `modified "fine.py"->"fine.py" python -[1] +[1]`},
		{name: "blank context stripped from a hunk", diff: plain + "@@ -1,3 +1,3 @@\n x\n-a\n+b\n@@ -9 +9 @@\n-a\n+b\n", want: "-[2 9] +[2 9]", warn: "were taken for blank lines: 1"},
		{name: "blank context stripped before a fence", diff: "```diff\n" + plain + "@@ -1,3 +1,3 @@\n x\n-a\n+b\n```\n", want: "-[2] +[2]", warn: "were taken for blank lines: 1"},
		{name: "an empty line between hunks", diff: plain + "@@ -1 +1 @@\n-a\n+b\n\n\n@@ -9 +9 @@\n-a\n+b\n", want: "-[1 9] +[1 9]"},
		{name: "a quoted diff in a mail", diff: "From: a\nSubject: b\n\nYou wrote:\n> diff --git a/y.py b/y.py\n> +eval(y)\n" + fineFile, want: "fine.py", warn: "line 5: 2 lines were not read"},
		{name: "a file indented by one space", diff: fineFile + " diff --git a/y.py b/y.py\n --- a/y.py\n", want: "fine.py", warn: "line 7: 2 lines were not read"},
		{name: "nothing but an indented diff", diff: "  --- a/x.py\n  +++ b/x.py\n  @@ -1 +1 @@\n  -a\n  +b\n", err: "the diff of line 1 is indented or quoted: take off"},
		{name: "cut behind the names", diff: fineFile + "--- a/y.py\n+++ b/y.py\n", want: "fine.py", warn: "y.py was left out: line 9: the hunks of the file are missing"},
		{name: "a hunk without numbers", diff: plain + "@@ ... @@\n-a\n+b\n", err: `line 3: "@@ ... @@" stands where the hunks of the file belong`},
		{name: "cut behind the index", diff: "diff --git a/y.py b/y.py\nindex 1234567..89abcde 100644\n" + fineFile, want: "fine.py", warn: "y.py was left out: line 3"},
		{name: "cut behind the first line", diff: fineFile + "diff --git a/y.py b/y.py\n", want: "fine.py|y.py", warn: "line 7: the diff has nothing of y.py but its first line"},
		{name: "empty, moved and stripped files", diff: "diff --git a/e b/e\nnew file mode 100644\nindex 000000..e69de29\ndiff --git a/m b/m\nold mode 100644\nnew mode 100755\nindex 1..2\n" + fineFile, want: `added ""->"e"|"m"|fine.py`},
		{name: "log of Subversion", diff: "Index: x.py\n" + plain + "@@ -1 +1 @@\n-a\n+b\n\n" + strings.Repeat("-", 72) + "\n", want: "x.py"},
		{name: "log in other formats", diff: "0123456 message\n" + fineFile + "commit 0123456789\ntree 01\nparent 02\nauthor x <y> 1 +0\ncommitter x <y> 1 +0\n\n    m\n\n" + fineFile, want: "fine.py|fine.py"},
		{name: "end of a mail to a list", diff: "From 1 Mon\nSubject: x\n\n" + fineFile + "\nbase-commit: 0123\n-- \n2.39\n\n____\nA list\n", want: "fine.py"},
		{name: "no signature", diff: fineFile + "--\n+eval(x)\n", err: "line 7: the hunk of line 4 is longer than its header says; surplus lines from here on: 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse([]byte(tt.diff), Options{Path: tt.path, Recount: tt.recount})
			if err != nil || tt.err != "" {
				if err == nil || tt.err == "" || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			files := strings.Split(strings.TrimSpace(summary(c)), "\n")
			want := strings.Split(tt.want, "|")
			for i := range max(len(files), len(want)) {
				if i >= len(files) || i >= len(want) || !strings.Contains(files[i], want[i]) {
					t.Fatalf("files %q, want %q", files, want)
				}
			}
			var warn []string
			if tt.warn != "" {
				warn = strings.Split(tt.warn, "|")
			}
			for i := range max(len(c.Warnings), len(warn)) {
				if i >= len(c.Warnings) || i >= len(warn) || !strings.Contains(c.Warnings[i], warn[i]) {
					t.Fatalf("warnings %q, want %q", c.Warnings, warn)
				}
			}
			if out := strings.Count(strings.Join(c.Warnings, "\n"), "was left out"); c.LeftOut != out {
				t.Errorf("LeftOut %d, and warnings name %d", c.LeftOut, out)
			}
		})
	}
}

// FuzzEveryLine holds that each line of a diff is accounted for, once: to a file whose hunks
// have its text, to a file that is named as left out, to a message, or to lines that are named
// as unread.
func FuzzEveryLine(f *testing.F) {
	for _, seed := range []string{
		fineFile, "x\n" + fineFile + "+y\n" + fineFile, fineFile + "\n-- \n2.39\n\n+x\n", "--- \n+++ \n@@ -1,2 +1,2 @@\n-a\n+b\n",
		"From 1 Mon\nSubject: x\n\n" + fineFile + "--=====x==\n+y\n" + fineFile, "commit 0123456789\n+x\n    m\n" + fineFile,
		"diff --git a/x b/x\nGIT binary patch\nliteral 3\nKcmZQzU|?i`00jU6\n\n" + fineFile, "@@ -1,4 +1,4 @@\n-a\n+b\n" + fineFile + "@@ -1 +1 @@\n",
		"  " + fineFile + fineFile + "  diff --git a/x b/x\n",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, recount bool) {
		text, _ = clean(text)
		if len(text) > 1<<16 {
			return
		}
		lines := strings.SplitAfter(text, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		at, unread, inFiles := 1, 0, map[string]int{} // lines with a sign, of files that were read
		r := &reader{rest: text, line: 1, path: "x", recount: recount}
		r.account = func(kind string, from, to int) {
			if from != at || to <= from {
				t.Fatalf("%s from line %d to %d, and line %d is next", kind, from, to, at)
			}
			at = to
			for _, l := range lines[from-1 : to-1] {
				l = strings.TrimSuffix(l, "\n")
				switch {
				case kind == "unread":
					unread++
				case kind == "blank" && strings.TrimSpace(l) != "":
					t.Errorf("%q is taken for a blank line", l)
				case kind == "file" && l != "" && strings.Contains(" +-", l[:1]):
					inFiles[l]++
				}
			}
		}
		d, err := readDiff(r)
		if d == nil {
			if err == nil {
				t.Error("neither a diff nor an error")
			}
			return
		}
		if at != len(lines)+1 {
			t.Errorf("%d lines are accounted for, of %d", at-1, len(lines))
		}
		for i := range d.files {
			for _, h := range d.files[i].Hunks {
				for _, l := range h.Lines {
					inFiles[string(l.Op)+l.Text]--
				}
			}
		}
		for l, n := range inFiles {
			if n > 0 && !strings.HasPrefix(l, "--- ") && !strings.HasPrefix(l, "+++ ") && l != "---" && l != "+++" {
				t.Errorf("%d times %q is in no hunk", n, l)
			}
		}
		named := d.unnamed // places with an unknown number of lines
		for _, w := range d.warnings {
			var line, n int
			if _, err := fmt.Sscanf(w, "line %d: %d line", &line, &n); err == nil && strings.Contains(w, "not read, which") {
				unread -= n
			}
		}
		if unread < 0 || unread > 0 && named == 0 {
			t.Errorf("%d lines are unread and not named: %q", unread, d.warnings)
		}
	})
}
