package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// TestWideInput reads a diff as PowerShell writes it: in UTF-16 with a mark and with its line
// ends. The references are those of git's own bytes, from a file, standard input and a pipe.
func TestWideInput(t *testing.T) {
	diff := "diff --git a/ä.py b/ä.py\n--- a/ä.py\n+++ b/ä.py\n@@ -1,2 +1,3 @@\n def größe(x):\n-    return x\n+    y = x + 1\n+    return y\n"
	dir := filepath.Join(t.TempDir(), "Jürgen Müller")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	refs := func(text []byte, from string) string {
		t.Helper()
		name := filepath.Join(dir, "x y.diff")
		in := bytes.NewReader(nil)
		switch from {
		case "standard input":
			name, in = "-", bytes.NewReader(text)
		case "a pipe":
			name += ".pipe"
			if err := exec.Command("mkfifo", name).Run(); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(name)
			go func() { _ = os.WriteFile(name, text, 0o600) }()
		default:
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, log bytes.Buffer
		if code := Main([]string{"refs", "--format", "json", "--diff", name}, in, &out, &log); code != exitDone {
			t.Fatalf("exit code %d: %s", code, log.String())
		}
		return out.String()
	}
	want := refs([]byte(diff), "a file")
	if !strings.Contains(want, "größe") {
		t.Fatalf("no references: %s", want)
	}
	for name, order := range map[string]unicode.Endianness{"little": unicode.LittleEndian, "big": unicode.BigEndian} {
		text, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(strings.ReplaceAll(diff, "\n", "\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{"a file", "standard input", "a pipe"} {
			if got := refs([]byte(text), from); got != want {
				t.Errorf("%s endian, from %s:\n%s\nwant\n%s", name, from, got, want)
			}
		}
	}
}

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
