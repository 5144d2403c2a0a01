package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/cli"
	"crscore/internal/dataset"
	"crscore/internal/present"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/setup"
)

// worker is the engine of a process, with a slot for each change that it may score at a time:
// bundles run side by side, and none of them knows of the others.
type worker struct {
	engine *crscore.Engine
	slots  chan struct{}
	// told is how many of the engine's truncated texts were counted. mu guards it.
	told uint64
	mu   sync.Mutex
}

// truncated returns how many texts were cut since the last call. Those of a bundle that fails
// later are lost, so that their number is a lower bound.
func (w *worker) truncated() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.told
	w.told = w.engine.Truncated()
	return int64(w.told - before)
}

// workers are the engines of the process by their settings, which has one but in tests. Beam makes
// and ends DoFns as it likes; an engine stays as long as the process.
var workers = struct {
	sync.Mutex
	byKey map[string]*worker
}{byKey: map[string]*worker{}}

// openWorker opens the engine of the process, or returns it. Warnings of the engine go to log.
func openWorker(ctx context.Context, s setup.Settings, log io.Writer) (*worker, error) {
	key, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	workers.Lock()
	defer workers.Unlock()
	if w := workers.byKey[string(key)]; w != nil {
		return w, nil
	}
	e, err := setup.Open(ctx, s, cli.EngineLog(log))
	if err != nil {
		return nil, fmt.Errorf("opening the engine: %w", err)
	}
	w := &worker{engine: e, slots: make(chan struct{}, e.Workers())}
	workers.byKey[string(key)] = w
	return w, nil
}

// scoreFn scores changes.
type scoreFn struct {
	Engine     setup.Settings
	Signature  string
	Explain    bool
	ShardLines int
	Ahead      int

	worker *worker
	queue  []chan *scored // the changes in work, in the order of the bundle
}

// scored is a line with what became of it.
type scored struct {
	line Line
	rec  dataset.Record
	out  crscore.Outcome
	rows []dataset.Row
	err  error // the line has no rows; or ctx's own
}

// Setup opens the engine. One that would score otherwise than the launcher's must not write.
func (f *scoreFn) Setup(ctx context.Context) error {
	w, err := openWorker(context.WithoutCancel(ctx), f.Engine, os.Stderr) // the engine outlives the DoFn
	if err != nil {
		return err
	}
	if got := w.engine.Signature(); got != f.Signature {
		return fmt.Errorf("this worker would score otherwise than the launcher: its signature is %q, the launcher's %q", got, f.Signature)
	}
	f.worker = w
	if f.Ahead == 0 {
		f.Ahead = 2 * cap(w.slots)
	}
	return nil
}

// StartBundle forgets the changes of a bundle that failed.
func (f *scoreFn) StartBundle(context.Context, func(string, Out), func(string, Sum), func(string, Uses)) {
	f.queue = nil
}

// ProcessElement takes a line into work, and tells the oldest ones. Only this goroutine may emit.
func (f *scoreFn) ProcessElement(
	ctx context.Context, line Line, out func(string, Out), sums func(string, Sum), uses func(string, Uses),
) error {
	done := make(chan *scored, 1)
	f.queue = append(f.queue, done)
	go func() { done <- f.worker.score(ctx, line, f.Explain) }()
	return f.tell(ctx, f.Ahead, out, sums, uses)
}

// FinishBundle tells the rest.
func (f *scoreFn) FinishBundle(ctx context.Context, out func(string, Out), sums func(string, Sum), uses func(string, Uses)) error {
	if err := f.tell(ctx, 0, out, sums, uses); err != nil {
		return err
	}
	if n := f.worker.truncated(); n > 0 {
		count(ctx, sums, truncatedTexts, n)
	}
	return nil
}

// tell emits the results of changes until only so many are left in work.
func (f *scoreFn) tell(ctx context.Context, left int, out func(string, Out), sums func(string, Sum), uses func(string, Uses)) error {
	for len(f.queue) > left {
		s := <-f.queue[0]
		f.queue = f.queue[1:]
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.emit(ctx, s, out, sums, uses); err != nil {
			return fmt.Errorf("%s: line %d: %w", s.line.File.Path, s.line.Number, err)
		}
	}
	return nil
}

