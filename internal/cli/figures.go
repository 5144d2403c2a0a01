package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore/internal/report"
	"crscore/internal/report/figures"
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
		if parent := filepath.Dir(filepath.Clean(f.dir)); !isFolder(parent) {
			return fmt.Errorf("--figures: there is no folder %s", parent)
		} else {
			probe = parent
		}
	case err != nil:
		return fmt.Errorf("--figures: %w", err)
	case len(there) > 0:
		return fmt.Errorf("--figures: %s is not empty: empty it, or choose another folder", f.dir)
	}
	tmp, err := os.CreateTemp(probe, ".crscore-*")
	if err != nil {
		return fmt.Errorf("--figures: %w", err)
	}
	return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
}

// pageFlag is the file of a report's page, empty for none.
type pageFlag struct{ file string }

func (f *pageFlag) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.file, "html", "", "also write the report, with figures, as one HTML `FILE`")
}

// check finds out before a long run that no page can be written to the file.
func (f *pageFlag) check(cmd *cobra.Command) error {
	if err := notEmpty(cmd, "html"); err != nil || f.file == "" {
		return err
	}
	if folder := filepath.Dir(f.file); !isFolder(folder) {
		return fmt.Errorf("--html: there is no folder %s", folder)
	}
	if out := cmd.Flag("output").Value.String(); f.file == "-" || out != "" && filepath.Clean(out) == filepath.Clean(f.file) {
		return fmt.Errorf("--html: %s is for the results: name another file for the page", f.file)
	}
	if isFolder(f.file) {
		return fmt.Errorf("--html: %s is a folder", f.file)
	}
	return notRead(cmd, "html", f.file)
}

// write writes a page.
func (f *pageFlag) write(page figures.Page) error {
	if f.file == "" {
		return nil
	}
	var b bytes.Buffer
	err := page.WriteHTML(&b)
	if err == nil {
		err = os.WriteFile(f.file, b.Bytes(), 0o666)
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

// printReport prints a report, which is a study for csv, and writes its page and its figures. Each is
// written even if another cannot be: the numbers may have taken hours.
func (s streams) printReport(format string, rep any, page figures.Page, html pageFlag, drawn figuresFlag) (err error) {
	var b bytes.Buffer
	switch of, _ := rep.(study); {
	case format == "json":
		err = report.JSON(&b, rep, "  ")
	case format == "csv" && of != nil:
		err = of.CSV(&b)
	case format == "markdown":
		err = page.WriteMarkdown(&b)
	case format == "latex":
		err = page.WriteLaTeX(&b)
	case format == "html":
		err = page.WriteHTML(&b)
	default:
		err = page.WriteText(&b, screen(s.out).Width)
	}
	if err == nil {
		err = s.print(format, b.Bytes())
	}
	return errors.Join(err, html.write(page), drawn.write(s, page))
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
		s.log.warn("--figures: the report has no figure, and " + f.dir + " is not written")
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return outputError(err)
	}
	for _, file := range files {
		if err := createFile(filepath.Join(f.dir, file.Name), file.Data); err != nil {
			return outputError(err)
		}
	}
	return nil
}
