package sts

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crscore/sts/internal/onnxtest"

	"google.golang.org/protobuf/encoding/protowire"
)

// smallModel makes a directory with a small transformer in a folder whose name
// is not easy.
func smallModel(t testing.TB, change func(*onnxtest.Transformer)) string {
	t.Helper()
	m := onnxtest.Small()
	if change != nil {
		change(&m)
	}
	dir := filepath.Join(t.TempDir(), "Modell für ü # 100%")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func external(m *onnxtest.Transformer) { m.External = true }

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rename(t testing.TB, dir, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
}

// pipe puts a pipe that nobody writes to in the place of a file.
func pipe(t testing.TB, dir, name string) {
	t.Helper()
	rename(t, dir, name, "x")
	if err := exec.Command("mkfifo", filepath.Join(dir, name)).Run(); err != nil {
		t.Skip(err)
	}
}

// edit changes the bytes of a file; what is replaced keeps its length.
func edit(t testing.TB, dir, name string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, name, string(change(data)))
}

func replace(t testing.TB, dir, name, old, new string) {
	t.Helper()
	edit(t, dir, name, func(b []byte) []byte {
		if !bytes.Contains(b, []byte(old)) {
			t.Fatalf("%s has no %q", name, old)
		}
		return bytes.ReplaceAll(b, []byte(old), []byte(new))
	})
}

// locations renames the external data in an ONNX file by its bytes: a length of
// the string, then the string.
func locations(t testing.TB, dir, to string) {
	t.Helper()
	edit(t, dir, "model.onnx", func(b []byte) []byte { return renameLocations(t, b, to) })
}

// renameLocations rebuilds the message, because lengths change with names.
func renameLocations(t testing.TB, b []byte, to string) []byte {
	t.Helper()
	rewrite := func(b []byte, field protowire.Number, f func([]byte) []byte) []byte {
		var out []byte
		for len(b) > 0 {
			num, kind, n := protowire.ConsumeTag(b)
			size := protowire.ConsumeFieldValue(num, kind, b[n:])
			if n < 0 || size < 0 {
				t.Fatal("not a message")
			}
			if num == field && kind == protowire.BytesType {
				value, _ := protowire.ConsumeBytes(b[n:])
				out = protowire.AppendBytes(append(out, b[:n]...), f(value))
			} else {
				out = append(out, b[:n+size]...)
			}
			b = b[n+size:]
		}
		return out
	}
	return rewrite(b, 7, func(graph []byte) []byte { // graph
		return rewrite(graph, 5, func(tensor []byte) []byte { // initializer
			return rewrite(tensor, 13, func(pair []byte) []byte { // external_data
				if !bytes.Contains(pair, []byte("location")) {
					return pair
				}
				return rewrite(pair, 2, func([]byte) []byte { return []byte(to) })
			})
		})
	})
}

