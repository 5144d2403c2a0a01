package sts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"crscore/sts/builtin"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"
)

// NewBuiltin returns the encoder of the built-in model, which is part of the
// binary: nothing is downloaded, and no file is read or written. opts.Name and
// opts.File are ignored.
func NewBuiltin(ctx context.Context, opts EncoderOptions) (*ModelEncoder, error) {
	opts.Name, opts.File = builtin.Name, "model.onnx"
	// The list of checksums is true, which a test checks; hashing takes time.
	sum, err := builtin.Checksum(builtin.Model())
	if err != nil {
		return nil, fmt.Errorf("checksum of the built-in model: %w", err)
	}
	e, err := newEncoder(ctx, modelSource{dir: builtin.Model()}, sum, opts)
	if err != nil {
		return nil, fmt.Errorf("loading the built-in model: %w", err)
	}
	return e, nil
}

// NewEncoder loads a Hugging Face model directory with an ONNX export:
//
//   - model.onnx or onnx/model.onnx (see EncoderOptions.File), with inputs
//     input_ids, attention_mask, token_type_ids and position_ids or some of them,
//     whose output is [batch, token, n], or else [batch, n]; weights may be
//     external data beside it;
//   - tokenizer.json, of a type that package tokenizer knows;
//   - config.json, and where they are there modules.json with the pooling it
//     names, sentence_bert_config.json, tokenizer_config.json and
//     config_sentence_transformers.json.
//
// OpenEncoder does the same for a directory on disk, which ONNX Runtime needs for
// external data. Close releases the model.
func NewEncoder(ctx context.Context, dir fs.FS, opts EncoderOptions) (*ModelEncoder, error) {
	return newEncoder(ctx, modelSource{dir: dir}, "", opts)
}

// newEncoder loads a model whose checksum is sum, or computed when sum is empty.
func newEncoder(ctx context.Context, src modelSource, sum string, opts EncoderOptions) (*ModelEncoder, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if opts.Pooling == "" {
		opts.Pooling = PoolingPaper
	}
	if opts.Pooling != PoolingPaper && opts.Pooling != PoolingModel {
		return nil, fmt.Errorf("unknown pooling %q (known: %s, %s)", opts.Pooling, PoolingPaper, PoolingModel)
	}
	settings, err := readSettings(src.dir, opts.File)
	if err != nil {
		return nil, err
	}
	maxTokens, err := longest(opts.MaxTokens, settings.maxTokens)
	if err != nil {
		return nil, err
	}
	src.file, src.static = settings.file, settings.static
	e := &ModelEncoder{static: settings.static}
	if e.prepare, err = preparation(settings); err != nil {
		return nil, err
	}
	workers := opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	e.slots = make(chan struct{}, workers)
	external, err := inspect(&src)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", src.file, err)
	}
	if settings.offset && slices.ContainsFunc(src.graph.inputs, func(p modelPort) bool { return p.name == "position_ids" }) {
		// They would have to start behind the padding's id; exporters compute them.
		return nil, fmt.Errorf("loading %s: input \"position_ids\" is not supported for this kind of model", src.file)
	}

	// Reading the tokenizer adds to the list in settings, at the same time.
	files := slices.Concat([]string{src.file, "tokenizer.json"}, external, settings.files)
	// The vocabulary takes half as long as the model, and so may the checksum: all
	// at once.
	var group errgroup.Group
	group.Go(func() error { return readVocabulary(settings, src) })
	if sum == "" {
		group.Go(func() (err error) {
			sum, err = checksum(src.dir, files)
			return err
		})
	}
	if e.session, err = openSession(ctx, opts, src); err != nil {
		err = fmt.Errorf("loading %s: %w", src.file, err)
	}
	if otherErr := group.Wait(); otherErr != nil {
		err = otherErr
	}
	if err == nil {
		err = e.setUp(ctx, opts, settings, maxTokens)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	name := fieldValue(opts.Name)
	if name == "" {
		name = "model"
	}
	e.identity = fmt.Sprintf("encoder=%s@sha256:%.12s backend=%s arch=%s text=%s maxtokens=%d",
		name, sum, e.session.info().backend, runtime.GOARCH, settings.text, maxTokens)
	e.signature = e.identity + " " + e.poolingField(opts, settings)
	e.src, e.opts = src, opts
	return e, nil
}

// readVocabulary reads the tokenizer and holds its ids against the sizes that the model has
// rows for.
func readVocabulary(settings *modelSettings, src modelSource) error {
	if err := settings.readTokenizer(src.dir); err != nil {
		return err
	}
	// The backend does not notice: it looks up another row.
	top := settings.tokenizer.MaxID()
	if n := settings.vocab; n > 0 && top >= n {
		return fmt.Errorf("tokenizer.json has the token id %d, config.json a vocabulary of %d", top, n)
	}
	if n := src.graph.vocab; n > 0 && top >= n {
		return fmt.Errorf("tokenizer.json has the token id %d, %s a vocabulary of %d", top, src.file, n)
	}
	return nil
}

