package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// engineCommand is a command with the flags of an engine.
func engineCommand(t *testing.T, args ...string) (*EngineFlags, *cobra.Command) {
	t.Helper()
	f, cmd := &EngineFlags{}, &cobra.Command{Use: "elsewhere"}
	cmd.SetContext(context.Background())
	f.Add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return f, cmd
}

// TestEngineSpecArgs: whatever is given on the command line is given where the engine opens.
func TestEngineSpecArgs(t *testing.T) {
	args := []string{
		"--claims=symbolic,data:a b", "--smells=pmd", "--tau=0.123456789012345", "--no-cache", "--claims-timeout=90s", "--workers=3",
		"--tool=pmd=/a,b/pmd", "--tool=ruff=/r", "--node-modules=/x,y", "--node-modules=/z", "--weights=smell=0.5,claim=2",
	}
	f, cmd := engineCommand(t, append(args, "--no-config")...)
	spec, err := f.Spec(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(spec.Args, "--no-config=true") {
		t.Error("the place of the configuration is sent")
	}
	_, again := engineCommand(t, spec.Args...)
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		other := again.Flags().Lookup(flag.Name)
		if values := flag.Value.String(); flag.Name != "no-config" && flag.Name != "tool" && (other.Changed != flag.Changed || other.Value.String() != values) {
			t.Errorf("--%s is %s, and not %s", flag.Name, other.Value, values)
		}
	})
	want, err := cmd.Flags().GetStringToString("tool")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Flags().GetStringToString("tool"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("--tool is %v, and not %v (%v)", got, want, err)
	}
}

// TestEngineSpecOpen opens the engine of a spec that went through JSON: it scores as that of the
// command line does.
func TestEngineSpecOpen(t *testing.T) {
	f, cmd := engineCommand(t, "--mode=hard", "--tau=0.5", "--no-config")
	spec, err := f.Spec(cmd)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	var sent EngineSpec
	if err := json.Unmarshal(b, &sent); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	e, err := sent.Open(context.Background(), &log)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if s := e.Signature(); !strings.Contains(s, " mode=hard tau=0.5 ") || log.Len() > 0 {
		t.Errorf("signature %s; log %q", s, log.String())
	}
}

// TestEngineSpecRefuses: what no dataset has is refused where the command line was typed.
func TestEngineSpecRefuses(t *testing.T) {
	for arg, want := range map[string]string{
		"--findings=x":     "--findings is for one change",
		"--claims=":        "--claims is empty",
		"--profile=/none":  "--profile: ",
		"--config=/none/c": "/none/c",
	} {
		f, cmd := engineCommand(t, arg)
		if _, err := f.Spec(cmd); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, and not %q", arg, err, want)
		}
	}
}
