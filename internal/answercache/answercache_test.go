package answercache

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// notes gathers what a store says.
type notes struct {
	sync.Mutex
	said []string
}

func (n *notes) add(s string) {
	n.Lock()
	defer n.Unlock()
	n.said = append(n.said, s)
}

func (n *notes) String() string {
	n.Lock()
	defer n.Unlock()
	return strings.Join(n.said, "\n")
}

func open(t testing.TB, path string, o Options) (*Answers, *notes) {
	t.Helper()
	n := new(notes)
	o.Note = n.add
	a, err := Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a, n
}

func put(t testing.TB, a *Answers, key, value string) {
	t.Helper()
	if err := a.Put(context.Background(), key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

// has wants the value under the key, or none when want is empty.
func has(t testing.TB, a *Answers, key, want string) {
	t.Helper()
	v, ok, err := a.Get(context.Background(), key)
	if err != nil || ok != (want != "") || string(v) != want {
		t.Errorf("%s: got %.100q, %v, %v, want %.100q", key, v, ok, err, want)
	}
}

func place(t testing.TB) string { return filepath.Join(t.TempDir(), "cache", "answers.db") }

func TestAnswers(t *testing.T) {
	path := place(t)
	a, n := open(t, path, Options{})
	has(t, a, "key", "")
	put(t, a, "key", "value")
	put(t, a, "other", "\x00\xff not text")
	has(t, a, "key", "value")
	has(t, a, "other", "\x00\xff not text")
	put(t, a, "key", "another value")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	a, _ = open(t, path, Options{})
	has(t, a, "key", "another value")
	if err := a.Put(t.Context(), "empty", nil); err != nil {
		t.Error(err)
	}
	if v, ok, err := a.Get(t.Context(), "empty"); !ok || len(v) != 0 || err != nil {
		t.Errorf("%q, %v, %v", v, ok, err)
	}
	info, err := a.Info(t.Context())
	if err != nil || info.Answers != 3 || info.Bytes == 0 || info.Path != path || time.Since(info.Oldest) > time.Hour || info.SetAside != "" {
		t.Errorf("%+v, %v", info, err)
	}
	for _, f := range []string{path, path + "-wal"} {
		if st, err := os.Stat(f); err != nil || st.Mode().Perm() != 0o600 && runtime.GOOS != "windows" { // its folder is private there
			t.Errorf("%s: %v, %v: others can read it", f, st.Mode(), err)
		}
	}
	if s := n.String(); s != "" {
		t.Error(s)
	}
	if gone, err := Clear(t.Context(), path); err != nil || gone.Answers != 3 || gone.Path != path {
		t.Fatalf("%+v, %v", gone, err)
	}
	has(t, a, "key", "") // which was open all the time
	put(t, a, "key", "after")
	has(t, a, "key", "after")
}

// TestNames has paths that mean something in the name of a database.
func TestNames(t *testing.T) {
	for _, dir := range []string{"a b", "50%", "what?mode=memory", "#1", "ünï", "a&b=c"} {
		if runtime.GOOS == "windows" && strings.Contains(dir, "?") {
			continue // no name there
		}
		path := filepath.Join(t.TempDir(), dir, "answers.db")
		a, _ := open(t, path, Options{})
		put(t, a, "key", "value")
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestCancelled(t *testing.T) {
	path := place(t)
	a, n := open(t, path, Options{})
	put(t, a, "key", "value")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := a.Get(ctx, "key"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := a.Put(ctx, "key", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	has(t, a, "key", "value")
	if s := n.String(); s != "" {
		t.Error(s)
	}
}

// TestBound writes ten times what there is room for.
func TestBound(t *testing.T) {
	const limit = 1 << 20
	path := place(t)
	a, _ := open(t, path, Options{MaxBytes: limit})
	value := strings.Repeat("x", 5000)
	const n = 2000
	for i := range n {
		put(t, a, fmt.Sprint("key ", i), value)
	}
	info, err := a.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil || st.Size() > limit {
		t.Errorf("%d bytes, the limit is %d, %v", st.Size(), limit, err)
	}
	if most := int64(limit / len(value)); info.Answers > most || info.Answers < most*3/4 {
		t.Errorf("%d answers are left, there is room for %d", info.Answers, most)
	}
	has(t, a, fmt.Sprint("key ", n-1), value)
	has(t, a, fmt.Sprint("key ", n-100), value)
	has(t, a, "key 0", "")
	if err := a.Put(t.Context(), "large", make([]byte, limit/16+1)); err == nil || !strings.Contains(err.Error(), "larger than the limit") {
		t.Error(err)
	}
}

// TestRowsAreChecked changes rows behind the store's back.
func TestRowsAreChecked(t *testing.T) {
	path := place(t)
	a, n := open(t, path, Options{})
	for _, key := range []string{"changed", "swapped", "swapped too", "null", "good"} {
		put(t, a, key, "the value of "+key)
	}
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{"UPDATE answers SET value = 'the value of Changed' WHERE key = ?", []any{name("changed")}},
		{"UPDATE answers SET sum = 'short' WHERE key = ?", []any{name("null")}},
		{"UPDATE answers SET (value, sum) = (SELECT value, sum FROM answers WHERE key = ?) WHERE key = ?", []any{name("swapped"), name("swapped too")}},
	} {
		if _, err := db.Exec(q.sql, q.args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"changed", "swapped too", "null"} {
		has(t, a, key, "")
		put(t, a, key, "new")
		has(t, a, key, "new")
	}
	has(t, a, "good", "the value of good")
	if s := n.String(); s != "" {
		t.Error(s)
	}
}

func TestDamaged(t *testing.T) {
	fill := func(t *testing.T, path string) {
		a, _ := open(t, path, Options{})
		for i := range 200 {
			put(t, a, fmt.Sprint("key ", i), strings.Repeat("value ", 200))
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		damage func(b []byte) []byte
	}{
		{"text", func([]byte) []byte { return []byte(strings.Repeat("This is no database.\n", 100)) }},
		{"head gone", func(b []byte) []byte { return append(make([]byte, 100), b[100:]...) }},
		{"half", func(b []byte) []byte { return b[:len(b)/2+7] }},
		{"pages of noise", func(b []byte) []byte {
			r := rand.New(rand.NewPCG(1, 2))
			for i := 4096; i < len(b); i++ {
				b[i] = byte(r.Uint32())
			}
			return b
		}},
		{"table gone", func(b []byte) []byte { // its place is in the header's page
			copy(b[100:4096], make([]byte, 3996))
			return b
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := place(t)
			fill(t, path)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b = tt.damage(b)
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			a, n := open(t, path, Options{})
			for i := range 200 {
				if v, ok, err := a.Get(t.Context(), fmt.Sprint("key ", i)); err != nil || ok && string(v) != strings.Repeat("value ", 200) {
					t.Fatalf("%q, %v", v, err)
				}
			}
			put(t, a, "key", "value")
			has(t, a, "key", "value")
			if s := n.String(); strings.Count(s, "was set aside as answers.db.damaged, and a new one begins") != 1 {
				t.Errorf("said: %q", s)
			}
			aside, err := os.ReadFile(Aside(path))
			if err != nil || !bytes.Equal(aside, b) {
				t.Errorf("what was set aside has %d bytes, not %d (%v)", len(aside), len(b), err)
			}
			if info, err := a.Info(t.Context()); err != nil || info.SetAside != Aside(path) {
				t.Errorf("%+v, %v", info, err)
			}
			if _, err := Clear(t.Context(), path); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(Aside(path)); !os.IsNotExist(err) {
				t.Error("what was set aside is still there: ", err)
			}
		})
	}
}

// TestDamagedInUse damages a database that two have open.
func TestDamagedInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows renames no file that another process uses: the answers are not kept until that process ends")
	}
	path := place(t)
	a, na := open(t, path, Options{})
	b, nb := open(t, path, Options{})
	for i := range 500 {
		put(t, a, fmt.Sprint("key ", i), strings.Repeat("value ", 200))
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for off := int64(4096); off < 500*4096; off += 4096 {
		if _, err := f.WriteAt(bytes.Repeat([]byte("no page "), 512), off); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 500 { // those whose pages they remember are still right
		for _, s := range []*Answers{a, b} {
			key := fmt.Sprint("key ", i)
			if v, ok, err := s.Get(t.Context(), key); err != nil || ok && string(v) != strings.Repeat("value ", 200) {
				t.Fatalf("%q, %v", v, err)
			}
		}
	}
	_ = f.Close() // not earlier: it would take SQLite's locks away
	put(t, a, "after", "by a")
	has(t, b, "after", "by a")
	put(t, b, "after", "by b")
	has(t, a, "after", "by b")
	if err := os.Remove(path); err != nil { // by a person
		t.Fatal(err)
	}
	put(t, a, "again", "by a")
	has(t, b, "again", "by a")
	if said := na.String() + nb.String(); strings.Count(said, "set aside") != 1 {
		t.Errorf("said: %q", said)
	}
}

// TestForeign leaves alone what is not the store's.
func TestForeign(t *testing.T) {
	for name, q := range map[string]string{
		"another program": "CREATE TABLE bookmarks (url TEXT)",
		"another version": fmt.Sprintf("CREATE TABLE answers (key TEXT); PRAGMA application_id = %d; PRAGMA user_version = 2", applicationID),
	} {
		path := filepath.Join(t.TempDir(), "answers.db")
		db, err := sql.Open("sqlite3", path)
		if err == nil {
			_, err = db.Exec(q)
		}
		if err = errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), "made by another") {
			t.Errorf("%s: %v", name, err)
		}
		after, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: it was changed (%v)", name, err)
		}
		if _, err := Clear(t.Context(), path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		open(t, path, Options{})
	}
}

func TestClearNothing(t *testing.T) {
	path := place(t)
	if gone, err := Clear(t.Context(), path); err != nil || gone != (Info{Path: path}) {
		t.Errorf("%+v, %v", gone, err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Error("something was made to be cleared: ", err)
	}
}

func TestNoPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "answers.db"), filepath.Dir(file), "/proc/none/answers.db", "/proc/answers.db"} {
		if a, err := Open(t.Context(), path, Options{}); err == nil || !strings.HasPrefix(err.Error(), "the cache") {
			t.Errorf("%s: %v, %v", path, a, err)
		}
	}
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("LocalAppData", "")
	if p, err := Path(); err == nil || !strings.Contains(err.Error(), "no place for a cache") {
		t.Errorf("%q, %v", p, err)
	}
}

const child = "STORE_CHILD"

// TestProcesses runs processes that write the same database at once, most of which
// are killed while they do so.
func TestProcesses(t *testing.T) {
	value := func(who, i int) string { return fmt.Sprint(who, ":", i, strings.Repeat(" of some length", 300+i%50)) }
	if path := os.Getenv(child); path != "" {
		var who int
		if _, err := fmt.Sscanf(path, "%d:%s", &who, &path); err != nil {
			t.Fatal(err)
		}
		a, n := open(t, path, Options{MaxBytes: 4 << 20})
		for i := range 400 {
			put(t, a, fmt.Sprint(who, ":", i), value(who, i))
			put(t, a, fmt.Sprint("shared:", i), value(0, i))
			has(t, a, fmt.Sprint("shared:", i), value(0, i))
			fmt.Println("put", i)
		}
		if s := n.String(); s != "" {
			t.Error(s)
		}
		return
	}
	path := place(t)
	r := rand.New(rand.NewPCG(3, 4))
	var wg sync.WaitGroup
	for who := 1; who <= 6; who++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProcesses$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d:%s", child, who, path))
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		after := r.IntN(150)
		wg.Go(func() {
			var said bytes.Buffer
			if who <= 4 {
				for b := make([]byte, 64); bytes.Count(said.Bytes(), []byte("put")) < after; {
					n, err := out.Read(b)
					said.Write(b[:n])
					if err != nil {
						t.Errorf("process %d ended early: %s", who, said.String())
						break
					}
				}
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				return
			}
			if _, err := io.Copy(&said, out); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("process %d: %v\n%s", who, err, said.String())
			}
		})
	}
	wg.Wait()
	a, n := open(t, path, Options{MaxBytes: 4 << 20})
	found := 0
	for who := range 7 {
		for i := range 400 {
			key := fmt.Sprint(who, ":", i)
			if who == 0 {
				key = fmt.Sprint("shared:", i)
			}
			v, ok, err := a.Get(t.Context(), key)
			if err != nil || ok && string(v) != value(who, i) {
				t.Fatalf("%s: %.60q, %v", key, v, err)
			}
			if ok {
				found++
			}
		}
	}
	info, err := a.Info(t.Context())
	if err != nil || info.Answers != int64(found) || found < 400 || n.String() != "" {
		t.Errorf("%d found of %+v, %v, %s", found, info, err, n)
	}
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var sound string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&sound); err != nil || sound != "ok" {
		t.Errorf("%s, %v", sound, err)
	}
}

