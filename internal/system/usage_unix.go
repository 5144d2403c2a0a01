//go:build unix

package system

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// CPUTime returns the time that this process has worked, however busy the machine is.
func CPUTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// PeakMemory returns the largest memory of a process that has ended, in bytes. It is 0 on a
// system that does not tell.
func PeakMemory(ended *os.ProcessState) int64 {
	usage, ok := ended.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
