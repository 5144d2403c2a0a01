package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/server/guard"
	"crscore/internal/viewer"
)

type viewFlags struct {
	engine   engineFlags
	data     string
	form     dataFlags
	matrices []string
	port     int
}

func viewCommand(s streams) *cobra.Command {
	var f viewFlags
	cmd := &cobra.Command{
		Use:   "view RUN|SCORES...",
		Short: "Look at a whole run in the browser",
		Long: `view shows the scores of a dataset in the browser: systems and changes as a table to
sort, filter and search, the distribution of each system, and every change with its
reviews and their evidence. It prints the address on standard error.

It takes run directories (crscore score --out) and files of scores, also of crscore
metrics and crscore judge beside them, with the dataset of --data. With kept
similarities (--keep-matrices, or --matrices here) the mode and τ can be moved over the
whole run. Where the rows have no evidence (score --explain), a change that is opened is
scored again by the flags; the page says if these are other settings than the run's.

view only reads, and listens on this machine only. Ctrl-C ends it.
Exit codes: 0 ended so; 2 usage or bad input.`,
		Example: `  crscore score --data reviews.jsonl --out run1 --keep-matrices --explain
  crscore view run1 --data reviews.jsonl
  crscore view scores.jsonl metrics.jsonl judged.jsonl --data reviews.jsonl --matrices reviews.crsm
  crscore view part1 part2 --data reviews.jsonl --port 8090`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, s, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.data, "data", "", dataUsage)
	f.form.add(cmd)
	fl.StringArrayVar(&f.matrices, "matrices", nil,
		"`FILE` with the similarities of the scores (crscore score --matrices), to move mode and τ; may be repeated")
	fl.Lookup("matrices").Annotations = map[string][]string{groupAnnotation: {"Input"}}
	fl.IntVar(&f.port, "port", 0, "`PORT` to listen on (default: any free port)")
	f.engine.add(cmd)
	return cmd
}

func (f *viewFlags) run(cmd *cobra.Command, s streams, args []string) error {
	if err := f.check(cmd, args); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	// A wrong flag of the engine is an error at once; else the engine waits until a change needs it.
	var e *crscore.Engine
	if slices.ContainsFunc(f.engine.names(), cmd.Flags().Changed) {
		var err error
		if e, err = f.engine.engine(ctx, cmd); err != nil {
			return err
		}
		defer func() {
			if e != nil {
				e.Close()
			}
		}()
	}
	ln, err := guard.Listen(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)), false)
	if err != nil {
		return fmt.Errorf("--port: %w", err)
	}
	defer ln.Close()
	bar := s.progress("reading", "", f.bytes(args), false)
	v, err := viewer.Open(ctx, viewer.Options{
		Data: f.data, Form: f.form.options, Runs: args, Matrices: f.matrices,
		Open:  func(name string) (io.ReadCloser, error) { return openInput(name, s.in) },
		IsDir: func(name string) bool { st, err := os.Stat(name); return err == nil && st.IsDir() },
		Read:  func(n int) { bar.Step(int64(n)) },
		Engine: func(ctx context.Context) (*crscore.Engine, error) {
			if ready := e; ready != nil {
				e = nil // the viewer closes it
				return ready, nil
			}
			return f.engine.engine(ctx, cmd)
		},
	})
	bar.End()
	if err != nil {
		if ctx.Err() != nil {
			return nil // ended by a signal
		}
		return err
	}
	for _, w := range v.Warnings() {
		s.log.warn(w)
	}
	for _, p := range v.Problems() {
		s.log.warn(fmt.Sprintf("%s: %d, such as: %s", p.What, p.Count, p.Examples[0]))
	}
	s.log.note(v.About())
	s.log.note("listening on http://" + ln.Addr().String())
	return errors.Join(v.Serve(ctx, ln, s.log.structured()), v.Close())
}

// check refuses what cannot be meant.
func (f *viewFlags) check(cmd *cobra.Command, args []string) error {
	if err := notEmpty(cmd, "data", "matrices"); err != nil {
		return err
	}
	if err := f.form.check(cmd); err != nil {
		return err
	}
	switch {
	case f.data == "":
		return errors.New("the scores need their dataset: give --data FILE")
	case slices.Contains(args, ""), slices.Contains(f.matrices, ""):
		return errors.New("the name of a file is empty")
	case f.port < 0 || f.port > 65535:
		return fmt.Errorf("--port is %d, but must be from 0 to 65535", f.port)
	}
	if err := oneStdin(slices.Concat([]string{f.data}, args, f.matrices)...); err != nil {
		return err
	}
	return f.engine.configure(cmd, nil)
}

// bytes is the size of all files, -1 where it is not known.
func (f *viewFlags) bytes(args []string) (sum int64) {
	for _, name := range slices.Concat([]string{f.data}, args, f.matrices) {
		st, err := os.Stat(name)
		if err != nil || !st.Mode().IsRegular() {
			return -1
		}
		sum += st.Size()
	}
	return sum
}
