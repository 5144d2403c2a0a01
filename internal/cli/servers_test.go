package cli

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"crscore/internal/ollamatest"
)

// servers are three real Ollama servers behind fronts, and a dataset.
type servers struct {
	real   []*ollamatest.Server
	fronts []*ollamatest.Front
	bin    string
	data   string
	n      int // changes
}

func threeServers(t *testing.T) *servers {
	t.Helper()
	s := &servers{bin: build(t), n: 48}
	first := ollamatest.Start(t)
	first.Import(t, "reviewer", reviewer,
		ollamatest.Answer{Key: '†', Text: "{\"summary\":[\"The function `push` needs a `hash`.\",\"`len` counts the items.\"],\"implications\":[]}"},
		ollamatest.Answer{Key: '‡', Text: "{\"summary\":[],\"implications\":[\"Each caller of `push` must compute a `hash` first.\"]}"})
	s.real = []*ollamatest.Server{first, ollamatest.StartLike(t, first), ollamatest.StartLike(t, first)}
	for _, r := range s.real {
		s.fronts = append(s.fronts, ollamatest.NewFront(t, r))
	}
	var lines bytes.Buffer
	for i := range s.n {
		fmt.Fprintf(&lines, `{"id":"%d","path":"queue.py","diff":"@@ -1,4 +1,4 @@\n class Queue%d:\n     # a queue%s\n-def push(item):\n+def push(item, hash):\n     return len(items)\n",`+
			`"reviews":[{"id":"s","text":"Callers of push must pass a hash."}]}`+"\n", i, i, []string{"", " †", " ‡"}[i%3])
	}
	s.data = filepath.Join(t.TempDir(), "data.jsonl")
	if err := os.WriteFile(s.data, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// score scores the dataset with those servers and an empty cache.
func (s *servers) score(t *testing.T, fronts []*ollamatest.Front, flags ...string) (rows, errs string, code int) {
	t.Helper()
	var hosts []string
	for _, f := range fronts {
		hosts = append(hosts, f.URL)
	}
	cmd := exec.Command(s.bin, append([]string{"score", "--data", s.data, "--claims", "symbolic,ollama:reviewer", "--explain"}, flags...)...)
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+strings.Join(hosts, ", "), "XDG_CACHE_HOME="+t.TempDir())
	var out, msgs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msgs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out.String(), msgs.String(), cmd.ProcessState.ExitCode()
}

// TestServerKilledInRun scores with three real servers, of which one is killed in the middle: no
// change is lost, no answered question is asked again, and the rows are those of one server. Then all
// are killed.
func TestServerKilledInRun(t *testing.T) {
	s := threeServers(t)
	const calls = 2
	flags := []string{"--model-calls", fmt.Sprint(calls)}
	want, errs, code := s.score(t, s.fronts[:1], flags...)
	if code != exitDone || strings.Count(want, `"status":"scored"`) != s.n || !strings.Contains(want, "ollama:reviewer@") {
		t.Fatalf("one server: exit code %d, %s\n%s", code, errs, want)
	}
	if len(s.fronts[0].Answered()) != s.n {
		t.Fatalf("%d answers for %d changes", len(s.fronts[0].Answered()), s.n)
	}
	s.fronts[0] = ollamatest.NewFront(t, s.real[0])
	s.fronts[1].OnGenerate = func(n int) {
		if n == 4 {
			s.real[1].Kill()
		}
	}
	got, errs, code := s.score(t, s.fronts, flags...)
	if code != exitDone || got != want {
		t.Errorf("exit code %d, the same rows: %v\n%s", code, got == want, errs)
	}
	if !strings.Contains(errs, "a server is rested, and the others get its calls: ") || !strings.Contains(errs, s.fronts[1].URL) {
		t.Errorf("no word of the server that was killed: %s", errs)
	}
	begun, times := 0, make(map[string]int)
	for _, f := range s.fronts {
		begun += f.Begun()
		for _, q := range f.Answered() {
			times[q]++
		}
	}
	for q, n := range times {
		if n != 1 {
			t.Errorf("answered %d times: %s", n, q)
		}
	}
	if len(times) != s.n || begun > s.n+calls {
		t.Errorf("%d questions answered and %d asked, for %d changes", len(times), begun, s.n)
	}
	for i, f := range s.fronts {
		t.Logf("server %d: %d asked, %d answered", i+1, f.Begun(), len(f.Answered()))
		if len(f.Answered()) == 0 {
			t.Errorf("server %d answered nothing", i+1)
		}
	}

	// All die, and one was dead at the start: the rows until then are whole, the others say why.
	s.fronts[0] = ollamatest.NewFront(t, s.real[0])
	s.fronts[0].OnGenerate = func(n int) {
		if n == 8 {
			s.real[0].Kill()
			s.real[2].Kill()
		}
	}
	got, errs, code = s.score(t, s.fronts, flags...)
	scored := strings.Count(got, `"status":"scored"`)
	if code != exitIncomplete || scored == 0 || scored+strings.Count(got, `"status":"unscored"`) != s.n {
		t.Errorf("no server: exit code %d, %s\n%s", code, errs, got)
	}
	whole := strings.Split(want, "\n")
	for i, row := range strings.Split(got, "\n") {
		if strings.Contains(row, `"status":"scored"`) && row != whole[i] {
			t.Errorf("row %d is another than with one server: %s", i+1, row)
		}
	}
	for _, f := range s.fronts {
		if !strings.Contains(got, "none of the 3 servers of ollama:reviewer answers: ") || !strings.Contains(got, f.URL) {
			t.Errorf("the reason does not name %s: %s", f.URL, got)
		}
	}
}

// TestModelOnServers pulls a model on two real servers, and looks at them and at one that is not there.
func TestModelOnServers(t *testing.T) {
	from := ollamatest.Shared(t)
	from.Import(t, "reviewer", reviewer)
	registry := httptest.NewServer(from.ServeRegistry(4, nil))
	defer registry.Close()
	a, b := ollamatest.Start(t), ollamatest.Start(t)
	name := strings.TrimPrefix(registry.URL, "http://") + "/library/reviewer"
	t.Setenv("OLLAMA_HOST", a.URL+", "+b.URL)
	run := func(want int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := Main(args, strings.NewReader(""), &out, &errs); code != want {
			t.Errorf("%q: exit code %d, want %d: %s", args, code, want, &errs)
		}
		return out.String() + errs.String()
	}
	holds := func(out string, parts ...string) {
		t.Helper()
		for _, p := range parts {
			if !regexp.MustCompile("(?m)" + p).MatchString(out) {
				t.Errorf("no %q in\n%s", p, out)
			}
		}
	}
	a.Import(t, "reviewer", reviewer) // another than that of b, under the same name
	b.Import(t, "reviewer", reviewer)
	t.Setenv("PATH", "/nonexistent") // no analyzers
	holds(run(exitDone, "models", "pull", "ollama:"+name), `MB, on the Ollama server at `+a.URL+`$`, `MB, on the Ollama server at `+b.URL+`$`, `^use it: `)
	holds(run(exitDone, "doctor", "--timeout", "60s"),
		`^  ✓ server +0\.\S+ +`+a.URL+`$`, `^  ✓ server +0\.\S+ +`+b.URL+`$`, `^  ✓ model +\S+ MB +`+name+`(:latest)?$`)

	config := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(config, []byte("claims: {sources: 'ollama:reviewer'}"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds(run(exitFailed, "doctor", "--timeout", "60s", "--config", config), `^  · model +\S+ MB +reviewer:latest$`,
		`^ +the servers differ: `+a.URL+` has [0-9a-f]{12},`, `^crscore: the configuration asks for something missing: .*: claims: ollama:reviewer: the servers do not have the same ollama:reviewer: `)
	t.Setenv("OLLAMA_HOST", "http://127.0.0.1:1,"+a.URL)
	out := run(exitFailed, "doctor", "--timeout", "60s", "--config", config)
	holds(out, `^  · server +there is no Ollama server at http://127.0.0.1:1: `, `^  ✓ server +0\.\S+ +`+a.URL+`$`, `^  ✓ model +\S+ MB +reviewer:latest$`)
	holds(run(exitFailed, "doctor", "--timeout", "60s", "--config", config, "--format", "json"), `"others": \[`, `"host": "`+a.URL+`"`)
	holds(run(exitIncomplete, "models", "pull", "ollama:"+name), `there is no Ollama server at http://127.0.0.1:1: `)
	t.Setenv("OLLAMA_HOST", a.URL+",http://user:secret@127.0.0.1:1")
	out = run(exitDone, "doctor", "--timeout", "60s")
	holds(out, `^  · server +address 2 of 2 in OLLAMA_HOST is not the address of a server`)
	if strings.Contains(out, "secret") {
		t.Errorf("a password: %s", out)
	}
}
