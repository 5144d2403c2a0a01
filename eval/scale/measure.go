package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// kind is a way to run the command, with its measurements.
type kind struct {
	name  string
	dir   string // for run directories; empty for none
	again bool   // the run was finished before
	runs  []measured
}

// measured is one run of the command.
type measured struct {
	reviews, changes int
	bytes            int64 // of the dataset
	// On a busy machine, half of the CPU time is the expected time on two free processors.
	wall, cpu time.Duration
	peak      int64 // most memory at a time, in bytes
}

type measurer struct {
	generator
	bin, work string
	cores     int
}

// measure runs the command for every size and every kind.
func (m *measurer) measure(ctx context.Context, kinds []kind, sizes []int, log io.Writer) error {
	for _, n := range sizes {
		for i := range kinds {
			k := &kinds[i]
			args, dir := []string{"score", "--data", "-"}, ""
			if k.dir != "" {
				dir = filepath.Join(k.dir, fmt.Sprint(n))
				args = append(args, "--out", dir, "--keep-matrices")
			}
			r, err := m.score(ctx, n, dir, args)
			if err != nil {
				return fmt.Errorf("%d reviews, %s: %w", n, k.name, err)
			}
			k.runs = append(k.runs, r)
			fmt.Fprintf(log, "%d reviews, %s: wall %.1f s, CPU %.1f s, peak %d MB\n", n, k.name, r.wall.Seconds(), r.cpu.Seconds(), r.peak/1e6)
			if k.again {
				if err := os.RemoveAll(dir); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// score streams a dataset into the command and counts the result lines, on its output or in
// the run directory.
func (m *measurer) score(ctx context.Context, reviews int, dir string, args []string) (measured, error) {
	r := measured{reviews: reviews, changes: (reviews + systems - 1) / systems}
	cmd := exec.CommandContext(ctx, m.bin, args...)
	cmd.Dir = m.work // no configuration of a project
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", m.cores))
	var answer lineCounter
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &answer, &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return r, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return r, err
	}
	fed := &byteCounter{w: in}
	feedErr := m.write(fed, reviews)
	err = errors.Join(in.Close(), cmd.Wait())
	r.wall = time.Since(start)
	if err != nil { // before feedErr: a broken pipe is its consequence
		return r, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	if feedErr != nil {
		return r, feedErr
	}
	if dir != "" {
		if err := answer.file(filepath.Join(dir, "scores.jsonl")); err != nil {
			return r, err
		}
	}
	if answer.lines != reviews {
		return r, fmt.Errorf("%d result lines", answer.lines)
	}
	r.bytes = fed.n
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	// In kilobytes, on Linux.
	r.peak = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return r, nil
}

// lineCounter counts lines.
type lineCounter struct{ lines int }

// Write counts the lines in b.
func (c *lineCounter) Write(b []byte) (int, error) {
	c.lines += bytes.Count(b, []byte("\n"))
	return len(b), nil
}

func (c *lineCounter) file(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(c, f)
	return errors.Join(err, f.Close())
}

// byteCounter counts the bytes that pass through it.
type byteCounter struct {
	w io.Writer
	n int64
}

// Write passes b on.
func (c *byteCounter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// readTime returns the mean CPU time to decode the JSON of a change. Ratios to it compare
// across machines.
func (g generator) readTime(changes int) (time.Duration, error) {
	var total time.Duration
	var text bytes.Buffer
	for i := range changes {
		text.Reset()
		if err := json.NewEncoder(&text).Encode(g.change(i)); err != nil {
			return 0, err
		}
		before, err := cpuTime()
		if err != nil {
			return 0, err
		}
		var rec record
		if err := json.Unmarshal(text.Bytes(), &rec); err != nil {
			return 0, err
		}
		after, err := cpuTime()
		if err != nil {
			return 0, err
		}
		total += after - before
	}
	return total / time.Duration(changes), nil
}

// cpuTime returns the CPU time of this process.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("asking for the CPU time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
