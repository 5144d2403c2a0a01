package cli

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore/internal/terminal"
)

// runSoon runs the command, which has to end at once.
func runSoon(t *testing.T, args []string) (code int, said string) {
	t.Helper()
	var out, log bytes.Buffer
	done := make(chan int, 1)
	go func() { done <- Main(args, strings.NewReader(""), &out, &log) }()
	select {
	case code = <-done:
		return code, log.String()
	case <-time.After(2 * time.Minute):
		t.Fatalf("%q goes on", args)
		return 0, ""
	}
}

// fewestArgs returns as few arguments as a command takes, all of them the same.
func fewestArgs(cmd *cobra.Command, arg string) (args []string) {
	for range 3 {
		if cmd.Args == nil || cmd.Args(cmd, args) == nil {
			return args
		}
		args = append(args, arg)
	}
	return nil
}

// inputsOf returns how a file can be given to a command as its input: by each flag that names a
// file, and as its arguments.
func inputsOf(cmd *cobra.Command, file string) (inputs [][]string) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, out := f.Value.(*terminal.OutFile); out || f.Hidden || !strings.Contains(f.Usage, "FILE") {
			return
		}
		value := file
		if strings.Contains(f.Usage, "@FILE") {
			value = "@" + file
		}
		inputs = append(inputs, append(fewestArgs(cmd, "none"), "--"+f.Name, value))
	})
	if args := fewestArgs(cmd, file); len(args) > 0 {
		inputs = append(inputs, args)
	}
	return inputs
}

// TestOutputIsNoInput gives every command of the program each of its inputs as each of its
// outputs, under four names. The file stays as it is, with --force too.
func TestOutputIsNoInput(t *testing.T) {
	text, err := os.ReadFile("testdata/labelled.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file.jsonl")
	names := []string{file, filepath.Join(dir, "link"), filepath.Join(dir, "hard"), filepath.Join(dir, "folder") + "/../file.jsonl"}
	for _, err := range []error{
		os.WriteFile(file, text, 0o600), os.Symlink(file, names[1]), os.Link(file, names[2]), os.Mkdir(filepath.Join(dir, "folder"), 0o700),
	} {
		if err != nil {
			t.Skip(err) // Windows lets few users make a link
		}
	}
	refuse := func(want string, args []string) {
		t.Helper()
		code, said := runSoon(t, args)
		if code != exitUsage || !strings.Contains(said, want) {
			t.Errorf("%q: exit code %d: %s", args, code, said)
		}
		for _, name := range names {
			if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, text) {
				t.Fatalf("%q: %s has changed: %v", args, name, err)
			}
		}
	}
	flags, tried := map[string]bool{}, 0
	commands(func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		var outs []string
		collect := func(f *pflag.Flag) {
			if _, ok := f.Value.(*terminal.OutFile); ok {
				outs = append(outs, "--"+f.Name)
				flags[f.Name] = true
			}
		}
		cmd.LocalFlags().VisitAll(collect)
		cmd.InheritedFlags().VisitAll(collect)
		for _, out := range outs {
			for _, input := range inputsOf(cmd, file) {
				for _, name := range names {
					refuse(" is a file that this command reads: name another", slices.Concat(path, input, []string{"--force", out, name}))
					tried++
				}
			}
			refuse(file+" exists: choose another name, or give --force to replace it", slices.Concat(path, fewestArgs(cmd, "none"), []string{out, file}))
			tried++
		}
	})
	for _, flag := range []string{"output", "html", "matrices", "out"} {
		if !flags[flag] {
			t.Errorf("--%s was not tried", flag)
		}
	}
	if tried < 500 {
		t.Errorf("only %d calls were tried", tried)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".crscore-*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// TestOneWayToWrite holds that the commands write files by terminal.OutFile alone.
func TestOneWayToWrite(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := call.X.(*ast.Ident); ok && pkg.Name == "os" &&
				slices.Contains([]string{"Create", "CreateTemp", "OpenFile", "WriteFile", "Rename"}, call.Sel.Name) {
				t.Errorf("%s: os.%s: write by a terminal.OutFile", name, call.Sel.Name)
			}
			return true
		})
	}
}
