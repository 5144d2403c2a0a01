// Package onnxtest writes sentence models for tests and benchmarks: Hugging Face
// directories with a transformer of any size, random weights, and the graph that
// exporters write.
package onnxtest

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Transformer is a BERT of some size (Devlin et al. 2019).
type Transformer struct {
	// The sizes of the model, by BERT's names.
	Layers, Hidden, Heads, Intermediate int
	Vocab                               int // tokens, at least MinVocab
	Positions                           int
	// NoTypes leaves out token_type_ids, as models of other families do.
	NoTypes bool
	// PositionInput makes the positions an input, position_ids.
	PositionInput bool
	// Pooled gives the model one output with a vector a text.
	Pooled bool
	// Classes gives the model one output with so many logits a text, as a cross-encoder
	// has. Its config.json names them not_N, and the last one entailment.
	Classes int
	// HiddenStates adds outputs hidden_states.0, the embeddings, to hidden_states.N, what
	// the last layer gives.
	HiddenStates bool
	// Plain writes the normalisation of layers with elementary operators, as
	// exporters do below opset 17.
	Plain bool
	// Int8 makes a model like those of ONNX Runtime's dynamic quantisation.
	Int8 bool
	// Int32 makes the inputs 32-bit numbers, and Half the output 16-bit floats.
	Int32, Half bool
	// Lie is one of Lies: the graph asks for more than any computer has.
	Lie string
	// External puts the weights into model.onnx_data.
	External bool
	Seed     uint64
}

// MiniLM has the size of all-MiniLM-L6-v2.
func MiniLM() Transformer {
	return Transformer{Layers: 6, Hidden: 384, Heads: 12, Intermediate: 1536, Vocab: 30522, Positions: 512}
}

// BERTLarge has the size of BERT-large and mxbai-embed-large-v1.
func BERTLarge() Transformer {
	return Transformer{Layers: 24, Hidden: 1024, Heads: 16, Intermediate: 4096, Vocab: 30522, Positions: 512}
}

// Small is a transformer that is fast enough for tests.
func Small() Transformer {
	return Transformer{Layers: 2, Hidden: 48, Heads: 4, Intermediate: 96, Vocab: 2000, Positions: 128}
}

// Write makes a model directory: model.onnx, config.json and tokenizer.json.
func (t Transformer) Write(dir string) error {
	if t.Hidden%t.Heads != 0 || t.Vocab < MinVocab {
		return fmt.Errorf("%+v is no transformer", t)
	}
	config := map[string]any{
		"model_type": "bert", "hidden_size": t.Hidden, "num_hidden_layers": t.Layers, "num_attention_heads": t.Heads,
		"intermediate_size": t.Intermediate, "vocab_size": t.Vocab, "max_position_embeddings": t.Positions,
	}
	if t.Classes > 0 {
		labels := map[string]string{fmt.Sprint(t.Classes - 1): "entailment"}
		for i := range t.Classes - 1 {
			labels[fmt.Sprint(i)] = fmt.Sprintf("not_%d", i)
		}
		config["architectures"], config["id2label"] = []string{"BertForSequenceClassification"}, labels
	}
	data, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return err
	}
	tokenizer, err := Tokenizer(t.Vocab)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "config.json"), data, 0o644),
		os.WriteFile(filepath.Join(dir, "tokenizer.json"), tokenizer, 0o644),
		t.writeONNX(dir),
	)
}

const externalFile = "model.onnx_data"

func (t Transformer) writeONNX(dir string) (err error) {
	g := &graph{rng: rand.New(rand.NewPCG(t.Seed, 1))}
	if t.External {
		f, err := os.Create(filepath.Join(dir, externalFile))
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(f, 1<<20)
		g.external = w
		defer func() { err = errors.Join(err, w.Flush(), f.Close()) }()
	}
	opset := 17
	if t.Plain {
		opset = 14
	}
	t.build(g)
	if g.err != nil {
		return g.err
	}
	model := msg(
		number(1, 8), // ir_version
		text(2, "onnxtest"),
		sub(7, msg(g.nodes, text(2, "main_graph"), g.tensors, g.ports)),
		sub(8, msg(text(1, ""), number(2, opset))), // opset_import
	)
	return os.WriteFile(filepath.Join(dir, "model.onnx"), model, 0o644)
}

