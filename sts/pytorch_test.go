package sts

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/pytorch/small with PyTorch")

// pytorchModels holds a small model of each kind, and the vectors that PyTorch computes
// with them. Regenerate it with: go test ./sts -run TestPyTorchGoldens -update
const pytorchModels = "testdata/pytorch/small"

// runPyTorch makes the models and their vectors in dir. Debian's package is for the
// system's Python, which need not be the first in the path.
func runPyTorch(t *testing.T, dir string) {
	t.Helper()
	python := "python3"
	if exec.Command(python, "-c", "import torch").Run() != nil {
		python = "/usr/bin/python3"
	}
	data, err := json.Marshal(append(strings.Fields(nltkEnglish), ".", ","))
	if err != nil {
		t.Fatal(err)
	}
	stop := filepath.Join(t.TempDir(), "stopwords.json")
	if err := os.WriteFile(stop, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/pytorch/encoders.py", "small", dir, "tokenizer/testdata", stop)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v (PyTorch: apt-get install python3-torch)\n%s", err, out)
	}
}

// pytorchVectors is what PyTorch computes for every text, by model; nil where a text
// has no tokens.
type pytorchVectors struct {
	Texts   []string
	Vectors map[string][]*struct {
		Cut          bool
		Paper, Model []float32
	}
}

func readPyTorchVectors(t *testing.T, dir string) pytorchVectors {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v pytorchVectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPyTorchGoldens computes the vectors anew with PyTorch and compares them with the
// goldens, which other weights, texts or stop words would not match. make test-all runs
// it: it needs PyTorch.
func TestPyTorchGoldens(t *testing.T) {
	if *update {
		if err := os.RemoveAll(pytorchModels); err != nil {
			t.Fatal(err)
		}
		runPyTorch(t, pytorchModels)
		return
	}
	if os.Getenv("CRSCORE_LONG") == "" {
		t.Skip("make test-all runs this: CRSCORE_LONG is not set")
	}
	dir := t.TempDir()
	runPyTorch(t, dir)
	near := cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a)-float64(b)) <= 1e-5 })
	diff := cmp.Diff(readPyTorchVectors(t, pytorchModels), readPyTorchVectors(t, dir), near)
	if diff += cmp.Diff(readPyTorchPairs(t, pytorchModels), readPyTorchPairs(t, dir), near); diff != "" {
		t.Errorf("the goldens differ from PyTorch's numbers (go test ./sts -run TestPyTorchGoldens -update writes them):\n%.3000s", diff)
	}
}

// TestPyTorch compares, for a model of every kind, the vectors with PyTorch's for the
// ids that Hugging Face's tokenizers give.
func TestPyTorch(t *testing.T) {
	serial(t)
	expected := readPyTorchVectors(t, pytorchModels)
	if len(expected.Vectors) != 5 {
		t.Fatalf("%d models", len(expected.Vectors))
	}
	backends := []string{BackendGo}
	if ORT() && os.Getenv("ORT_DYLIB_PATH") != "" {
		backends = append(backends, BackendORT)
	}
	for name, want := range expected.Vectors {
		for i, pooling := range slices.Repeat([]string{PoolingPaper, PoolingModel}, len(backends)) {
			backend := backends[i/2]
			t.Run(name+" "+pooling+" "+backend, func(t *testing.T) {
				e, err := OpenEncoder(context.Background(), filepath.Join(pytorchModels, name), EncoderOptions{Pooling: pooling, Backend: backend})
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				if len(e.Notes()) > 0 {
					t.Errorf("notes: %q", e.Notes())
				}
				got := encode(t, e, expected.Texts...)
				cut := 0
				for i, text := range expected.Texts {
					vector := make([]float32, e.Dim())
					if want[i] != nil {
						vector = want[i].Model
						if pooling == PoolingPaper {
							vector = want[i].Paper
						}
						if want[i].Cut {
							cut++
						}
					}
					if d := difference(got[i], vector); d > 1e-4 {
						t.Errorf("%.50q differs by %g", text, d)
					}
				}
				if s := e.Stats(); s.Cut != uint64(cut) || int(s.Texts) != len(expected.Texts) {
					t.Errorf("%+v, want %d texts cut", s, cut)
				}
				checkCompany(t, e, expected.Texts, got)
				checkPadding(t, e, expected.Texts)
			})
		}
	}
}

