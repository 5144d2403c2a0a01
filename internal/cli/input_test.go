package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
