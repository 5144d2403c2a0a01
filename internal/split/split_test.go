package split

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// source is a dataset of a text.
func source(text string) Source {
	return Source{Name: "data/reviews.jsonl", Open: func() (io.Reader, error) {
		return dataset.OpenText(dataset.Source{Name: "reviews.jsonl", Text: strings.NewReader(text)})
	}}
}

// texts are the parts of a directory, unpacked.
func texts(t *testing.T, dir string, m *Manifest) []string {
	t.Helper()
	var out []string
	for _, p := range m.Parts {
		b, err := os.ReadFile(filepath.Join(dir, p.File))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return out
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// cutAndCheck cuts a text, and holds the parts against it.
func cutAndCheck(t *testing.T, text string, n int) []string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "parts")
	made, cut, err := Cut(t.Context(), source(text), n, dir)
	plain := strings.TrimPrefix(text, "\ufeff")
	if plain == "" {
		if err == nil || !strings.Contains(err.Error(), "nothing to split") {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("a folder was made for nothing")
		}
		return nil
	}
	if err != nil || !cut {
		t.Fatal(cut, err)
	}
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(*m), fmt.Sprint(*made); got != want {
		t.Errorf("read as %s, made as %s", got, want)
	}
	parts := texts(t, dir, m)
	if len(parts) != n || strings.Join(parts, "") != plain || m.SHA256 != sum(plain) || m.Bytes != int64(len(plain)) {
		t.Fatalf("%q became %q", plain, parts)
	}
	before, lines := "", 0
	for i, part := range parts {
		p := m.Parts[i]
		if i < n-1 && part != "" && !strings.HasSuffix(part, "\n") && strings.Join(parts[i+1:], "") != "" {
			t.Errorf("%q of %q ends inside a line", part, text)
		}
		number := strings.Count(part, "\n")
		if part != "" && !strings.HasSuffix(part, "\n") {
			number++
		}
		if p.Lines != number || p.First != lines+1 || p.SHA256 != sum(part) || p.Bytes != int64(len(part)) {
			t.Errorf("part %d of %q: %+v", i+1, parts, p)
		}
		lines += number
		before += part
		if err := m.Verify(dir, i+1); err != nil {
			t.Error(err)
		}
		readPart(t, m, dir, i+1, before)
	}
	if m.Lines != lines {
		t.Errorf("%d lines of %d", m.Lines, lines)
	}
	full := min(n, lines)
	for i, part := range parts {
		if (part == "") != (i >= full) {
			t.Errorf("%d lines in %d parts: %q", lines, n, parts)
		}
	}
	return parts
}

// readPart reads a part. A reader has the line and the checksum of the whole text up to there,
// which is before.
func readPart(t *testing.T, m *Manifest, dir string, number int, before string) {
	t.Helper()
	p := m.Parts[number-1]
	f, err := os.Open(filepath.Join(dir, p.File))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := dataset.Open(dataset.Source{Name: p.File, Text: f}, dataset.Options{Start: m.Start(number)})
	if err != nil {
		t.Fatal(err)
	}
	r.KeepSum()
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil && !errors.As(err, new(*dataset.LineError)) {
			t.Fatal(err)
		}
	}
	if err := m.Check(number, r.Lines(), r.Sum()); err != nil || r.Sum() != sum(before) || r.Lines() != p.Last() {
		t.Errorf("part %d: line %d, checksum %s: %v", number, r.Lines(), r.Sum(), err)
	}
	if m.Check(number, p.Last()+1, r.Sum()) == nil || m.Check(number, p.Last(), sum(before+"x")) == nil {
		t.Errorf("part %d: another text is taken for it", number)
	}
}

// TestCut cuts texts of every kind.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil}, {"\ufeff", nil},
		{"a\n", []string{"a\n"}},
		{"a\nb\nc\nd\n", []string{"a\nb\n", "c\nd\n"}},
		{"a\nb\nc\nd\n", []string{"a\n", "b\n", "c\n", "d\n"}},
		{"a\nb", []string{"a\n", "b", "", ""}},
		{"\ufeffa\r\nb\r\n", []string{"a\r\n", "b\r\n"}},
		{"\ufeff\ufeffa\n\ufeffb\n", []string{"\ufeffa\n", "\ufeffb\n"}},
		{"\n\n\n", []string{"\n", "\n", "\n", ""}},
		{"a\n\nb\n", []string{"a\n", "\n", "b\n"}},
		{strings.Repeat("x", 1<<17) + "\nb\nc\n", []string{strings.Repeat("x", 1<<17) + "\n", "b\n", "c\n"}},
		{"b\nc\n" + strings.Repeat("x", 1<<17), []string{"b\n", "c\n", strings.Repeat("x", 1<<17)}},
		{"\x1f\x00\nb\n", []string{"\x1f\x00\n", "b\n"}},
	} {
		if got := cutAndCheck(t, c.text, max(len(c.want), 1)); fmt.Sprint(got) != fmt.Sprint(c.want) && c.want != nil {
			t.Errorf("%.100q became %.100q", c.text, got)
		}
	}
}

