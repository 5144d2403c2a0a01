package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/ollamatest"
)

// TestOneCall scores nine reviews of one change, a line each, with a real Ollama
// server behind several workers, and again in another process: one call in all.
func TestOneCall(t *testing.T) {
	s := ollamatest.Shared(t)
	s.Import(t, "reviewer", ollamatest.Answer{Text: "{\"summary\":[\"The parameter `hash` was added to `push`.\"],\"implications\":[\"Callers of `push` must now pass `hash`.\"]}"})
	dir := t.TempDir()
	data := filepath.Join(dir, "nine.jsonl")
	var lines strings.Builder
	for i := range 9 {
		fmt.Fprintf(&lines, `{"id":"%d","path":"queue.py","diff":"@@ -1,2 +1,2 @@\n-def push(item):\n+def push(item, hash):\n     return len(items)\n","reviews":[{"id":"s%d","text":"Callers of push must pass a hash."}]}`+"\n", i, i)
	}
	if err := os.WriteFile(data, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		cmd := exec.Command(build(t), "score", "--data", data, "--claims", "symbolic,ollama:reviewer", "--workers", "8")
		cmd.Env = append(os.Environ(), "OLLAMA_HOST="+s.URL, "XDG_CACHE_HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(out), `"status":"scored"`) != 9 {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if n := strings.Count(s.Log(), `"/api/generate"`); n != 1 {
		t.Errorf("%d calls, want 1\n%s", n, s.Log())
	}
}
