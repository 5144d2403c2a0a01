package terminal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore/internal/limits"
	"crscore/internal/stdio"
	"crscore/internal/system"
)

// OutFile is a flag that names a file to write. Its type marks it: Begin looks at all flags of
// this type before a command runs, and Create is how all files are written.
type OutFile struct {
	flag string
	Dash bool   // - is standard output
	file string // as given, empty for none

	// What Begin found.
	to     string      // the absolute name, without links
	there  fs.FileInfo // of the file, nil if there is none
	stream io.Writer   // the standard stream of this process that the file is
	force  bool
}

// NewOutFile returns a file for a flag that no command line has: it is new, or has been checked.
func NewOutFile(flag, name string) *OutFile { return &OutFile{flag: flag, file: name, to: name} }

// Add adds the flag.
func (f *OutFile) Add(fl *pflag.FlagSet, flag, short, usage string) {
	f.flag = flag
	fl.VarP(f, flag, short, usage)
}

// String returns the name of the file as given.
func (f *OutFile) String() string { return f.file }

// Set takes the name of the file.
func (f *OutFile) Set(name string) error {
	f.file = name
	return nil
}

// Type names the kind of value in the help.
func (f *OutFile) Type() string { return "string" }

// streams are those of a command.
type streams struct {
	in  *stdio.Input
	out *Output
	log *Log
}

// checkOutputs refuses files that cannot be written and files whose text would be lost, before
// anything is computed.
func (s streams) checkOutputs(cmd *cobra.Command) (err error) {
	force, _ := cmd.Flags().GetBool("force") // which every command has
	var outs []*OutFile
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		out, ok := flag.Value.(*OutFile)
		if !ok || err != nil {
			return
		}
		out.force = force
		if err = out.check(cmd, s); err != nil {
			err = fmt.Errorf("--%s: %w", out.flag, err)
		}
		for _, other := range outs {
			if err == nil && out.is(other) {
				err = fmt.Errorf("--%s and --%s both name %s", other.flag, out.flag, out.file)
			}
		}
		outs = append(outs, out)
	})
	if to := s.out.to; err == nil && (to.file == "" || to.file == "-") { // the results share no file with a page
		to.there = statOf(s.out.w)
		for _, out := range outs {
			if out != to && out.is(to) {
				err = fmt.Errorf("--%s: %s is for the results: name another file", out.flag, out.file)
			}
		}
	}
	return err
}

// is reports whether two flags name one file.
func (f *OutFile) is(other *OutFile) bool {
	if f.there != nil && other.there != nil {
		return f.there.Mode().IsRegular() && os.SameFile(f.there, other.there)
	}
	return f.there == nil && other.there == nil && f.to != "" && f.to == other.to
}

// check finds out what the file is.
func (f *OutFile) check(cmd *cobra.Command, s streams) error {
	switch {
	case f.file == "-" && f.Dash:
		return nil
	case f.file == "-":
		return errors.New("- is standard output, which is for the results: name a file")
	}
	folder, base := filepath.Split(f.file) // Dir would take LINK/.. for the folder of the link
	folder, err := filepath.EvalSymlinks(cmp.Or(folder, "."))
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil || !system.IsFolder(folder) {
		return fmt.Errorf("there is no folder %s", filepath.Dir(f.file))
	}
	f.to = filepath.Join(folder, base)
	if f.there, err = os.Stat(f.file); err != nil {
		if _, err := os.Lstat(f.file); err == nil && !f.force {
			return f.exists()
		}
		return system.Writable(folder)
	}
	if f.there.IsDir() {
		return fmt.Errorf("%s is a folder: name a file (a run directory is for --out)", f.file)
	}
	if f.to, err = filepath.EvalSymlinks(f.file); err != nil {
		f.to = f.file // a pipe that only the name of a descriptor leads to
	}
	if err := f.notRead(cmd, s); err != nil {
		return err
	}
	for _, w := range []io.Writer{s.out.w, s.log.w} {
		if st := statOf(w); st != nil && os.SameFile(st, f.there) {
			f.stream = w
		}
	}
	switch {
	case f.stream != nil || !f.there.Mode().IsRegular():
		return nil
	case !f.force:
		return f.exists()
	case f.there.Mode()&0o200 == 0:
		return fmt.Errorf("%s is read-only", f.file)
	}
	return system.Writable(filepath.Dir(f.to))
}

