//go:build unix

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

func wasClosed(fd int) bool { return C.was_closed(C.int(fd)) != 0 }
