package sts

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"crscore/sts/internal/limits"
	"crscore/sts/internal/onnxtest"
)

// FuzzModelSettings reads a directory in which one file may hold anything.
func FuzzModelSettings(f *testing.F) {
	files := map[string]string{
		"config.json":                       `{"model_type":"roberta","max_position_embeddings":514,"pad_token_id":1,"vocab_size":9}`,
		"modules.json":                      `[{"path":"","type":"a.Transformer"},{"path":"1_Pooling","type":"a.Pooling"},{"path":"2_Dense","type":"a.Dense"}]`,
		"1_Pooling/config.json":             `{"pooling_mode_cls_token":true,"pooling_mode_max_tokens":true,"include_prompt":false}`,
		"sentence_bert_config.json":         `{"max_seq_length":128,"do_lower_case":true}`,
		"config_sentence_transformers.json": `{"prompts":{"query":"q: "},"default_prompt_name":"query"}`,
		"tokenizer_config.json":             `{"model_max_length":1000000000000000019884624838656}`,
	}
	for name, text := range files {
		f.Add(name, text)
	}
	f.Add("modules.json", `[{"path":"../..","type":"Pooling"}]`)
	f.Fuzz(func(t *testing.T, name, text string) {
		dir := fstest.MapFS{"model.onnx": {}}
		for n, text := range files {
			dir[n] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, ok := dir[name]; !ok {
			return
		}
		dir[name] = &fstest.MapFile{Data: []byte(text)}
		s, err := readSettings(dir, "")
		if err != nil {
			if !strings.Contains(err.Error(), ".json") {
				t.Errorf("error %q does not name a file", err)
			}
			return
		}
		if len(s.pooling.modes) == 0 {
			t.Error("no pooling")
		}
		if n, err := longest(0, s.maxTokens); err == nil && (n < minTokens || n > limits.Tokens) {
			t.Errorf("texts of %d tokens", n)
		}
	})
}

// TestMutatedModels loads models with bytes changed where the graph is: every one
// is an error or an encoder, and none takes the process down.
func TestMutatedModels(t *testing.T) {
	serial(t)
	dir := t.TempDir()
	m := onnxtest.Small()
	m.Layers, m.External = 1, true // The weights are elsewhere: what is left is graph.
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	source := fstest.MapFS{}
	for _, name := range []string{"model.onnx", "model.onnx_data", "config.json", "tokenizer.json"} {
		data, err := fs.ReadFile(os.DirFS(dir), name)
		if err != nil {
			t.Fatal(err)
		}
		source[name] = &fstest.MapFile{Data: data}
	}
	original := source["model.onnx"].Data
	rng := rand.New(rand.NewPCG(4, 4))
	loaded := 0
	for range 150 {
		data := append([]byte(nil), original...)
		for range 1 + rng.IntN(3) {
			switch at := rng.IntN(len(data)); rng.IntN(3) {
			case 0:
				data[at] = byte(rng.IntN(256))
			case 1:
				data[at] ^= 1 << rng.IntN(8)
			case 2:
				data = append(data[:at], data[at+1:]...)
			}
		}
		source["model.onnx"].Data = data
		e, err := NewEncoder(context.Background(), source, EncoderOptions{})
		if err != nil {
			continue
		}
		loaded++
		_, _ = e.Encode(context.Background(), []string{"bibi bobo", "the"})
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if loaded == 0 || loaded == 150 {
		t.Errorf("%d of 150 models could be loaded", loaded)
	}
}
