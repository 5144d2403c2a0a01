package cli

import (
	"os"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// viewIn is view ARGS... of scripts: it starts a viewer on a free port, which ask asks and
// terminate ends.
func viewIn(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: view ARGS...")
	}
	cmd := command(ts, append([]string{"view"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+ts.Getenv("XDG_CACHE_HOME"))
	s, err := startListening(cmd)
	ts.Check(err)
	ts.Defer(func() { _ = cmd.Process.Kill() })
	ts.Value(servedKey{}).(*atomic.Pointer[served]).Store(s)
}
