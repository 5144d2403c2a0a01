package cli

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"crscore/internal/ollamatest"
)

// reviewer is a language model with claims about a parameter of push.
var reviewer = ollamatest.Answer{
	Text: "{\"summary\":[\"The parameter `hash` was added to `push`.\"],\"implications\":[\"Callers of `push` must now pass `hash`.\"]}",
}

// TestOllamaScript runs the command with a real Ollama server; testdata/ollama
// holds the scripts. $REGISTRY is where the server can pull reviewer from.
func TestOllamaScript(t *testing.T) {
	from := ollamatest.Shared(t)
	from.Import(t, "reviewer", reviewer)
	registry := httptest.NewServer(from.ServeRegistry(4, nil))
	t.Cleanup(registry.Close) // the scripts go on when this function has ended
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/ollama",
		RequireUniqueNames: true,
		UpdateScripts:      os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("OLLAMA_HOST", ollamatest.Start(env.T().(testing.TB)).URL)
			env.Setenv("REGISTRY", strings.TrimPrefix(registry.URL, "http://")+"/library")
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			return nil
		},
	})
}
