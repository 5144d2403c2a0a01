package ollamatest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Answer is an answer of a scripted model.
type Answer struct {
	// Key is the character in a prompt that selects this answer. 0 is for prompts without
	// any key. If a prompt has several keys, the most frequent key selects the answer.
	Key rune
	// Text is the answer, at least four bytes long.
	Text string
	// Endless repeats the text until the model is told to stop.
	Endless bool
}

// The model is a llama with hand-made weights. An embedding has a coordinate for each key,
// a coordinate for all other text, and a coordinate for each piece of an answer. The only
// layer has uniform attention to the coordinates of keys, so it adds the share of each key
// so far to every token. The output is a table: the next piece after a piece; after text,
// the first piece of the answer that the keys select.
const (
	maxKeys        = 16
	textCoordinate = maxKeys
	feedForward    = 32
	contextLength  = 1 << 17
)

// Weights of the table. A single key in a full context must outweigh the answer without a
// key, and all keys together must not outweigh the next piece.
const (
	weightText  = 1
	weightPlain = 1.001 // of the answer without a key, which is the one for prompts without any
	weightKey   = 1 << 10
	weightPiece = 1 << 24
)

// Kinds of tokens and types of values, as GGUF numbers them.
const (
	tokenNormal, tokenUnknown, tokenControl, tokenByte = 1, 2, 3, 6

	typeUint32, typeInt32, typeFloat32, typeBool, typeString, typeArray = 4, 5, 6, 7, 8, 9
)

// model has the tokens, the coordinates of their embeddings, and the table.
type model struct {
	tokens []string
	kinds  []int32
	embed  [][]int // coordinates that are 1
	ids    map[string]int
	table  []cell
	keys   int
	width  int // coordinates in use, the keys' included
}

// cell is the weight of a coordinate for a token.
type cell struct {
	token, coordinate int
	weight            float32
}

func (m *model) token(text string, kind int32, coordinates ...int) int {
	if id, ok := m.ids[text]; ok {
		return id
	}
	id := len(m.tokens)
	m.ids[text] = id
	m.tokens, m.kinds, m.embed = append(m.tokens, text), append(m.kinds, kind), append(m.embed, coordinates)
	return id
}

// GGUF returns a language model that gives the answers to every prompt, and with a JSON
// schema if the answer fits it.
func GGUF(answers ...Answer) ([]byte, error) {
	m := &model{ids: make(map[string]int), width: textCoordinate + 1}
	m.token("<unk>", tokenUnknown, textCoordinate)
	m.token("<s>", tokenControl, textCoordinate)
	end := m.token("</s>", tokenControl, textCoordinate)
	for i := range 256 {
		m.token(fmt.Sprintf("<0x%02X>", i), tokenByte, textCoordinate)
	}
	for _, a := range answers {
		if err := m.answer(a, end); err != nil {
			return nil, err
		}
	}
	m.words()
	return m.encode(), nil
}

func (m *model) answer(a Answer, end int) error {
	asks := cell{coordinate: textCoordinate, weight: weightPlain}
	if a.Key != 0 {
		if m.ids[string(a.Key)] != 0 {
			return fmt.Errorf("two answers have the key %q", a.Key)
		}
		if m.keys == maxKeys {
			return fmt.Errorf("more than %d keys", maxKeys)
		}
		asks = cell{coordinate: m.keys, weight: weightKey}
		m.token(string(a.Key), tokenNormal, m.keys, textCoordinate)
		m.keys++
	}
	pieces := m.cut(strings.ReplaceAll(a.Text, " ", "▁"))
	if pieces == nil {
		return fmt.Errorf("the answer %q cannot be cut into pieces that differ from those of the others", a.Text)
	}
	first, last := -1, -1
	for _, piece := range pieces {
		id := m.token(piece, tokenNormal, m.width)
		if first < 0 {
			first = id
		} else {
			m.table = append(m.table, cell{id, m.embed[last][0], weightPiece})
		}
		last = id
		m.width++
	}
	after := end
	if a.Endless {
		after = first
	}
	asks.token = first
	if a.Key != 0 { // as good as the others, and better by its key
		m.table = append(m.table, cell{first, textCoordinate, weightText})
	}
	m.table = append(m.table, cell{after, m.embed[last][0], weightPiece}, asks)
	return nil
}

// cut splits an answer into different tokens of about ten bytes each. It returns nil if that
// is not possible.
func (m *model) cut(text string) []string {
	if _, taken := m.ids[text]; len(text) >= 4 && len(text) < 20 && !taken {
		return []string{text}
	}
	for i := range text {
		piece, rest := text[:i], text[i:]
		if _, taken := m.ids[piece]; i < 10 || len(rest) < 4 || taken {
			continue
		}
		m.ids[piece] = -1 // while the rest is cut
		pieces := m.cut(rest)
		delete(m.ids, piece)
		if pieces != nil {
			return append([]string{piece}, pieces...)
		}
	}
	return nil
}

// words adds tokens for prompts: each pair of printable characters, and each triple of
// lower-case letters. A prompt then has about as many tokens as with other models.
func (m *model) words() {
	var all, small []string
	for c := '!'; c <= '~'; c++ {
		all = append(all, string(c))
	}
	for c := 'a'; c <= 'z'; c++ {
		small = append(small, string(c))
	}
	all, small = append(all, "▁"), append(small, "▁")
	text := func(s string) { m.token(s, tokenNormal, textCoordinate) }
	for _, a := range all {
		text(a)
		for _, b := range all {
			text(a + b)
		}
	}
	for n := 4; n <= 16; n++ { // indentation
		text(strings.Repeat("▁", n))
	}
	for _, a := range small {
		for _, b := range small {
			for _, c := range small {
				text(a + b + c)
			}
		}
	}
}

