package cli

import (
	"bytes"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"crscore/internal/doctor"
	"crscore/internal/report"
	"crscore/internal/setup"
	"crscore/internal/terminal"
)

func doctorCommand(s streams) *cobra.Command {
	var format string
	var timeout time.Duration
	var settings setup.Files
	var tools setup.Tools
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Show the analyzers, models and settings that exist, and the missing ones",
		Long: `doctor shows the external programs and settings that crscore finds on this machine:
analyzers with their versions or how to install them; Ollama servers and their models;
encoders; the cache; git; and the configuration in force.

crscore needs none of them. A missing program is a fault only where the configuration
asks for it. Exit codes: 0 done; 1 the configuration asks for something that is missing;
2 usage, or a configuration that cannot be read.`,
		Example: `  crscore doctor
  crscore doctor --node-modules ~/tools/node_modules
  crscore doctor --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := settings.Load(cmd.Context(), setup.Paths, "", openLog(cmd))
			if err != nil {
				return err
			}
			places, err := tools.Options(c.Tools)
			if err != nil {
				return err
			}
			d, err := doctor.Diagnose(cmd.Context(), c, places, timeout)
			if err != nil {
				return err
			}
			if err := s.printValue(format, d, func(b *bytes.Buffer) { d.Print(report.Printer{W: b, Opts: terminal.Screen(s.out)}) }); err != nil {
				return err
			}
			switch n := len(d.Missing); n {
			case 0:
				return nil
			case 1:
				return failed{fmt.Errorf("the configuration asks for something missing: %s", d.Missing[0])}
			default:
				return failed{fmt.Errorf("the configuration asks for something missing: %s (and %d more)", d.Missing[0], n-1)}
			}
		},
	}
	textOrJSON(cmd, &format)
	cmd.Flags().DurationVar(&timeout, "timeout", 20*time.Second, "longest `DURATION` of an answer of an analyzer or a server")
	addConfig(cmd, &settings)
	addTools(cmd, &tools)
	return cmd
}
