package system

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// CPUTime returns the time that this process has worked, however busy the machine is.
func CPUTime() (time.Duration, error) {
	var made, ended, kernel, user windows.Filetime
	err := windows.GetProcessTimes(windows.CurrentProcess(), &made, &ended, &kernel, &user)
	units := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(units(kernel)+units(user)) * 100, err
}

// PeakMemory returns the largest memory of a process that has ended, in bytes. It is 0 on a
// system that does not tell.
func PeakMemory(*os.ProcessState) int64 { return 0 }
