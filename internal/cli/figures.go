package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/system"
	"crscore/internal/terminal"
)

// figuresFlag is the folder that figures are exported to, empty for none.
type figuresFlag struct{ dir string }

func (f *figuresFlag) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.dir, "figures", "",
		"also write each figure for a paper, as SVG, PDF and PNG with its numbers as CSV, into a new or empty `FOLDER`")
}

// check finds out before a long run that the folder cannot be written to: no file is overwritten.
func (f *figuresFlag) check() error {
	if f.dir == "" {
		return nil
	}
	there, err := os.ReadDir(f.dir)
	probe := f.dir
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if parent := filepath.Dir(filepath.Clean(f.dir)); !system.IsFolder(parent) {
			return fmt.Errorf("--figures: there is no folder %s", parent)
		} else {
			probe = parent
		}
	case err != nil:
		return fmt.Errorf("--figures: %w", err)
	case len(there) > 0:
		return fmt.Errorf("--figures: %s is not empty: empty it, or choose another folder", f.dir)
	}
	if err := system.Writable(probe); err != nil {
		return fmt.Errorf("--figures: %w", err)
	}
	return nil
}

// pageFlag is the file of a report's page, empty for none.
type pageFlag struct{ terminal.OutFile }

func (f *pageFlag) add(fl *pflag.FlagSet) {
	f.OutFile.Add(fl, "html", "", "also write the report, with figures, as one HTML `FILE`")
}

// write writes a page; none without results.
func (f *pageFlag) write(page figures.Page) error {
	if f.String() == "" || len(page.Sections) == 0 {
		return nil
	}
	var b bytes.Buffer
	err := page.WriteHTML(&b)
	if err == nil {
		err = f.WriteAll(b.Bytes())
	}
	return outputError(err)
}

// study is what a study found, for programs.
type study interface {
	// CSV writes a line for each number.
	CSV(w io.Writer) error
}

// studyFormats are the formats of a report that is a study, and more.
func studyFormats(more ...string) []string {
	return append([]string{"text", "json", "markdown", "csv", "latex", "html"}, more...)
}

// reportFormats are the formats of a report that is no study.
func reportFormats() []string { return []string{"text", "json", "latex"} }

// reportFlags tell in which format a report is printed, and to which files else it is written.
type reportFlags struct {
	format  string
	html    pageFlag
	figures figuresFlag
}

// addReport adds the flags but --figures. The first format is the default.
func (f *reportFlags) addReport(cmd *cobra.Command, usage string, formats ...string) {
	choose(cmd, &f.format, "format", formats[0], usage, formats...)
	f.html.add(cmd.Flags())
}

// printReport prints a report, which is a study for csv, and writes its page and its figures. Each is
// written even if another cannot be: the numbers may have taken hours.
func (f *reportFlags) printReport(s streams, rep any, page figures.Page) (err error) {
	var b bytes.Buffer
	switch of, _ := rep.(study); {
	case f.format == "json":
		err = report.JSON(&b, rep, "  ")
	case f.format == "csv" && of != nil:
		err = of.CSV(&b)
	case f.format == "markdown":
		err = page.WriteMarkdown(&b)
	case f.format == "latex":
		err = page.WriteLaTeX(&b)
	case f.format == "html":
		err = page.WriteHTML(&b)
	default:
		err = page.WriteText(&b, terminal.Screen(s.out).Width)
	}
	if err == nil {
		err = s.print(f.format, b.Bytes())
	}
	return errors.Join(err, f.html.write(page), f.figures.write(s, page))
}

// write exports the figures of a page.
func (f *figuresFlag) write(s streams, page figures.Page) error {
	if f.dir == "" {
		return nil
	}
	files, err := page.Export()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		s.log.Warn("--figures: the report has no figure, and " + f.dir + " is not written")
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return outputError(err)
	}
	for _, file := range files {
		name := filepath.Join(f.dir, file.Name)
		if err := terminal.NewOutFile("figures", name).WriteAll(file.Data); err != nil {
			return outputError(err)
		}
	}
	return nil
}

// checkFolder refuses the name of a new directory that is surely meant to be a file.
func checkFolder(flag, name string) error {
	ext := filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
	if _, err := os.Lstat(name); err == nil || !slices.Contains([]string{".json", ".jsonl", ".csv", ".parquet", ".html"}, ext) {
		return nil
	}
	return fmt.Errorf("--%s makes a directory, and %s is the name of a file: --output %[2]s writes what would go to standard output; for a directory choose another name", flag, name)
}
