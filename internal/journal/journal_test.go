package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestReader reads records and lines, whole and cut.
func TestReader(t *testing.T) {
	r := NewReader(strings.NewReader("abcdef\nlong"+strings.Repeat("x", buffer)), 10)
	if b, err := r.Take(2); string(b) != "ab" || err != nil || r.Offset() != 12 {
		t.Errorf("%q, %v at %d", b, err, r.Offset())
	}
	if b, err := r.More(2); string(b) != "abcd" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if b, whole, err := r.Line(); string(b) != "ef\n" || !whole || err != nil {
		t.Errorf("%q, %v, %v", b, whole, err)
	}
	if err := r.End(); !errors.Is(err, ErrBehind) {
		t.Error(err)
	}
	for _, want := range []int{buffer, 3} { // in pieces
		if b, whole, err := r.Line(); len(b) != want || whole || err != nil {
			t.Errorf("%d bytes, %v, %v", len(b), whole, err)
		}
	}
	if _, _, err := r.Line(); !errors.Is(err, io.EOF) || !errors.Is(r.End(), io.EOF) {
		t.Error(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := NewReader(strings.NewReader("short"), 0).Take(1 << 40)
	if runtime.ReadMemStats(&after); !errors.Is(err, ErrTruncated) || after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%v, and %d bytes for a length that is not there", err, after.TotalAlloc-before.TotalAlloc)
	}
}

// TestFile cuts what is torn, and appends in its place.
func TestFile(t *testing.T) {
	disk, err := os.OpenFile(filepath.Join(t.TempDir(), "x"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	f := &File{Name: "x", Disk: disk}
	for _, step := range []struct {
		cut         int64
		write, want string
	}{{9, "one torn", "one torn"}, {4, "two", "one two"}, {7, "", "one two"}, {0, "new", "new"}} {
		cutting := f.Cut(step.cut)
		_, writing := f.Write([]byte(step.write))
		got, reading := io.ReadAll(f.Section(100))
		if err := errors.Join(cutting, writing, reading, f.Sync()); string(got) != step.want || err != nil {
			t.Errorf("%q, not %q: %v", got, step.want, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Size(); err == nil || !strings.HasPrefix(err.Error(), "x: ") {
		t.Errorf("an error without the name: %v", err)
	}
}
