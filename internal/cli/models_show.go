package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"crscore/internal/doctor"
	"crscore/internal/models"
	"crscore/internal/run"
	"crscore/internal/setup"
)

func modelsList(s streams, dir *string) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the models that are here, and those known to be of use",
		Long: `list shows the built-in model, the downloaded ones and those that the
documentation speaks of. Sizes of files are compared with what was downloaded;
crscore models info NAME compares the checksums too.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := models.Open(*dir)
			if err != nil { // the built-in model is listed all the same
				s.log.Warn(err.Error())
			}
			rows, err := doctor.Models(store)
			if err != nil {
				return err
			}
			return s.printValue(format, rows, func(b *bytes.Buffer) { doctor.PrintModels(b, rows, store) })
		},
	}
	textOrJSON(cmd, &format)
	return cmd
}

func modelsInfo(s streams, dir *string) *cobra.Command {
	var format string
	var how setup.Encoder
	cmd := &cobra.Command{
		Use:   "info NAME|FOLDER",
		Short: "Describe a model and check its files",
		Long: `info says what a model is, as its own files say it, compares the files with the
checksums of its download, and opens the model as score does: it says what score refuses
or warns of. The built-in model is called builtin.

Exit codes: 0 all right; 2 no such model, or score refuses it; 3 a file is damaged or missing.`,
		Example: `  crscore models info builtin
  crscore models info mixedbread-ai/mxbai-embed-large-v1
  crscore models info ./my-model --format json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePulled(dir, models.Builtin),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := how.CheckBackend(); err != nil {
				return err
			}
			d, err := doctor.Describe(cmd.Context(), args[0], *dir, how)
			if err != nil {
				return err
			}
			if err := s.printValue(format, d, d.Print); err != nil {
				return err
			}
			bad := len(d.Problems)
			for _, f := range d.Files {
				if f.State != models.Intact {
					bad++
				}
			}
			if bad > 0 {
				hint := ""
				if d.Revision != "" {
					hint = "; run crscore models pull " + d.Name + "@" + d.Revision
				}
				return run.Incomplete{Err: fmt.Errorf("damaged or missing: %d%s", bad, hint)}
			}
			if d.Refused != "" {
				return refused{fmt.Errorf("score refuses the model: %s", d.Refused)}
			}
			return nil
		},
	}
	textOrJSON(cmd, &format)
	addOpening(cmd, &how)
	return cmd
}
