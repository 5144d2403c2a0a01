package sts

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crscore/sts/builtin"
	"crscore/sts/internal/onnxtest"
)

// benchModel is a model of a size that people use.
type benchModel struct {
	name        string
	transformer *onnxtest.Transformer // nil for the built-in model
	texts       int                   // how many are encoded at once
	dir         string
	tokenizer   []byte
}

// benchModels are the models of the benchmarks. The largest one takes minutes
// without ONNX Runtime and 1.3 GB of disk, so CRSCORE_LARGE=1 asks for it.
func benchModels(b *testing.B) []*benchModel {
	miniLM, large := onnxtest.MiniLM(), onnxtest.BERTLarge()
	large.External = true
	models := []*benchModel{
		{name: "builtin", texts: 4096},
		{name: "MiniLM-L6", transformer: &miniLM, texts: 128},
	}
	if os.Getenv("CRSCORE_LARGE") == "1" {
		models = append(models, &benchModel{name: "BERT-large", transformer: &large, texts: 32})
	}
	root := b.TempDir()
	for _, m := range models {
		var err error
		if m.transformer == nil {
			m.tokenizer, err = fs.ReadFile(builtin.Model(), "tokenizer.json")
		} else {
			m.dir = filepath.Join(root, m.name)
			if err = m.transformer.Write(m.dir); err == nil {
				m.tokenizer, err = os.ReadFile(filepath.Join(m.dir, "tokenizer.json"))
			}
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return models
}

func (m *benchModel) load(b *testing.B, backend string) *ModelEncoder {
	b.Helper()
	// Every text is to be encoded.
	opts := EncoderOptions{Backend: backend, CacheEntries: -1}
	var e *ModelEncoder
	var err error
	if m.transformer == nil {
		e, err = NewBuiltin(context.Background(), opts)
	} else {
		e, err = OpenEncoder(context.Background(), m.dir, opts)
	}
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// benchBackends are the backends of this build, by the names of benchmarks.
func benchBackends() map[string]string {
	backends := map[string]string{"go": BackendGo}
	if SIMD() {
		backends = map[string]string{"go+simd": BackendGo}
	}
	if ORT() {
		backends["onnxruntime"] = BackendORT
	}
	return backends
}

// forModels runs a benchmark for every model and backend.
func forModels(b *testing.B, run func(b *testing.B, m *benchModel, backend string)) {
	backends := benchBackends()
	for _, m := range benchModels(b) {
		for _, name := range slices.Sorted(maps.Keys(backends)) {
			b.Run(m.name+"/"+name, func(b *testing.B) { run(b, m, backends[name]) })
		}
	}
}

// BenchmarkModelLoad loads a model until its first vector is there. MB is the
// memory that it then holds, without what the process held before.
func BenchmarkModelLoad(b *testing.B) {
	forModels(b, func(b *testing.B, m *benchModel, backend string) {
		var held float64
		for b.Loop() {
			b.StopTimer()
			before := residentMB()
			b.StartTimer()
			e := m.load(b, backend)
			encode(b, e, "the first text")
			b.StopTimer()
			held = max(held, residentMB()-before)
			if err := e.Close(); err != nil {
				b.Error(err)
			}
			b.StartTimer()
		}
		b.ReportMetric(held, "MB")
	})
}

// BenchmarkModelEncode encodes different texts of 16 to 24 words.
func BenchmarkModelEncode(b *testing.B) {
	forModels(b, func(b *testing.B, m *benchModel, backend string) {
		e := m.load(b, backend)
		defer e.Close()
		texts, err := onnxtest.Texts(m.tokenizer, m.texts, 7)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			encode(b, e, texts...)
		}
		b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "sentences/s")
	})
}

// residentMB is the memory that the process holds, ONNX Runtime's included; 0
// where the system does not say.
func residentMB() float64 {
	runtime.GC()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest + " 0")[0])
	if err != nil {
		return 0
	}
	return float64(kb) / 1024
}
