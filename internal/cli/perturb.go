package cli

import "github.com/spf13/cobra"

func perturbCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "perturb",
		Short: "Measure how far results depend on the form of the code",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(perturbRevise(s))
	return cmd
}
