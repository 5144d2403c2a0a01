//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// padding is more than a pipe holds: when all of it is written, somebody reads.
const padding = 1 << 17

// TestInterruptedPipe ends a command and the program whose output it reads with one
// signal, as Ctrl-C does: what has come until then is whole, and still no whole input.
func TestInterruptedPipe(t *testing.T) {
	t.Parallel()
	labelled, err := os.ReadFile("testdata/labelled.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	diff, err := os.ReadFile("../../testdata/cache-expiry/change.diff")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	keep := func(name string, text []byte) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	var scores bytes.Buffer
	if code := Main([]string{"score", "--data", "testdata/labelled.jsonl", "--quiet"}, strings.NewReader(""), &scores, io.Discard); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	change, known := keep("change.diff", diff), keep("scores.jsonl", scores.Bytes())
	half := append(bytes.Clone(labelled), `{"id":"half`...)
	// IN is the pipe, and OUT a name for a run directory.
	for name, tt := range map[string]struct {
		in   []byte
		args string
	}{
		"run":       {labelled, "score --data IN --out OUT"},
		"half":      {half, "score --data IN --out OUT"},
		"shard":     {labelled, "score --data IN --out OUT --shard 1/2"},
		"score":     {labelled, "score --data IN"},
		"metrics":   {labelled, "metrics --data IN --metrics exact"},
		"lines":     {labelled, "metrics --metrics exact --ref " + known + " --hyp IN"},
		"agree":     {labelled, "agree --data IN"},
		"calibrate": {labelled, "calibrate --data IN"},
		"compare":   {scores.Bytes(), "compare " + known + " IN"},
		"refs":      {diff, "refs --diff IN"},
		"gate":      {[]byte("This is a comment."), "gate --comments IN --diff " + change},
	} {
		in := keep("in "+name, append(bytes.Repeat([]byte("\n"), padding), tt.in...))
		check := func(t *testing.T, stdin bool) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			code, said := interruptPipe(t, in, stdin, strings.ReplaceAll(tt.args, "OUT", out))
			if code != exitIncomplete || !strings.Contains(said, "interrupted") || strings.Contains(said, "malformed") {
				t.Errorf("exit code %d: %s", code, said)
			}
			if !strings.Contains(tt.args, "OUT") {
				return
			}
			if strings.Contains(said, "what was printed") {
				t.Errorf("nothing was printed: %s", said)
			}
			run, err := os.ReadFile(filepath.Join(out, "run.json"))
			if err != nil || bytes.Contains(run, []byte(`"data"`)) {
				t.Errorf("a finished run: %s, %v", run, err)
			}
		}
		t.Run(name+" named", func(t *testing.T) { check(t, false) })
		t.Run(name+" stdin", func(t *testing.T) { check(t, true) })
	}
}

// interruptPipe runs crscore beside a program that writes a file into its input, and
// then waits. The input is a named pipe, or standard input.
func interruptPipe(t *testing.T, in string, stdin bool, args string) (code int, said string) {
	t.Helper()
	dir := t.TempDir()
	pipe, written := filepath.Join(dir, "pipe"), filepath.Join(dir, "written")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(pipe, os.O_RDWR, 0) // so that opening it waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	writer := exec.Command("sh", "-c", `cat "$0" && : > "$1" && exec sleep 60`, in, written)
	writer.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if writer.Stdout, err = os.OpenFile(pipe, os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command("crscore")
	cmd.Stderr = &log
	name := pipe
	if stdin {
		name = "-"
		if cmd.Stdin, err = os.Open(pipe); err != nil {
			t.Fatal(err)
		}
		defer cmd.Stdin.(*os.File).Close()
	}
	cmd.Args = append(cmd.Args, strings.Fields(strings.ReplaceAll(args, "IN", name))...)
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	group := -writer.Process.Pid
	defer writer.Wait()
	defer syscall.Kill(group, syscall.SIGKILL)
	writer.Stdout.(*os.File).Close()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: -group}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		if _, err := os.Stat(written); err == nil {
			break
		}
		if i == 3000 {
			t.Fatal("nobody reads")
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.Close() // only the writer has it now
	time.Sleep(200 * time.Millisecond)
	if err := syscall.Kill(group, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), log.String()
}

// TestTerminatedPipe has nobody but the command end: it does not wait for what may
// still be written into a named pipe, nor for somebody who writes.
func TestTerminatedPipe(t *testing.T) {
	t.Parallel()
	for _, writes := range []bool{false, true} {
		t.Run(fmt.Sprint(writes), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pipe, out := filepath.Join(dir, "pipe"), filepath.Join(dir, "out")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			if writes {
				f, err := os.OpenFile(pipe, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
			}
			cmd := exec.Command("crscore", "score", "--data", pipe, "--out", out)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for i := 0; i < 3000; i++ {
				if _, err := os.Stat(filepath.Join(out, "run.json")); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(50 * time.Millisecond)
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
			defer late.Stop()
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitIncomplete {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
