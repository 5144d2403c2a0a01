// Package ollamatest runs a real Ollama server for tests, with language models that give
// scripted answers. It knows nothing of crscore.
//
// .ci/ollama builds the server, and make test sets the environment variable CRSCORE_OLLAMA
// to its path. Without the variable tests are skipped; in CI they fail.
package ollamatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"crscore/internal/system"
)

// EnvServer is the environment variable with the path of Ollama's program.
const EnvServer = "CRSCORE_OLLAMA"

// startTimeout is long because other packages' tests may keep the processors busy.
const startTimeout = 2 * time.Minute

// Server is a running Ollama with its own home and models.
type Server struct {
	// URL is the address on the loopback interface, such as http://127.0.0.1:40123.
	URL string
	dir string

	kill func()
}

// program finds the server's program, or skips or fails the test.
func program(tb testing.TB) string {
	tb.Helper()
	name := os.Getenv(EnvServer)
	if name == "" {
		how := "set " + EnvServer + "=$(.ci/ollama), or run make test"
		if os.Getenv("CI") != "" {
			tb.Fatal("there is no Ollama to test against: " + how)
		}
		tb.Skip("NOT TESTED AGAINST OLLAMA: " + how)
	}
	file, err := exec.LookPath(name)
	if err != nil {
		tb.Fatalf("%s: %v", EnvServer, err)
	}
	return file
}

var shared struct {
	sync.Mutex
	server *Server
}

// Shared returns the server that all tests of the binary use. It starts on the first call
// and lives as long as the process. Tests must not kill it.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		shared.server = start(tb)
	}
	return shared.server
}

// Start starts a server for this test alone. The test may kill it.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s := start(tb)
	tb.Cleanup(s.Kill)
	return s
}

// Kill ends the server and its children at once.
func (s *Server) Kill() { s.kill() }

// guard runs the server in its own process group until standard input ends: on Kill, or
// when the test process ends in any way. Otherwise Ollama's children would outlive it.
const guard = `set -m
"$0" serve >"$1/log" 2>&1 </dev/null &
cat
kill -KILL -- -$!
wait
rm -rf "$1"`

var listening = regexp.MustCompile(`Listening on (127\.0\.0\.1:\d+)`)

func start(tb testing.TB) *Server {
	tb.Helper()
	file := program(tb)
	dir, err := os.MkdirTemp("", "ollamatest-")
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{dir: dir}
	cmd := exec.Command("bash", "-c", guard, file, dir)
	// No settings or models of the user, and no connection to other machines.
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir,
		"OLLAMA_HOST=127.0.0.1:0", "OLLAMA_MODELS=" + s.models(), "OLLAMA_NO_CLOUD=1", "OLLAMA_NUM_PARALLEL=1",
	}
	hold, err := cmd.StdinPipe()
	if err == nil {
		_, err = system.Start(cmd) // the terminal's Ctrl-C is for the tests
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		tb.Fatalf("starting Ollama: %v", err)
	}
	s.kill = sync.OnceFunc(func() {
		_ = hold.Close()
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(10 * time.Millisecond) {
		if m := listening.FindStringSubmatch(s.Log()); m != nil {
			s.URL = "http://" + m[1]
			break
		}
		if strings.HasPrefix(s.Log(), "Error:") || time.Now().After(deadline) {
			log := s.Log()
			s.Kill()
			tb.Fatalf("Ollama did not start: %s", log)
		}
	}
	return s
}

// Log returns the server's log so far, without its list of handlers.
func (s *Server) Log() string {
	b, _ := os.ReadFile(filepath.Join(s.dir, "log")) // not there yet, or not any more
	return handlers.ReplaceAllString(string(b), "")
}

var handlers = regexp.MustCompile(`(?m)^\[GIN-debug\].*\n`)

func (s *Server) models() string { return filepath.Join(s.dir, "models") }

// Client returns a client of the server.
func (s *Server) Client() *api.Client {
	u, err := url.Parse(s.URL)
	if err != nil {
		panic(err) // made of digits above
	}
	return api.NewClient(u, http.DefaultClient)
}

// Import gives the server a model with that name and those answers.
func (s *Server) Import(tb testing.TB, name string, answers ...Answer) {
	tb.Helper()
	file, err := GGUF(answers...)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	c, digest := s.Client(), fmt.Sprintf("sha256:%x", sha256.Sum256(file))
	if err := c.CreateBlob(ctx, digest, bytes.NewReader(file)); err != nil {
		tb.Fatalf("importing the model %s: %v", name, err)
	}
	err = c.Create(ctx, &api.CreateRequest{
		Model: name, Files: map[string]string{"scripted.gguf": digest},
		Template: "{{ .System }}\n{{ .Prompt }}",
		// With more threads such a small model takes a hundred times as long.
		Parameters: map[string]any{"num_thread": 1},
	}, func(api.ProgressResponse) error { return nil })
	if err != nil {
		tb.Fatalf("importing the model %s: %v", name, err)
	}
}

// ServeRegistry returns a registry of the server's models, from which another server can
// pull ADDRESS/library/NAME. The registry calls step that many times while it sends a blob;
// step may be nil.
func (s *Server) ServeRegistry(steps int, step func()) http.Handler {
	mux := http.NewServeMux()
	open := func(w http.ResponseWriter, name string) (*os.File, int64) {
		f, err := os.Open(filepath.Join(s.models(), filepath.Clean("/"+name)))
		if err != nil {
			http.Error(w, `{"errors":[{"code":"MANIFEST_UNKNOWN","message":"not here"}]}`, http.StatusNotFound)
			return nil, 0
		}
		st, err := f.Stat()
		if err != nil {
			panic(err)
		}
		return f, st.Size()
	}
	mux.HandleFunc("GET /v2/library/{name}/manifests/{tag}", func(w http.ResponseWriter, r *http.Request) {
		if f, _ := open(w, "manifests/registry.ollama.ai/library/"+r.PathValue("name")+"/"+r.PathValue("tag")); f != nil {
			defer f.Close()
			_, _ = io.Copy(w, f)
		}
	})
	mux.HandleFunc("GET /v2/library/{name}/blobs/{digest}", func(w http.ResponseWriter, r *http.Request) {
		f, size := open(w, "blobs/"+strings.ReplaceAll(r.PathValue("digest"), ":", "-"))
		if f == nil {
			return
		}
		defer f.Close()
		if r.Method == http.MethodGet && r.Header.Get("Range") == "" {
			w.Header().Set("Location", "http://"+r.Host+r.URL.Path) // it asks where to fetch the parts
			return
		}
		http.ServeContent(&slow{w, size / int64(max(steps, 1)), step}, r, "", time.Time{}, f)
	})
	return mux
}

// slow calls step each time that many bytes were written.
type slow struct {
	http.ResponseWriter
	size int64
	step func()
}

func (s *slow) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		part := p[:min(int64(len(p)), max(s.size, 1))]
		if s.step != nil {
			s.step()
		}
		var m int
		m, err = s.ResponseWriter.Write(part)
		n, p = n+m, p[m:]
	}
	return n, err
}
