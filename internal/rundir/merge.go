package rundir

import (
	"container/heap"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"crscore/internal/spelling"
)

// Parts reads finished runs over all shards of a dataset like one run over the whole
// dataset: the same changes in the same order. It holds one change of each shard.
type Parts struct {
	whole Manifest
	end   End
	parts []*part // a heap, by the line of the next change
	all   []*part
}

// OpenParts opens run directories. All must be finished and have the same manifest and
// dataset, and together each shard exactly once. A single run may also be a whole dataset.
// The error names every directory that does not fit.
func OpenParts(dirs ...string) (*Parts, error) { return openParts(osDisk{}, dirs) }

func openParts(d disk, dirs []string) (_ *Parts, err error) {
	if len(dirs) == 0 {
		return nil, errors.New("no run directories to put together")
	}
	p := &Parts{}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	var errs []error
	for _, dir := range dirs {
		one, err := openPart(d, filepath.Clean(dir))
		if err != nil {
			errs = append(errs, fmt.Errorf("the run directory %s: %w", dir, err))
			continue
		}
		p.all = append(p.all, one)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := p.fit(); err != nil {
		return nil, err
	}
	p.parts = append(p.parts, p.all...)
	for _, one := range p.all {
		if err := one.next(); err != nil {
			return nil, one.failed(err)
		}
	}
	heap.Init((*byLine)(p))
	return p, nil
}

// fit checks that the parts belong to one run, and that each is there once.
func (p *Parts) fit() error {
	first := p.all[0]
	p.whole, p.end = first.manifest, first.end.End
	p.whole.Shard, p.whole.Lines, p.end.Malformed = Shard{}, Lines{}, 0
	of := max(first.manifest.Shard.Of, 1)
	var errs []error
	have := map[int]*part{}
	for _, one := range p.all {
		p.end.Malformed += one.end.Malformed
		shard := one.manifest.Shard
		if shard.Of == 0 {
			shard = Shard{1, 1}
		}
		whole := one.manifest
		whole.Shard, whole.Lines = Shard{}, Lines{}
		diff := p.whole.Differences(whole, "in "+first.dir, "in "+one.dir)
		was, is := first.end.End, one.end.End
		switch {
		case len(diff) > 0:
			errs = append(errs, fmt.Errorf("%s and %s are not of one run: %s", first.dir, one.dir, strings.Join(diff, "; ")))
		case shard.Of != of:
			errs = append(errs, fmt.Errorf("%s is one of %d shards, and %s is one of %d", first.dir, of, one.dir, shard.Of))
		case (first.manifest.Lines == Lines{}) != (one.manifest.Lines == Lines{}):
			errs = append(errs, fmt.Errorf("%s and %s do not go together: of one the dataset was cut by crscore split, of the other it was whole", first.dir, one.dir))
		case was.Lines != is.Lines:
			errs = append(errs, fmt.Errorf("%s and %s are of other datasets: one has %d lines, the other %d", first.dir, one.dir, was.Lines, is.Lines))
		case was.Text != is.Text:
			errs = append(errs, fmt.Errorf("%s and %s are of other datasets: their checksums are %.12s and %.12s", first.dir, one.dir, was.Text, is.Text))
		case have[shard.Number] != nil:
			errs = append(errs, fmt.Errorf("shard %d/%d is there twice: %s and %s", shard.Number, of, have[shard.Number].dir, one.dir))
		default:
			have[shard.Number] = one
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if err := complete(have, of); err != nil || first.manifest.Lines == (Lines{}) {
		return err
	}
	return p.follow(have, of)
}

// complete checks that there is a part of each shard.
func complete(have map[int]*part, of int) error {
	var missing []string
	for i := 1; i <= of; i++ {
		if have[i] == nil {
			missing = append(missing, Shard{i, of}.String())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	const most = 10
	what, more := missing, ""
	if len(missing) > most {
		what, more = missing[:most], fmt.Sprintf(" and %d more", len(missing)-most)
	}
	return fmt.Errorf("missing: the run directory of shard %s%s", strings.Join(what, ", "), more)
}

// follow checks that the lines of the parts follow each other, from the first line of the
// dataset to its last.
func (p *Parts) follow(have map[int]*part, of int) error {
	last := 0
	for i := 1; i <= of; i++ {
		lines := have[i].manifest.Lines
		if lines.First != last+1 {
			return fmt.Errorf("%s has the lines %s of the dataset, and the shard before it ends with line %d: the dataset was cut in two ways", have[i].dir, lines, last)
		}
		last = lines.Last
	}
	if last != p.end.Lines {
		return fmt.Errorf("%s ends with line %d of the dataset, which has %d: it was cut in two ways", have[of].dir, last, p.end.Lines)
	}
	return nil
}

// Manifest returns the manifest of the run over the whole dataset.
func (p *Parts) Manifest() Manifest { return p.whole }

// End returns the end of the run over the whole dataset.
func (p *Parts) End() End { return p.end }

// Next returns the next change; its result lines are valid until the next call. The error is
// io.EOF behind the last change. Any other error is final, and names the directory.
func (p *Parts) Next() (Change, error) {
	if len(p.parts) == 0 || p.parts[0].ahead.end != nil {
		return Change{}, io.EOF
	}
	one := p.parts[0]
	c, err := one.of(one.ahead.entry)
	if err == nil {
		err = one.next()
	}
	if err != nil {
		return Change{}, one.failed(err)
	}
	heap.Fix((*byLine)(p), 0)
	return c, nil
}

// Close closes the files.
func (p *Parts) Close() error {
	var errs []error
	for _, one := range p.all {
		errs = append(errs, one.runFiles.close())
	}
	p.all, p.parts = nil, nil
	return errors.Join(errs...)
}

// part is a finished run of one shard.
type part struct {
	dir      string
	manifest Manifest
	end      end
	*reading
	ahead line // of the journal
}

func (p *part) failed(err error) error { return fmt.Errorf("the run directory %s: %w", p.dir, err) }

func openPart(d disk, dir string) (_ *part, err error) {
	p := &part{dir: dir}
	var e *End
	if p.manifest, e, err = readManifest(d, dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no run in it: %w", err)
	} else if err != nil {
		return nil, err
	}
	var f runFiles
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if err = f.open(d, dir, p.manifest, toRead); err != nil {
		return nil, err
	}
	p.reading = f.read(p.manifest)
	return p, p.whole(newLog(f.journal.Section(math.MaxInt64)), e)
}

// whole checks that the end of the journal is the end in run.json.
func (p *part) whole(j *log, e *End) error {
	for n := 0; ; n++ {
		l, err := j.next()
		if errors.Is(err, io.EOF) {
			if err := e.fits(nil); err != nil {
				return err
			}
			return errors.New(spelling.Count("the run is unfinished (%d changes are finished): start it again first", n))
		}
		if err != nil {
			return err
		}
		if l.end != nil {
			p.end = *l.end
			return e.fits(&p.end)
		}
	}
}

// next reads the next line of the journal.
func (p *part) next() (err error) {
	if p.ahead, err = p.log.next(); errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s has changed meanwhile", journalName)
	}
	if err == nil && p.ahead.end == nil && !p.manifest.has(p.ahead.line) {
		err = fmt.Errorf("line %d of the dataset is in it, which is not in shard %s", p.ahead.line, p.manifest.Shard)
	}
	return err
}

// byLine is Parts as a heap (container/heap). Parts without further changes come last.
type byLine Parts

// Len returns the number of parts.
func (h *byLine) Len() int { return len(h.parts) }

// Swap exchanges two parts.
func (h *byLine) Swap(i, j int) { h.parts[i], h.parts[j] = h.parts[j], h.parts[i] }

// Push does nothing: the number of parts is fixed.
func (h *byLine) Push(any) {}

// Pop does nothing: the number of parts is fixed.
func (h *byLine) Pop() any { return nil }

// Less orders parts by the line of their next change.
func (h *byLine) Less(i, j int) bool {
	a, b := h.parts[i].ahead, h.parts[j].ahead
	if a.end != nil || b.end != nil {
		return a.end == nil && b.end != nil
	}
	return a.line < b.line
}
