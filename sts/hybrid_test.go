package sts_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"crscore/sts"
	"crscore/sts/builtin"
)

// constant is an encoder for which all texts mean the same, so that only words
// tell them apart.
type constant struct{}

func (constant) Encode(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1}
	}
	return out, ctx.Err()
}
func (constant) Dim() int { return 1 }
func (constant) Signature() sts.Signature {
	return sts.Signature{{Name: "encoder", Value: "constant"}}
}

func newHybrid(t testing.TB, weights sts.HybridWeights) *sts.Hybrid {
	t.Helper()
	lexicon, err := sts.ParseLexicon([]byte("1000\nrenam\t10\nmethod\t100\nname\t50\nbuffer\t10\nread\t50\nfile\t10\n"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := sts.NewHybrid(constant{}, lexicon, weights)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHybridEvidence(t *testing.T) {
	h := newHybrid(t, sts.DefaultHybridWeights())
	for _, tt := range []struct {
		name, sentence, ref string
		words, names        bool // whether there is evidence of the kind
		opposed             bool
	}{
		{"prose", "The method was renamed.", "Renames a method.", true, false, false},
		{"nothing shared", "The method was renamed.", "A file is read.", false, false, false},
		{"stop words are not evidence", "This is what it was.", "That is what it was.", false, false, false},
		{"no words at all", "???", "The method was renamed.", false, false, false},
		{"in backticks", "Is `buffer` right?", "The buffer is read.", false, true, false},
		{"camel case", "readBuffer!", "The buffer is read.", false, true, false},
		{"snake case", "(read_buffer)", "The buffer is read.", false, true, false},
		{"a call", "read()", "The buffer is read.", false, true, false},
		{"qualified", "io.read,", "The buffer is read.", false, true, false},
		{"scoped", "io::read", "The buffer is read.", false, true, false},
		{"operators", "buffer=read;", "The buffer is read.", false, true, false},
		{"both kinds", "`buffer` is never read", "The buffer is read.", true, true, true},
		{"code that prose repeats is prose", "`buffer` names a buffer", "The buffer is read.", true, false, false},
		{"code in the reference alone", "The buffer is read.", "`buffer` is read", true, false, false},
		{"end of a sentence", "Is it the buffer?", "The buffer is read.", true, false, false},
		{"quoted prose", `"buffer", (read)`, "The buffer is read.", true, false, false},
		{"abbreviation", "e.g. the buffer", "The buffer is read.", true, false, false},
		{"capitals", "BUFFER", "The buffer is read.", true, false, false},
		{"accents are no capitals", "bufferé buffer", "The buffer is read.", true, false, false},
		{"backtick without end", "the `buffer", "The buffer is read.", true, false, false},
		{"two backticks", "``read `buffer` ``", "The buffer is read.", false, true, false},
		{"negated sentence", "The buffer isn't read.", "The buffer is read.", true, false, true},
		{"negated reference", "The buffer is read.", "The buffer is not read.", true, false, true},
		{"both negated", "The buffer can't be read without it.", "The buffer is not read.", true, false, false},
		{"negation in code", "`no_buffer` is read", "The buffer is read.", true, true, false},
		{"typographic apostrophe", "The buffer doesn’t read.", "The buffer is read.", true, false, true},
	} {
		m, err := h.Evidence(t.Context(), []string{tt.sentence}, []string{tt.ref})
		if err != nil {
			t.Fatal(err)
		}
		e := m[0][0]
		if e.Words > 0 != tt.words || e.Names > 0 != tt.names || e.Opposed != tt.opposed {
			t.Errorf("%s: %+v, want words %v, names %v, opposed %v", tt.name, e, tt.words, tt.names, tt.opposed)
		}
		if e.Words < 0 || e.Names < 0 || e.Words+e.Names > 1.000001 {
			t.Errorf("%s: %+v is not in [0,1]", tt.name, e)
		}
	}
}

func TestHybridOverlap(t *testing.T) {
	h := newHybrid(t, sts.DefaultHybridWeights())
	m, err := h.Evidence(t.Context(), []string{"read the buffer", "read the buffer file"}, []string{"the buffer is read"})
	if err != nil {
		t.Fatal(err)
	}
	// idf: read ln(1001/51), buffer and file ln(1001/11).
	if got := m[0][0].Words; got < 0.999999 {
		t.Errorf("same words: overlap %v, want 1", got)
	}
	const want = 0.79116 // sqrt((2.9769+4.5109) / (2.9769+4.5109+4.5109))
	if got := m[1][0].Words; got < want-0.002 || got > want+0.002 {
		t.Errorf("a word more: overlap %v, want %v", got, want)
	}
}

func TestHybridWeigh(t *testing.T) {
	w := sts.HybridWeights{Dense: 0.4, Names: 0.5, Opposed: 0.1, Elsewhere: 0.2}
	for _, tt := range []struct {
		e    sts.Evidence
		want float32
	}{
		{sts.Evidence{Stated: 1}, 0},
		{sts.Evidence{Dense: 1, Words: 1, Stated: 1}, 1},
		{sts.Evidence{Dense: 1, Words: 1}, 0},
		{sts.Evidence{Dense: 1, Stated: 1}, 0.4},
		{sts.Evidence{Words: 0.5, Stated: 1}, 0.3},
		{sts.Evidence{Names: 0.5, Stated: 1}, 0.15},
		{sts.Evidence{Names: 0.5, Stated: 0.5}, 0.075},
		{sts.Evidence{Dense: 1, Words: 1, Stated: 1, Opposed: true}, 0.6},
		{sts.Evidence{Words: 0.5, Stated: 1, Opposed: true}, 0.3 * 0.964},
		{sts.Evidence{Dense: 1, Words: 1, Stated: 1, Elsewhere: true}, 0.8},
	} {
		if got := w.Weigh(tt.e); got < tt.want-1e-6 || got > tt.want+1e-6 {
			t.Errorf("%+v: %v, want %v", tt.e, got, tt.want)
		}
	}
	for _, bad := range []sts.HybridWeights{{Dense: -0.1}, {Names: 1.1}, {Opposed: 2}, {Elsewhere: math.NaN()}} {
		if bad.Check() == nil {
			t.Errorf("%+v is taken for good", bad)
		}
	}
}

func TestHybridStated(t *testing.T) {
	h := newHybrid(t, sts.DefaultHybridWeights())
	for _, tt := range []struct {
		sentence string
		low, top float32
	}{
		{"Why do we need these imports?", 1, 1},
		{"Missing null check.", 1, 1},
		{"Should `readBuffer` not be called in the loop?", 1, 1},
		{"Typo", 0.4, 0.6},
		{"", 1, 1},
		{"`a` `b`, `c`", 0, 0},
		{"read, buffer, name, file, method, size, offset, count, flag, mode", 0, 0.4},
		{"return readBuffer(name, size);", 0, 0.7},
		{"resave: false,", 0, 0},
		{"r.mu.Lock() defer r.mu.Unlock()", 0, 0.7},
	} {
		m, err := h.Evidence(t.Context(), []string{tt.sentence}, []string{"The buffer is read."})
		if err != nil {
			t.Fatal(err)
		}
		if got := m[0][0].Stated; got < tt.low || got > tt.top {
			t.Errorf("%q: stated %v, want %v to %v", tt.sentence, got, tt.low, tt.top)
		}
	}
}

func TestHybridElsewhere(t *testing.T) {
	h := newHybrid(t, sts.DefaultHybridWeights())
	for _, tt := range []struct {
		sentence, ref string
		want          bool
	}{
		{"`read_buffer` is slow.", "`openFile` was renamed.", true},
		{"`read_buffer` is slow.", "`readBuffer` was renamed.", false},
		{"`read_buffer` is slow.", "A file was renamed.", false},
		{"It is slow.", "`openFile` was renamed.", false},
		{"`read_buffer` is slow for a file.", "The method `File` was renamed.", false},
		{"`buffer.size` is slow.", "`openFile` has a buffer of another size.", false},
	} {
		m, err := h.Evidence(t.Context(), []string{tt.sentence}, []string{tt.ref})
		if err != nil {
			t.Fatal(err)
		}
		if got := m[0][0].Elsewhere; got != tt.want {
			t.Errorf("%q and %q: elsewhere %v, want %v", tt.sentence, tt.ref, got, tt.want)
		}
	}
}

// TestHybridPairsAlone holds the contract of Similarity: a pair's value does not
// depend on the other texts of the call or on their order.
func TestHybridPairsAlone(t *testing.T) {
	enc, err := sts.NewBuiltin(t.Context(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	h, err := sts.NewSimilarity("hybrid", enc)
	if err != nil {
		t.Fatal(err)
	}
	sentences := []string{"Why is `flush` not called?", "", "The buffer is never closed.", "flush_all(buffer);", "Why is `flush` not called?"}
	refs := []string{"A call of `flush` was removed.", "The buffer is now closed by its caller.", "", "不 buffer é"}
	whole, err := h.Matrix(t.Context(), sentences, refs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range sentences {
		for j := range refs {
			one, err := h.Matrix(t.Context(), sentences[i:i+1], refs[j:j+1])
			if err != nil {
				t.Fatal(err)
			}
			if one[0][0] != whole[i][j] {
				t.Errorf("pair %d %d: %v alone, %v among others", i, j, one[0][0], whole[i][j])
			}
		}
	}
}

func TestHybridCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newHybrid(t, sts.DefaultHybridWeights()).Matrix(ctx, []string{"a"}, []string{"b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want a cancelled context", err)
	}
}

func TestNewSimilarity(t *testing.T) {
	for _, name := range []string{"cosine", "hybrid"} {
		s, err := sts.NewSimilarity(name, constant{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(s.Signature().String(), "similarity="+name) || !strings.HasSuffix(s.Signature().String(), " encoder=constant") {
			t.Errorf("%s: signature %q", name, s.Signature().String())
		}
	}
	if _, err := sts.NewSimilarity("jaccard", constant{}); err == nil || !strings.Contains(err.Error(), "choose pair, hybrid, cosine or cross:MODEL") {
		t.Errorf("error %v, want the choices", err)
	}
}

func FuzzHybrid(f *testing.F) {
	f.Add("Why is `flush` not called?", "A call of `flush` was removed.")
	f.Add("``a` b.c d::e", "é\x00\xff")
	f.Add("`", "'('")
	lexicon, err := sts.ParseLexicon(builtin.Words())
	if err != nil {
		f.Fatal(err)
	}
	h, err := sts.NewHybrid(constant{}, lexicon, sts.DefaultHybridWeights())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		m, err := h.Matrix(t.Context(), []string{a}, []string{b})
		if err != nil {
			t.Fatal(err)
		}
		if v := m[0][0]; !(v >= 0 && v <= 1) {
			t.Errorf("similarity %v is not in [0,1]", v)
		}
	})
}

func BenchmarkHybrid(b *testing.B) {
	enc, err := sts.NewBuiltin(b.Context(), sts.EncoderOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer enc.Close()
	var sentences, refs []string
	for i := range 50 {
		sentences = append(sentences, fmt.Sprintf("I think that `flush%d` should not be called while the buffer %d is still open, because its owner closes it.", i, i))
		refs = append(refs, fmt.Sprintf("The call of `flush%d` was moved behind the check whether the buffer is open.", i))
	}
	for _, name := range []string{"cosine", "hybrid"} {
		s, err := sts.NewSimilarity(name, enc)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Matrix(b.Context(), sentences, refs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(sentences)*len(refs))/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}
