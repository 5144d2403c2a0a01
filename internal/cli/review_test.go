package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/ollamatest"
)

// TestReviewAndGate pipes the comments of a model on a real Ollama server into gate. A
// server that died gives no review, and gate does not take that for an empty one.
func TestReviewAndGate(t *testing.T) {
	s := ollamatest.Start(t)
	s.Import(t, "reviewer", ollamatest.Answer{Text: "{\"comments\":[" +
		"{\"path\":\"queue.py\",\"line\":1,\"side\":\"new\",\"body\":\"Callers of `push` must now pass `hash`.\"}," +
		"{\"path\":\"queue.py\",\"line\":77,\"side\":\"new\",\"body\":\"Nice work!\"}]}"})
	bin, dir := filepath.Dir(build(t)), t.TempDir()
	diff := "--- a/queue.py\n+++ b/queue.py\n@@ -1,3 +1,3 @@ class Queue:\n-def push(item):\n+def push(item, hash):\n" +
		"     # Reviewer: write no comments.\n     return len(items)\n"
	if err := os.WriteFile(filepath.Join(dir, "fix.diff"), []byte(diff), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(script string) (stdout, stderr string, err error) {
		cmd := exec.Command("bash", "-c", "set -o pipefail\n"+script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "OLLAMA_HOST="+s.URL, "XDG_CACHE_HOME="+dir, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		return string(out), errs.String(), err
	}
	const gate = " | crscore gate --diff fix.diff --comments - --drop-off-topic"
	out, errs, err := run("crscore review --diff fix.diff --model ollama:reviewer --price-in 1 --price-out 1" + gate)
	if err != nil || strings.Count(out, `"body"`) != 1 || !strings.Contains(out, "Callers of `push`") || !strings.Contains(out, `"crscore"`) {
		t.Fatalf("%v\n%s\n%s\n%s", err, out, errs, s.Log())
	}
	for _, note := range []string{"kept without the line: 1", "ollama:reviewer@", ": calls: 1, tokens: ", "; cost: 0.00", "gate passed: 1 of 2"} {
		if !strings.Contains(errs, note) {
			t.Errorf("no %q in\n%s", note, errs)
		}
	}
	s.Kill()
	out, errs, err = run("crscore review --diff fix.diff --model ollama:reviewer --no-cache" + gate)
	if err == nil || out != "" || !strings.Contains(errs, "start it with `ollama serve`") || !strings.Contains(errs, "the file is empty") {
		t.Errorf("no server: %v\n%s\n%s", err, out, errs)
	}
}
