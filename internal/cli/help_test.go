package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore/internal/limits"
	"crscore/internal/stdio"
	"crscore/internal/terminal"
)

// commands calls f with every command of the program.
func commands(f func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		f(cmd)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root(streams{stdio.New(context.Background(), nil), terminal.NewOutput(io.Discard), terminal.NewLog(io.Discard)}))
}

// helpOf returns the help text of a command.
func helpOf(t *testing.T, path string) string {
	t.Helper()
	var out, errs bytes.Buffer
	args := append(strings.Fields(path)[1:], "--help")
	if code := Main(args, strings.NewReader(""), &out, &errs); code != exitDone {
		t.Fatalf("%s --help: exit code %d: %s", path, code, errs.String())
	}
	return out.String()
}

// TestHelp: the help texts of all commands fit a screen of 100 columns, have their parts in
// the same order, and the flags below the same headings.
func TestHelp(t *testing.T) {
	titles := []string{"Usage:", "Commands:"}
	for _, g := range flagGroups() {
		titles = append(titles, g.title+":")
	}
	titles = append(titles, "Examples:")
	commands(func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if strings.HasPrefix(path, "crscore completion ") {
			return // the library's texts, with commands that are longer
		}
		text := helpOf(t, path)
		last, group := -1, ""
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > limits.ScreenColumns {
				t.Errorf("%s: a line of %d characters: %s", path, n, line)
			}
			if at := slices.Index(titles, line); at >= 0 {
				if at <= last {
					t.Errorf("%s: %s comes after %s", path, line, titles[last])
				}
				last, group = at, strings.TrimSuffix(line, ":")
			}
			if name, ok := strings.CutPrefix(line, "      --"); ok {
				name, _, _ = strings.Cut(name, " ")
				if groupOf(name) != group && cmd.Flags().Lookup(name).Annotations[groupAnnotation] == nil {
					t.Errorf("%s: --%s is below %s", path, name, group)
				}
			}
		}
		if last < 0 {
			t.Errorf("%s: there is no usage in the help:\n%s", path, text)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(text, "--"+f.Name+" ") {
				t.Errorf("%s: --%s is not in the help", path, f.Name)
			}
		})
	})
}

// TestHelpGroups: all flags of score stand below a heading that says what they are for, and
// every flag in the table exists.
func TestHelpGroups(t *testing.T) {
	if text := helpOf(t, "crscore score"); strings.Contains(text, "\n"+ownFlags+":\n") {
		t.Errorf("a flag of score has no group: add it to flagGroups\n%s", text)
	}
	known := map[string]bool{"help": true, "version": true}
	commands(func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	})
	for _, g := range flagGroups() {
		for name := range strings.FieldsSeq(g.flags) {
			if !known[name] && name != "empty-cells" {
				t.Errorf("%s: there is no flag --%s", g.title, name)
			}
		}
	}
}
