package rundir

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// aim is a call of a program that is killed there: the nth write, fsync or ftruncate of
// a file, before it, in its middle or after it.
type aim struct {
	call  string // "write scores.jsonl"
	n     int
	phase string // before, half, after
}

func (a aim) String() string { return a.phase + " " + a.call }

// killAt runs a command under ptrace and kills it at an aim; hit reports whether it came
// to that, and else code is how the command ended.
func killAt(cmd *exec.Cmd, a aim) (hit bool, code int, err error) {
	runtime.LockOSThread() // a traced process obeys one thread only
	defer runtime.UnlockOSThread()
	// A group of its own tells its threads from the processes of other tests, which this
	// thread may have started, too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return false, 0, err
	}
	pid := cmd.Process.Pid
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &ws, 0, nil); err != nil {
		return false, 0, err
	}
	const exitKill = 0x100000
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACESYSGOOD|exitKill); err != nil {
		return false, 0, err
	}
	inside := map[int]bool{} // threads in a call
	var aimed int            // thread in the call that is aimed at
	count := 0
	kill := func() {
		hit = true
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for tid := pid; ; {
		sig := 0
		switch stop := ws.StopSignal(); {
		case ws.Exited() || ws.Signaled():
			if tid == pid {
				_ = cmd.Wait() // the output is whole
				return hit, ws.ExitStatus(), nil
			}
			delete(inside, tid)
		case stop == syscall.SIGTRAP|0x80:
			if inside[tid] = !inside[tid]; !inside[tid] {
				if tid == aimed && !hit {
					kill()
				}
				break
			}
			var regs syscall.PtraceRegs
			if hit || aimed != 0 || syscall.PtraceGetRegs(tid, &regs) != nil || named(pid, &regs) != a.call {
				break
			}
			if count++; count != a.n {
				break
			}
			switch aimed = tid; a.phase {
			case "before":
				kill()
			case "half":
				regs.Rdx /= 2
				if err := syscall.PtraceSetRegs(tid, &regs); err != nil {
					return false, 0, err
				}
			}
		case stop == syscall.SIGTRAP || stop == syscall.SIGSTOP: // a new thread
		default:
			sig = int(stop)
		}
		if ws.Stopped() {
			_ = syscall.PtraceSyscall(tid, sig) // it may be gone
		}
		if tid, err = syscall.Wait4(-pid, &ws, syscall.WALL, nil); err != nil {
			return hit, 0, fmt.Errorf("waiting for a traced process: %w", err)
		}
	}
}

// named is a call with the file's name, empty for one that changes no file.
func named(pid int, regs *syscall.PtraceRegs) string {
	name, ok := map[uint64]string{
		syscall.SYS_WRITE: "write", syscall.SYS_PWRITE64: "write", syscall.SYS_FSYNC: "sync",
		syscall.SYS_FDATASYNC: "sync", syscall.SYS_FTRUNCATE: "truncate",
	}[regs.Orig_rax]
	if !ok {
		return ""
	}
	file, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, regs.Rdi))
	if err != nil {
		return ""
	}
	return name + " " + filepath.Base(file)
}
