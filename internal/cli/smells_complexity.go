package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"crscore/internal/run"
	"crscore/internal/smellcheck"
	"crscore/internal/spelling"
)

func smellsComplexity(s streams) *cobra.Command {
	var format, language, min string
	var sort bool
	cmd := &cobra.Command{
		Use:   "complexity PATH...",
		Short: "Print the cyclomatic complexity and rank of every function, method and class",
		Long: `complexity measures every function, method and class in files, in standard input
(-), and in the files of folders whose extension tells their language. Hidden files,
node_modules and links in folders are left out. The measure is radon's for Python,
PMD's for Java, JSHint's for JavaScript and TypeScript, gocyclo's for Go, and McCabe's
for C, C++, C#, PHP, Ruby and Rust. The complexity of a class is the mean of its
methods, as in radon.

Ranks are radon's: A up to 5, B up to 10, C up to 20, D up to 30, E up to 40, and F
above. A smell is flagged from rank C on.

text and csv list the blocks in the order of the files, or the most complex first
with --sort. json has the shape of "radon cc -j": an object with a list for each file
that has blocks, the most complex first, or an object with an error. Its endline is
the last line of the block, which radon takes from the last statement.

Standard error names files with syntax errors; the code around an error is measured as
far as it can be read. Exit codes: 0 done; 2 usage or bad input; 3 a file could not be
measured.`,
		Example: `  crscore smells complexity app.py src
  crscore smells complexity --min C --sort src
  crscore smells complexity --format csv lib > complexity.csv
  git show HEAD:app.py | crscore smells complexity --lang python -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if sort && format == "json" {
				return fmt.Errorf("--sort is for text and csv: json always lists the most complex block of a file first")
			}
			l, err := smellsLanguage(language)
			if err != nil {
				return err
			}
			files, err := smellcheck.Files(paths, l)
			if err != nil {
				return err
			}
			measured, err := smellcheck.Measure(cmd.Context(), s.log, files, s.sources())
			if err != nil {
				return err
			}
			text, err := measured.Format(format, min, sort)
			if err != nil {
				return err
			}
			if err := s.print(format, text); err != nil {
				return err
			}
			if measured.Failed > 0 {
				return run.Incomplete{Err: errors.New(spelling.Count("%d of %d files could not be measured", measured.Failed, len(files)))}
			}
			return nil
		},
	}
	choose(cmd, &format, "format", "text", "text, json or csv", "text", "json", "csv")
	cmd.Flags().StringVar(&language, "lang", "", "language of the files that are named, whatever their extension")
	choose(cmd, &min, "min", "A", "only blocks with this `RANK` or a worse one, from A to F", "A", "B", "C", "D", "E", "F")
	cmd.Flags().BoolVar(&sort, "sort", false, "the most complex block first, over all files (text and csv)")
	return cmd
}
