package rundir

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crscore/internal/limits"
	"crscore/internal/matrices"
	"crscore/score"
)

// made is a finished run on the real disk.
func made(t *testing.T) (dir string, in data) {
	t.Helper()
	dir, in = filepath.Join(t.TempDir(), "run"), sample(9, false)
	r, err := Open(dir+"/", withMatrices(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range in.changes {
		err = errors.Join(err, r.Add(c))
	}
	if err := errors.Join(err, r.Finish(in.end), r.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, in
}

func TestLocked(t *testing.T) {
	dir, _ := made(t)
	r, err := Open(dir, withMatrices(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Open(dir, withMatrices(), nil); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "another process works on it") {
			t.Error(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	// The file of the lock stays, and is no lock.
	if r, err = Open(dir, withMatrices(), nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Add(Change{}); err == nil {
		t.Error("a closed run was added to")
	}
}

// TestLook reads the manifest of a run, whoever holds it.
func TestLook(t *testing.T) {
	dir, in := made(t)
	r, err := Open(dir, withMatrices(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if m, e, err := Look(dir); err != nil || !reflect.DeepEqual(m, withMatrices()) || e == nil || *e != in.end {
		t.Errorf("%+v, %+v, %v", m, e, err)
	}
	if _, _, err := Look(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("another directory: %v", err)
	}
}

// TestOpenRefuses leaves alone what is no run, or was changed.
func TestOpenRefuses(t *testing.T) {
	write := func(name, text string) func(dir string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600) }
	}
	remove := func(name string) func(dir string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
	}
	// edit changes a file, and takes the end from the journal and run.json.
	edit := func(name string, change func(text string) string) func(dir string) error {
		return func(dir string) error {
			changes := map[string]func(string) string{
				journalName:  func(s string) string { return s[:strings.Index(s, "end ")] },
				ManifestName: func(s string) string { return s[:strings.Index(s, ",\n  \"data\"")] + "}" },
			}
			changes[name] = change
			for file, f := range changes {
				path := filepath.Join(dir, file)
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				if err := os.WriteFile(path, []byte(f(string(text))), 0o600); err != nil {
					return err
				}
			}
			return nil
		}
	}
	only := func(name string, change func(text string) string) func(dir string) error {
		return func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			return write(name, change(string(text)))(dir)
		}
	}
	cut := func(n int) func(string) string { return func(s string) string { return s[:len(s)-n] } }
	tests := []struct {
		name   string
		damage func(dir string) error
		want   string
	}{
		{"another folder", func(dir string) error { return errors.Join(remove(ManifestName)(dir), write("notes.txt", "")(dir)) }, "it has the file"},
		{"no manifest", remove(ManifestName), "it has the file journal but no run.json: this is no run directory, and a new one must be empty"},
		{"newer", write(ManifestName, `{"crscore_run":2,"parts":7}`), "this is a run directory of version 2, but this program reads version 1: use the crscore that made it, or name another directory"},
		{"others' folder", func(dir string) error {
			return errors.Join(remove(ManifestName)(dir), remove(lockName)(dir), write("notes.txt", "")(dir))
		}, "it has the file"},
		{"others' manifest", func(dir string) error {
			return errors.Join(remove(lockName)(dir), write(ManifestName, `{"name":"x"}`)(dir))
		}, "it does not describe a run"},
		{"another run", func(dir string) error {
			m := withMatrices()
			m.Explain = true
			return errors.Join(remove(lockName)(dir), m.write(osDisk{}, dir, nil))
		}, "its run is another one"},
		{"not ours", write(ManifestName, `{"name":"x"}`), `run.json: it does not describe a run: "crscore_run" is missing`},
		{"not JSON", write(ManifestName, `x`), "run.json: it does not describe a run: invalid character"},
		{"more fields", write(ManifestName, `{"crscore_run":1,"colour":"red"}`), `unknown field "colour"`},
		{"bad shard", write(ManifestName, `{"crscore_run":1,"shard":"4/3"}`), "there is no shard 4 of 3"},
		{"no scores", remove(ScoresName), "scores.jsonl is missing"},
		{"no matrices", remove(MatricesName), "matrices.crsm is missing"},
		{"no journal", remove(journalName), "journal is missing"},
		{"scores cut", edit(ScoresName, cut(1)), "that journal says are finished: its end is lost"},
		{"scores edited", edit(ScoresName, func(s string) string { return strings.Replace(s, `"5"`, `"6"`, 1) }), "scores.jsonl was changed or is damaged: the lines of the change of line"},
		{"matrices cut", edit(MatricesName, cut(40)), "matrices.crsm has "},
		{"matrices damaged", edit(MatricesName, func(s string) string { return s[:200] + "x" + s[201:] }), "matrices.crsm: "},
		{"matrices of another run", edit(MatricesName, func(string) string {
			var b bytes.Buffer
			w, err := matrices.NewWriter(&b, withMatrices().Matrices)
			for range 9 {
				err = errors.Join(err, w.Write(&matrices.Block{ID: "x"}))
			}
			if err != nil {
				t.Error(err)
			}
			return b.String()
		}), `matrices.crsm: the block of change "x" ends at byte`},
		{"end of the journal lost", only(journalName, func(s string) string { return s[:strings.Index(s, "end ")] }), "run.json says that the run is finished, but journal has no end: its end is lost"},
		{"journal empty", only(journalName, func(string) string { return "" }), "run.json says that the run is finished, but journal has no end"},
		{"another checksum", only(ManifestName, func(s string) string { return strings.Replace(s, `"sha256": "`, `"sha256": "0`, 1) }), "run.json and journal do not tell of the same dataset: one of them was changed"},
		{"journal edited", only(journalName, func(s string) string { return strings.Replace(s, "1", "2", 1) }), "journal is damaged at byte 0, and good lines follow"},
		{"scores edited, finished", only(ScoresName, func(s string) string { return strings.Replace(s, `"5"`, `"6"`, 1) }), "scores.jsonl was changed or is damaged: the lines of the change of line"},
		{"matrices damaged, finished", only(MatricesName, func(s string) string { return s[:200] + "x" + s[201:] }), "matrices.crsm: block "},
		{"matrices cut, finished", only(MatricesName, cut(40)), "matrices.crsm has "},
		{"behind the end", edit(journalName, func(s string) string { return s + "1" }), "journal has bytes behind its end: it was changed"},
		{"scores longer", func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, ScoresName), os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString("{}\n")
				err = errors.Join(err, f.Close())
			}
			return err
		}, "but the run wrote"},
		{"torn, scores edited, no lock", func(dir string) error {
			damage := edit(ScoresName, func(s string) string { return strings.Replace(s, `"5"`, `"6"`, 1) + "torn" })(dir)
			return errors.Join(damage, remove(lockName)(dir), only(journalName, func(s string) string { return s + "7 torn" })(dir))
		}, "scores.jsonl was changed or is damaged"},
		{"torn, matrices damaged", func(dir string) error {
			damage := edit(MatricesName, func(s string) string { return s[:200] + "x" + s[201:] })(dir)
			longer := func(s string) string { return s + "torn" }
			return errors.Join(damage, only(journalName, longer)(dir), only(ScoresName, longer)(dir))
		}, "matrices.crsm: "},
		{"a folder as a file", func(dir string) error {
			return errors.Join(remove(ScoresName)(dir), os.Mkdir(filepath.Join(dir, ScoresName), 0o700))
		}, ScoresName},
	}
	for _, tt := range tests {
		dir, _ := made(t)
		if err := tt.damage(dir); err != nil {
			t.Fatal(tt.name, err)
		}
		before := tree(t, dir)
		r, err := Open(dir, withMatrices(), nil)
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			_ = r.Close()
			continue
		}
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if after := tree(t, dir); after != before {
			t.Errorf("%s: the directory was changed", tt.name)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{file: "it is a file: name a directory", filepath.Join(file, "run"): "mkdir ", filepath.Join(t.TempDir(), "a", "b"): "mkdir "} {
		if _, err := Open(dir, plain, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		b.WriteString(e.Name() + "\n" + string(text) + "\n")
	}
	return b.String()
}

func TestParseShard(t *testing.T) {
	for in, want := range map[string]Shard{"": {}, "1/1": {1, 1}, "2/3": {2, 3}, "1000/1000": {1000, 1000}} {
		if s, err := ParseShard(in); err != nil || s != want || s.String() != in {
			t.Errorf("%q: %v, %v", in, s, err)
		}
	}
	for in, want := range map[string]string{
		"2": "write 2/3", "a/b": "write 2/3", "-1/3": "write 2/3", "1/": "write 2/3", "0/3": "no shard 0 of 3", "4/3": "no shard 4 of 3", "1/0": "no shard 1 of 0",
		"1/1001": "1001 shards are more than the limit of 1000", "1/99999999999": "write 2/3",
	} {
		if s, err := ParseShard(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", in, s, err)
		}
	}
	for line := 1; line < 10; line++ {
		n := 0
		for i := 1; i <= 4; i++ {
			if (Shard{i, 4}).Has(line) {
				n++
			}
		}
		if n != 1 || !(Shard{}).Has(line) {
			t.Errorf("line %d is in %d of 4 shards", line, n)
		}
	}
}

// TestDamagedJournal tells what a crash tears from what it cannot.
func TestDamagedJournal(t *testing.T) {
	d := newDisk()
	in := sample(3000, false)
	in.changes = in.changes[:2000]
	in.end.Malformed = 1
	if o := start(d, plain, in); o.err != nil {
		t.Fatal(o.err)
	}
	j := d.files["run/journal"]
	end := strings.Index(string(j.now), "end ")
	behind := func(lines int) int { // a place in the last line that so many follow
		at := end - 30
		for range lines {
			at = strings.LastIndexByte(string(j.now[:at]), '\n')
		}
		return at - 20
	}
	const damaged = "journal is damaged at byte "
	for name, tt := range map[string]struct {
		at, size, cut int
		want          string
	}{
		"start":             {50, end, 0, damaged},
		"last line":         {end - 30, end, 0, ""},
		"a commit":          {behind(limits.JournalBatch - 1), end, limits.JournalBatch - 1, ""},
		"more":              {behind(limits.JournalBatch), end, 0, damaged},
		"far more":          {behind(2 * limits.JournalBatch), end, 0, damaged},
		"an end follows it": {end - 30, len(j.now), 0, damaged},
	} {
		b := append([]byte(nil), j.now[:tt.size]...)
		b[tt.at] ^= 1
		n := d.killed()
		n.files["run/journal"] = &inode{now: b}
		if err := plain.write(n, "run", nil); err != nil {
			t.Fatal(err)
		}
		o := start(n, plain, in)
		if tt.want != "" {
			if o.err == nil || !strings.Contains(o.err.Error(), tt.want) {
				t.Errorf("%s: %d changes, %v", name, o.found, o.err)
			}
			continue
		}
		if o.err != nil || o.found != 1999-tt.cut || o.cut != tt.cut || !bytes.Equal(n.files["run/journal"].now, j.now) {
			t.Errorf("%s: %d changes, %d cut, %v", name, o.found, o.cut, o.err)
		}
	}
}

func FuzzJournal(f *testing.F) {
	f.Add("1 39d031a6c1c19635 0 - 00000000 afb3172a\n2 9060554863a62b9d 64 - 48b0a8d8 a421dbe1\n")
	f.Add("end 4 1 699793afbd9212c9a54989c189010f21d15273f850ed91de9fae78018393987f 96 0 8e3422b1\n")
	f.Fuzz(func(t *testing.T, text string) {
		j := newLog(strings.NewReader(text))
		var good strings.Builder
		for {
			l, err := j.next()
			if err != nil {
				break
			}
			if l.end != nil {
				good.WriteString(l.end.String())
			} else {
				good.WriteString(l.String())
			}
		}
		if int64(good.Len()) != j.good || !strings.HasPrefix(text, good.String()) {
			t.Errorf("%d good bytes, and %q", j.good, good.String())
		}
	})
}

func FuzzManifest(f *testing.F) {
	f.Add(`{"crscore_run":1,"signature":"crscore/9 tau=0.4","explain":true,"shard":"2/3"}`)
	f.Add(`{"crscore_run":1,"signature":"/ =0"}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, _, err := parseManifest([]byte(text))
		if err != nil {
			return
		}
		if diff := m.Differences(m, "a", "b"); diff != nil {
			t.Errorf("it differs from itself: %q", diff)
		}
		other := m
		other.Explain = !m.Explain
		other.Signature = append(slices.Clone(m.Signature), score.Field{Name: "x", Value: "y"})
		if diff := m.Differences(other, "a", "b"); len(diff) < 2 {
			t.Errorf("two differences, but %q", diff)
		}
	})
}

// TestRefusedDataset leaves an unfinished run alone, with all that its last process has
// not finished, when it is started with another dataset.
func TestRefusedDataset(t *testing.T) {
	dir, in := made(t)
	for name, end := range map[string]string{journalName: "7 torn", ScoresName: "{}", MatricesName: "torn", ManifestName: ""} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(string(text), "end ")
		if name == ManifestName {
			before, _, _ = strings.Cut(before, ",\n  \"data\"")
			end = "}"
		}
		if err := os.WriteFile(path, []byte(before+end), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, dir)
	for _, p := range []Place{{Line: in.changes[0].Line, Text: strings.Repeat("0", 64)}, {Line: 99, Text: in.changes[0].Text}} {
		r, err := Open(dir, withMatrices(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Done(p); err == nil {
			t.Errorf("line %d: another dataset is taken", p.Line)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if tree(t, dir) != before {
			t.Errorf("line %d: the directory was changed", p.Line)
		}
	}
}

// TestDiscard takes away what has no result, and nothing else.
func TestDiscard(t *testing.T) {
	parent := t.TempDir()
	_, in := made(t)
	for name, tt := range map[string]struct {
		rows string
		is   bool // whether the directory was there before
		want string
	}{"new": {}, "there": {is: true, want: "run\n"}, "results": {rows: "{}\n", want: "run\njournal\nlock\nmatrices.crsm\nrun.json\nscores.jsonl\n"}} {
		dir := filepath.Join(parent, "run")
		if tt.is {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Open(dir, withMatrices(), nil)
		if err != nil {
			t.Fatal(name, err)
		}
		c := in.changes[0]
		c.Rows = []byte(tt.rows)
		if err := errors.Join(r.Add(c), r.Discard(), r.Close()); err != nil {
			t.Error(name, err)
		}
		if got := names(t, parent); got != tt.want {
			t.Errorf("%s: left are\n%s", name, got)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// names are those of all that is in a directory.
func names(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if path != dir && err == nil {
			b.WriteString(e.Name() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
