// Package system holds the differences between operating systems: processes that end together,
// files, terminals. Each function says what it promises everywhere; how it is done stands in a
// file by system.
//
// Nothing about reviews, changes or tools may come in, and no test of runtime.GOOS may stand
// elsewhere where a function of this package can take its place.
package system

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Errors of OpenRegular.
var (
	ErrLink       = errors.New("it is a link, which is not followed")
	ErrNotRegular = errors.New("it is not a regular file")
)

// OpenRegular opens a regular file for reading. It does not follow a link, which could lead
// to a secret, and does not wait for a pipe.
func OpenRegular(path string) (*os.File, error) {
	f, err := Open(path, os.O_RDONLY|noFollow)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s: %w", path, ErrLink)
	}
	return f, err
}

// Open opens a regular file with the flags of os.OpenFile. It does not wait for a pipe.
func Open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|noWait, 0o666)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	switch {
	case err != nil:
	case st.Mode()&os.ModeSymlink != 0:
		err = fmt.Errorf("%s: %w", path, ErrLink)
	case !st.Mode().IsRegular():
		err = fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// CheckRegular refuses a name of anything but a regular file, before something opens it that would
// wait for a pipe. Nothing may have the name.
func CheckRegular(path string) error {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", path, ErrNotRegular)
	}
	return nil
}

// Rename renames a file. It replaces a file of that name.
func Rename(from, to string) error {
	return patiently(func() error { return os.Rename(from, to) })
}

// RenameIn renames a file or a folder below a root. It replaces a file of that name.
func RenameIn(root *os.Root, from, to string) error {
	return patiently(func() error { return root.Rename(from, to) })
}

// IsFolder reports whether a name is that of a folder, or of a link to one.
func IsFolder(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}
