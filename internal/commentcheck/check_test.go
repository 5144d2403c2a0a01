package commentcheck

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"crscore/change"
	"crscore/internal/limits"
)

const (
	oldQueue = "class Queue:\n    def push(self, item, max_size):\n        self.items.append(item)\n"
	queue    = `diff --git a/lib/queue.py b/lib/queue.py
--- a/lib/queue.py
+++ b/lib/queue.py
@@ -1,3 +1,4 @@
 class Queue:
     def push(self, item, max_size):
         self.items.append(item)
+        self.notifyAll()
`
)

// parsed is a change with its whole files, if old is not empty.
func parsed(t testing.TB, diff, old string) *change.Change {
	t.Helper()
	opts := change.Options{}
	if old != "" {
		opts.Old = &old
	}
	c, err := change.Parse([]byte(diff), opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAbsentName(t *testing.T) {
	texts, err := New(parsed(t, queue, oldQueue))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		body, want string // the absent name, empty for none
	}{
		// Spoken of as of a thing that is there.
		{"Please remove the `retryCount` field.", "retryCount"},
		{"Please remove the retry_count field.", "retry_count"},
		{"The `retryCount` method is slow.", "retryCount"},
		{"Rename `self.retryCount`, please.", ""}, // self is there
		{"Callers of `Retry.maxCount()` break.", "Retry.maxCount()"},
		{"There is a check earlier in layoutCallback", "layoutCallback"},
		{"`retryCount` is unused.", "retryCount"},
		{"`pushAll` -> `push_all`", "pushAll"},
		{"Fine. But the\n`retryCount` option\nis odd.", ""}, // a sentence ends with its line
		// Names that are there, however they are written.
		{"The `notifyAll` method wakes everybody.", ""},
		{"The `notify_all` method wakes everybody.", ""},
		{"Remove `maxSize`.", ""},
		{"The `notifyA` method is a part of a name.", ""},
		{"Rename `lib/queue.py`.", ""},
		// Proposed, or known from elsewhere.
		{"Please use the `asyncQueue` class.", ""},
		{"Maybe `dropAll` is a better name.", ""},
		{"Add a `retryCount` parameter.", ""},
		{"Prefer calling `dropAll` here.", ""},
		// No names of code.
		{"The `section` parameter is new.", ""},
		{"Remove `a + retryCount`.", ""},
		{"> Remove `retryCount`.\nNo.", ""},
		{"```\nRemove `retryCount`.\n```", ""},
		{"", ""},
	} {
		want := ""
		if tt.want != "" {
			want = "neither the change nor its files have the name `" + tt.want + "`"
		}
		got := ""
		for _, f := range texts.Find(tt.body) {
			if got += f.Evidence; f.Check != "absent-name" {
				t.Errorf("%q: %+v", tt.body, f)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", tt.body, got, want)
		}
	}
}

// TestUnknown: a change whose files are not known is not checked, since a name may stand in
// the rest of a file.
func TestUnknown(t *testing.T) {
	if _, err := New(parsed(t, queue, "")); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "lib/queue.py") {
		t.Errorf("a part of a file: %v", err)
	}
	added := change.Addition("big.txt", strings.Repeat("a line\n", limits.ChangeChecked/7+1), "")
	if _, err := New(added); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large file: %v", err)
	}
	if texts, err := New(&change.Change{}); err != nil || len(texts.Find("The `retryCount` field is odd.")) != 1 {
		t.Errorf("no file: %v", err)
	}
}

// TestLinear: a comment without an end of code takes no longer than another of its length.
func TestLinear(t *testing.T) {
	texts, err := New(parsed(t, queue, oldQueue))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"`a. ", "the aB_c ", "> `", "remove the "} {
		texts.Find(strings.Repeat(part, limits.CommentBytes))
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"Remove the `retryCount` field.", "`a. b", "```\n`", "> the\xff `aB` is", "the `aB` method", "aB -> `c_d`"} {
		f.Add(s)
	}
	texts, err := New(parsed(f, queue, oldQueue))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, found := range texts.Find(body) {
			_, name, _ := strings.Cut(found.Evidence, "`")
			name, _, _ = strings.Cut(name, "`")
			switch {
			case !strings.Contains(body, name) || name == "":
				t.Errorf("%q: the comment lacks the name %q", body, name)
			case strings.Contains(plain(oldQueue+queue), plain(name)):
				t.Errorf("%q: %q is there", body, name)
			case !utf8.ValidString(found.Evidence):
				t.Errorf("%q: %q", body, found.Evidence)
			}
		}
	})
}
