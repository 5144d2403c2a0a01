package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// apart scores a dataset in a file with several processes, and counts the result lines.
type apart func(ctx context.Context, data string) (usage, *lineCounter, error)

// inFile writes a dataset to a file for the time of a measurement.
func (m *measurer) inFile(ctx context.Context, reviews int, score apart) (r measured, err error) {
	r = measured{reviews: reviews, changes: changesOf(reviews)}
	data := filepath.Join(m.work, "data.jsonl")
	f, err := os.Create(data)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.Remove(data)) }()
	fed := &byteCounter{w: f}
	if err := errors.Join(m.write(fed, reviews), f.Close()); err != nil {
		return r, fmt.Errorf("writing the dataset: %w", err)
	}
	r.bytes = fed.n
	u, answer, err := score(ctx, data)
	if err != nil {
		return r, err
	}
	r.usage = u
	return r, answer.want(reviews)
}

// machines adds up a job array: a machine with its own processors for each shard. They are
// measured one after the other; the wall time is the longest shard's, with what comes before
// and after all shards.
type machines struct {
	*measurer
	total   usage
	longest usage
}

// alone adds a process that no other process runs beside.
func (a *machines) alone(ctx context.Context, out *lineCounter, args ...string) error {
	u, err := a.process(ctx, a.bin, args, nil, out)
	a.total = usage{a.total.wall + u.wall, a.total.cpu + u.cpu, max(a.total.peak, u.peak)}
	return err
}

// shard adds one of the processes at the same time.
func (a *machines) shard(ctx context.Context, args ...string) error {
	u, err := a.process(ctx, a.bin, args, nil, &lineCounter{})
	a.longest = usage{max(a.longest.wall, u.wall), a.longest.cpu + u.cpu, max(a.longest.peak, u.peak)}
	return err
}

// sum is the usage of all.
func (a *machines) sum() usage {
	return usage{a.total.wall + a.longest.wall, a.total.cpu + a.longest.cpu, max(a.total.peak, a.longest.peak)}
}

// shards scores a dataset as n shards: every n-th line of the whole file, or n parts of it.
func (m *measurer) shards(n int, split bool) apart {
	return func(ctx context.Context, data string) (u usage, _ *lineCounter, err error) {
		dir, err := os.MkdirTemp(m.work, "shards")
		if err != nil {
			return u, nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		array, merge := machines{measurer: m}, []string{"merge"}
		if split {
			parts := filepath.Join(dir, "parts")
			if err := array.alone(ctx, &lineCounter{}, "split", "--data", data, "--shards", fmt.Sprint(n), "--out", parts); err != nil {
				return u, nil, err
			}
			data = parts
		}
		for i := range n {
			run := filepath.Join(dir, fmt.Sprint("run", i))
			if err := array.shard(ctx, "score", "--data", data, "--out", run, "--shard", fmt.Sprintf("%d/%d", i+1, n)); err != nil {
				return u, nil, fmt.Errorf("shard %d: %w", i+1, err)
			}
			merge = append(merge, run)
		}
		var answer lineCounter
		err = array.alone(ctx, &answer, merge...)
		return array.sum(), &answer, err
	}
}

// beam scores a dataset with crscore-beam in one process.
func (m *measurer) beam(bin string) apart {
	return func(ctx context.Context, data string) (u usage, _ *lineCounter, err error) {
		dir, err := os.MkdirTemp(m.work, "beam")
		if err != nil {
			return u, nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		out := filepath.Join(dir, "out")
		var answer lineCounter
		if u, err = m.process(ctx, bin, []string{"--data", data, "--out", out}, nil, &lineCounter{}); err != nil {
			return u, nil, err
		}
		files, err := filepath.Glob(filepath.Join(out, "scores", "*.jsonl"))
		for _, file := range files {
			err = errors.Join(err, answer.file(file))
		}
		return u, &answer, err
	}
}
