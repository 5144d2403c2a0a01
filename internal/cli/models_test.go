package cli

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"crscore/internal/models/hubtest"
	"crscore/sts/builtin"
)

// TestModelsScript runs the models command against a hub on this machine;
// testdata/models holds the scripts. $HUB is its address, and $HUB/fault-NAME
// misbehaves as hubtest.Faults say.
func TestModelsScript(t *testing.T) {
	demo, err := filepath.Abs("../../testdata/cache-expiry")
	if err != nil {
		t.Fatal(err)
	}
	// Models that can be run: the built-in one, as others lay theirs out, and a cross-encoder.
	withReadme := func(model fs.FS) map[string][]byte {
		files := hubtest.Files(0)
		maps.DeleteFunc(files, func(name string, _ []byte) bool { return name != "README.md" })
		err := fs.WalkDir(model, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			files[name], err = fs.ReadFile(model, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	repo := func(files map[string][]byte) hubtest.Repo {
		return hubtest.Repo{Commit: hubtest.Commit, Refs: []string{"main", "v1.0"}, Files: files}
	}
	private := repo(hubtest.Files(1000))
	private.Token = "hf_secret"
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/models",
		RequireUniqueNames: true,
		UpdateScripts:      os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			hub := hubtest.New(map[string]hubtest.Repo{
				"test-org/small": repo(hubtest.Files(400_000)), "test-org/usable": repo(withReadme(builtin.Model())),
				"test-org/cross": repo(withReadme(os.DirFS("../../sts/testdata/pytorch/small/cross-roberta"))), "test-org/private": private,
				"mixedbread-ai/mxbai-embed-large-v1": repo(hubtest.Files(1000)),
			})
			env.Defer(hub.Close)
			env.Setenv("DEMO", demo)
			env.Setenv("HUB", hub.Endpoint(""))
			env.Setenv("HF_ENDPOINT", hub.Endpoint(""))
			env.Setenv("COMMIT", hubtest.Commit)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("CRSCORE_MODELS", filepath.Join(env.WorkDir, "store"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"midway": midway},
	})
}

// midway SIGNAL ARGS... runs crscore with the arguments, and sends it the signal
// (int or kill) as soon as an interrupted pull would leave something behind.
func midway(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: midway int|kill ARGS...")
	}
	cmd := command(ts, args[1:]...)
	for _, name := range []string{"HF_ENDPOINT", "CRSCORE_MODELS"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	var said strings.Builder
	cmd.Stderr = &said
	ts.Check(cmd.Start())
	large := func() (found bool) {
		_ = filepath.WalkDir(filepath.Join(ts.Getenv("CRSCORE_MODELS"), ".pull"), func(_ string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				if st, err := e.Info(); err == nil && st.Size() > 10_000 {
					found = true
				}
			}
			return nil
		})
		return found
	}
	for deadline := time.Now().Add(20 * time.Second); !large(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			ts.Fatalf("nothing was fetched: %s", said.String())
		}
	}
	sig := os.Interrupt
	if args[0] == "kill" {
		sig = os.Kill
	}
	ts.Check(cmd.Process.Signal(sig))
	err := cmd.Wait()
	if args[0] == "kill" {
		if cmd.ProcessState.Exited() {
			ts.Fatalf("the program ended before it was killed: %v", err)
		}
		return
	}
	if code := cmd.ProcessState.ExitCode(); code != exitIncomplete || !strings.Contains(said.String(), "interrupted; ") {
		ts.Fatalf("exit code %d after Ctrl-C, want %d: %s", code, exitIncomplete, said.String())
	}
}