// build writes the graph.
func (t Transformer) build(g *graph) {
	hidden := fmt.Sprint(t.Hidden)
	for _, in := range []struct {
		name string
		want bool
	}{{"input_ids", true}, {"attention_mask", true}, {"token_type_ids", !t.NoTypes}, {"position_ids", t.PositionInput}} {
		if in.want {
			elem := elemInt64
			if t.Int32 {
				elem = elemInt32
			}
			g.ports = append(g.ports, sub(11, value(in.name, elem, "batch", "sequence"))...)
		}
	}

	// The mask, as a number that softmax makes 0 of.
	mask := g.op("Unsqueeze", "attention_mask", g.ints(1, 2))
	mask = g.op("Cast", mask, intAttr("to", elemFloat))
	mask = g.op("Mul", g.op("Sub", g.scalar(1), mask), g.scalar(-math.MaxFloat32))

	shape := g.op("Shape", "input_ids")
	batch := g.op("Unsqueeze", g.op("Gather", shape, g.index(0), intAttr("axis", 0)), g.ints(0))
	length := g.op("Unsqueeze", g.op("Gather", shape, g.index(1), intAttr("axis", 0)), g.ints(0))

	x := g.op("Gather", g.random("word_embeddings", 0.02, t.Vocab, t.Hidden), "input_ids", intAttr("axis", 0))
	if !t.NoTypes {
		x = g.op("Add", x, g.op("Gather", g.random("token_type_embeddings", 0.02, 2, t.Hidden), "token_type_ids", intAttr("axis", 0)))
	}
	places := "position_ids"
	if !t.PositionInput {
		all := make([]int, t.Positions)
		for i := range all {
			all[i] = i
		}
		places = g.op("Slice", g.tensor("positions", elemInt64, []int{1, t.Positions}, ints(all...)), g.ints(0), length, g.ints(1))
	}
	x = g.op("Add", x, g.op("Gather", g.random("position_embeddings", 0.02, t.Positions, t.Hidden), places, intAttr("axis", 0)))
	x = t.norm(g, "embeddings.norm", x)
	var states []byte // ports, which stand behind the model's result
	state := func(layer int) {
		if t.HiddenStates {
			name := fmt.Sprintf("hidden_states.%d", layer)
			g.name(name, x)
			states = append(states, sub(12, value(name, elemFloat, "batch", "sequence", hidden))...)
		}
	}
	state(0)

	split := g.op("Concat", batch, length, g.ints(t.Heads), g.ints(t.Hidden/t.Heads), intAttr("axis", 0))
	join := g.op("Concat", batch, length, g.ints(t.Hidden), intAttr("axis", 0))
	for l := range t.Layers {
		at := fmt.Sprintf("layer.%d.", l)
		heads := func(name string, perm ...int) string {
			return g.op("Transpose", g.op("Reshape", t.linear(g, at+name, x, t.Hidden, t.Hidden), split), intsAttr("perm", perm...))
		}
		scores := g.op("MatMul", heads("query", 0, 2, 1, 3), heads("key", 0, 2, 3, 1))
		scores = g.op("Div", scores, g.scalar(float32(math.Sqrt(float64(t.Hidden/t.Heads)))))
		weights := g.op("Softmax", g.op("Add", scores, mask), intAttr("axis", -1))
		mixed := g.op("Transpose", g.op("MatMul", weights, heads("value", 0, 2, 1, 3)), intsAttr("perm", 0, 2, 1, 3))
		mixed = t.linear(g, at+"attention.output", g.op("Reshape", mixed, join), t.Hidden, t.Hidden)
		x = t.norm(g, at+"attention.norm", g.op("Add", mixed, x))

		up := t.linear(g, at+"intermediate", x, t.Hidden, t.Intermediate)
		erf := g.op("Erf", g.op("Div", up, g.scalar(math.Sqrt2)))
		gelu := g.op("Mul", g.op("Mul", up, g.op("Add", erf, g.scalar(1))), g.scalar(0.5))
		down := t.linear(g, at+"output", gelu, t.Intermediate, t.Hidden)
		x = t.norm(g, at+"norm", g.op("Add", down, x))
		state(l + 1)
	}
	defer func() { g.ports = append(g.ports, states...) }()
	t.result(g, x)
}

