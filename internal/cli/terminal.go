package cli

import (
	"io"
	"log/slog"

	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/terminal"
)

// streams are the terminal of package run.
var _ run.Terminal = streams{}

// Open opens a file, or standard input for -.
func (s streams) Open(name string) (io.ReadCloser, error) { return s.in.Open(name) }

// Say says a message.
func (s streams) Say(level slog.Level, msg string, about ...slog.Attr) {
	s.log.Say(level, msg, about...)
}

// SayOfKind says a message of a kind that may have many.
func (s streams) SayOfKind(level slog.Level, kind, msg string) { s.log.SayOfKind(level, kind, msg) }

// Records reports whether messages are records.
func (s streams) Records() bool { return s.log.JSON() }

// Block prints lines as they are.
func (s streams) Block(lines string) { s.log.Block(lines) }

// Width is that of standard error in columns.
func (s streams) Width() int { return terminal.Screen(s.log).Width }

// Progress starts to report progress.
func (s streams) Progress(what, unit string, steps int64, prints bool) run.Progress {
	return s.progress(what, unit, steps, prints)
}

// rows returns a writer of rows of changes, which may have columns of their own.
func (s streams) rows(format string, columns []string) (report.Writer, error) {
	screen := terminal.Screen(s.out)
	screen.Changes = true
	return report.NewMetricsWriter(s.out, format, columns, screen)
}
