package lazyregexp

import (
	"regexp"
	"slices"
	"testing"
)

func TestMethods(t *testing.T) {
	const expr, text = `(\w)b`, "ab cb"
	lazy, eager := MustCompile(expr), regexp.MustCompile(expr)
	if !lazy.MatchString(text) || !lazy.Match([]byte(text)) || lazy.MatchString("b") {
		t.Error("match")
	}
	if got, want := lazy.FindStringSubmatch(text), eager.FindStringSubmatch(text); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := lazy.ReplaceAllString(text, "$1"), eager.ReplaceAllString(text, "$1"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWrong is what makes every package's tests compile its tables.
func TestWrong(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression gets past the tests")
		}
	}()
	MustCompile(`(`)
}
