package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"github.com/gofrs/flock"
)

// disk is what a run needs of a file system. The tests have one that fails, and
// that forgets what was not synced.
type disk interface {
	Mkdir(dir string) error
	IsDir(dir string) error
	// List returns the sorted names of what is in a directory.
	List(dir string) ([]string, error)
	// Open opens a file at its start: to read, to write, or to write a new one.
	Open(name string, how how) (file, error)
	Rename(from, to string) error
	// SyncDir makes names safe that were given or taken in a directory.
	SyncDir(dir string) error
	// Lock locks a file for this process, or says that another one has it.
	Lock(name string) (unlock func() error, err error)
}

type how int

const (
	toRead  = how(os.O_RDONLY)
	toWrite = how(os.O_RDWR)
	toMake  = how(os.O_RDWR | os.O_CREATE) // if it is not there
)

// file is a file of a disk. A Write appends: it is only used at the end.
type file interface {
	io.ReadWriteSeeker
	Truncate(size int64) error
	Sync() error
	Close() error
}

type osDisk struct{}

func (osDisk) Mkdir(dir string) error { return os.Mkdir(dir, 0o777) }

func (osDisk) IsDir(dir string) error {
	st, err := os.Stat(dir)
	if err == nil && !st.IsDir() {
		err = errors.New("it is a file: name a directory, which may be a new one")
	}
	return err
}

func (osDisk) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	slices.Sort(names)
	return names, err
}

func (osDisk) Open(name string, how how) (file, error) {
	f, err := os.OpenFile(name, int(how), 0o666)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) SyncDir(dir string) error {
	if runtime.GOOS == "windows" { // directories cannot be synced there
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// errLocked is what a second process is told.
var errLocked = errors.New("another process works on it: wait for its end, or name another directory")

func (osDisk) Lock(name string) (func() error, error) {
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(fs.FileMode(0o666)))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking: %w", err)
	}
	if !ok {
		return nil, errors.Join(errLocked, l.Close())
	}
	return l.Close, nil
}
