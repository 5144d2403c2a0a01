package sts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/errgroup"

	"crscore/sts/internal/limits"
)

// LastLayer is the layer whose vectors are a model's result.
const LastLayer = -1

// TokenVectors are the vectors of the tokens of a text, special tokens included. They are
// shared: the slices must not be changed.
type TokenVectors struct {
	// IDs are the numbers of the tokens in the vocabulary.
	IDs []int
	// Special marks the tokens around every text, such as [CLS] and [SEP].
	Special []bool
	// Vectors are of length 1 each; a vector of zeros stays as it is.
	Vectors [][]float32
	// Cut says that the end of the text was not read.
	Cut bool
}

// TokenEncoder gives the vector of each token of a text, from a layer of a ModelEncoder's
// model. It ends with that encoder's Close. It is safe for concurrent use.
type TokenEncoder struct {
	encoder *ModelEncoder
	output  string
	cache   *lru.Cache[string, TokenVectors] // nil for none

	mu  sync.Mutex
	own session // opened at the first use, where the encoder's session has another output
}

// TokenEncoder returns the token vectors of a layer: LastLayer, or a number, for which the
// export must have an output hidden_states.N (0 are the embeddings, N what the N-th layer
// gives). The pooling and the prompt of e play no part. A layer that Encode does not use
// itself is loaded at its first use, as a second copy of the model.
func (e *ModelEncoder) TokenEncoder(layer int) (*TokenEncoder, error) {
	output, dim, err := tokenOutput(e.src.graph.outputs, layer)
	if err != nil {
		return nil, err
	}
	e.layersMu.Lock()
	defer e.layersMu.Unlock()
	if t, ok := e.layers[output]; ok {
		return t, nil
	}
	t := &TokenEncoder{encoder: e, output: output}
	entries := e.opts.CacheEntries
	if entries == 0 {
		entries = defaultCacheEntries
	}
	// Every text may have as many tokens as are read.
	if entries = min(entries, cacheBytes/(4*max(dim, 1)*e.tokens.maxTokens)); entries > 0 {
		t.cache, _ = lru.New[string, TokenVectors](entries) // It fails on sizes below 1 only.
	}
	if e.layers == nil {
		e.layers = map[string]*TokenEncoder{}
	}
	e.layers[output] = t
	return t, nil
}

// tokenOutput finds the output with the token vectors of a layer.
func tokenOutput(outputs []modelPort, layer int) (name string, dim int, err error) {
	at, pooled, err := chooseOutput(outputs, false)
	if err != nil {
		return "", 0, err
	}
	last := outputs[at].name
	if pooled {
		return "", 0, fmt.Errorf("the model gives no vectors of tokens, only its pooled output %s", last)
	}
	if layer == LastLayer {
		return last, int(outputs[at].dims[2]), nil
	}
	want, layers := fmt.Sprintf("hidden_states.%d", layer), 0
	for _, o := range outputs {
		if o.name == want && len(o.dims) == 3 {
			return want, int(o.dims[2]), nil
		}
		if strings.HasPrefix(o.name, "hidden_states.") {
			layers++
		}
	}
	if layers > 0 {
		return "", 0, fmt.Errorf("the export has no output %s: it has %d such outputs, and the first is for 0", want, layers)
	}
	return "", 0, fmt.Errorf("the export has only its last layer, %s: layer %d needs an export with an output %s",
		last, layer, want)
}

// Signature names model, checksum, backend, architecture, text preparation, maximum length
// and the model's output.
func (t *TokenEncoder) Signature() Signature {
	return append(slices.Clip(t.encoder.identity), Field{Name: "output", Value: fieldValue(t.output)})
}

// IDs returns the tokens of a text, as many as are read, without special tokens.
func (t *TokenEncoder) IDs(text string) []int {
	ids, _ := t.read(text)
	return ids
}

