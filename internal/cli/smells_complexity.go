package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"crscore/internal/csvcell"
	"crscore/internal/report"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/smells"
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
			if !slices.Contains([]string{"text", "json", "csv"}, format) {
				return fmt.Errorf("unknown format %q: choose text, json or csv", format)
			}
			if len(min) != 1 || !strings.Contains("ABCDEF", min) {
				return fmt.Errorf("--min is %q, but must be a rank from A to F", min)
			}
			if sort && format == "json" {
				return fmt.Errorf("--sort is for text and csv: json always lists the most complex block of a file first")
			}
			l, err := smellsLanguage(language)
			if err != nil {
				return err
			}
			files, err := sourceFiles(paths, l)
			if err != nil {
				return err
			}
			measured, err := measureFiles(cmd.Context(), s, files)
			if err != nil {
				return err
			}
			text, err := measured.format(format, min, sort)
			if err != nil {
				return err
			}
			if err := s.print(format, text); err != nil {
				return err
			}
			if measured.failed > 0 {
				return incomplete{errors.New(spelling.Count("%d of %d files could not be measured", measured.failed, len(files)))}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or csv")
	cmd.Flags().StringVar(&language, "lang", "", "language of the files that are named, whatever their extension")
	cmd.Flags().StringVar(&min, "min", "A", "only blocks with this `RANK` or a worse one, from A to F")
	cmd.Flags().BoolVar(&sort, "sort", false, "the most complex block first, over all files (text and csv)")
	complete(cmd, "format", "text", "json", "csv")
	complete(cmd, "min", "A", "B", "C", "D", "E", "F")
	return cmd
}

// measuredFiles are the blocks of files, or why a file could not be measured.
type measuredFiles struct {
	files  []measuredFile
	failed int
}

type measuredFile struct {
	path   string
	blocks []smells.Block
	err    error
}

// measureFiles measures files. The error is ctx's own.
func measureFiles(ctx context.Context, s streams, files []sourceFile) (*measuredFiles, error) {
	out := &measuredFiles{}
	var broken []string
	for i := range files {
		m := measuredFile{path: files[i].path}
		text, err := files[i].read(s)
		line := 0
		if err == nil {
			m.blocks, line, err = smells.FileComplexity(ctx, m.path, text, files[i].lang)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if m.err = err; err != nil {
			out.failed++
			s.log.sayOfKind(slog.LevelError, "files that could not be measured", fmt.Sprintf("%s: %v", stdio.Name(m.path), err))
		}
		if line > 0 {
			broken = append(broken, fmt.Sprintf("%s:%d", report.Plain(stdio.Name(m.path)), line))
		}
		out.files = append(out.files, m)
	}
	s.warnBroken(broken)
	return out, nil
}

// format prints the blocks with a rank or a worse one.
func (m *measuredFiles) format(format, min string, sort bool) ([]byte, error) {
	var b bytes.Buffer
	if format == "json" {
		err := report.JSON(&b, m.radon(min), "  ")
		return b.Bytes(), err
	}
	rows := m.rows(min)
	if sort {
		slices.SortStableFunc(rows, func(a, b blockRow) int { return cmp.Compare(b.Complexity, a.Complexity) })
	}
	if format == "csv" {
		w := csv.NewWriter(&b)
		_ = w.Write([]string{"path", "line", "end_line", "kind", "class", "name", "complexity", "rank"})
		for _, r := range rows {
			class := ""
			if r.Kind == smells.Method {
				class = r.Class
			}
			_ = w.Write([]string{csvcell.Text(r.path), strconv.Itoa(r.StartLine), strconv.Itoa(r.EndLine), string(r.Kind), csvcell.Text(class), csvcell.Text(r.Name), strconv.Itoa(r.Complexity), r.Rank()})
		}
		w.Flush()
		return b.Bytes(), w.Error()
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range m.files {
		if f.err != nil {
			fmt.Fprintf(w, "%s\terror: %s\n", report.Plain(f.path), report.Plain(f.err.Error()))
		}
	}
	for _, r := range rows {
		name := r.Name
		if r.Kind == smells.Method && r.Class != "" {
			name = r.Class + "." + name
		}
		fmt.Fprintf(w, "%s:%d\t%s %s\t%3d\t%s\n", report.Plain(r.path), r.StartLine, r.Kind, report.Plain(name), r.Complexity, r.Rank())
	}
	w.Flush()
	m.summary(&b)
	return b.Bytes(), nil
}

// blockRow is a block with its file.
type blockRow struct {
	path string
	smells.Block
}

func (m *measuredFiles) rows(min string) (out []blockRow) {
	for _, f := range m.files {
		for i := range f.blocks {
			if f.blocks[i].Rank() >= min {
				out = append(out, blockRow{f.path, f.blocks[i]})
			}
		}
	}
	return out
}

// radon has the shape of radon's JSON. As in "radon cc -j -n RANK", the blocks inside a
// block that is shown are shown with it.
func (m *measuredFiles) radon(min string) map[string]any {
	out := map[string]any{} // JSON sorts its keys
	for _, f := range m.files {
		if f.err != nil {
			out[f.path] = map[string]string{"error": f.err.Error()}
			continue
		}
		blocks := slices.DeleteFunc(smells.Radon(f.blocks), func(b smells.RadonBlock) bool { return b.Rank < min })
		if len(blocks) > 0 {
			out[f.path] = blocks
		}
	}
	return out
}

// summary prints the mean of all functions and methods, whatever their rank.
func (m *measuredFiles) summary(b *bytes.Buffer) {
	total, sum := 0, 0
	for _, f := range m.files {
		for i := range f.blocks {
			if f.blocks[i].Kind != smells.Class {
				total, sum = total+1, sum+f.blocks[i].Complexity
			}
		}
	}
	if total > 0 {
		fmt.Fprintf(b, "\n%d %s, mean complexity %.2f\n", total, either(total == 1, "function or method", "functions and methods"), float64(sum)/float64(total))
	}
}
