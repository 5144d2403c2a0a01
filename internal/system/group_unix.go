//go:build unix

package system

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// Group is a program and the processes that it starts. They end together.
type Group struct{ process *os.Process }

// Start starts a program in a group of its own, which Ctrl-C does not reach. When a context
// of exec.CommandContext ends, the whole group ends. The caller must call Kill at last.
func Start(cmd *exec.Cmd) (*Group, error) {
	g := &Group{}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if cmd.Cancel != nil {
		// Start has set the process when the context can end.
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	g.process = cmd.Process
	return g, nil
}

// Kill ends the processes of the group that still run.
func (g *Group) Kill() { _ = syscall.Kill(-g.process.Pid, syscall.SIGKILL) }

// Guard starts a shell that waits for the end of this process, even a sudden end. The shell
// then kills the group and removes dir, which no other process could do. Without a shell
// there is no guard. path is where it finds rm. off ends the shell.
func (g *Group) Guard(dir, path string) (off func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	defer r.Close()
	// A killed process may still be writing.
	const script = `read -r _; kill -s KILL -- "-$1"; rm -rf "$2" || { sleep 1; rm -rf "$2"; }`
	cmd := exec.Command("/bin/sh", "-c", script, "crscore-guard", strconv.Itoa(g.process.Pid), dir)
	cmd.Stdin, cmd.Dir, cmd.Env = r, "/", []string{"PATH=" + path}
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

// KillStrays kills processes that left their group, as daemons do. They have a variable of
// the program's environment, NAME=VALUE, which Linux shows.
func KillStrays(variable string) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range processes {
		env, err := os.ReadFile(dir + "/environ")
		if err != nil || !bytes.Contains(env, []byte(variable+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// Home returns the variables that make a folder a program's home and its folder for
// temporary files.
func Home(dir string) []string { return []string{"HOME=" + dir, "TMPDIR=" + dir} }
