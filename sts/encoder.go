package sts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"crscore/sts/builtin"

	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"
	"github.com/knights-analytics/hugot/pipelines"
	"github.com/knights-analytics/hugot/util/fileutil"
	"golang.org/x/sync/errgroup"

	_ "github.com/gomlx/compute/gobackend" // hugot's GO backend registers itself here.
)

// hugotVersion is the version of hugot in go.mod, which a test compares. It is
// part of the signature, because another version may give other bits.
const hugotVersion = "0.7.7"

// ErrEncoderClosed is what Encode returns after Close.
var ErrEncoderClosed = errors.New("encoder is closed")

// lengths are the sequence lengths that the model runs at, and tokensPerBatch
// divided by the length is the number of texts that run together. The backend
// compiles a graph for every shape it sees and keeps it for ever, so shapes must
// be few; and one shape a length means that the numbers of a text depend on its
// own length only, never on what else is in the batch.
var lengths = []int{8, 16, 24, 32, 48, 64, 128, 256, 512}

const tokensPerBatch = 512

// minTokens is the shortest useful maximum: two special tokens and a word.
const minTokens = 3

// EncoderOptions sets up a HugotEncoder. The zero value is a good choice.
type EncoderOptions struct {
	// Name is what the signature calls the model; "model" when empty.
	Name string
	// MaxTokens is the most tokens of a text that are read, special tokens
	// included, at most 512 and at most what the model has positions for. The
	// rest of a longer text is cut and counted in Stats. 0 means 512.
	MaxTokens int
	// Workers is the most batches that run at the same time, over all
	// concurrent calls. 0 means one a processor that Go may use.
	Workers int
}

// EncoderStats counts what an encoder has done since it was made.
type EncoderStats struct {
	Texts uint64 // texts encoded
	Cut   uint64 // texts of which the end was not read, because they are longer than MaxTokens
}

// HugotEncoder encodes texts with an ONNX sentence model through hugot's GO
// backend, which needs no native library. A text's vector is the mean of its
// token vectors without stop words and special tokens (CRScore, section 3.3),
// scaled to length 1; when every token is a stop word, all of them are used.
//
// It is safe for concurrent use.
type HugotEncoder struct {
	model     *backends.Model
	pipe      *pipelines.FeatureExtractionPipeline
	prepare   func(string) string
	tokens    *tokenReader
	typeIDs   bool // the model wants token_type_ids
	dim       int
	signature string
	slots     chan struct{} // one token a running batch

	// mu is held for reading by every Encode and for writing by Close, so that
	// no model is destroyed under a running batch.
	mu     sync.RWMutex
	closed bool

	texts, cut atomic.Uint64
}

var _ Encoder = (*HugotEncoder)(nil)

// NewBuiltin returns the encoder of the built-in model, which is part of the
// binary: nothing is downloaded, and no file is read or written. opts.Name is
// ignored.
func NewBuiltin(ctx context.Context, opts EncoderOptions) (*HugotEncoder, error) {
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
func NewEncoder(ctx context.Context, dir fs.FS, opts EncoderOptions) (*HugotEncoder, error) {
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
	maxTokens := lengths[len(lengths)-1]
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
	e := &HugotEncoder{prepare: prepare, slots: make(chan struct{}, workers)}
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
	if err = e.load(ctx, dir); err != nil {
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
	e.signature = fmt.Sprintf("encoder=%s@sha256:%.12s backend=hugot-%s-go arch=%s text=%s maxtokens=%d pooling=mean-no-stop-words",
		name, sum, hugotVersion, runtime.GOARCH, cfg.Text, maxTokens)
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

// memoryModel is a placeholder in hugot's in-memory file system. hugot looks for
// a file that ends in .onnx before it reads the model from Model.OnnxReader; the
// placeholder satisfies it, so that the model itself never has to be on disk and
// no HOME or writable directory is needed. It is written once, because that file
// system takes concurrent readers but not writers.
const memoryModel = "mem://localhost/crscore"

var writeMemoryModel = sync.OnceValue(func() error {
	w, err := fileutil.NewFileWriter(context.Background(), memoryModel+"/model.onnx", "")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "see Model.OnnxReader")
	return errors.Join(err, w.Close())
})

// load parses the ONNX model and runs it once, so that a model that cannot run
// is an error here and not later.
func (e *HugotEncoder) load(ctx context.Context, dir fs.FS) (err error) {
	onnx, err := dir.Open("model.onnx")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, onnx.Close()) }()
	// The parser panics on some files that are no model.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not a model that the backend can read: %v", r)
		}
	}()
	if err := writeMemoryModel(); err != nil {
		return fmt.Errorf("preparing hugot's memory file system: %w", err)
	}
	e.model = &backends.Model{
		Path:       memoryModel,
		OnnxReader: onnx,
		Pipelines:  map[string]backends.Pipeline{},
		Tokenizer:  &backends.Tokenizer{Runtime: "GO", Destroy: func() error { return nil }},
	}
	opts := options.Defaults()
	opts.Backend = "GO"
	if err := backends.CreateModelBackend(ctx, e.model, opts); err != nil {
		return err
	}
	e.model.OnnxReader = nil
	for _, in := range e.model.InputsMeta {
		switch in.Name {
		case "input_ids", "attention_mask":
		case "token_type_ids":
			e.typeIDs = true
		default:
			return fmt.Errorf("input %q is not supported (input_ids, attention_mask and token_type_ids are)", in.Name)
		}
	}
	// The context belongs to the whole life of the model, not to this call.
	session := context.WithoutCancel(ctx)
	pipe, err := pipelines.NewFeatureExtractionPipeline(session, backends.PipelineConfig[*pipelines.FeatureExtractionPipeline]{Name: "encoder"}, opts, e.model)
	if err != nil {
		return err
	}
	e.pipe = pipe
	dims := pipe.Output.Dimensions
	if len(dims) != 3 || dims[2] <= 0 {
		return fmt.Errorf("output %q has shape %v, want [batch, token, dimension]", pipe.Output.Name, dims)
	}
	e.dim = int(dims[2])
	trial := pending{tokenized: tokenized{ids: []int{0}, pooled: []bool{true}}}
	if err := e.run(ctx, lengths[0], []pending{trial}, [][]float32{make([]float32, e.dim)}); err != nil {
		return fmt.Errorf("running the model: %w", err)
	}
	return nil
}