// encode writes the model as GGUF, version 3.
func (m *model) encode() []byte {
	vocab := len(m.tokens)
	width := (m.width + 31) / 32 * 32
	embed, table := make([]float32, vocab*width), make([]float32, vocab*width)
	for id, coordinates := range m.embed {
		for _, c := range coordinates {
			embed[id*width+c] = 1
		}
	}
	for _, c := range m.table {
		table[c.token*width+c.coordinate] = c.weight
	}
	in, out := make([]float32, maxKeys*width), make([]float32, width*maxKeys)
	for i := range maxKeys {
		in[i*width+i], out[i*maxKeys+i] = 1, 1
	}
	ones, none := make([]float32, width), make([]float32, width*feedForward)
	for i := range ones {
		ones[i] = 1
	}

	var w ggufWriter
	w.str("general.architecture", "llama")
	w.str("general.name", "scripted")
	w.u32("general.file_type", 0)
	w.u32("general.quantization_version", 2)
	w.u32("llama.context_length", contextLength)
	w.u32("llama.embedding_length", uint32(width))
	w.u32("llama.block_count", 1)
	w.u32("llama.feed_forward_length", feedForward)
	w.u32("llama.attention.head_count", 1)
	w.u32("llama.attention.head_count_kv", 1)
	w.u32("llama.attention.key_length", maxKeys)
	w.u32("llama.attention.value_length", maxKeys)
	w.f32("llama.attention.layer_norm_rms_epsilon", 1e-5)
	w.u32("llama.rope.dimension_count", maxKeys)
	w.f32("llama.rope.freq_base", 10000)
	w.u32("llama.vocab_size", uint32(vocab))
	w.str("tokenizer.ggml.model", "llama")
	w.str("tokenizer.ggml.pre", "default")
	w.array("tokenizer.ggml.tokens", typeString, vocab)
	for _, t := range m.tokens {
		w.text(t)
	}
	w.array("tokenizer.ggml.scores", typeFloat32, vocab)
	w.put(make([]float32, vocab))
	w.array("tokenizer.ggml.token_type", typeInt32, vocab)
	w.put(m.kinds)
	w.u32("tokenizer.ggml.bos_token_id", uint32(m.ids["<s>"]))
	w.u32("tokenizer.ggml.eos_token_id", uint32(m.ids["</s>"]))
	w.u32("tokenizer.ggml.unknown_token_id", uint32(m.ids["<unk>"]))
	w.bool("tokenizer.ggml.add_bos_token", true)
	return w.file([]tensor{
		{"token_embd.weight", []int{width, vocab}, embed},
		{"output_norm.weight", []int{width}, ones},
		{"output.weight", []int{width, vocab}, table},
		{"blk.0.attn_norm.weight", []int{width}, ones},
		{"blk.0.attn_q.weight", []int{width, maxKeys}, none[:width*maxKeys]},
		{"blk.0.attn_k.weight", []int{width, maxKeys}, none[:width*maxKeys]},
		{"blk.0.attn_v.weight", []int{width, maxKeys}, in},
		{"blk.0.attn_output.weight", []int{maxKeys, width}, out},
		{"blk.0.ffn_norm.weight", []int{width}, ones},
		{"blk.0.ffn_gate.weight", []int{width, feedForward}, none},
		{"blk.0.ffn_up.weight", []int{width, feedForward}, none},
		{"blk.0.ffn_down.weight", []int{feedForward, width}, none},
	})
}

type tensor struct {
	name string
	dims []int
	data []float32
}

// ggufWriter collects the metadata of a file.
type ggufWriter struct {
	b    bytes.Buffer
	keys uint64
}

func (w *ggufWriter) put(v any) {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err) // for types without a fixed size, of which there are none here
	}
	w.b.Write(b)
}

func (w *ggufWriter) text(s string)          { w.put(uint64(len(s))); w.b.WriteString(s) }
func (w *ggufWriter) key(k string, t uint32) { w.text(k); w.put(t); w.keys++ }
func (w *ggufWriter) str(k, v string)        { w.key(k, typeString); w.text(v) }
func (w *ggufWriter) u32(k string, v uint32) { w.key(k, typeUint32); w.put(v) }
func (w *ggufWriter) f32(k string, v float32) {
	w.key(k, typeFloat32)
	w.put(math.Float32bits(v))
}
func (w *ggufWriter) bool(k string, v bool) { w.key(k, typeBool); w.put(v) }
func (w *ggufWriter) array(k string, t uint32, n int) {
	w.key(k, typeArray)
	w.put(t)
	w.put(uint64(n))
}

// align pads to the next possible start of a tensor.
func (w *ggufWriter) align() {
	for w.b.Len()%32 != 0 {
		w.b.WriteByte(0)
	}
}

// file returns the whole file: the metadata and the tensors.
func (w *ggufWriter) file(tensors []tensor) []byte {
	var f ggufWriter
	f.b.WriteString("GGUF")
	f.put(uint32(3))
	f.put(uint64(len(tensors)))
	f.put(w.keys)
	f.b.Write(w.b.Bytes())
	at := 0
	for _, t := range tensors {
		f.text(t.name)
		f.put(uint32(len(t.dims)))
		for _, d := range t.dims {
			f.put(uint64(d))
		}
		f.put(uint32(0)) // 32-bit floats
		f.put(uint64(at))
		at += (4*len(t.data) + 31) / 32 * 32
	}
	for _, t := range tensors {
		f.align()
		f.put(t.data)
	}
	return f.b.Bytes()
}
