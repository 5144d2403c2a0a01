package analyzers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// guard has a shell wait for the end of this process, also a sudden one: it ends the
// tool's process group then, and removes the box, since nobody else can. Without a
// shell there is no guard. off ends the shell.
func (b *box) guard(group int) (off func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	defer r.Close()
	// What was just killed may still be writing.
	const script = `read -r _; kill -s KILL -- "-$1"; rm -rf "$2" || { sleep 1; rm -rf "$2"; }`
	cmd := exec.Command("/bin/sh", "-c", script, "crscore-guard", strconv.Itoa(group), filepath.Dir(b.work))
	cmd.Stdin, cmd.Dir, cmd.Env = r, "/", []string{"PATH=" + searchPath()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // no Ctrl-C is for it
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

// killStrays ends what has left the tool's process group, as daemons do. They are known
// by the box in their environment, where the system shows that (Linux).
func (b *box) killStrays() {
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
