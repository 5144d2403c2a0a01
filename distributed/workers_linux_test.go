package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The environment of TestWorkers, which starts itself in a world of its own: the folder there,
// and the programs of Beam.
const (
	worldEnv    = "CRSCORE_BEAM_WORLD"
	programsEnv = "CRSCORE_BEAM"
)

// TestWorkers runs jobs on workers that are processes of their own: a job server, a pool of workers
// and the command. Beam's launcher of workers listens on a fixed port and writes below /tmp
// whatever the environment says, and workers outlive their jobs. So all of this happens in
// namespaces of Linux, with a network, a /tmp and processes that end with the test.
func TestWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes are started")
	}
	if os.Getenv(worldEnv) == "" {
		startWorld(t)
		return
	}
	enterWorld(t)
	const workersKey, launchersKey = "sk-of-the-workers", "sk-of-the-launcher"
	model := newModel(t)
	keys := func(key string) []string {
		return []string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=" + model.url}
	}
	w := &world{env: keys(launchersKey)}
	w.start(t, nil, "/tmp/prism", "--job_port=8073", "--serve_http=false", "--log_level=debug")
	pool := w.start(t, keys(workersKey), "/tmp/boot", "--worker_pool")
	await(t, "localhost:8073")
	await(t, "localhost:50000")

	in := t.TempDir()
	one, two := changes(0, 40), changes(40, 25)
	write(t, in, "a.jsonl", one)
	write(t, in, "b.jsonl.gz", two)
	want := scoreOf(t, one+two)
	wrapper := blocks(t, "bash")[0]
	if err := os.WriteFile("/tmp/boot-unquoted", []byte(strings.ReplaceAll(wrapper, "/opt/apache/beam/boot", "/tmp/boot")), 0o700); err != nil {
		t.Fatal(err)
	}
	external := []string{"--environment_type=EXTERNAL", "--environment_config=localhost:50000", "--worker_binary=/tmp/crscore-beam"}
	for _, test := range []struct {
		name string
		args []string
	}{
		{"loopback", []string{"--environment_type=LOOPBACK"}},
		{"external", external},
		{"process", []string{"--environment_type=PROCESS", `--environment_config={"command":"/tmp/boot-unquoted"}`, "--worker_binary=/tmp/crscore-beam"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			code, errs := w.job(t, append(test.args, "--data", in+"/*", "--out", out, "--shard-lines=7")...)
			if code != exitDone {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			same(t, "scores", joined(t, out, scoresDir), want)
		})
	}
	t.Run("key", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		code, errs := w.job(t, append(external, "--data", in+"/*", "--out", out, "--claims=openai:m")...)
		if code != exitDone {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		if with, asked := model.with("Bearer "+workersKey), model.asked.Load(); with == 0 || with != asked {
			t.Errorf("of %d requests %d had the key of the workers", asked, with)
		}
		w.lacks(t, errs, workersKey, launchersKey)
	})
	t.Run("killed", func(t *testing.T) {
		before := workerIDs(t)
		model.hold.Store(true)
		defer model.hold.Store(false)
		go func() {
			<-model.held
			for _, id := range workerIDs(t) {
				if !slices.Contains(before, id) {
					_ = syscall.Kill(id, syscall.SIGKILL)
				}
			}
		}()
		out := filepath.Join(t.TempDir(), "out")
		code, errs := w.job(t, append(external, "--data", in+"/*", "--out", out, "--claims=openai:n")...)
		if code != exitIncomplete || !strings.Contains(errs, "the job failed") {
			t.Errorf("exit code %d: %s", code, errs)
		}
		if files := filesBelow(t, out); len(files) > 0 {
			t.Errorf("a job that failed has left %q", files)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		select {
		case <-model.held: // of the worker that was killed
		default:
		}
		model.hold.Store(true)
		defer model.hold.Store(false)
		out := filepath.Join(t.TempDir(), "out")
		now := make(chan struct{})
		go func() {
			<-model.held
			_ = os.Mkdir(out, 0o700)
			_ = os.WriteFile(filepath.Join(out, runFile+temporary+"OTHER"), nil, 0o600) // looked for below
			close(now)
		}()
		code, errs := w.interrupted(t, now, append(external, "--data", in+"/*", "--out", out, "--claims=openai:i")...)
		if code != exitIncomplete || !strings.Contains(errs, "interrupted: the job goes on until it is cancelled") {
			t.Errorf("exit code %d: %s", code, errs)
		}
		if files := filesBelow(t, out); len(files) != 1 {
			t.Errorf("of the files that workers are writing only %q are left", files)
		}
	})
	t.Run("leftovers", func(t *testing.T) {
		// docs/beam.md says what stays behind, and what ends it.
		if len(workersOf(t, pool.Process.Pid)) == 0 {
			t.Error("no worker has outlived its job")
		}
		if err := syscall.Kill(-pool.Process.Pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = pool.Wait()
		for range 100 {
			if len(workersOf(t, pool.Process.Pid)) == 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if left := workersOf(t, pool.Process.Pid); len(left) > 0 {
			t.Errorf("workers outlive the process group of their pool: %v", left)
		}
		for _, pattern := range []string{"/tmp/bin*/worker", "/tmp/staged/*"} {
			if m, _ := filepath.Glob(pattern); len(m) == 0 {
				t.Errorf("nothing is left in %s", pattern)
			}
		}
	})
}

// startWorld starts the test again, alone in its namespaces.
func startWorld(t *testing.T) {
	programs := os.Getenv(programsEnv)
	if programs == "" {
		t.Skip("make beam runs this with the programs of .ci/beam")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, from := range map[string]string{"prism": programs + "/prism", "boot": programs + "/container", "crscore-beam": self} {
		copyProgram(t, from, filepath.Join(dir, name))
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestWorkers$", "-test.v")
	cmd.Env = append(os.Environ(), worldEnv+"="+dir, "TMPDIR=/tmp", "HOME=/tmp", "XDG_CACHE_HOME=/tmp/cache", "XDG_CONFIG_HOME=/tmp/config")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch {
	case cmd.Process == nil && os.Getenv("CI") == "":
		t.Skipf("this machine has no namespaces for the test: %v", err)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case !bytes.Contains(out, []byte("--- PASS: TestWorkers/leftovers")):
		t.Fatalf("the test did not run:\n%s", out)
	}
}

// enterWorld puts the folder of the test in the place of /tmp, and starts the network.
func enterWorld(t *testing.T) {
	mount := func(what, where, kind string, flags uintptr) {
		if err := syscall.Mount(what, where, kind, flags, ""); err != nil {
			t.Fatalf("mounting %s: %v", where, err)
		}
	}
	mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE)
	mount("proc", "/proc", "proc", 0)
	mount(os.Getenv(worldEnv), "/tmp", "", syscall.MS_BIND)
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		t.Fatal(err)
	}
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// world has the processes of the test.
type world struct {
	env  []string // of the command: it has no key
	logs []string
}

// start starts a server in a process group of its own. Its log is a file.
func (w *world) start(t *testing.T, env []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	w.logs = append(w.logs, log.Name(), filepath.Join(dir, "pipeline_options.json"))
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append(os.Environ(), append(env, commandEnv+"=1")...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("%s:\n%s", name, text[max(0, len(text)-10_000):])
		}
	})
	return cmd
}

// job runs the command on the job server.
func (w *world) job(t *testing.T, args ...string) (int, string) {
	t.Helper()
	return w.interrupted(t, nil, args...)
}

// interrupted is job with an interrupt as soon as a channel has a value, if ever.
func (w *world) interrupted(t *testing.T, now <-chan struct{}, args ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/tmp/crscore-beam", append([]string{"--no-config", "--runner=universal", "--endpoint=localhost:8073"}, args...)...)
	cmd.Env = append(os.Environ(), append(w.env, commandEnv+"=1")...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		select {
		case <-now:
			_ = cmd.Process.Signal(os.Interrupt)
		case <-ctx.Done():
		}
	}()
	err := cmd.Wait()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), errs.String()
}

// lacks looks for secrets in what the processes have written, and in the options of jobs, which are
// a part of that.
func (w *world) lacks(t *testing.T, errs string, secrets ...string) {
	t.Helper()
	options := 0
	for _, name := range w.logs {
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		options += bytes.Count(text, []byte("environment_config"))
		for _, secret := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s has %s", name, secret)
			}
			if strings.Contains(errs, secret) {
				t.Errorf("the command prints %s: %s", secret, errs)
			}
		}
	}
	if options == 0 {
		t.Error("no log has the options of a job")
	}
}

