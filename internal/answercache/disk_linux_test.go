package answercache

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDisk fills a disk, and then makes it read-only.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(dir, "cache", "answers.db")
	a, n := open(t, path, Options{})
	put(t, a, "first", "value")
	var full error
	for i := 0; full == nil && i < 100; i++ {
		full = a.Put(t.Context(), strings.Repeat("x", i), []byte(strings.Repeat("value ", 2000)))
	}
	if full == nil || !strings.HasPrefix(full.Error(), "the cache: writing: ") {
		t.Error(full)
	}
	has(t, a, "first", "value")
	if err := a.Close(); err != nil || n.String() != "" {
		t.Error(err, n)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "new", "answers.db"), Options{}); err == nil || !strings.Contains(err.Error(), "read-only file system") {
		t.Error(err)
	}
	a, n = open(t, path, Options{})
	has(t, a, "first", "value")
	if err := a.Put(t.Context(), "key", []byte("value")); err == nil {
		t.Error("written to a read-only disk")
	}
	if s := n.String(); !strings.HasSuffix(s, "cannot be written: what is there is used, and nothing is added") {
		t.Errorf("said: %q", s)
	}
}
