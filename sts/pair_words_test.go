package sts

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// TestScopeWords: no sentence is a remark about the scope without one of the words that are looked
// for first, whatever its letters are.
func TestScopeWords(t *testing.T) {
	whole, fast := regexp.MustCompile(scopeRemark+"|"+scopeStart), newScopeRemarks()
	parts := strings.Fields("This is UNRELATED to change ſeparate commit Next followup PRs Follow-up patch K \u212a ticket outſide scope of the future merge another different I ſcope seems looks Ditto same here.")
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 50_000 {
		var words []string
		for range 1 + r.IntN(5) {
			words = append(words, parts[r.IntN(len(parts))])
		}
		text := strings.Join(words, " ")
		want := whole.MatchString(text)
		if got := fast.has(text); got != want {
			t.Fatalf("%q: a remark about the scope is %v, want %v", text, got, want)
		}
		if want {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("%d remarks", found)
	}
}
