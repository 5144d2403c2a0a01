package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"crscore/internal/limits"
	"crscore/sts"
)

// Known is a model in the documentation.
type Known struct {
	// Name is the name on the hub, org/name. What describes the model in a few words.
	Name string
	What string
	Use  string // flags that go with it, after --encoder NAME
}

// SoftUse are the flags for a model without a measured τ: mode soft needs none.
const SoftUse = "--mode soft"

// Documented are the models in the documentation.
func Documented() []Known {
	return []Known{
		{"mixedbread-ai/mxbai-embed-large-v1", "as in the paper: 335 million parameters, 1024 dimensions", "--mode hard --similarity cosine --tau 0.7314 --splitter paper"},
		{"sentence-transformers/all-MiniLM-L6-v2", "small general model: 6 layers, 384 dimensions; its tau is not known", SoftUse},
	}
}

// Card describes a sentence transformer, from its files. An unknown field is zero.
type Card struct {
	// The fields down to Vocabulary are from config.json: Type is transformers' name of the
	// kind of model, such as "bert"; Layers and Vocabulary are numbers.
	Architecture string   `json:"architecture,omitempty"` // class name in transformers
	Type         string   `json:"model_type,omitempty"`
	Dim          int      `json:"dim,omitempty"` // of a token's vector
	Layers       int      `json:"layers,omitempty"`
	Positions    int      `json:"positions,omitempty"` // as config.json counts them: RoBERTa's has two more than it takes tokens
	Vocabulary   int      `json:"vocabulary,omitempty"`
	MaxTokens    int      `json:"max_tokens,omitempty"` // that the model's makers read of a text
	Tokenizer    string   `json:"tokenizer,omitempty"`  // WordPiece, BPE, Unigram, …
	Pooling      []string `json:"pooling,omitempty"`    // mean_tokens, cls_token, …
	Normalized   bool     `json:"normalized,omitempty"` // vectors are scaled to length 1
	Prompts      []string `json:"prompts,omitempty"`    // names of texts that may go before another
	License      string   `json:"license,omitempty"`    // as README.md has it
	// ONNX are the model's ONNX files; the list may be empty.
	ONNX []ONNX `json:"onnx"`
	// Problems are files that are missing or cannot be read.
	Problems []string `json:"problems,omitempty"`
}

// ONNX is an ONNX file of a model.
type ONNX struct {
	// Path is below the model's folder, with slashes.
	Path  string   `json:"path"`
	Bytes int64    `json:"bytes"`          // with its data files
	Data  []string `json:"data,omitempty"` // files in which it keeps tensors
}

// ErrNoModel is the error of a folder without an ONNX file and a configuration.
var ErrNoModel = errors.New("no ONNX file and no config.json")

// Describe reads the card of a model's folder. Its problems have the files that cannot be
// read. The error is ErrNoModel, for a folder that is no model.
func Describe(dir fs.FS) (Card, error) {
	c := Card{ONNX: []ONNX{}}
	var config struct {
		Architectures []string `json:"architectures"`
		Type          string   `json:"model_type"`
		Hidden        int      `json:"hidden_size"`
		DistilDim     int      `json:"dim"`
		T5Dim         int      `json:"d_model"`
		Layers        int      `json:"num_hidden_layers"`
		DistilLayers  int      `json:"n_layers"`
		Positions     int      `json:"max_position_embeddings"`
		Vocabulary    int      `json:"vocab_size"`
	}
	var tokenizer struct{ Model struct{ Type string } }
	var model struct {
		MaxTokens int `json:"max_seq_length"`
	}
	var prompts struct{ Prompts map[string]string }
	var modules []struct{ Path, Type string }
	found := false
	for _, part := range []struct {
		name     string
		limit    int64
		into     any
		required bool
	}{
		{"config.json", limits.ModelConfig, &config, true},
		{"tokenizer.json", limits.ModelTokenizer, &tokenizer, true},
		{"sentence_bert_config.json", limits.ModelConfig, &model, false},
		{"config_sentence_transformers.json", limits.ModelConfig, &prompts, false},
		{"modules.json", limits.ModelConfig, &modules, false},
	} {
		ok := c.read(dir, part.name, part.limit, part.into, part.required)
		found = found || ok && part.name == "config.json"
	}
	c.Architecture, c.Type = strings.Join(config.Architectures, ", "), config.Type
	c.Dim = first(config.Hidden, config.DistilDim, config.T5Dim)
	c.Layers = first(config.Layers, config.DistilLayers)
	c.Positions, c.Vocabulary, c.MaxTokens = config.Positions, config.Vocabulary, model.MaxTokens
	c.Tokenizer = tokenizer.Model.Type
	for name := range prompts.Prompts {
		c.Prompts = append(c.Prompts, name)
	}
	slices.Sort(c.Prompts)
	for _, m := range modules {
		c.Normalized = c.Normalized || strings.HasSuffix(m.Type, ".Normalize")
		if strings.HasSuffix(m.Type, ".Pooling") {
			c.pooling(dir, path.Join(m.Path, "config.json"))
		}
	}
	if len(modules) == 0 {
		if _, err := fs.Stat(dir, "1_Pooling/config.json"); err == nil {
			c.pooling(dir, "1_Pooling/config.json")
		}
	}
	c.License = license(dir)
	c.files(dir)
	if len(c.ONNX) == 0 {
		if !found {
			return c, ErrNoModel
		}
		c.Problems = append(c.Problems, "no ONNX file: make one, optimum-cli export onnx does")
	}
	return c, nil
}

