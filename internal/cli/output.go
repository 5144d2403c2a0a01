package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore/internal/stdio"
	"crscore/internal/system"
)

// output is where results go: standard output, or the file of --output. It keeps the first
// error, so that Main sees an error that a command, or the library that prints its help, has
// ignored.
type output struct {
	w    io.Writer
	err  error
	some bool // something was written
	lost bool // and not kept, since it is not whole

	name string   // what the file of --output is called in the end
	file *os.File // what w is for --output; nil for standard output
	temp string   // the name of file until the results are whole; empty for a device
}

// add adds the flag that all commands have. The results go to its file before a command runs.
func (o *output) add(cmd *cobra.Command) {
	name := cmd.PersistentFlags().StringP("output", "o", "",
		"write what would go to standard output to a `FILE`, whole or not at all; - is standard output")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		logOf(cmd).parsed = true
		if err := notEmpty(cmd, "output"); err != nil || *name == "" || *name == "-" {
			return err
		}
		if st, err := os.Stat(*name); err == nil && st.Mode().IsRegular() {
			if err := notRead(cmd, "output", *name); err != nil {
				return err
			}
		}
		return o.open(*name)
	}
}

// notRead refuses a file for a flag if another flag or an argument names it, too, in whatever way.
func notRead(cmd *cobra.Command, flag, file string) error {
	st, err := os.Stat(file)
	if err != nil { // it is not there yet
		return nil
	}
	names := cmd.Flags().Args()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok {
			names = append(names, list.GetSlice()...)
		} else if f.Name != flag {
			names = append(names, strings.TrimPrefix(f.Value.String(), "@"))
		}
	})
	for _, name := range names {
		if other, err := os.Stat(name); err == nil && os.SameFile(st, other) {
			return fmt.Errorf("--%s names %s, which is read", flag, file)
		}
	}
	return nil
}

// open has results go to a file. A regular file appears under its name in close.
func (o *output) open(name string) (err error) {
	to, mode := name, fs.FileMode(0)
	switch st, err := os.Stat(name); {
	case err != nil: // it is not there yet
	case st.IsDir():
		return fmt.Errorf("--output: %s is a folder: name a file (a run directory is for --out)", name)
	case !st.Mode().IsRegular(): // a device or a pipe keeps its name
		if o.file, err = os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			o.w = o.file
		}
		return err
	default:
		if mode = st.Mode().Perm(); mode&0o200 == 0 {
			return fmt.Errorf("--output: %s is read-only", name)
		}
		if to, err = filepath.EvalSymlinks(name); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	if folder := filepath.Dir(to); !isFolder(folder) {
		return fmt.Errorf("--output: there is no folder %s", folder)
	}
	o.temp = filepath.Join(filepath.Dir(to), fmt.Sprintf(".crscore-%x", rand.Uint64()))
	if o.file, err = os.OpenFile(o.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	o.name, o.w = to, o.file
	if mode != 0 {
		err = os.Chmod(o.temp, mode)
	}
	return err
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
	whole := err == nil || o.some && o.err == nil && !errors.As(err, new(partlyPrinted)) && !errors.Is(err, context.Canceled) &&
		(errors.As(err, new(failed)) || errors.As(err, new(incomplete)) || errors.As(err, new(refused)))
	closed := outputError(o.file.Close())
	switch {
	case o.temp == "":
		return errors.Join(err, closed)
	case whole && closed == nil:
		if closed = outputError(system.Rename(o.temp, o.name)); closed == nil {
			return err
		}
	}
	o.lost = o.some
	_ = os.Remove(o.temp) // the other error is the cause
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
