package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// served is a crscore serve that runs.
type served struct {
	cmd   *exec.Cmd
	url   string
	ended chan struct{}
	log   bytes.Buffer // to be read when it has ended
}

// startServe starts a service on a free port, and waits until it is ready.
func startServe(cmd *exec.Cmd) (*served, error) {
	s, err := startListening(cmd)
	if err != nil {
		return nil, err
	}
	for range 600 {
		if res, err := http.Get(s.url + "/readyz"); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, fmt.Errorf("it is not ready: %s", s.url)
}

// startListening starts a command, and waits until it says where it listens.
func startListening(cmd *exec.Cmd) (*served, error) {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &served{cmd: cmd, ended: make(chan struct{})}
	at := make(chan string, 1)
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			fmt.Fprintln(&s.log, lines.Text())
			if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok {
				at <- strings.TrimSuffix(url, `"}`)
			}
		}
	}()
	select {
	case s.url = <-at:
	case <-s.ended:
		_ = cmd.Wait()
		return nil, fmt.Errorf("it ended: %s", &s.log)
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		return nil, errors.New("it does not say where it listens")
	}
	return s, nil
}

// end sends it a signal and returns its exit code.
func (s *served) end(sig os.Signal) int {
	_ = s.cmd.Process.Signal(sig)
	<-s.ended
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// serve ARGS... starts a service on a free port. $TOKEN, where it is set, is its token.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: serve ARGS...")
	}
	cmd := command(ts, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+ts.Getenv("XDG_CACHE_HOME"))
	if token := ts.Getenv("TOKEN"); token != "" {
		cmd.Env = append(cmd.Env, tokenEnv+"="+token)
	}
	s, err := startServe(cmd)
	ts.Check(err)
	ts.Defer(func() { _ = cmd.Process.Kill() })
	ts.Value(servedKey{}).(*atomic.Pointer[served]).Store(s)
}

// servedKey is where a script keeps its service.
type servedKey struct{}

func servedBy(ts *testscript.TestScript) *served {
	s := ts.Value(servedKey{}).(*atomic.Pointer[served]).Load()
	if s == nil {
		ts.Fatalf("nothing is served")
	}
	return s
}

// ask STATUS METHOD PATH [FILE] asks the service, with a file as the body and $TOKEN,
// where it is set, as the token. The answer is standard output.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 && len(args) != 4 {
		ts.Fatalf("usage: ask STATUS METHOD PATH [FILE]")
	}
	body := ""
	if len(args) == 4 {
		body = ts.ReadFile(args[3])
	}
	req, err := http.NewRequest(args[1], servedBy(ts).url+args[2], strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	if token := ts.Getenv("TOKEN"); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	_, err = io.Copy(ts.Stdout(), res.Body)
	ts.Check(err)
	if got := fmt.Sprint(res.StatusCode); got != args[0] {
		ts.Fatalf("status %s, want %s", got, args[0])
	}
}

// terminate CODE ends the service with SIGTERM, wants this exit code, and leaves what
// was said on standard error in serve.log.
func terminate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: terminate CODE")
	}
	s := servedBy(ts)
	if code := fmt.Sprint(s.end(syscall.SIGTERM)); code != args[0] {
		ts.Fatalf("exit code %s, want %s: %s", code, args[0], &s.log)
	}
	ts.Check(os.WriteFile(ts.MkAbs("serve.log"), s.log.Bytes(), 0o644))
}

// TestServe asks the command as it is built.
func TestServe(t *testing.T) {
	bin := build(t)
	for name, test := range map[string]func(*testing.T, string){"scores": serveScores, "page": servePage, "load": serveLoad, "early": serveEarly} {
		t.Run(name, func(t *testing.T) { test(t, bin) })
	}
}

// serveEarly: a service that is told to end while it loads its engine has done so.
func serveEarly(t *testing.T, bin string) {
	for range 3 {
		cmd := exec.Command(bin, "serve", "--addr", "127.0.0.1:0")
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := ""
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if said += lines.Text() + "\n"; strings.Contains(lines.Text(), "listening on ") {
				_ = cmd.Process.Signal(syscall.SIGTERM)
			}
		}
		if err := cmd.Wait(); err != nil || strings.Contains(said, "interrupted") {
			t.Errorf("%v: %s", err, said)
		}
	}
}

