package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/present"
	"crscore/internal/rundir"
	"crscore/internal/split"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
)

// runner streams a dataset, through an engine with run, and counts what went wrong.
type runner struct {
	engine *crscore.Engine // for run
	name   string          // of the dataset, for messages
	form   dataset.Options
	s      streams
	// refs are files with a human reference a line. The dataset is a file of reviews then.
	refs []string
	// reference tells the reviews that others are compared with, by place and id: a change
	// may have several of one id. nil where there are none.
	reference func(i int, id string) bool
	// dir has the changes that are finished already, which are left out, and shard is
	// the part of the dataset that counts. dir is nil for a run without a directory.
	dir   *rundir.Run
	shard rundir.Shard
	// parts are those of a dataset that crscore split has cut, and file is that of the shard.
	// parts is nil where the dataset is whole.
	parts *split.Manifest
	file  string

	end       rundir.End // of the dataset, where there is a directory
	malformed int        // lines that are no records
	unscored  int        // reviews
	leftOut   int        // reviews of changes with files that could not be read
	changes   int        // all that were read
	reviews   int        // likewise
	// strict is for those who join by ids and print no line a review: duplicate ids
	// are an error, and why there is no score is said on stderr.
	strict bool
	// prints is for those who print results as they come, mute for those who read the
	// dataset a second time later.
	prints, mute bool
	// sum takes the checksum of all of the dataset's bytes as they are read, if not nil: it
	// tells a reader of a report which file that was, as sha256sum does. That of the
	// dataset's reader is another one: it is known at each record, and the same whether
	// the text is packed or not.
	sum hash.Hash
}

// Kinds of messages about datasets.
const (
	malformedLines  = "malformed lines"
	leftOutChanges  = "changes that are left out"
	changeWarnings  = "warnings about changes"
	unscoredReviews = "reviews without a score"
	usedIDs         = "lines with ids that were used before"
	repeatedIDs     = "changes with two reviews of one id"
	malformedLabels = "reviews with malformed labels"
)

// run judges every record and gives the outcomes to emit, in input order.
func (r *runner) run(ctx context.Context, emit func(*dataset.Record, crscore.Outcome) error) error {
	r.form.ClaimSets = append(r.form.ClaimSets, r.engine.ClaimSets()...)
	return r.stream("scoring", func(next func() (*dataset.Record, error), finish func()) error {
		job := func() (crscore.Job, error) {
			rec, err := next()
			if err != nil {
				return crscore.Job{}, err
			}
			return evidence.Job(rec), nil
		}
		return r.engine.Stream(ctx, job, func(o crscore.Outcome) error {
			rec := o.Tag.(*dataset.Record)
			r.count(rec, &o)
			finish()
			return emit(rec, o)
		})
	})
}

// stream opens the dataset and has work go through it. work asks for one record after the
// other until io.EOF, and calls finish behind each. stream says what is wrong with the
// dataset, and shows the progress of what is done with it.
func (r *runner) stream(what string, work func(next func() (*dataset.Record, error), finish func()) error) error {
	in, size, err := r.open()
	if err != nil {
		return err
	}
	defer in.Close()
	bar := r.s.progress(what, r.unit(), size, r.prints)
	defer bar.End()
	if r.mute {
		r.s.log = terminal.NewLog(io.Discard)
	}
	text := bar.Reader(in)
	if r.sum != nil {
		text = io.TeeReader(text, r.sum)
	}
	reader, done, err := r.records(in, text, bar)
	if err != nil {
		return atStart(err)
	}
	defer done.Close()
	if say := reader.Lacks(); say != "" {
		return nothing{fmt.Errorf("%s: no review was found: %s", stdio.Name(r.name), say)}
	}
	if r.dir != nil {
		reader.KeepSum()
		if r.parts == nil {
			reader.Only(r.shard.Has)
		}
	}
	err = work(func() (*dataset.Record, error) { return r.next(reader, bar) }, bar.Finish)
	if err == nil && r.sum != nil { // what follows the last record
		if _, err = io.Copy(io.Discard, text); err != nil {
			err = fmt.Errorf("reading %s: %w", stdio.Name(r.name), err)
		}
	}
	r.end = rundir.End{Lines: reader.Lines(), Malformed: r.malformed, Text: reader.Sum()}
	if err != nil {
		return err
	}
	if r.parts != nil {
		if err := r.parts.Check(r.shard.Number, r.end.Lines, r.end.Text); err != nil {
			return err
		}
		r.end.Lines, r.end.Text = r.parts.Lines, r.parts.SHA256
	}
	return r.found(reader)
}