func (f *OutFile) exists() error {
	return fmt.Errorf("%s exists: choose another name, or give --force to replace it", f.file)
}

// statOf returns what a stream of this process is, nil for one of a test.
func statOf(stream any) fs.FileInfo {
	if file, ok := stream.(*os.File); ok {
		if st, err := file.Stat(); err == nil {
			return st
		}
	}
	return nil
}

// notRead refuses a file that standard input, another flag or an argument names, too, in whatever
// way, and one in a folder that is named. What a terminal is read for, it can show.
func (f *OutFile) notRead(cmd *cobra.Command, s streams) error {
	if f.there.Mode()&fs.ModeDevice != 0 {
		return nil
	}
	if in := statOf(s.in.Source); in != nil && os.SameFile(in, f.there) {
		return fmt.Errorf("%s is standard input, which this command reads: name another file", f.file)
	}
	folder, err := os.Stat(filepath.Dir(f.to))
	if err != nil {
		return err
	}
	values := cmd.Flags().Args()
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if _, out := flag.Value.(*OutFile); out {
			return
		}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = append(values, list.GetSlice()...)
		} else {
			values = append(values, flag.Value.String())
		}
	})
	for _, value := range values {
		for name := range namesIn(value) {
			switch st, err := os.Stat(name); {
			case err != nil:
			case os.SameFile(st, f.there):
				return fmt.Errorf("%s is a file that this command reads: name another", f.file)
			case os.SameFile(st, folder):
				return fmt.Errorf("%s is in %s, which this command reads: name another file", f.file, name)
			}
		}
	}
	return nil
}

// namesIn yields the names of files that a value may have: the value, and what follows a sign in
// it, as in @FILE, NAME=FILE and KIND:FILE, and in a list of these.
func namesIn(value string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if len(value) > limits.FileNameBytes || !yield(value) {
			return
		}
		for part := range strings.SplitSeq(value, ",") {
			if !yield(part) {
				return
			}
			for i, c := range part {
				if strings.ContainsRune("@=:", c) && !yield(part[i+1:]) {
					return
				}
			}
		}
	}
}

// Target is a file that is written. A regular file has another name beside its own until it is whole.
type Target struct {
	w    io.Writer
	of   *OutFile
	file *os.File // nil for a standard stream of this process
	temp string   // empty for what has its own name at once
}

// Create opens the file. Devices, pipes and standard streams are written to as they are.
func (f *OutFile) Create() (_ *Target, err error) {
	if f.stream != nil {
		return &Target{w: f.stream, of: f}, nil
	}
	t := &Target{of: f}
	if f.there != nil && !f.there.Mode().IsRegular() {
		t.file, err = os.OpenFile(f.file, os.O_WRONLY, 0)
	} else {
		t.temp = filepath.Join(filepath.Dir(f.to), fmt.Sprintf(".crscore-%x", rand.Uint64()))
		t.file, err = os.OpenFile(t.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil && f.there != nil {
			if err = os.Chmod(t.temp, f.there.Mode().Perm()); err != nil {
				err = errors.Join(err, t.Close(false))
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", f.flag, err)
	}
	t.w = t.file
	return t, nil
}

// Name is the file as given.
func (t *Target) Name() string { return t.of.file }

// Write writes to the file.
func (t *Target) Write(p []byte) (int, error) { return t.w.Write(p) }

// Close gives a whole file its name, and leaves nothing of any other. A file that came meanwhile
// is not replaced: the new one keeps the name that it has.
func (t *Target) Close(whole bool) error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	if t.temp == "" {
		return err
	}
	if whole && err == nil {
		if _, there := os.Lstat(t.of.to); there == nil && !t.of.force {
			return fmt.Errorf("%s exists by now, and is left as it is: what was written is in %s", t.of.file, t.temp)
		}
		if err = system.Rename(t.temp, t.of.to); err == nil {
			return nil
		}
	}
	_ = os.Remove(t.temp) // the other error is the cause
	return err
}

// WriteAll writes a whole file.
func (f *OutFile) WriteAll(text []byte) error {
	t, err := f.Create()
	if err != nil {
		return err
	}
	_, err = t.Write(text)
	return errors.Join(err, t.Close(err == nil))
}