// TestCutEvenly has parts of about equal sizes.
func TestCutEvenly(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, `{"id":"%d","diff":"%s"}`+"\n", i, strings.Repeat("+", i*7919%300))
	}
	for _, n := range []int{1, 2, 7, 100} {
		share := text.Len() / n
		for i, part := range cutAndCheck(t, text.String(), n) {
			if diff := len(part) - share; max(diff, -diff) > 350 {
				t.Errorf("part %d of %d has %d bytes, and a share is %d", i+1, n, len(part), share)
			}
		}
	}
}

// FuzzCut joins parts of any text.
func FuzzCut(f *testing.F) {
	for _, text := range []string{"a\nb\n", "\ufeffa\r\n\r\nb", strings.Repeat("line\n", 50), "\n", "\x1f\x8b", "PAR1"} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 1 || n > 50 {
			n = 1 + max(n, -n, 0)%50
		}
		if in, err := source(text).Open(); err != nil {
			t.Skip() // not JSON Lines
		} else if b, err := io.ReadAll(in); err != nil || strings.TrimPrefix(text, "\ufeff") != string(b) {
			t.Skip() // packed
		}
		cutAndCheck(t, text, n)
	})
}

// manifest makes a split, and returns its split.json.
func manifest(t testing.TB) []byte {
	dir := filepath.Join(t.TempDir(), "parts")
	if _, _, err := Cut(context.Background(), source("a\nb\nc\n"), 2, dir); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// FuzzParse reads any manifest; one that is accepted has parts with a start each.
func FuzzParse(f *testing.F) {
	f.Add(manifest(f))
	f.Add([]byte(`{"crscore_split":2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parse(text)
		if err != nil {
			return
		}
		for i := range m.Parts {
			if _, err := dataset.Open(dataset.Source{Text: strings.NewReader("")}, dataset.Options{Start: m.Start(i + 1)}); err != nil {
				t.Error(err)
			}
			_ = m.Check(i+1, 0, "")
		}
	})
}

// TestParse refuses manifests that were changed.
func TestParse(t *testing.T) {
	good := manifest(t)
	if _, err := parse(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"crscore_split": 1`, `"crscore_split": 2`, "of version 2"},
		{`"crscore_split": 1`, `"split": 1`, `"crscore_split" is missing`},
		{`"name"`, `"title"`, "unknown field"},
		{`part-001-of-002`, `../../etc`, `the file of part 1 is "../../etc.jsonl.gz"`},
		{`"first": 1`, `"first": 0`, "the lines of part 1 do not follow"},
		{`"lines": 1`, `"lines": 9`, "do not follow"},
		{`"lines": 3`, `"lines": 4`, "its parts have 3 lines"},
		{`"bytes": 6`, `"bytes": 7`, "6 bytes of"},
		{`"before": "`, `"before": "AAAA`, "the state of a checksum"},
	} {
		if !bytes.Contains(good, []byte(c.old)) {
			t.Fatalf("%s has no %s", good, c.old)
		}
		_, err := parse(bytes.Replace(good, []byte(c.old), []byte(c.new), 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v", c.new, c.old, err)
		}
	}
	m := Manifest{Version: Version}
	for _, parts := range []int{0, limits.Parts + 1} {
		m.Parts = make([]Part, parts)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parse(b); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("it has %d parts", parts)) {
			t.Error(err)
		}
	}
	if _, err := parse(make([]byte, limits.SplitBytes+1)); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Error(err)
	}
}

