package sts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"crscore/sts/internal/limits"
	"crscore/sts/tokenizer"
)

// OpenEncoder loads the Hugging Face model directory at path, as NewEncoder does.
// Nothing outside the directory is read: links that lead out of it are refused,
// but for those of Hugging Face's own cache, which point from a snapshot to the
// blobs beside it. The signature calls the model by the directory's name unless
// opts.Name is set.
func OpenEncoder(ctx context.Context, dir string, opts EncoderOptions) (e *ModelEncoder, err error) {
	err = openDir(dir, &opts, func(src modelSource, root io.Closer) error {
		if e, err = newEncoder(ctx, src, "", opts); err == nil {
			e.root = root // A layer's vectors may be asked for later.
		}
		return err
	})
	return e, err
}

// openDir opens a model directory for load, which keeps root open or returns an error, and
// names the model where opts do not.
func openDir(dir string, opts *EncoderOptions, load func(src modelSource, root io.Closer) error) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	name, top, inner := filepath.Base(abs), abs, "."
	if snapshots := filepath.Dir(abs); filepath.Base(snapshots) == "snapshots" {
		if repo := filepath.Dir(snapshots); strings.HasPrefix(filepath.Base(repo), "models--") {
			name = strings.ReplaceAll(strings.TrimPrefix(filepath.Base(repo), "models--"), "--", "/")
			top, inner = repo, path.Join("snapshots", filepath.Base(abs))
		}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	files, err := fs.Sub(root.FS(), inner)
	if err != nil {
		return errors.Join(err, root.Close())
	}
	if opts.Name == "" {
		opts.Name = name
	}
	if err := load(modelSource{dir: files, path: abs}, root); err != nil {
		return errors.Join(fmt.Errorf("model directory %s: %w", dir, err), root.Close())
	}
	return nil
}

// modelSettings are the settings of a model, from the files of its directory.
type modelSettings struct {
	file      string // the ONNX file
	text      string // a Text constant
	lower     bool   // texts are put in lower case before the tokenizer
	static    bool   // a token's vector does not depend on the others
	vocab     int    // the number of tokens the model knows; 0 when no file says
	maxTokens int    // the longest text; 0 when there is no limit
	offset    bool   // positions are counted from behind the padding token's id

	pooling       pooling
	guessed       bool   // the files do not name the pooling
	promptName    string // the model's default prompt; empty when there is none
	prompt        string
	excludePrompt bool // its tokens are not pooled
	// unsupported names the steps after pooling that the encoder does not have.
	unsupported []string

	cross crossConfig

	tokenizer *tokenizer.Tokenizer
	files     []string // what was read, in addition to the ONNX file
}

// readSettings reads everything of a model directory but the model and its
// tokenizer.
func readSettings(dir fs.FS, file string) (*modelSettings, error) {
	s := &modelSettings{text: TextPlain}
	var err error
	if s.file, err = findModel(dir, file); err != nil {
		return nil, err
	}
	transformer, err := s.readModules(dir)
	if err != nil {
		return nil, err
	}
	if err := s.readConfig(dir, transformer); err != nil {
		return nil, err
	}
	return s, s.readPrompts(dir)
}

// defaultModels are where exporters put the model.
var defaultModels = []string{"model.onnx", "onnx/model.onnx"}