// await waits until a server listens.
func await(t *testing.T, address string) {
	t.Helper()
	var err error
	for range 300 {
		var c net.Conn
		if c, err = net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal(err)
}

// workerIDs are the processes that run a copy of the command that the launcher has made.
func workerIDs(t *testing.T) (ids []int) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		exe, err := os.Readlink(link) // none if the process has ended
		if err == nil && strings.HasPrefix(exe, "/tmp/bin") {
			id, err := strconv.Atoi(strings.Split(link, "/")[2])
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
	}
	return ids
}

// workersOf are the workers in a process group.
func workersOf(t *testing.T, group int) []int {
	t.Helper()
	return slices.DeleteFunc(workerIDs(t), func(id int) bool {
		of, err := syscall.Getpgid(id)
		return err != nil || of != group
	})
}

// filesBelow lists files.
func filesBelow(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		} else if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// model is a server that speaks OpenAI's API. It remembers the keys.
type model struct {
	url   string
	asked atomic.Int64
	keys  chan string
	hold  atomic.Bool   // do not answer
	held  chan struct{} // gets a value when a request has no answer
}

// newModel starts a server on the world's network.
func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{keys: make(chan string, 1<<16), held: make(chan struct{}, 1)}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	m.url = fmt.Sprintf("http://%s/v1", l.Addr())
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // the launcher looks which models are there
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err == nil && strings.Contains(string(body), `{\"answer\": \"ok\"}`) { // the launcher looks which settings are refused
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"{\"answer\":\"ok\"}"},"finish_reason":"stop"}]}`)
			return
		}
		if m.hold.Load() {
			select {
			case m.held <- struct{}{}:
			default:
			}
			<-r.Context().Done()
			return
		}
		m.asked.Add(1)
		m.keys <- r.Header.Get("Authorization")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"{\"summary\":[\"The product takes the place of the sum.\"],\"implications\":[\"Callers get another number.\"]}"},"finish_reason":"stop"}]}`)
	})}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return m
}

// with counts the requests so far that had a key.
func (m *model) with(key string) (n int64) {
	for {
		select {
		case k := <-m.keys:
			if k == key {
				n++
			}
		default:
			return n
		}
	}
}