// difference is the largest between two vectors' values.
func difference(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	d := 0.0
	for k := range a {
		d = max(d, math.Abs(float64(a[k])-float64(b[k])))
		if a[k] != a[k] {
			return math.Inf(1)
		}
	}
	return d
}

// checkCompany wants the same bits in any order, alone and from several callers.
func checkCompany(t *testing.T, e *ModelEncoder, texts []string, want [][]float32) {
	t.Helper()
	e.cache = nil
	order := rand.New(rand.NewPCG(3, 3)).Perm(len(texts))
	shuffled := make([]string, len(texts))
	for i, o := range order {
		shuffled[i] = texts[o]
	}
	for i, v := range encode(t, e, shuffled...) {
		if !slices.Equal(v, want[order[i]]) {
			t.Fatalf("%.50q has other bits in another order", shuffled[i])
		}
	}
	for i := 0; i < len(texts); i += 3 {
		if v := encode(t, e, texts[i])[0]; !slices.Equal(v, want[i]) {
			t.Fatalf("%.50q has other bits alone", texts[i])
		}
	}
}

// checkPadding wants nearly the same numbers whatever a text is padded to.
func checkPadding(t *testing.T, e *ModelEncoder, texts []string) {
	t.Helper()
	for i := 2; i < len(texts); i += 6 { // Every length is compiled anew.
		text := texts[i]
		tok := e.read(text, nil)
		if len(tok.ids) == 0 {
			continue
		}
		var first []float32
		for _, length := range []int{len(tok.ids), max(len(tok.ids), 24), 64} {
			p := pending{tokenized: tok, vector: make([]float32, e.dim)}
			if err := e.run(context.Background(), length, 2, []pending{p}); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = p.vector
			} else if d := difference(first, p.vector); d > 1e-5 {
				t.Errorf("%.50q padded to %d differs by %g", text, length, d)
			}
		}
	}
}

// TestTokenizerKindsFindStopWords holds the pooled tokens of every kind of
// tokenizer against the words that a person would choose.
func TestTokenizerKindsFindStopWords(t *testing.T) {
	tests := []struct{ text, want string }{
		{"the parser throws", "parser throws"},
		{"The, (the) parser.", "( ) parser"}, // a stop word with punctuation is one
		{"don't parse", "' parse"},           // byte-level tokenizers keep "'t" together
		{"whatever what", "whatever"},        // no part of a longer word is a stop word
		{"what is this", "what is this"},
		{"the café", "café"},
		{"is_the_cache", "_ _ cache"},
	}
	for _, kind := range []string{"bert", "mpnet", "roberta", "modernbert", "xlmr", "sentencepiece"} {
		file, err := os.ReadFile("tokenizer/testdata/" + kind + ".json")
		if err != nil {
			t.Fatal(err)
		}
		r := newTokenReader(t, file, 512)
		for _, tt := range tests {
			tokens := r.tokenizer.Encode(tt.text)
			var got bytes.Buffer
			for i, use := range r.content(tokens) {
				if use {
					got.WriteString(strings.ToLower(tokens[i].Text))
				}
			}
			want := strings.ReplaceAll(tt.want, " ", "")
			if kind == "roberta" || kind == "modernbert" {
				want = strings.ReplaceAll(want, "'", "")
			}
			if kind == "bert" || kind == "mpnet" {
				want = strings.ReplaceAll(want, "é", "e")
			}
			if got.String() != want {
				t.Errorf("%s: %q pools %q, want %q", kind, tt.text, got.String(), want)
			}
		}
	}
}
