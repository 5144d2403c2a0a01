package rundir

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// breaks are faults that the tests of crashes must find: in a file, a text that
// occurs once, and what stands there instead.
var breaks = []struct{ name, file, old, new string }{
	{"the scores are not synced", "commit.go", "if err := r.scores.Sync(); err != nil {\n\t\treturn fmt", "if err := error(nil); err != nil {\n\t\treturn fmt"},
	{"the matrices are not synced", "commit.go", "if err := r.matrices.Sync(); err != nil {\n\t\t\treturn fmt", "if err := error(nil); err != nil {\n\t\t\treturn fmt"},
	{"the journal is not synced", "commit.go", "if err := r.journal.Sync(); err != nil {\n\t\treturn fmt.Errorf(\"%s: %w\", journalName, err)\n\t}\n\tr.pending", "r.pending"},
	{"the journal is written first", "commit.go", "if r.matrices != nil {\n\t\tif err := r.matrices.Sync()", "if _, err := r.journal.Write(r.pending); err != nil {\n\t\treturn err\n\t}\n\tr.pending = nil\n\tif r.matrices != nil {\n\t\tif err := r.matrices.Sync()"},
	{"a line of the journal is written before the matrices", "commit.go", "if r.blocks != nil {\n\t\tif leftOut", "if _, err := r.journal.Write([]byte(e.String())); err != nil {\n\t\treturn nil, err\n\t}\n\tif r.blocks != nil {\n\t\tif leftOut"},
	{"the journal is not synced by the next start", "rundir.go", "if err := r.journal.Sync(); err != nil {\n\t\treturn fmt.Errorf(\"%s: %w\", journalName, err)\n\t}\n\tif err := r.disk", "if err := r.disk"},
	{"the directory is not synced by the next start", "rundir.go", "if err := r.disk.SyncDir(r.dir); err != nil {\n\t\treturn err\n\t}\n\tif r.end", "if r.end"},
	{"the new files are not synced", "rundir.go", "if err := r.disk.SyncDir(r.dir); err != nil {\n\t\treturn err\n\t}\n\treturn r.manifest.write", "return r.manifest.write"},
	{"the new directory is not synced", "rundir.go", "if err := r.disk.SyncDir(filepath.Dir(r.dir)); err", "if err := error(nil); err"},
	{"what is not finished stays", "rundir.go", "if err != nil || n <= size {", "if err != nil || n >= 0 {"},
	{"the manifest is not synced", "manifest.go", "if err == nil {\n\t\terr = f.Sync()\n\t}", ""},
	{"the manifest has its name at once", "rundir.go", "newManifest = ManifestName + \".new\"", "newManifest = ManifestName"},
	{"what was finished is done again", "journal.go", "return true, true, nil", "return false, true, nil"},
	{"a torn line counts", "journal.go", "return line{entry: e}, ok && e.String() == text+\"\\n\"", "return line{entry: e}, ok"},
}

// TestBroken builds the package with one fault at a time, and wants the tests of
// crashes to fail.
func TestBroken(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the package many times")
	}
	for _, b := range breaks {
		t.Run(b.name, func(t *testing.T) {
			cmd := exec.Command("go", "test", "-count=1", "-timeout=1m", "-overlay", overlay(t, b.file, b.old, b.new), "-run", "^(TestCrash|TestFault)$", ".")
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Error("no test has failed")
			} else if !strings.Contains(string(out), "--- FAIL: Test") {
				t.Errorf("it could not be tested: %s", out)
			}
		})
	}
}

// overlay writes a file that makes the go command see a file with other texts: of each
// pair the second instead of the first, which occurs once.
func overlay(t *testing.T, name string, pairs ...string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		if n := bytes.Count(text, []byte(pairs[i])); n != 1 {
			t.Fatalf("%q occurs %d times in %s, not once", pairs[i], n, name)
		}
	}
	dir := t.TempDir()
	broken := filepath.Join(dir, name)
	if err := os.WriteFile(broken, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: broken}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
