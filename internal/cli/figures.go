package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"crscore/internal/report"
	"crscore/internal/report/figures"
	"crscore/internal/system"
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
	if err := system.Writable(probe); err != nil {
		return fmt.Errorf("--figures: %w", err)
	}
	return nil
}

// pageFlag is the file of a report's page, empty for none.
type pageFlag struct{ outFile }

func (f *pageFlag) add(fl *pflag.FlagSet) {
	f.outFile.add(fl, "html", "", "also write the report, with figures, as one HTML `FILE`")
}

// write writes a page; none without results.
func (f *pageFlag) write(page figures.Page) error {
	if f.file == "" || len(page.Sections) == 0 {
		return nil
	}
	var b bytes.Buffer
	err := page.WriteHTML(&b)
	if err == nil {
		err = f.outFile.write(b.Bytes())
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
		name := filepath.Join(f.dir, file.Name)
		if err := (&outFile{flag: "figures", file: name, to: name}).write(file.Data); err != nil {
			return outputError(err)
		}
	}
	return nil
}
