// Package terminal is the standard streams of a command: results, which may go to a file, messages with the
// progress of what takes long, and an input that a signal interrupts.
package terminal

import (
	"context"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"crscore/chat/prompt"
	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/spelling"
	"crscore/pseudoref"
)

// Log is standard error. Everything but the results goes through it: lines for people or,
// with --log-format json, records for programs. A message is a note, a warning, which has no
// effect on the exit code, or a failure, the reason of an exit code other than 0. --quiet
// leaves the failures.
type Log struct {
	quiet  bool
	json   bool
	parsed bool // the flags were parsed

	kindsMu sync.Mutex // guards kinds
	kinds   []kind

	mu  sync.Mutex // guards w and bar
	w   io.Writer
	bar *Progress // the bar on the last line; nil for none
}

// Add adds the flags that all commands have.
func (l *Log) Add(cmd *cobra.Command) {
	fl := cmd.PersistentFlags()
	fl.BoolVar(&l.quiet, "quiet", false, "standard error has only the reasons of failures: no progress, notes or tables")
	fl.Var((*logFormat)(l), "log-format", "`FORMAT` of messages on standard error: text, or json with a record on each line")
	// The only error is a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("log-format", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

// FindFormat looks for --log-format in arguments that could not be parsed, so that the error
// about them has that format.
func (l *Log) FindFormat(args []string) {
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

// logFormat is a Log as the value of the flag --log-format.
type logFormat Log

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

// LogOf returns the Log of a command: its standard error.
func LogOf(cmd *cobra.Command) *Log {
	if l, ok := cmd.ErrOrStderr().(*Log); ok {
		return l
	}
	return &Log{w: cmd.ErrOrStderr()}
}

// NewLog returns a Log that writes to w.
func NewLog(w io.Writer) *Log { return &Log{w: w} }

// JSON reports whether messages are records for programs.
func (l *Log) JSON() bool { return l.json }

// Note says what has no effect.
func (l *Log) Note(msg string) { l.Say(slog.LevelInfo, msg) }

// Warn says what a person should know of the results.
func (l *Log) Warn(msg string) { l.Say(slog.LevelWarn, msg) }

// Fail says why the exit code is not 0.
func (l *Log) Fail(msg string, about ...slog.Attr) { l.Say(slog.LevelError, msg, about...) }

// Panicked reports a bug that left a change without references, with its stack.
func (l *Log) Panicked(p *pseudoref.Panic) {
	switch {
	case !l.countKind(slog.LevelError, "bugs"):
	case l.json:
		l.Fail(p.Error(), slog.String("stack", string(p.Stack)))
	default:
		l.Fail(p.Error())
		for line := range strings.Lines(string(p.Stack)) {
			_, _ = l.put([]byte("    " + report.Plain(strings.TrimSpace(line)) + "\n"))
		}
	}
}

// kind is a kind of messages with their number.
type kind struct {
	level slog.Level
	what  string // in the plural
	count int
}

// SayOfKind says a message of a kind that may have many. It says the first limits.MessagesOfKind;
// SayOmitted says the number of the others.
func (l *Log) SayOfKind(level slog.Level, what, msg string) {
	if l.countKind(level, what) {
		l.Say(level, msg)
	}
}

// countKind counts a message of a kind, and reports whether it is one of the first.
func (l *Log) countKind(level slog.Level, what string) bool {
	l.kindsMu.Lock()
	defer l.kindsMu.Unlock()
	i := slices.IndexFunc(l.kinds, func(k kind) bool { return k.what == what })
	if i < 0 {
		i = len(l.kinds)
		l.kinds = append(l.kinds, kind{level: level, what: what})
	}
	l.kinds[i].count++
	return l.kinds[i].count <= limits.MessagesOfKind
}

// SayOmitted says how many messages of each kind were omitted.
func (l *Log) SayOmitted() {
	l.kindsMu.Lock()
	kinds := l.kinds
	l.kinds = nil
	l.kindsMu.Unlock()
	for _, k := range kinds {
		if more := k.count - limits.MessagesOfKind; more > 0 {
			l.Say(k.level, spelling.Count("and %d more "+k.what, more), slog.Int("count", k.count))
		}
	}
}

// Say writes a message. The attributes are in JSON records only.
func (l *Log) Say(level slog.Level, msg string, about ...slog.Attr) {
	msg = report.Plain(strings.TrimSpace(msg))
	switch {
	case l.quiet && level < slog.LevelError:
	case l.json:
		l.Structured().LogAttrs(context.Background(), level, msg, about...)
	default:
		_, _ = l.put([]byte("crscore: " + msg + "\n"))
	}
}

// Block prints lines as they are, for people; --quiet leaves them out.
func (l *Log) Block(lines string) {
	if !l.quiet && !l.json {
		_, _ = l.put([]byte(lines))
	}
}

// Structured returns a structured Log with the same format, destination and level, for
// events such as requests.
func (l *Log) Structured() *slog.Logger {
	o := slog.HandlerOptions{Level: slog.LevelInfo}
	if l.quiet {
		o.Level = slog.LevelError
	}
	if l.json {
		return slog.New(slog.NewJSONHandler(writer(l.put), &o))
	}
	return slog.New(slog.NewTextHandler(writer(l.put), &o))
}

// Write takes the messages of the command-line library.
func (l *Log) Write(p []byte) (int, error) {
	if !l.json {
		return l.put(p)
	}
	l.Warn(string(p))
	return len(p), nil
}

// TakeLibraries has libraries write here what they write to standard error, such as the
// text of a server that says more than it may. It returns what ends that.
func (l *Log) TakeLibraries() (end func()) {
	stdlog.SetFlags(0)
	stdlog.SetOutput(writer(func(p []byte) (int, error) {
		l.SayOfKind(slog.LevelWarn, "messages of libraries", prompt.Cut(string(p), limits.LibraryMessage))
		return len(p), nil
	}))
	return func() {
		stdlog.SetFlags(stdlog.LstdFlags)
		stdlog.SetOutput(os.Stderr)
	}
}

// put writes lines above the progress bar.
func (l *Log) put(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bar.clear()
	o := Screen(l.w)
	o.ASCII = o.ASCII && !l.json
	if _, err := l.w.Write(o.Finish(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Raw writes what a terminal shows for a while, as it is.
func (l *Log) Raw(text string) { _, _ = io.WriteString(l.w, text) }

// Shows reports whether standard error is a terminal on which progress may be shown.
func (l *Log) Shows() bool { return !l.quiet && !l.json && Is(l.w) }

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
