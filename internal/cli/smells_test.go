package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComplexityIncomplete makes sure that a file that cannot be measured is told
// beside those that can, and that the exit code says so.
func TestComplexityIncomplete(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"large.py": strings.Repeat("x = 1\n", 400_000),
		"small.py": "def f(a):\n    return a or 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, format := range []string{"text", "json"} {
		var out, errs bytes.Buffer
		code := Main([]string{"smells", "complexity", "--format", format, dir}, strings.NewReader(""), &out, &errs)
		if code != exitIncomplete || !strings.Contains(errs.String(), "1 of 2 files could not be measured") ||
			!strings.Contains(out.String(), "too large to be parsed (limit: 1 MiB)") || !strings.Contains(out.String(), "small.py") {
			t.Errorf("%s: exit %d\n%s\n%s", format, code, &out, &errs)
		}
	}
}
