package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"crscore/internal/journal"
	"crscore/internal/matrices"
)

// runFiles are those of a run that grow; matrices is nil without matrices.
type runFiles struct{ scores, matrices, journal *journal.File }

// names lists the files of a run.
func (m Manifest) names() []string {
	if m.Matrices == "" {
		return []string{ScoresName, journalName}
	}
	return []string{ScoresName, MatricesName, journalName}
}

// open opens the files of a run.
func (f *runFiles) open(d disk, dir string, m Manifest, mode openMode) error {
	to := map[string]**journal.File{ScoresName: &f.scores, MatricesName: &f.matrices, journalName: &f.journal}
	for _, name := range m.names() {
		file, err := openFile(d, dir, name, mode)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is missing", name)
		} else if err != nil {
			return err
		}
		*to[name] = file
	}
	return nil
}

func (f *runFiles) close() error {
	var errs []error
	for _, file := range []*journal.File{f.scores, f.matrices, f.journal} {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	*f = runFiles{}
	return errors.Join(errs...)
}

// reading reads the finished changes of a run.
type reading struct {
	*log
	runFiles
	rows   *journal.Reader
	stem   string
	blocks *matrices.Reader // nil before the first block
}

func (f *runFiles) read(m Manifest) *reading {
	return &reading{
		log: newLog(f.journal.Section(math.MaxInt64)), rows: journal.NewReader(f.scores.Section(math.MaxInt64), 0),
		runFiles: *f, stem: m.Matrices,
	}
}

// of reads the change of the next line of the journal. Its rows are valid until the next call.
func (c *reading) of(e entry) (Change, error) {
	out := Change{Place: Place{e.line, e.text}}
	var err error
	if out.Rows, err = rowsOf(c.rows, e); err == nil && e.block && c.runFiles.matrices != nil {
		out.Block, err = c.block(e.matrices)
	}
	return out, err
}

// block reads the next block, which ends at a place of the file.
func (c *reading) block(end int64) (b *matrices.Block, err error) {
	if c.blocks == nil {
		c.blocks, err = matrices.NewReader(c.runFiles.matrices.Section(math.MaxInt64))
	}
	if err == nil && c.blocks.Stem() != c.stem {
		return nil, fmt.Errorf("%s was made with %q, and not with %q", MatricesName, c.blocks.Stem(), c.stem)
	}
	if err == nil {
		b, err = c.blocks.Next()
	}
	switch {
	case errors.Is(err, matrices.ErrTruncated):
		size, err := c.runFiles.matrices.Size()
		return nil, errors.Join(lost(MatricesName, size, end), err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", MatricesName, err)
	case c.blocks.End() != end:
		return nil, fmt.Errorf("%s: the block of change %.80q ends at byte %d, and %s says %d", MatricesName, b.ID, c.blocks.End(), journalName, end)
	}
	return b, nil
}
