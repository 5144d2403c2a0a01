package sts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"crscore/sts/builtin"
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
	src := modelSource{dir: builtin.Model()}
	if opts.Backend == "" || opts.Backend == BackendGo {
		if src.rows, err = readRows(builtin.ONNX(), builtin.Dim); err != nil {
			return nil, fmt.Errorf("the built-in model: %w", err)
		}
	}
	e, err := newEncoder(ctx, src, sum, opts)
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
	if opts.Pooling == "" {
		opts.Pooling = PoolingPaper
	}
	if opts.Pooling != PoolingPaper && opts.Pooling != PoolingModel {
		return nil, fmt.Errorf("unknown pooling %q (known: %s, %s)", opts.Pooling, PoolingPaper, PoolingModel)
	}
	e := &ModelEncoder{}
	settings, err := e.load(ctx, src, sum, opts, encoderOutput)
	if err == nil {
		err = e.setUp(ctx, opts, settings)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.signature = slices.Concat(e.identity, e.poolingFields(opts, settings))
	return e, nil
}

// setUp makes what depends on both model and tokenizer, and runs the model once,
// so that one that cannot run is an error here and not later.
func (e *ModelEncoder) setUp(ctx context.Context, opts EncoderOptions, settings *modelSettings) error {
	e.tokens = &tokenReader{tokenizer: settings.tokenizer, maxTokens: e.maxTokens, static: settings.static, stop: NewStopWords()}
	e.pooling = pooling{modes: []string{"mean"}}
	made := e.session.info()
	if opts.Pooling == PoolingModel {
		if len(settings.unsupported) > 0 {
			return fmt.Errorf("modules.json: what comes after the pooling is not supported: %s (pooling %q does without it)", strings.Join(settings.unsupported, ", "), PoolingPaper)
		}
		e.pooling, e.prompt, e.tokens.all = settings.pooling, settings.prompt, true
		if settings.guessed && (!made.pooled || e.static) {
			e.notes = append(e.notes, "the model's files name no pooling: the mean of its tokens is taken for it")
		}
		if settings.excludePrompt && e.prompt != "" {
			prefix, _ := settings.tokenizer.Special()
			e.tokens.skip = len(prefix) + len(settings.tokenizer.Encode(e.prepare(validText(e.prompt))))
		}
	} else if len(settings.unsupported) > 0 {
		e.notes = append(e.notes, "what the model does after pooling is left out: "+strings.Join(settings.unsupported, ", "))
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
	if entries = min(entries, cacheBytes/(4*e.dim)); entries > 0 && !e.static {
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

// poolingFields are the signature's part on pooling.
func (e *ModelEncoder) poolingFields(opts EncoderOptions, settings *modelSettings) Signature {
	out := Signature{{Name: "pooling", Value: "mean-no-stop-words"}}
	made := e.session.info()
	switch {
	case made.pooled && !e.static:
		out[0].Value = "output:" + fieldValue(made.output)
	case opts.Pooling == PoolingModel:
		out[0].Value = "model:" + settings.pooling.String()
	}
	if opts.Pooling == PoolingModel && settings.promptName != "" {
		name := fieldValue(settings.promptName)
		if settings.excludePrompt {
			name += ":not-pooled"
		}
		out = append(out, Field{Name: "prompt", Value: name})
	}
	return out
}