// longest is the most tokens that a text may have.
func longest(limits ...int) (int, error) {
	out := maxLength
	for _, n := range limits {
		if n != 0 && n < minTokens {
			return 0, fmt.Errorf("maximum number of tokens is %d, want at least %d", max(n, 0), minTokens)
		}
		if n > 0 {
			out = min(out, n)
		}
	}
	return out, nil
}

// preparation is what is done to a text before the tokenizer.
func preparation(settings *modelSettings) (func(string) string, error) {
	prepare, err := TextPreparation(settings.text)
	if err != nil {
		return nil, fmt.Errorf("reading config.json: %w", err)
	}
	if settings.lower {
		return func(s string) string { return strings.ToLower(prepare(s)) }, nil
	}
	return prepare, nil
}

// inspect reads the graph of the model and looks for its external data.
func inspect(src *modelSource) (external []string, err error) {
	// Before it is opened, which would wait where it is a pipe.
	if info, err := fs.Stat(src.dir, src.file); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	} else if info.Size() > maxONNXBytes {
		return nil, fmt.Errorf("it has %d bytes, more than an ONNX file can have: its weights must be external data", info.Size())
	}
	f, err := src.dir.Open(src.file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if src.graph, err = readONNX(f); err != nil {
		return nil, err
	}
	return src.graph.checkExternal(src.dir, src.file)
}

// checksum is the SHA-256 of the list of the files' checksums, in the format of
// sha256sum and sorted by name.
func checksum(dir fs.FS, names []string) (string, error) {
	slices.Sort(names)
	list := sha256.New()
	for _, name := range slices.Compact(names) {
		if info, err := fs.Stat(dir, name); err != nil {
			return "", err
		} else if !info.Mode().IsRegular() {
			return "", fmt.Errorf("%s is not a file", name)
		}
		f, err := dir.Open(name)
		if err != nil {
			return "", err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("checksum of %s: %w", name, err)
		}
		fmt.Fprintf(list, "%x  %s\n", h.Sum(nil), name)
	}
	return hex.EncodeToString(list.Sum(nil)), nil
}

// setUp makes what depends on both model and tokenizer, and runs the model once,
// so that one that cannot run is an error here and not later.
func (e *ModelEncoder) setUp(ctx context.Context, opts EncoderOptions, settings *modelSettings, maxTokens int) error {
	e.tokens = &tokenReader{tokenizer: settings.tokenizer, maxTokens: maxTokens, static: settings.static, stop: NewStopWords()}
	e.pooling = pooling{modes: []string{"mean"}}
	made := e.session.info()
	if opts.Pooling == PoolingModel {
		if settings.unsupported != "" {
			return fmt.Errorf("modules.json: what comes after the pooling is not supported: %s (pooling %q does without it)", settings.unsupported, PoolingPaper)
		}
		e.pooling, e.prompt, e.tokens.all = settings.pooling, settings.prompt, true
		if settings.guessed && (!made.pooled || e.static) {
			e.notes = append(e.notes, "the model's files name no pooling: the mean of its tokens is taken for it")
		}
		if settings.excludePrompt && e.prompt != "" {
			prefix, _ := settings.tokenizer.Special()
			e.tokens.skip = len(prefix) + len(settings.tokenizer.Encode(e.prepare(validText(e.prompt))))
		}
	} else if settings.unsupported != "" {
		e.notes = append(e.notes, fmt.Sprintf("what the model does after pooling is left out: %s", settings.unsupported))
	}
	e.dim = made.dim * len(e.pooling.modes)
	if made.pooled {
		e.dim = made.dim
		if !e.static {
			e.notes = append(e.notes, fmt.Sprintf("the model gives no vectors of tokens: its pooled output %s is used, stop words and special tokens included", made.output))
		}
	}
	entries := opts.CacheEntries
	if entries == 0 {
		entries = defaultCacheEntries
	}
	if entries = min(entries, maxCacheBytes/(4*e.dim)); entries > 0 && !e.static {
		e.cache, _ = lru.New[string, remembered](entries) // It fails on sizes below 1 only.
	}
	prefix, suffix := settings.tokenizer.Special()
	trial := pending{tokenized: tokenized{ids: slices.Concat(prefix, suffix)}}
	if len(trial.ids) == 0 {
		trial.ids = []int{0}
	}
	trial.pooled = slices.Repeat([]bool{true}, len(trial.ids))
	trial.vector = make([]float32, e.dim)
	length, rows := e.shape(len(trial.ids))
	if err := e.run(ctx, length, rows, []pending{trial}); err != nil {
		return fmt.Errorf("running the model: %w", err)
	}
	return nil
}

// poolingField is the signature's part on pooling.
func (e *ModelEncoder) poolingField(opts EncoderOptions, settings *modelSettings) string {
	field := "pooling=mean-no-stop-words"
	made := e.session.info()
	switch {
	case made.pooled && !e.static:
		field = "pooling=output:" + fieldValue(made.output)
	case opts.Pooling == PoolingModel:
		field = "pooling=model:" + settings.pooling.String()
	}
	if opts.Pooling == PoolingModel && settings.promptName != "" {
		field += " prompt=" + fieldValue(settings.promptName)
		if settings.excludePrompt {
			field += ":not-pooled"
		}
	}
	return field
}
