//go:build ort

package sts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"crscore/sts/builtin"
	"crscore/sts/internal/onnxtest"
)

// needORT skips a test where the library is not; make test has it.
func needORT(t testing.TB) string {
	t.Helper()
	library := os.Getenv(LibraryVariable)
	if library == "" {
		t.Skipf("%s is not set; make deps fetches the library", LibraryVariable)
	}
	return library
}

func openEncoder(t testing.TB, dir fs.FS, opts EncoderOptions) *ModelEncoder {
	t.Helper()
	e, err := NewEncoder(context.Background(), dir, opts)
	return opened(t, e, err)
}

// largest is the largest difference of two lists of vectors.
func largest(t testing.TB, a, b [][]float32) float64 {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%d vectors and %d", len(a), len(b))
	}
	top := 0.0
	for i := range a {
		if len(a[i]) != len(b[i]) {
			t.Fatalf("%d values and %d", len(a[i]), len(b[i]))
		}
		for k := range a[i] {
			if d := math.Abs(float64(a[i][k] - b[i][k])); d > top || math.IsNaN(d) {
				top = d
			}
		}
	}
	return top
}

// testTexts are texts that a model's tokenizer knows, with some that are short,
// long, empty or strange.
func testTexts(t testing.TB, tokenizer []byte, n int) []string {
	t.Helper()
	texts, err := onnxtest.Texts(tokenizer, n, 3)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range texts {
		words := strings.Fields(texts[i])
		texts[i] = strings.Join(words[:1+rng.IntN(len(words))], " ")
	}
	return append(texts, "", "the is of", "日本語 ümlaut", "x", strings.Repeat(texts[0]+" ", 12))
}

func TestORTAgreesWithGo(t *testing.T) {
	serial(t)
	needORT(t)
	tests := map[string]func(*onnxtest.Transformer){
		"as exported now":  func(*onnxtest.Transformer) {},
		"as exported once": func(m *onnxtest.Transformer) { m.Plain = true },
		"no types":         func(m *onnxtest.Transformer) { m.NoTypes = true },
		"position input":   func(m *onnxtest.Transformer) { m.PositionInput = true },
		"pooled":           func(m *onnxtest.Transformer) { m.Pooled = true },
		"wide":             func(m *onnxtest.Transformer) { m.Layers, m.Hidden, m.Heads, m.Intermediate = 1, 256, 8, 512 },
		"odd sizes":        func(m *onnxtest.Transformer) { m.Hidden, m.Heads, m.Intermediate, m.Positions = 75, 5, 131, 101 },
		"deep":             func(m *onnxtest.Transformer) { m.Layers = 6 },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			model := onnxtest.Small()
			change(&model)
			dir := os.DirFS(writeModel(t, model))
			tokenizer, err := fs.ReadFile(dir, "tokenizer.json")
			if err != nil {
				t.Fatal(err)
			}
			texts := testTexts(t, tokenizer, 60)
			native, pure := openEncoder(t, dir, EncoderOptions{Backend: BackendORT}), openEncoder(t, dir, EncoderOptions{})
			got, want := encode(t, native, texts...), encode(t, pure, texts...)
			if d := largest(t, got, want); d > 1e-4 {
				t.Errorf("vectors differ by %g", d)
			}
			if n := cosine32(got[0], got[0]); math.Abs(n-1) > 1e-5 {
				t.Errorf("squared length %v", n)
			}
			if largest(t, got[:1], got[1:2]) < 1e-3 {
				t.Error("different texts have the same vector")
			}
			if native.Stats() != pure.Stats() || native.Dim() != pure.Dim() {
				t.Errorf("%+v %d, without ONNX Runtime %+v %d", native.Stats(), native.Dim(), pure.Stats(), pure.Dim())
			}
		})
	}
	t.Run("builtin", func(t *testing.T) {
		texts := sampleTexts(300)
		native, pure := newBuiltin(t, EncoderOptions{Backend: BackendORT}), newBuiltin(t, EncoderOptions{})
		if d := largest(t, encode(t, native, texts...), encode(t, pure, texts...)); d > 1e-4 {
			t.Errorf("vectors differ by %g", d)
		}
		if a, b := native.Signature().String(), pure.Signature().String(); a == b || !strings.Contains(a, " backend=onnxruntime-1.") {
			t.Errorf("signatures %q and %q", a, b)
		}
	})
}

