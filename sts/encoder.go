package sts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"crscore/sts/builtin"

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
	// MaxTokens is the most tokens of a text that are read, special tokens
	// included, at most 512 and at most what the model has positions for. The
	// rest of a longer text is cut and counted in Stats. 0 means 512.
	MaxTokens int
	// Backend runs the model: BackendGo, which empty means, or BackendORT.
	Backend string
	// Library is the path of ONNX Runtime's shared library, for BackendORT;
	// empty means where the environment says, or the system's.
	Library string
	// Workers is the most batches that run at the same time, over all
	// concurrent calls. 0 means one a processor that Go may use.
	Workers int
}

// EncoderStats counts what an encoder has done since it was made.
type EncoderStats struct {
	Texts uint64 // texts encoded
	Cut   uint64 // texts of which the end was not read, because they are longer than MaxTokens
}

// ModelEncoder encodes texts with an ONNX sentence model. A text's vector is the mean of its
// token vectors without stop words and special tokens (CRScore, section 3.3),
// scaled to length 1; when every token is a stop word, all of them are used.
//
// It is safe for concurrent use.
type ModelEncoder struct {
	session   session
	prepare   func(string) string
	tokens    *tokenReader
	dim       int
	signature string
	slots     chan struct{} // one token a running batch

	// mu is held for reading by every Encode and for writing by Close, so that
	// no model is destroyed under a running batch.
	mu     sync.RWMutex
	closed bool

	texts, cut atomic.Uint64
}

var _ Encoder = (*ModelEncoder)(nil)

// NewBuiltin returns the encoder of the built-in model, which is part of the
// binary: nothing is downloaded, and no file is read or written. opts.Name is
// ignored.
func NewBuiltin(ctx context.Context, opts EncoderOptions) (*ModelEncoder, error) {
	opts.Name = builtin.Name
	e, err := NewEncoder(ctx, builtin.Model(), opts)
	if err != nil {
		return nil, fmt.Errorf("loading the built-in model: %w", err)
	}
	return e, nil
}

