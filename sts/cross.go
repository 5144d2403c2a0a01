package sts

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"crscore/sts/internal/limits"
	"crscore/sts/tokenizer"
)

// CrossEncoder is a similarity for which a model reads both texts at once: an ONNX
// classifier of sentence pairs. The sentence is the model's first text and the reference
// the second, so that entailment asks whether the sentence implies the reference.
//
// A model with one logit gives its sigmoid. Otherwise the similarity is the probability
// (softmax) of the class that config.json calls entailment, or by another of relatedLabels.
// A text without tokens has the similarity 0 with every text.
//
// It is safe for concurrent use.
type CrossEncoder struct {
	model
	tokenizer *tokenizer.Tokenizer
	pair      *tokenizer.Pair
	classes   classes
	cache     *lru.Cache[pairKey, float32] // nil for none

	cut atomic.Uint64
}

var _ Similarity = (*CrossEncoder)(nil)

// pairKey is the checksum of what a model sees of a pair.
type pairKey [sha256.Size]byte

// defaultPairs is the number of cached pairs, of some hundred bytes each.
const defaultPairs = 1 << 16

// NewCrossEncoder loads a Hugging Face model directory with the ONNX export of a classifier
// of sentence pairs, as NewEncoder loads an encoder:
//
//   - its output is logits, [batch, class];
//   - the post_processor of its tokenizer.json pairs texts;
//   - config.json names the classes in id2label, unless there is one logit.
//
// A pair has at most opts.MaxTokens tokens; the ends of longer texts are cut, the longer
// one's first, and the pair is counted in Truncated. opts.CacheEntries are pairs; 0 means
// 65536. opts.Pooling must be empty.
func NewCrossEncoder(ctx context.Context, dir fs.FS, opts EncoderOptions) (*CrossEncoder, error) {
	return newCrossEncoder(ctx, modelSource{dir: dir}, opts)
}

// OpenCrossEncoder loads the model directory at path, as OpenEncoder does.
func OpenCrossEncoder(ctx context.Context, dir string, opts EncoderOptions) (c *CrossEncoder, err error) {
	err = openDir(dir, &opts, func(src modelSource, root io.Closer) error {
		if c, err = newCrossEncoder(ctx, src, opts); err == nil {
			c.root = root
		}
		return err
	})
	return c, err
}

