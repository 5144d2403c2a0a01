package crscore

import (
	"context"

	"golang.org/x/sync/errgroup"

	"crscore/change"
)

// So many changes of a dataset are given to the tools at once, or so many bytes
// of whole files, which are held in memory until then.
const (
	batchChanges = 200
	batchBytes   = 32 << 20
)

// loaded is a Job, and its input when that was made before its turn.
type loaded struct {
	Job
	done bool
	in   Input
	err  error
}

func (j *loaded) load() {
	j.in, j.err = j.Load()
	j.done = true
}

// size is how much text the input holds.
func (j *loaded) size() int {
	n := 0
	if j.err == nil && j.in.Change != nil {
		for i := range j.in.Change.Files {
			for _, side := range []change.Side{change.Old, change.New} {
				text, _ := j.in.Change.Files[i].Whole(side)
				n += len(text)
			}
		}
	}
	return n
}

// loaded is next with the jobs' changes examined by the tools, many at a time.
// Without tools the jobs are loaded when it is their turn.
func (e *Engine) loaded(ctx context.Context, next func() (Job, error)) func() (loaded, error) {
	tools := toolsOf(e.smells)
	if len(tools) == 0 {
		return func() (loaded, error) {
			j, err := next()
			return loaded{Job: j}, err
		}
	}
	var batch []loaded
	var end error // of next, told when the batch before it is through
	return func() (loaded, error) {
		if len(batch) == 0 && end == nil {
			batch, end = e.read(next)
			var inputs []*Input
			for i := range batch {
				if batch[i].err == nil && batch[i].in.Change != nil {
					inputs = append(inputs, &batch[i].in)
				}
			}
			if err := examine(ctx, tools, inputs); err != nil {
				return loaded{}, err
			}
		}
		if len(batch) == 0 {
			return loaded{}, end
		}
		j := batch[0]
		batch[0], batch = loaded{}, batch[1:]
		return j, nil
	}
}

// read reads and loads as many jobs as make a batch. The error is that of next,
// behind the jobs that came before it.
func (e *Engine) read(next func() (Job, error)) ([]loaded, error) {
	var batch []loaded
	for size := 0; len(batch) < batchChanges && size < batchBytes; {
		first := len(batch)
		var err error
		for len(batch) < first+e.workers && err == nil {
			var j Job
			if j, err = next(); err == nil {
				batch = append(batch, loaded{Job: j})
			}
		}
		var g errgroup.Group
		for i := range batch[first:] {
			g.Go(func() error {
				batch[first+i].load()
				return nil
			})
		}
		_ = g.Wait() // an error of a job is its own
		for i := range batch[first:] {
			size += batch[first+i].size()
		}
		if err != nil {
			return batch, err
		}
	}
	return batch, nil
}
