// Package viewer shows a whole run in a browser: the scores of all systems for all changes of
// a dataset as a table to sort, filter and search, the distribution of each system, and each
// change with its reviews and their evidence.
//
// An index in memory holds numbers, ids and places in the files. Texts stay in the files, and
// are read when somebody wants to see them; memory has a part of those that a search looks at, up
// to a limit. The package computes no similarity: scores come from rows of a run, or from kept
// similarities by package score. It changes no file, and knows no flags.
package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"crscore"
	"crscore/internal/dataset"
	"crscore/internal/rundir"
)

// Options say what is viewed.
type Options struct {
	// Data is the name of the dataset, and Form how it is written.
	Data string
	Form dataset.Options
	// Runs are the names of run directories and of files of scores. Matrices are names of
	// further files of similarities.
	Runs, Matrices []string
	// Open opens a file by its name.
	Open func(name string) (io.ReadCloser, error)
	// IsDir reports whether a name is that of a directory.
	IsDir func(name string) bool
	// Read is called with the numbers of bytes that were read, if not nil.
	Read func(n int)
	// Engine makes the engine that scores a change again where the run has no evidence. It is
	// called once, when that is needed first.
	Engine func(context.Context) (*crscore.Engine, error)
}

// Viewer shows a run. Its methods may be called at the same time.
type Viewer struct {
	opts Options
	*index
	data  *text
	files []*text // of rows and of similarities, by their numbers in the index
	cache cache
	again again
	seek  searcher
}

// Open reads the dataset, the rows and the similarities. An error means that there is nothing
// to show; what could not be read beside that is counted in Problems.
func Open(ctx context.Context, o Options) (*Viewer, error) {
	v := &Viewer{opts: o, index: newIndex(filepath.Base(o.Data))}
	v.again.open = o.Engine
	if err := v.read(ctx); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// read reads all files.
func (v *Viewer) read(ctx context.Context) error {
	o := &v.opts
	if err := v.readData(ctx); err != nil {
		return inFile(o.Data, err)
	}
	matrices := slices.Clone(o.Matrices)
	var shards []rundir.Shard // of run directories
	for _, name := range o.Runs {
		rows := name
		if o.IsDir(name) {
			m, end, err := rundir.Look(name)
			if err != nil {
				return err
			}
			v.checkRun(name, m, end)
			shards = append(shards, m.Shard)
			rows = filepath.Join(name, rundir.ScoresName)
			if m.Matrices != "" {
				matrices = append(matrices, filepath.Join(name, rundir.MatricesName))
			}
		}
		if err := v.readRows(ctx, rows); err != nil {
			return inFile(rows, err)
		}
	}
	v.checkShards(shards)
	if v.rows == 0 {
		return fmt.Errorf("no row of %s is of a review in %s%s", shown(o.Runs[0]), shown(o.Data), v.firstProblem())
	}
	for _, name := range matrices {
		if err := v.readMatrices(ctx, name); err != nil {
			return inFile(name, err)
		}
	}
	v.finish()
	return nil
}

// checkRun says what is wrong with a run as a whole.
func (v *Viewer) checkRun(name string, m rundir.Manifest, end *rundir.End) {
	if end == nil {
		v.warn("The run %s is not finished: changes are missing, and its last row may be.", name)
	}
	if end != nil && v.sum != "" && end.Text != v.sum {
		v.warn("The run %s read another dataset than %s: their checksums differ. Rows are joined by their ids.", name, shown(v.opts.Data))
	}
}

// checkShards says which parts of the dataset are missing.
func (v *Viewer) checkShards(shards []rundir.Shard) {
	var missing []string
	for n := 1; len(shards) > 0 && n <= shards[0].Of; n++ {
		if one := (rundir.Shard{Number: n, Of: shards[0].Of}); !slices.Contains(shards, one) {
			missing = append(missing, one.String())
		}
	}
	if len(missing) > 0 {
		v.warn("Parts of the run are missing: shards %s.", strings.Join(missing, ", "))
	}
}

// Close closes the files and removes temporary copies.
func (v *Viewer) Close() error {
	v.seek.stop()
	var errs []error
	for _, f := range append(v.files, v.data) {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(append(errs, v.again.Close())...)
}

// About counts what is viewed, for a person.
func (v *Viewer) About() string {
	return fmt.Sprintf("changes: %d, systems: %d, reviews: %d, scored: %d", len(v.changes), len(v.systems.names), len(v.reviews), v.scored)
}

// inFile names the file of an error, which the error of a file that cannot be opened does.
func inFile(name string, err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("%s: %w", shown(name), err)
}

func shown(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}
