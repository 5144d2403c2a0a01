package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"crscore/internal/journal"
	"crscore/internal/system"
)

// disk is the file system that a run uses. The tests have a disk that fails, and a disk that
// forgets what was not synced.
type disk interface {
	// Mkdir makes a directory.
	Mkdir(dir string) error
	// IsDir returns an error for anything but a directory.
	IsDir(dir string) error
	// List returns the sorted names in a directory.
	List(dir string) ([]string, error)
	// Open opens a file at its start.
	Open(name string, mode openMode) (journal.Disk, error)
	// Rename replaces a file.
	Rename(from, to string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// SyncDir makes the names in a directory safe from a crash.
	SyncDir(dir string) error
	// Lock locks a file for this process. It fails if another process has the lock.
	Lock(name string) (unlock func() error, err error)
	// RemoveLock frees a lock and removes its file.
	RemoveLock(name string, unlock func() error) error
}

// openMode is the first argument of open(2).
type openMode int

const (
	toRead  = openMode(os.O_RDONLY)
	toWrite = openMode(os.O_RDWR)
	toMake  = openMode(os.O_RDWR | os.O_CREATE) // if it does not exist
)

// openFile opens a file of a run directory.
func openFile(d disk, dir, name string, mode openMode) (*journal.File, error) {
	f, err := d.Open(filepath.Join(dir, name), mode)
	return &journal.File{Name: name, Disk: f}, err
}

// osDisk is the file system of the operating system.
type osDisk struct{}

// Mkdir makes a directory with the usual permissions.
func (osDisk) Mkdir(dir string) error { return os.Mkdir(dir, 0o777) }

// IsDir returns an error for anything but a directory.
func (osDisk) IsDir(dir string) error {
	st, err := os.Stat(dir)
	if err == nil && !st.IsDir() {
		err = errors.New("it is a file: name a directory, which may be a new one")
	}
	return err
}

// List returns the sorted names in a directory.
func (osDisk) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	slices.Sort(names)
	return names, err
}

// Open opens a regular file.
func (osDisk) Open(name string, mode openMode) (journal.Disk, error) {
	if err := regular(name); err != nil {
		return nil, err
	}
	f, err := system.Open(name, int(mode))
	if err != nil {
		return nil, err // no file in an interface
	}
	return f, nil
}

// regular refuses what is there and is no file of a run: to open a pipe would wait for its
// other end, and a link may lead out of the directory, to a file that would be cut.
func regular(name string) error {
	if st, err := os.Lstat(name); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file (a link is none): remove or %s", name, cure)
	}
	return nil
}

// Rename replaces a file.
func (osDisk) Rename(from, to string) error { return system.Rename(from, to) }

// Remove removes a file or an empty directory.
func (osDisk) Remove(name string) error { return os.Remove(name) }

// SyncDir syncs a directory, where the system can.
func (osDisk) SyncDir(dir string) error { return system.SyncDir(dir) }

// ErrLocked is the error of a second process on a run directory.
var ErrLocked = errors.New("another process works on it: wait for its end, or name another directory")

// Lock locks a file with flock.
func (osDisk) Lock(name string) (func() error, error) {
	if err := regular(name); err != nil {
		return nil, err
	}
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(fs.FileMode(0o666)))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking: %w", err)
	}
	if !ok {
		return nil, errors.Join(ErrLocked, l.Close())
	}
	return l.Close, nil
}

// RemoveLock frees a lock and removes its file.
func (osDisk) RemoveLock(name string, unlock func() error) error {
	return system.RemoveLock(name, unlock)
}