// Some exports have other types at their ends.
func TestORTElementTypes(t *testing.T) {
	serial(t)
	needORT(t)
	plain := onnxtest.Small()
	half, pooled, narrow := plain, plain, plain
	half.Half, narrow.Int32 = true, true
	pooled.Half, pooled.Pooled = true, true
	open := func(m onnxtest.Transformer, backend string) *ModelEncoder {
		return openEncoder(t, os.DirFS(writeModel(t, m)), EncoderOptions{Backend: backend})
	}
	tokenizer, err := onnxtest.Tokenizer(plain.Vocab)
	if err != nil {
		t.Fatal(err)
	}
	texts := testTexts(t, tokenizer, 40)
	want := encode(t, open(plain, BackendGo), texts...)
	if d := largest(t, encode(t, open(narrow, BackendORT), texts...), want); d > 1e-4 {
		t.Errorf("with 32-bit inputs vectors differ by %g", d)
	}
	if d := largest(t, encode(t, open(half, BackendORT), texts...), want); d > 1e-3 {
		t.Errorf("with 16-bit outputs vectors differ by %g", d)
	}
	full := pooled
	full.Half = false
	want = encode(t, open(full, BackendORT), texts...)
	if d := largest(t, encode(t, open(pooled, BackendORT), texts...), want); d > 1e-3 {
		t.Errorf("with 16-bit pooled outputs vectors differ by %g", d)
	}
}

// What run may count on: neither rows nor padding change a bit.
func TestORTBitsDoNotDependOnShape(t *testing.T) {
	serial(t)
	needORT(t)
	for name, change := range map[string]func(*onnxtest.Transformer){
		"tokens": func(*onnxtest.Transformer) {},
		"plain":  func(m *onnxtest.Transformer) { m.Plain = true },
		"pooled": func(m *onnxtest.Transformer) { m.Pooled = true },
		"MiniLM": func(m *onnxtest.Transformer) { *m = onnxtest.MiniLM(); m.Layers = 2 },
		"odd":    func(m *onnxtest.Transformer) { m.Hidden, m.Heads, m.Intermediate = 75, 5, 131 },
	} {
		t.Run(name, func(t *testing.T) {
			model := onnxtest.Small()
			change(&model)
			s := openORTDir(t, writeModel(t, model))
			defer s.close()
			rng := rand.New(rand.NewPCG(5, 5))
			texts := make([]tokenized, 32)
			for i := range texts {
				for range 1 + rng.IntN(21) {
					texts[i].ids = append(texts[i].ids, rng.IntN(model.Vocab))
				}
			}
			var want [][][]float32
			for _, length := range []int{21, 22, 24, 31, 32, 100} {
				for _, rows := range []int{32, 1, 2, 3, 7, 16} {
					var got [][][]float32
					for batch := range slices.Chunk(texts, rows) {
						out, err := s.run(context.Background(), length, len(texts), batch)
						if err != nil {
							t.Fatal(err)
						}
						got = append(got, out...)
					}
					if want == nil {
						want = got
					}
					for i := range want {
						if !slices.EqualFunc(got[i], want[i], slices.Equal[[]float32]) {
							t.Fatalf("length %d, %d rows: text %d of %d tokens has other bits", length, rows, i, len(texts[i].ids))
						}
					}
				}
			}
		})
	}
}

