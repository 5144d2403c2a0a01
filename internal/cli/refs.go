package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"crscore/internal/report"
	"crscore/internal/rows"
)

func refsCommand(s streams) *cobra.Command {
	var sources sourceFlags
	var ch changeFlags
	var format string
	var explain bool
	cmd := &cobra.Command{
		Use:   "refs",
		Short: "Print the pseudo-references of a change",
		Long: `refs prints what a good review of a change could talk about: claims about what
it does, implications and code smells, each with its place and the rule that
made it. No review is needed.`,
		Example: `  git diff | crscore refs --diff -
  crscore refs --range HEAD~1..HEAD --format json
  crscore refs --diff hunks.txt --lang java --smells none
  crscore refs --diff fix.diff --claims symbolic,ollama:qwen2.5-coder:7b --explain`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: choose text or json", format)
			}
			if err := sources.configure(cmd, false); err != nil {
				return err
			}
			opts, err := sources.options(cmd)
			if err != nil {
				return err
			}
			in, err := ch.read(cmd, s.in)
			if err != nil {
				return err
			}
			stop := sources.tools.watch(s)
			set, err := sources.refs(cmd.Context(), in, opts)
			stop()
			if err != nil {
				return incomplete{err}
			}
			for _, warning := range set.Warnings {
				s.log.warn(warning)
			}
			refs := make([]report.Ref, len(set.Refs))
			for i := range refs {
				refs[i] = rows.Ref(set.Refs[i])
			}
			dropped := rows.Dropped(set.Dropped)
			var b bytes.Buffer
			switch {
			case format == "text":
				p := report.Printer{W: &b, Opts: screen(s.out)}
				p.Refs(refs)
				if explain {
					p.Dropped(dropped)
				}
				p.Analyzers(rows.Tools(set.Tools))
			case explain:
				err = report.JSON(&b, map[string]any{"refs": refs, "dropped": dropped, "tools": rows.Tools(set.Tools)}, "  ")
			default:
				err = report.JSON(&b, refs, "  ")
			}
			if err != nil {
				return err
			}
			if _, err := s.out.Write(b.Bytes()); err != nil {
				return written(err)
			}
			if err := set.Empty(); err != nil {
				return incomplete{err}
			}
			return nil
		},
	}
	ch.add(cmd)
	sources.add(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&explain, "explain", false, "also the claims of a model that do not count, with the reason, and in JSON what became of analyzers")
	complete(cmd, "format", "text", "json")
	return cmd
}
