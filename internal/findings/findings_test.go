package findings

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Unused 'é'.", "Unused 'é'."},
		{" two\r\n\tlines ", "two lines"},
		{"\x1b[31mred\x1b[0m\a", "[31mred[0m"},
		{"a\xffb\u202ec\u200bd", "abcd"},
		{"123456789012", "123456789012"},
		{"1234567890123", "12345678901…"},
		{"ééééééééééééé", "ééééééééééé…"},
		{strings.Repeat("\x00", 1000) + "far", ""},
	} {
		if got := Text(c.in, 12); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b[31m b\n\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s, 20)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 20 || strings.ContainsAny(got, "\n\r\t\x1b\x00") {
			t.Errorf("%q: %q", s, got)
		}
	})
}
