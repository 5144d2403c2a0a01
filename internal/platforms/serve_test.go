package platforms

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestServe asks a service once, and ends it by Ctrl-C.
func TestServe(t *testing.T) {
	dir := folder(t, "cache-expiry/change.diff", "cache-expiry/vague.md")
	request := map[string]any{}
	for field, name := range map[string]string{"diff": "change.diff", "review": "vague.md"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		request[field] = string(text)
	}
	request["reviews"] = []any{request["review"]}
	delete(request, "review")
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	want := serve(t, reference, dir, string(body))
	for _, p := range emulated() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			got := strings.ReplaceAll(serve(t, p, dir, string(body)), "arch=arm64", "arch=amd64")
			if far, err := distance(want, got); err != nil || far > fused || p.windows() && got != want {
				t.Errorf("%v, numbers are %g away: %s", err, far, differs(want, got))
			}
		})
	}
}

// serve is the answer of a service to one request for scores.
func serve(t *testing.T, p platform, dir, request string) string {
	t.Helper()
	cmd := p.command(t, dir, "serve", "--addr", "127.0.0.1:0")
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said, address := "", ""
	lines := bufio.NewScanner(log)
	for !strings.Contains(said, "ready:") && lines.Scan() {
		said += lines.Text() + "\n"
		if _, at, found := strings.Cut(lines.Text(), "listening on "); found {
			address = at
		}
	}
	if address == "" {
		t.Fatalf("%s: no service is ready: %s", p.name, said)
	}
	answer, err := http.Post(address+"/v1/score", "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %v %s", p.name, answer.Status, err, text)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		said += lines.Text() + "\n"
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(said, "shutting down") {
		t.Errorf("%s: %v after Ctrl-C: %s", p.name, err, said)
	}
	return string(text)
}
