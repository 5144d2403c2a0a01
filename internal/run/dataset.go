package run

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
)

// Dataset is a dataset that is read from its start to its end. It counts what it reads, and says
// what is wrong with it.
type Dataset struct {
	// Name is the file, or - for standard input.
	Name     string
	Form     dataset.Options
	Terminal Terminal
	// Refs are files with a human reference a line. The dataset is a file of reviews then.
	Refs []string
	// Reference tells the reviews that others are compared with, by place and id: a change
	// may have several of one id. nil where there are none.
	Reference func(i int, id string) bool
	// Strict is for those who join by ids and print no line a review: duplicate ids
	// are an error, and the terminal says why there is no score.
	Strict bool
	// Prints is for those who print results as they come, Mute for those who read the
	// dataset a second time later.
	Prints, Mute bool
	// Sum takes the checksum of all of the dataset's bytes as they are read, if not nil: it
	// tells a reader of a report which file that was, as sha256sum does. That of the
	// dataset's reader is another one: it is known at each record, and the same whether
	// the text is packed or not.
	Sum hash.Hash

	// Changes and Reviews are those that were read, Malformed lines that are no records.
	Changes, Reviews, Malformed int

	unscored int         // reviews
	leftOut  int         // reviews of changes with files that could not be read
	dir      *rundir.Run // has the changes that are finished, which are left out; or nil
	shard    rundir.Shard
	parts    *split.Manifest // of a dataset that crscore split has cut; or nil
	file     string          // the part of the shard
	end      rundir.End      // where there is a directory
}

// Kinds of messages about datasets.
const (
	MalformedLines  = "malformed lines"
	LeftOutChanges  = "changes that are left out"
	MalformedLabels = "reviews with malformed labels"

	changeWarnings  = "warnings about changes"
	unscoredReviews = "reviews without a score"
	usedIDs         = "lines with ids that were used before"
	repeatedIDs     = "changes with two reviews of one id"
)

// Judge has an engine judge every record, and gives the outcomes to emit, in input order.
func (d *Dataset) Judge(ctx context.Context, e *crscore.Engine, emit func(*dataset.Record, crscore.Outcome) error) error {
	d.Form.ClaimSets = append(d.Form.ClaimSets, e.ClaimSets()...)
	return d.Stream("scoring", func(next func() (*dataset.Record, error), finish func()) error {
		job := func() (crscore.Job, error) {
			rec, err := next()
			if err != nil {
				return crscore.Job{}, err
			}
			return evidence.Job(rec), nil
		}
		return e.Stream(ctx, job, func(o crscore.Outcome) error {
			rec := o.Tag.(*dataset.Record)
			d.count(rec, &o)
			finish()
			return emit(rec, o)
		})
	})
}

// Stream opens the dataset and has work go through it. work asks for one record after the
// other until io.EOF, and calls finish behind each. Stream says what is wrong with the
// dataset, and shows the progress of what is done with it.
func (d *Dataset) Stream(what string, work func(next func() (*dataset.Record, error), finish func()) error) error {
	in, size, err := d.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	unit := "changes"
	if len(d.Refs) > 0 {
		unit = "lines"
	}
	bar := d.Terminal.Progress(what, unit, size, d.Prints)
	defer bar.End()
	text := bar.Reader(in)
	if d.Sum != nil {
		text = io.TeeReader(text, d.Sum)
	}
	reader, done, err := d.records(in, text, bar)
	if err != nil {
		return atStart(err)
	}
	defer func() {
		for _, c := range done {
			_ = c.Close() // of files that were read
		}
	}()
	if say := reader.Lacks(); say != "" {
		return Nothing{fmt.Errorf("%s: no review was found: %s", stdio.Name(d.Name), say)}
	}
	if d.dir != nil {
		reader.KeepSum()
		if d.parts == nil {
			reader.Only(d.shard.Has)
		}
	}
	err = work(func() (*dataset.Record, error) { return d.next(reader, bar) }, bar.Finish)
	if err == nil && d.Sum != nil { // what follows the last record
		if _, err = io.Copy(io.Discard, text); err != nil {
			err = fmt.Errorf("reading %s: %w", stdio.Name(d.Name), err)
		}
	}
	d.end = rundir.End{Lines: reader.Lines(), Malformed: d.Malformed, Text: reader.Sum()}
	if err != nil {
		return err
	}
	if d.parts != nil {
		if err := d.parts.Check(d.shard.Number, d.end.Lines, d.end.Text); err != nil {
			return err
		}
		d.end.Lines, d.end.Text = d.parts.Lines, d.parts.SHA256
	}
	return d.found(reader)
}

// Each reads the records without a look at their ids, and shows no progress.
func (d *Dataset) Each(use func(*dataset.Record) error) error {
	in, _, err := d.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	reader, err := d.reader(in, in, nil)
	if err != nil {
		return err
	}
	for {
		rec, err := d.read(reader)
		if errors.Is(err, io.EOF) {
			return d.found(reader)
		}
		if err == nil {
			err = use(rec)
		}
		if err != nil {
			return err
		}
	}
}

