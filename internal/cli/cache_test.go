package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"crscore/internal/ollamatest"
)

// TestCacheResumes kills a run that asks a real server, and lets two others, at
// the same time, go on where it was: their results are those of a run that was
// left alone, and what the killed one had asked is not asked again.
func TestCacheResumes(t *testing.T) {
	s := ollamatest.Shared(t)
	s.Import(t, "reviewer", reviewer)
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	asked := make(map[string]int) // by what was asked
	proxy := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/generate" {
			b, err := io.ReadAll(r.Body)
			if err != nil {
				return // the one who asked was killed
			}
			r.Body = io.NopCloser(bytes.NewReader(b))
			mu.Lock()
			asked[string(b)]++
			mu.Unlock()
		}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	questions := func() (different, all int) {
		mu.Lock()
		defer mu.Unlock()
		for _, n := range asked {
			all += n
		}
		return len(asked), all
	}

	forget := func() {
		mu.Lock()
		defer mu.Unlock()
		clear(asked)
	}

	const changes = 24
	dir := t.TempDir()
	data := filepath.Join(dir, "reviews.jsonl")
	var lines strings.Builder
	for i := range changes {
		fmt.Fprintf(&lines, `{"id":"%d","path":"queue.py","diff":"@@ -1,2 +1,2 @@\n-def push(item):\n+def push(item, hash):\n     return len(items) + %d\n","reviews":[{"id":"a","text":"push takes a hash."},{"id":"b","text":"Fine."}]}`+"\n", i, i)
	}
	if err := os.WriteFile(data, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := build(t)
	const workers = 2
	cache := filepath.Join(dir, "cache")
	score := func(out io.Writer, more ...string) *exec.Cmd {
		args := []string{"score", "--data", data, "--claims", "symbolic,ollama:reviewer", "--workers", fmt.Sprint(workers)}
		cmd := exec.Command(bin, append(args, more...)...)
		cmd.Env = append(os.Environ(), "OLLAMA_HOST="+front.URL, "XDG_CACHE_HOME="+cache)
		cmd.Stdout = out
		return cmd
	}
	var want bytes.Buffer
	if err := score(&want, "--no-cache").Run(); err != nil {
		t.Fatal(err)
	}
	n := strings.Count(want.String(), `"status":"scored"`)
	if _, all := questions(); n != 2*changes || all != changes {
		t.Fatalf("%d reviews were scored, %d questions were asked:\n%s", n, all, want.String())
	}
	if _, err := os.Stat(cache); !os.IsNotExist(err) {
		t.Error("--no-cache has a cache: ", err)
	}

	forget()
	killed := score(nil)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	first := 0
	for deadline := time.Now().Add(time.Minute); first < changes/2; first, _ = questions() {
		time.Sleep(time.Millisecond)
		if time.Now().After(deadline) {
			t.Fatal("nothing is asked")
		}
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()

	first, _ = questions()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			var got bytes.Buffer
			if err := score(&got).Run(); err != nil || got.String() != want.String() {
				t.Errorf("%v, other results than without a cache:\n%s", err, got.String())
			}
		})
	}
	wg.Wait()
	// The two may ask the same at the same time. Besides that, only what was being
	// asked when the first was killed is asked again.
	different, all := questions()
	if most := 2*workers + (changes - first); all-different > most || different != changes {
		t.Errorf("%d questions of %d were asked again, after %d at first", all-different, different, first)
	}
	forget()
	err = score(nil).Run()
	if _, all := questions(); err != nil || all != 0 {
		t.Errorf("%v, %d questions were asked although all answers are there", err, all)
	}
}
