package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"crscore/internal/report"
)

// logger is standard error: everything that is no result goes through it, as lines
// for people or, with --log-format json, as records for programs. A message is a
// note (what happened), a warning (what somebody should know, with no effect on the
// exit code) or a failure (why the exit code is not 0); --quiet leaves the failures.
type logger struct {
	quiet  bool
	json   bool
	parsed bool // these are what the command line says

	mu  sync.Mutex // of w, and of what stands on its last line
	w   io.Writer
	bar *progress // nil for none
}

// logFormats are the values of --log-format.
func logFormats() []string { return []string{"text", "json"} }

// add adds the flags that all commands have.
func (l *logger) add(cmd *cobra.Command) {
	fl := cmd.PersistentFlags()
	fl.BoolVar(&l.quiet, "quiet", false, "no progress and no notes on standard error, only why something failed")
	fl.Var((*logFormat)(l), "log-format", "messages on standard error: text, or json with one record a line")
	complete(cmd, "log-format", logFormats()...)
	cmd.PersistentPreRun = func(*cobra.Command, []string) { l.parsed = true }
}

// asked looks for --log-format in arguments that could not be parsed, so that the
// message about that has the right form.
func (l *logger) asked(args []string) {
	if l.parsed {
		return
	}
	for i, arg := range args {
		value, ok := strings.CutPrefix(arg, "--log-format=")
		if arg == "--log-format" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if ok {
			l.json = value == "json"
		}
	}
}

// logFormat is a logger as the value of --log-format.
type logFormat logger

func (f *logFormat) String() string {
	if f.json {
		return "json"
	}
	return "text"
}

// Set takes text or json.
func (f *logFormat) Set(s string) error {
	if s != "text" && s != "json" {
		return fmt.Errorf("unknown format %q: choose text or json", s)
	}
	f.json = s == "json"
	return nil
}

// Type is for the help.
func (*logFormat) Type() string { return "string" }

// logOf is the logger of a command, which is its standard error.
func logOf(cmd *cobra.Command) *logger {
	if l, ok := cmd.ErrOrStderr().(*logger); ok {
		return l
	}
	return &logger{w: cmd.ErrOrStderr()}
}

func (l *logger) note(msg string) { l.say(slog.LevelInfo, msg) }

func (l *logger) warn(msg string) { l.say(slog.LevelWarn, msg) }

func (l *logger) fail(msg string, about ...slog.Attr) { l.say(slog.LevelError, msg, about...) }

// say is one message. What it is about stands in the record only.
func (l *logger) say(level slog.Level, msg string, about ...slog.Attr) {
	msg = report.Plain(strings.TrimSpace(msg))
	switch {
	case l.quiet && level < slog.LevelError:
	case l.json:
		l.structured().LogAttrs(context.Background(), level, msg, about...)
	default:
		_, _ = l.put([]byte("crscore: " + msg + "\n"))
	}
}

// structured is a logger for what logs events and not messages for a person, in the
// same form, to the same place and as quiet.
func (l *logger) structured() *slog.Logger {
	o := slog.HandlerOptions{Level: slog.LevelInfo}
	if l.quiet {
		o.Level = slog.LevelError
	}
	if l.json {
		return slog.New(slog.NewJSONHandler(writer(l.put), &o))
	}
	return slog.New(slog.NewTextHandler(writer(l.put), &o))
}

// Write takes what cobra prints by itself.
func (l *logger) Write(p []byte) (int, error) {
	if !l.json {
		return l.put(p)
	}
	l.warn(string(p))
	return len(p), nil
}

// put writes lines above the progress bar.
func (l *logger) put(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bar.clear()
	return l.w.Write(p)
}

// screen tells whether there is one that shows what changes while a command runs.
func (l *logger) screen() bool { return !l.quiet && !l.json && isTerminal(l.w) }

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
