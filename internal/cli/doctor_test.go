package cli

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crscore/analyzers"
	"crscore/internal/doctor"
)

// TestDoctorExits holds the exit codes against what the configuration asks for,
// with nothing on PATH.
func TestDoctorExits(t *testing.T) {
	t.Setenv("PATH", "/nonexistent")
	t.Setenv("OLLAMA_HOST", "http://127.0.0.1:1")
	file := filepath.Join(t.TempDir(), "c.yaml")
	for text, want := range map[string]int{
		"":                                   exitDone,
		"smells: {sources: builtin}":         exitDone,
		"smells: {sources: none}":            exitDone,
		"claims: {sources: symbolic}":        exitDone,
		"tools: {timeout: 5s}":               exitDone,
		"tools: {radon: {path: /no/radon}}":  exitFailed,
		"tools: {node_modules: [/no/such]}":  exitFailed,
		"claims: {sources: 'ollama:m'}":      exitFailed,
		"claims: {sources: symbolc}":         exitFailed,
		"smells: {sources: lint}":            exitFailed,
		"smells: {sources: [builtin, lint]}": exitFailed,
		"smells: {source: builtin}":          exitUsage,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := Main([]string{"doctor", "--config", file}, strings.NewReader(""), &out, &errs); code != want {
			t.Errorf("%s: exit code %d, want %d\n%s", text, code, want, &errs)
		}
	}
}

// TestDoctorJSON makes sure that every analyzer is in the table with a command
// that installs it.
func TestDoctorJSON(t *testing.T) {
	t.Setenv("PATH", "/nonexistent")
	t.Setenv("OLLAMA_HOST", "http://127.0.0.1:1")
	var out, errs bytes.Buffer
	if code := Main([]string{"doctor", "--format", "json"}, strings.NewReader(""), &out, &errs); code != exitDone {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var d doctor.Diagnosis
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range d.Analyzers {
		names = append(names, a.Name)
		if a.State != string(analyzers.Missing) || a.Install == "" || !strings.HasSuffix(a.Reason, a.Install) || len(a.Languages) == 0 {
			t.Errorf("%+v", a)
		}
	}
	var want []string
	for _, tool := range analyzers.All() {
		want = append(want, tool.Name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestDoctorSilentServer asks a server that takes connections and says nothing.
func TestDoctorSilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("PATH", "/nonexistent")
	t.Setenv("OLLAMA_HOST", "http://"+l.Addr().String())
	var out, errs bytes.Buffer
	if code := Main([]string{"doctor", "--timeout", "300ms"}, strings.NewReader(""), &out, &errs); code != exitDone ||
		!strings.Contains(out.String(), "no answer within 300ms from http://"+l.Addr().String()) {
		t.Errorf("exit code %d: %s\n%s", code, &out, &errs)
	}
}
