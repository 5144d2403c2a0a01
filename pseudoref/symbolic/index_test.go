package symbolic

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLookups: a word is found in the same places whether it is searched for or all
// words are indexed.
func TestLookups(t *testing.T) {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "  def größe_%d?(a, bang!)\n    @a = \"aa a #{größe_%d?} $a a_a\" + a.a! - a?\n    %s\n  end\n", i, i%3, strings.Repeat("a + bb + ", 60)+"a")
	}
	source := "class A # a, aa\n" + b.String() + "end\n"
	before, after := wholeTrees(t, "a.rb", source, source+"# bb!")
	for _, tree := range []*tree{before, after} {
		// Something is kept without its inside, as what is far from a change.
		far := newTree(tree.frag, []span{{0, 1}}, unmetered())
		words := slices.Sorted(maps.Keys((&wordCounts{tree: far}).all()))
		if len(words) <= maxLookups/2 {
			t.Fatalf("only %d words", len(words))
		}
		words = append(words, "", "!", "a b", "größe", "gr", "öße_1", "missing", strings.Repeat("x", longestName))
		inside := 0
		for _, word := range words {
			one, many := newTree(tree.frag, []span{{0, 1}}, unmetered()), newTree(tree.frag, []span{{0, 1}}, unmetered())
			for i := range maxLookups {
				other := fmt.Sprintf("other%d", i)
				many.wordsOf(other)
				many.wordsInside(other)
			}
			if diff := cmp.Diff(many.wordsOf(word), one.wordsOf(word)); diff != "" || !many.index.source.all || one.index.source.all {
				t.Errorf("places of %q: %s", word, diff)
			}
			if diff := cmp.Diff(many.wordsInside(word), one.wordsInside(word), cmp.AllowUnexported(wordIn{})); diff != "" || !many.index.inside.all || one.index.inside.all {
				t.Errorf("places of %q inside: %s", word, diff)
			}
			inside += len(one.wordsInside(word))
			counts := wordCounts{tree: far}
			if got, want := counts.of(word), counts.all()[word]; got != want {
				t.Errorf("%q: %d times, and not %d", word, want, got)
			}
		}
		if inside == 0 {
			t.Error("nothing was kept without its inside")
		}
	}
}

// TestPowers: the powers of the hash are those that multiplying one by one gives.
func TestPowers(t *testing.T) {
	for _, top := range []int{0, 255, 256, 1000} {
		var p powers
		p.fill(top)
		for n, want := 0, uint64(1); n <= top; n, want = n+1, mulMod(want, hashBase) {
			if got := p.of(int32(n)); got != want {
				t.Fatalf("power %d of %d: %x, want %x", n, top, got, want)
			}
		}
	}
}