// score scores a line. It does not fail: whatever happens is a result.
func (w *worker) score(ctx context.Context, line Line, explain bool) (s *scored) {
	w.slots <- struct{}{}
	defer func() { <-w.slots }()
	s = &scored{line: line}
	defer func() {
		if p := recover(); p != nil {
			s.err = fmt.Errorf("bug: panic: %v", p)
			log.Errorf(ctx, "%s: line %d: %v\n%s", line.File.Path, line.Number, s.err, debug.Stack())
		}
	}()
	if s.rec, s.err = dataset.Decode(line.Text, line.Number); s.err != nil {
		return s
	}
	s.line.Text = nil
	if s.out, s.err = w.engine.Do(ctx, evidence.Job(&s.rec)); s.err != nil {
		return s
	}
	present.MarkFaulty(&s.rec, s.out.Results)
	s.rows = (&run.Engine{Engine: w.engine, Explain: explain}).Rows(&s.rec, s.out)
	return s
}

// emit tells the results of a change.
func (f *scoreFn) emit(ctx context.Context, s *scored, out func(string, Out), sums func(string, Sum), uses func(string, Uses)) error {
	file, line := s.line.File, s.line.Number
	dead := func(id, review string, err string) error {
		count(ctx, sums, deadLetters, 1)
		letter := deadLetter{File: file.Path, Line: line, ID: id, Review: review, Reason: err}
		return tellLine(out, shardName(deadDir, file.Index, line, f.ShardLines), line, letter)
	}
	var bad *dataset.LineError
	switch {
	case errors.As(s.err, &bad):
		count(ctx, sums, malformedLines, 1)
		return dead("", "", bad.Err.Error())
	case s.err != nil:
		count(ctx, sums, failedChanges, 1)
		return dead(s.rec.ID, "", s.err.Error())
	}
	count(ctx, sums, changesScored, 1)
	hash := sha256.Sum256([]byte(s.rec.ID))
	uses(hex.EncodeToString(hash[:16]), Uses{ID: short(s.rec.ID), N: 1, Places: []Place{{file, line}}})

	if twice := present.RepeatedReview(s.rec.Reviews, nil); twice != "" {
		s.out.Warnings = append(s.out.Warnings, fmt.Sprintf("the change has two reviews %q; both are scored", twice))
	}
	for _, w := range s.out.Warnings {
		count(ctx, sums, changeWarnings, 1)
		if err := tellLine(out, shardName(warningsDir, file.Index, line, f.ShardLines), line, warning{file.Path, line, s.rec.ID, w}); err != nil {
			return err
		}
	}
	return f.emitRows(ctx, s, out, sums, dead)
}

// emitRows tells the rows of a change, and adds them to the sums of their systems.
func (f *scoreFn) emitRows(
	ctx context.Context, s *scored, out func(string, Out), sums func(string, Sum), dead func(id, review, err string) error,
) error {
	var b bytes.Buffer
	w, err := report.NewWriter(&b, "jsonl", report.TextOptions{})
	if err != nil {
		return err
	}
	for _, r := range s.rows {
		if err := w.Write(r); err != nil {
			return err
		}
		if numbers := run.Numbers(&r); numbers != nil {
			count(ctx, sums, reviewsScored, 1)
			sums(systemKey+r.Review, Sum{N: 1, Con: fixed(numbers[0]), Comp: fixed(numbers[1]), Rel: fixed(numbers[2])})
			continue
		}
		count(ctx, sums, reviewsUnscored, 1)
		sums(systemKey+r.Review, Sum{Unscored: 1})
		if err := dead(r.ID, r.Review, r.Reason); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if b.Len() > 0 {
		out(shardName(scoresDir, s.line.File.Index, s.line.Number, f.ShardLines), Out{Line: s.line.Number, Text: b.Bytes()})
	}
	return nil
}

// short cuts an id that no person would write.
func short(id string) string {
	const most = 1 << 10
	if len(id) <= most {
		return id
	}
	return string([]rune(id[:most])) + "…"
}
