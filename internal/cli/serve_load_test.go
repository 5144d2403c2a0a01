package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// loadEnv is how long serveLoad lasts, such as 60s.
const loadEnv = "CRSCORE_LOAD"

// loadGate asks about a change of 500 added lines in four files with 20 comments. No two
// with different numbers have a text in common, so that no cache answers.
func loadGate(n int) []byte {
	var diff strings.Builder
	var list []map[string]any
	for f := range 4 {
		path := fmt.Sprintf("svc/mod%d_%d.py", f, n)
		fmt.Fprintf(&diff, "diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,125 @@\n", path, path, path)
		for k := range 25 {
			fmt.Fprintf(&diff, "+def total_%d_%d_%d(orders, limit=10):\n+    for order in orders:\n+        if order.price > limit:\n+            log.debug(\"%%s\", order)\n+    return sum(orders) / len(orders)\n", n, f, k)
			if k%5 == 0 {
				list = append(list, map[string]any{"path": path, "line": 5*k + 5, "side": "RIGHT",
					"body": fmt.Sprintf("`total_%d_%d_%d` divides by the length of `orders`, which fails for an empty list. Is `limit` checked?", n, f, k)})
			}
		}
	}
	return loadBody(map[string]any{"diff": diff.String(), "comments": list, "policy": map[string]any{"drop_off_topic": true, "max_comments": 10}, "kept": true})
}

// loadScore asks about three reviews of a small change.
func loadScore(n int) []byte {
	return loadBody(map[string]any{
		"diff":    fmt.Sprintf("@@ -1,2 +1,4 @@\n def mean_%d(values):\n+    if not values:\n+        return None\n     return sum(values) / len(values)\n", n),
		"path":    "mean.py",
		"reviews": []map[string]string{{"text": fmt.Sprintf("`mean_%d` now returns None for an empty list: do its callers check for that?", n)}, {"text": fmt.Sprintf("Nice weather, number %d.", n)}, {"text": ""}},
		"explain": true, "similarities": true,
	})
}

func loadBody(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// resident is a process's memory in MiB.
func resident(pid int) float64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	var kb float64
	_, _ = fmt.Sscan(rest, &kb)
	return kb / 1024
}

// worked is the processor time that a process has taken; a tick is 10 ms.
func worked(pid int) time.Duration {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	var user, system int64
	if len(fields) > 12 {
		_, _ = fmt.Sscan(fields[11], &user)
		_, _ = fmt.Sscan(fields[12], &system)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

func loadMean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(max(len(list), 1))
}

// serveLoad asks the command, as it is built, as fast as it answers, and then for one
// decision after the other. CRSCORE_LOAD=60s go test -v -run TestServe/load ./internal/cli
// tells the figures; 5m or more finds memory that grows.
func serveLoad(t *testing.T, bin string) {
	if testing.Short() {
		t.Skip("it is about time")
	}
	long, err := time.ParseDuration(os.Getenv(loadEnv))
	if err != nil {
		long = time.Second
	}
	s, err := startServe(exec.Command(bin, "serve", "--addr", "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.end(os.Interrupt)
	clients := 2 * runtime.GOMAXPROCS(0)
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	ask := func(path string, body []byte) (time.Duration, error) {
		start := time.Now()
		res, err := client.Post(s.url+path, "application/json", bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err == nil && res.StatusCode != http.StatusOK {
			err = fmt.Errorf("%d %.300s", res.StatusCode, b)
		}
		return time.Since(start), err
	}

	end := time.Now().Add(long)
	var number atomic.Int64
	var mu sync.Mutex
	times, failed := make(map[string][]time.Duration), 0
	var g sync.WaitGroup
	for range clients {
		g.Go(func() {
			for time.Now().Before(end) {
				n := int(number.Add(1))
				path, body := "/v1/gate", loadGate
				if n%4 != 0 {
					path, body = "/v1/score", loadScore
				}
				took, err := ask(path, body(n))
				mu.Lock()
				if times[path] = append(times[path], took); err != nil {
					if failed++; failed < 5 {
						t.Errorf("%s: %v", path, err)
					}
				}
				mu.Unlock()
			}
		})
	}
	var memory []float64
	for time.Now().Before(end) {
		time.Sleep(long / 60)
		memory = append(memory, resident(s.cmd.Process.Pid))
	}
	g.Wait()
	for _, path := range []string{"/v1/score", "/v1/gate"} {
		list := times[path]
		if len(list) == 0 {
			t.Errorf("%s was not asked", path)
			continue
		}
		slices.Sort(list)
		t.Logf("%s, %d clients: %d requests in %s, median %s, p99 %s, longest %s", path, clients, len(list), long, list[len(list)/2], list[len(list)*99/100], list[len(list)-1])
	}
	third := len(memory) / 3
	second, last := loadMean(memory[third:2*third]), loadMean(memory[2*third:])
	t.Logf("failed: %d of %d; resident memory in MiB by thirds of the time: %.0f, %.0f, %.0f", failed, number.Load(), loadMean(memory[:third]), second, last)
	if failed > 0 {
		t.Errorf("%d requests failed", failed)
	}
	// Go's heap reaches its size, and the words' stems their number, after some 30,000
	// requests; only from there on can growth be told from that.
	if long >= 5*time.Minute && last > 1.1*second || last > 400 {
		t.Errorf("memory grows: %.0f MiB after %.0f", last, second)
	}

	var single []time.Duration
	before := worked(s.cmd.Process.Pid)
	for n := range min(200, int(long/(20*time.Millisecond))) {
		took, err := ask("/v1/gate", loadGate(1_000_000+n))
		if err != nil {
			t.Fatal(err)
		}
		single = append(single, took)
	}
	each := (worked(s.cmd.Process.Pid) - before) / time.Duration(len(single))
	slices.Sort(single)
	t.Logf("one decision after the other (500 lines, 20 comments): median %s, p99 %s, shortest %s; processor time %s each", single[len(single)/2], single[len(single)*99/100], single[0], each)
}
