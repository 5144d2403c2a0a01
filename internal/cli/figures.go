package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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

// reportFormats are the formats of a report that has a page.
func reportFormats() []string { return []string{"text", "json", "latex"} }

// printReport prints a report, and writes its page and its figures. Each is written even if another
// cannot be: the numbers may have taken hours.
func (s streams) printReport(format string, rep any, page figures.Page, html string, drawn figuresFlag) error {
	var b, h bytes.Buffer
	var err error
	switch format {
	case "json":
		err = report.JSON(&b, rep, "  ")
	case "latex":
		err = page.WriteLaTeX(&b)
	default:
		err = page.WriteText(&b, screen(s.out).Width)
	}
	if err == nil {
		err = s.print(format, b.Bytes())
	}
	if html != "" {
		bad := page.WriteHTML(&h)
		if bad == nil {
			bad = os.WriteFile(html, h.Bytes(), 0o666)
		}
		err = errors.Join(err, bad)
	}
	return errors.Join(err, drawn.write(s, page))
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
