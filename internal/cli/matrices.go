package cli

import (
	"context"
	"crscore/internal/terminal"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/internal/spelling"
)

// matrixFile is the file of --matrices, with the similarities of a run over a dataset. The
// zero value writes nothing.
type matrixFile struct {
	file   *terminal.Target
	w      *matrices.Writer
	blocks int
	lost   int  // changes that are not in it
	broken bool // a change may be in it in part
}

// createMatrices creates the file, none for an empty name.
func createMatrices(to *terminal.OutFile, e *crscore.Engine) (*matrixFile, error) {
	if to.String() == "" {
		return &matrixFile{}, nil
	}
	f, err := to.Create()
	if err != nil {
		return nil, err
	}
	w, err := matrices.NewWriter(f, e.Provenance().String())
	if err != nil {
		return nil, errors.Join(outputError(err), f.Close(false))
	}
	return &matrixFile{file: f, w: w}, nil
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
	case ctx.Err() != nil:
		return err
	case errors.As(err, &disk):
		m.broken = true
		return err
	default:
		m.lost++
		leftOut(s, m.file.Name(), rec, err)
	}
	return nil
}

// leftOut says why a change is left out of a matrix file.
func leftOut(s streams, file string, rec *dataset.Record, why error) {
	s.log.SayOfKind(slog.LevelError, leftOutChanges, fmt.Sprintf("%s: %s: the change is left out: %v", file, rec.Where(), why))
}

// close ends the file, with an end mark where the run is whole and every change is in the
// file. Otherwise the error says what the file holds; one without any change, or with a part of one,
// is not kept.
func (m *matrixFile) close(whole bool) error {
	if m.file == nil {
		return nil
	}
	var err error
	if whole = whole && m.lost == 0; whole {
		err = m.w.Close()
	}
	err = errors.Join(err, m.file.Close(err == nil && !m.broken && (whole || m.blocks > 0)))
	switch {
	case err != nil:
		return fmt.Errorf("writing %s: %w", m.file.Name(), err)
	case m.broken:
		return fmt.Errorf("%s would not be whole, and is not written", m.file.Name())
	case whole:
		return nil
	case m.blocks > 0:
		return errors.New(spelling.Count("%s is unfinished: it has the matrices of %d changes and no end mark", m.file.Name(), m.blocks))
	case m.lost > 0:
		return fmt.Errorf("%s is not written: no change fits it", m.file.Name())
	}
	return nil
}
