package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"crscore/sts/builtin"

	"google.golang.org/protobuf/encoding/protowire"
)

// export writes the model as a Hugging Face directory. Packed are the rows that
// pack returns, a row a token.
func export(dir, textRules string, vocab []string, packed []int32) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tokenizer, err := tokenizerJSON(vocab)
	if err != nil {
		return err
	}
	width := len(packed) / len(vocab)
	config, err := json.MarshalIndent(map[string]any{
		"architectures": []string{"StaticEmbedding"},
		"crscore_text":  textRules,
		"hidden_size":   lanes * width,
		"model_type":    "static",
		"vocab_size":    len(vocab),
	}, "", "  ")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"model.onnx", onnxModel(packed, width)},
		{"tokenizer.json", tokenizer},
		{"config.json", append(config, '\n')},
	} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	sums, err := builtin.Sums(os.DirFS(dir))
	if err != nil {
		return fmt.Errorf("checksums: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, builtin.SumsFile), []byte(sums), 0o644)
}

// The first tokens of every vocabulary.
const (
	padToken, padID = "[PAD]", 0
	unkToken, unkID = "[UNK]", 1
)

// tokenizerJSON is a WordPiece tokenizer over text that CodeWords has prepared,
// so there is nothing to normalise and only spaces to split at.
func tokenizerJSON(vocab []string) ([]byte, error) {
	type addedToken struct {
		ID         int    `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		LStrip     bool   `json:"lstrip"`
		RStrip     bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
		Special    bool   `json:"special"`
	}
	ids := make(map[string]int, len(vocab))
	for id, word := range vocab {
		ids[word] = id
	}
	if len(ids) != len(vocab) {
		return nil, fmt.Errorf("vocabulary has %d entries, %d of them different", len(vocab), len(ids))
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(map[string]any{
		"version":        "1.0",
		"truncation":     nil,
		"padding":        nil,
		"added_tokens":   []addedToken{{ID: padID, Content: padToken, Special: true}, {ID: unkID, Content: unkToken, Special: true}},
		"normalizer":     nil,
		"pre_tokenizer":  map[string]any{"type": "WhitespaceSplit"},
		"post_processor": nil,
		"decoder":        map[string]any{"type": "WordPiece", "prefix": "##", "cleanup": false},
		"model": map[string]any{
			"type":                      "WordPiece",
			"unk_token":                 unkToken,
			"continuing_subword_prefix": "##",
			"max_input_chars_per_word":  100,
			"vocab":                     ids,
		},
	})
	return out.Bytes(), err
}

// ONNX element types (onnx.proto, TensorProto.DataType).
const (
	onnxFloat = 1
	onnxInt32 = 6
	onnxInt64 = 7
)

// onnxModel is the graph
//
//	P = Gather(E, input_ids * attention_mask)
//	last_hidden_state = Cast(Concat(P, P * 2^8, P * 2^16, P * 2^24))
//	sentence_embedding = ReduceSum(last_hidden_state) over the tokens
//
// as an ONNX file, written field by field after onnx.proto. E is packed, see
// pack: a backend that copies rows value by value has a quarter to copy, and only
// the rows in use are unpacked, by multiplications that overflow on purpose. The
// values are large, which does not matter: texts are scaled to length 1.
//
// The mask must be an input, because hugot shapes its output by it; it turns
// masked tokens into padding, whose row is zero, which is much cheaper than
// multiplying rows by it.
func onnxModel(packed []int32, width int) []byte {
	raw := make([]byte, 0, 4*len(packed))
	for _, p := range packed {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(p))
	}
	nodes := []byte{}
	inputs := [][]byte{sub(5, tensor("E", onnxInt32, []int{len(packed) / width, width}, raw))}
	add := func(op, name string, in []string, out string, attrs ...[]byte) {
		nodes = append(nodes, sub(1, node(op, name, in, out, attrs...))...)
	}
	add("Mul", "mask", []string{"input_ids", "attention_mask"}, "masked_ids")
	add("Gather", "look_up", []string{"E", "masked_ids"}, "lane0", intAttr("axis", 0))
	parts := []string{"lane0"}
	for lane := 1; lane < lanes; lane++ {
		factor, part := fmt.Sprintf("factor%d", lane), fmt.Sprintf("lane%d", lane)
		inputs = append(inputs, sub(5, tensor(factor, onnxInt32, nil, binary.LittleEndian.AppendUint32(nil, 1<<(8*lane)))))
		add("Mul", "unpack"+part, []string{"lane0", factor}, part)
		parts = append(parts, part)
	}
	add("Concat", "join", parts, "row", intAttr("axis", 2))
	add("Cast", "widen", []string{"row"}, "last_hidden_state", intAttr("to", onnxFloat))
	inputs = append(inputs, sub(5, tensor("tokens", onnxInt64, []int{1}, binary.LittleEndian.AppendUint64(nil, 1))))
	add("ReduceSum", "pool", []string{"last_hidden_state", "tokens"}, "sentence_embedding", intAttr("keepdims", 0))
	graph := msg(
		nodes,
		text(2, "static"),
		bytes.Join(inputs, nil),
		sub(11, value("input_ids", onnxInt64, symbol("batch"), symbol("sequence"))),
		sub(11, value("attention_mask", onnxInt64, symbol("batch"), symbol("sequence"))),
		sub(12, value("last_hidden_state", onnxFloat, symbol("batch"), symbol("sequence"), size(lanes*width))),
		sub(12, value("sentence_embedding", onnxFloat, symbol("batch"), size(lanes*width))),
	)
	return msg(
		number(1, 8), // ir_version
		text(2, "crscore"),
		sub(7, graph),
		sub(8, msg(text(1, ""), number(2, 14))), // opset_import
	)
}

func node(op, name string, inputs []string, output string, attrs ...[]byte) []byte {
	var b []byte
	for _, in := range inputs {
		b = append(b, text(1, in)...)
	}
	b = append(b, msg(text(2, output), text(3, name), text(4, op))...)
	for _, a := range attrs {
		b = append(b, sub(5, a)...)
	}
	return b
}

func intAttr(name string, v int) []byte {
	const typeInt = 2
	return msg(text(1, name), number(3, v), number(20, typeInt))
}

func tensor(name string, elem int, dims []int, raw []byte) []byte {
	var b []byte
	for _, d := range dims {
		b = append(b, number(1, d)...)
	}
	return append(b, msg(number(2, elem), text(8, name), sub(9, raw))...)
}

func value(name string, elem int, dims ...[]byte) []byte {
	var shape []byte
	for _, d := range dims {
		shape = append(shape, sub(1, d)...)
	}
	return msg(text(1, name), sub(2, sub(1, msg(number(1, elem), sub(2, shape)))))
}

func symbol(name string) []byte { return text(2, name) }
func size(n int) []byte         { return number(1, n) }

// The protobuf wire format: a message is its fields, one after the other.
func msg(fields ...[]byte) []byte { return bytes.Join(fields, nil) }

func sub(field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), m)
}

func text(field protowire.Number, s string) []byte { return sub(field, []byte(s)) }

func number(field protowire.Number, v int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), uint64(v))
}