func first(values ...int) int {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}

// read decodes a file and reports whether it exists.
func (c *Card) read(dir fs.FS, name string, limit int64, into any, required bool) bool {
	b, err := readSmall(dir, name, limit)
	if errors.Is(err, fs.ErrNotExist) {
		if required {
			c.Problems = append(c.Problems, "no "+name)
		}
		return false
	}
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		c.Problems = append(c.Problems, fmt.Sprintf("%s: %v", name, err))
	}
	return true
}

func (c *Card) pooling(dir fs.FS, name string) {
	var modes map[string]any
	if !fs.ValidPath(name) || !c.read(dir, name, limits.ModelConfig, &modes, true) {
		return
	}
	for mode, on := range modes {
		if short, ok := strings.CutPrefix(mode, "pooling_mode_"); ok && on == true {
			c.Pooling = append(c.Pooling, short)
		}
	}
	slices.Sort(c.Pooling)
}

// files finds ONNX files in the folder and its subfolders.
func (c *Card) files(dir fs.FS) {
	for _, pattern := range []string{"*.onnx", "*/*.onnx"} {
		names, _ := fs.Glob(dir, pattern) // the patterns are good
		for _, name := range names {
			if len(c.ONNX) == limits.ModelFiles {
				c.Problems = append(c.Problems, fmt.Sprintf("more than %d ONNX files", limits.ModelFiles))
				return
			}
			o := ONNX{Path: name}
			if err := o.read(dir); err != nil {
				c.Problems = append(c.Problems, err.Error())
			}
			c.ONNX = append(c.ONNX, o)
		}
	}
}

func (o *ONNX) read(dir fs.FS) error {
	st, err := fs.Stat(dir, o.Path)
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("%s: %s", o.Path, Irregular)
	}
	o.Bytes = st.Size()
	f, err := dir.Open(o.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	if o.Data, err = externalData(f, o.Path); err != nil {
		return err
	}
	for _, name := range o.Data {
		st, err := fs.Stat(dir, name)
		if err != nil {
			return fmt.Errorf("%s keeps data in %s, which is not there", o.Path, name)
		}
		o.Bytes += st.Size()
	}
	return nil
}

// externalData returns the paths of the files with the tensors of an ONNX file, in the model's folder.
func externalData(r io.Reader, name string) ([]string, error) {
	files, err := sts.ExternalData(r, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, file := range files {
		if err := checkPath(file); err != nil {
			return nil, fmt.Errorf("%s keeps data in %.100q, which is outside of the model's folder", name, file)
		}
	}
	return files, nil
}

// license reads the license line in the front matter of README.md.
func license(dir fs.FS) string {
	if st, err := fs.Stat(dir, "README.md"); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	f, err := dir.Open("README.md")
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limits.ModelReadme))
	if err != nil {
		return ""
	}
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	front, ok := bytes.CutPrefix(b, []byte("---\n"))
	if !ok {
		return ""
	}
	front, _, _ = bytes.Cut(front, []byte("\n---"))
	for line := range strings.Lines(string(front)) {
		if value, ok := strings.CutPrefix(line, "license:"); ok {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}
