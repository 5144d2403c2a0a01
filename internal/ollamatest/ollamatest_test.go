package ollamatest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

const schema = `{"type":"object","properties":{"claims":{"type":"array","items":{"type":"string"}}},"required":["claims"]}`

func ask(t *testing.T, s *Server, model, prompt string, format json.RawMessage) api.GenerateResponse {
	t.Helper()
	var r api.GenerateResponse
	no := false
	err := s.Client().Generate(context.Background(), &api.GenerateRequest{
		Model: model, Prompt: prompt, Stream: &no, Format: format, Options: map[string]any{"temperature": 0, "num_ctx": 8192},
	}, func(g api.GenerateResponse) error { r = g; return nil })
	if err != nil {
		t.Fatal(err, s.Log())
	}
	return r
}

func TestAnswers(t *testing.T) {
	s := Shared(t)
	plain := `{"claims":["The function push now takes a hash.","Callers must be updated."]}`
	other := `{"claims":["The cache is gone."]}`
	s.Import(t, "answers", Answer{Text: plain}, Answer{Key: '†', Text: other}, Answer{Key: '‡', Text: "Prose, \"quoted\" — and ünicode.\n\nTwo paragraphs."})
	long := strings.Repeat("func push(item Item) error {\n\treturn queue.Append(item) // 12\n}\n", 200)
	for _, tt := range []struct {
		name, prompt, want string
		format             json.RawMessage
	}{
		{"schema", "What changed?", plain, json.RawMessage(schema)},
		{"no schema", "What changed?", plain, nil},
		{"key", "What † changed?", other, json.RawMessage(schema)},
		{"key at the end", "What changed? †", other, json.RawMessage(schema)},
		{"many keys", "What ††††† changed ††††††††††††††††††††††††††††?", other, json.RawMessage(schema)},
		{"key in a long text", "†" + long, other, json.RawMessage(schema)},
		{"long text", long, plain, json.RawMessage(schema)},
		{"more of one key", "†‡† changed", other, json.RawMessage(schema)},
		{"prose", "‡", "Prose, \"quoted\" — and ünicode.\n\nTwo paragraphs.", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			r := ask(t, s, "answers", tt.prompt, tt.format)
			if r.Response != tt.want || !r.Done || r.DoneReason != "stop" {
				t.Errorf("got %q (done %v, %s), want %q", r.Response, r.Done, r.DoneReason, tt.want)
			}
			t.Logf("%v for %d + %d tokens, %d bytes", time.Since(start), r.PromptEvalCount, r.EvalCount, len(tt.prompt))
		})
	}
}

func TestGGUFRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		answers    []Answer
	}{
		{"short", "cannot be cut", []Answer{{Text: "abc"}}},
		{"twice", "cannot be cut", []Answer{{Text: "the same"}, {Key: '†', Text: "the same"}}},
		{"key twice", "have the key", []Answer{{Key: '†', Text: "one answer"}, {Key: '†', Text: "another answer"}}},
	} {
		if _, err := GGUF(tt.answers...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	// What is long enough can be cut in another way.
	long := strings.Repeat("the same again and ", 3)
	if _, err := GGUF(Answer{Text: long}, Answer{Key: '†', Text: long}); err != nil {
		t.Error(err)
	}
}

// TestEndless shows an answer that is cut by the number of tokens, and one that
// is cut by the server's end.
func TestEndless(t *testing.T) {
	s := Start(t)
	s.Import(t, "endless", Answer{Text: "It goes on and on, ", Endless: true})
	generate := func(predict int, seen func()) (last api.GenerateResponse, err error) {
		err = s.Client().Generate(context.Background(), &api.GenerateRequest{
			Model: "endless", Prompt: "Why?", Options: map[string]any{"num_predict": predict},
		}, func(g api.GenerateResponse) error { last = g; seen(); return nil })
		return last, err
	}
	if last, err := generate(20, func() {}); err != nil || last.DoneReason != "length" || last.EvalCount != 20 {
		t.Errorf("20 tokens: %v, %+v", err, last)
	}
	pids := s.processes(t)
	if len(pids) < 2 {
		t.Fatalf("processes %v, want the server and its runner", pids)
	}
	if last, err := generate(-1, s.Kill); last.Done {
		t.Errorf("a whole answer from a server that was killed: %v, %+v", err, last)
	}
	gone(t, s.dir, pids)
}

const child = "OLLAMATEST_CHILD"

// TestKilledTest ends a process that runs a server as nothing can be caught.
func TestKilledTest(t *testing.T) {
	if os.Getenv(child) != "" {
		s := Shared(t)
		s.Import(t, "model", Answer{Text: "An answer."})
		ask(t, s, "model", "Well?", nil)
		fmt.Println("\n" + s.dir)
		select {}
	}
	program(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledTest$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &Server{}
	for lines := bufio.NewScanner(out); s.dir == "" && lines.Scan(); {
		if filepath.IsAbs(lines.Text()) {
			s.dir = lines.Text()
		}
	}
	if s.dir == "" {
		t.Fatal("the child did not start a server: ", cmd.Wait())
	}
	pids := s.processes(t)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	gone(t, s.dir, pids)
}

// processes are those that work in the server's folder.
func (s *Server) processes(t *testing.T) (pids []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(all) == 0 {
		t.Skip("NOT TESTED: there is no /proc to find processes in")
	}
	for _, file := range all {
		b, _ := os.ReadFile(file) // of processes that end, or are another's
		if strings.Contains(string(b), "OLLAMA_MODELS="+s.models()+"\x00") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

func gone(t *testing.T, dir string, pids []int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := slices.DeleteFunc(slices.Clone(pids), func(pid int) bool { return exec.Command("ps", "-p", strconv.Itoa(pid)).Run() != nil })
		_, err := os.Stat(dir)
		if len(left) == 0 && os.IsNotExist(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("of %v are still there: %v; the folder %s: %v", pids, left, dir, err)
		}
	}
}

// TestRegistry pulls a model of one server into another.
func TestRegistry(t *testing.T) {
	from, to := Shared(t), Start(t)
	from.Import(t, "pulled", Answer{Text: "An answer from afar."})
	var steps atomic.Int32
	registry := httptest.NewServer(from.ServeRegistry(5, func() { steps.Add(1) }))
	defer registry.Close()
	name := strings.TrimPrefix(registry.URL, "http://") + "/library/pulled"
	err := to.Client().Pull(context.Background(), &api.PullRequest{Model: name, Insecure: true}, func(api.ProgressResponse) error { return nil })
	if err != nil {
		t.Fatal(err, to.Log())
	}
	if r := ask(t, to, name, "Well?", nil); r.Response != "An answer from afar." || steps.Load() < 5 {
		t.Errorf("%q after %d steps", r.Response, steps.Load())
	}
}
