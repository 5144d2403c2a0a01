//go:build unix

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"crscore/internal/ollamatest"
	"crscore/internal/rundir"
)

// keepers are the commands that keep their results in a run directory.
var keepers = map[string]string{
	"score":   "score --keep-matrices",
	"metrics": "metrics --metrics exact,bleu,chrf,rouge-l",
	"judge":   "judge --protocol rel --model ollama:m",
}

// judgedBy answers all questions of a test, with grades that depend on them, and counts them.
func judgedBy(t *testing.T) *ollamatest.Fake {
	t.Helper()
	fake := ollamatest.NewFake(t, 1<<15, func(w http.ResponseWriter, q ollamatest.Asked) {
		ollamatest.Reply(w, fmt.Sprintf(`{"con":%d,"comp":2,"rel":3}`, 1+len(q.Prompt)%5), true, "stop", 10)
	})
	t.Setenv("OLLAMA_HOST", fake.URL)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return fake
}

// keep runs a keeper, and fails the test if it hangs.
func keep(t *testing.T, args, data, dir string) (code int, said string) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		code, _, said = crscoreRun(append(strings.Fields(args), "--data", data, "--out", dir)...)
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		stacks := make([]byte, 1<<20)
		t.Fatalf("it hangs: %s --out %s\n%s", args, dir, stacks[:runtime.Stack(stacks, true)])
	}
	return code, said
}

// runFiles are the files of a run directory that its next start must have, or make.
type runFiles map[string][]byte

func readRun(t *testing.T, dir string) runFiles {
	t.Helper()
	out := runFiles{}
	for _, name := range []string{rundir.ManifestName, "journal", rundir.ScoresName, rundir.MatricesName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			out[name] = text
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.EISDIR) {
			t.Fatal(err)
		}
	}
	return out
}

