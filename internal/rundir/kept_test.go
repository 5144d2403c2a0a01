package rundir

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/score"
)

// TestKept reads and ends runs of an earlier version, whose run.json has a signature without
// fields. Their files are in testdata; of another form would be another Version.
func TestKept(t *testing.T) {
	for kind, changes := range map[string]int{score.KindScore: 3, score.KindMetrics: 3} {
		old := filepath.Join("testdata", kind)
		m, end, err := Look(old)
		if err != nil || m.Kind != kind || end == nil || end.Lines != 4 || end.Malformed != 1 {
			t.Fatalf("%s: %+v, %+v, %v", kind, m, end, err)
		}
		kept := readParts(t, old)
		if len(kept) != changes {
			t.Errorf("%s: %d changes", kind, len(kept))
		}
		for n := range changes + 1 { // so many are finished, the next one is torn
			dir := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(dir, os.DirFS(old)); err != nil {
				t.Fatal(err)
			}
			if n < changes {
				tear(t, dir, n)
			}
			if got := resumed(t, dir, m, *end, kept); got != n {
				t.Errorf("%s: %d changes were finished, and %d are there", kind, n, got)
			}
			for _, name := range []string{journalName, ScoresName, MatricesName} {
				if m.Matrices == "" && name == MatricesName {
					continue
				}
				if readFile(t, filepath.Join(old, name)) != readFile(t, filepath.Join(dir, name)) {
					t.Errorf("%s, resumed after %d changes: %s has other bytes", kind, n, name)
				}
			}
		}
	}
}

// tear leaves n finished changes of a run, and half a line of the journal.
func tear(t *testing.T, dir string, n int) {
	t.Helper()
	lines := strings.SplitAfter(readFile(t, filepath.Join(dir, journalName)), "\n")
	before, _, _ := strings.Cut(readFile(t, filepath.Join(dir, ManifestName)), ",\n  \"data\"")
	for name, text := range map[string]string{journalName: strings.Join(lines[:n], "") + lines[n][:20], ManifestName: before + "}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// resumed runs changes through a directory, and returns how many were finished.
func resumed(t *testing.T, dir string, m Manifest, end End, changes []Change) int {
	t.Helper()
	r, err := Open(dir, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		done, err := r.Done(c.Place)
		if err == nil && !done {
			err = r.Add(c)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(r.Finish(end), r.Close()); err != nil {
		t.Fatal(err)
	}
	return r.Changes()
}

// readParts returns the changes of a finished run.
func readParts(t *testing.T, dir string) (out []Change) {
	t.Helper()
	p, err := OpenParts(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for {
		c, err := p.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Rows = append([]byte(nil), c.Rows...)
		out = append(out, c)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
