package system

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain makes this binary the program of the tests: a parent that starts a child, which
// holds its output and lives on, or a parent that then ends.
func TestMain(m *testing.M) {
	switch os.Getenv("CRSCORE_TEST_PROGRAM") {
	case "":
		os.Exit(m.Run())
	case "child":
		time.Sleep(time.Minute)
		return
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "CRSCORE_TEST_PROGRAM=child")
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString("started\n")
	if os.Getenv("CRSCORE_TEST_PROGRAM") == "parent" {
		time.Sleep(time.Minute)
	}
}

// startFamily starts a program that has started another, and returns its output.
func startFamily(t *testing.T, ctx context.Context, how string) (*Group, *exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "CRSCORE_TEST_PROGRAM="+how)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	cmd.Stdout = w
	group, err := Start(cmd)
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(group.Kill)
	line := make([]byte, len("started\n"))
	if _, err := io.ReadFull(r, line); err != nil || string(line) != "started\n" {
		t.Fatalf("%q: %v", line, err)
	}
	return group, cmd, r
}

// TestGroup holds that a child ends with its parent, by Kill, by the context, and when the
// parent has ended before. The output ends with the last of them.
func TestGroup(t *testing.T) {
	for _, how := range []string{"parent", "parent by context", "orphan"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			program, byContext := strings.CutSuffix(how, " by context")
			group, cmd, out := startFamily(t, ctx, program)
			if how == "orphan" {
				if err := cmd.Wait(); err != nil {
					t.Fatal(err)
				}
			}
			if byContext {
				cancel()
			} else {
				group.Kill()
			}
			ended := make(chan error, 1)
			go func() {
				rest, err := io.ReadAll(out)
				if len(rest) > 0 {
					err = errors.Join(err, errors.New(string(rest)))
				}
				ended <- err
			}()
			if how != "orphan" && cmd.Wait() == nil {
				t.Error("the parent has ended well")
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(30 * time.Second):
				t.Error("the child lives")
			}
			group.Kill() // a second call does no harm
		})
	}
}

// folder makes a folder for a test. t.TempDir would fail the test under Wine 8, which cannot
// do what the removal of folders asks for.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "system ä ")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestStartFails holds that a program that is not there is an error.
func TestStartFails(t *testing.T) {
	if _, err := Start(exec.Command(filepath.Join(folder(t), "none.exe"))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestOpenRegular(t *testing.T) {
	dir := folder(t)
	name := filepath.Join(dir, "ä b")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenRegular(name)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(f); err != nil || string(b) != "text" {
		t.Errorf("%q: %v", b, err)
	}
	_ = f.Close()
	if _, err := OpenRegular(dir); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := OpenRegular(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	link := filepath.Join(dir, "link")
	_ = os.Symlink(name, link)
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Logf("no link: %v", err) // Windows lets few users make one
		return
	}
	if _, err := OpenRegular(link); !errors.Is(err, ErrLink) {
		t.Errorf("a link: %v", err)
	}
}

// TestRename replaces a file. Another handle has the new or the old one open for a moment.
func TestRename(t *testing.T) {
	dir := folder(t)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	below := func(from, to string) error { return RenameIn(root, filepath.Base(from), filepath.Base(to)) }
	from, to := filepath.Join(dir, "new"), filepath.Join(dir, "old")
	for _, held := range []string{from, to} {
		for name, rename := range map[string]func(string, string) error{"Rename": Rename, "RenameIn": below} {
			t.Run(name+" "+filepath.Base(held), func(t *testing.T) { replace(t, rename, from, to, held) })
		}
	}
	if err := SyncDir(dir); err != nil {
		t.Error(err)
	}
}

func replace(t *testing.T, rename func(from, to string) error, from, to, held string) {
	for _, name := range []string{from, to} {
		if err := os.WriteFile(name, []byte(filepath.Base(name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(held)
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() {
		time.Sleep(50 * time.Millisecond)
		closed <- reader.Close()
	}()
	if err := rename(from, to); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(to); err != nil || string(b) != "new" {
		t.Errorf("%q: %v", b, err)
	}
	if err := rename(from, to); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing to rename: %v", err)
	}
}

func TestWritable(t *testing.T) {
	dir := folder(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, file} {
		if err := Writable(name); err != nil {
			t.Error(err)
		}
	}
	if err := Writable(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err == nil {
		_ = f.Close() // root may write everywhere
	}
	if got := Writable(file); errors.Is(err, os.ErrPermission) != errors.Is(got, os.ErrPermission) {
		t.Errorf("a file that is read only: %v, but opening it: %v", got, err)
	}
}

func TestFull(t *testing.T) {
	full := error(syscall.ENOSPC)
	if runtime.GOOS == "windows" {
		full = syscall.Errno(112) // ERROR_DISK_FULL
	}
	if !Full(&os.PathError{Op: "write", Path: "x", Err: full}) || Full(os.ErrNotExist) || Full(nil) {
		t.Error("a full disk is not told apart")
	}
}

func TestCPUTime(t *testing.T) {
	for begun := time.Now(); ; {
		if used, err := CPUTime(); err != nil {
			t.Fatal(err)
		} else if used > 0 {
			return
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatal("this process uses no time")
		}
	}
}

// TestPipe holds that nothing waits for the other end of a pipe.
func TestPipe(t *testing.T) {
	name := filepath.Join(folder(t), "pipe")
	if err := exec.Command("mkfifo", name).Run(); err != nil {
		t.Skip(err)
	}
	for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE} {
		if _, err := Open(name, flag); !errors.Is(err, ErrNotRegular) {
			t.Errorf("flags %x: %v", flag, err)
		}
	}
	if _, err := OpenRegular(name); !errors.Is(err, ErrNotRegular) {
		t.Error(err)
	}
	if err := CheckRegular(name); !errors.Is(err, ErrNotRegular) {
		t.Error(err)
	}
	if err := CheckRegular(name + " that is not there"); err != nil {
		t.Error(err)
	}
}
