package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/internal/spelling"
)

// matrixFile is the file of --matrices, with the similarities of a run over a dataset. The
// zero value writes nothing.
type matrixFile struct {
	name   string
	file   *os.File
	w      *matrices.Writer
	blocks int
	lost   int // changes that are not in it
}

// createMatrices creates the file, none for an empty name. It overwrites no file, which may
// be the work of hours.
func createMatrices(name string, e *crscore.Engine) (*matrixFile, error) {
	if name == "" {
		return &matrixFile{}, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("--matrices: %s exists: remove it, or choose another name", name)
	}
	if err != nil {
		return nil, fmt.Errorf("--matrices: %w", err)
	}
	w, err := matrices.NewWriter(f, e.Provenance().String())
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(name))
	}
	return &matrixFile{name: name, file: f, w: w}, nil
}

// add writes a change. A change that does not fit the format is left out, with a message;
// an error means that the file cannot be written.
func (m *matrixFile) add(ctx context.Context, e *crscore.Engine, rec *dataset.Record, o crscore.Outcome, s streams) error {
	if m.file == nil {
		return nil
	}
	b, err := evidence.Block(ctx, e, rec, o)
	if err == nil {
		err = m.w.Write(b)
	}
	var disk *fs.PathError
	switch {
	case err == nil:
		m.blocks++
	case errors.As(err, &disk) || ctx.Err() != nil:
		return err
	default:
		m.lost++
		leftOut(s, m.name, rec, err)
	}
	return nil
}

// leftOut says why a change is left out of a matrix file.
func leftOut(s streams, file string, rec *dataset.Record, why error) {
	s.log.sayOfKind(slog.LevelError, leftOutChanges, fmt.Sprintf("%s: %s: the change is left out: %v", file, rec.Where(), why))
}

// close ends the file, with an end mark where the run is whole and every change is in the
// file. Otherwise the error says what the file holds; a file without any change is removed.
func (m *matrixFile) close(whole bool) error {
	if m.file == nil {
		return nil
	}
	var err error
	if whole = whole && m.lost == 0; whole {
		err = m.w.Close()
	}
	err = errors.Join(err, m.file.Close())
	switch {
	case err != nil:
		return fmt.Errorf("%s is unfinished: %w", m.name, err)
	case whole:
		return nil
	case m.blocks > 0:
		return errors.New(spelling.Count("%s is unfinished: it has the matrices of %d changes and no end mark", m.name, m.blocks))
	case m.lost > 0:
		err = fmt.Errorf("%s was removed: no change could be written to it", m.name)
	}
	return errors.Join(err, os.Remove(m.name))
}