// FuzzFile changes bytes of a database and of its log: whatever they are, what is
// got is what was put, and the store goes on.
func FuzzFile(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "answers.db")
	a, err := Open(context.Background(), path, Options{})
	if err != nil {
		f.Fatal(err)
	}
	value := func(i int) string { return fmt.Sprint(i, strings.Repeat(" value", 100*i)) }
	for i := range 12 {
		put(f, a, fmt.Sprint("key ", i), value(i))
	}
	var files [2][]byte
	for i, suffix := range []string{"", "-wal"} {
		if files[i], err = os.ReadFile(path + suffix); err != nil {
			f.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), uint8(0), []byte("no header"), false)
	f.Add(uint32(100), uint8(0), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, false)
	f.Add(uint32(40), uint8(1), []byte{0, 0, 0, 0}, false)
	f.Add(uint32(5000), uint8(1), []byte{255}, true)
	f.Add(uint32(20), uint8(0), []byte{1, 1}, true)
	f.Fuzz(func(t *testing.T, at uint32, which uint8, b []byte, cut bool) {
		path := place(t)
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		for i, suffix := range []string{"", "-wal"} {
			content := bytes.Clone(files[i])
			if int(which)%2 == i && len(content) > 0 {
				off := int(at) % len(content)
				n := copy(content[off:], b)
				if cut {
					content = content[:off+n]
				}
			}
			if err := os.WriteFile(path+suffix, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		a, err := Open(t.Context(), path, Options{})
		if err != nil {
			if !strings.Contains(err.Error(), "made by another") {
				t.Error(err)
			}
			if _, err := Clear(t.Context(), path); err != nil {
				t.Error(err)
			}
			return
		}
		defer a.Close()
		for i := range 12 {
			v, ok, err := a.Get(t.Context(), fmt.Sprint("key ", i))
			if err != nil || ok && string(v) != value(i) {
				t.Fatalf("key %d: %.50q, %v", i, v, err)
			}
		}
		for i := range 12 {
			put(t, a, fmt.Sprint("key ", i), value(i))
		}
		for i := range 12 {
			has(t, a, fmt.Sprint("key ", i), value(i))
		}
	})
}
