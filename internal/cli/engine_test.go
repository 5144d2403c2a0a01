package cli

import (
	"context"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// engineCommand is a command with the flags of an engine.
func engineCommand(t *testing.T, args ...string) (*EngineFlags, *cobra.Command) {
	t.Helper()
	f, cmd := &EngineFlags{}, &cobra.Command{Use: "elsewhere"}
	cmd.SetContext(context.Background())
	cmd.SetErr(io.Discard)
	f.Add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return f, cmd
}

// TestFlagsAreSettings: every flag sets something that another process gets, also where its value is
// the default.
func TestFlagsAreSettings(t *testing.T) {
	none, cmd := engineCommand(t)
	values := map[string]string{"tool": "pmd=/a", "no-cache": "true", "raw": "true", "backend": "ort", "splitter": "paper"}
	ints := []string{"max-claims", callsFlag, "tau", "low", "slope", "workers"}
	for _, name := range none.flags.names() {
		value := values[name]
		switch flag := cmd.Flags().Lookup(name); {
		case slices.Contains(configNames, name):
			continue // their files are read here
		case value != "":
		case slices.Contains(ints, name):
			value = "2"
		case flag.Value.Type() == "duration":
			value = "2s"
		default:
			value = flag.DefValue + "x"
		}
		f, _ := engineCommand(t, "--"+name+"="+value)
		if reflect.DeepEqual(f.flags.Settings, none.flags.Settings) {
			t.Errorf("--%s=%s sets nothing", name, value)
		}
	}
	for _, arg := range []string{"--tau=0", "--claims-timeout=1m", "--model-calls=4", "--encoder=builtin", "--pooling=paper", "--mode="} {
		if f, _ := engineCommand(t, arg); reflect.DeepEqual(f.flags.Settings, none.flags.Settings) {
			t.Errorf("%s is taken for what was not given", arg)
		}
	}
}

// TestSettingsRefuse: what no dataset has is refused where the command line was typed.
func TestSettingsRefuse(t *testing.T) {
	for arg, want := range map[string]string{
		"--findings=x":     "--findings is for one change",
		"--claims=":        "--claims is empty",
		"--profile=/none":  "--profile: ",
		"--config=/none/c": "/none/c",
		"--tool=pmd=/x":    "--tool is for analyzers, and --smells names none",
	} {
		f, cmd := engineCommand(t, arg)
		if _, err := f.Settings(cmd); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, and not %q", arg, err, want)
		}
	}
}
