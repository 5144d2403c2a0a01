package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// lettered gives letters to systems of which some pairs differ.
func lettered(n int, differ func(i, k int) bool) Group {
	var g Group
	for i := range n {
		g.Systems = append(g.Systems, System{Name: fmt.Sprint("s", i), Changes: 2})
	}
	for i := range n {
		for k := i + 1; k < n; k++ {
			p := 1.0
			if differ(i, k) {
				p = Level
			}
			g.Pairs = append(g.Pairs, Pair{A: g.Systems[i].Name, B: g.Systems[k].Name, Corrected: &p})
		}
	}
	g.letter()
	return g
}

func lettersOf(g Group) string {
	var out []string
	for _, s := range g.Systems {
		out = append(out, s.Letters)
	}
	return strings.Join(out, " ")
}

func TestLetters(t *testing.T) {
	for _, tt := range []struct {
		name   string
		n      int
		differ func(i, k int) bool
		want   string
	}{
		{"none differs", 3, func(i, k int) bool { return false }, "a a a"},
		{"all differ", 3, func(i, k int) bool { return true }, "a b c"},
		{"neighbours do not", 4, func(i, k int) bool { return k-i > 1 }, "a ab bc c"},
		{"one is apart", 4, func(i, k int) bool { return k == 3 }, "a a a b"},
		{"not in order", 3, func(i, k int) bool { return i == 0 && k == 1 }, "a b ab"},
		{"more than there are letters", 60, func(i, k int) bool { return true }, strings.Repeat(" ", 59)},
	} {
		if got := lettersOf(lettered(tt.n, tt.differ)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if g := lettered(60, func(i, k int) bool { return true }); g.NoLetters != "there are more groups than letters" {
		t.Error(g.NoLetters)
	}
	g := lettered(2, func(i, k int) bool { return false })
	g.Pairs[0].Corrected, g.Systems[0].Letters, g.Systems[1].Letters = nil, "", ""
	if g.letter(); g.NoLetters != "not every pair has a test" || lettersOf(g) != " " {
		t.Errorf("%q %q", g.NoLetters, lettersOf(g))
	}
}

// Two systems share a letter just where they do not differ, whatever differs.
func TestLettersSayWhatDiffers(t *testing.T) {
	for trial := range 300 {
		rnd := rand.New(rand.NewPCG(uint64(trial), 1))
		n, share := 2+rnd.IntN(9), rnd.Float64()
		differ := map[[2]int]bool{}
		g := lettered(n, func(i, k int) bool {
			differ[[2]int{i, k}] = rnd.Float64() < share
			return differ[[2]int{i, k}]
		})
		if g.NoLetters != "" {
			t.Fatalf("trial %d: %s", trial, g.NoLetters)
		}
		for pair, differs := range differ {
			a, b := g.Systems[pair[0]].Letters, g.Systems[pair[1]].Letters
			if a == "" || strings.ContainsAny(a, b) == differs {
				t.Fatalf("trial %d: %v differ: %v, with the letters %q and %q", trial, pair, differs, a, b)
			}
		}
	}
}
