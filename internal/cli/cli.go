// Package cli is the command: one file a subcommand with its flags, the files
// it reads, its exit codes and what it prints. It stays thin; what computes
// anything lives in the rooms below.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitDone       = 0
	exitFailed     = 1 // what was asked for is not so: doctor misses something, gate did not pass
	exitUsage      = 2 // usage or bad input
	exitIncomplete = 3 // a stage failed, a line was malformed, the run was interrupted
)

// incomplete is an error behind results that are there but not all.
type incomplete struct{ error }

func (e incomplete) Unwrap() error { return e.error }

// failed is an error behind whole results that are not as was asked.
type failed struct{ error }

func (e failed) Unwrap() error { return e.error }

// printed is an error behind lines that were printed, each of them whole.
type printed struct{ error }

func (e printed) Unwrap() error { return e.error }

// written makes of an error of the output what it is: results that are lost.
func written(err error) error {
	if err != nil {
		return incomplete{fmt.Errorf("writing results: %w", err)}
	}
	return nil
}

// streams are where a command reads and writes.
type streams struct {
	in  *interruptible
	out io.Writer
	log *logger // what is no result
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

	log := &logger{w: stderr}
	cmd := root(streams{&interruptible{ctx: ctx, r: stdin}, stdout, log})
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(log)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	log.asked(args)
	code, msg := exitUsage, err.Error()
	switch {
	case errors.Is(err, context.Canceled):
		if code, msg = exitIncomplete, "interrupted"; errors.As(err, new(printed)) {
			msg += "; what was printed is complete as far as it goes"
		}
	case errors.As(err, new(incomplete)):
		code = exitIncomplete
	case errors.As(err, new(failed)):
		code = exitFailed
	}
	log.fail(msg, slog.Int("exit_code", code))
	return code
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
  git diff | crscore gate --diff - --comments review.json --drop-off-topic`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())
	})
	s.log.add(cmd)
	cmd.AddCommand(
		scoreCommand(s),
		mergeCommand(s),
		gateCommand(s),
		serveCommand(s),
		refsCommand(s),
		compareCommand(s),
		agreeCommand(s),
		calibrateCommand(s),
		modelsCommand(s),
		cacheCommand(s),
		smellsCommand(s),
		doctorCommand(s),
		versionCommand(s),
	)
	return cmd
}
