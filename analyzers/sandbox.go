package analyzers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"crscore/analyzers/adapter"
	"crscore/internal/findings"
	"crscore/internal/limits"
	"crscore/internal/system"
)

// sandbox is the private directory for one run of a tool. work has the files and the
// configuration, and the tool starts there. home is empty and takes the files that the
// tool leaves behind.
type sandbox struct {
	root, work, home string
	env              []string
}

func newSandbox(tool Tool) (*sandbox, error) {
	root, err := os.MkdirTemp("", "crscore-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for %s (TMPDIR says where): %w", tool.Name, err)
	}
	b := &sandbox{root: root}
	if err := b.fill(tool); err != nil {
		b.remove()
		return nil, fmt.Errorf("making a directory for %s: %w", tool.Name, err)
	}
	return b, nil
}

func (b *sandbox) fill(tool Tool) error {
	// Tools print absolute paths without links, and TMPDIR may be relative.
	root, err := filepath.Abs(b.root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return err
	}
	b.work, b.home = filepath.Join(root, "work"), filepath.Join(root, "home")
	for _, dir := range []string{b.work, b.home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	b.env = slices.Concat([]string{
		"PATH=" + searchPath(), "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "NO_COLOR=1",
	}, system.Home(b.home), kept(tool.Keep), tool.Env)
	for _, c := range tool.Config {
		if err := b.write(c.Name, c.Text); err != nil {
			return err
		}
	}
	return nil
}

// searchPath returns PATH without relative folders.
func searchPath() string {
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(d string) bool { return !filepath.IsAbs(d) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// kept returns the user's variables that a tool may see. A missing folder of the home
// directory is not made.
func kept(vars []adapter.Variable) []string {
	var out []string
	home, _ := os.UserHomeDir()
	for _, v := range vars {
		value := os.Getenv(v.Name)
		if value == "" && v.Home != "" && home != "" {
			if dir := filepath.Join(home, v.Home); isDir(dir) {
				value = dir
			}
		}
		if value != "" {
			out = append(out, v.Name+"="+value)
		}
	}
	return out
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (b *sandbox) write(name, text string) error {
	return os.WriteFile(filepath.Join(b.work, name), []byte(text), 0o600)
}

// remove deletes the directory. A killed child may just have written a file, so remove
// tries several times.
func (b *sandbox) remove() {
	for range 10 {
		if os.RemoveAll(b.root) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// text makes a tool's text fit to be shown, without the sandbox's path.
func (b *sandbox) text(s string) string {
	if len(s) > 1<<16 {
		s = s[:1<<16]
	}
	for _, dir := range []string{b.work, filepath.Join(b.root, "work")} {
		s = strings.ReplaceAll(s, dir+string(filepath.Separator), "")
	}
	return findings.Text(s, limits.FindingText)
}

// output is the outcome of one start of a program. The texts may be cut if the state is
// not Clean or the status is not one of the tool's.
type output struct {
	state          State
	reason         string
	status         int
	stdout, stderr []byte
}

// said returns the first line that a failed program printed, without Go's headings with
// the name of a package and its messages about downloads.
func (o output) said() string {
	for _, b := range [][]byte{o.stderr, o.stdout} {
		for line := range strings.Lines(string(b[:min(len(b), 1<<16)])) {
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "go: downloading ") {
				return line
			}
		}
	}
	return "it printed no message"
}

// drain is the time to wait for output after the processes are killed.
const drain = 2 * time.Second

// pipe takes what a program prints. Package exec's own pipes would make it wait as long as a
// child of the program holds them.
type pipe struct{ r, w *os.File }

func newPipe() (p pipe, err error) {
	p.r, p.w, err = os.Pipe()
	return p, err
}

func (p pipe) close() {
	_ = p.w.Close()
	_ = p.r.Close()
}

// exec runs a program in a folder below work, in its own process group. The group is
// killed when ctx ends, the time is up or too much is printed, and always when the
// program or this process ends. The error is ctx's own, or an error of making the pipes.
func (b *sandbox) exec(ctx context.Context, dir, path string, args []string, options Options) (output, error) {
	if err := ctx.Err(); err != nil {
		return output{}, err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = filepath.Join(b.work, dir), b.env
	var pipes [2]pipe
	for i := range pipes {
		var err error
		if pipes[i], err = newPipe(); err != nil {
			return output{}, fmt.Errorf("running %s: %w", filepath.Base(path), err)
		}
		defer pipes[i].close()
	}
	cmd.Stdout, cmd.Stderr = pipes[0].w, pipes[1].w
	group, err := system.Start(cmd)
	if err != nil {
		return output{state: Failed, reason: err.Error()}, nil
	}
	_ = pipes[0].w.Close()
	_ = pipes[1].w.Close()
	defer group.Guard(filepath.Dir(b.work), searchPath())()

	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()

	var texts [2][]byte
	var flooded atomic.Bool
	var readers sync.WaitGroup
	full := make(chan struct{})
	flood := sync.OnceFunc(func() { flooded.Store(true); close(full) })
	for i := range pipes {
		readers.Go(func() {
			limit := options.maxOutput()
			texts[i], _ = io.ReadAll(io.LimitReader(pipes[i].r, limit+1)) // cut short by release below
			if int64(len(texts[i])) > limit {
				flood()
			}
		})
	}

	clock := time.NewTimer(options.timeout())
	defer clock.Stop()
	ended, late := false, false
	select {
	case err = <-done:
		ended = true
	case <-full:
	case <-clock.C:
		late = true
	case <-ctx.Done():
	}
	// The rest of the group is killed, too, because it would hold the pipes.
	group.Kill()
	system.KillStrays("TMPDIR=" + b.home)
	release := time.AfterFunc(drain, func() {
		for i := range pipes {
			_ = pipes[i].r.Close()
		}
	})
	defer release.Stop()
	if !ended {
		err = <-done
	}
	readers.Wait()

	out := output{state: Clean, stdout: texts[0], stderr: texts[1]}
	switch {
	case ctx.Err() != nil:
		return output{}, ctx.Err()
	case flooded.Load():
		out.state, out.reason = Failed, fmt.Sprintf("it printed more than the limit of %d bytes", options.maxOutput())
	case late:
		out.state, out.reason = TimedOut, fmt.Sprintf("no answer within %s", options.timeout())
	default:
		out.end(err)
	}
	return out, nil
}

// end sets the outcome of a program that ended by itself. err is of exec.Cmd's Wait.
func (o *output) end(err error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
	case !errors.As(err, &exit):
		o.state, o.reason = Failed, err.Error()
	case !exit.Exited():
		o.state, o.reason = Failed, fmt.Sprintf("a signal ended it (%s): %s", exit.ProcessState, o.said())
	default:
		o.status = exit.ExitCode()
	}
}