func newCrossEncoder(ctx context.Context, src modelSource, opts EncoderOptions) (*CrossEncoder, error) {
	if opts.Pooling != "" {
		return nil, errors.New("a cross-encoder has no pooling")
	}
	c := &CrossEncoder{}
	settings, err := c.load(ctx, src, "", opts, crossOutput)
	if err == nil {
		err = c.setUp(ctx, opts, settings)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// crossConfig is what config.json says of a classifier.
type crossConfig struct {
	Architectures []string          `json:"architectures"`
	Labels        map[string]string `json:"id2label"`
	Types         int               `json:"type_vocab_size"`
}

// crossOutput reads the configuration of a classifier, and chooses its output.
func crossOutput(src *modelSource, settings *modelSettings) error {
	if _, err := settings.readJSON(src.dir, "config.json", &settings.cross); err != nil {
		return err
	}
	outputs := src.graph.outputs
	at := slices.IndexFunc(outputs, func(p modelPort) bool { return p.name == classOutput && len(p.dims) == 2 })
	classifies := func(name string) bool { return strings.HasSuffix(name, "ForSequenceClassification") }
	if at < 0 && len(outputs) == 1 && len(outputs[0].dims) == 2 && slices.ContainsFunc(settings.cross.Architectures, classifies) {
		at = 0 // under a name of the exporter's own
	}
	if at < 0 {
		var have []string
		for _, o := range outputs {
			have = append(have, fmt.Sprintf("%s %v", o.name, o.dims))
		}
		return fmt.Errorf("%w: it has no output %s [batch, class], but %s; an encoder is used with --encoder MODEL",
			errNoClasses, classOutput, strings.Join(have, ", "))
	}
	src.static, src.output, src.classes = false, outputs[at].name, int(outputs[at].dims[1])
	return nil
}

// errNoClasses is the error of a model that is no classifier.
var errNoClasses = errors.New("not a cross-encoder")

// crossParts reads how a model pairs texts, and what its classes mean.
func crossParts(src modelSource, settings *modelSettings) (*tokenizer.Pair, classes, error) {
	pair, err := settings.tokenizer.Pair()
	if err != nil {
		return nil, classes{}, fmt.Errorf("tokenizer.json: %w", err)
	}
	if src.graph.hasInput("token_type_ids") {
		// The backend does not notice: it looks up another row.
		for _, n := range []int{settings.cross.Types, src.graph.types} {
			if n > 0 && pair.MaxType() >= n {
				return nil, classes{}, fmt.Errorf("tokenizer.json: the pair has the token type %d, and the model has %d of them", pair.MaxType(), n)
			}
		}
	}
	if settings.promptName != "" {
		return nil, classes{}, fmt.Errorf("config_sentence_transformers.json: the default prompt %q is not supported in a cross-encoder",
			settings.promptName)
	}
	means, err := readClasses(src.classes, settings.cross.Labels)
	if err != nil {
		return nil, classes{}, fmt.Errorf("config.json: %w", err)
	}
	return pair, means, nil
}

// setUp makes what depends on model and tokenizer, and runs the model once, so that one
// that cannot run is an error here and not later.
func (c *CrossEncoder) setUp(ctx context.Context, opts EncoderOptions, settings *modelSettings) (err error) {
	if c.pair, c.classes, err = crossParts(c.src, settings); err != nil {
		return err
	}
	c.tokenizer = settings.tokenizer
	if least := c.pair.Special() + 2; c.maxTokens < least {
		return fmt.Errorf("maximum number of tokens is %d, and the smallest pair has %d", c.maxTokens, least)
	}
	entries := opts.CacheEntries
	if entries == 0 {
		entries = defaultPairs
	}
	if entries > 0 {
		c.cache, _ = lru.New[pairKey, float32](entries) // It fails on sizes below 1 only.
	}
	trial := pending{vector: make([]float32, 1)}
	trial.ids, trial.types = c.pair.Join(nil, nil)
	length, rows := c.shape(len(trial.ids))
	if err := c.run(ctx, length, rows, []pending{trial}); err != nil {
		return fmt.Errorf("running the model: %w", err)
	}
	return nil
}

// Close waits for running calls and releases the model. Closing twice is harmless; Matrix
// after Close is ErrEncoderClosed.
func (c *CrossEncoder) Close() error { return c.close(nil) }

// Signature implements Similarity: it says what is made of the logits, and names model,
// checksum, backend, architecture, text preparation and maximum length.
func (c *CrossEncoder) Signature() Signature {
	return c.identity.under(fmt.Sprintf("%s/1(%s)", SimilarityCross, c.classes.rule()))
}

// Truncated counts the pairs that were too long, so that an end was not read.
func (c *CrossEncoder) Truncated() uint64 { return c.cut.Load() }

// Matrix implements Similarity. It compares each distinct pair once, runs the batches of a
// call concurrently, and checks ctx between them.
func (c *CrossEncoder) Matrix(ctx context.Context, sentences, refs []string) ([][]float32, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, ErrEncoderClosed
	}
	rows, firsts := c.read(ctx, sentences)
	columns, seconds := c.read(ctx, refs)
	values := make([]float32, len(firsts)*len(seconds))
	cut, err := c.compare(ctx, firsts, seconds, values)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("comparing %d sentences with %d references: %w", len(sentences), len(refs), err)
	}
	c.cut.Add(cut)
	m := make([][]float32, len(sentences))
	for i, row := range rows {
		m[i] = make([]float32, len(refs))
		for j, column := range columns {
			m[i][j] = values[row*len(seconds)+column]
		}
	}
	return m, nil
}

// crossText is a text in tokens: at most as many ids as a pair may have, and their number
// in the whole text.
type crossText struct {
	ids []int
	n   int
	cut bool // the end was not even cut into tokens
}

// read cuts each distinct text into tokens. index has the place of every text among them.
func (c *CrossEncoder) read(ctx context.Context, texts []string) (index []int, distinct []crossText) {
	index = make([]int, len(texts))
	places := make(map[string]int)
	for i, text := range texts {
		if ctx.Err() != nil {
			return nil, nil
		}
		place, ok := places[text]
		if !ok {
			place = len(distinct)
			places[text] = place
			text, cut := cutText(text, limits.TextBytes)
			tokens := c.tokenizer.Encode(c.prepare(validText(text)))
			t := crossText{make([]int, min(len(tokens), c.maxTokens)), len(tokens), cut}
			for k := range t.ids {
				t.ids[k] = tokens[k].ID
			}
			distinct = append(distinct, t)
		}
		index[i] = place
	}
	return index, distinct
}

// compare fills in the values, row by row, and counts the pairs that are cut.
func (c *CrossEncoder) compare(ctx context.Context, firsts, seconds []crossText, values []float32) (cut uint64, err error) {
	batches := c.batches(ctx, c.run)
	for i := range values {
		if batches.ctx.Err() != nil {
			break
		}
		a, b := firsts[i/len(seconds)], seconds[i%len(seconds)]
		if a.n == 0 || b.n == 0 {
			continue
		}
		n, m := tokenizer.LongestFirst(a.n, b.n, c.maxTokens-c.pair.Special())
		if n < a.n || m < b.n || a.cut || b.cut {
			cut++
		}
		p := pending{vector: values[i : i+1]}
		p.ids, p.types = c.pair.Join(a.ids[:n], b.ids[:m])
		if c.cache != nil {
			if v, ok := c.cache.Get(p.key()); ok {
				values[i] = v
				continue
			}
		}
		batches.add(p)
	}
	return cut, batches.wait()
}