// findModel chooses the ONNX file: the given file, the default, or the only file.
func findModel(dir fs.FS, file string) (string, error) {
	if file != "" {
		if file = path.Clean(filepath.ToSlash(file)); !fs.ValidPath(file) {
			return "", fmt.Errorf("model file %q is not in the directory", file)
		}
		_, err := fs.Stat(dir, file)
		return file, err
	}
	var found []string
	for _, folder := range []string{".", "onnx"} {
		entries, err := fs.ReadDir(dir, folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		for _, e := range entries {
			if name := path.Join(folder, e.Name()); !e.IsDir() && strings.HasSuffix(name, ".onnx") {
				if slices.Contains(defaultModels, name) {
					return name, nil
				}
				found = append(found, name)
			}
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("the directory has no ONNX model (%s)", strings.Join(defaultModels, " or "))
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("the directory has several ONNX models and none is the default; choose one of %s", strings.Join(found, ", "))
}

// readModules reads the pooling and modules.json, the list of the steps that
// sentence-transformers takes with a text. It returns the folder of the transformer's files.
func (s *modelSettings) readModules(dir fs.FS) (transformer string, err error) {
	var modules []struct {
		Path string `json:"path"`
		Type string `json:"type"`
	}
	found, err := s.readJSON(dir, "modules.json", &modules)
	if err != nil {
		return "", err
	}
	if !found {
		s.pooling, s.guessed = pooling{modes: []string{"mean"}}, true
		return "", nil
	}
	for _, m := range modules {
		kind := m.Type[strings.LastIndex(m.Type, ".")+1:]
		folder := path.Clean(m.Path)
		if !fs.ValidPath(folder) {
			return "", fmt.Errorf("modules.json: path %q leads out of the model directory", m.Path)
		}
		switch kind {
		case "Transformer":
			transformer = folder
		case "Pooling":
			if s.pooling, s.excludePrompt, err = s.readPooling(dir, path.Join(folder, "config.json")); err != nil {
				return "", err
			}
		case "Normalize": // Vectors get the length 1 in any case.
		default:
			s.unsupported = append(s.unsupported, strings.TrimSpace(kind+" "+m.Path))
		}
	}
	if s.pooling.modes == nil {
		s.pooling, s.guessed = pooling{modes: []string{"mean"}}, true
	}
	return transformer, nil
}

func (s *modelSettings) readPooling(dir fs.FS, name string) (p pooling, excludePrompt bool, err error) {
	var raw map[string]any
	found, err := s.readJSON(dir, name, &raw)
	if err != nil {
		return p, false, err
	}
	if !found {
		return p, false, fmt.Errorf("modules.json names a pooling, but there is no %s", name)
	}
	if mode, ok := raw["pooling_mode"].(string); ok {
		raw["pooling_mode_"+mode] = true
	}
	for key, value := range raw {
		on, isBool := value.(bool)
		if !strings.HasPrefix(key, "pooling_mode_") || !isBool || !on {
			continue
		}
		if !slices.ContainsFunc(poolingModes, func(m poolingMode) bool { return slices.Contains(m.keys, key) }) {
			return p, false, fmt.Errorf("%s: %s is not supported", name, key)
		}
	}
	for _, m := range poolingModes {
		if slices.ContainsFunc(m.keys, func(key string) bool { return raw[key] == true }) {
			p.modes = append(p.modes, m.name)
		}
	}
	if p.modes == nil {
		return p, false, fmt.Errorf("%s turns on no pooling mode", name)
	}
	return p, raw["include_prompt"] == false, nil
}

// offsetPositions are the kinds of models that count a text's positions from
// behind the padding token's id and so take fewer tokens than they have
// positions.
var offsetPositions = []string{
	"roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer", "data2vec-text", "ibert", "esm", "luke", "xmod",
}

// sentenceConfigs are the names of the file with the longest text, by the age of
// the exporter and the kind of the model.
var sentenceConfigs = []string{
	"sentence_bert_config.json", "sentence_roberta_config.json", "sentence_distilbert_config.json", "sentence_camembert_config.json",
	"sentence_albert_config.json", "sentence_xlm-roberta_config.json", "sentence_xlnet_config.json",
}

// readConfig reads the transformer's own files.
func (s *modelSettings) readConfig(dir fs.FS, transformer string) error {
	find := func(name string, v any) (bool, error) {
		if transformer != "" && transformer != "." {
			if found, err := s.readJSON(dir, path.Join(transformer, name), v); found || err != nil {
				return found, err
			}
		}
		return s.readJSON(dir, name, v)
	}
	var cfg struct {
		MaxPositions int    `json:"max_position_embeddings"`
		Type         string `json:"model_type"`
		VocabSize    int    `json:"vocab_size"`
		PadID        *int   `json:"pad_token_id"`
		// Text names the rules that prepare a text (see TextPreparation). The key is
		// our own; models of other makers lack it.
		Text string `json:"crscore_text"`
	}
	found, err := find("config.json", &cfg)
	if err != nil {
		return err
	}
	if !found {
		return errors.New("there is no config.json")
	}
	s.static, s.vocab = cfg.Type == "static", cfg.VocabSize
	if cfg.Text != "" {
		s.text = cfg.Text
	}
	positions := cfg.MaxPositions
	if positions < 0 {
		return fmt.Errorf("config.json: max_position_embeddings is %d", positions)
	}
	s.offset = slices.Contains(offsetPositions, cfg.Type)
	if positions > 0 && s.offset {
		pad := 1
		if cfg.PadID != nil {
			pad = *cfg.PadID
		}
		if positions -= pad + 1; pad < 0 || positions < minTokens {
			return fmt.Errorf("config.json: max_position_embeddings %d leaves no room for tokens after pad_token_id %d", cfg.MaxPositions, pad)
		}
	}
	s.maxTokens = positions

	var sentence struct {
		MaxLength *int `json:"max_seq_length"`
		Lower     bool `json:"do_lower_case"`
	}
	for _, name := range sentenceConfigs {
		found, err := find(name, &sentence)
		if err != nil {
			return err
		}
		if found {
			break
		}
	}
	s.lower = sentence.Lower
	if n := sentence.MaxLength; n != nil {
		s.limit(float64(*n))
		return nil
	}
	// Without one, the tokenizer's is the limit, which may be absurdly large.
	var tok struct {
		MaxLength float64 `json:"model_max_length"`
	}
	if _, err := find("tokenizer_config.json", &tok); err != nil {
		return err
	}
	if tok.MaxLength > 0 {
		s.limit(tok.MaxLength)
	}
	return nil
}

// limit lowers the longest text; a value below 1 stays, to be refused.
func (s *modelSettings) limit(n float64) {
	if s.maxTokens == 0 || n < float64(s.maxTokens) {
		s.maxTokens = int(min(n, 1<<30))
		if s.maxTokens == 0 {
			s.maxTokens = -1
		}
	}
}

func (s *modelSettings) readPrompts(dir fs.FS) error {
	const name = "config_sentence_transformers.json"
	var cfg struct {
		Prompts map[string]string `json:"prompts"`
		Default *string           `json:"default_prompt_name"`
	}
	if _, err := s.readJSON(dir, name, &cfg); err != nil || cfg.Default == nil {
		return err
	}
	prompt, ok := cfg.Prompts[*cfg.Default]
	if !ok {
		return fmt.Errorf("%s: the default prompt %q is not among the prompts", name, *cfg.Default)
	}
	s.promptName, s.prompt = *cfg.Default, prompt
	return nil
}

// readTokenizer loads tokenizer.json.
func (s *modelSettings) readTokenizer(dir fs.FS) error {
	const name = "tokenizer.json"
	data, err := readLimited(dir, name, limits.TokenizerBytes)
	if err != nil {
		return err
	}
	s.files = append(s.files, name)
	if s.tokenizer, err = tokenizer.New(data); err != nil {
		return fmt.Errorf("%s: %w", name, place(data, err))
	}
	return nil
}

// readJSON reads a file of settings, if it is there.
func (s *modelSettings) readJSON(dir fs.FS, name string, v any) (found bool, err error) {
	data, err := readLimited(dir, name, limits.ConfigBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.files = append(s.files, name)
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("%s: %w", name, place(data, err))
	}
	return true, nil
}

// readLimited reads a file of at most limit bytes.
func readLimited(dir fs.FS, name string, limit int64) ([]byte, error) {
	// Stat comes first, because opening a pipe would wait.
	if info, err := fs.Stat(dir, name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	} else if info.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes, more than the limit of %d MiB", name, info.Size(), (limit+1)>>20)
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s has more bytes than the limit of %d MiB", name, (limit+1)>>20)
	}
	return data, err
}

// place adds the line and column in data to an error of JSON.
func place(data []byte, err error) error {
	var offset int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return err
	}
	before := string(data[:min(max(offset, 0), int64(len(data)))])
	line := strings.Count(before, "\n") + 1
	return fmt.Errorf("line %d, column %d: %w", line, len(before)-strings.LastIndex(before, "\n")-1, err)
}

// fieldValue turns a name into the value of a key=value field of a signature.
func fieldValue(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '=' {
			return '_'
		}
		return r
	}, name)
}
