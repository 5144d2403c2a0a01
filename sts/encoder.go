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
	"sync"
	"sync/atomic"

	"crscore/sts/builtin"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"
)

// ErrEncoderClosed is what Encode returns after Close.
var ErrEncoderClosed = errors.New("encoder is closed")

// maxLength is the most tokens of a text that a model is given.
const maxLength = 512

// minTokens is the shortest useful maximum: two special tokens and a word.
const minTokens = 3

// EncoderOptions sets up a ModelEncoder. The zero value is a good choice.
type EncoderOptions struct {
	// Name is what the signature calls the model; "model" when empty.
	Name string
	// File is the ONNX file in the model directory, with slashes; empty means
	// model.onnx, onnx/model.onnx or the only one there is.
	File string
	// Pooling makes one vector of the vectors of a text's tokens: PoolingPaper,
	// which empty means, or PoolingModel.
	Pooling string
	// MaxTokens is the most tokens of a text that are read, special tokens
	// included, at most 512 and at most what the model takes. The rest of a longer
	// text is cut and counted in Stats. 0 means 512.
	MaxTokens int
	// Backend runs the model: BackendGo, which empty means, or BackendORT.
	Backend string
	// Library is the path of ONNX Runtime's shared library, for BackendORT;
	// empty means where the environment says, or the system's.
	Library string
	// Workers is the most batches that run at the same time, over all
	// concurrent calls. 0 means one a processor that Go may use.
	Workers int
	// CacheEntries is how many texts' vectors are remembered at most; memory
	// bounds them too. 0 means 16384, a negative number none. A static model
	// remembers none, because it looks vectors up faster.
	CacheEntries int
}

// EncoderStats counts what an encoder has done since it was made.
type EncoderStats struct {
	Texts  uint64 // texts encoded, those from the cache and repetitions included
	Cut    uint64 // texts of which the end was not read, because they are longer than MaxTokens
	Cached uint64 // texts whose vectors were remembered or computed for an equal text of the same call
}

// ModelEncoder encodes texts with an ONNX sentence model. Vectors have length 1.
//
// It is safe for concurrent use.
type ModelEncoder struct {
	session   session
	prepare   func(string) string
	prompt    string
	tokens    *tokenReader
	pooling   pooling
	dim       int
	signature string
	notes     []string
	static    bool
	cache     *lru.Cache[string, remembered] // nil for none
	slots     chan struct{}                  // one token a running batch

	// mu is held for reading by every Encode and for writing by Close, so that
	// no model is destroyed under a running batch.
	mu     sync.RWMutex
	closed bool

	texts, cut, cached atomic.Uint64
}

var _ Encoder = (*ModelEncoder)(nil)

// remembered is a text's vector, and whether its end was not read.
type remembered struct {
	vector []float32
	cut    bool
}

// Bounds of the cache: the memory of its vectors and the longest text that is
// remembered, a sentence being far shorter.
const (
	defaultCacheEntries = 1 << 14
	maxCacheBytes       = 64 << 20
	maxCachedText       = 1 << 10
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

	// Reading the tokenizer adds to the list in settings, at the same time.
	files := slices.Concat([]string{src.file, "tokenizer.json"}, external, settings.files)
	// The vocabulary takes half as long as the model, and so may the checksum: all
	// at once.
	var group errgroup.Group
	group.Go(func() error {
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
	})
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
	e.signature = fmt.Sprintf("encoder=%s@sha256:%.12s backend=%s arch=%s text=%s maxtokens=%d %s",
		name, sum, e.session.info().backend, runtime.GOARCH, settings.text, maxTokens, e.poolingField(opts, settings))
	return e, nil
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
	f, err := src.dir.Open(src.file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	} else if info.Size() > maxONNXBytes {
		return nil, fmt.Errorf("it has %d bytes, more than an ONNX file can have: its weights must be external data", info.Size())
	}
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
		if settings.guessed && !made.pooled {
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
		e.notes = append(e.notes, fmt.Sprintf("the model gives no vectors of tokens: its pooled output %s is used, stop words and special tokens included", made.output))
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
	case made.pooled:
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

// Dim is the number of values of a vector.
func (e *ModelEncoder) Dim() int { return e.dim }

// Signature names model, checksum, backend, architecture, text preparation,
// maximum length and pooling.
func (e *ModelEncoder) Signature() string { return e.signature }

// Notes are for a person: what of the model is used in another way than its
// makers may have meant.
func (e *ModelEncoder) Notes() []string { return slices.Clone(e.notes) }

// Static says that the model only looks tokens up, which takes no time on any
// backend.
func (e *ModelEncoder) Static() bool { return e.static }

// Stats says what was encoded so far, and how many texts were too long.
func (e *ModelEncoder) Stats() EncoderStats {
	return EncoderStats{Texts: e.texts.Load(), Cut: e.cut.Load(), Cached: e.cached.Load()}
}

// Close waits for running calls and releases the model. Closing twice is
// harmless; Encode after Close is ErrEncoderClosed.
func (e *ModelEncoder) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	if e.session == nil {
		return nil
	}
	return e.session.close()
}

// Encode implements Encoder. Batches of one call run concurrently, and ctx is
// looked at between batches.
func (e *ModelEncoder) Encode(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, ErrEncoderClosed
	}
	vectors := make([][]float32, len(texts))
	backing := make([]float32, len(texts)*e.dim)
	for i := range vectors {
		vectors[i] = backing[i*e.dim : (i+1)*e.dim : (i+1)*e.dim]
	}
	again, cut, err := e.encode(ctx, texts, vectors)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	for i, first := range again {
		copy(vectors[i], vectors[first])
		e.cached.Add(1)
		if cut[first] {
			cut[i] = true
		}
	}
	n := uint64(0)
	for i := range cut {
		if cut[i] {
			n++
		}
		if e.cache != nil && len(texts[i]) <= maxCachedText {
			if _, ok := again[i]; !ok {
				e.remember(texts[i], vectors[i], cut[i])
			}
		}
	}
	e.cut.Add(n)
	e.texts.Add(uint64(len(texts)))
	return vectors, nil
}

