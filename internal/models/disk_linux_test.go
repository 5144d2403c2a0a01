package models

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"crscore/internal/models/hubtest"
)

// mount mounts a small file system in memory at a new folder, or skips the test.
func mount(t *testing.T, options string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestPullFullDisk(t *testing.T) {
	h := newHub(t, nil)
	dir := mount(t, "size=128k")
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint("")))
	if err == nil || !strings.Contains(err.Error(), "the disk is full: ") || !strings.Contains(err.Error(), "no space left on device; make room, or choose another folder with --dir or $CRSCORE_MODELS") || Permanent(err) {
		t.Fatal(err)
	}
	if left := tree(t, dir); len(left) > 0 {
		t.Errorf("left behind on a full disk: %q", left)
	}
	// With more room the same command succeeds.
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	m, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint("")))
	if err != nil {
		t.Fatal(err)
	}
	whole(t, s, m, hubtest.Files(testONNX))
}

func TestPullReadOnly(t *testing.T) {
	h := newHub(t, nil)
	dir := mount(t, "size=1m")
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint(""))); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	// What is there can be used, and pulled again.
	if _, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint(""))); err != nil {
		t.Error(err)
	}
	if m, err := s.Find(testName); err != nil || !intact(t, m) {
		t.Errorf("%v, %v", m.Err, err)
	}
	o := quick(h.Endpoint(""))
	o.File = "onnx/model_quantized.onnx"
	_, err = s.Pull(t.Context(), ID{Name: testName}, o)
	if err == nil || !strings.Contains(err.Error(), "cannot be written: ") || !strings.Contains(err.Error(), "read-only file system; choose another with --dir") {
		t.Error(err)
	}
	if _, err := s.Remove(t.Context(), ID{Name: testName}); err == nil || !strings.Contains(err.Error(), "read-only file system") {
		t.Error(err)
	}
}

// TestPullNoFolder has a file where the store should be.
func TestPullNoFolder(t *testing.T) {
	h := newHub(t, nil)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "models"), "/proc/none"} {
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint(""))); err == nil || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
