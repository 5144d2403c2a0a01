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
	"time"

	"crscore/internal/dataset"
	"crscore/internal/system"
)

// kind is a way to run the command, with its measurements.
type kind struct {
	name  string
	dir   string // for run directories; empty for none
	again bool   // the run was finished before
	// apart runs several processes over the dataset in a file, in the place of one process.
	apart apart
	runs  []measured
}

// measured is one run of the command.
type measured struct {
	reviews, changes int
	bytes            int64 // of the dataset
	usage
}

// usage is what processes took.
type usage struct {
	// On a busy machine, half of the CPU time is the expected time on two free processors.
	wall, cpu time.Duration
	peak      int64 // most memory of a process at a time, in bytes
}

// changesOf is the number of changes with that many reviews.
func changesOf(reviews int) int { return (reviews + systems - 1) / systems }

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
			r, err := measured{}, error(nil)
			if k.apart != nil {
				r, err = m.inFile(ctx, n, k.apart)
			} else {
				r, err = m.score(ctx, n, dir, args)
			}
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
	r := measured{reviews: reviews, changes: changesOf(reviews)}
	var answer lineCounter
	feed := func(w io.Writer) error {
		fed := &byteCounter{w: w}
		err := m.write(fed, reviews)
		r.bytes = fed.n
		return err
	}
	u, err := m.process(ctx, m.bin, args, feed, &answer)
	if err != nil {
		return r, err
	}
	r.usage = u
	if dir != "" {
		if err := answer.file(filepath.Join(dir, "scores.jsonl")); err != nil {
			return r, err
		}
	}
	return r, answer.want(reviews)
}

// process runs a program to its end. feed writes to its standard input; nil leaves it empty.
func (m *measurer) process(ctx context.Context, bin string, args []string, feed func(io.Writer) error, out io.Writer) (u usage, err error) {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir = m.work // no configuration of a project
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", m.cores))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return u, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return u, err
	}
	var feedErr error
	if feed != nil {
		feedErr = feed(in)
	}
	err = errors.Join(in.Close(), cmd.Wait())
	u.wall = time.Since(start)
	if err != nil { // before feedErr: a broken pipe is its consequence
		return u, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.peak = system.PeakMemory(cmd.ProcessState)
	return u, feedErr
}

// lineCounter counts lines.
type lineCounter struct{ lines int }

// Write counts the lines in b.
func (c *lineCounter) Write(b []byte) (int, error) {
	c.lines += bytes.Count(b, []byte("\n"))
	return len(b), nil
}

// want returns an error for another number of lines.
func (c *lineCounter) want(lines int) error {
	if c.lines != lines {
		return fmt.Errorf("%d result lines", c.lines)
	}
	return nil
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
		if err := json.NewEncoder(&text).Encode(g.change(i).Written(nil)); err != nil {
			return 0, err
		}
		before, err := cpuTime()
		if err != nil {
			return 0, err
		}
		if _, err := dataset.NewReader(&text).Next(); err != nil {
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
	used, err := system.CPUTime()
	if err != nil {
		return 0, fmt.Errorf("asking for the CPU time: %w", err)
	}
	return used, nil
}