// key is the checksum of ids and types.
func (t tokenized) key() pairKey {
	b := make([]byte, 0, 8*len(t.ids))
	for i, id := range t.ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
		b = binary.LittleEndian.AppendUint32(b, uint32(t.types[i]))
	}
	return sha256.Sum256(b)
}

// run sends pairs of at most length tokens to the model.
func (c *CrossEncoder) run(ctx context.Context, length, rows int, pairs []pending) error {
	out, err := c.runPending(ctx, length, rows, pairs)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		if len(out[i]) != 1 || len(out[i][0]) != c.src.classes {
			return fmt.Errorf("model did not give %d logits for a pair", c.src.classes)
		}
		if p.vector[0], err = c.classes.similarity(out[i][0]); err != nil {
			return err
		}
		if c.cache != nil {
			c.cache.Add(p.key(), p.vector[0])
		}
	}
	return nil
}

// classes tell what the logits of a pair mean.
type classes struct {
	names []string // lower case; empty for one logit
	of    int      // the class whose probability is the similarity
}

// relatedLabels are the names of a class of pairs that are about the same.
var relatedLabels = []string{"entailment", "duplicate", "is_duplicate", "related", "relevant", "paraphrase", "equivalent"}

// readClasses finds the class of pairs that are about the same among n classes.
func readClasses(n int, labels map[string]string) (classes, error) {
	if n == 1 {
		return classes{}, nil
	}
	if n < 1 {
		return classes{}, errors.New("id2label cannot be used: the model has no fixed number of classes")
	}
	if len(labels) != n {
		return classes{}, fmt.Errorf("id2label names %d classes, and the model has %d", len(labels), n)
	}
	c := classes{names: make([]string, n), of: -1}
	for i := range c.names {
		name, ok := labels[strconv.Itoa(i)]
		if !ok {
			return classes{}, fmt.Errorf("id2label has no class %d", i)
		}
		c.names[i] = strings.ToLower(strings.TrimSpace(name))
		if slices.Contains(relatedLabels, c.names[i]) {
			if c.of >= 0 {
				return classes{}, fmt.Errorf("id2label has two classes of related pairs, %q and %q", c.names[c.of], c.names[i])
			}
			c.of = i
		}
	}
	if c.of < 0 {
		return classes{}, fmt.Errorf("id2label names the classes %.40q: none is %s, so that it is unknown "+
			"which one says that two texts are about the same", c.names[:min(n, 10)], strings.Join(relatedLabels, ", "))
	}
	return c, nil
}

// rule says what is made of the logits: the signature's part.
func (c classes) rule() string {
	if len(c.names) == 0 {
		return "sigmoid"
	}
	return "softmax:" + c.names[c.of]
}

// similarity is in [0,1].
func (c classes) similarity(logits []float32) (float32, error) {
	of := float64(logits[c.of])
	sum := 0.0
	for _, x := range logits {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return 0, errNotFinite
		}
		sum += math.Exp(float64(x) - of)
	}
	if len(logits) == 1 {
		sum = 1 + math.Exp(-of)
	}
	return float32(1 / sum), nil
}

// InspectCrossEncoder looks at a model directory without loading the model. is says whether
// it is a cross-encoder, about what is made of its logits. An error says why it cannot be
// used as one; for a directory that cannot be read, is is false.
func InspectCrossEncoder(dir fs.FS, file string) (is bool, about string, err error) {
	settings, err := readSettings(dir, file)
	if err != nil {
		return false, "", err
	}
	src := modelSource{dir: dir, file: settings.file}
	if _, err := inspect(&src); err != nil {
		return false, "", fmt.Errorf("%s: %w", src.file, err)
	}
	switch err := crossOutput(&src, settings); {
	case errors.Is(err, errNoClasses):
		return false, "", nil
	case err != nil:
		return false, "", err
	}
	if err := readVocabulary(settings, src); err != nil {
		return true, "", err
	}
	_, means, err := crossParts(src, settings)
	if err != nil {
		return true, "", err
	}
	if about = "the sigmoid of one logit"; len(means.names) > 0 {
		about = fmt.Sprintf("the probability of %s (classes: %s)", means.names[means.of], strings.Join(means.names, ", "))
	}
	return true, about, nil
}
