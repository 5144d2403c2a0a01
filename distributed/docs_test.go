package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// page is the documentation of the command.
const page = "../docs/beam.md"

func readText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// blocks are the fenced blocks of the page in a language.
func blocks(t *testing.T, lang string) (texts []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?ms)^```"+lang+"\n(.*?)^```").FindAllStringSubmatch(readText(t, page), -1) {
		texts = append(texts, m[1])
	}
	if len(texts) == 0 {
		t.Fatalf("%s has no block of %s", page, lang)
	}
	return texts
}

// TestPage types the first commands of the page, and looks for the output that it shows.
func TestPage(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "crscore-beam")); err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(dir, "reviews")
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	one, two := readText(t, "../internal/cli/testdata/agree.jsonl"), readText(t, "../testdata/reviewers.jsonl")
	write(t, in, "a.jsonl.gz", one)
	write(t, in, "b.jsonl.gz", two)
	build, commands, _ := strings.Cut(blocks(t, "sh")[0], "\n")
	if !strings.HasPrefix(build, "(cd distributed && go build ") {
		t.Fatalf("the page begins with %s", build)
	}
	cmd := exec.Command("bash", "-c", "set -e\n"+commands)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), commandEnv+"=1", "XDG_CONFIG_HOME="+dir, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rest := string(out)
	for line := range strings.Lines(blocks(t, "text")[0]) {
		if line == "...\n" {
			continue
		}
		_, after, ok := strings.Cut(rest, line)
		if !ok {
			t.Fatalf("the page shows %q, which the command does not print there:\n%s", line, out)
		}
		rest = after
	}
	same(t, "scores", readText(t, filepath.Join(dir, "scores.jsonl")), scoreOf(t, one+two))
}

// TestPageFlags reads all commands of the page as a shell does, and compares them with the flags of
// the command.
func TestPageFlags(t *testing.T) {
	text := readText(t, page)
	for _, started := range []string{"\nprism --job_port=8073 --serve_http=false\n", "\nboot --worker_pool\n"} {
		if !strings.Contains(text, started) {
			t.Errorf("the page does not start %q, as TestWorkers does", started)
		}
	}
	if n := strings.Count(text, "**Not run here.**"); n != 2 {
		t.Errorf("the page says %d times that something was not run", n)
	}
	jobs := 0
	for _, block := range blocks(t, "sh") {
		cmd := exec.Command("bash", "-c", `set -e
crscore-beam() { printf '%s\n' job "$@"; }
prism() { :; }; boot() { :; }; go() { :; }; cd() { :; }; cat() { :; }
`+block)
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, block)
		}
		for _, job := range strings.Split(strings.TrimSpace("\n"+string(out)), "job\n")[1:] {
			jobs++
			checkFlags(t, strings.Split(strings.TrimSpace(job), "\n"))
		}
	}
	if jobs != 6 {
		t.Errorf("the page has %d jobs", jobs)
	}
}

// checkFlags reads arguments as the command does, but for their values: those of Beam are global.
func checkFlags(t *testing.T, args []string) {
	t.Helper()
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	(&command{}).cobra().Flags().VisitAll(func(f *pflag.Flag) {
		known.String(f.Name, "", "")
		known.Lookup(f.Name).NoOptDefVal = f.NoOptDefVal
	})
	if err := known.Parse(args); err != nil || known.NArg() > 0 {
		t.Errorf("%q: %v, and %q is left", args, err, known.Args())
	}
	for _, name := range []string{"data", "out"} {
		if !known.Changed(name) {
			t.Errorf("%q lack --%s", args, name)
		}
	}
}

// TestCompose reads compose.yaml as Compose does, and compares it with the image, the flags and the
// version of Beam.
func TestCompose(t *testing.T) {
	programs := os.Getenv("CRSCORE_BEAM")
	if programs == "" {
		t.Skip("make beam runs this with the programs of .ci/beam")
	}
	out, err := exec.Command(filepath.Join(programs, "compose"), "compose.yaml").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var c struct {
		Services map[string]struct {
			Image       string
			Build       struct{ Context, Dockerfile string }
			Command     []string
			Entrypoint  []string
			Environment map[string]*string
			NetworkMode string `json:"network_mode"`
		}
	}
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dockerfile := readText(t, "Dockerfile")
	for _, name := range []string{"workers", "launcher"} {
		s := c.Services[name]
		if s.Build.Context != root || s.Build.Dockerfile != "distributed/Dockerfile" || s.NetworkMode != "service:taskmanager" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	workers, launcher := c.Services["workers"], c.Services["launcher"]
	if len(launcher.Entrypoint) != 1 || !strings.Contains(dockerfile, " "+launcher.Entrypoint[0]+"\n") {
		t.Errorf("the image has no %q", launcher.Entrypoint)
	}
	checkFlags(t, launcher.Command)
	if binary := "--worker_binary=" + launcher.Entrypoint[0]; !strings.Contains(strings.Join(launcher.Command, "\n"), binary) {
		t.Errorf("%q lack %s", launcher.Command, binary)
	}
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST"} {
		for _, s := range []map[string]*string{workers.Environment, launcher.Environment} {
			if value, there := s[name]; !there || value != nil {
				t.Errorf("%s is not from the environment: %v", name, s)
			}
		}
	}
	flink := strings.TrimPrefix(c.Services["taskmanager"].Image, "flink:")
	version := regexp.MustCompile(`apache/beam/sdks/v2 v(\S+)`).FindStringSubmatch(readText(t, "go.mod"))
	if want := "apache/beam_flink" + flink + "_job_server:" + version[1]; c.Services["jobserver"].Image != want {
		t.Errorf("the job server is %s, not %s", c.Services["jobserver"].Image, want)
	}
}
