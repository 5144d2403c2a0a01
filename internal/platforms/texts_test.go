package platforms

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestTexts scores a change and its review in the forms that editors and shells of Windows write:
// lines that end in CRLF, and UTF-16 with a mark, as PowerShell 5 redirects. The scores are the same.
func TestTexts(t *testing.T) {
	dir := folder(t, "cache-expiry/change.diff", "cache-expiry/before.py", "cache-expiry/thorough.md")
	forms := map[string]func([]byte) []byte{
		"crlf":   crlf,
		"utf-16": func(text []byte) []byte { return wide(crlf(text)) },
	}
	for _, name := range []string{"change.diff", "before.py", "thorough.md"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for form, as := range forms {
			write(t, filepath.Join(dir, form, name), as(text))
		}
	}
	score := func(p platform, form string) string {
		at := "Z:" + strings.ReplaceAll(filepath.Join(dir, form), "/", `\`) + `\`
		if !p.windows() {
			at = filepath.Join(dir, form) + "/"
		}
		return p.must(t, dir, "score", "--format", "json", "--diff", at+"change.diff", "--old", at+"before.py", "--review", "@"+at+"thorough.md")
	}
	want := score(reference, "")
	for _, p := range []platform{emulated()[1], reference} {
		for form := range forms {
			if got := score(p, form); got != want {
				t.Errorf("%s: %s gives other scores: %s", p.name, form, differs(want, got))
			}
		}
	}
}

// crlf ends lines as Windows does.
func crlf(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }

// wide is a text as UTF-16 with a mark.
func wide(text []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, c := range utf16.Encode([]rune(string(text))) {
		out = binary.LittleEndian.AppendUint16(out, c)
	}
	return out
}
