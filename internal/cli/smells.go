package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/report"
	"crscore/internal/spelling"
	"crscore/internal/stdio"
	"crscore/smells"
)

func smellsCommand(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "smells",
		Short: "Check files and changes for code smells, list the rules, measure complexity",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(smellsCheck(s), smellsComplexity(s), smellsList(s))
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
			}
			return s.print(format, b.Bytes())
		},
	}
	twoFormats(cmd, &format, "text or json")
	return cmd
}

// sourceFile is a file to be parsed, or a path that could not be read.
type sourceFile struct {
	path string
	lang lang.Name // empty: told by the path
	err  error
}

// sourceFiles lists, by name, the files that are named and the files in folders whose
// extension tells a language that is parsed. l is the language of the files that are
// named, empty if their paths tell it.
func sourceFiles(paths []string, l lang.Name) ([]sourceFile, error) {
	known := func(p string) bool { return slices.Contains(smells.Languages(), lang.FromPath(p)) }
	var out []sourceFile
	for _, p := range paths {
		if p != "-" {
			info, err := os.Stat(p)
			if err != nil {
				return nil, err
			}
			if info.IsDir() {
				out = append(out, sourceFilesIn(p, known)...)
				continue
			}
		}
		if !known(p) && l == lang.Unknown {
			return nil, fmt.Errorf("%s: the language is unknown or not one of %s; name it with --lang", stdio.Name(p), joinNames(smells.Languages()))
		}
		out = append(out, sourceFile{path: p, lang: l})
	}
	// A file that is named twice is read once; its language was given with its name.
	slices.SortStableFunc(out, func(a, b sourceFile) int { return cmp.Compare(a.path, b.path) })
	return slices.CompactFunc(out, func(a, b sourceFile) bool { return a.path == b.path }), nil
}

// sourceFilesIn lists the files in a folder, which may be a link to a folder. Hidden
// files and folders, node_modules and links are left out.
func sourceFilesIn(root string, known func(string) bool) (out []sourceFile) {
	_ = fs.WalkDir(os.DirFS(root), ".", func(f string, d fs.DirEntry, err error) error {
		path := filepath.Join(root, filepath.FromSlash(f))
		switch hidden := f != "." && strings.HasPrefix(d.Name(), "."); {
		case err != nil:
			out = append(out, sourceFile{path: path, err: err})
		case d.IsDir() && (hidden || d.Name() == "node_modules" && f != "."):
			return fs.SkipDir
		case d.Type().IsRegular() && !hidden && known(f):
			out = append(out, sourceFile{path: path})
		}
		return nil
	})
	return out
}

// read returns the text of the file.
func (f *sourceFile) read(s streams) (string, error) {
	if f.err != nil {
		return "", f.err
	}
	text, err := s.in.ReadFile(f.path, change.DefaultMaxBytes)
	if err != nil {
		return "", err
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return "", fmt.Errorf("not a text: there is a zero byte in line %d", 1+bytes.Count(text[:i], []byte("\n")))
	}
	return string(text), nil
}

// smellsLanguage is the value of --lang.
func smellsLanguage(name string) (lang.Name, error) {
	if name == "" {
		return lang.Unknown, nil
	}
	l, ok := lang.Lookup(name)
	if !ok || !slices.Contains(smells.Languages(), l) {
		return "", fmt.Errorf("--lang %s: choose one of %s", name, joinNames(smells.Languages()))
	}
	return l, nil
}

// maxBroken is how many files with syntax errors are named.
const maxBroken = 5

// warnBroken names files with syntax errors, each as file:line.
func (s streams) warnBroken(files []string) {
	n := len(files)
	if n == 0 {
		return
	}
	more := ""
	if n > maxBroken {
		more = spelling.Count(", and %d more files", n-maxBroken)
	}
	s.log.warn(fmt.Sprintf("syntax errors, around which less may be found: %s%s", strings.Join(files[:min(n, maxBroken)], ", "), more))
}