// Order, company, workers and concurrency change no bit, for quantised models
// too, whose numbers depend on what runs with them.
func TestORTVectorsDoNotDependOnCompany(t *testing.T) {
	needORT(t)
	for _, int8 := range []bool{false, true} {
		t.Run(fmt.Sprintf("int8=%v", int8), func(t *testing.T) {
			model := onnxtest.Small()
			model.Int8 = int8
			dir := os.DirFS(writeModel(t, model))
			tokenizer, err := fs.ReadFile(dir, "tokenizer.json")
			if err != nil {
				t.Fatal(err)
			}
			texts := testTexts(t, tokenizer, 150)
			e := openEncoder(t, dir, EncoderOptions{Backend: BackendORT, Workers: 3})
			other := openEncoder(t, dir, EncoderOptions{Backend: BackendORT, Workers: 1})
			want := encode(t, e, texts...)
			order := rand.New(rand.NewPCG(6, 6)).Perm(len(texts))
			shuffled := make([]string, len(texts))
			for i, o := range order {
				shuffled[i] = texts[o]
			}
			for i, v := range encode(t, other, shuffled...) {
				if !slices.Equal(v, want[order[i]]) {
					t.Fatalf("shuffled: text %d has other bits", order[i])
				}
			}
			var wg sync.WaitGroup
			for g := range 6 {
				wg.Go(func() {
					for i := g; i < len(texts); i += 6 {
						for _, enc := range []*ModelEncoder{e, other} {
							got, err := enc.Encode(context.Background(), texts[i:i+1])
							if err != nil || !slices.Equal(got[0], want[i]) {
								t.Errorf("alone: text %d has other bits (%v)", i, err)
							}
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// openORTDir opens a model directory without an encoder.
func openORTDir(t testing.TB, dir string) session {
	t.Helper()
	src := modelSource{dir: os.DirFS(dir), file: "model.onnx", path: dir}
	f, err := src.dir.Open(src.file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if src.graph, err = readONNX(f); err != nil {
		t.Fatal(err)
	}
	s, err := openORT(context.Background(), EncoderOptions{}, src)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestORTExternalData(t *testing.T) {
	needORT(t)
	model := onnxtest.Small()
	inline := writeModel(t, model)
	model.External = true
	outside := writeModel(t, model)
	open := func(dir string) (*ModelEncoder, error) {
		return OpenEncoder(context.Background(), dir, EncoderOptions{Backend: BackendORT})
	}
	texts := []string{"the babe is not it", "dada to kaka"}
	var all [][][]float32
	for _, dir := range []string{inline, outside} {
		e, err := open(dir)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, encode(t, e, texts...))
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if !slices.EqualFunc(all[0], all[1], slices.Equal[[]float32]) {
		t.Error("weights beside the model give other vectors")
	}
	weights := filepath.Join(outside, "model.onnx_data")
	for _, tt := range []struct {
		name   string
		change func() error
	}{
		{"cut short", func() error { return os.Truncate(weights, 100) }},
		{"gone", func() error { return os.Remove(weights) }},
	} {
		if err := tt.change(); err != nil {
			t.Fatal(err)
		}
		if e, err := open(outside); err == nil {
			e.Close()
			t.Errorf("weights that are %s are no error", tt.name)
		} else if !strings.Contains(err.Error(), "model.onnx_data") {
			t.Errorf("error %q does not name the file", err)
		}
	}
}

func TestORTClose(t *testing.T) {
	needORT(t)
	dir := os.DirFS(writeModel(t, onnxtest.Small()))
	open := func() *ModelEncoder {
		e, err := NewEncoder(context.Background(), dir, EncoderOptions{Backend: BackendORT})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	// The library goes with the last one and comes back with the next.
	for range 3 {
		encoders := []*ModelEncoder{open(), open(), open()}
		var wg sync.WaitGroup
		for _, e := range encoders {
			for range 2 {
				wg.Go(func() {
					for {
						if _, err := e.Encode(context.Background(), []string{"the babe", "not it"}); err != nil {
							if !errors.Is(err, ErrEncoderClosed) {
								t.Error(err)
							}
							return
						}
					}
				})
			}
		}
		for _, i := range []int{1, 2, 0} {
			time.Sleep(5 * time.Millisecond)
			for range 2 {
				if err := encoders[i].Close(); err != nil {
					t.Error(err)
				}
			}
		}
		wg.Wait()
		if ortRuntime.users != 0 {
			t.Fatalf("%d users of the library after all are closed", ortRuntime.users)
		}
	}
}

func TestORTCancel(t *testing.T) {
	needORT(t)
	model := onnxtest.MiniLM()
	model.Layers, model.Vocab = 3, 2000
	dir := os.DirFS(writeModel(t, model))
	tokenizer, err := fs.ReadFile(dir, "tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	texts := testTexts(t, tokenizer, 300)
	e := openEncoder(t, dir, EncoderOptions{Backend: BackendORT})
	want := encode(t, e, texts[:20]...)
	stopped := 0
	for delay := time.Millisecond; delay < 50*time.Millisecond; delay *= 3 {
		ctx, cancel := context.WithTimeout(context.Background(), delay)
		v, err := e.Encode(ctx, texts)
		cancel()
		if err != nil && (err != context.DeadlineExceeded || v != nil) {
			t.Errorf("cancelled after %v: %d vectors, error %v", delay, len(v), err)
		}
		if err != nil {
			stopped++
		}
	}
	if stopped == 0 {
		t.Error("nothing was cancelled")
	}
	if got := encode(t, e, texts[:20]...); !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
		t.Error("vectors are others after a cancelled call")
	}
}

func TestORTLibrary(t *testing.T) {
	library := needORT(t)
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	name := systemLibraries()[0]
	if err := os.Symlink(library, filepath.Join(dir, "lib", name)); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, env, want string }{
		{"by flag", library, "/nonexistent", ""},
		{"by environment", "", library, ""},
		{"by directory", filepath.Join(dir, "lib"), "", ""},
		{"missing", filepath.Join(dir, "missing.so"), library, "missing.so"},
		{"missing by environment", "", filepath.Join(dir, "missing.so"), "missing.so"},
		{"a directory without", dir, "", name},
		{"text", write("text.so", []byte("not a library")), "", "text.so"},
		{"empty", write("empty.so", nil), "", "empty.so"},
	}
	if runtime.GOOS == "linux" {
		tests = append(tests, []struct{ name, path, env, want string }{
			{"half", write("half.so", data[:len(data)/2]), "", "not a whole one"},
			{"the start", write("start.so", data[:1000]), "", "start.so"},
		}...)
		if libm, _ := filepath.Glob("/lib/*/libm.so.6"); len(libm) > 0 {
			tests = append(tests, struct{ name, path, env, want string }{"another library", libm[0], "", "OrtGetApiBase"})
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(LibraryVariable, tt.env)
			t.Chdir(dir)
			e, err := NewBuiltin(context.Background(), EncoderOptions{Backend: BackendORT, Library: tt.path})
			if err == nil {
				err := e.Close()
				if tt.want != "" || err != nil {
					t.Errorf("loaded (%v)", err)
				}
				return
			}
			if tt.want == "" || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), LibraryVariable) {
				t.Errorf("error %q does not say %q and %q", err, tt.want, LibraryVariable)
			}
		})
	}
	// A relative path is of the directory, not of the system's search.
	t.Chdir(filepath.Join(dir, "lib"))
	e := newBuiltin(t, EncoderOptions{Backend: BackendORT, Library: name})
	if _, err := NewBuiltin(context.Background(), EncoderOptions{Backend: BackendORT, Library: library}); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second library at the same time: %v", err)
	}
	encode(t, e, "parser")
}

// Where nothing says where the library is, the system is asked. That needs a
// process of its own: a library that was loaded once is found again.
func TestORTNowhere(t *testing.T) {
	const child = "CRSCORE_TEST_NOWHERE"
	if os.Getenv(child) == "" {
		needORT(t)
		cmd := exec.Command(os.Args[0], "-test.run=^TestORTNowhere$")
		cmd.Env = []string{child + "=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	e, err := NewBuiltin(context.Background(), EncoderOptions{Backend: BackendORT})
	if err == nil {
		e.Close()
		t.Skip("the system has an ONNX Runtime")
	}
	for _, want := range append(systemLibraries(), LibraryVariable) {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

func TestORTBadModels(t *testing.T) {
	needORT(t)
	small := writeModel(t, onnxtest.Small())
	tests := map[string]struct {
		change func([]byte) []byte
		want   string
	}{
		"text":             {func([]byte) []byte { return []byte("not a model") }, "not an ONNX model"},
		"empty":            {func([]byte) []byte { return nil }, "not an ONNX model"},
		"half":             {func(b []byte) []byte { return b[:len(b)/2] }, "not an ONNX model"},
		"unknown operator": {func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "Softmax", "Softmux")) }, "Softmux"},
		"broken graph":     {func(b []byte) []byte { return []byte(strings.Replace(string(b), "Softmax_", "Softmix_", 1)) }, "model.onnx"},
		"other input": {func(b []byte) []byte {
			return []byte(strings.ReplaceAll(string(b), "token_type_ids", "token_type_idz"))
		}, "token_type_idz"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := fstest.MapFS{}
			for _, file := range []string{"model.onnx", "tokenizer.json", "config.json"} {
				data, err := os.ReadFile(filepath.Join(small, file))
				if err != nil {
					t.Fatal(err)
				}
				if file == "model.onnx" {
					data = tt.change(data)
				}
				dir[file] = &fstest.MapFile{Data: data}
			}
			e, err := NewEncoder(context.Background(), dir, EncoderOptions{Backend: BackendORT})
			if err == nil {
				e.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "model.onnx") {
				t.Errorf("error %q does not say %q and the model's name", err, tt.want)
			}
		})
	}
	if ortRuntime.users != 0 {
		t.Errorf("%d users of the library are left", ortRuntime.users)
	}
	// The library is as good as before.
	encode(t, openEncoder(t, builtin.Model(), EncoderOptions{Backend: BackendORT}), "parser")
}
