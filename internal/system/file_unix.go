//go:build unix

package system

import (
	"errors"
	"os"
	"syscall"
)

const (
	noFollow = syscall.O_NOFOLLOW
	noWait   = syscall.O_NONBLOCK
)

// Full reports whether an error means that the disk is full.
func Full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// Writable returns an error if this process may not write to a file, or may not make files
// in a folder. It changes nothing.
func Writable(path string) error {
	const writable, searchable = 2, 1
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	mode := uint32(writable)
	if st.IsDir() {
		mode |= searchable
	}
	return syscall.Access(path, mode)
}

// SyncDir makes the names in a folder safe from a crash, where the system can.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// RemoveLock frees a lock and removes its file. A file that cannot be removed is left: it
// harms nothing. The file goes before another process can lock it.
func RemoveLock(name string, unlock func() error) error {
	_ = os.Remove(name)
	return unlock()
}

func patiently(rename func() error) error { return rename() }
