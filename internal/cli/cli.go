// Package cli is the command crscore. Each subcommand has a file with its flags, its input
// files, its exit codes and its output. The packages below compute the results.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
)

// Exit codes.
const (
	exitDone       = 0
	exitFailed     = 1 // a negative result: gate did not pass, doctor misses something
	exitUsage      = 2 // usage or bad input
	exitIncomplete = 3 // a stage failed, a line was malformed, the run was interrupted
)

// failed is the error of a command with whole results and a negative answer: exit code 1.
type failed struct{ error }

func (e failed) Unwrap() error { return e.error }

// refused is the error of a command with whole results about an input that is no good: exit code 2.
type refused struct{ error }

// outputError wraps an error of the output as incomplete: the results were lost.
func outputError(err error) error { return run.Written(err) }

// streams are the standard streams of a command.
type streams struct {
	in  *stdio.Input
	out *terminal.Output
	log *terminal.Log // standard error
}

// dataFormats are the formats for programs. Their texts are printed unchanged.
func dataFormats() []string { return []string{"json", jsonl, "csv", "parquet", "html"} }

// print prints results in a format. Texts for people are made inert for CI systems.
func (s streams) print(format string, b []byte) error {
	if !slices.Contains(dataFormats(), format) {
		b = terminal.Screen(s.out).Finish(b)
	}
	_, err := s.out.Write(b)
	return outputError(err)
}

// progress starts to report progress. There is no bar on a terminal to which the command prints results as
// they come.
func (s streams) progress(what, unit string, steps int64, prints bool) *terminal.Progress {
	return s.log.Progress(what, unit, steps, !prints || !terminal.Is(s.out))
}

// printValue prints a value as JSON, or what text writes of it.
func (s streams) printValue(format string, v any, text func(*bytes.Buffer)) error {
	var b bytes.Buffer
	if format == "json" {
		if err := report.JSON(&b, v, "  "); err != nil {
			return err
		}
	} else {
		text(&b)
	}
	return s.print(format, b.Bytes())
}

// Main runs the command line without the program's name and returns the exit
// code. Results go to stdout, everything else to stderr.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		stop() // a second Ctrl-C ends the process at once
	}()

	log, out := terminal.NewLog(stderr), terminal.NewOutput(stdout)
	defer log.TakeLibraries()()
	cmd := root(streams{stdio.New(ctx, stdin), out, log})
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	log.SayOmitted()
	lost, err := closeOutput(out, err)
	if err == nil {
		return exitDone
	}
	log.FindFormat(args)
	code, msg := exitUsage, err.Error()
	switch {
	case errors.Is(err, context.Canceled):
		if code, msg = exitIncomplete, "interrupted"; lost == "" && errors.As(err, new(run.Printed)) {
			msg += "; the lines that were printed are whole"
		}
	case errors.As(err, new(run.Incomplete)):
		code = exitIncomplete
	case errors.As(err, new(failed)):
		code = exitFailed
	}
	if lost != "" {
		msg += "; " + lost + " would not be whole, and is not written"
	}
	log.Fail(msg, slog.Int("exit_code", code))
	return code
}

// closeOutput closes the output of a command, whose error is err. The results are kept where it printed all
// it could: also where the answer is negative or single reviews are unscored.
func closeOutput(out *terminal.Output, err error) (lost string, _ error) {
	printed := out.Failed() == nil
	if !printed {
		err = outputError(out.Failed())
	}
	lost, failure := out.Close(err == nil || out.Some() && printed && !errors.As(err, new(run.Printed)) && !errors.Is(err, context.Canceled) &&
		(errors.As(err, new(failed)) || errors.As(err, new(run.Incomplete)) || errors.As(err, new(refused))))
	return lost, errors.Join(err, outputError(failure))
}

func root(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "crscore",
		Short: "Judge code-review comments without a reference review",
		Long: `crscore judges code-review comments without a reference review.

From a change it makes pseudo-references: claims about what the change does,
implications and code smells. It splits a review into sentences and measures how
the two sides match (CRScore, Naik et al. 2024):

  Con   conciseness: the share of sentences that are on topic
  Comp  comprehensiveness: the share of references that are covered
  Rel   relevance: the harmonic mean of both`,
		Example: `  git diff | crscore score --diff - --review "Callers of push must now pass a hash."
  crscore score --range main..HEAD --review @review.md
  crscore score --data reviews.jsonl > scores.jsonl
  git diff | crscore gate --diff - --comments review.json --format text`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
	}
	// cobra's own flag writes by a template, which makes the command 6 MB larger.
	version := cmd.Flags().BoolP("version", "v", false, "print the version")
	_ = cmd.Flags().SetAnnotation("version", cobra.FlagSetByCobraAnnotation, []string{"true"}) // completion: no files behind it
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			_, err := fmt.Fprintln(s.out, "crscore", crscore.Version)
			return err
		}
		return cmd.Help()
	}
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetUsageFunc(usage)
	s.log.Add(cmd)
	s.out.Add(cmd)
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkValues(cmd); err != nil {
			return err
		}
		return s.out.Begin(cmd, s.in, s.log)
	}
	cmd.AddCommand(
		scoreCommand(s),
		splitCommand(s),
		mergeCommand(s),
		viewCommand(s),
		gateCommand(s),
		reviewCommand(s),
		serveCommand(s),
		refsCommand(s),
		metricsCommand(s),
		judgeCommand(s),
		compareCommand(s),
		benchCommand(s),
		perturbCommand(s),
		agreeCommand(s),
		calibrateCommand(s),
		modelsCommand(s),
		cacheCommand(s),
		claimsCommand(s),
		smellsCommand(s),
		doctorCommand(s),
		versionCommand(s),
	)
	cmd.SetOut(s.out) // before the next lines: completion keeps it
	cmd.SetErr(s.log)
	topics(cmd)
	cmd.InitDefaultCompletionCmd()
	explainArgs(cmd)
	return cmd
}
