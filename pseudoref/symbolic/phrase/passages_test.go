package phrase

import (
	"strings"
	"testing"
)

func TestPassages(t *testing.T) {
	for _, c := range []struct {
		text         string
		words, limit int
		want         string
	}{
		{"", 10, 2, ""},
		{"… . ;", 10, 2, ""},
		{"Short and whole.", 10, 2, "Short and whole"},
		{"The bank rounds to cents, because nothing smaller is paid, which all know.", 6, 3, "The bank rounds to cents…|because nothing smaller is paid…|which all know"},
		{"One sentence ends here. Another one begins and goes on for long.", 8, 2, "One sentence ends here|Another one begins and goes on for long"},
		{"`a b c d e f g h` stays whole", 4, 1, "`a b c d…"},
	} {
		if got := strings.Join(Passages(c.text, c.words, c.limit), "|"); got != c.want {
			t.Errorf("passages(%q, %d, %d) = %q, want %q", c.text, c.words, c.limit, got, c.want)
		}
	}
}
