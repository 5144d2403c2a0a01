package cli

/*
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { least = 2000 }; // MB

// With a smaller limit Go's runtime dies before main, or soon after, and prints its threads. The
// C library runs this before.
__attribute__((constructor)) static void look(void) {
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return;
	if (limit.rlim_cur < least * 1000000ULL) {
		dprintf(2, "crscore: the limit of address space is %llu MB, and crscore needs %d MB. Raise it (ulimit -v), or limit the memory with a container.\n",
			(unsigned long long)limit.rlim_cur / 1000000, least);
		_exit(2); // exitUsage
	}
#ifdef M_ARENA_MAX
	// glibc reserves 64 MB for each thread otherwise: what is needed would depend on the processors.
	mallopt(M_ARENA_MAX, 1);
#endif
}
*/
import "C"