// divide takes a shard of the dataset: some of its lines, or a part of a dataset that
// crscore split has cut.
func (r *runner) divide(shard string) (err error) {
	if r.shard, err = rundir.ParseShard(shard); err != nil {
		return fmt.Errorf("--shard: %w", err)
	}
	dir := split.Dir(r.name)
	if dir == "" {
		return nil
	}
	parts, err := split.Open(dir)
	if err != nil {
		return err
	}
	switch n := len(parts.Parts); {
	case r.shard.Of == 0:
		return fmt.Errorf("%s has the %d parts of %s: say which with --shard, such as --shard 1/%d", dir, n, parts.Name, n)
	case r.shard.Of != n:
		return fmt.Errorf("%s has the %d parts of %s, and --shard %s is one of %d: give --shard %d/%d", dir, n, parts.Name, r.shard, r.shard.Of, min(r.shard.Number, n), n)
	}
	if err := parts.Verify(dir, r.shard.Number); err != nil {
		return err
	}
	r.parts, r.file = parts, filepath.Join(dir, parts.Parts[r.shard.Number-1].File)
	r.form.Start, r.name = parts.Start(r.shard.Number), parts.Name
	return nil
}

// manifest is that of a run directory, for the lines of the run.
func (r *runner) manifest(m rundir.Manifest) rundir.Manifest {
	if m.Shard = r.shard; r.parts != nil {
		p := r.parts.Parts[r.shard.Number-1]
		m.Lines = rundir.Lines{First: p.First, Last: p.Last()}
	}
	return m
}

// next reads the next change that is to be worked on.
func (r *runner) next(reader *dataset.Reader, bar *terminal.Progress) (*dataset.Record, error) {
	for {
		rec, err := r.read(reader)
		if err != nil {
			return nil, err
		}
		if err := r.checkIDs(reader, rec); err != nil {
			return nil, err
		}
		if r.dir != nil {
			switch done, err := r.dir.Done(place(rec)); {
			case err != nil:
				return nil, err
			case done:
				bar.Keep()
				continue
			}
		}
		bar.Begin()
		return rec, nil
	}
}

// read returns the next record, and leaves out malformed lines.
func (r *runner) read(reader *dataset.Reader) (*dataset.Record, error) {
	for {
		rec, err := reader.Next()
		var bad *dataset.LineError
		switch {
		case errors.As(err, &bad):
			r.malformed++
			r.fail(malformedLines, bad.Error()+"; "+leftOutLine(bad))
			continue
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case err != nil:
			err = fmt.Errorf("%s: %w", stdio.Name(r.name), err)
			if r.changes == 0 {
				err = atStart(err)
			}
			return nil, err
		}
		r.changes++
		r.reviews += len(rec.Reviews)
		return &rec, nil
	}
}

// checkIDs warns of ids that are used twice, or refuses them.
func (r *runner) checkIDs(reader *dataset.Reader, rec *dataset.Record) error {
	if twice := present.RepeatedReview(rec.Reviews, r.reference); twice != "" {
		msg := fmt.Sprintf("%s: change %q has two reviews %q", rec.Where(), rec.ID, twice)
		if r.strict {
			return fmt.Errorf("%s: %s", stdio.Name(r.name), msg)
		}
		r.warn(repeatedIDs, msg+"; both are scored")
	}
	if line, dup := reader.FirstUse(rec); dup {
		if r.strict {
			return fmt.Errorf("%s: %s: id %q is that of %s too", stdio.Name(r.name), rec.Where(), rec.ID, rec.At(line))
		}
		r.warn(usedIDs, fmt.Sprintf("%s: id %q is that of %s too; both are scored", rec.Where(), rec.ID, rec.At(line)))
	}
	return nil
}

// count tells the warnings about a change, and counts its reviews without a score.
func (r *runner) count(rec *dataset.Record, o *crscore.Outcome) {
	for _, w := range o.Warnings {
		r.warn(changeWarnings, fmt.Sprintf("%s: change %s: %s", rec.Where(), rec.ID, w))
	}
	if o.LeftOut > 0 {
		r.leftOut += len(o.Results)
	}
	present.MarkFaulty(rec, o.Results)
	for i := range o.Results {
		if o.Results[i].Status != crscore.Unscored {
			continue
		}
		if r.unscored++; r.strict {
			r.fail(unscoredReviews, fmt.Sprintf("%s: change %s, review %s has no score: %s", rec.Where(), rec.ID, rec.Reviews[i].ID, o.Results[i].Reason))
		}
	}
}

// nothing is the error of a dataset in which nothing can be judged.
type nothing struct{ error }

func (e nothing) Unwrap() error { return e.error }

// atStart is an error before the first change: nothing is left of the run. One that was
// interrupted can go on.
func atStart(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return nothing{err}
}