// result adds the model's result: logits, vectors of tokens, or a vector of the text.
func (t Transformer) result(g *graph, x string) {
	hidden := fmt.Sprint(t.Hidden)
	if lie := lies[t.Lie]; lie != nil {
		x = g.op("Add", x, g.op("ReduceMax", lie(g, x), intAttr("keepdims", 0)))
	}
	if t.Lie == declared {
		hidden = fmt.Sprint(1 << 40)
	}
	out := elemFloat
	if t.Half {
		out = elemFloat16
		x = g.op("Cast", x, intAttr("to", out))
	}
	if t.Classes > 0 {
		first := t.linear(g, "pooler", g.op("Gather", x, g.index(0), intAttr("axis", 1)), t.Hidden, t.Hidden)
		g.name("logits", t.linear(g, "classifier", g.op("Tanh", first), t.Hidden, t.Classes))
		g.ports = append(g.ports, sub(12, value("logits", out, "batch", fmt.Sprint(t.Classes)))...)
		return
	}
	if !t.Pooled {
		g.name("last_hidden_state", x)
		g.ports = append(g.ports, sub(12, value("last_hidden_state", out, "batch", "sequence", hidden))...)
		return
	}
	weight := g.op("Cast", g.op("Unsqueeze", "attention_mask", g.ints(-1)), intAttr("to", out))
	sum := g.op("ReduceSum", g.op("Mul", x, weight), g.ints(1), intAttr("keepdims", 0))
	g.name("sentence_embedding", g.op("Div", sum, g.op("ReduceSum", weight, g.ints(1), intAttr("keepdims", 0))))
	g.ports = append(g.ports, sub(12, value("sentence_embedding", out, "batch", hidden))...)
}

// linear is x times a matrix, plus a bias.
func (t Transformer) linear(g *graph, name, x string, in, out int) string {
	bias := g.random(name+".bias", 0.02, out)
	if !t.Int8 {
		return g.op("Add", g.op("MatMul", x, g.random(name+".weight", 0.05, in, out)), bias)
	}
	q := g.outputs("DynamicQuantizeLinear", 3, x)
	weight := g.randomInt8(name+".weight", in, out)
	zero := g.tensor(name+".zero", elemInt8, nil, []byte{0})
	product := g.op("Cast", g.op("MatMulInteger", q[0], weight, q[2], zero), intAttr("to", elemFloat))
	return g.op("Add", g.op("Mul", product, g.op("Mul", q[1], g.scalar(0.05/40))), bias)
}

// norm is the normalisation of a layer.
func (t Transformer) norm(g *graph, name, x string) string {
	const epsilon = 1e-12
	gain, bias := g.random(name+".weight", 0.1, t.Hidden), g.random(name+".bias", 0.02, t.Hidden)
	gain = g.op("Add", gain, g.scalar(1))
	if !t.Plain {
		return g.op("LayerNormalization", x, gain, bias, intAttr("axis", -1), floatAttr("epsilon", epsilon))
	}
	off := g.op("Sub", x, g.op("ReduceMean", x, intsAttr("axes", -1)))
	variance := g.op("ReduceMean", g.op("Pow", off, g.scalar(2)), intsAttr("axes", -1))
	off = g.op("Div", off, g.op("Sqrt", g.op("Add", variance, g.scalar(epsilon))))
	return g.op("Add", g.op("Mul", off, gain), bias)
}

// graph collects the parts of a GraphProto.
type graph struct {
	nodes, tensors, ports []byte

	rng      *rand.Rand
	external *bufio.Writer // where large tensors go, if not into the graph
	offset   int64
	n        int // nodes and constants so far
	err      error
}

// op adds a node with one output and returns the output's name. Arguments are
// names of inputs and attributes.
func (g *graph) op(kind string, args ...any) string { return g.outputs(kind, 1, args...)[0] }

func (g *graph) outputs(kind string, n int, args ...any) []string {
	g.n++
	name := fmt.Sprintf("%s_%d", kind, g.n)
	var in, attrs []byte
	for _, a := range args {
		switch a := a.(type) {
		case string:
			in = append(in, text(1, a)...)
		case []byte:
			attrs = append(attrs, sub(5, a)...)
		}
	}
	var out []byte
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s:%d", name, i)
		out = append(out, text(2, names[i])...)
	}
	g.nodes = append(g.nodes, sub(1, msg(in, out, text(3, name), text(4, kind), attrs))...)
	return names
}

// name gives a value the name that the model's output has.
func (g *graph) name(output, value string) {
	g.nodes = append(g.nodes, sub(1, msg(text(1, value), text(2, output), text(3, "name_"+output), text(4, "Identity")))...)
}

