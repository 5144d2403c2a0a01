package terminal

import (
	"io"
	"os"

	"golang.org/x/term"

	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/system"
)

// Screen returns the width and the colours of the terminal behind w.
func Screen(w io.Writer) report.TextOptions {
	if !Is(w) {
		return report.TextOptions{Width: limits.ScreenColumns}
	}
	f := fileOf(w)
	o := report.TextOptions{Color: os.Getenv("NO_COLOR") == "" && system.Colors(f), Width: limits.ScreenColumns, ASCII: !system.Signs()}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		o.Width = min(width, limits.ScreenColumns)
	}
	return o
}

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// fileOf returns the file behind w, nil for other writers.
func fileOf(w io.Writer) *os.File {
	switch o := w.(type) {
	case *Output:
		w = o.w
	case *Log:
		w = o.w
	}
	f, _ := w.(*os.File)
	return f
}
