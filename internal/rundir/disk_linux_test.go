package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk fills a small file system, makes room and goes on.
func TestFullDisk(t *testing.T) {
	mount := t.TempDir()
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(mount, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	in := sample(200, false)
	for i := range in.changes {
		in.changes[i].Rows = []byte(strings.Repeat("x", 1000) + "\n")
	}
	run := func(dir string) (found int, err error) {
		r, err := Open(dir, withMatrices(), nil)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		for _, c := range in.changes {
			done, err := r.Done(c.Place)
			if err == nil && !done {
				err = r.Add(c)
			}
			if err != nil {
				return r.Changes(), err
			}
		}
		return r.Changes(), r.Finish(in.end)
	}
	dir := filepath.Join(mount, "run")
	if _, err := run(dir); err == nil || !strings.Contains(err.Error(), "the disk is full: ") || !strings.Contains(err.Error(), "what is finished is safe: make room and start the run again") {
		t.Fatal(err)
	}
	if _, err := run(dir); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal("it went on with no room:", err)
	}
	if err := syscall.Mount("tmpfs", mount, "tmpfs", syscall.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	found, err := run(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d changes were finished when the disk was full", found)
	want := filepath.Join(t.TempDir(), "run")
	if _, err := run(want); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ManifestName, ScoresName, MatricesName, journalName} {
		a, err1 := os.ReadFile(filepath.Join(dir, name))
		b, err2 := os.ReadFile(filepath.Join(want, name))
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s is not that of a run with room: %v, %v", name, err1, err2)
		}
	}
	if err := syscall.Mount("tmpfs", mount, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := run(dir); !errors.Is(err, syscall.EROFS) {
		t.Error("a run was opened to write that cannot be written:", err)
	}
	if p, err := OpenParts(dir); err != nil {
		t.Error("it cannot be read either:", err)
	} else if err := p.Close(); err != nil {
		t.Error(err)
	}
}
