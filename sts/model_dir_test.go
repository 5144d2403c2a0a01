package sts

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestSettings reads settings as real models have them.
func TestSettings(t *testing.T) {
	tests := []struct {
		name    string
		files   map[string]string
		want    int // the longest text
		pooling string
	}{
		{"BERT", map[string]string{"config.json": `{"model_type":"bert","max_position_embeddings":512}`}, 512, "mean"},
		{"its own limit", map[string]string{
			"config.json":               `{"model_type":"bert","max_position_embeddings":512}`,
			"sentence_bert_config.json": `{"max_seq_length":256}`, "tokenizer_config.json": `{"model_max_length":128}`,
		}, 256, "mean"},
		{"the tokenizer's limit", map[string]string{
			"config.json":               `{"model_type":"bert","max_position_embeddings":512}`,
			"sentence_bert_config.json": `{"max_seq_length":null}`, "tokenizer_config.json": `{"model_max_length":128}`,
		}, 128, "mean"},
		{"RoBERTa", map[string]string{
			"config.json": `{"model_type":"roberta","max_position_embeddings":514,"pad_token_id":1}`, "tokenizer_config.json": `{"model_max_length":1000000000000000019884624838656}`,
		}, 512, "mean"},
		{"XLM-R's limit beyond its positions", map[string]string{
			"config.json": `{"model_type":"xlm-roberta","max_position_embeddings":514}`, "sentence_xlm-roberta_config.json": `{"max_seq_length":514}`,
		}, 512, "mean"},
		{"no positions", map[string]string{"config.json": `{"model_type":"static"}`}, 0, "mean"},
		{"old layout", map[string]string{
			"modules.json":                              `[{"path":"0_Transformer","type":"sentence_transformers.models.Transformer"},{"path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`,
			"0_Transformer/config.json":                 `{"model_type":"mpnet","max_position_embeddings":514,"pad_token_id":1}`,
			"0_Transformer/sentence_bert_config.json":   `{"max_seq_length":128}`,
			"1_Pooling/config.json":                     `{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}`,
			"sentence_bert_config.json":                 `{"max_seq_length":7}`,
			"config.json":                               `{"__version__":"old"}`,
			"config_sentence_transformers.json":         `{"prompts":{}}`,
			"0_Transformer/special_tokens_map.json":     `not read`,
			"0_Transformer/sentencepiece.bpe.model.txt": `not read`,
		}, 128, "cls"},
		{"new pooling", map[string]string{
			"config.json":           `{"model_type":"bert"}`,
			"modules.json":          `[{"path":"","type":"sentence_transformers.models.Transformer"},{"path":"1_Pooling","type":"sentence_transformers.models.Pooling"},{"path":"2_Normalize","type":"sentence_transformers.models.Normalize"}]`,
			"1_Pooling/config.json": `{"word_embedding_dimension":384,"pooling_mode":"lasttoken"}`,
		}, 0, "lasttoken"},
		{"several poolings", map[string]string{
			"config.json":           `{"model_type":"bert"}`,
			"modules.json":          `[{"path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`,
			"1_Pooling/config.json": `{"pooling_mode_mean_tokens":true,"pooling_mode_cls_token":true,"pooling_mode_max_tokens":true}`,
		}, 0, "cls+max+mean"},
	}
	for _, tt := range tests {
		dir := fstest.MapFS{"onnx/model.onnx": {}}
		for name, text := range tt.files {
			dir[name] = &fstest.MapFile{Data: []byte(text)}
		}
		s, err := readSettings(dir, "")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if s.maxTokens != tt.want || s.pooling.String() != tt.pooling || s.file != "onnx/model.onnx" {
			t.Errorf("%s: %d tokens, pooling %s, want %d and %s", tt.name, s.maxTokens, s.pooling, tt.want, tt.pooling)
		}
	}
}

// A model's prompt stands before every text when the model pools, and never in
// the paper's pooling.
func TestPrompt(t *testing.T) {
	dir := smallModel(t, nil)
	open := func(pooling string) *ModelEncoder {
		t.Helper()
		e, err := OpenEncoder(context.Background(), dir, EncoderOptions{Pooling: pooling})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	plain := encode(t, open(PoolingModel), "bobo", "bibi: bobo", "")
	write(t, dir, "config_sentence_transformers.json", `{"prompts":{"query":"bibi: "},"default_prompt_name":"query"}`)
	prompted := open(PoolingModel)
	got := encode(t, prompted, "bobo", "")
	if !slices.Equal(got[0], plain[1]) || !slices.Equal(got[1], plain[2]) || cosine32(got[1], got[1]) != 0 {
		t.Error("the prompt does not stand before the text, or makes a text of none")
	}
	if !strings.Contains(prompted.Signature().String(), "pooling=model:mean prompt=query") {
		t.Errorf("signature is %s", prompted.Signature().String())
	}
	if v := encode(t, open(PoolingPaper), "bibi: bobo")[0]; slices.Equal(v, plain[1]) {
		t.Error("the paper's pooling is the model's")
	}

	write(t, dir, "modules.json", `[{"path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`)
	write(t, dir, "1_Pooling/config.json", `{"pooling_mode_mean_tokens":true,"include_prompt":false}`)
	without := open(PoolingModel)
	tok := without.read("bobo", nil)
	// [CLS] bibi : bobo [SEP], of which the prompt and what stands before it are
	// left out.
	if want := []bool{false, false, false, true, true}; !slices.Equal(tok.pooled, want) && !slices.Equal(tok.pooled, []bool{false, false, false, false, true, true}) {
		t.Errorf("pooled tokens are %v", tok.pooled)
	}
	if !strings.Contains(without.Signature().String(), "prompt=query:not-pooled") {
		t.Errorf("signature is %s", without.Signature().String())
	}
}