func (t *TokenEncoder) read(text string) (ids []int, cut bool) {
	e := t.encoder
	text, cut = cutText(text, limits.TextBytes)
	tokens, more := e.tokens.encode(e.prepare(validText(text)))
	for _, token := range tokens {
		ids = append(ids, token.ID)
	}
	return ids, cut || more
}

// Encode returns the vectors of the tokens of each text. A text without tokens of its own
// gets none. Vectors that are not finite are an error. After the encoder's Close the error
// is ErrEncoderClosed.
func (t *TokenEncoder) Encode(ctx context.Context, texts []string) ([]TokenVectors, error) {
	e := t.encoder
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, ErrEncoderClosed
	}
	s, err := t.session(ctx)
	if err != nil {
		return nil, fmt.Errorf("loading the output %s: %w", t.output, err)
	}
	out := make([]TokenVectors, len(texts))
	buckets := map[int][]int{} // texts by the length that they are padded to
	for i, text := range texts {
		if t.cache != nil {
			if v, ok := t.cache.Get(text); ok {
				out[i] = v
				e.cached.Add(1)
				continue
			}
		}
		if out[i] = t.around(text); len(out[i].IDs) > 0 {
			length, _ := e.shape(len(out[i].IDs))
			buckets[length] = append(buckets[length], i)
		}
	}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(e.slots) + 1)
	for length, bucket := range buckets {
		_, rows := e.shape(length)
		for part := range slices.Chunk(bucket, rows) {
			group.Go(func() error { return t.run(gctx, s, length, rows, part, out) })
		}
	}
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("encoding tokens: %w", err)
	}
	for i, v := range out {
		if v.Cut {
			e.cut.Add(1)
		}
		if t.cache != nil && len(texts[i]) <= limits.TextBytes {
			t.cache.Add(strings.Clone(texts[i]), v)
		}
	}
	e.texts.Add(uint64(len(texts)))
	return out, nil
}

// session is the encoder's own where it gives the output, else another.
func (t *TokenEncoder) session(ctx context.Context) (session, error) {
	if t.output == t.encoder.session.info().output {
		return t.encoder.session, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.own == nil {
		src := t.encoder.src
		src.output = t.output
		s, err := openSession(ctx, t.encoder.opts, src)
		if err != nil {
			return nil, err
		}
		t.own = s
	}
	return t.own, nil
}

// around reads a text and puts the special tokens around it. The vectors of a static model
// do not depend on them: it gets none.
func (t *TokenEncoder) around(text string) TokenVectors {
	ids, cut := t.read(text)
	if len(ids) == 0 || t.encoder.static {
		return TokenVectors{IDs: ids, Special: make([]bool, len(ids)), Cut: cut}
	}
	prefix, suffix := t.encoder.tokens.tokenizer.Special()
	special := make([]bool, len(prefix)+len(ids)+len(suffix))
	for i := range special {
		special[i] = i < len(prefix) || i >= len(prefix)+len(ids)
	}
	return TokenVectors{IDs: slices.Concat(prefix, ids, suffix), Special: special, Cut: cut}
}

// run fills in the vectors of some texts, which are padded to length.
func (t *TokenEncoder) run(ctx context.Context, s session, length, rows int, texts []int, out []TokenVectors) error {
	batch := make([]tokenized, len(texts))
	for k, i := range texts {
		batch[k].ids = out[i].IDs
	}
	vectors, err := t.encoder.forward(ctx, s, length, rows, batch)
	if err != nil {
		return err
	}
	for k, i := range texts {
		if len(vectors[k]) != len(out[i].IDs) {
			return fmt.Errorf("model gave %d vectors for %d tokens", len(vectors[k]), len(out[i].IDs))
		}
		out[i].Vectors = make([][]float32, len(vectors[k]))
		for j, v := range vectors[k] {
			// A copy: what the backend gives may be a part of a whole batch.
			out[i].Vectors[j] = slices.Clone(v)
			if err := normalize(out[i].Vectors[j]); err != nil {
				return err
			}
		}
	}
	return nil
}
