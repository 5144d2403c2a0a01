package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"crscore/internal/answercache"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/spelling"
)

func cacheCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Show or delete the cached answers of models and analyzers",
		Long: `cache manages the cached answers of language models (--claims ollama:MODEL and
openai:MODEL, crscore review) and of analyzers (--smells pmd, auto). Ten reviews of one
change cost one call of the model, and a run that was stopped does not repeat its calls.
An answer of a model is found by model, prompt and options, an answer of an analyzer by
file, analyzer and version. --no-cache turns the cache off.

The cache is the file crscore/answers.db in your cache folder. Several runs may use it at
once. Above ` + spelling.Bytes(answercache.DefaultMaxBytes) + ` the oldest answers are deleted.`,
		Example: `  crscore cache info
  crscore cache clear`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		cacheAction(s, "info", "Show the place, the number and the size of the answers", cacheInfo),
		cacheAction(s, "clear", "Delete all answers", cacheClear))
	return cmd
}

// cacheAction returns a subcommand that acts on the cache at a path and describes the
// result in words.
func cacheAction(s streams, name, short string, do func(ctx context.Context, s streams, path string) (answercache.Info, string, error)) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: choose text or json", format)
			}
			path, err := answercache.Path()
			if err != nil {
				return err
			}
			info, text, err := do(cmd.Context(), s, path)
			if err != nil {
				return run.Incomplete{Err: err}
			}
			return s.printValue(format, info, func(b *bytes.Buffer) { fmt.Fprintf(b, "%s\n%s", report.Plain(info.Path), text) })
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	complete(cmd, "format", "text", "json")
	return cmd
}

func cacheInfo(ctx context.Context, s streams, path string) (info answercache.Info, text string, err error) {
	info = answercache.Info{Path: path, Max: answercache.DefaultMaxBytes}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) { // opening it would create it
		info.Bytes, info.SetAside = answercache.Files(path)
	} else {
		a, err := answercache.Open(ctx, path, answercache.Options{Note: s.log.Warn})
		if err != nil {
			return info, "", err
		}
		defer a.Close()
		if info, err = a.Info(ctx); err != nil {
			return info, "", err
		}
	}
	text = spelling.Count("%d answers, %s (above %s the oldest are deleted)\n", info.Answers, spelling.Bytes(info.Bytes), spelling.Bytes(info.Max))
	if info.Answers > 0 {
		text += fmt.Sprintf("from %s to %s\n", info.Oldest.Format(time.DateOnly), info.Newest.Format(time.DateOnly))
	}
	if info.SetAside != "" {
		text += fmt.Sprintf("set aside because it was damaged: %s\n", report.Plain(info.SetAside))
	}
	return info, text, nil
}

func cacheClear(ctx context.Context, _ streams, path string) (answercache.Info, string, error) {
	gone, err := answercache.Clear(ctx, path)
	return gone, spelling.Count("%d answers deleted, %s\n", gone.Answers, spelling.Bytes(gone.Bytes)), err
}