// TestDirectory has all that a directory may hold before.
func TestDirectory(t *testing.T) {
	const text = "a\nb\nc\n"
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := func(part string, n int, text string) {
		t.Helper()
		made, cut, err := Cut(t.Context(), source(text), n, dir)
		if part == "" && err == nil && cut && strings.Join(texts(t, dir, made), "") == text {
			return
		}
		if part == "" || err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v (%v), not %q", err, cut, part)
		}
	}
	list := func() (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	for _, name := range []string{"mine.txt", "part-001-of-002.jsonl.gz", "part-1-of-2.jsonl.gz.new", "x.new"} {
		put(name, "mine")
		want("is not empty (it has "+name+")", 2, text)
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != "mine" || len(list()) != 1 {
			t.Error("a refused directory was changed", list())
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	// Left by a process that was killed, with other parts.
	for _, name := range []string{"lock", "part-001-of-003.jsonl.gz", "part-002-of-003.jsonl.gz.new", "split.json.new"} {
		put(name, "torn")
	}
	want("", 2, text)
	if got := fmt.Sprint(list()); got != "[part-001-of-002.jsonl.gz part-002-of-002.jsonl.gz split.json]" {
		t.Error(got)
	}
	if m, cut, err := Cut(t.Context(), source(text), 2, dir); err != nil || cut || m.Lines != 3 {
		t.Error("the same once more:", cut, err)
	}
	want("has the 2 parts of reviews.jsonl already", 3, text)
	want("has the 2 parts of reviews.jsonl already", 2, text+"d\n")

	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, m.Parts[0].File))
	if err != nil {
		t.Fatal(err)
	}
	put(m.Parts[0].File, string(whole[:len(whole)-1]))
	if err := m.Verify(dir, 1); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if err := os.Rename(filepath.Join(dir, m.Parts[1].File), filepath.Join(dir, m.Parts[0].File)); err != nil {
		t.Fatal(err)
	}
	if err := m.Verify(dir, 1); err == nil || !strings.Contains(err.Error(), "part-001-of-002.jsonl.gz is not the part that split.json describes") {
		t.Error(err)
	}
	want("part-002-of-002.jsonl.gz is missing", 2, text)
}

// TestLocked has one process at a time.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	lock := flock.New(filepath.Join(dir, lockName))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, _, err := Cut(t.Context(), source("a\nb\n"), 2, dir); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a line\n", 10_000)
	made := make(chan bool)
	for range 8 {
		go func() {
			_, cut, err := Cut(context.Background(), source(text), 5, dir)
			if err != nil && !errors.Is(err, ErrLocked) {
				t.Error(err)
			}
			made <- cut
		}()
	}
	n := 0
	for range 8 {
		if <-made {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d processes made the parts", n)
	}
	m, cut, err := Cut(t.Context(), source(text), 5, dir)
	if err != nil || cut || strings.Join(texts(t, dir, m), "") != text {
		t.Error(cut, err)
	}
}

// TestDir tells folders and parts by their names.
func TestDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "parts")
	if _, _, err := Cut(t.Context(), source("a\nb\n"), 2, dir); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	for name, want := range map[string]string{dir: dir, filepath.Join(dir, ManifestName): dir, other: "", filepath.Join(other, ManifestName): "", "-": "",
		filepath.Join(dir, "part-001-of-002.jsonl.gz"): ""} {
		if got := Dir(name); got != want {
			t.Errorf("%s is in %q", name, got)
		}
	}
	for name, want := range map[string]string{"part-002-of-002.jsonl.gz": "2/2", "part-2-of-2.jsonl.gz": "", "x.jsonl": "", "part-002-of-002.jsonl": ""} {
		got, shard := DirOf(filepath.Join(dir, name))
		if shard != want || (got == dir) != (want != "") {
			t.Errorf("%s is shard %q of %q", name, shard, got)
		}
	}
	if got, shard := DirOf(filepath.Join(other, "part-002-of-002.jsonl.gz")); got != "" || shard != "" {
		t.Error(got, shard)
	}
}

// TestCutFails leaves nothing behind where reading fails.
func TestCutFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "parts")
	n := 0
	changing := Source{Name: "x.jsonl", Open: func() (io.Reader, error) {
		n++
		return strings.NewReader(strings.Repeat("line\n", n)), nil
	}}
	if _, _, err := Cut(t.Context(), changing, 3, dir); err == nil || !strings.Contains(err.Error(), "x.jsonl has changed while it was read") {
		t.Error(err)
	}
	broken := Source{Name: "x.jsonl", Open: func() (io.Reader, error) {
		return io.MultiReader(strings.NewReader("a\nb\n"), brokenReader{}), nil
	}}
	if _, _, err := Cut(t.Context(), broken, 3, dir); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	second := false
	stopped := Source{Name: "x.jsonl", Open: func() (io.Reader, error) {
		if second {
			stop()
		}
		second = true
		return strings.NewReader("a\nb\n"), nil
	}}
	if _, _, err := Cut(ctx, stopped, 3, dir); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory is still there")
	}
	for _, parts := range []int{-1, 0, limits.Parts + 1} {
		if _, _, err := Cut(t.Context(), source("a\n"), parts, dir); err == nil {
			t.Error(parts)
		}
	}
	if _, _, err := Cut(t.Context(), source("a\n"), 1, filepath.Join(dir, "deep")); err == nil {
		t.Error("folders above were made")
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
