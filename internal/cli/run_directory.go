package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"crscore"
	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/internal/rundir"
	"crscore/internal/spelling"
	"crscore/internal/split"
	"crscore/internal/system"
	"crscore/score"
)

// keeping is the work of a command that keeps its results in a run directory.
type keeping struct {
	path     string
	manifest rundir.Manifest
	earlier  func(rows []byte) error // counts the lines of an earlier start
	// work goes through the rest of the dataset. It writes the lines of a change with w into
	// rows, and adds them to the directory.
	work func(dir *rundir.Run, rows *bytes.Buffer, w report.Writer) error
	tell func() error // says what the run came to
}

// keep does the work that a run directory does not have yet. A run that judged nothing leaves
// no directory behind.
func (r *runner) keep(ctx context.Context, k keeping) error {
	if r.name != "-" && r.file == "" { // else a wrong name would leave a directory
		if _, err := os.Stat(r.name); err != nil {
			return err
		}
	}
	if parts, shard := split.DirOf(r.name); parts != "" && r.file == "" {
		r.s.log.Warn(fmt.Sprintf("%s is a part of a dataset, and this a run of it alone: to put it together with others by crscore merge, give --data %s --shard %s", r.name, parts, shard))
	}
	dir, err := rundir.Open(k.path, k.manifest, k.earlier)
	if err != nil {
		return stopped(err)
	}
	r.dir = dir
	before := dir.Changes()
	switch {
	case dir.Finished():
		r.s.log.Note(spelling.Count("%s is finished: %d changes", k.path, before))
	case before > 0:
		r.s.log.Note(spelling.Count("%s: going on, %d changes are finished", k.path, before))
	}
	if n := dir.Cut(); n > 0 {
		r.s.log.Warn(spelling.Count("%s: its journal is torn behind %d changes; finished changes that are worked on again: %d", k.path, before, n))
	}
	var rows bytes.Buffer
	w, err := report.NewWriter(&rows, jsonl, report.TextOptions{})
	if err == nil {
		err = k.work(dir, &rows, w)
	}
	switch {
	case errors.As(err, new(nothing)) || err == nil && r.reviews == 0 && r.shard.Of <= 1:
		// A right dataset would be another one than the directory's.
		err = errors.Join(err, dir.Discard())
	case err == nil:
		err = dir.Finish(r.end)
	}
	err = errors.Join(err, dir.Close())
	if errors.As(err, new(nothing)) || err != nil && dir.Kept() == before && !errors.Is(err, context.Canceled) {
		return stopped(err)
	}
	if err := k.tell(); err != nil {
		return err
	}
	if err != nil {
		r.s.log.Note(spelling.Count("%s is unfinished, and %d changes of it are finished: the same command resumes", k.path, dir.Kept()))
		return incomplete{err}
	}
	return nil
}

// place is where a record stands.
func place(rec *dataset.Record) rundir.Place { return rundir.Place{Line: rec.Number, Text: rec.Sum} }

// stopped makes of a full disk, and of another process at work, what they are: no fault of the
// input, but results that are not all there. Another try may have them.
func stopped(err error) error {
	if system.Full(err) || errors.Is(err, rundir.ErrLocked) || errors.Is(err, split.ErrLocked) {
		return incomplete{err}
	}
	return err
}

// signedHere is a signature of numbers that this program makes without an engine.
func signedHere(s score.Signature) score.Signature {
	return append(score.Signature{{Name: "crscore", Value: crscore.Version}}, s...)
}

// eachRow reads result lines.
func eachRow(lines []byte, use func(dataset.Row) error) error {
	for line := range bytes.Lines(lines) {
		var r dataset.Row
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("a result line is not as this program writes it: %w", err)
		}
		r.System = r.Review // rows of earlier versions have none
		if err := use(r); err != nil {
			return err
		}
	}
	return nil
}