// found is called behind the last record. It returns an error if a whole dataset has no
// review, or no line that can be read; a shard may have none.
func (r *runner) found(reader *dataset.Reader) error {
	if n := reader.EmptyCells(); n > 0 && r.form.EmptyCells == "" {
		r.s.log.Warn(fmt.Sprintf("%s: cells that are missing reviews (empty, or nan, None, <NA>, null and the like), without a score: %d (--empty-cells review takes them for reviews that say nothing, and score 0)", stdio.Name(r.name), n))
	}
	part := r.shard.Of > 1 && (reader.Lines() > 0 || r.parts != nil)
	switch {
	case r.changes == 0 && r.malformed > 0 && !part:
		return nothing{fmt.Errorf("%s: no line could be read as a change (malformed lines: %d)", stdio.Name(r.name), r.malformed)}
	case r.reviews == 0 && r.malformed == 0 && !part:
		return nothing{fmt.Errorf("%s: no review was found: %s", stdio.Name(r.name), reader.Seen())}
	}
	return nil
}

// missing describes what has no score, nil when everything has. more are descriptions too.
func (r *runner) missing(more ...string) error {
	var what []string
	if r.malformed > 0 {
		what = append(what, fmt.Sprintf("malformed lines: %d", r.malformed))
	}
	if r.unscored > 0 {
		without := fmt.Sprintf("reviews without a score: %d", r.unscored)
		if !r.strict {
			without += " (each says why)" // in its line
		}
		what = append(what, without)
	}
	if r.leftOut > 0 {
		what = append(what, fmt.Sprintf("reviews of changes with files that could not be read: %d", r.leftOut))
	}
	if what = append(what, more...); len(what) == 0 {
		return nil
	}
	return incomplete{fmt.Errorf("incomplete: %s", strings.Join(what, "; "))}
}

// warn and fail say something about the dataset.
func (r *runner) warn(kind, msg string) {
	r.s.log.SayOfKind(slog.LevelWarn, kind, stdio.Name(r.name)+": "+msg)
}

func (r *runner) fail(kind, msg string) {
	r.s.log.SayOfKind(slog.LevelError, kind, stdio.Name(r.name)+": "+msg)
}

// open opens the dataset; its size is -1 where that is not known.
func (r *runner) open() (in io.ReadCloser, size int64, err error) {
	in, err = r.s.in.Open(cmp.Or(r.file, r.name))
	if err != nil {
		return nil, 0, err
	}
	f, ok := in.(*os.File)
	if !ok {
		return in, -1, nil
	}
	st, err := f.Stat()
	switch {
	case err == nil && r.file == "" && split.Dir(r.name) != "":
		dir := split.Dir(r.name)
		err = fmt.Errorf("%s has the parts of a dataset: give one of %s, or the folder with --out and --shard", dir, filepath.Join(dir, "part-*"))
	case err == nil && st.IsDir():
		err = fmt.Errorf("%s is a folder, not a dataset", r.name)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, st.Size(), nil
}

// unit is what the progress counts.
func (r *runner) unit() string {
	if len(r.refs) > 0 {
		return "lines"
	}
	return "changes"
}

// records starts reading the dataset, or the files that stand beside it line by line.
func (r *runner) records(in io.ReadCloser, text io.Reader, bar *terminal.Progress) (*dataset.Reader, closers, error) {
	if len(r.refs) == 0 {
		reader, err := r.reader(in, text, bar)
		return reader, nil, err
	}
	texts := []dataset.Text{{ID: systemOf(r.name), Name: stdio.Name(r.name), Lines: text}}
	var open closers
	for _, name := range r.refs {
		ref, err := r.s.in.Open(name)
		if err != nil {
			return nil, nil, errors.Join(err, open.Close())
		}
		open = append(open, ref)
		texts = append(texts, dataset.Text{ID: systemOf(name), Name: stdio.Name(name), Lines: ref})
	}
	return dataset.NewPairs(texts...), open, nil
}

// systemOf is the name of a file of reviews as a system: without folder and endings.
func systemOf(name string) string {
	if name == "-" {
		return "stdin"
	}
	name = strings.TrimSuffix(filepath.Base(name), ".gz")
	return cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), name)
}

// reader starts reading the dataset in its format, and tells how a table is read.
func (r *runner) reader(in io.ReadCloser, text io.Reader, bar *terminal.Progress) (*dataset.Reader, error) {
	src := source(r.name, in)
	src.Text = text
	if bar != nil {
		src.Read = bar.Step
	}
	reader, err := dataset.Open(src, r.form)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stdio.Name(r.name), err)
	}
	if about := reader.About(); about != "" {
		r.s.log.Note(stdio.Name(r.name) + ": " + about)
	}
	return reader, nil
}

// source is what a dataset or scores are read from.
func source(name string, in io.Reader) dataset.Source {
	src := dataset.Source{Name: name, Text: in}
	if f, ok := in.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			src.File, src.Size = f, st.Size()
		}
	}
	return src
}

// leftOutLine says what becomes of a line that is no record.
func leftOutLine(e *dataset.LineError) string {
	if e.Row {
		return "the row is left out"
	}
	return "the line is left out"
}
