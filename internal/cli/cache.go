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

	"crscore/internal/report"
	"crscore/internal/store"
)

// openCache opens the cache of the answers of models and analyzers. Where there can be none it says
// so and returns nil: that costs time, not results.
func openCache(ctx context.Context, log *logger) *store.Answers {
	path, err := store.Path()
	if err == nil {
		var a *store.Answers
		if a, err = store.Open(ctx, path, store.Options{Note: log.warn}); err == nil {
			return a
		}
	}
	log.warn(err.Error() + "; answers are not kept")
	return nil
}

func cacheCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Look at the kept answers of models and analyzers, or delete them",
		Long: `cache manages the answers of language models (--claims ollama:MODEL and
openai:MODEL) and of analyzers (--smells pmd, auto). They are kept, so that a change
is asked about once however many reviews there are of it, and a run that was stopped
goes on where it was. The same model, prompt and options, or the same file, analyzer
and version, give the same answer; --no-cache asks anew.

They lie in crscore/answers.db in the user's cache folder, which several runs may
use at once. Above ` + size(store.DefaultMaxBytes) + ` the oldest ones go.`,
		Example: `  crscore cache info
  crscore cache clear`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		cacheAction(s, "info", "Say where the answers are kept, how many and how large", cacheInfo),
		cacheAction(s, "clear", "Delete all answers that are kept", cacheClear))
	return cmd
}

// cacheAction is a subcommand that does something to the store at a path and
// says in words what there is of it.
func cacheAction(s streams, name, short string, do func(ctx context.Context, s streams, path string) (store.Info, string, error)) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: choose text or json", format)
			}
			path, err := store.Path()
			if err != nil {
				return err
			}
			info, text, err := do(cmd.Context(), s, path)
			if err != nil {
				return incomplete{err}
			}
			var b bytes.Buffer
			if format == "json" {
				if err := report.JSON(&b, info, "  "); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(&b, "%s\n%s", report.Plain(info.Path), text)
			}
			_, err = s.out.Write(b.Bytes())
			return written(err)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	complete(cmd, "format", "text", "json")
	return cmd
}

func cacheInfo(ctx context.Context, s streams, path string) (info store.Info, text string, err error) {
	info = store.Info{Path: path, Max: store.DefaultMaxBytes}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) { // a look makes nothing
		info.Bytes, info.SetAside = store.Files(path)
	} else {
		a, err := store.Open(ctx, path, store.Options{Note: s.log.warn})
		if err != nil {
			return info, "", err
		}
		defer a.Close()
		if info, err = a.Info(ctx); err != nil {
			return info, "", err
		}
	}
	text = fmt.Sprintf("%d answers, %s (the oldest go above %s)\n", info.Answers, size(info.Bytes), size(info.Max))
	if info.Answers > 0 {
		text += fmt.Sprintf("from %s to %s\n", info.Oldest.Format(time.DateOnly), info.Newest.Format(time.DateOnly))
	}
	if info.SetAside != "" {
		text += fmt.Sprintf("set aside because it was damaged: %s\n", report.Plain(info.SetAside))
	}
	return info, text, nil
}

func cacheClear(ctx context.Context, _ streams, path string) (store.Info, string, error) {
	gone, err := store.Clear(ctx, path)
	return gone, fmt.Sprintf("%d answers deleted, %s\n", gone.Answers, size(gone.Bytes)), err
}