// Dim is the number of values of a vector.
func (e *HugotEncoder) Dim() int { return e.dim }

// Signature names model, checksum, backend, architecture, text preparation,
// maximum length and pooling.
func (e *HugotEncoder) Signature() string { return e.signature }

// Stats says what was encoded so far, and how many texts were too long.
func (e *HugotEncoder) Stats() EncoderStats {
	return EncoderStats{Texts: e.texts.Load(), Cut: e.cut.Load()}
}

// Close waits for running calls and releases the model. Closing twice is
// harmless; Encode after Close is ErrEncoderClosed.
func (e *HugotEncoder) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	if e.model != nil && e.model.GoMLXModel != nil {
		e.model.GoMLXModel.Destroy()
	}
	e.model, e.pipe = nil, nil
	return nil
}

// Encode implements Encoder. Batches of one call run concurrently, and ctx is
// looked at between batches.
func (e *HugotEncoder) Encode(ctx context.Context, texts []string) ([][]float32, error) {
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
	run := func(length int, batch []pending) {
		group.Go(func() error { return e.run(gctx, length, batch, vectors) })
	}
	// Texts wait in the bucket of their length until it is full.
	buckets := make([][]pending, len(lengths))
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
		b := bucketOf(len(t.ids))
		buckets[b] = append(buckets[b], pending{text: i, tokenized: t})
		if len(buckets[b]) == rowsOf(lengths[b]) {
			run(lengths[b], buckets[b])
			buckets[b] = nil
		}
	}
	for b, batch := range buckets {
		// hugot panics on an empty batch, in a goroutine of its own where nobody
		// can recover. run pads every batch to rowsOf rows, so there is none even
		// here; a bucket without texts is only not worth a run.
		if len(batch) > 0 {
			run(lengths[b], batch)
		}
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

// bucketOf is the index of the shortest length for n tokens.
func bucketOf(n int) int {
	b, _ := slices.BinarySearch(lengths, n)
	return b
}

// rowsOf is the number of texts in every batch of a length.
func rowsOf(length int) int { return max(1, tokensPerBatch/length) }

// run sends texts of at most length tokens to the model and pools what comes
// back into vectors.
func (e *HugotEncoder) run(ctx context.Context, length int, texts []pending, vectors [][]float32) (err error) {
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	// Cancelling is for here and not for hugot: when its context ends it returns
	// at once and frees the inputs, while the kernel still reads them.
	if err := ctx.Err(); err != nil {
		return err
	}

	batch := backends.NewBatch(rowsOf(length))
	batch.MaxSequenceLength = length
	batch.Input = make([]backends.TokenizedInput, batch.Size)
	for i, t := range texts {
		batch.Input[i] = t.input(e.typeIDs)
	}
	defer func() { err = errors.Join(err, batch.Destroy()) }()
	if err := backends.CreateInputTensors(batch, e.model, e.pipe.Runtime); err != nil {
		return err
	}
	if err := backends.RunSessionOnBatch(context.WithoutCancel(ctx), batch, e.pipe.BasePipeline); err != nil {
		return err
	}
	hidden, ok := batch.OutputValues[e.pipe.OutputIndex].([][][]float32)
	if !ok || len(hidden) < len(texts) {
		return fmt.Errorf("model output is %T, want one vector a token", batch.OutputValues[e.pipe.OutputIndex])
	}
	for i, t := range texts {
		if len(hidden[i]) != len(t.ids) {
			return fmt.Errorf("model gave %d vectors for %d tokens", len(hidden[i]), len(t.ids))
		}
		pool(hidden[i], t.pooled, vectors[t.text])
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
