package sts

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"crscore/sts/internal/onnxtest"
)

// TestFirstTextMasks has the tokens of a list that are pooled, by hand: the first text
// leaves its first token out, so every other one does, and all behind its fourth.
func TestFirstTextMasks(t *testing.T) {
	r := newTokenReader(t, bertTokenizer(t), 512)
	list := []struct{ text, want string }{
		{"The parsers", "par ##ser ##s"},
		{"whatever is broken", "##ever is broken"}, // "is" is a stop word, but stands where "##ser" does
		{"naive cafe broken naive cafe broken", "cafe broken naive"},
		{"broken", ""},
		{"", ""},
	}
	tokens, _ := r.encode(list[0].text)
	mask := r.content(tokens)
	for _, tt := range list {
		got := r.read(tt.text, mask)
		var pooled []string
		for i, id := range got.ids {
			if got.pooled[i] {
				pooled = append(pooled, r.tokenizer.Name(id))
			}
		}
		if s := strings.Join(pooled, " "); s != tt.want {
			t.Errorf("%q pools %q, want %q", tt.text, s, tt.want)
		}
	}
}

func TestCompatCosine(t *testing.T) {
	serial(t)
	e := newBuiltin(t, EncoderOptions{})
	c, err := NewCompatCosine(Cosine{Encoder: e})
	if err != nil {
		t.Fatal(err)
	}
	// The second sentence of the first review lacks "cache", because "the" stands there
	// in the first sentence. Of references only the first token is left.
	reviews := [][]string{{"the cache", "cache parser broken"}, {"parser", "the cache"}, {"", "parser"}, nil}
	refs := []string{"token", "the error", "error token"}
	rows := [][]string{{"cache", "parser"}, {"parser", "the"}, {"", ""}, nil}
	columns := []string{"token", "the", "error"}
	got, err := c.Matrices(context.Background(), reviews, refs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if len(got[i]) != len(rows[i]) {
			t.Fatalf("review %d: %d rows, want %d", i, len(got[i]), len(rows[i]))
		}
		for k, row := range rows[i] {
			for j, column := range columns {
				v := encode(t, e, row, column) // stop words alone are pooled
				want := max(0, cosine32(v[0], v[1]))
				if math.Abs(float64(got[i][k][j])-want) > 1e-6 {
					t.Errorf("review %d: %q and %q have %v, want that of %q and %q, %v", i, reviews[i][k], refs[j], got[i][k][j], row, column, want)
				}
			}
		}
	}
	if m, err := c.Matrix(context.Background(), reviews[1], []string{"", "parser"}); err != nil || !slices.Equal(m[0], []float32{0, 0}) {
		t.Errorf("an empty reference first: %v, %v", m, err)
	}
	if want := "similarity=cosine compat=crscore-code " + e.Signature().String(); c.Signature().String() != want {
		t.Errorf("the signature is %s, want %s", c.Signature().String(), want)
	}
}

// TestCompatOfOneText: a text that is a list by itself is masked by its own tokens,
// also in a model that sees all of them, and no other mask stays in the cache.
func TestCompatOfOneText(t *testing.T) {
	serial(t)
	small, err := OpenEncoder(context.Background(), smallModel(t, nil), EncoderOptions{})
	for _, e := range []*ModelEncoder{newBuiltin(t, EncoderOptions{}), opened(t, small, err)} {
		plain := Cosine{Encoder: e}
		c, err := NewCompatCosine(plain)
		if err != nil {
			t.Fatal(err)
		}
		matrix := func(s Similarity, sentences, refs []string) [][]float32 {
			m, err := s.Matrix(context.Background(), sentences, refs)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		a, b := "why is the cache broken", "the parser is not valid"
		if other := matrix(c, []string{"is the cache", a}, []string{"parser", b}); other[1][1] == matrix(plain, []string{a}, []string{b})[0][0] {
			t.Errorf("%s: the first text of a list changes nothing", e.Signature().String())
		}
		if got, want := matrix(c, []string{a}, []string{b}), matrix(plain, []string{a}, []string{b}); got[0][0] != want[0][0] {
			t.Errorf("%s: one text has %v, want %v", e.Signature().String(), got, want)
		}
	}
}

func TestCompatNeedsTokens(t *testing.T) {
	e := newBuiltin(t, EncoderOptions{})
	hybrid, err := NewSimilarity(SimilarityHybrid, e)
	if err != nil {
		t.Fatal(err)
	}
	pooled := onnxtest.Small()
	pooled.Pooled = true
	other, err := NewEncoder(context.Background(), os.DirFS(writeModel(t, pooled)), EncoderOptions{})
	for why, s := range map[string]Similarity{
		"needs the similarity cosine": hybrid,
		"an encoder that is a model":  Cosine{Encoder: fixed{}},
		"needs pooling paper":         Cosine{Encoder: newBuiltin(t, EncoderOptions{Pooling: PoolingModel})},
		"the vectors of tokens":       Cosine{Encoder: opened(t, other, err)},
	} {
		if _, err := NewCompatCosine(s); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}
