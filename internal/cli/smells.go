package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/report"
	"crscore/smells"
)

func smellsCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "smells",
		Short: "Show the catalogue of code smells, and measure complexity",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(smellsList(s), smellsComplexity(s))
	return cmd
}

// listedRule is a rule as smells list prints it.
type listedRule struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Languages   []lang.Name `json:"languages"`
	On          bool        `json:"on"` // by default
	Threshold   int         `json:"threshold"`
	Unit        string      `json:"unit,omitempty"`
	Says        []saying    `json:"says"`
}

// saying is one of a rule's sentences.
type saying struct {
	When string `json:"when,omitempty"`
	Text string `json:"text"`
}

func smellsList(s streams) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the smells, what is said of them, and which are looked for by default",
		Long: `list prints the catalogue: of each rule what it looks for, the sentences that it
says, which are the pseudo-references, and whether it is on by default, with its
threshold and its languages. {name} in a sentence stands for something of the
code; a rule with several sentences tells before each when it is said.`,
		Example: `  crscore smells list
  crscore smells list --format json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var rows []listedRule
			for _, r := range smells.Rules() {
				row := listedRule{r.ID, r.Name, r.Description, r.Languages, r.On, r.Threshold, r.Unit, nil}
				for _, s := range r.Says {
					row.Says = append(row.Says, saying(s))
				}
				rows = append(rows, row)
			}
			var b bytes.Buffer
			switch format {
			case "json":
				if err := report.JSON(&b, rows, "  "); err != nil {
					return err
				}
			case "text":
				for _, r := range rows {
					fmt.Fprintf(&b, "%s (%s)\n", r.ID, r.Name)
					p := report.Printer{W: &b, Opts: screen(s.out)}
					p.Paragraph("  ", r.Description)
					for _, s := range r.Says {
						when := ""
						if s.When != "" {
							when = s.When + ": "
						}
						p.Paragraph("    ", when+`"`+s.Text+`"`)
					}
					state := "off by default"
					if r.On {
						state = "on by default"
					}
					if r.Unit != "" {
						state += fmt.Sprintf(", flagged above %d %s", r.Threshold, r.Unit)
					}
					fmt.Fprintf(&b, "  %s\n", state)
					fmt.Fprintf(&b, "  %s\n\n", joinNames(r.Languages))
				}
			default:
				return fmt.Errorf("unknown format %q: choose text or json", format)
			}
			_, err := s.out.Write(b.Bytes())
			return written(err)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	complete(cmd, "format", "text", "json")
	return cmd
}

func smellsComplexity(s streams) *cobra.Command {
	var format, language string
	cmd := &cobra.Command{
		Use:   "complexity PATH...",
		Short: "Print the cyclomatic complexity and rank of every function, method and class",
		Long: `complexity measures every function, method and class of files, of standard input
(-), and of the files in folders whose extension tells their language; what is
hidden, node_modules and links in folders are left out. The measure is radon's
for Python, PMD's for Java, JSHint's for JavaScript and TypeScript, gocyclo's
for Go, and McCabe's by the usual count for C, C++, C#, PHP, Ruby and Rust. The
complexity of a class is the mean of its methods, as radon takes it.

Ranks are radon's: A up to 5, B up to 10, C up to 20, D up to 30, E up to 40, and
F above. Smells are flagged from C.

text lists blocks in the order of the files. json has the shape of "radon cc
-j": an object with a list for each file that has blocks, the most complex
first, or an object with an error; endline is where a block ends, which radon
takes from the last statement that it looks at.

Of a file with syntax errors, which standard error names, what can be read is
measured. Exit codes: 0 done; 2 usage or bad input; 3 a file could not be
measured.`,
		Example: `  crscore smells complexity app.py src
  crscore smells complexity --format json lib > complexity.json
  git show HEAD:app.py | crscore smells complexity --lang python -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if format != "text" && format != "json" {
				return fmt.Errorf("unknown format %q: choose text or json", format)
			}
			l := lang.Unknown
			if language != "" {
				var ok bool
				if l, ok = lang.Lookup(language); !ok || !slices.Contains(smells.Languages(), l) {
					return fmt.Errorf("--lang %s: complexity is measured for %s", language, joinNames(smells.Languages()))
				}
			}
			files, err := measurable(paths, l)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			failed := measureFiles(cmd.Context(), s, &b, files, format)
			if _, err := s.out.Write(b.Bytes()); err != nil {
				return written(err)
			}
			if failed != nil {
				return incomplete{failed}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().StringVar(&language, "lang", "", "language of the files that are named, whatever their extension")
	complete(cmd, "format", "text", "json")
	return cmd
}