// serveScores: the service's rows are those that crscore score prints.
func serveScores(t *testing.T, bin string) {
	dir := "../../testdata/cache-expiry"
	diff := filepath.Join(dir, "change.diff")
	s, err := startServe(exec.Command(bin, "serve", "--addr", "127.0.0.1:0", "--weights", "smell=0.5"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.end(os.Interrupt)
	text, err := os.ReadFile(diff)
	if err != nil {
		t.Fatal(err)
	}
	args, reviews := []string{"score", "--diff", diff, "--weights", "smell=0.5", "--format", "json", "--explain"}, []map[string]string{}
	for _, name := range []string{"thorough", "vague", "off-topic"} {
		file := filepath.Join(dir, name+".md")
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		args, reviews = append(args, "--review", "@"+file), append(reviews, map[string]string{"id": name, "text": string(b)})
	}
	for _, rule := range []map[string]any{{}, {"mode": "hard"}, {"mode": "ramp", "tau": 0.4, "low": 0.1}, {"mode": "soft"}, {"mode": "calibrated", "slope": 5.0}} {
		req, all := map[string]any{"diff": string(text), "reviews": reviews, "explain": true}, args
		for name, value := range rule {
			req[name], all = value, append(all, "--"+name, fmt.Sprint(value))
		}
		body, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.Post(s.url+"/v1/score", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Results []map[string]any }
		err = json.NewDecoder(res.Body).Decode(&got)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%v: %d, %v", rule, res.StatusCode, err)
		}
		var want []map[string]any
		out, _ := mustRun(t, bin, all...)
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		if len(want) != 3 || !reflect.DeepEqual(got.Results, want) {
			t.Errorf("%v: the service says\n%v, the command\n%v", rule, got.Results, want)
		}
	}
}

// servePage runs the commands of docs/serve.md against a service, and looks for the
// flags, defaults and metrics that the page names.
func servePage(t *testing.T, bin string) {
	const page = "docs/serve.md"
	dir := t.TempDir()
	s, err := startServe(exec.Command(bin, "serve", "--addr", "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.end(os.Interrupt)
	text, err := os.ReadFile("../../" + page)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "request.json"), []byte(blocksOf(t, page, "json")[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	if installed("curl") {
		commands := blocksOf(t, page, "sh")[1:]
		for i, command := range commands {
			cmd := exec.Command("bash", "-c", "set -e\n"+strings.ReplaceAll(command, "http://127.0.0.1:8080", s.url))
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			holds(t, page, blocksOf(t, page, "text")[i], string(out))
		}
		wrong := strings.Replace(blocksOf(t, page, "sh")[1], "reviews", "review", 1)
		cmd := exec.Command("bash", "-c", strings.ReplaceAll(strings.Replace(wrong, ` | grep -o '"con":[0-9]*'`, "", 1), "http://127.0.0.1:8080", s.url))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		holds(t, page, blocksOf(t, page, "text")[len(commands)], string(out))
	}
	flags := serveCommand(streams{}).Flags()
	rows := regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| (?:`([^`]*)`)?").FindAllStringSubmatch(string(text), -1)
	for _, m := range rows {
		if f := flags.Lookup(m[1]); f == nil || m[2] != "" && f.DefValue != m[2] {
			t.Errorf("%s: --%s is not a flag with the default %q", page, m[1], m[2])
		}
	}
	res, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	told, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(crscore_[a-z_]+)`").FindAllStringSubmatch(string(text), -1)
	for _, m := range names {
		if !strings.Contains(string(told), "# TYPE "+m[1]+" ") && installed("curl") { // some are told when there is something to count
			t.Errorf("%s: there is no metric %s", page, m[1])
		}
	}
	if len(rows) < 5 || len(names) < 5 {
		t.Errorf("only %d flags and %d metrics were found in %s", len(rows), len(names), page)
	}
}
