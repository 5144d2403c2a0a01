package cli

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/report"
	"crscore/internal/rundir"
)

// runner streams a dataset through an engine and counts what went wrong.
type runner struct {
	engine *crscore.Engine
	name   string // of the dataset, for messages
	form   dataset.Options
	s      streams
	// dir has the changes that are finished already, which are left out, and shard is
	// the part of the dataset that counts. dir is nil for a run without a directory.
	dir   *rundir.Run
	shard rundir.Shard

	end        rundir.End // of the dataset, where there is a directory
	malformed  int        // lines that are no records
	unscored   int        // reviews
	duplicates int        // records with an id that was used before
	repeated   int        // changes with two reviews of one id
	// strict is for those who join by ids and print no line a review: duplicate ids
	// are an error, and why there is no score is said on stderr.
	strict bool
	// prints is for those who print results as they come.
	prints bool
	// sum takes the checksum of all of the dataset's bytes as they are read, if not nil: it
	// tells a reader of a report which file that was, as sha256sum does. That of the
	// dataset's reader is another one: it is known at each record, and the same whether
	// the text is packed or not.
	sum hash.Hash
}

// maxSaid bounds the warnings about one kind of fault; the rest is counted. A line that
// is left out is always told, for nothing else has its number.
const maxSaid = 5

// run judges every record and gives the outcomes to emit, in input order.
func (r *runner) run(ctx context.Context, emit func(*dataset.Record, crscore.Outcome) error) error {
	in, size, err := r.open()
	if err != nil {
		return err
	}
	defer in.Close()
	bar := r.s.progress("scoring", "changes", size, r.prints)
	defer bar.end()
	read := bar.reader(in)
	if r.sum != nil {
		read = io.TeeReader(read, r.sum)
	}
	reader, err := r.reader(in, read, size, bar)
	if err != nil {
		return err
	}
	if r.dir != nil {
		reader.KeepSum()
		reader.Only(r.shard.Has)
	}
	next := func() (crscore.Job, error) {
		for {
			rec, err := reader.Next()
			var bad *dataset.LineError
			switch {
			case errors.As(err, &bad):
				r.malformed++
				r.fail(bad.Error() + "; " + leftOutLine(bad))
				continue
			case errors.Is(err, io.EOF):
				return crscore.Job{}, io.EOF
			case err != nil:
				return crscore.Job{}, fmt.Errorf("%s: %w", showInput(r.name), err)
			}
			if twice := repeated(rec.Reviews); twice != "" {
				msg := fmt.Sprintf("%s: change %q has two reviews %q", rec.Where(), rec.ID, twice)
				if r.strict {
					return crscore.Job{}, fmt.Errorf("%s: %s", showInput(r.name), msg)
				}
				if r.repeated++; r.repeated <= maxSaid {
					r.warn(msg + "; both are scored")
				}
			}
			if line, dup := reader.FirstUse(&rec); dup {
				if r.strict {
					return crscore.Job{}, fmt.Errorf("%s: %s: id %q is that of %s too", showInput(r.name), rec.Where(), rec.ID, rec.At(line))
				}
				if r.duplicates++; r.duplicates <= maxSaid {
					r.warn(fmt.Sprintf("%s: id %q is that of %s too; both are scored", rec.Where(), rec.ID, rec.At(line)))
				}
			}
			if r.dir != nil {
				switch done, err := r.dir.Done(place(&rec)); {
				case err != nil:
					return crscore.Job{}, err
				case done:
					bar.keep()
					continue
				}
			}
			bar.begin()
			return evidence.Job(&rec), nil
		}
	}
	err = r.engine.Stream(ctx, next, func(o crscore.Outcome) error {
		rec := o.Tag.(*dataset.Record)
		for _, w := range o.Warnings {
			r.warn(fmt.Sprintf("%s: change %s: %s", rec.Where(), rec.ID, w))
		}
		for i := range o.Results {
			if bad := rec.Reviews[i].Err; bad != nil {
				o.Results[i] = crscore.Result{Status: crscore.Unscored, Reason: report.Plain(bad.Error())}
			}
			if o.Results[i].Status != crscore.Unscored {
				continue
			}
			if r.unscored++; r.strict && r.unscored <= maxSaid {
				r.fail(fmt.Sprintf("%s: change %s, review %s has no score: %s", rec.Where(), rec.ID, rec.Reviews[i].ID, o.Results[i].Reason))
			}
		}
		bar.finish()
		return emit(rec, o)
	})
	if err == nil && r.sum != nil { // what follows the last record
		if _, err = io.Copy(io.Discard, read); err != nil {
			err = fmt.Errorf("reading %s: %w", showInput(r.name), err)
		}
	}
	r.end = rundir.End{Lines: reader.Lines(), Malformed: r.malformed, Text: reader.Sum()}
	if more := r.duplicates - maxSaid; more > 0 {
		r.warn(fmt.Sprintf("and %d more lines with ids that were used before", more))
	}
	if more := r.repeated - maxSaid; more > 0 {
		r.warn(fmt.Sprintf("and %d more changes with two reviews of one id", more))
	}
	if more := r.unscored - maxSaid; r.strict && more > 0 {
		r.fail(fmt.Sprintf("and %d more reviews without a score", more))
	}
	return err
}

// repeated returns an id that two of the reviews have, or "".
func repeated(reviews []dataset.Review) string {
	seen := make(map[string]bool, len(reviews))
	for i := range reviews {
		if id := reviews[i].ID; seen[id] {
			return id
		}
		seen[reviews[i].ID] = true
	}
	return ""
}

// missing describes what has no score, nil when everything has.
func (r *runner) missing() error {
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
	if len(what) == 0 {
		return nil
	}
	return incomplete{fmt.Errorf("incomplete: %s", strings.Join(what, "; "))}
}

// warn and fail say something about the dataset.
func (r *runner) warn(msg string) { r.s.log.warn(showInput(r.name) + ": " + msg) }
func (r *runner) fail(msg string) { r.s.log.fail(showInput(r.name) + ": " + msg) }

// open opens the dataset; its size is -1 where that is not known.
func (r *runner) open() (in io.ReadCloser, size int64, err error) {
	in, err = openInput(r.name, r.s.in)
	if err != nil {
		return nil, 0, err
	}
	f, ok := in.(*os.File)
	if !ok {
		return in, -1, nil
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = fmt.Errorf("%s is a folder, not a dataset", r.name)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, st.Size(), nil
}

// reader starts reading the dataset in its format, and tells how a table is read.
func (r *runner) reader(in io.ReadCloser, text io.Reader, size int64, bar *progress) (*dataset.Reader, error) {
	src := dataset.Source{Name: r.name, Text: text}
	if bar != nil {
		src.Read = bar.step
	}
	if f, ok := in.(*os.File); ok && size >= 0 {
		src.File, src.Size = f, size
	}
	reader, err := dataset.Open(src, r.form)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", showInput(r.name), err)
	}
	if about := reader.About(); about != "" {
		r.s.log.note(showInput(r.name) + ": " + about)
	}
	return reader, nil
}

// leftOutLine says what becomes of a line that is no record.
func leftOutLine(e *dataset.LineError) string {
	if e.Row {
		return "the row is left out"
	}
	return "the line is left out"
}
