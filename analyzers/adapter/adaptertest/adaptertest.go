// Package adaptertest holds the tests that all adapters share. An adapter's own
// test gives what only it can know: what its recorded output says, and outputs
// that must not be taken for an answer.
//
// Nothing here starts a tool: the table in the tests of analyzers does.
package adaptertest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/analyzers/adapter"
)

// Output finds the recorded output of a tool in the testdata of its directory:
// output.json, output.xml, whatever the tool prints.
func Output(t testing.TB, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "testdata", "output.*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s has %d recorded outputs, want 1 (%v)", dir, len(found), err)
	}
	return found[0]
}

func read(t testing.TB) []byte {
	t.Helper()
	out, err := os.ReadFile(Output(t, "."))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Recorded checks what the adapter reads in the recorded output.
func Recorded(t *testing.T, tool adapter.Tool, want adapter.Report) {
	t.Helper()
	got, err := tool.Parse(read(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Refuses checks that outputs which the tool does not print are errors, as are
// those that no tool prints.
func Refuses(t *testing.T, tool adapter.Tool, outputs ...string) {
	t.Helper()
	recorded := string(read(t))
	for _, out := range append(outputs, "", "Segmentation fault", "Traceback (most recent call last):\n", recorded[:len(recorded)/2], recorded+recorded) {
		if r, err := tool.Parse([]byte(out)); err == nil {
			t.Errorf("%q was read as %v", out, r)
		}
	}
}

// Fuzz holds for any output that it is either an error or findings that say all
// that a finding must. The seeds are outputs besides the recorded one.
func Fuzz(f *testing.F, tool adapter.Tool, seeds ...string) {
	f.Add(read(f))
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		r, err := tool.Parse(out)
		if err != nil && (r.Findings != nil || r.Unread != nil) {
			t.Errorf("half a report: %v", r)
		}
		for _, f := range r.Findings {
			if f.Path == "" || f.Rule == "" || f.Message == "" || f.Severity == "" || f.Line < 0 {
				t.Errorf("%+v", f)
			}
		}
		for _, u := range r.Unread {
			if u.Path == "" {
				t.Errorf("%+v", u)
			}
		}
	})
}