// unmeasured is a file to be measured, or what could not be read of a folder.
type unmeasured struct {
	path string
	lang lang.Name // empty: told by the path
	err  error
}

// measurable lists files that are named, and those in folders that can be
// measured, by name. Named files must be of a language that can be, or l given.
func measurable(paths []string, l lang.Name) ([]unmeasured, error) {
	known := func(p string) bool { return slices.Contains(smells.Languages(), lang.FromPath(p)) }
	var out []unmeasured
	for _, p := range paths {
		if p != "-" {
			info, err := os.Stat(p)
			if err != nil {
				return nil, err
			}
			if info.IsDir() {
				out = append(out, measurableIn(p, known)...)
				continue
			}
		}
		if !known(p) && l == lang.Unknown {
			return nil, fmt.Errorf("%s: complexity is measured for %s; say which with --lang", showInput(p), joinNames(smells.Languages()))
		}
		out = append(out, unmeasured{path: p, lang: l})
	}
	// A file that is named twice is named once; its language was given with its name.
	slices.SortStableFunc(out, func(a, b unmeasured) int { return cmp.Compare(a.path, b.path) })
	return slices.CompactFunc(out, func(a, b unmeasured) bool { return a.path == b.path }), nil
}

// measurableIn lists the files in a folder, which may be a link to one.
func measurableIn(root string, known func(string) bool) (out []unmeasured) {
	_ = fs.WalkDir(os.DirFS(root), ".", func(f string, d fs.DirEntry, err error) error {
		path := filepath.Join(root, filepath.FromSlash(f))
		switch hidden := f != "." && strings.HasPrefix(d.Name(), "."); {
		case err != nil:
			out = append(out, unmeasured{path: path, err: err})
		case d.IsDir() && (hidden || d.Name() == "node_modules" && f != "."):
			return fs.SkipDir
		case d.Type().IsRegular() && !hidden && known(f):
			out = append(out, unmeasured{path: path})
		}
		return nil
	})
	return out
}

// measureFiles prints the blocks of files. What cannot be read or measured is in
// the output in radon's way, and the error says how many files that were.
func measureFiles(ctx context.Context, s streams, b *bytes.Buffer, files []unmeasured, format string) error {
	shape := map[string]any{} // JSON sorts its keys
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	failed, total, sum := 0, 0, 0
	var broken []string
	for _, f := range files {
		blocks, line, err := fileBlocks(ctx, s, f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed++
			shape[f.path] = map[string]string{"error": err.Error()}
			fmt.Fprintf(w, "%s\terror: %s\n", report.Plain(f.path), report.Plain(err.Error()))
			continue
		}
		if line > 0 {
			broken = append(broken, fmt.Sprintf("%s:%d", report.Plain(showInput(f.path)), line))
		}
		if len(blocks) > 0 {
			shape[f.path] = smells.Radon(blocks)
		}
		for i := range blocks {
			if k := blocks[i].Kind; k != smells.Class {
				total, sum = total+1, sum+blocks[i].Complexity
			}
			name := blocks[i].Name
			if blocks[i].Kind == smells.Method && blocks[i].Class != "" {
				name = blocks[i].Class + "." + name
			}
			fmt.Fprintf(w, "%s:%d\t%s %s\t%3d\t%s\n", report.Plain(f.path), blocks[i].StartLine, blocks[i].Kind, report.Plain(name), blocks[i].Complexity, blocks[i].Rank())
		}
	}
	if format == "json" {
		if err := report.JSON(b, shape, "  "); err != nil {
			return err
		}
	} else {
		w.Flush()
		if total > 0 {
			fmt.Fprintf(b, "\n%d functions and methods, mean complexity %.2f\n", total, float64(sum)/float64(total))
		}
	}
	if n := len(broken); n > 0 {
		more := ""
		if n > maxBroken {
			more = fmt.Sprintf(", and %d more files", n-maxBroken)
		}
		s.log.warn(fmt.Sprintf("syntax errors, around which less may be measured: %s%s", strings.Join(broken[:min(n, maxBroken)], ", "), more))
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d files could not be measured", failed, len(files))
	}
	return nil
}

// maxBroken is how many files with syntax errors are named.
const maxBroken = 5

// fileBlocks returns the blocks of a file and the line of its first syntax error.
func fileBlocks(ctx context.Context, s streams, f unmeasured) ([]smells.Block, int, error) {
	if f.err != nil {
		return nil, 0, f.err
	}
	text, err := readInput(f.path, s.in, change.DefaultMaxBytes)
	if err != nil {
		return nil, 0, err
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return nil, 0, fmt.Errorf("not a text: there is a zero byte in line %d", 1+bytes.Count(text[:i], []byte("\n")))
	}
	return smells.FileComplexity(ctx, f.path, string(text), f.lang)
}
