package analyzers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// guard starts a shell that waits for the end of this process, even a sudden end. The
// shell then kills the tool's process group and removes the sandbox, which no other
// process could do. Without a shell there is no guard. off ends the shell.
func (b *sandbox) guard(group int) (off func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	defer r.Close()
	// A killed process may still be writing.
	const script = `read -r _; kill -s KILL -- "-$1"; rm -rf "$2" || { sleep 1; rm -rf "$2"; }`
	cmd := exec.Command("/bin/sh", "-c", script, "crscore-guard", strconv.Itoa(group), filepath.Dir(b.work))
	cmd.Stdin, cmd.Dir, cmd.Env = r, "/", []string{"PATH=" + searchPath()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it does not get Ctrl-C
	if cmd.Start() != nil {
		_ = w.Close()
		return func() {}
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = w.Close()
	}
}

// killStrays kills processes that left the tool's process group, as daemons do. They have
// the sandbox in their environment, which Linux shows.
func (b *sandbox) killStrays() {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range processes {
		env, err := os.ReadFile(dir + "/environ")
		if err != nil || !bytes.Contains(env, []byte("TMPDIR="+b.home+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
