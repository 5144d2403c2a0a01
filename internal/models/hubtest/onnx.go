package hubtest

import (
	"fmt"
	"math/rand/v2"

	"google.golang.org/protobuf/encoding/protowire"
)

// ONNX returns a file with the structure of an ONNX model and one tensor of so
// many bytes, and further tensors that are kept in external files. It cannot be
// run.
func ONNX(bytes int, external ...string) []byte {
	random := rand.NewChaCha8([32]byte{byte(bytes), byte(bytes >> 8)})
	data := make([]byte, bytes)
	_, _ = random.Read(data) // it never fails
	graph := field(nil, 2, []byte("test"))
	graph = field(graph, 5, field(field(nil, 9, data), 8, []byte("here")))
	for i, file := range external {
		tensor := field(nil, 8, fmt.Append(nil, i))
		for _, kv := range [][2]string{{"offset", "0"}, {"location", file}} {
			tensor = field(tensor, 13, field(field(nil, 1, []byte(kv[0])), 2, []byte(kv[1])))
		}
		graph = field(graph, 5, tensor)
	}
	model := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 8)
	return field(model, 7, graph)
}

func field(to []byte, n protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, n, protowire.BytesType), b)
}

// Files returns the files of a sentence transformer as exports have them, with an
// ONNX file of so many bytes.
func Files(bytes int) map[string][]byte {
	files := map[string][]byte{"onnx/model.onnx": ONNX(bytes), "model.safetensors": []byte("not for us"), "onnx/model_quantized.onnx": ONNX(bytes / 4)}
	for name, text := range map[string]string{
		"config.json":                       `{"architectures":["BertModel"],"model_type":"bert","hidden_size":384,"num_hidden_layers":6,"max_position_embeddings":512,"vocab_size":30522}`,
		"tokenizer.json":                    `{"model":{"type":"WordPiece","vocab":{}}}`,
		"tokenizer_config.json":             `{"model_max_length":256}`,
		"special_tokens_map.json":           `{"sep_token":"[SEP]"}`,
		"sentence_bert_config.json":         `{"max_seq_length":256,"do_lower_case":false}`,
		"config_sentence_transformers.json": `{"prompts":{"query":"Represent this: "}}`,
		"modules.json":                      `[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},{"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"},{"idx":2,"name":"2","path":"2_Normalize","type":"sentence_transformers.models.Normalize"}]`,
		"1_Pooling/config.json":             `{"word_embedding_dimension":384,"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true}`,
		"README.md":                         "---\nlicense: apache-2.0\nlanguage: en\n---\n# A model\n",
		".gitattributes":                    "*.onnx filter=lfs\n",
		"train_script.py":                   fmt.Sprintln("print('not for us')"),
	} {
		files[name] = []byte(text)
	}
	return files
}
