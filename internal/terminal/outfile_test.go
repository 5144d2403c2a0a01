package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComingMeanwhile holds that a file which comes while the results are made stays, and that
// they are not lost.
func TestComingMeanwhile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	to := NewOutFile("output", name)
	f, err := to.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(true); err == nil || !strings.Contains(err.Error(), "exists by now, and is left as it is: what was written is in "+f.temp) {
		t.Errorf("error %v", err)
	}
	for name, want := range map[string]string{name: "other", f.temp: "new"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