// Divide takes a shard of the dataset: some of its lines, or a part of a dataset that
// crscore split has cut.
func (d *Dataset) Divide(shard string) (err error) {
	if d.shard, err = rundir.ParseShard(shard); err != nil {
		return fmt.Errorf("--shard: %w", err)
	}
	dir := split.Dir(d.Name)
	if dir == "" {
		return nil
	}
	parts, err := split.Open(dir)
	if err != nil {
		return err
	}
	switch n := len(parts.Parts); {
	case d.shard.Of == 0:
		return fmt.Errorf("%s has the %d parts of %s: say which with --shard, such as --shard 1/%d", dir, n, parts.Name, n)
	case d.shard.Of != n:
		return fmt.Errorf("%s has the %d parts of %s, and --shard %s is one of %d: give --shard %d/%d", dir, n, parts.Name, d.shard, d.shard.Of, min(d.shard.Number, n), n)
	}
	if err := parts.Verify(dir, d.shard.Number); err != nil {
		return err
	}
	d.parts, d.file = parts, filepath.Join(dir, parts.Parts[d.shard.Number-1].File)
	d.Form.Start, d.Name = parts.Start(d.shard.Number), parts.Name
	return nil
}

// next reads the next change that is to be worked on.
func (d *Dataset) next(reader *dataset.Reader, bar Progress) (*dataset.Record, error) {
	for {
		rec, err := d.read(reader)
		if err != nil {
			return nil, err
		}
		if err := d.checkIDs(reader, rec); err != nil {
			return nil, err
		}
		if d.dir != nil {
			switch done, err := d.dir.Done(place(rec)); {
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

// place is where a record stands.
func place(rec *dataset.Record) rundir.Place { return rundir.Place{Line: rec.Number, Text: rec.Sum} }

// read returns the next record, and leaves out malformed lines.
func (d *Dataset) read(reader *dataset.Reader) (*dataset.Record, error) {
	for {
		rec, err := reader.Next()
		var bad *dataset.LineError
		switch {
		case errors.As(err, &bad):
			d.Malformed++
			d.Say(slog.LevelError, MalformedLines, bad.Error()+"; "+LeftOutLine(bad))
			continue
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case err != nil:
			err = fmt.Errorf("%s: %w", stdio.Name(d.Name), err)
			if d.Changes == 0 {
				err = atStart(err)
			}
			return nil, err
		}
		d.Changes++
		d.Reviews += len(rec.Reviews)
		return &rec, nil
	}
}

// checkIDs warns of ids that are used twice, or refuses them.
func (d *Dataset) checkIDs(reader *dataset.Reader, rec *dataset.Record) error {
	if twice := present.RepeatedReview(rec.Reviews, d.Reference); twice != "" {
		msg := fmt.Sprintf("%s: change %q has two reviews %q", rec.Where(), rec.ID, twice)
		if d.Strict {
			return fmt.Errorf("%s: %s", stdio.Name(d.Name), msg)
		}
		d.Say(slog.LevelWarn, repeatedIDs, msg+"; both are scored")
	}
	if line, dup := reader.FirstUse(rec); dup {
		if d.Strict {
			return fmt.Errorf("%s: %s: id %q is that of %s too", stdio.Name(d.Name), rec.Where(), rec.ID, rec.At(line))
		}
		d.Say(slog.LevelWarn, usedIDs, fmt.Sprintf("%s: id %q is that of %s too; both are scored", rec.Where(), rec.ID, rec.At(line)))
	}
	return nil
}

// count tells the warnings about a change, and counts its reviews without a score.
func (d *Dataset) count(rec *dataset.Record, o *crscore.Outcome) {
	for _, w := range o.Warnings {
		d.Say(slog.LevelWarn, changeWarnings, fmt.Sprintf("%s: change %s: %s", rec.Where(), rec.ID, w))
	}
	if o.LeftOut > 0 {
		d.leftOut += len(o.Results)
	}
	present.MarkFaulty(rec, o.Results)
	for i := range o.Results {
		if o.Results[i].Status != crscore.Unscored {
			continue
		}
		if d.unscored++; d.Strict {
			d.sayUnscored(rec, rec.Reviews[i].ID, o.Results[i].Reason)
		}
	}
}

// sayUnscored says why a review has no score, where no row does.
func (d *Dataset) sayUnscored(rec *dataset.Record, review, why string) {
	d.Say(slog.LevelError, unscoredReviews, fmt.Sprintf("%s: change %s, review %s has no score: %s", rec.Where(), rec.ID, review, why))
}

// atStart is an error before the first change: nothing is left of the run. One that was
// interrupted can go on.
func atStart(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return Nothing{err}
}

// found is called behind the last record. It returns an error if a whole dataset has no
// review, or no line that can be read; a shard may have none.
func (d *Dataset) found(reader *dataset.Reader) error {
	if n := reader.EmptyCells(); n > 0 && d.Form.EmptyCells == "" && !d.Mute {
		d.Terminal.Say(slog.LevelWarn, fmt.Sprintf("%s: cells that are missing reviews (empty, or nan, None, <NA>, null and the like), without a score: %d (--empty-cells review takes them for reviews that say nothing, and score 0)", stdio.Name(d.Name), n))
	}
	part := d.shard.Of > 1 && (reader.Lines() > 0 || d.parts != nil)
	switch {
	case d.Changes == 0 && d.Malformed > 0 && !part:
		return Nothing{fmt.Errorf("%s: no line could be read as a change (malformed lines: %d)", stdio.Name(d.Name), d.Malformed)}
	case d.Reviews == 0 && d.Malformed == 0 && !part:
		return Nothing{fmt.Errorf("%s: no review was found: %s", stdio.Name(d.Name), reader.Seen())}
	}
	return nil
}

// Missing describes what has no score, nil when everything has. more are descriptions too.
func (d *Dataset) Missing(more ...string) error {
	var what []string
	if d.Malformed > 0 {
		what = append(what, fmt.Sprintf("malformed lines: %d", d.Malformed))
	}
	if d.unscored > 0 {
		without := fmt.Sprintf("reviews without a score: %d", d.unscored)
		if !d.Strict {
			without += " (each says why)" // in its line
		}
		what = append(what, without)
	}
	if d.leftOut > 0 {
		what = append(what, fmt.Sprintf("reviews of changes with files that could not be read: %d", d.leftOut))
	}
	if what = append(what, more...); len(what) == 0 {
		return nil
	}
	return Incomplete{fmt.Errorf("incomplete: %s", strings.Join(what, "; "))}
}

// Say says something about the dataset, of a kind of messages.
func (d *Dataset) Say(level slog.Level, kind, msg string) {
	if !d.Mute {
		d.Terminal.SayOfKind(level, kind, stdio.Name(d.Name)+": "+msg)
	}
}

// Open opens the dataset; its size is -1 where that is not known.
func (d *Dataset) Open() (in io.ReadCloser, size int64, err error) {
	in, err = d.Terminal.Open(cmp.Or(d.file, d.Name))
	if err != nil {
		return nil, 0, err
	}
	f, ok := in.(*os.File)
	if !ok {
		return in, -1, nil
	}
	st, err := f.Stat()
	switch {
	case err == nil && d.file == "" && split.Dir(d.Name) != "":
		dir := split.Dir(d.Name)
		err = fmt.Errorf("%s has the parts of a dataset: give one of %s, or the folder with --out and --shard", dir, filepath.Join(dir, "part-*"))
	case err == nil && st.IsDir():
		err = fmt.Errorf("%s is a folder, not a dataset", d.Name)
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, st.Size(), nil
}

// records starts reading the dataset, or the files that stand beside it line by line.
func (d *Dataset) records(in io.ReadCloser, text io.Reader, bar Progress) (*dataset.Reader, []io.Closer, error) {
	if len(d.Refs) == 0 {
		reader, err := d.reader(in, text, bar)
		return reader, nil, err
	}
	texts := []dataset.Text{{ID: SystemOf(d.Name), Name: stdio.Name(d.Name), Lines: text}}
	var open []io.Closer
	for _, name := range d.Refs {
		ref, err := d.Terminal.Open(name)
		if err != nil {
			for _, c := range open {
				err = errors.Join(err, c.Close())
			}
			return nil, nil, err
		}
		open = append(open, ref)
		texts = append(texts, dataset.Text{ID: SystemOf(name), Name: stdio.Name(name), Lines: ref})
	}
	return dataset.NewPairs(texts...), open, nil
}

// SystemOf is the name of a file of reviews as a system: without folder and endings.
func SystemOf(name string) string {
	if name == "-" {
		return "stdin"
	}
	name = strings.TrimSuffix(filepath.Base(name), ".gz")
	return cmp.Or(strings.TrimSuffix(name, filepath.Ext(name)), name)
}

// reader starts reading the dataset in its format, and tells how a table is read.
func (d *Dataset) reader(in io.ReadCloser, text io.Reader, bar Progress) (*dataset.Reader, error) {
	src := Source(d.Name, in)
	src.Text = text
	if bar != nil {
		src.Read = bar.Step
	}
	reader, err := dataset.Open(src, d.Form)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stdio.Name(d.Name), err)
	}
	if about := reader.About(); about != "" && !d.Mute {
		d.Terminal.Say(slog.LevelInfo, stdio.Name(d.Name)+": "+about)
	}
	return reader, nil
}

// Source is what a dataset or scores are read from.
func Source(name string, in io.Reader) dataset.Source {
	src := dataset.Source{Name: name, Text: in}
	if f, ok := in.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			src.File, src.Size = f, st.Size()
		}
	}
	return src
}

// LeftOutLine says what becomes of a line that is no record.
func LeftOutLine(e *dataset.LineError) string {
	if e.Row {
		return "the row is left out"
	}
	return "the line is left out"
}
