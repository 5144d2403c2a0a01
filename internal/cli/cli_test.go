package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"crscore/internal/config"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "crscore" { // that is the command of a script
		os.Setenv(config.Env, os.DevNull) // the tests are not shaped by settings of who runs them
	}
	testscript.Main(cleaning{m}, map[string]func(){
		"crscore": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// cleaning runs the tests and takes away what they share.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	defer binary.remove()
	return c.M.Run()
}

// TestScript runs the command as people do; testdata/script holds a file a
// subject.
func TestScript(t *testing.T) {
	demo, err := filepath.Abs("../../testdata/cache-expiry")
	if err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs("testdata/labelled.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	agree, err := filepath.Abs("testdata/agree.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	models, err := filepath.Abs("../../sts/testdata/pytorch/small")
	if err != nil {
		t.Fatal(err)
	}
	dir, files, many := "testdata/script", []string(nil), 400
	if testing.Short() { // what runs side by side, for the race detector
		for _, name := range []string{"cache", "data", "llm", "log", "matrices", "openai", "run", "score", "serve", "tools"} {
			files = append(files, filepath.Join(dir, name+".txtar"))
		}
		dir, many = "", 80
	}
	testscript.Run(t, testscript.Params{
		Dir:                dir,
		Files:              files,
		RequireUniqueNames: true,
		UpdateScripts:      os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			// The folder of crscore alone, for scripts that want nothing else on PATH.
			bin, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
			env.Setenv("BIN", bin)
			env.Setenv("DEMO", demo)
			env.Setenv("BENCH", filepath.Join(filepath.Dir(demo), "bench"))
			env.Setenv("FORMS", filepath.Join(filepath.Dir(demo), "forms.jsonl"))
			env.Setenv("REVISIONS", filepath.Join(filepath.Dir(demo), "revisions.jsonl"))
			env.Setenv("LABELLED", data)
			env.Setenv("MANY", strconv.Itoa(many)) // times LABELLED is a run that can be stopped
			env.Setenv("AGREE", agree)
			env.Setenv("MODELS", models)
			env.Setenv("HOME", "/nonexistent")
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Values[servedKey{}] = &atomic.Pointer[served]{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"parquet":       toParquet,
			"repeat":        repeat,
			"interrupt":     interrupt,
			"interrupt-run": interruptRun,
			"model":         model,
			"openai":        openAI,
			"exits":         exits,
			"serve":         serve,
			"view":          viewIn,
			"ask":           ask,
			"terminate":     terminate,
		},
	})
}

// repeat FILE N TEXT appends TEXT N times to FILE; TEXT is quoted as in Go.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: repeat FILE N TEXT")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text, err := strconv.Unquote(`"` + args[2] + `"`)
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	_, err = f.WriteString(strings.Repeat(text, n))
	ts.Check(err)
	ts.Check(f.Close())
}

// interrupt OUT ARGS... runs crscore with the arguments, sends it Ctrl-C and
// wants exit code 3. With a file as OUT the output goes there, the signal comes
// when the first bytes are there, and the file must end with a whole line. With
// - the signal comes while the program waits for standard input.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt OUT ARGS...")
	}
	cmd := command(ts, args[1:]...)
	stdin, err := cmd.StdinPipe() // silent, and open until the program has ended
	ts.Check(err)
	defer stdin.Close()
	name := ""
	if args[0] != "-" {
		name = ts.MkAbs(args[0])
		out, err := os.Create(name)
		ts.Check(err)
		defer out.Close()
		cmd.Stdout = out
	}
	ts.Check(cmd.Start())
	if name == "" {
		time.Sleep(2 * time.Second) // it has nothing to show that it waits
	}
	for range 600 {
		if st, err := os.Stat(name); name == "" || err == nil && st.Size() > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitIncomplete {
		ts.Fatalf("exit code %d after Ctrl-C, want %d", code, exitIncomplete)
	}
	if name == "" {
		return
	}
	b, err := os.ReadFile(name)
	ts.Check(err)
	if !strings.HasSuffix(string(b), "}\n") {
		ts.Fatalf("the output ends in %q, not with a whole line", b[max(0, len(b)-40):])
	}
}

// interrupt-run FILE ARGS... runs crscore with the arguments, sends it Ctrl-C when
// FILE, which it writes, has its first bytes, and wants exit code 3.
func interruptRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt-run FILE ARGS...")
	}
	cmd := command(ts, args[1:]...)
	ts.Check(cmd.Start())
	for range 600 {
		if st, err := os.Stat(ts.MkAbs(args[0])); err == nil && st.Size() > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitIncomplete {
		ts.Fatalf("exit code %d after Ctrl-C, want %d", code, exitIncomplete)
	}
}

// exits CODE ARGS... runs crscore with the arguments and wants this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	cmd := command(ts, args[1:]...)
	out, _ := cmd.CombinedOutput()
	if code := fmt.Sprint(cmd.ProcessState.ExitCode()); code != args[0] {
		ts.Fatalf("exit code %s, want %s: %s", code, args[0], out)
	}
}

// model FILE... starts a server that speaks as Ollama does, has a model "m" and
// answers with the FILEs in turn, and points OLLAMA_HOST to it. What a real server
// does is tested in pseudoref/llm.
func model(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: model FILE...")
	}
	var answers []string
	for _, name := range args {
		answers = append(answers, strings.TrimSuffix(ts.ReadFile(name), "\n"))
	}
	var calls atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"version":"0.17.4"}`) })
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"models":[{"name":"m:latest","model":"m:latest","digest":"0123456789abcdef","size":4700000000}]}`)
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) })
	mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter, _ *http.Request) {
		answer := answers[int(calls.Add(1)-1)%len(answers)]
		_ = json.NewEncoder(w).Encode(map[string]any{
			"response": answer, "done": true, "done_reason": "stop", "prompt_eval_count": 1000, "eval_count": 100,
		})
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("OLLAMA_HOST", server.URL)
}

// openAI FILE starts a server with OpenAI's API and a model "m", and points OPENAI_BASE_URL to it. Each line of the
// FILE is a status and a body: it answers with them in turn, and then with the last one.
func openAI(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: openai FILE")
	}
	answers := strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n")
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := `200 {"data":[{"id":"m"}]}`
		if r.Method == http.MethodPost {
			answer = answers[min(int(calls.Add(1)), len(answers))-1]
		}
		status, body, _ := strings.Cut(answer, " ")
		code, err := strconv.Atoi(status)
		ts.Check(err)
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}))
	ts.Defer(server.Close)
	ts.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
}

// command is the script's crscore with the arguments, in the script's folder.
func command(ts *testscript.TestScript, args ...string) *exec.Cmd {
	bin := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if f := filepath.Join(dir, "crscore"); bin == "" {
			if _, err := os.Stat(f); err == nil {
				bin = f
			}
		}
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = ts.MkAbs(".")
	return cmd
}
