// Package stdio reads standard input and named files, so that a signal ends the wait for them.
// It knows which standard streams were closed when the program started: on Unix Go's runtime
// opens the null device in their place before any Go code runs, so that output to them would be
// lost without an error.
package stdio

import (
	"errors"
	"os"
)

// ErrClosed is the error of a stream that was closed when the program started.
var ErrClosed = errors.New("the stream was closed when the program started")

// Check returns ErrClosed for a standard stream that was closed when the program started,
// and nil for every other stream.
func Check(stream any) error {
	for fd, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		if stream == f && wasClosed(fd) {
			return ErrClosed
		}
	}
	return nil
}
