package sts

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"crscore/sts/internal/onnxtest"
)

// TestLargeModel loads a model of BERT-large's shape, 1.3 GB with external data, and
// encodes with it. It is no part of the usual run: make large.
func TestLargeModel(t *testing.T) {
	if os.Getenv("CRSCORE_LARGE") == "" {
		t.Skip("a model of 1.3 GB is tested with CRSCORE_LARGE=1")
	}
	dir := t.TempDir()
	m := onnxtest.BERTLarge()
	m.External = true
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	backends := []string{BackendGo}
	if ORT() && os.Getenv("ORT_DYLIB_PATH") != "" {
		backends = append(backends, BackendORT)
	}
	var first []float32
	for _, backend := range backends {
		start := time.Now()
		e, err := OpenEncoder(context.Background(), dir, EncoderOptions{Backend: backend})
		if err != nil {
			t.Fatal(err)
		}
		loaded := time.Since(start)
		start = time.Now()
		v := encode(t, e, "bibi bobo baba bebe bubu the bi bo be")[0]
		t.Logf("%s: loaded in %v, a sentence in %v, heap %d MB, resident at most %s", backend, loaded, time.Since(start), heapMB(), peakResident())
		if len(v) != 1024 || cosine32(v, v) < 0.999 {
			t.Errorf("%s: %d values, length %v", backend, len(v), cosine32(v, v))
		}
		if first == nil {
			first = v
		} else if d := difference(first, v); d > 1e-4 {
			t.Errorf("%s differs by %g from %s", backend, d, backends[0])
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

func heapMB() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc >> 20
}

// peakResident is what Linux says of this process, else nothing.
func peakResident() string {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if size, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(size)
		}
	}
	return "unknown"
}