// NewEncoder loads a Hugging Face model directory: model.onnx with inputs
// input_ids, attention_mask and possibly token_type_ids, whose first output is
// [batch, token, Dim]; tokenizer.json of type WordPiece; and config.json.
// External ONNX data files are not read. Close releases the model.
func NewEncoder(ctx context.Context, dir fs.FS, opts EncoderOptions) (*ModelEncoder, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cfg, err := readModelConfig(dir)
	if err != nil {
		return nil, err
	}
	prepare, err := TextPreparation(cfg.Text)
	if err != nil {
		return nil, fmt.Errorf("reading config.json: %w", err)
	}
	maxTokens := maxLength
	for _, n := range []int{opts.MaxTokens, cfg.MaxPositions} {
		if n != 0 && n < minTokens {
			return nil, fmt.Errorf("maximum number of tokens is %d, want at least %d", n, minTokens)
		}
		if n > 0 {
			maxTokens = min(maxTokens, n)
		}
	}
	sum, err := builtin.Checksum(dir)
	if err != nil {
		return nil, fmt.Errorf("checksum of the model: %w", err)
	}
	tokenizer, err := fs.ReadFile(dir, "tokenizer.json")
	if err != nil {
		return nil, fmt.Errorf("reading the tokenizer: %w", err)
	}
	workers := opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	e := &ModelEncoder{prepare: prepare, slots: make(chan struct{}, workers)}
	// Parsing the vocabulary takes half as long as the model: both at once.
	var group errgroup.Group
	group.Go(func() (err error) {
		if e.tokens, err = newTokenReader(tokenizer, maxTokens); err != nil {
			return fmt.Errorf("reading tokenizer.json: %w", err)
		}
		e.tokens.static = cfg.Type == "static"
		// The backend does not notice: it looks up another row.
		if top := e.tokens.maxID(); cfg.VocabSize > 0 && top >= cfg.VocabSize {
			return fmt.Errorf("tokenizer.json has the token id %d, config.json a vocabulary of %d", top, cfg.VocabSize)
		}
		return nil
	})
	if err = e.load(ctx, opts, modelSource{dir: dir, file: "model.onnx"}); err != nil {
		err = fmt.Errorf("loading model.onnx: %w", err)
	}
	if tokenErr := group.Wait(); tokenErr != nil {
		err = tokenErr
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	name := opts.Name
	if name == "" {
		name = "model"
	}
	e.signature = fmt.Sprintf("encoder=%s@sha256:%.12s backend=%s arch=%s text=%s maxtokens=%d pooling=mean-no-stop-words",
		name, sum, e.session.info().backend, runtime.GOARCH, cfg.Text, maxTokens)
	return e, nil
}

// modelConfig is what we read of a model's config.json.
type modelConfig struct {
	// MaxPositions is the longest text the model has positions for; 0 when it
	// does not care.
	MaxPositions int `json:"max_position_embeddings"`
	// Type is "static" for a model that looks tokens up and does nothing else.
	Type string `json:"model_type"`
	// VocabSize is the number of tokens that the model knows; 0 when the file
	// does not say.
	VocabSize int `json:"vocab_size"`
	// Text names what is done to a text before the tokenizer sees it: our own
	// key, empty in models made by others.
	Text string `json:"crscore_text"`
}

func readModelConfig(dir fs.FS) (modelConfig, error) {
	var cfg modelConfig
	data, err := fs.ReadFile(dir, "config.json")
	if err != nil {
		return cfg, fmt.Errorf("reading the model's configuration: %w", err)
	}
	if err := json.Unmarshal(data, &cfg); err != nil {
		return cfg, fmt.Errorf("reading config.json: %w", err)
	}
	if cfg.Text == "" {
		cfg.Text = TextPlain
	}
	return cfg, nil
}

// load opens the model and runs it once, so that a model that cannot run is an
// error here and not later.
func (e *ModelEncoder) load(ctx context.Context, opts EncoderOptions, src modelSource) error {
	var err error
	if e.session, err = openSession(ctx, opts, src); err != nil {
		return err
	}
	e.dim = e.session.info().dim
	trial := pending{tokenized: tokenized{ids: []int{0}, pooled: []bool{true}}}
	length, rows := e.session.shape(1)
	if err := e.run(ctx, length, rows, []pending{trial}, [][]float32{make([]float32, e.dim)}); err != nil {
		return fmt.Errorf("running the model: %w", err)
	}
	return nil
}

// Dim is the number of values of a vector.
func (e *ModelEncoder) Dim() int { return e.dim }

// Signature names model, checksum, backend, architecture, text preparation,
// maximum length and pooling.
func (e *ModelEncoder) Signature() string { return e.signature }

// Stats says what was encoded so far, and how many texts were too long.
func (e *ModelEncoder) Stats() EncoderStats {
	return EncoderStats{Texts: e.texts.Load(), Cut: e.cut.Load()}
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

	group, gctx := errgroup.WithContext(ctx)
	// Waiting goroutines hold texts and ids, so they are bounded as well.
	group.SetLimit(cap(e.slots) + 1)
	run := func(length, rows int, batch []pending) {
		group.Go(func() error { return e.run(gctx, length, rows, batch, vectors) })
	}
	// Texts wait in the bucket of their length until it is full.
	buckets := map[int][]pending{}
	for i, text := range texts {
		if gctx.Err() != nil {
			break
		}
		t := e.tokens.read(e.prepare, text)
		if t.cut {
			e.cut.Add(1)
		}
		if len(t.ids) == 0 {
			continue // Nothing to encode: the zero vector.
		}
		length, rows := e.shape(len(t.ids))
		buckets[length] = append(buckets[length], pending{text: i, tokenized: t})
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
	err := group.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	e.texts.Add(uint64(len(texts)))
	return vectors, nil
}

// pending is a text on its way to the model.
type pending struct {
	text int // index in the call's texts and vectors
	tokenized
}

// shape is the session's, within what the model has positions for.
func (e *ModelEncoder) shape(n int) (length, rows int) {
	length, rows = e.session.shape(n)
	return min(length, e.tokens.maxTokens), rows
}

// run sends texts of at most length tokens to the model and pools what comes
// back into vectors.
func (e *ModelEncoder) run(ctx context.Context, length, rows int, texts []pending, vectors [][]float32) (err error) {
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
	pooled := e.session.info().pooled
	for i, t := range texts {
		if pooled && len(out[i]) == 1 {
			copy(vectors[t.text], out[i][0])
			normalize(vectors[t.text])
			continue
		}
		if len(out[i]) != len(t.ids) {
			return fmt.Errorf("model gave %d vectors for %d tokens", len(out[i]), len(t.ids))
		}
		pool(out[i], t.pooled, vectors[t.text])
	}
	return nil
}

// pool puts the mean of the pooled token vectors, scaled to length 1, into out,
// which is zero. A zero or not finite sum leaves it zero.
func pool(hidden [][]float32, pooled []bool, out []float32) {
	for i, use := range pooled {
		if !use {
			continue
		}
		for k, v := range hidden[i] {
			out[k] += v
		}
	}
	normalize(out)
}

// normalize scales v to length 1. A vector without a direction (zero, or not
// finite) becomes zero. The scale makes the division by the number of tokens,
// which the mean would need, superfluous.
func normalize(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		clear(v)
		return
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
}