func TestBadModelDirectories(t *testing.T) {
	serial(t)
	modules := `[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},
{"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"}]`
	tests := []struct {
		name   string
		model  func(*onnxtest.Transformer)
		change func(t *testing.T, dir string)
		opts   EncoderOptions
		want   string
	}{
		{"several models", nil, func(t *testing.T, dir string) {
			rename(t, dir, "model.onnx", "onnx/model_quantized.onnx")
			write(t, dir, "onnx/model_fp16.onnx", "")
		}, EncoderOptions{}, "the directory has several ONNX models and none is the default; choose one of onnx/model_fp16.onnx, onnx/model_quantized.onnx"},
		{"no model", nil, func(t *testing.T, dir string) { rename(t, dir, "model.onnx", "model.bin") }, EncoderOptions{}, "the directory has no ONNX model (model.onnx or onnx/model.onnx)"},
		{"no such file", nil, nil, EncoderOptions{File: "other.onnx"}, "other.onnx: no such file"},
		{"file outside", nil, nil, EncoderOptions{File: "../x/model.onnx"}, `model file "../x/model.onnx" is not in the directory`},
		{"absolute file", nil, nil, EncoderOptions{File: "/etc/passwd"}, `model file "/etc/passwd" is not in the directory`},
		{"link out", nil, func(t *testing.T, dir string) {
			rename(t, dir, "model.onnx", "../elsewhere.onnx")
			if err := os.Symlink("../elsewhere.onnx", filepath.Join(dir, "model.onnx")); err != nil {
				t.Fatal(err)
			}
		}, EncoderOptions{}, "path escapes from parent"},
		{"model is a folder", nil, func(t *testing.T, dir string) {
			rename(t, dir, "model.onnx", "x.onnx")
			write(t, dir, "model.onnx/x", "")
		}, EncoderOptions{File: "model.onnx"}, "loading model.onnx: it is not a file"},
		{"no ONNX", nil, func(t *testing.T, dir string) {
			write(t, dir, "model.onnx", "version https://git-lfs.github.com/spec/v1\n")
		}, EncoderOptions{}, "loading model.onnx: not an ONNX model"},
		{"empty ONNX", nil, func(t *testing.T, dir string) { write(t, dir, "model.onnx", "") }, EncoderOptions{}, "the file has no graph"},
		{"half an ONNX", nil, func(t *testing.T, dir string) {
			edit(t, dir, "model.onnx", func(b []byte) []byte { return b[:len(b)/2] })
		}, EncoderOptions{}, "loading model.onnx: not an ONNX model: "},
		{"unsupported operator", nil, func(t *testing.T, dir string) { replace(t, dir, "model.onnx", "Softmax", "Dropout") }, EncoderOptions{}, "running the model: hugot's GO backend has no operator Dropout"},
		{"unknown input", nil, func(t *testing.T, dir string) { replace(t, dir, "model.onnx", "token_type_ids", "token_kind_ids") }, EncoderOptions{}, `input "token_kind_ids" is not supported (input_ids, attention_mask, token_type_ids, position_ids are)`},
		{"positions of RoBERTa", func(m *onnxtest.Transformer) { m.PositionInput = true }, func(t *testing.T, dir string) {
			write(t, dir, "config.json", `{"model_type":"roberta","max_position_embeddings":130}`)
		}, EncoderOptions{}, `input "position_ids" is not supported for this kind of model`},
		{"16-bit output", func(m *onnxtest.Transformer) { m.Half = true }, nil, EncoderOptions{}, `output "last_hidden_state" has elements of type 10, want 32-bit floats`},
		{"no input_ids", nil, func(t *testing.T, dir string) { replace(t, dir, "model.onnx", "input_ids", "pixel_ids") }, EncoderOptions{}, `input "pixel_ids" is not supported`},
		{"external data missing", external, func(t *testing.T, dir string) { rename(t, dir, "model.onnx_data", "gone") }, EncoderOptions{}, `external data "model.onnx_data": `},
		{"external data cut", external, func(t *testing.T, dir string) {
			edit(t, dir, "model.onnx_data", func(b []byte) []byte { return b[:len(b)-1] })
		}, EncoderOptions{}, `external data "model.onnx_data" is cut short`},
		{"external data above", external, func(t *testing.T, dir string) { locations(t, dir, "../model.onnx_data") }, EncoderOptions{}, `external data "../model.onnx_data" is not in the model directory`},
		{"external data absolute", external, func(t *testing.T, dir string) { locations(t, dir, "/etc/passwd") }, EncoderOptions{}, `external data "/etc/passwd" is not in the model directory`},
		{"external data is the folder", external, func(t *testing.T, dir string) { locations(t, dir, ".") }, EncoderOptions{}, `external data "." is not in the model directory`},
		{"external data links out", external, func(t *testing.T, dir string) {
			rename(t, dir, "model.onnx_data", "../data")
			if err := os.Symlink("../data", filepath.Join(dir, "model.onnx_data")); err != nil {
				t.Fatal(err)
			}
		}, EncoderOptions{}, "path escapes from parent"},
		{"tokenizer too large", nil, func(t *testing.T, dir string) { write(t, dir, "config.json", `{"vocab_size":1999}`) }, EncoderOptions{}, "tokenizer.json has the token id 1999, config.json a vocabulary of 1999"},
		{"tokenizer larger than the table", func(m *onnxtest.Transformer) { m.Vocab = 1000 }, func(t *testing.T, dir string) {
			write(t, dir, "config.json", "{}")
			replace(t, dir, "tokenizer.json", `:999`, `:1000`)
		}, EncoderOptions{}, "tokenizer.json has the token id 1000, model.onnx a vocabulary of 1000"},
		{"NaN weights", external, func(t *testing.T, dir string) {
			edit(t, dir, "model.onnx_data", func(b []byte) []byte { return bytes.Repeat([]byte{0xFF}, len(b)) })
		}, EncoderOptions{}, "the model's output is not finite (NaN or infinite)"},
		{"no configuration", nil, func(t *testing.T, dir string) { rename(t, dir, "config.json", "x") }, EncoderOptions{}, "there is no config.json"},
		{"broken configuration", nil, func(t *testing.T, dir string) { write(t, dir, "config.json", "{\n  \"vocab_size\": 5,,\n}") }, EncoderOptions{}, "config.json: line 2, column 19: invalid character ','"},
		{"wrong type", nil, func(t *testing.T, dir string) { write(t, dir, "config.json", "{\"vocab_size\": \"many\"}") }, EncoderOptions{}, "config.json: line 1, column 21: json: cannot unmarshal string"},
		{"negative positions", nil, func(t *testing.T, dir string) { write(t, dir, "config.json", `{"max_position_embeddings": -5}`) }, EncoderOptions{}, "config.json: max_position_embeddings is -5"},
		{"no room after the padding", nil, func(t *testing.T, dir string) {
			write(t, dir, "config.json", `{"model_type":"roberta","max_position_embeddings": 4, "pad_token_id": 1}`)
		}, EncoderOptions{}, "max_position_embeddings 4 leaves no room for tokens after pad_token_id 1"},
		{"huge configuration", nil, func(t *testing.T, dir string) { write(t, dir, "config.json", "{"+strings.Repeat(" ", 1<<20)+"}") }, EncoderOptions{}, "config.json has 1048578 bytes, more than the limit of 1 MiB"},
		{"configuration is a folder", nil, func(t *testing.T, dir string) {
			rename(t, dir, "config.json", "x")
			write(t, dir, "config.json/x", "")
		}, EncoderOptions{}, "config.json is not a file"},
		{"model is a pipe", nil, func(t *testing.T, dir string) { pipe(t, dir, "model.onnx") }, EncoderOptions{}, "loading model.onnx: it is not a file"},
		{"tokenizer is a pipe", nil, func(t *testing.T, dir string) { pipe(t, dir, "tokenizer.json") }, EncoderOptions{}, "tokenizer.json is not a file"},
		{"no tokenizer", nil, func(t *testing.T, dir string) { rename(t, dir, "tokenizer.json", "x") }, EncoderOptions{}, "tokenizer.json: no such file"},
		{"broken tokenizer", nil, func(t *testing.T, dir string) { write(t, dir, "tokenizer.json", "{") }, EncoderOptions{}, "tokenizer.json: line 1, column 1: unexpected end"},
		{"unknown normalizer", nil, func(t *testing.T, dir string) {
			edit(t, dir, "tokenizer.json", func(b []byte) []byte {
				var v map[string]any
				if err := json.Unmarshal(b, &v); err != nil {
					t.Fatal(err)
				}
				v["normalizer"] = map[string]any{"type": "Klingon"}
				b, _ = json.Marshal(v)
				return b
			})
		}, EncoderOptions{}, `tokenizer.json: normalizer: type "Klingon" is not supported`},
		{"broken modules", nil, func(t *testing.T, dir string) { write(t, dir, "modules.json", "[1]") }, EncoderOptions{}, "modules.json: line 1, column 2: json: cannot unmarshal number"},
		{"module outside", nil, func(t *testing.T, dir string) {
			write(t, dir, "modules.json", strings.Replace(modules, "1_Pooling", "../x", 1))
		}, EncoderOptions{}, `modules.json: path "../x" leads out of the model directory`},
		{"no pooling file", nil, func(t *testing.T, dir string) { write(t, dir, "modules.json", modules) }, EncoderOptions{}, "modules.json names a pooling, but there is no 1_Pooling/config.json"},
		{"no pooling mode", nil, func(t *testing.T, dir string) {
			write(t, dir, "modules.json", modules)
			write(t, dir, "1_Pooling/config.json", `{"pooling_mode_mean_tokens": false}`)
		}, EncoderOptions{}, "1_Pooling/config.json turns on no pooling mode"},
		{"unknown pooling mode", nil, func(t *testing.T, dir string) {
			write(t, dir, "modules.json", modules)
			write(t, dir, "1_Pooling/config.json", `{"pooling_mode_median_tokens": true}`)
		}, EncoderOptions{}, "1_Pooling/config.json: pooling_mode_median_tokens is not supported"},
		{"dense", nil, func(t *testing.T, dir string) {
			write(t, dir, "modules.json", strings.Replace(modules, "]", `,{"path":"2_Dense","type":"sentence_transformers.models.Dense"}]`, 1))
			write(t, dir, "1_Pooling/config.json", `{"pooling_mode_mean_tokens": true}`)
		}, EncoderOptions{Pooling: PoolingModel}, "modules.json: what comes after the pooling is not supported: Dense 2_Dense"},
		{"broken prompts", nil, func(t *testing.T, dir string) { write(t, dir, "config_sentence_transformers.json", `{"prompts": []}`) }, EncoderOptions{}, "config_sentence_transformers.json: line 1, column 13: json"},
		{"missing prompt", nil, func(t *testing.T, dir string) {
			write(t, dir, "config_sentence_transformers.json", `{"prompts": {}, "default_prompt_name": "query"}`)
		}, EncoderOptions{}, `config_sentence_transformers.json: the default prompt "query" is not among the prompts`},
		{"short texts only", nil, func(t *testing.T, dir string) { write(t, dir, "sentence_bert_config.json", `{"max_seq_length": 1}`) }, EncoderOptions{}, "maximum number of tokens is 1, want at least 3"},
		{"no length", nil, func(t *testing.T, dir string) { write(t, dir, "sentence_bert_config.json", `{"max_seq_length": 0}`) }, EncoderOptions{}, "maximum number of tokens is 0, want at least 3"},
		{"unknown pooling", nil, nil, EncoderOptions{Pooling: "max"}, `unknown pooling "max" (known: paper, model)`},
		{"unknown backend", nil, nil, EncoderOptions{Backend: "tpu"}, `unknown backend "tpu" (known: go, ort)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := smallModel(t, tt.model)
			if tt.change != nil {
				tt.change(t, dir)
			}
			e, err := OpenEncoder(context.Background(), dir, tt.opts)
			if err == nil {
				e.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error is\n\t%v\nwant %q and the directory", err, tt.want)
			}
		})
	}
	for name, dir := range map[string]string{"a file": "encoder.go", "nothing": filepath.Join(t.TempDir(), "x")} {
		if e, err := OpenEncoder(context.Background(), dir, EncoderOptions{}); err == nil {
			e.Close()
			t.Errorf("%s can be opened", name)
		}
	}
}

// Some exports have other numbers for inputs, which makes no difference.
func TestInputsOf32Bits(t *testing.T) {
	var vectors [2][][]float32
	for i := range vectors {
		e, err := OpenEncoder(context.Background(), smallModel(t, func(m *onnxtest.Transformer) { m.Int32 = i == 1 }), EncoderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		vectors[i] = encode(t, e, "alpha beta", "", "gamma")
	}
	for i, want := range vectors[0] {
		if d := difference(vectors[1][i], want); d > 1e-6 {
			t.Errorf("vector %d differs by %g", i, d)
		}
	}
}

func TestModelWithoutTokenOutput(t *testing.T) {
	dir := smallModel(t, func(m *onnxtest.Transformer) { m.Pooled = true })
	e, err := OpenEncoder(context.Background(), dir, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if notes := strings.Join(e.Notes(), "\n"); !strings.Contains(notes, "the model gives no vectors of tokens: its pooled output sentence_embedding is used") {
		t.Errorf("notes are %q", notes)
	}
	if !strings.Contains(e.Signature().String(), "pooling=output:sentence_embedding") {
		t.Errorf("signature is %s", e.Signature().String())
	}
	v := encode(t, e, "alpha beta", "", "gamma")
	if math.Abs(cosine32(v[0], v[0])-1) > 1e-5 || cosine32(v[1], v[1]) != 0 {
		t.Errorf("lengths are %v, %v", cosine32(v[0], v[0]), cosine32(v[1], v[1]))
	}
}

// A directory of Hugging Face's cache has links to the blobs beside it.
func TestHuggingFaceCache(t *testing.T) {
	model := smallModel(t, external)
	repo := filepath.Join(t.TempDir(), "models--some-org--some-model")
	snapshot := filepath.Join(repo, "snapshots", "0123abc")
	for _, dir := range []string{filepath.Join(snapshot, "onnx"), filepath.Join(repo, "blobs")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, link := range map[string]string{
		"config.json": "../../blobs/a", "tokenizer.json": "../../blobs/b", "onnx/model.onnx": "../../../blobs/c", "onnx/model.onnx_data": "../../../blobs/d",
	} {
		data, err := os.ReadFile(filepath.Join(model, filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		write(t, repo, "blobs/"+filepath.Base(link), string(data))
		if err := os.Symlink(link, filepath.Join(snapshot, name)); err != nil {
			t.Fatal(err)
		}
	}
	e, err := OpenEncoder(context.Background(), snapshot, EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if !strings.Contains(e.Signature().String(), "encoder=some-org/some-model@sha256:") {
		t.Errorf("signature is %s", e.Signature().String())
	}
}

// Every file that shapes a vector is in the checksum.
func TestChecksumCoversSettings(t *testing.T) {
	dir := smallModel(t, external)
	open := func() string {
		t.Helper()
		e, err := OpenEncoder(context.Background(), dir, EncoderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		return e.Signature().String()
	}
	last := open()
	if again := open(); again != last {
		t.Errorf("signatures differ: %s and %s", last, again)
	}
	changes := map[string]func(){
		"sentence_bert_config.json":         func() { write(t, dir, "sentence_bert_config.json", `{"max_seq_length": 100}`) },
		"config_sentence_transformers.json": func() { write(t, dir, "config_sentence_transformers.json", `{}`) },
		"model.onnx_data": func() {
			edit(t, dir, "model.onnx_data", func(b []byte) []byte { b[len(b)-1] ^= 1; return b })
		},
		"config.json": func() { edit(t, dir, "config.json", func(b []byte) []byte { return append(b, '\n') }) },
	}
	for name, change := range changes {
		change()
		now := open()
		if now == last {
			t.Errorf("a change of %s does not show in %s", name, now)
		}
		last = now
	}
}
