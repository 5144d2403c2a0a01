package chat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crscore/internal/ollamatest"
)

// TestPullServer lets one real server pull from another, and ends the one that
// pulls in the middle.
func TestPullServer(t *testing.T) {
	from, to := ollamatest.Shared(t), ollamatest.Start(t)
	from.Import(t, "far", ollamatest.Answer{Text: `{"summary":["A is new."],"implications":[]}`})
	var step atomic.Pointer[func()]
	then := func(f func()) { step.Store(&f) }
	then(func() {})
	registry := httptest.NewServer(from.ServeRegistry(20, func() { (*step.Load())() }))
	defer registry.Close()
	at := strings.TrimPrefix(registry.URL, "http://") + "/library/"

	m := serverModel(t, to, at+"far")
	var done, total int64
	progress := func(d, all int64) {
		if d < 0 || d > all || all < total {
			t.Errorf("%d of %d, after %d of %d", d, all, done, total)
		}
		done, total = d, all
	}
	ctx, cancel := context.WithCancel(t.Context())
	then(cancel)
	if _, _, err := m.Pull(ctx, progress); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	then(func() {})
	digest, size, err := m.Pull(t.Context(), progress)
	for range 20 { // a server that still ends the first pull ends the second with it
		if err == nil || !strings.Contains(err.Error(), "context canceled") {
			break
		}
		time.Sleep(100 * time.Millisecond)
		digest, size, err = m.Pull(t.Context(), progress)
	}
	if err != nil || done != total || total == 0 || size < 1<<20 {
		t.Fatalf("%v, %d of %d bytes, size %d\n%s", err, done, total, size, to.Log())
	}
	if d, err := m.Digest(t.Context()); err != nil || len(d) != 64 || d != digest {
		t.Errorf("%s, %v, not %s", d, err, digest)
	}
	if _, _, err := serverModel(t, to, at+"none").Pull(t.Context(), progress); !errors.Is(err, ErrNoModel) || !strings.Contains(err.Error(), "/library/none for the Ollama server at") {
		t.Error(err)
	}

	from.Import(t, "farther", ollamatest.Answer{Text: "Another answer than before."})
	then(to.Kill)
	if _, _, err := serverModel(t, to, at+"farther").Pull(t.Context(), func(int64, int64) {}); !errors.Is(err, ErrTransient) {
		t.Errorf("killed: %v", err)
	}
	to.Kill() // which waits for the other
	if _, _, err := m.Pull(t.Context(), progress); err == nil || !strings.Contains(err.Error(), "there is no Ollama server at "+to.URL+": start it with `ollama serve`") {
		t.Error(err)
	}
}

// TestPullFailures has what a real server cannot be made to do.
func TestPullFailures(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		status     int
		transient  bool
		want       string
	}{
		{"cut", `{"status":"pulling manifest"}` + "\n" + `{"status":"pulling 0123","digest":"sha256:0123","total":10,"completed":5}` + "\n", 200, true, `stopped before the end, at "pulling 0123"`},
		{"nothing", "", 200, true, `stopped before the end, at ""`},
		{"disk full", `{"status":"pulling manifest"}` + "\n" + `{"error":"write /models: no space left on device"}` + "\n", 200, false, "no space left on device"},
		{"no registry", `{"error":"pull model manifest: Get \"https://registry.example.org\": dial tcp: no such host"}` + "\n", 200, false, "no such host"},
		{"a page", "<html>Welcome</html>", 200, false, "<html>Welcome</html>"},
		{"overloaded", "", 503, true, "503"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			defer s.Close()
			m, err := NewOllama("m", s.URL)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = m.Pull(t.Context(), func(int64, int64) {})
			if err == nil || errors.Is(err, ErrTransient) != tt.transient || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestLocal(t *testing.T) {
	for name, want := range map[string]bool{
		"127.0.0.1:5000/library/m": true, "localhost/m": true, "localhost:5000/a/b:c": true, "[::1]:80/m": true,
		"m": false, "localhost": false, "library/m": false, "example.org/m": false, "127.0.0.1.example.org/a/m": false,
		"localhost@example.org/a/m": false,
	} {
		if got := local(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
