// Package stdio knows which standard streams were closed when the program started. Go's
// runtime opens the null device in their place before any Go code runs, so that output to
// them would be lost without an error.
package stdio

/*
#include <errno.h>
#include <fcntl.h>

static int closed[3];

// The C library runs this before Go's runtime starts.
__attribute__((constructor)) static void look(void) {
	for (int fd = 0; fd < 3; fd++)
		closed[fd] = fcntl(fd, F_GETFD) == -1 && errno == EBADF;
}

static int was_closed(int fd) { return closed[fd]; }
*/
import "C"

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
		if stream == f && C.was_closed(C.int(fd)) != 0 {
			return ErrClosed
		}
	}
	return nil
}
