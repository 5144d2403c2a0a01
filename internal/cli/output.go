package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore/internal/run"
	"crscore/internal/stdio"
)

// output is where results go: standard output, or the file of --output. It keeps the first
// error, so that Main sees an error that a command, or the library that prints its help, has
// ignored.
type output struct {
	w    io.Writer
	err  error
	some bool // something was written
	lost bool // and not kept, since it is not whole

	to   *outFile // the file of --output
	file *target  // what w is for --output; nil for standard output
}

// add adds the flags that all commands have. The results go to their file before a command runs.
func (o *output) add(cmd *cobra.Command, s streams) {
	o.to = &outFile{dash: true}
	fl := cmd.PersistentFlags()
	o.to.add(fl, "output", "o", "write what would go to standard output to a `FILE`, whole or not at all; - is standard output")
	fl.Bool("force", false, "replace files that are there by those of --output and of other flags")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		logOf(cmd).parsed = true
		if err := s.checkOutputs(cmd); err != nil || o.to.file == "" || o.to.file == "-" {
			return err
		}
		if o.file, err = o.to.create(); err == nil {
			o.w = o.file.w
		}
		return err
	}
}

// Write writes results.
func (o *output) Write(p []byte) (int, error) {
	err := stdio.Check(o.w)
	n := 0
	if err == nil {
		n, err = o.w.Write(p)
		o.some = o.some || n > 0
	}
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// close gives the file its name where the command, whose error is err, printed all it could: also
// where the answer is negative or single reviews are unscored. It returns the command's error.
func (o *output) close(err error) error {
	if o.err != nil {
		err = outputError(o.err)
	}
	if o.file == nil {
		return err
	}
	whole := err == nil || o.some && o.err == nil && !errors.As(err, new(run.Printed)) && !errors.Is(err, context.Canceled) &&
		(errors.As(err, new(failed)) || errors.As(err, new(incomplete)) || errors.As(err, new(run.Incomplete)) || errors.As(err, new(refused)))
	closed := outputError(o.file.close(whole))
	o.lost = o.some && !whole && o.file.temp != ""
	return errors.Join(err, closed)
}

// checkFolder refuses the name of a new directory that is surely meant to be a file.
func checkFolder(flag, name string) error {
	ext := filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
	if _, err := os.Lstat(name); err == nil || !slices.Contains([]string{".json", ".jsonl", ".csv", ".parquet", ".html"}, ext) {
		return nil
	}
	return fmt.Errorf("--%s makes a directory, and %s is the name of a file: --output %[2]s writes what would go to standard output; for a directory choose another name", flag, name)
}
