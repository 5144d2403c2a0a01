package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/report"
	"crscore/score"
)

func refsCommand(s streams) *cobra.Command {
	var sources sourceFlags
	var ch changeFlags
	var format string
	cmd := &cobra.Command{
		Use:   "refs",
		Short: "Print the pseudo-references of a change",
		Long: `refs prints what a good review of a change could talk about: claims about what
it does, implications and code smells, each with its place and the rule that
made it. No review and no encoder are needed.`,
		Example: `  git diff | crscore refs --diff -
  crscore refs --range HEAD~1..HEAD --format json
  crscore refs --diff hunks.txt --lang java --smells none`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: choose text or json", format)
			}
			if err := sources.forOneChange(); err != nil {
				return err
			}
			opts, err := sources.options()
			if err != nil {
				return err
			}
			in, err := ch.read(cmd, s.in)
			if err != nil {
				return err
			}
			set, err := crscore.Refs(cmd.Context(), in, opts)
			if err != nil {
				return incomplete{err}
			}
			for _, warning := range set.Warnings {
				complain(s.err, warning)
			}
			refs := make([]report.Ref, len(set.Refs))
			for i := range refs {
				refs[i] = ref(set.Refs[i])
			}
			var b bytes.Buffer
			if format == "json" {
				if err := report.JSON(&b, refs, "  "); err != nil {
					return err
				}
			} else {
				report.Printer{W: &b, Opts: screen(s.out)}.Refs(refs)
			}
			if _, err := s.out.Write(b.Bytes()); err != nil {
				return written(err)
			}
			if len(refs) == 0 {
				return incomplete{score.ErrNoRefs}
			}
			return nil
		},
	}
	ch.add(cmd)
	sources.add(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	complete(cmd, "format", "text", "json")
	return cmd
}