// remember puts a vector into the cache. Text and vector may be parts of larger
// ones: copies let those go.
func (e *ModelEncoder) remember(text string, vector []float32, cut bool) {
	if !e.cache.Contains(text) {
		e.cache.Add(strings.Clone(text), remembered{slices.Clone(vector), cut})
	}
}

// encode fills in vectors, but for the texts that repeat an earlier one: again
// gives their indexes and the first one's. cut marks the texts that were too
// long.
func (e *ModelEncoder) encode(ctx context.Context, texts []string, vectors [][]float32) (again map[int]int, cut []bool, err error) {
	group, gctx := errgroup.WithContext(ctx)
	// Waiting goroutines hold texts and ids, so they are bounded as well.
	group.SetLimit(cap(e.slots) + 1)
	run := func(length, rows int, batch []pending) {
		group.Go(func() error { return e.run(gctx, length, rows, batch) })
	}
	cut = make([]bool, len(texts))
	again = map[int]int{}
	first := map[string]int{}
	// Texts wait among those of their length until a batch is full.
	buckets := map[int][]pending{}
	for i, text := range texts {
		if gctx.Err() != nil {
			break
		}
		// To look a text up costs more than a static model does.
		if !e.static {
			if k, ok := first[text]; ok {
				again[i] = k
				continue
			}
			first[text] = i
			if e.cache != nil {
				if r, ok := e.cache.Get(text); ok {
					copy(vectors[i], r.vector)
					cut[i] = r.cut
					e.cached.Add(1)
					continue
				}
			}
		}
		p := pending{tokenized: e.read(text), vector: vectors[i]}
		cut[i] = p.cut
		if len(p.ids) == 0 {
			continue // Nothing to encode: the zero vector.
		}
		length, rows := e.shape(len(p.ids))
		buckets[length] = append(buckets[length], p)
		if len(buckets[length]) == rows {
			run(length, rows, buckets[length])
			// An empty batch panics in the backend's own goroutine, where nobody
			// can recover: it must never be sent.
			delete(buckets, length)
		}
	}
	for length, batch := range buckets {
		_, rows := e.shape(length)
		run(length, rows, batch)
	}
	return again, cut, group.Wait()
}

// read turns a text into tokens. A text without any of its own has none, prompt
// or not.
func (e *ModelEncoder) read(text string) tokenized {
	text, cut := cutText(text, maxTextBytes)
	text = validText(text)
	if e.prompt != "" && strings.TrimSpace(text) != "" {
		text = e.prompt + text
	}
	t := e.tokens.read(e.prepare(text))
	t.cut = t.cut || cut
	return t
}

// pending is a text on its way to the model, and where its vector goes.
type pending struct {
	tokenized
	vector []float32
}

// shape is the session's, within what the model has positions for: at the odd
// length that this makes, texts run alone.
func (e *ModelEncoder) shape(n int) (length, rows int) {
	length, rows = e.session.shape(n)
	if top := max(n, e.tokens.maxTokens); length > top {
		return top, 1
	}
	return length, rows
}

// run sends texts of at most length tokens to the model and pools what comes
// back.
func (e *ModelEncoder) run(ctx context.Context, length, rows int, texts []pending) (err error) {
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	batch := make([]tokenized, len(texts))
	for i := range texts {
		batch[i] = texts[i].tokenized
	}
	out, err := e.session.run(ctx, length, rows, batch)
	if err != nil {
		return err
	}
	if len(out) != len(texts) {
		return fmt.Errorf("model gave %d results for %d texts", len(out), len(texts))
	}
	made := e.session.info()
	for i, t := range texts {
		if made.pooled && len(out[i]) == 1 {
			copy(t.vector, out[i][0])
			err = normalize(t.vector)
		} else if len(out[i]) != len(t.ids) {
			err = fmt.Errorf("model gave %d vectors for %d tokens", len(out[i]), len(t.ids))
		} else {
			err = e.pooling.pool(out[i], t.pooled, t.vector)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