// tensor adds a constant.
func (g *graph) tensor(name string, elem int, dims []int, raw []byte) string {
	const large = 1024 // bytes; smaller ones stay in the graph, as in exporters
	m := tensorHead(name, elem, dims)
	if g.external == nil || len(raw) < large {
		m = append(m, sub(9, raw)...)
	} else {
		m = append(m, external(externalFile, g.offset, int64(len(raw)))...)
		n, err := g.external.Write(raw)
		g.offset += int64(n)
		g.err = errors.Join(g.err, err)
	}
	g.tensors = append(g.tensors, sub(5, m)...)
	return name
}

func (g *graph) constant(elem int, dims []int, raw []byte) string {
	g.n++
	return g.tensor(fmt.Sprintf("constant_%d", g.n), elem, dims, raw)
}

func (g *graph) scalar(v float32) string { return g.constant(elemFloat, nil, floats(v)) }
func (g *graph) index(v int) string      { return g.constant(elemInt64, nil, ints(v)) }
func (g *graph) ints(v ...int) string    { return g.constant(elemInt64, []int{len(v)}, ints(v...)) }

// random adds normally distributed weights.
func (g *graph) random(name string, deviation float64, dims ...int) string {
	raw := make([]byte, 4*product(dims))
	for i := 0; i < len(raw); i += 4 {
		binary.LittleEndian.PutUint32(raw[i:], math.Float32bits(float32(g.rng.NormFloat64()*deviation)))
	}
	return g.tensor(name, elemFloat, dims, raw)
}

func (g *graph) randomInt8(name string, dims ...int) string {
	raw := make([]byte, product(dims))
	for i := range raw {
		raw[i] = byte(int8(max(-127, min(127, g.rng.NormFloat64()*40))))
	}
	return g.tensor(name, elemInt8, dims, raw)
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// MinVocab is the smallest vocabulary that Tokenizer makes.
const MinVocab = 200

// Tokenizer is a tokenizer.json like BERT's: WordPiece, lower case, with [CLS] and [SEP]
// around a text. Its words are made up, except for some stop words.
func Tokenizer(size int) ([]byte, error) {
	words := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}
	special := len(words)
	words = append(words, strings.Fields("the is a of to and this it not in , . ' ##ing ##ed ##er ##ly")...)
	for c := 'a'; c <= 'z'; c++ {
		if c != 'a' {
			words = append(words, string(c))
		}
		words = append(words, "##"+string(c))
	}
	const consonants, vowels = "bcdfghklmnprstvz", "aeiou"
	for i := 0; len(words) < size; i++ {
		word := ""
		for n := i + 80; n > 0; n /= 80 {
			word += string(consonants[n%80/5]) + string(vowels[n%5])
		}
		words = append(words, word)
	}
	vocab := make(map[string]int, len(words))
	for id, w := range words {
		vocab[w] = id
	}
	if len(vocab) != len(words) {
		return nil, errors.New("a word occurs twice")
	}
	added := make([]map[string]any, special)
	for id := range added {
		added[id] = map[string]any{"id": id, "content": words[id], "special": true}
	}
	return json.Marshal(map[string]any{
		"version":        "1.0",
		"added_tokens":   added,
		"normalizer":     map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer":  map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "BertProcessing", "sep": []any{"[SEP]", 3}, "cls": []any{"[CLS]", 2}},
		"decoder":        map[string]any{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": vocab},
	})
}

// Texts are n different texts of 16 to 24 words of tokenizer, a tokenizer.json with a
// vocabulary of words. Every fifth word has two pieces.
func Texts(tokenizer []byte, n int, seed uint64) ([]string, error) {
	var parsed struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(tokenizer, &parsed); err != nil {
		return nil, err
	}
	words := make([]string, len(parsed.Model.Vocab))
	for w, id := range parsed.Model.Vocab {
		if id < len(words) && strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) < 0 {
			words[id] = w
		}
	}
	known := words[:0]
	for _, w := range words {
		if w != "" {
			known = append(known, w)
		}
	}
	if len(known) == 0 {
		return nil, errors.New("the tokenizer knows no words")
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	texts := make([]string, n)
	for i := range texts {
		var s []string
		for range 16 + rng.IntN(9) {
			w := known[rng.IntN(len(known))]
			if rng.IntN(5) == 0 {
				w += []string{"ing", "ed", "er", "s"}[rng.IntN(4)]
			}
			s = append(s, w)
		}
		texts[i] = strings.Join(s, " ")
	}
	return texts, nil
}
