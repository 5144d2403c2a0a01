package rundir

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// breaks are faults that the tests must find. All of them are built into one program,
// which has the one that faultEnv names: in a file, a text that occurs once, and
// what stands there instead, with FAULT for "this one is asked for".
var breaks = []struct{ name, file, old, new string }{
	{"the scores are not synced", "commit.go", "r.scores.Sync()", "unless(FAULT, r.scores.Sync)"},
	{"the matrices are not synced", "commit.go", "r.matrices.Sync()", "unless(FAULT, r.matrices.Sync)"},
	{"the journal is not synced", "commit.go", "r.journal.Sync()", "unless(FAULT, r.journal.Sync)"},
	{"the journal is written first", "commit.go", "func (r *Run) flush() error {\n", `func (r *Run) flush() error {
	if FAULT {
		if _, err := r.journal.Write(r.pending); err != nil {
			return err
		}
		r.pending = nil
	}
`},
	{"a line of the journal is written before the matrices", "commit.go", "if r.blocks != nil {\n\t\tif c.Block", `if FAULT {
		if _, err := r.journal.Write([]byte(e.String())); err != nil {
			return err
		}
	}
	if r.blocks != nil {
		if c.Block`},
	{"the journal is not synced by the next start", "rundir.go", "written everything, but not synced it.\n\tif err := r.journal.Sync(); err", "written everything, but not synced it.\n\tif err := unless(FAULT, r.journal.Sync); err"},
	{"the directory is not synced by the next start", "rundir.go", "return r.disk.SyncDir(r.dir)\n", "return unless(FAULT, func() error { return r.disk.SyncDir(r.dir) })\n"},
	{"the new files are not synced", "rundir.go", "r.disk.SyncDir(r.dir); err != nil {\n\t\treturn err\n\t}\n\treturn r.manifest.write", "unless(FAULT, func() error { return r.disk.SyncDir(r.dir) }); err != nil {\n\t\treturn err\n\t}\n\treturn r.manifest.write"},
	{"the new directory is not synced", "rundir.go", "r.disk.SyncDir(filepath.Dir(r.dir)); err", "unless(FAULT, func() error { return r.disk.SyncDir(filepath.Dir(r.dir)) }); err"},
	{unfinished, "rundir.go", "if err := r.scores.Cut(r.last.scores); err", "if err := unless(FAULT, func() error { return r.scores.Cut(r.last.scores) }); err"},
	{unfinished, "rundir.go", "if err := r.journal.Cut(r.good); err", "if err := unless(FAULT, func() error { return r.journal.Cut(r.good) }); err"},
	{"the manifest is not synced", "manifest.go", "err = f.Sync()", "err = unless(FAULT, f.Sync)"},
	{"the manifest has its name at once", "manifest.go", "openFile(d, dir, newManifest, toMake)\n", `openFile(d, dir, newManifest, toMake)
	if FAULT {
		f, err = openFile(d, dir, ManifestName, toMake)
	}
`},
	{"what was finished is done again", "journal.go", "return true, true, nil", "return !FAULT, true, nil"},
	{"a torn line counts", "journal.go", "return line{entry: e}, ok && e.String() == text+\"\\n\"", "return line{entry: e}, ok && (FAULT || e.String() == text+\"\\n\")"},
	{"the end is in run.json first", "commit.go", "r.pending = append(r.pending, last.String()...)", `if FAULT {
		if err := r.manifest.write(r.disk, r.dir, &e); err != nil {
			return err
		}
	}
	r.pending = append(r.pending, last.String()...)`},
	{"the end is not in run.json", "commit.go", "err != nil || !r.untold {", "err != nil || !r.untold || FAULT {"},
	{journalFirst, "commit.go", "if _, err := r.scores.Write(c.Rows); err != nil {", `if FAULT {
		if _, err := r.journal.Write([]byte(e.String())); err != nil {
			return err
		}
	}
	if _, err := r.scores.Write(c.Rows); err != nil {`},
	{journalFirst, "commit.go", "r.pending = append(r.pending, e.String()...)\n\tr.batch++", "if !FAULT {\n\t\tr.pending = append(r.pending, e.String()...)\n\t}\n\tr.batch++"},
}

const (
	journalFirst = "a line of the journal is written before the result lines"
	unfinished   = "what is not finished stays"
)

const faultEnv = "RUNDIR_FAULT"

// faultFile is what the broken program has besides.
const faultFile = `package rundir

import "os"

var asked = os.Getenv("` + faultEnv + `")

func unless(broken bool, do func() error) error {
	if broken {
		return nil
	}
	return do()
}
`

// TestBroken builds these tests with all faults, and wants the tests of crashes to fail
// with each of them, and to pass with none.
func TestBroken(t *testing.T) {
	if os.Getenv("CRSCORE_LONG") == "" {
		t.Skip("make test-all runs this: it builds the package, and runs its tests many times")
	}
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "broken")
	gocmd(t, "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay(t), "-o", bin, ".")
	names := map[string]bool{"": true}
	for _, b := range breaks {
		names[b.name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(bin, "-test.timeout=2m", "-test.run=^(TestCrash|TestFault)$")
			cmd.Env = append(os.Environ(), faultEnv+"="+name)
			out, err := cmd.CombinedOutput()
			switch failed := strings.Contains(string(out), "--- FAIL: Test"); {
			case name == "" && err != nil:
				t.Errorf("%v: %s", err, out)
			case name != "" && err == nil:
				t.Error("no test has failed")
			case name != "" && !failed:
				t.Errorf("it could not be tested: %s", out)
			}
		})
	}
}

func gocmd(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// overlay writes a file that makes the go command see the package with all faults.
func overlay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	write := func(name, text string) {
		place, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		replace[place] = filepath.Join(dir, name)
		if err := os.WriteFile(replace[place], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	texts := map[string]string{}
	for _, b := range breaks {
		if texts[b.file] == "" {
			text, err := os.ReadFile(b.file)
			if err != nil {
				t.Fatal(err)
			}
			texts[b.file] = string(text)
		}
		if n := strings.Count(texts[b.file], b.old); n != 1 {
			t.Fatalf("%q occurs %d times in %s, not once", b.old, n, b.file)
		}
		broken := strings.ReplaceAll(b.new, "FAULT", fmt.Sprintf("(asked == %q)", b.name))
		texts[b.file] = strings.Replace(texts[b.file], b.old, broken, 1)
	}
	for name, text := range texts {
		write(name, text)
	}
	write("fault.go", faultFile)
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
