package revision

import (
	"slices"
	"strings"
	"testing"

	"crscore/internal/limits"
)

// TestBlocks has blocks that Python's difflib.SequenceMatcher(None, a, b, False) gives.
func TestBlocks(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want []block
	}{
		{"", "", []block{{0, 0, 0}}},
		{"abc", "", []block{{3, 0, 0}}},
		{"abxcd", "abcd", []block{{0, 0, 2}, {3, 2, 2}, {5, 4, 0}}},
		{"qabxcd", "abycdf", []block{{1, 0, 2}, {4, 3, 2}, {6, 6, 0}}},
		// "ab" at 0 and at 3 are equally long: the first wins.
		{"abcab", "xabab", []block{{0, 1, 2}, {3, 3, 2}, {5, 5, 0}}},
		{"aaaa", "aa", []block{{0, 0, 2}, {4, 2, 0}}},
		{"private Thread currentThread;", "private volatile Thread currentThread;",
			[]block{{0, 0, 6}, {6, 15, 23}, {29, 38, 0}}},
	} {
		got, err := blocks(letters(tt.a), letters(tt.b), limits.RevisionSteps)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q and %q: %v, %v, want %v", tt.a, tt.b, got, err, tt.want)
		}
	}
}

func letters(s string) []string { return strings.Split(s, "") }

// TestBlocksEnd: texts that would take too long are an error.
func TestBlocksEnd(t *testing.T) {
	same := slices.Repeat([]string{"x"}, 40_000)
	_, err := blocks(same, same, limits.RevisionSteps)
	if err == nil || !strings.Contains(err.Error(), "texts of 40000 and 40000 tokens take more than 268435456 steps to compare") {
		t.Error(err)
	}
}

// FuzzBlocks compares the blocks with those of the definition.
func FuzzBlocks(f *testing.F) {
	f.Add("abxcd", "abcd")
	f.Add("abcabca", "acbbaca")
	f.Fuzz(func(t *testing.T, x, y string) {
		a, b := letters(x[:min(len(x), 40)]), letters(y[:min(len(y), 40)])
		got, err := blocks(a, b, limits.RevisionSteps)
		if want := append(plain(a, b, 0, len(a), 0, len(b)), block{len(a), len(b), 0}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q and %q: %v, %v, want %v", a, b, got, err, want)
		}
	})
}

// plain is the definition of blocks between four places.
func plain(a, b []string, alo, ahi, blo, bhi int) []block {
	var best block
	for i := alo; i < ahi; i++ {
		for j := blo; j < bhi; j++ {
			n := 0
			for i+n < ahi && j+n < bhi && a[i+n] == b[j+n] {
				n++
			}
			if n > best.size {
				best = block{i, j, n}
			}
		}
	}
	if best.size == 0 {
		return nil
	}
	out := append(plain(a, b, alo, best.a, blo, best.b), best)
	return append(out, plain(a, b, best.a+best.size, ahi, best.b+best.size, bhi)...)
}
