package sts

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"crscore/sts/internal/onnxtest"
)

func openSmall(t testing.TB, opts EncoderOptions, change func(*onnxtest.Transformer)) *ModelEncoder {
	t.Helper()
	e, err := OpenEncoder(context.Background(), smallModel(t, change), opts)
	return opened(t, e, err)
}

// counting counts what reaches the model.
type counting struct {
	session
	texts, rows int
}

func (c *counting) run(ctx context.Context, length, rows int, texts []tokenized) ([][][]float32, error) {
	c.texts += len(texts)
	c.rows += rows
	return c.session.run(ctx, length, rows, texts)
}

func TestEachTextIsEncodedOnce(t *testing.T) {
	e := openSmall(t, EncoderOptions{Workers: 1, CacheEntries: 100}, nil)
	c := &counting{session: e.session}
	e.session = c
	long := strings.Repeat("bibi ", 300)
	texts := []string{"bibi bobo", "bibi", "bibi bobo", "the", long, long}
	first := encode(t, e, texts...)
	if c.texts != 4 {
		t.Errorf("%d texts of 4 were encoded", c.texts)
	}
	second := encode(t, e, slices.Concat(texts, []string{"baba"})...)
	// The long text is not remembered: it is longer than any sentence.
	if c.texts != 6 {
		t.Errorf("%d texts were encoded, want 6", c.texts)
	}
	for i := range texts {
		if !slices.Equal(first[i], second[i]) {
			t.Errorf("%.20q has other bits from the cache", texts[i])
		}
	}
	if s, want := e.Stats(), (EncoderStats{Texts: 13, Cut: 4, Cached: 2 + 3 + 2}); s != want {
		t.Errorf("stats are %+v, want %+v", s, want)
	}
	// What a caller does to a vector stays with the caller.
	clear(second[0])
	if third := encode(t, e, texts[0])[0]; !slices.Equal(third, first[0]) {
		t.Error("the caller's vector is the remembered one")
	}
}

func TestCacheIsBounded(t *testing.T) {
	serial(t)
	e := openSmall(t, EncoderOptions{CacheEntries: 10}, nil)
	for i := range 40 {
		encode(t, e, fmt.Sprint("bibi ", i), fmt.Sprint("bobo ", i))
	}
	if n := e.cache.Len(); n != 10 {
		t.Errorf("%d texts are remembered, want 10", n)
	}
	if none := openSmall(t, EncoderOptions{CacheEntries: -1}, nil); none.cache != nil {
		t.Error("there is a cache where none was wanted")
	}
	if e := newBuiltin(t, EncoderOptions{}); e.cache != nil {
		t.Error("a static model has a cache, which costs more than it does")
	}
}

// Memory does not grow with the number of texts.
func TestMemoryIsBounded(t *testing.T) {
	serial(t)
	e := openSmall(t, EncoderOptions{CacheEntries: 500}, nil)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	batch := func(n int) {
		texts := make([]string, 500)
		for i := range texts {
			texts[i] = fmt.Sprintf("bibi bobo %d %d", n, i)
		}
		encode(t, e, texts...)
	}
	batch(0)
	before := heap()
	for n := range 10 {
		batch(n + 1)
	}
	if after := heap(); after > before+4<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", before, after)
	}
}

// A small call does not pay for a large one's batches.
func TestSmallCallsAreSmall(t *testing.T) {
	e := openSmall(t, EncoderOptions{Workers: 1}, nil)
	c := &counting{session: e.session}
	e.session = c
	encode(t, e, "bibi bobo baba bebe bubu the bi bo be", "bibi bobo baba bebe bubu the bi bo ba", "bibi bobo baba bebe bubu the bi bo bu of a")
	if c.rows > 4 {
		t.Errorf("3 texts run as %d", c.rows)
	}
}

// A quantised model takes the range of values over the batch, so texts run alone.
func TestQuantisedRunsAlone(t *testing.T) {
	dir := smallModel(t, func(m *onnxtest.Transformer) { m.Int8 = true })
	e, err := OpenEncoder(context.Background(), dir, EncoderOptions{CacheEntries: -1})
	if err != nil {
		t.Skipf("the backend cannot run it: %v", err)
	}
	defer e.Close()
	texts := []string{"bibi bobo", "the bababa of bu", "bibi", "bobo baba bebe bubu"}
	want := encode(t, e, texts...)
	for i, text := range texts {
		if got := encode(t, e, text)[0]; !slices.Equal(got, want[i]) {
			t.Errorf("%q has other bits alone", text)
		}
		if cosine32(want[i], want[i]) == 0 {
			t.Errorf("%q has no vector", text)
		}
	}
}
