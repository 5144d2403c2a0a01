package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"crscore"
	"crscore/internal/matrices"
	"crscore/internal/run"
	"crscore/internal/spelling"
	"crscore/internal/terminal"
)

// matrixFile is the file of --matrices, with the similarities of a run over a dataset.
type matrixFile struct {
	file   *terminal.Target
	w      *matrices.Writer
	blocks int
	broken bool // a change may be in it in part
}

// createMatrices creates the file.
func createMatrices(to *terminal.OutFile, e *crscore.Engine) (*matrixFile, error) {
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

// Name is the name of the file.
func (m *matrixFile) Name() string { return m.file.Name() }

// Write writes a change.
func (m *matrixFile) Write(b *matrices.Block) error {
	err := m.w.Write(b)
	if m.broken = m.broken || errors.As(err, new(*fs.PathError)); err == nil {
		m.blocks++
	}
	return err
}

// Close ends the file, with an end mark where the run is whole and every change is in the
// file. Otherwise the error says what the file holds; one without any change or any review, or with
// a part of a change, is not kept.
func (m *matrixFile) Close(failed error, lost int) error {
	if errors.As(failed, new(run.Nothing)) {
		m.blocks = 0
	}
	var err error
	whole := failed == nil && lost == 0
	if whole {
		err = m.w.Close()
	}
	err = errors.Join(err, m.file.Close(err == nil && !m.broken && (whole || m.blocks > 0)))
	switch {
	case err != nil:
		return fmt.Errorf("writing %s: %w", m.Name(), err)
	case m.broken:
		return fmt.Errorf("%s would not be whole, and is not written", m.Name())
	case whole:
		return nil
	case m.blocks > 0:
		return errors.New(spelling.Count("%s is unfinished: it has the matrices of %d changes and no end mark", m.Name(), m.blocks))
	case lost > 0:
		return fmt.Errorf("%s is not written: no change fits it", m.Name())
	}
	return nil
}
