package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// What a change may take.
const (
	maxMemory = 1000 // MB
	// Beyond these a process is killed.
	endMemory = maxMemory * 3 / 2
)

// command is a crscore that is watched.
type command struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	err  tail
	peak atomic.Int64 // MB
	most int64        // MB, beyond which it is killed
	done chan struct{}

	refused bool // a row had no score, as it may: the command ends as incomplete
}

// tail keeps the beginning of what is written to it: why a process died.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[:min(len(p), max(0, 1<<20-len(t.b)))]...)
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

// frame is a function of ours in a stack.
var frame = regexp.MustCompile(`(?m)^crscore/((?:pseudoref|smells|change|sts|internal/syntax|score)\b[^({]*(?:\(\*\w+\))?[^({]*)`)

func frames(text string) string {
	var where []string
	for _, m := range frame.FindAllStringSubmatch(text, 6) {
		where = append(where, m[1])
	}
	return strings.Join(where, " < ")
}

// String is where a process was when it was asked, or the line that says most.
func (t *tail) String() string {
	text := t.text()
	if strings.Contains(text, "SIGQUIT") {
		return "killed in " + frames(text)
	}
	for l := range strings.Lines(text) {
		for _, sign := range []string{"panic:", "fatal error:", "SIG", "runtime:", "what():"} {
			if strings.Contains(l, sign) {
				return strings.TrimSpace(l)
			}
		}
	}
	return strings.TrimSpace(text[max(0, len(text)-200):])
}

// launch starts the command, which is killed when it takes more than so many MB.
func launch(t testing.TB, bin string, most int64, args ...string) *command {
	c := &command{cmd: exec.Command(bin, args...), done: make(chan struct{}), most: most}
	c.cmd.Stderr, c.cmd.Env = &c.err, append(os.Environ(), "GOTRACEBACK=crash")
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.out = bufio.NewReader(out); c.cmd.Start() != nil {
		t.Fatal(bin, " does not start")
	}
	go c.watch()
	return c
}

// watch measures memory, and kills what takes far too much.
func (c *command) watch() {
	for {
		select {
		case <-c.done:
			return
		case <-time.After(10 * time.Millisecond):
			mb := highest(c.cmd.Process.Pid)
			if c.peak.Store(max(mb, c.peak.Load())); mb > c.most {
				c.kill()
			}
		}
	}
}

// kill has the process say where it is, and ends it.
func (c *command) kill() {
	_ = c.cmd.Process.Signal(syscall.SIGQUIT)
	time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
}

// close ends the input and waits.
func (c *command) close() error {
	_ = c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	err := c.cmd.Wait()
	close(c.done)
	if err != nil {
		return fmt.Errorf("%w: %s", err, &c.err)
	}
	return nil
}

// answer is what became of a row.
type answer struct {
	kind, why string // empty where all is well; else crash, memory, time or unscored
	took, cpu time.Duration
	mb        int64
	line      []byte // what was printed
}

// String is for the eye.
func (a answer) String() string {
	return fmt.Sprintf("%7.2f s (%6.2f of a processor) %5d MB", a.took.Seconds(), a.cpu.Seconds(), a.mb)
}

// ask has one row scored. After a crash the command is gone.
func (c *command) ask(row Row) (a answer) {
	c.peak.Store(0)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", c.cmd.Process.Pid), []byte("5"), 0o600) // VmHWM starts anew
	var late atomic.Bool
	timer := time.AfterFunc(max(maxTime, row.most(maxTime))*3/2, func() { late.Store(true); c.kill() })
	defer timer.Stop()
	begin, worked := time.Now(), processor(c.cmd.Process.Pid)
	go func() { _, _ = c.in.Write(row.JSON()) }() // an error of it is one of the answer
	line, err := c.out.ReadBytes('\n')
	a = answer{took: time.Since(begin), cpu: processor(c.cmd.Process.Pid) - worked, mb: max(c.peak.Load(), highest(c.cmd.Process.Pid)), line: line}
	var got struct{ ID, Status, Reason string }
	defer func() { c.refused = c.refused || got.Status == "unscored" && a.kind == "" }()
	switch {
	case late.Load():
		a.kind = "time"
	case err != nil && a.mb > c.most:
		a.kind = "memory"
	case err != nil:
		a.kind = "crash"
	case json.Unmarshal(line, &got) != nil || got.ID != row.ID:
		a.kind, a.why = "crash", fmt.Sprintf("not a row of this change: %.200s", line)
	case got.Status != "scored" && !row.refused(got.Reason):
		what, stack, _ := strings.Cut(got.Reason, "\n")
		a.kind, a.why = "unscored", what+" "+frames(stack)
	case row.text && a.cpu > row.most(maxTime), !row.text && a.took > maxTime:
		a.kind = "time"
	case a.mb > maxMemory:
		a.kind = "memory"
	}
	if err != nil {
		_ = c.close()
		a.why = c.err.String()
	}
	return a
}

// processor is the time that a process has worked.
func processor(pid int) time.Duration {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	var user, system int64
	if len(fields) > 12 {
		_, _ = fmt.Sscan(fields[11], &user)
		_, _ = fmt.Sscan(fields[12], &system)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// highest is the most memory in MB that a process has had.
func highest(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(b, []byte("VmHWM:"))
	var kb int64
	_, _ = fmt.Sscan(string(rest), &kb)
	return kb >> 10
}

// scorer gives rows to one command, and starts another where that has ended.
type scorer struct {
	t    testing.TB
	bin  string
	c    *command
	rows int // that c has had
}

func (s *scorer) start() {
	s.c, s.rows = launch(s.t, s.bin, endMemory, "score", "--data", "-", "--data-format", "jsonl", "--workers", "1"), 0
	// The reader looks at some bytes before it begins.
	_, _ = s.c.in.Write(append(bytes.Repeat([]byte(" "), 1<<16), '\n'))
	if a := s.c.ask(Normal("first")); a.kind != "" {
		s.t.Fatalf("a normal change: %s %s", a.kind, a.why)
	}
}

func (s *scorer) stop() {
	if s.c != nil {
		if err := s.c.close(); err != nil && !s.c.refused && !s.t.Failed() { // what was unscored is the reason
			s.t.Errorf("the command ended with %v", err)
		}
	}
	s.c = nil
}

// score has a row scored, and a normal change after it. What fails beside others is
// tried alone, where no other row has left memory and caches behind.
func (s *scorer) score(row Row) answer {
	for {
		if s.c == nil {
			s.start()
		}
		alone, gone := s.rows == 0, false
		s.rows++
		a := s.c.ask(row)
		if s.c.cmd.ProcessState != nil {
			s.c, gone = nil, a.kind != "crash"
		} else if after := s.c.ask(Normal("next")); after.kind != "" && after.kind != "memory" { // which may be left from the row
			a.kind, a.why = "next", fmt.Sprintf("the change after it: %s %s", after.kind, after.why)
		}
		if (a.kind == "" || a.kind == "unscored") && a.mb < maxMemory/2 {
			return a
		}
		if s.c != nil {
			s.stop()
		}
		if alone || gone || a.kind == "" || a.kind == "unscored" {
			return a
		}
	}
}
