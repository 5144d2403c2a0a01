package terminal

import (
	"io"

	"github.com/spf13/cobra"

	"crscore/internal/stdio"
)

// Output is where results go: standard output, or the file of --output. It keeps the first
// error, so that Main sees an error that a command, or the library that prints its help, has
// ignored.
type Output struct {
	w    io.Writer
	err  error
	some bool // something was written

	to   *OutFile // the file of --output
	file *Target  // what w is for --output; nil for standard output
}

// NewOutput returns an output to w.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Add adds the flags that all commands have.
func (o *Output) Add(cmd *cobra.Command) {
	o.to = &OutFile{Dash: true}
	fl := cmd.PersistentFlags()
	o.to.Add(fl, "output", "o", "write what would go to standard output to a `FILE`, whole or not at all; - is standard output")
	fl.Bool("force", false, "replace files that are there by those of --output and of other flags")
}

// Begin checks the files that a command is to write, and has the results go to that of --output.
func (o *Output) Begin(cmd *cobra.Command, in *stdio.Input, log *Log) (err error) {
	log.parsed = true
	if err := (streams{in, o, log}).checkOutputs(cmd); err != nil || o.to.file == "" || o.to.file == "-" {
		return err
	}
	if o.file, err = o.to.Create(); err == nil {
		o.w = o.file.w
	}
	return err
}

// Write writes results.
func (o *Output) Write(p []byte) (int, error) {
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

// Failed is the first error of writing.
func (o *Output) Failed() error { return o.err }

// Close gives the file its name where its text is whole: where the command printed all it could. It tells
// whether something that was printed is lost, from the file of that name.
func (o *Output) Close(whole bool) (lost string, err error) {
	if o.file == nil {
		return "", nil
	}
	if err = o.file.Close(whole); o.some && !whole && o.file.temp != "" {
		lost = o.to.file
	}
	return lost, err
}

// Some reports whether something was written.
func (o *Output) Some() bool { return o.some }
