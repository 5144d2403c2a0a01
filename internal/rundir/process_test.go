package rundir

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledProcess kills a process again and again that writes a run to the real disk, while
// another program has its manifest open for moments, as virus scanners do. The files must
// come to be those of a run without interruption. It needs nothing of the system, and so
// shows how Windows renames and locks.
func TestKilledProcess(t *testing.T) {
	const self = "CRSCORE_TEST_RUN"
	if dir := os.Getenv(self); dir != "" {
		writeRun(t, dir)
		return
	}
	// Not t.TempDir: Wine 8 cannot do what the removal of folders asks for.
	root, err := os.MkdirTemp("", "rundir ä ")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	reference := filepath.Join(root, "reference")
	begun := time.Now()
	writeRun(t, reference)
	took := time.Since(begun)

	dir := filepath.Join(root, "killed")
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			if f, err := os.Open(filepath.Join(dir, ManifestName)); err == nil {
				time.Sleep(5 * time.Millisecond)
				_ = f.Close()
			}
		}
	}()
	rnd := rand.New(rand.NewPCG(1, 7))
	for kills := 0; ; {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
		cmd.Env = append(os.Environ(), self+"="+dir)
		var said strings.Builder
		cmd.Stdout = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The first starts are killed, the first of them in the middle of the run.
		if kills < 6 {
			for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(time.Millisecond) {
				if _, err := os.Stat(filepath.Join(dir, journalName)); err == nil {
					break
				}
			}
			time.Sleep(time.Duration(rnd.Int64N(int64(took / 6))))
			_ = cmd.Process.Kill()
			kills++
		}
		if cmd.Wait() == nil {
			t.Logf("killed %d times", kills)
			break
		}
		if strings.Contains(said.String(), "FAIL") {
			t.Fatal(said.String())
		}
	}
	for _, name := range []string{ManifestName, ScoresName, MatricesName, journalName} {
		want, err1 := os.ReadFile(filepath.Join(reference, name))
		got, err2 := os.ReadFile(filepath.Join(dir, name))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes after kills, %d without: %v", name, len(got), len(want), err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, newManifest)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the new manifest was left:", err)
	}
}

// writeRun writes a run, slowly, or what a killed process left of it.
func writeRun(t *testing.T, dir string) {
	t.Helper()
	in := sample(60, false)
	r, err := Open(dir, withMatrices(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range in.changes {
		done, err := r.Done(c.Place)
		if err == nil && !done {
			time.Sleep(5 * time.Millisecond)
			err = r.Add(c)
		}
		if err != nil {
			t.Fatal(errors.Join(err, r.Close()))
		}
	}
	if err := errors.Join(r.Finish(in.end), r.Close()); err != nil {
		t.Fatal(err)
	}
	// One process at a time has it.
	held, err := Open(dir, withMatrices(), func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, withMatrices(), nil); !errors.Is(err, ErrLocked) {
		t.Errorf("opened twice: %v", err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
}
