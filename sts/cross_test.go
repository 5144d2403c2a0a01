package sts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"crscore/sts/internal/limits"
	"crscore/sts/internal/onnxtest"
)

// pytorchPairs is what PyTorch computes for every pair, by model; nil where a text has no
// tokens.
type pytorchPairs struct {
	Texts  []string
	Pairs  [][3]int // two texts, and the most tokens of the pair
	Values map[string][]*struct {
		Value float32
		Cut   bool
	}
}

func readPyTorchPairs(t testing.TB, dir string) (v pytorchPairs) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "cross.json"))
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// testBackends are the backends of this build.
func testBackends() []string {
	if ORT() && os.Getenv("ORT_DYLIB_PATH") != "" {
		return []string{BackendGo, BackendORT}
	}
	return []string{BackendGo}
}

func openCross(t testing.TB, dir string, opts EncoderOptions) *CrossEncoder {
	t.Helper()
	c, err := OpenCrossEncoder(context.Background(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func crossMatrix(t testing.TB, c *CrossEncoder, sentences, refs []string) [][]float32 {
	t.Helper()
	m, err := c.Matrix(context.Background(), sentences, refs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCrossPyTorch compares, for a cross-encoder of BERT's kind with one logit and one of
// RoBERTa's with three classes, the similarities with PyTorch's for the ids that Hugging
// Face's tokenizers give.
func TestCrossPyTorch(t *testing.T) {
	serial(t)
	expected := readPyTorchPairs(t, pytorchModels)
	if len(expected.Values) != 2 {
		t.Fatalf("%d models", len(expected.Values))
	}
	for _, backend := range testBackends() {
		for name, want := range expected.Values {
			t.Run(name+" "+backend, func(t *testing.T) {
				byLimit := map[int][]int{}
				for i, p := range expected.Pairs {
					byLimit[p[2]] = append(byLimit[p[2]], i)
				}
				for limit, pairs := range byLimit {
					c := openCross(t, filepath.Join(pytorchModels, name), EncoderOptions{MaxTokens: limit, Backend: backend})
					var cut uint64
					for _, i := range pairs {
						a, b := expected.Texts[expected.Pairs[i][0]], expected.Texts[expected.Pairs[i][1]]
						got := crossMatrix(t, c, []string{a}, []string{b})[0][0]
						var value float32
						if want[i] != nil {
							value = want[i].Value
							if want[i].Cut {
								cut++
							}
						}
						if math.Abs(float64(got-value)) > 1e-5 {
							t.Errorf("%.50q and %.50q in %d tokens: %v, want %v", a, b, limit, got, value)
						}
					}
					if c.Truncated() != cut {
						t.Errorf("%d pairs of at most %d tokens are cut, want %d", c.Truncated(), limit, cut)
					}
				}
			})
		}
	}
}

// TestCrossDoesNotDependOnCompany wants the same bits in any order, alone, with and without
// the cache, and from several callers.
func TestCrossDoesNotDependOnCompany(t *testing.T) {
	texts := readPyTorchPairs(t, pytorchModels).Texts[:20]
	if testing.Short() {
		texts = texts[:10] // a quarter of the pairs, from as many callers
	}
	for _, backend := range testBackends() {
		for _, name := range []string{"cross-bert", "cross-roberta"} {
			dir := filepath.Join(pytorchModels, name)
			c := openCross(t, dir, EncoderOptions{Backend: backend, Workers: 3})
			bare := openCross(t, dir, EncoderOptions{Backend: backend, CacheEntries: -1, Workers: 1})
			want := crossMatrix(t, c, texts, texts)
			if c.cache.Len() < len(texts)*len(texts)/2 {
				t.Errorf("%d pairs are cached", c.cache.Len())
			}
			same := func(c *CrossEncoder, rows, columns []int) {
				at := func(places []int) (list []string) {
					for _, i := range places {
						list = append(list, texts[i])
					}
					return list
				}
				m, err := c.Matrix(context.Background(), at(rows), at(columns))
				if err != nil {
					t.Error(err)
					return
				}
				for i := range m {
					for j := range m[i] {
						if math.Float32bits(m[i][j]) != math.Float32bits(want[rows[i]][columns[j]]) {
							t.Errorf("%s: %.30q and %.30q have other bits", name, texts[rows[i]], texts[columns[j]])
						}
					}
				}
			}
			order := rand.New(rand.NewPCG(3, 3)).Perm(len(texts))
			same(bare, order, slices.Concat(order[5:], order[:9]))
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					same(bare, []int{i}, []int{i + 1})
					same(c, order[i:], order)
				})
			}
			wg.Wait()
		}
	}
}

// Pairs of the same tokens, of which more or fewer belong to the first text, are different.
func TestCrossCacheKnowsTokenTypes(t *testing.T) {
	c := openCross(t, filepath.Join(pytorchModels, "cross-bert"), EncoderOptions{})
	// The first one in the cache is that of the trial at opening.
	one := crossMatrix(t, c, []string{"the parser [SEP] the token"}, []string{"the cache"})[0][0]
	other := crossMatrix(t, c, []string{"the parser"}, []string{"the token [SEP] the cache"})[0][0]
	if c.cache.Len() != 3 || one == other {
		t.Errorf("%d pairs are cached, with the values %v and %v", c.cache.Len(), one, other)
	}
}

// TestCrossLogitsDoNotDependOnPlace runs a pair at each place of a full batch, for larger
// models, and compares the bits before the sigmoid hides some of them.
func TestCrossLogitsDoNotDependOnPlace(t *testing.T) {
	serial(t)
	for _, backend := range testBackends() {
		for _, size := range []struct{ hidden, classes int }{{48, 1}, {48, 3}, {384, 1}, {100, 2}} {
			dir := smallModel(t, func(m *onnxtest.Transformer) {
				m.Hidden, m.Intermediate, m.Classes, m.Layers = size.hidden, 2*size.hidden, size.classes, 1
			})
			c := openCross(t, dir, EncoderOptions{Backend: backend})
			for _, n := range []int{8, 12, 20, 30, 50} {
				length, rows := c.shape(n)
				batch := make([]pending, rows)
				for i := range batch {
					batch[i].ids, batch[i].types = make([]int, n), make([]int, n)
					for k := range n {
						batch[i].ids[k], batch[i].types[k] = 30+k*k%1900, k*2/n
					}
				}
				out, err := c.runPending(context.Background(), length, rows, batch)
				if err != nil {
					t.Fatal(err)
				}
				few, err := c.runPending(context.Background(), length, rows, batch[:1])
				if err != nil {
					t.Fatal(err)
				}
				for i := range out {
					if !slices.Equal(out[i][0], few[0][0]) {
						t.Errorf("%s %+v, %d tokens: place %d of %d gives %v, alone %v", backend, size, n, i, rows, out[i][0], few[0][0])
					}
				}
			}
		}
	}
}

// classifier is a small cross-encoder with three classes, the last of which is entailment.
func classifier(m *onnxtest.Transformer) { m.Classes, m.External = 3, true }

// setJSON changes a value of a JSON file; nil removes it.
func setJSON(t testing.TB, dir, name, key string, value any) {
	t.Helper()
	edit(t, dir, name, func(b []byte) []byte {
		var v map[string]any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		v[key] = value
		if value == nil {
			delete(v, key)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}

func TestBadCrossEncoders(t *testing.T) {
	serial(t)
	labels := func(names ...string) map[string]string {
		m := map[string]string{}
		for i, name := range names {
			m[string(rune('0'+i))] = name
		}
		return m
	}
	config := func(key string, value any) func(*testing.T, string) {
		return func(t *testing.T, dir string) { setJSON(t, dir, "config.json", key, value) }
	}
	post := func(value any) func(*testing.T, string) {
		return func(t *testing.T, dir string) { setJSON(t, dir, "tokenizer.json", "post_processor", value) }
	}
	tests := []struct {
		name   string
		model  func(*onnxtest.Transformer)
		change func(t *testing.T, dir string)
		opts   EncoderOptions
		want   string
		only   bool // InspectCrossEncoder does not notice: it does not run the model
	}{
		{"an encoder", nil, nil, EncoderOptions{}, "not a cross-encoder: it has no output logits [batch, class], but last_hidden_state [-1 -1 48]; an encoder is used with --encoder MODEL", true},
		{"a pooled encoder", func(m *onnxtest.Transformer) { m.Pooled = true }, nil, EncoderOptions{}, "but sentence_embedding [-1 48]", true},
		{"logits of tokens", nil, func(t *testing.T, dir string) {
			replace(t, dir, "model.onnx", "last_hidden_state", "logits___________")
		}, EncoderOptions{}, "not a cross-encoder", true},
		{"NaN", classifier, func(t *testing.T, dir string) {
			edit(t, dir, "model.onnx_data", func(b []byte) []byte { return bytes.Repeat([]byte{0xFF}, len(b)) })
		}, EncoderOptions{}, "running the model: the model's output is not finite (NaN or infinite)", true},
		{"no post_processor", classifier, post(nil), EncoderOptions{}, "tokenizer.json: the file has no post_processor that says how to pair two texts", false},
		{"no separator", classifier, post(json.RawMessage(`{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}}],"pair":[{"Sequence":{"id":"A"}},{"Sequence":{"id":"B"}}]}`)),
			EncoderOptions{}, "the pair has no special token between its two texts", false},
		{"token types", classifier, config("type_vocab_size", 1), EncoderOptions{}, "the pair has the token type 1, and the model has 1 of them", false},
		{"rows of token types", classifier, post(json.RawMessage(`{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}}],
			"pair":[{"Sequence":{"id":"A"}},{"SpecialToken":{"id":"S"}},{"Sequence":{"id":"B","type_id":2}}],"special_tokens":{"S":{"ids":[3]}}}`)),
			EncoderOptions{}, "the pair has the token type 2, and the model has 2 of them", false},
		{"other labels", classifier, config("id2label", labels("LABEL_0", "LABEL_1", "LABEL_2")), EncoderOptions{},
			`config.json: id2label names the classes ["label_0" "label_1" "label_2"]: none is entailment, duplicate,`, false},
		{"two labels", classifier, config("id2label", labels("Duplicate", "no", "entailment ")), EncoderOptions{}, `two classes of related pairs, "duplicate" and "entailment"`, false},
		{"no labels", classifier, config("id2label", nil), EncoderOptions{}, "id2label names 0 classes, and the model has 3", false},
		{"too few labels", classifier, config("id2label", labels("no", "entailment")), EncoderOptions{}, "id2label names 2 classes, and the model has 3", false},
		{"wrong numbers", classifier, config("id2label", map[string]string{"1": "a", "2": "b", "3": "entailment"}), EncoderOptions{}, "id2label has no class 0", false},
		{"a list of labels", classifier, config("id2label", []string{"entailment"}), EncoderOptions{}, "config.json: line 1, column", true},
		{"prompt", classifier, func(t *testing.T, dir string) {
			write(t, dir, "config_sentence_transformers.json", `{"prompts":{"q":"query: "},"default_prompt_name":"q"}`)
		}, EncoderOptions{}, `the default prompt "q" is not supported in a cross-encoder`, false},
		{"no room", classifier, nil, EncoderOptions{MaxTokens: 4}, "maximum number of tokens is 4, and the smallest pair has 5", true},
		{"pooling", classifier, nil, EncoderOptions{Pooling: PoolingPaper}, "a cross-encoder has no pooling", true},
		{"not ONNX", classifier, func(t *testing.T, dir string) { write(t, dir, "model.onnx", "x") }, EncoderOptions{}, "not an ONNX model", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := smallModel(t, tt.model)
			if tt.change != nil {
				tt.change(t, dir)
			}
			c, err := OpenCrossEncoder(context.Background(), dir, tt.opts)
			if err == nil {
				c.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error is\n\t%v\nwant %q and the directory", err, tt.want)
			}
			if is, _, err := InspectCrossEncoder(os.DirFS(dir), ""); !tt.only && (!is || err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("an inspection gives %v, %v", is, err)
			}
		})
	}
	// What a cross-encoder is needs no name of the output if the configuration says it.
	dir := smallModel(t, classifier)
	replace(t, dir, "model.onnx", "logits", "scores")
	openCross(t, dir, EncoderOptions{})
	if _, err := OpenEncoder(context.Background(), smallModel(t, classifier), EncoderOptions{}); err == nil ||
		!strings.Contains(err.Error(), "a cross-encoder is no encoder; compare pairs of texts with it (--similarity cross:MODEL)") {
		t.Errorf("a cross-encoder as an encoder: %v", err)
	}
}

func TestInspectCrossEncoder(t *testing.T) {
	for name, want := range map[string]string{
		"cross-bert":    "the sigmoid of one logit",
		"cross-roberta": "the probability of entailment (classes: contradiction, entailment, neutral)",
		"bert":          "",
	} {
		is, about, err := InspectCrossEncoder(os.DirFS(filepath.Join(pytorchModels, name)), "")
		if err != nil || is != (want != "") || about != want {
			t.Errorf("%s: %v, %q, %v", name, is, about, err)
		}
	}
}

// A signature names what shapes a value, and a change of the files changes it.
func TestCrossSignature(t *testing.T) {
	dir := smallModel(t, classifier)
	before := openCross(t, dir, EncoderOptions{Name: "my model"}).Signature().String()
	for _, want := range []string{"similarity=cross/1(softmax:entailment) encoder=my_model@sha256:", " backend=hugot-", " arch=", " text=plain maxtokens=128"} {
		if !strings.Contains(before, want) {
			t.Errorf("%s has no %q", before, want)
		}
	}
	setJSON(t, dir, "config.json", "id2label", map[string]string{"0": "Paraphrase", "1": "x", "2": "y"})
	if after := openCross(t, dir, EncoderOptions{Name: "my model"}).Signature().String(); !strings.Contains(after, "cross/1(softmax:paraphrase)") ||
		checksumOf(after) == checksumOf(before) {
		t.Errorf("signatures are\n%s\n%s", before, after)
	}
}

func checksumOf(signature string) string {
	_, rest, _ := strings.Cut(signature, "@sha256:")
	return rest[:12]
}

func TestCrossEnds(t *testing.T) {
	c, err := OpenCrossEncoder(context.Background(), filepath.Join(pytorchModels, "cross-bert"), EncoderOptions{CacheEntries: 5})
	if err != nil {
		t.Fatal(err)
	}
	texts := readPyTorchPairs(t, pytorchModels).Texts
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Matrix(ctx, texts, texts); !errors.Is(err, context.Canceled) {
		t.Errorf("error of a call that was cancelled: %v", err)
	}
	for _, lists := range [][2][]string{{nil, texts}, {texts, nil}, {nil, nil}} {
		if m := crossMatrix(t, c, lists[0], lists[1]); len(m) != len(lists[0]) {
			t.Errorf("%d rows, want %d", len(m), len(lists[0]))
		}
	}
	// The cache is bounded, and a text beyond what is read counts as cut.
	huge := strings.Repeat("\x01", limits.TextBytes) + "the parser"
	crossMatrix(t, c, texts[2:5], texts[2:6])
	if c.cache.Len() != 5 || c.Truncated() != 0 {
		t.Errorf("%d pairs are cached, %d cut", c.cache.Len(), c.Truncated())
	}
	crossMatrix(t, c, []string{"the " + huge, huge}, texts[2:4])
	if c.Truncated() != 2 {
		t.Errorf("%d pairs are cut, want 2", c.Truncated())
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Matrix(context.Background(), texts, texts); !errors.Is(err, ErrEncoderClosed) {
		t.Errorf("error after Close: %v", err)
	}
}

// FuzzReadClasses reads anything as the names of classes.
func FuzzReadClasses(f *testing.F) {
	f.Add(3, `{"0":"contradiction","1":"ENTAILMENT","2":"neutral"}`, float32(1), float32(-2))
	f.Add(2, `{"0":"no","1":"duplicate"}`, float32(90), float32(-90))
	f.Add(1, `{}`, float32(-700), float32(0))
	f.Add(-1, `{"-1":"related"}`, float32(math.NaN()), float32(0))
	f.Fuzz(func(t *testing.T, n int, text string, a, b float32) {
		var labels map[string]string
		if json.Unmarshal([]byte(text), &labels) != nil {
			return
		}
		c, err := readClasses(n, labels)
		if err != nil {
			return
		}
		logits, finite := make([]float32, n), true
		for i := range logits {
			if logits[i] = b; i == c.of {
				logits[i] = a
			}
			finite = finite && !math.IsNaN(float64(logits[i])) && !math.IsInf(float64(logits[i]), 0)
		}
		v, err := c.similarity(logits)
		if finite != (err == nil) {
			t.Errorf("%v: error %v", logits, err)
		}
		if err == nil && !(v >= 0 && v <= 1) {
			t.Errorf("%v: %v", logits, v)
		}
	})
}
