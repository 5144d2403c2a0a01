package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"crscore/internal/journal"
	"crscore/internal/limits"
	"crscore/internal/matrices"
)

// A commit takes some milliseconds. The next commit comes after pace times the duration of
// the last, so that a fast run is not slowed down much, and after limits.JournalWait at the latest, so
// that a slow run loses little.
const (
	pace    = 20
	minWait = 10 * time.Millisecond
)

// Add appends the next change. The change is finished some time later, at the latest when
// Finish or Close returns. After a *matrices.Refused the run goes on, and keeps the change without
// its block; any other error is final.
func (r *Run) Add(c Change) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.tell()
	}
	err := r.add(c)
	if err != nil && !errors.As(err, new(*matrices.Refused)) {
		r.err = r.named(err)
		return r.tell()
	}
	if wait := r.wait(); wait <= 0 || r.batch >= limits.JournalBatch {
		r.commit()
	} else if r.timer == nil {
		r.timer = time.AfterFunc(wait, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.commit()
		})
	}
	if r.err != nil {
		return r.tell()
	}
	return err
}

// tell returns the final error.
func (r *Run) tell() error {
	r.told = true
	return r.err
}

// wait returns the time until the next commit.
func (r *Run) wait() time.Duration {
	return min(max(pace*r.cost, minWait), limits.JournalWait) - time.Since(r.synced)
}

// add writes a change, and leaves out a block that the file of matrices cannot hold: it returns a
// *matrices.Refused.
func (r *Run) add(c Change) (refused error) {
	if r.end != nil || r.replay != nil || c.Line <= r.last.line || len(c.Text) < textDigits {
		return fmt.Errorf("a bug in crscore, please report it: line %d is added out of turn", c.Line)
	}
	e := entry{
		line: c.Line, text: c.Text[:textDigits], rows: journal.Sum(c.Rows),
		scores: r.last.scores + int64(len(c.Rows)), matrices: r.last.matrices,
	}
	if err := r.settle(); err != nil {
		return err
	}
	if r.blocks != nil {
		if c.Block != nil {
			refused = r.blocks.Write(c.Block)
		}
		var err error
		if e.block = c.Block != nil && refused == nil; e.block {
			e.matrices, err = r.matrices.Size()
		} else if r.left++; !errors.As(refused, new(*matrices.Refused)) {
			err = refused
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.scores.Write(c.Rows); err != nil {
		return err
	}
	r.last = e
	r.pending = append(r.pending, e.String()...)
	r.batch++
	return refused
}

// commit finishes the changes that were added. The caller holds mu. An error is final: after
// a failed sync the file cannot be trusted.
func (r *Run) commit() {
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
	if r.err != nil || r.batch == 0 {
		return
	}
	start := time.Now()
	if err := r.flush(); err != nil {
		r.err = r.named(err)
		return
	}
	r.synced = time.Now()
	r.cost = r.synced.Sub(start)
}

// flush syncs the data, then writes and syncs the journal.
func (r *Run) flush() error {
	if r.matrices != nil {
		if err := r.matrices.Sync(); err != nil {
			return err
		}
	}
	if err := r.scores.Sync(); err != nil {
		return err
	}
	n, err := r.journal.Write(r.pending)
	// On a full disk the complete lines count: the next start finds them.
	r.done += min(r.batch, bytes.Count(r.pending[:n], []byte("\n")))
	if err == nil {
		err = r.journal.Sync()
	}
	if err != nil {
		return err
	}
	r.pending, r.batch = r.pending[:0], 0
	return nil
}

// Finish ends a run whose dataset was read to its end. For a run that was finished before,
// it checks that the dataset is still the same.
func (r *Run) Finish(e End) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.tell()
	}
	if err := r.finish(e); r.err == nil { // no commit has failed
		r.err = r.named(err)
	}
	return r.tell()
}

func (r *Run) finish(e End) error {
	if r.replay != nil {
		line, err := r.replay.peek()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err == nil && line.end == nil {
			return fmt.Errorf("the dataset is not the one that the run began with: it ends before line %d, which is finished", line.line)
		}
	}
	if r.end != nil {
		if err := r.end.mismatch(e); err != nil || !r.untold {
			return err
		}
		return r.manifest.write(r.disk, r.dir, &r.end.End)
	}
	if len(e.Text) != sumDigits {
		return errors.New("a bug in crscore, please report it: the checksum of the dataset is not known")
	}
	r.commit()
	if r.err != nil {
		return r.err
	}
	if err := r.settle(); err != nil {
		return err
	}
	last := end{End: e, scores: r.last.scores, matrices: r.last.matrices}
	if r.blocks != nil {
		var err error
		if r.left == 0 { // else the missing end mark shows that blocks are missing
			err = r.blocks.Close()
		}
		if err == nil {
			last.matrices, err = r.matrices.Size()
		}
		if err != nil {
			return err
		}
	}
	r.pending = append(r.pending, last.String()...)
	if err := r.flush(); err != nil {
		return err
	}
	return r.manifest.write(r.disk, r.dir, &e)
}

// Close finishes the changes that were added, unless an error occurred, and unlocks the
// directory.
func (r *Run) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commit()
	err := r.named(r.close())
	if r.err != nil && !r.told { // a commit by the clock may have failed
		err = errors.Join(r.err, err)
	}
	if r.err == nil {
		r.err = errors.New("the run directory is closed")
	}
	return err
}

func (r *Run) close() error {
	err := r.runFiles.close()
	if r.unlock != nil {
		err = errors.Join(err, r.unlock())
		r.unlock = nil
	}
	return err
}

// removeLock frees the lock and removes its file.
func (r *Run) removeLock() error {
	err := r.disk.RemoveLock(r.path(lockName), r.unlock)
	r.unlock = nil
	return err
}

// Discard removes a run without result lines, so that another run can use the directory. It
// keeps a run with results.
func (r *Run) Discard() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
	if r.err != nil || r.end != nil || r.last.scores > 0 {
		return nil
	}
	r.err, r.told = errors.New("the run directory is discarded"), true
	r.last, r.good = entry{}, 0
	err := r.cut()                             // after a crash from here on, the run is new
	err = errors.Join(err, r.runFiles.close()) // Windows removes no file that is open
	// The manifest first: empty files without it are no run.
	for _, name := range append([]string{ManifestName}, r.manifest.names()...) {
		if err == nil {
			err = r.disk.Remove(r.path(name))
		}
	}
	if err == nil && r.locks {
		err = r.removeLock()
	}
	if err == nil && r.made {
		err = r.disk.Remove(r.dir)
	}
	if err != nil {
		return fmt.Errorf("removing the run directory %s: %w", r.dir, err)
	}
	return nil
}
