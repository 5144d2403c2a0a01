package system

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a program and the processes that it starts. They end together: they are in a job
// object, and Windows ends its processes when its only handle is closed, even by a sudden
// end of this process.
type Group struct {
	mu  sync.Mutex
	job windows.Handle // 0 after Kill
}

// Start starts a program in a group of its own, which Ctrl-C does not reach. When a context
// of exec.CommandContext ends, the whole group ends. The caller must call Kill at last.
//
// Of a batch file that npm made, the script is started by Node.js. Other batch files are
// refused: cmd.exe would interpret their arguments.
func Start(cmd *exec.Cmd) (*Group, error) {
	if err := launch(cmd); err != nil {
		return nil, err
	}
	g := &Group{}
	g.mu.Lock() // the context may end while the program starts
	defer g.mu.Unlock()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	// It is suspended until it is in the job, so that no child is outside.
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { g.Kill(); return nil }
	}
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	g.job = job
	if err := cmd.Start(); err != nil {
		g.end()
		return nil, err
	}
	assign := func(process uintptr) { err = windows.AssignProcessToJobObject(job, windows.Handle(process)) }
	if failed := cmd.Process.WithHandle(assign); failed != nil {
		err = failed
	}
	if err == nil {
		err = resume(uint32(cmd.Process.Pid))
	}
	if err != nil {
		_ = cmd.Process.Kill()
		g.end()
		g.mu.Unlock() // Wait waits for Cancel if the context ended
		_ = cmd.Wait()
		g.mu.Lock()
		return nil, fmt.Errorf("starting %s in a job object: %w", filepath.Base(cmd.Path), err)
	}
	return g, nil
}

func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("making a job object: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, fmt.Errorf("making a job object: %w", err)
	}
	return job, nil
}

// resume starts the thread of a process that was created suspended. Package exec does not
// keep the thread's handle.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(threads) }()
	t := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &t); err == nil; err = windows.Thread32Next(threads, &t) {
		if t.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, t.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		return err
	}
	return fmt.Errorf("looking for its thread: %w", err)
}

// Kill ends the processes of the group that still run.
func (g *Group) Kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end()
}

func (g *Group) end() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// Guard does nothing: Windows ends the group with this process. After a sudden end dir stays,
// in the folder for temporary files.
func (g *Group) Guard(_, _ string) (off func()) { return func() {} }

// KillStrays does nothing: no process leaves a job object.
func KillStrays(string) {}

// Home returns the variables that make a folder a program's home and its folder for
// temporary files.
func Home(dir string) []string {
	var env []string
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TMPDIR", "TEMP", "TMP"} {
		env = append(env, name+"="+dir)
	}
	return env
}

// npmScript is the line of npm's batch files that starts a script.
var npmScript = regexp.MustCompile(`"%_prog%"\s+"%dp0%\\([^"%\r\n]+)"\s+%\*`)

// launch has a command start no batch file.
func launch(cmd *exec.Cmd) error {
	path, err := exec.LookPath(cmd.Path) // with its extension
	if err != nil {
		return err
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".bat", ".cmd":
	default:
		return nil
	}
	if st, err := os.Stat(path); err == nil && st.Size() < 1<<16 {
		text, err := os.ReadFile(path)
		m := npmScript.FindSubmatch(text)
		if err == nil && m != nil && bytes.Contains(text, []byte(`"_prog=node"`)) {
			dir := filepath.Dir(path)
			node, err := exec.LookPath(filepath.Join(dir, "node.exe"))
			if err != nil {
				node, err = exec.LookPath("node.exe")
			}
			if err != nil {
				return fmt.Errorf("%s needs Node.js: %w", path, err)
			}
			cmd.Path = node
			cmd.Args = append([]string{node, filepath.Join(dir, string(m[1]))}, cmd.Args[1:]...)
			return nil
		}
	}
	return fmt.Errorf("%s is a batch file, which is not started: Windows would interpret its arguments as commands", path)
}
