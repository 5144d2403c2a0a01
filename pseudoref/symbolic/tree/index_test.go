package tree_test

import (
	"fmt"
	"strings"
	"testing"

	"crscore/pseudoref/symbolic/tree"
	"crscore/pseudoref/symbolic/tree/treetest"
)

// TestLookups: a word is found where it stands as a whole, with the marks that names
// of the language may end with, also in what is kept without its inside.
func TestLookups(t *testing.T) {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "  def größe_%d?(a, bang!)\n    @a = \"aa a #{größe_%d?} $a a_a\" + a.a! - a?\n    %s\n  end\n", i, i%3, strings.Repeat("a + bb + ", 60)+"a")
	}
	source := "class A # a, aa\n" + b.String() + "end\n"
	before, _ := treetest.Whole(t, "a.rb", source, source+"# bb!")
	far := tree.NewTree(before.Frag, []tree.Span{{Last: 1}}, treetest.Unmetered())
	for word, want := range map[string]int{
		"größe_2?": 5, "größe_5?": 1, "größe_5": 0, "bang!": 12, "aa": 13, "bb": 720, "a!": 12, "A": 1, "": 0, "!": 0, "a b": 0, "gr": 0, "öße_1": 0,
		strings.Repeat("x", tree.LongestName): 0,
	} {
		if got := far.Count(word); got != want {
			t.Errorf("%q: %d times, want %d", word, got, want)
		}
	}
	if n := len(far.Root().Mentions("bb")); n != 720 {
		t.Errorf("%d places without their inside, want 720", n)
	}
}

// TestLastName: type arguments are no part of a name, also where they come twice.
func TestLastName(t *testing.T) {
	for s, want := range map[string]string{"a.b": "b", "List.of<Map<K, V>>": "of", "iter().sum::<u8>": "sum", "a<b>::<c>": "", "a->b ?": "b"} {
		if got := tree.LastName(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
