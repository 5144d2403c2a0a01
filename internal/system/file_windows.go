package system

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

const (
	noFollow = windows.FILE_FLAG_OPEN_REPARSE_POINT
	noWait   = 0
)

// Full reports whether an error means that the disk is full.
func Full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED) || errors.Is(err, syscall.ENOSPC)
}

// Writable returns an error if this process may not write to a file, or may not make files
// in a folder. It changes nothing.
func Writable(path string) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	// For a folder the same right means that files can be added.
	h, err := windows.CreateFile(name, windows.FILE_WRITE_DATA,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	return windows.CloseHandle(h)
}

// SyncDir makes the names in a folder safe from a crash, where the system can. Windows
// cannot; its file system keeps a journal of names.
func SyncDir(string) error { return nil }

// RemoveLock frees a lock and removes its file. A file that cannot be removed is left: it
// harms nothing. Windows removes no file that a process has open, be it this one or another
// that has the lock by now.
func RemoveLock(name string, unlock func() error) error {
	err := unlock()
	_ = os.Remove(name)
	return err
}

// inUse is how long a file may be open elsewhere before a rename gives up.
const inUse = 2 * time.Second

// patiently tries for some time. Windows renames nothing, and no folder of files, that another
// program has open, as virus scanners and indexers do for a moment.
func patiently(rename func() error) error {
	err := rename()
	for wait := time.Millisecond; busy(err) && wait < inUse; wait *= 2 {
		time.Sleep(wait)
		err = rename()
	}
	if busy(err) {
		return errors.Join(err, errors.New("another program may have the file open: close it, and try again"))
	}
	return err
}

func busy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
