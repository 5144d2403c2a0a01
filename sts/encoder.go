package sts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"crscore/sts/internal/limits"
)

// ErrEncoderClosed is what Encode returns after Close.
var ErrEncoderClosed = errors.New("encoder is closed")

// minTokens is the shortest useful maximum: two special tokens and a word.
const minTokens = 3

// EncoderOptions sets up a ModelEncoder. The zero value is a good choice.
type EncoderOptions struct {
	// Name is the model's name in the signature; "model" when empty.
	Name string
	// File is the ONNX file in the model directory, with slashes; empty means
	// model.onnx, onnx/model.onnx or the only ONNX file of the directory.
	File string
	// Pooling makes one vector from the vectors of a text's tokens: PoolingPaper (the
	// default) or PoolingModel.
	Pooling string
	// MaxTokens is the most tokens of a text that are read, special tokens
	// included, at most 512 and at most what the model takes. The rest of a longer
	// text is cut and counted in Stats. 0 means 512.
	MaxTokens int
	// Backend runs the model: BackendGo (the default) or BackendORT.
	Backend string
	// Library is the path of ONNX Runtime's shared library, for BackendORT; empty means
	// the path in the environment variable LibraryVariable, or the system's library.
	Library string
	// Workers is the largest number of batches that run at the same time, over all
	// concurrent calls. 0 means GOMAXPROCS.
	Workers int
	// CacheEntries is the largest number of texts whose vectors are cached; memory
	// bounds the cache too. 0 means 16384, a negative number no cache. A static model
	// has no cache, because it looks vectors up faster.
	CacheEntries int
}

// EncoderStats are the counters of an encoder since it was made.
type EncoderStats struct {
	Texts  uint64 // texts encoded, those from the cache and repetitions included
	Cut    uint64 // texts of which the end was not read, because they are longer than MaxTokens
	Cached uint64 // texts whose vectors were remembered or computed for an equal text of the same call
}

// ModelEncoder encodes texts with an ONNX sentence model. Vectors have length 1.
//
// It is safe for concurrent use.
type ModelEncoder struct {
	model
	prompt    string
	tokens    *tokenReader
	pooling   pooling
	dim       int
	signature Signature
	notes     []string
	cache     *lru.Cache[string, remembered] // nil for none

	layers   map[string]*TokenEncoder // by output
	layersMu sync.Mutex

	texts, cut, cached atomic.Uint64
}

var _ Encoder = (*ModelEncoder)(nil)

// remembered is the cached vector of a text, and whether the text was cut.
type remembered struct {
	vector []float32
	cut    bool
}

// Bounds of the cache: its entries, and the memory of its vectors.
const (
	defaultCacheEntries = 1 << 14
	cacheBytes          = 64 << 20
)

// Dim is the number of values of a vector.
func (e *ModelEncoder) Dim() int { return e.dim }

// Signature names model, checksum, backend, architecture, text preparation,
// maximum length and pooling.
func (e *ModelEncoder) Signature() Signature { return e.signature }

// Notes tell a person how the encoder uses the model in another way than its makers may
// have meant.
func (e *ModelEncoder) Notes() []string { return slices.Clone(e.notes) }

// Static reports that the model only looks up token vectors, which is fast on any backend.
func (e *ModelEncoder) Static() bool { return e.static }

// Stats returns the counters so far.
func (e *ModelEncoder) Stats() EncoderStats {
	return EncoderStats{Texts: e.texts.Load(), Cut: e.cut.Load(), Cached: e.cached.Load()}
}

// Close waits for running calls and releases the model. Closing twice is
// harmless; Encode after Close is ErrEncoderClosed.
func (e *ModelEncoder) Close() error {
	return e.close(func() (errs []error) {
		for _, t := range e.layers {
			if t.own != nil {
				errs = append(errs, t.own.close())
			}
		}
		return errs
	})
}

// Encode implements Encoder. It runs the batches of a call concurrently, and checks ctx
// between batches.
func (e *ModelEncoder) Encode(ctx context.Context, texts []string) ([][]float32, error) {
	return e.encodeAll(ctx, texts, nil)
}

// encodeAll is Encode if mask is nil. Otherwise mask selects the tokens of every text that
// are pooled, and no vector is cached.
func (e *ModelEncoder) encodeAll(ctx context.Context, texts []string, mask []bool) ([][]float32, error) {
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
	again, cut, err := e.encode(ctx, texts, vectors, mask)
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
		if e.cache != nil && mask == nil && len(texts[i]) <= limits.CachedBytes {
			if _, ok := again[i]; !ok {
				e.remember(texts[i], vectors[i], cut[i])
			}
		}
	}
	e.cut.Add(n)
	e.texts.Add(uint64(len(texts)))
	return vectors, nil
}

// remember puts copies into the cache, because text and vector may be slices of larger
// memory.
func (e *ModelEncoder) remember(text string, vector []float32, cut bool) {
	if !e.cache.Contains(text) {
		e.cache.Add(strings.Clone(text), remembered{slices.Clone(vector), cut})
	}
}

// encode fills in vectors, but for the texts that repeat an earlier one: again
// gives their indexes and the first one's. cut marks the texts that were too
// long.
func (e *ModelEncoder) encode(ctx context.Context, texts []string, vectors [][]float32, mask []bool) (again map[int]int, cut []bool, err error) {
	batches := e.batches(ctx, e.run)
	cut = make([]bool, len(texts))
	again = map[int]int{}
	first := map[string]int{}
	for i, text := range texts {
		if batches.ctx.Err() != nil {
			break
		}
		// To look a text up costs more than a static model does.
		if !e.static {
			if k, ok := first[text]; ok {
				again[i] = k
				continue
			}
			first[text] = i
			if e.cache != nil && mask == nil {
				if r, ok := e.cache.Get(text); ok {
					copy(vectors[i], r.vector)
					cut[i] = r.cut
					e.cached.Add(1)
					continue
				}
			}
		}
		p := pending{tokenized: e.read(text, mask), vector: vectors[i]}
		cut[i] = p.cut
		if len(p.ids) == 0 {
			continue // Nothing to encode: the zero vector.
		}
		batches.add(p)
	}
	return again, cut, batches.wait()
}

// read turns a text into tokens. A text without tokens of its own gets none of the
// prompt's either.
func (e *ModelEncoder) read(text string, mask []bool) tokenized {
	text, cut := e.tidy(text)
	t := e.tokens.read(text, mask)
	t.cut = t.cut || cut
	return t
}

// tidy prepares a text for the tokenizer.
func (e *ModelEncoder) tidy(text string) (prepared string, cut bool) {
	text, cut = cutText(text, limits.TextBytes)
	text = validText(text)
	if e.prompt != "" && strings.TrimSpace(text) != "" {
		text = e.prompt + text
	}
	return e.prepare(text), cut
}

// run sends texts of at most length tokens to the model and pools what comes
// back.
func (e *ModelEncoder) run(ctx context.Context, length, rows int, texts []pending) (err error) {
	out, err := e.runPending(ctx, length, rows, texts)
	if err != nil {
		return err
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
