package sts

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"crscore/sts/builtin"
	"crscore/sts/internal/limits"
	"crscore/sts/internal/onnxtest"
)

// writeModel makes a model directory of a transformer.
func writeModel(t testing.TB, m onnxtest.Transformer) string {
	t.Helper()
	dir := t.TempDir()
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReadONNX(t *testing.T) {
	serial(t)
	plain := onnxtest.Small()
	int8, pooled := plain, plain
	int8.Int8, int8.NoTypes, int8.External = true, true, true
	pooled.Pooled, pooled.PositionInput = true, true
	ids := []int64{-1, -1}
	tests := []struct {
		name            string
		dir             fs.FS
		inputs, outputs []modelPort
		quantised       bool
	}{
		{"builtin", builtin.Model(), []modelPort{{"input_ids", ids}, {"attention_mask", ids}}, nil, false},
		{"plain", os.DirFS(writeModel(t, plain)), []modelPort{{"input_ids", ids}, {"attention_mask", ids}, {"token_type_ids", ids}},
			[]modelPort{{"last_hidden_state", []int64{-1, -1, 48}}}, false},
		{"int8", os.DirFS(writeModel(t, int8)), []modelPort{{"input_ids", ids}, {"attention_mask", ids}},
			[]modelPort{{"last_hidden_state", []int64{-1, -1, 48}}}, true},
		{"pooled", os.DirFS(writeModel(t, pooled)), []modelPort{{"input_ids", ids}, {"attention_mask", ids}, {"token_type_ids", ids}, {"position_ids", ids}},
			[]modelPort{{"sentence_embedding", []int64{-1, 48}}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, err := fs.ReadFile(tt.dir, "model.onnx")
			if err != nil {
				t.Fatal(err)
			}
			g, err := readONNX(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if tt.outputs == nil {
				tt.outputs = g.outputs
			}
			both := cmp.AllowUnexported(modelPort{})
			if d := cmp.Diff(tt.inputs, g.inputs, both); d != "" {
				t.Errorf("inputs (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tt.outputs, g.outputs, both); d != "" {
				t.Errorf("outputs (-want +got):\n%s", d)
			}
			for _, p := range append(g.inputs, g.outputs...) {
				want := 7 // 64-bit integers
				if strings.Contains(p.name, "hidden") || strings.Contains(p.name, "embedding") {
					want = 1 // 32-bit floats
				}
				if g.elems[p.name] != want {
					t.Errorf("%s has elements of type %d, want %d", p.name, g.elems[p.name], want)
				}
			}
			if g.quantised() != tt.quantised {
				t.Errorf("quantised is %v; operators %v", g.quantised(), g.ops)
			}
			// Wherever the file is cut, that is an error.
			for n := 0; n < len(data); n += 1 + len(data)/500 {
				if _, err := readONNX(bytes.NewReader(data[:n])); err == nil {
					t.Fatalf("%d of %d bytes are no error", n, len(data))
				}
			}
		})
	}
}

// The weights are passed over: what is read may be larger than memory.
func TestReadONNXKeepsNoWeights(t *testing.T) {
	serial(t)
	head, err := os.ReadFile(filepath.Join(writeModel(t, onnxtest.Small()), "model.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	const size = 1 << 30
	// A field that nobody knows, with a gigabyte of zeros.
	tail := []byte{0xa2, 0x06, 0x80, 0x80, 0x80, 0x80, 0x04}
	file := io.MultiReader(bytes.NewReader(head), bytes.NewReader(tail), io.LimitReader(zeros{}, size))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g, err := readONNX(file)
	if err != nil || len(g.inputs) != 3 {
		t.Errorf("inputs %v, error %v", g.inputs, err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes allocated", used)
	}
}

// A graph in an attribute of a node of a graph and so on would take all of the
// stack, from which no program recovers.
func TestReadONNXNesting(t *testing.T) {
	nested := func(n int) []byte {
		var file []byte
		for range n {
			for _, field := range []protowire.Number{6, 5, 1} { // attribute's graph, node's attribute, graph's node
				file = protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), file)
			}
		}
		return protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), file)
	}
	if _, err := readONNX(bytes.NewReader(nested(10))); err != nil {
		t.Error(err)
	}
	if _, err := readONNX(bytes.NewReader(nested(1000))); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("error %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func FuzzReadONNX(f *testing.F) {
	small := onnxtest.Transformer{Layers: 1, Hidden: 4, Heads: 1, Intermediate: 4, Vocab: onnxtest.MinVocab, Positions: 8, External: true}
	dir := f.TempDir()
	if err := small.Write(dir); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "model.onnx"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	for _, lie := range onnxtest.Lies() {
		if small.Lie = lie; lie == "nodes" || lie == "shapes" || lie == "sum" {
			continue // They are long.
		}
		if err := small.Write(dir); err != nil {
			f.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "model.onnx"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte{0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := readONNX(bytes.NewReader(data))
		if err != nil && len(g.inputs)+len(g.ops) > 0 {
			t.Error("a graph beside an error")
		}
		if err != nil {
			return
		}
		// Every byte may stand for a name whose shape has all values that are kept.
		steps, _ := g.shapes.graph.Check(1, 8)
		if most := int64(len(data)+1) * 2 * limits.KeptValues; steps > most {
			t.Errorf("%d steps for %d bytes", steps, len(data))
		}
	})
}
