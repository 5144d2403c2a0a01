package models

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"crscore/internal/system"
)

// TestLockIsPipe holds that a pipe in the place of the lock is not waited for.
func TestLockIsPipe(t *testing.T) {
	s := &Store{Dir: t.TempDir()}
	id := ID{Name: "a/b", Revision: "main"}
	folder := filepath.Join(s.Dir, pulling)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("mkfifo", filepath.Join(folder, id.folder()+".lock")).Run(); err != nil {
		t.Skip(err)
	}
	if _, err := s.lock(t.Context(), id, func(string) {}); !errors.Is(err, system.ErrNotRegular) {
		t.Error(err)
	}
}
