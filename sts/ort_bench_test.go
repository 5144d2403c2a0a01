//go:build ort && unix

package sts

import (
	"context"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"crscore/sts/internal/onnxtest"

	ort "github.com/yalue/onnxruntime_go"
	"golang.org/x/sync/errgroup"
)

// rawORT is what ONNX Runtime does on its own, on tensors that are ready: as many
// batches at a time as there are processors, with threads threads each.
type rawORT struct {
	session *ort.DynamicAdvancedSession
	batches [][]ort.Value // inputs and output
	runs    int           // batches at a time
}

// prepare makes batches of the texts in order of length, each padded to its
// longest: nothing that is known of the texts makes it faster.
func prepareRaw(b *testing.B, dir string, dim int, texts []tokenized, rows, runs, threads int) *rawORT {
	b.Helper()
	options, err := ort.NewSessionOptions()
	if err != nil {
		b.Fatal(err)
	}
	defer options.Destroy()
	if err := options.SetIntraOpNumThreads(threads); err != nil {
		b.Fatal(err)
	}
	names := []string{"input_ids", "attention_mask", "token_type_ids"}
	session, err := ort.NewDynamicAdvancedSession(dir+"/model.onnx", names, []string{"last_hidden_state"}, options)
	if err != nil {
		b.Fatal(err)
	}
	raw := &rawORT{session: session, runs: runs}
	b.Cleanup(func() {
		for _, values := range raw.batches {
			for _, v := range values {
				v.Destroy()
			}
		}
		session.Destroy()
	})
	sorted := slices.SortedFunc(slices.Values(texts), func(x, y tokenized) int { return len(x.ids) - len(y.ids) })
	for batch := range slices.Chunk(sorted, rows) {
		length := len(batch[len(batch)-1].ids)
		shape := ort.NewShape(int64(len(batch)), int64(length))
		var values []ort.Value
		for _, name := range names {
			data := make([]int64, len(batch)*length)
			fillInput(name, length, batch, data)
			v, err := ort.NewTensor(shape, data)
			if err != nil {
				b.Fatal(err)
			}
			values = append(values, v)
		}
		v, err := ort.NewEmptyTensor[float32](append(shape, int64(dim)))
		if err != nil {
			b.Fatal(err)
		}
		raw.batches = append(raw.batches, append(values, v))
	}
	return raw
}

func (r *rawORT) run(b *testing.B) {
	var group errgroup.Group
	group.SetLimit(r.runs)
	for _, v := range r.batches {
		group.Go(func() error { return r.session.Run(v[:len(v)-1], v[len(v)-1:]) })
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOfORTRaw compares Encode with ONNX Runtime alone on the same tokens,
// by turns: of-ort-raw is the share of its speed that is left after reading the
// tokens of the texts, padding and pooling. of-ort-raw-cpu is the same by
// processor time, which tells more on a busy machine. Raw runs a batch a
// processor, onebatch all processors in one batch.
func BenchmarkOfORTRaw(b *testing.B) {
	for _, m := range benchModels(b) {
		if m.transformer == nil {
			continue
		}
		b.Run(m.name, func(b *testing.B) {
			e := m.load(b, BackendORT)
			defer e.Close()
			// Two batches at least, so that raw has work for two processors.
			texts, err := onnxtest.Texts(m.tokenizer, max(m.texts, 64), 7)
			if err != nil {
				b.Fatal(err)
			}
			var tokens []tokenized
			for _, text := range texts {
				tokens = append(tokens, e.tokens.read(e.prepare(text), nil))
			}
			procs := runtime.GOMAXPROCS(0)
			raws := []*rawORT{
				prepareRaw(b, m.dir, e.Dim(), tokens, 32, procs, 1),
				prepareRaw(b, m.dir, e.Dim(), tokens, 32, 1, procs),
			}
			work := []func(){
				func() {
					if _, err := e.Encode(context.Background(), texts); err != nil {
						b.Fatal(err)
					}
				},
				func() { raws[0].run(b) },
				func() { raws[1].run(b) },
			}
			took, used := make([]time.Duration, len(work)), make([]time.Duration, len(work))
			for b.Loop() {
				for i, f := range work {
					start, cpu := time.Now(), processorTime(b)
					f()
					took[i] += time.Since(start)
					used[i] += processorTime(b) - cpu
				}
			}
			n := float64(b.N * len(texts))
			b.ReportMetric(n/took[0].Seconds(), "sentences/s")
			b.ReportMetric(n/took[1].Seconds(), "raw-sentences/s")
			b.ReportMetric(n/took[2].Seconds(), "raw-onebatch-sentences/s")
			b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "of-ort-raw")
			b.ReportMetric(used[1].Seconds()/used[0].Seconds(), "of-ort-raw-cpu")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// processorTime is what the process has used, ONNX Runtime's threads included.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