func (f runFiles) write(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range f {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (f runFiles) equal(other runFiles) (differ string) {
	for _, name := range []string{rundir.ManifestName, "journal", rundir.ScoresName, rundir.MatricesName} {
		if a, b := f[name], other[name]; !bytes.Equal(a, b) {
			return fmt.Sprintf("%s has %d bytes, not the %d of the other:\n%.300q\n%.300q", name, len(a), len(b), a, b)
		}
	}
	return ""
}

// interrupted returns the files that a killed process leaves: so many changes are finished, and the
// first bytes of the next change stand behind them.
func (f runFiles) interrupted(t *testing.T, changes int) runFiles {
	t.Helper()
	lines := bytes.SplitAfter(f["journal"], []byte("\n"))
	var scores, matrices int
	var row, text, sums string
	if _, err := fmt.Sscan(string(lines[changes-1]), &row, &text, &scores, &sums); err != nil {
		t.Fatal(err)
	}
	out := runFiles{
		"journal":           append(bytes.Join(lines[:changes], nil), lines[changes][:9]...),
		rundir.ScoresName:   f[rundir.ScoresName][:scores+30],
		rundir.ManifestName: regexp.MustCompile(`,\n  "data": \{[^}]*\}`).ReplaceAll(f[rundir.ManifestName], nil),
	}
	if f[rundir.MatricesName] != nil {
		if _, err := fmt.Sscan(sums, &matrices); err != nil {
			t.Fatal(err)
		}
		out[rundir.MatricesName] = f[rundir.MatricesName][:matrices+40]
	}
	return out
}

// damage is a change of a file that no command makes.
type damage struct {
	name, file string
	do         func(path string) error
	want       string // what the command says, empty for what a damage may bring
}

// chosen are damages to each file of a run that are no matter of chance. outside is a folder
// beside the run, and others are the files of other runs of the same command.
func chosen(files runFiles, outside string, others map[string]runFiles) []damage {
	var out []damage
	add := func(file, name, want string, do func(path string) error) {
		out = append(out, damage{name: name, file: file, do: do, want: want})
	}
	const irregular = "not a regular file"
	for _, file := range []string{rundir.ManifestName, "journal", rundir.ScoresName, rundir.MatricesName, "lock", "run.json.new"} {
		text, there := files[file]
		if !there && file == rundir.MatricesName {
			continue
		}
		want := irregular
		if file == "run.json.new" {
			want = "" // a finished run has no need of it
		}
		add(file, "a pipe", want, func(path string) error { return errors.Join(gone(path), syscall.Mkfifo(path, 0o600)) })
		add(file, "a folder", want, func(path string) error { return errors.Join(gone(path), os.Mkdir(path, 0o700)) })
		for _, to := range []string{"copy", "nothing", "secret"} {
			add(file, "a link to "+to, want, func(path string) error {
				to := filepath.Join(outside, to)
				if filepath.Base(to) == "copy" {
					if err := os.WriteFile(to, text, 0o600); err != nil {
						return err
					}
				}
				return errors.Join(gone(path), os.Symlink(to, path))
			})
		}
		add(file, "no permission", "", func(path string) error { return os.Chmod(path, 0) })
		if !there {
			continue
		}
		add(file, "emptied", "", func(path string) error { return os.Truncate(path, 0) })
		add(file, "removed", "", gone)
		add(file, "doubled", "", func(path string) error { return os.WriteFile(path, slices.Concat(text, text), 0o600) })
		add(file, "a byte more", "", func(path string) error { return os.WriteFile(path, append(bytes.Clone(text), 'x'), 0o600) })
		add(file, "a byte less", "", func(path string) error { return os.WriteFile(path, text[:len(text)-1], 0o600) })
		for name, other := range others {
			add(file, "that of a run "+name, "", func(path string) error { return os.WriteFile(path, other[file], 0o600) })
		}
	}
	return out
}

// gone removes a file, if it is there.
func gone(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// TestDamagedRuns damages finished and interrupted runs of each command, file by file. The next
// start comes to the files of an undisturbed run, or refuses: it names the file and the
// cure, and changes nothing. No answer is asked for again.
func TestDamagedRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing of it runs side by side, for the race detector")
	}
	random, short := 30, os.Getenv("CRSCORE_DAMAGES") == ""
	if !short {
		random = 100
	}
	fake := judgedBy(t)
	data := map[string]string{"": eight(t, 12), "of another dataset": eight(t, 11)}
	for name, args := range keepers {
		runs := map[string]runFiles{}
		run := func(args, data string) runFiles {
			dir := filepath.Join(t.TempDir(), "run")
			if code, said := keep(t, args, data, dir); code != exitDone {
				t.Fatalf("%s: exit code %d: %s", name, code, said)
			}
			return readRun(t, dir)
		}
		whole := run(args, data[""])
		runs["of another dataset"] = run(args, data["of another dataset"])
		runs["of a shard"] = run(args+" --shard 1/2", data[""])
		asked := fake.Calls()
		for state, files := range map[string]runFiles{"finished": whole, "interrupted": whole.interrupted(t, 7)} {
			t.Run(name+" "+state, func(t *testing.T) {
				d := damages{args: args, data: data[""], dir: t.TempDir(), whole: whole, files: files}
				all := chosen(files, d.dir, runs)
				rnd, names := rand.New(rand.NewPCG(41, uint64(len(name+state)))), slices.Sorted(maps.Keys(files))
				for range random {
					file := names[rnd.IntN(len(names))]
					what, text := damaged(rnd, files[file])
					all = append(all, damage{name: what, file: file, do: func(path string) error { return os.WriteFile(path, text, 0o600) }})
				}
				for _, is := range all {
					// To score takes longest, and the other files of a run are alike.
					if short && name == "score" && is.file != rundir.MatricesName {
						continue
					}
					d.try(t, is)
				}
				t.Logf("%d damages: %d healed, %d refused", d.n, d.n-d.refused, d.refused)
				if d.refused == 0 || d.refused == d.n && name != "score" { // no damage to matrices heals
					t.Error("no damage is healed, or none refused")
				}
			})
		}
		if n := fake.Calls() - asked; n != 0 {
			t.Errorf("%s: %d questions were asked again", name, n)
		}
	}
}

// damages damages a run in many ways.
type damages struct {
	args, data   string
	dir          string
	whole, files runFiles // of the undisturbed run, and of the one that is damaged
	n, refused   int
}

// cures are what one can do about a damaged run.
var cures = regexp.MustCompile("restore it, or start anew in another directory|name another directory|start with what it was begun with|a new one must be empty|permission denied")

func (d *damages) try(t *testing.T, is damage) {
	t.Helper()
	d.n++
	dir, secret := filepath.Join(d.dir, fmt.Sprint(d.n)), filepath.Join(d.dir, "secret")
	d.files.write(t, dir)
	for _, err := range []error{os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600), os.WriteFile(secret, []byte("secret"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := is.do(filepath.Join(dir, is.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var before runFiles
	readable := is.name != "a pipe" && is.name != "no permission"
	if readable {
		before = readRun(t, dir)
	}
	code, said := keep(t, d.args, d.data, dir)
	fails := func(why string) {
		t.Helper()
		t.Errorf("%s: %s: exit code %d: %s\n%s", is.file, is.name, code, why, said)
	}
	named := strings.Contains(said, dir) && (strings.Contains(said, is.file) || strings.Contains(said, "its run is another one"))
	switch {
	case code == exitDone && is.want != "":
		fails("it is taken")
	case code == exitDone:
		if differ := readRun(t, dir).equal(d.whole); differ != "" {
			fails("another result: " + differ)
		}
	case code != exitUsage && code != exitIncomplete:
		fails("it is not refused")
	case !named || !cures.MatchString(said) || !strings.Contains(said, is.want):
		fails("it does not say what is wrong, or what to do")
	case code == exitUsage && readable:
		if differ := readRun(t, dir).equal(before); differ != "" {
			fails("what was refused was changed: " + differ)
		}
	}
	if code != exitDone {
		d.refused++
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		fails(fmt.Sprintf("a file outside the directory was changed: %s, %v", text, err))
	}
	if err := os.Remove(filepath.Join(d.dir, "nothing")); err == nil {
		fails("a file was made outside the directory")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}
