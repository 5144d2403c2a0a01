package stdio

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// TestBrokenWideInput: half a surrogate pair and an odd byte become bytes that are not UTF-8. A
// whole U+FFFD stays.
func TestBrokenWideInput(t *testing.T) {
	for in, want := range map[string]string{
		"\xff\xfea\x00\x3d\xd8\x00\xde\xfd\xff":       "a\U0001f600\ufffd",
		"\xfe\xff\x00a\xd8\x3d\xde\x00\xff\xfd":       "a\U0001f600\ufffd",
		"\xff\xfe\x3d\xd8a\x00\x00\xde":               "\xffa\xff",
		"\xff\xfe\x3d\xd8\x3d\xd8\x00\xdeb\x00":       "\xff\U0001f600b",
		"\xff\xfea\x00\x3d\xd8":                       "a\xff",
		"\xff\xfea\x00b":                              "a\xff",
		"\xff\xfe\x3d\xd8b":                           "\xff\xff",
		"\xff\xfe":                                    "",
		"\xff":                                        "\xff",
		"\xef\xbb\xbfa":                               "\ufeffa",
		"\xff\xfe" + strings.Repeat("\xac\x20", 9999): strings.Repeat("€", 9999),
	} {
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in))} {
			if got, err := io.ReadAll(&wide{in: r}); err != nil || string(got) != want {
				t.Errorf("%.20q is read as %.40q, %v, want %.40q", in, got, err, want)
			}
		}
	}
}

// FuzzWideInput: whole UTF-16 is read as x/text reads it, broken UTF-16 as text that is not UTF-8.
func FuzzWideInput(f *testing.F) {
	f.Add("a\x00\x3d\xd8\x00\xde", true)
	f.Add("\x00a\xd8\x3d", false)
	f.Fuzz(func(t *testing.T, text string, little bool) {
		mark, order := "\xfe\xff", unicode.BigEndian
		if little {
			mark, order = "\xff\xfe", unicode.LittleEndian
		}
		got, err := io.ReadAll(&wide{in: iotest.HalfReader(strings.NewReader(mark + text))})
		if err != nil {
			t.Fatal(err)
		}
		back, err := unicode.UTF16(order, unicode.IgnoreBOM).NewEncoder().Bytes(got)
		if whole := utf8.Valid(got); whole && (err != nil || string(back) != text) {
			t.Errorf("%q is read as %q, which is %q", text, got, back)
		} else if want, _ := unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().Bytes([]byte(text)); whole && !bytes.Equal(got, want) {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	})
}
