package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"crscore/internal/dataset"
	"crscore/internal/present"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/terminal"
)

func refsCommand(s streams) *cobra.Command {
	var sources engineFlags
	var ch changeFlags
	var format string
	var explain bool
	cmd := &cobra.Command{
		Use:   "refs",
		Short: "Print the pseudo-references of a change",
		Long: `refs prints the pseudo-references of a change, which are the topics of a good review:
claims about what the change does, implications and code smells, each with its place and
the rule that made it. It needs no review.`,
		Example: `  git diff | crscore refs --diff -
  crscore refs --range HEAD~1..HEAD --format json
  crscore refs --diff hunks.txt --lang java --smells none
  crscore refs --diff fix.diff --claims symbolic,ollama:qwen2.5-coder:7b --explain`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := sources.configure(cmd, &ch); err != nil {
				return err
			}
			if err := sources.check(cmd); err != nil {
				return err
			}
			opts, err := sources.Sources(cmd.Context(), sources.log(cmd))
			if err != nil {
				return err
			}
			in, err := ch.read(cmd, s.in)
			if err != nil {
				return err
			}
			in.Change.Warnings = append(sources.Config.OfTree(), in.Change.Warnings...)
			stop := sources.tools.watch(s)
			set, err := sources.Refs(cmd.Context(), in, opts)
			stop()
			if err != nil {
				return run.Incomplete{Err: err}
			}
			for _, warning := range set.Warnings {
				s.log.Warn(warning)
			}
			refs := make([]dataset.Ref, len(set.Refs))
			for i := range refs {
				refs[i] = present.Ref(set.Refs[i])
			}
			dropped := present.Dropped(set.Dropped)
			var b bytes.Buffer
			switch {
			case format == "text":
				p := report.Printer{W: &b, Opts: terminal.Screen(s.out)}
				p.Refs(refs)
				if explain {
					p.Dropped(dropped)
				}
				p.Analyzers(present.Tools(set.Tools))
			case explain:
				err = report.JSON(&b, map[string]any{"refs": refs, "dropped": dropped, "tools": present.Tools(set.Tools), "warnings": append([]string{}, set.Warnings...)}, "  ")
			default:
				err = report.JSON(&b, refs, "  ")
			}
			if err != nil {
				return err
			}
			if err := s.print(format, b.Bytes()); err != nil {
				return err
			}
			if err := set.Empty(); err != nil {
				return run.Incomplete{Err: err}
			}
			return allRead(set.LeftOut)
		},
	}
	ch.add(cmd)
	sources.addSources(cmd)
	choose(cmd, &format, "format", "text", "`FORMAT` of the references: text or json", "text", "json")
	cmd.Flags().BoolVar(&explain, "explain", false, "add the claims of a model that were dropped, with the reason, and in JSON the answers of analyzers and the warnings")
	return cmd
}
