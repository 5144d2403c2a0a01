package gate

import (
	"fmt"
	"strings"
	"testing"

	"crscore/change/changetest"
)

const threeHunks = "--- a/x.py\n+++ b/x.py\n" +
	"@@ -1,4 +1,4 @@\n a\n-b\n-c\n+B\n+C\n d\n" +
	"@@ -10,4 +10,2 @@\n e\n-f\n-g\n h\n" +
	"@@ -20,2 +18,1 @@\n i\n-j\n\\ No newline at end of file\n"

func TestPositions(t *testing.T) {
	l := newLines(&changetest.Parse(t, threeHunks).Files[0])
	var got []string
	for i, line := range l.diff {
		got = append(got, fmt.Sprint(i+1, line.Text))
	}
	const want = "1a 2b 3c 4B 5C 6d 7e 8e 9f 10g 11h 12i 13i 14j 15j"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

func TestNearestNew(t *testing.T) {
	for _, c := range []struct{ diff, want string }{
		{threeHunks, "1:1 2:2 3:3 4:4 5:0 10:10 11:11 12:11 13:11 19:0 20:18 21:18"},
		{"--- a/x.py\n+++ b/x.py\n@@ -5,0 +6,2 @@\n+a\n+b\n", "5:0 6:0"},
		{"--- a/x.py\n+++ b/x.py\n@@ -5 +4,0 @@\n-a\n", "4:0 5:4"},
		{"--- a/x.py\n+++ b/x.py\n@@ -1 +0,0 @@\n-a\n", "1:1 2:0"},
		{"--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,1 @@\n-a\n-b\n-c\n+A\n", "1:1 2:1 3:1"},
		{"--- a/x.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "1:0 9:0"},
	} {
		l := newLines(&changetest.Parse(t, c.diff).Files[0])
		for _, pair := range strings.Fields(c.want) {
			var old, want int
			if _, err := fmt.Sscanf(pair, "%d:%d", &old, &want); err != nil {
				t.Fatal(err)
			}
			if got := l.now[old]; got != want {
				t.Errorf("%q: old line %d is %d, want %d", c.diff, old, got, want)
			}
		}
	}
}
