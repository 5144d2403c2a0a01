package crscore

import (
	"context"

	"golang.org/x/sync/errgroup"

	"crscore/change"
)

// The size of a batch: so many changes of a dataset, or so many bytes of whole files,
// go to the batch sources at once. They are held in memory until their turn.
const (
	batchChanges = 200
	batchBytes   = 32 << 20
)

// loadedJob is a Job, with its change and the answers of the batch sources if these
// were made before its turn.
type loadedJob struct {
	Job
	loaded  bool
	in      Input
	err     error // of Load
	answers []*Answer
}

// load calls Job.Load on the first call.
func (j *loadedJob) load() {
	if !j.loaded {
		j.in, j.err = j.Load()
		j.loaded = true
	}
}

// size returns the bytes of whole files that a job holds.
func (j *loadedJob) size() int {
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

// batched wraps next: it reads many jobs ahead and asks the batch sources about all of
// them. Without such sources the jobs are loaded in their turn.
func (e *Engine) batched(ctx context.Context, next func() (Job, error)) func() (loadedJob, error) {
	if !e.batches() {
		return func() (loadedJob, error) {
			j, err := next()
			return loadedJob{Job: j}, err
		}
	}
	var batch []loadedJob
	var end error // of next, returned after the batch before it
	return func() (loadedJob, error) {
		if len(batch) == 0 && end == nil {
			batch, end = e.readBatch(next)
			if err := e.answerBatch(ctx, batch); err != nil {
				return loadedJob{}, err
			}
		}
		if len(batch) == 0 {
			return loadedJob{}, end
		}
		j := batch[0]
		batch[0], batch = loadedJob{}, batch[1:]
		return j, nil
	}
}

// answerBatch asks the batch sources about the changes of jobs. The error is ctx's own.
func (e *Engine) answerBatch(ctx context.Context, batch []loadedJob) error {
	var jobs []*loadedJob
	var inputs []Input
	for i := range batch {
		if j := &batch[i]; j.err == nil && j.in.Change != nil {
			jobs, inputs = append(jobs, j), append(inputs, j.in)
		}
	}
	answers, err := e.askBatchSources(ctx, inputs)
	for i, j := range jobs {
		j.answers = answers[i]
	}
	return err
}

// readBatch reads and loads the jobs of a batch. It returns the error of next with the jobs
// that came before the error.
func (e *Engine) readBatch(next func() (Job, error)) ([]loadedJob, error) {
	var batch []loadedJob
	for size := 0; len(batch) < batchChanges && size < batchBytes; {
		first := len(batch)
		var err error
		for len(batch) < first+e.workers && err == nil {
			var j Job
			if j, err = next(); err == nil {
				batch = append(batch, loadedJob{Job: j})
			}
		}
		var g errgroup.Group
		for i := range batch[first:] {
			g.Go(func() error {
				batch[first+i].load()
				return nil
			})
		}
		_ = g.Wait() // a job keeps its own error
		for i := range batch[first:] {
			size += batch[first+i].size()
		}
		if err != nil {
			return batch, err
		}
	}
	return batch, nil
}
