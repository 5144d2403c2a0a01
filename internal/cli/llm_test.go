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
// server behind several workers, and again in another process: one call in all. A
// run that goes further than one before asks about what is new.
func TestOneCall(t *testing.T) {
	s := ollamatest.Shared(t)
	s.Import(t, "reviewer", ollamatest.Answer{Text: "{\"summary\":[\"The parameter `hash` was added to `push`.\"],\"implications\":[\"Callers of `push` must now pass `hash`.\"]}"})
	bin, dir := build(t), t.TempDir()
	data := filepath.Join(dir, "data.jsonl")
	line := func(id, class string) string {
		return fmt.Sprintf(`{"id":%q,"path":"queue.py","diff":"@@ -1,3 +1,3 @@\n class %s:\n-def push(item):\n+def push(item, hash):\n     return len(items)\n","reviews":[{"id":"s","text":"Callers of push must pass a hash."}]}`+"\n", id, class)
	}
	generated := func() int { return strings.Count(s.Log(), `"/api/generate"`) }
	before, nine := generated(), "" // other tests ask the same server
	for i := range 9 {
		nine += line(fmt.Sprint(i), "Queue")
	}
	for _, run := range []struct {
		data          string
		scored, calls int
	}{{nine, 9, 1}, {nine, 9, 1}, {nine + line("9", "Stack"), 10, 2}} {
		if err := os.WriteFile(data, []byte(run.data), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bin, "score", "--data", data, "--claims", "symbolic,ollama:reviewer", "--workers", "8")
		cmd.Env = append(os.Environ(), "OLLAMA_HOST="+s.URL, "XDG_CACHE_HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Count(string(out), `"status":"scored"`) != run.scored {
			t.Fatalf("%v\n%s", err, out)
		}
		if n := generated() - before; n != run.calls {
			t.Errorf("%d calls so far, want %d\n%s", n, run.calls, s.Log())
		}
	}
}
