package sts

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"crscore/sts/internal/onnxtest"
)

func tokenEncoder(t testing.TB, e *ModelEncoder, layer int) *TokenEncoder {
	t.Helper()
	tokens, err := e.TokenEncoder(layer)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func encodeTokens(t testing.TB, e *TokenEncoder, texts ...string) []TokenVectors {
	t.Helper()
	vectors, err := e.Encode(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors) != len(texts) {
		t.Fatalf("vectors of %d texts, want %d", len(vectors), len(texts))
	}
	return vectors
}

// TestTokensOfTexts holds the tokens against those that Encode reads.
func TestTokensOfTexts(t *testing.T) {
	small, static := openSmall(t, EncoderOptions{}, nil), newBuiltin(t, EncoderOptions{})
	texts := append(testTokens(t, 40), "", " \n")
	for i, v := range encodeTokens(t, tokenEncoder(t, small, LastLayer), texts...) {
		if read := small.read(texts[i], nil); !slices.Equal(v.IDs, read.ids) {
			t.Errorf("%.40q has the tokens %v, want %v", texts[i], v.IDs, read.ids)
		}
		var own []int
		for k, special := range v.Special {
			if !special {
				own = append(own, v.IDs[k])
			}
			if n := cosine32(v.Vectors[k], v.Vectors[k]); math.Abs(n-1) > 1e-6 {
				t.Errorf("%.40q: a vector has the length %f", texts[i], n)
			}
		}
		want := tokenEncoder(t, small, LastLayer).IDs(texts[i])
		if !slices.Equal(own, want) || len(want) > 0 && len(v.IDs) != len(want)+2 {
			t.Errorf("%.40q has the tokens %v without special ones, want %v", texts[i], own, want)
		}
	}
	// A word and a text with this word alone have the same static vector; "変数" is unknown.
	v := encodeTokens(t, tokenEncoder(t, static, LastLayer), "Parser throws 変数")[0]
	for i, word := range []string{"parser", "throws", "変数"} {
		if !slices.Equal(v.Vectors[i], encode(t, static, word)[0]) || v.Special[i] {
			t.Errorf("the token %q has another vector than the text", word)
		}
	}
}

// testTokens are texts for the tokenizer of small models.
func testTokens(t testing.TB, n int) []string {
	t.Helper()
	file, err := onnxtest.Tokenizer(2000)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := onnxtest.Texts(file, n, 5)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestTokensOfLayers compares layers with models that have fewer: the weights of a layer
// are the same whatever comes behind it.
func TestTokensOfLayers(t *testing.T) {
	testTokensOfLayers(t, BackendGo)
	if ORT() && os.Getenv("ORT_DYLIB_PATH") != "" {
		testTokensOfLayers(t, BackendORT)
	}
}

func testTokensOfLayers(t *testing.T, backend string) {
	opts := EncoderOptions{Backend: backend}
	e := openSmall(t, opts, func(m *onnxtest.Transformer) { m.HiddenStates = true })
	texts := testTokens(t, 5)
	encode(t, e, texts...)
	for layer := range 3 {
		cut := openSmall(t, opts, func(m *onnxtest.Transformer) { m.Layers = layer })
		got := encodeTokens(t, tokenEncoder(t, e, layer), texts...)
		want := encodeTokens(t, tokenEncoder(t, cut, LastLayer), texts...)
		for i := range texts {
			for k := range want[i].Vectors {
				if d := difference(got[i].Vectors[k], want[i].Vectors[k]); d > 1e-6 {
					t.Fatalf("layer %d of %.30q differs by %g", layer, texts[i], d)
				}
			}
		}
	}
	a, b := tokenEncoder(t, e, 1), tokenEncoder(t, e, 1)
	if a != b || !strings.HasSuffix(a.Signature().String(), " output=hidden_states.1") {
		t.Errorf("layer 1 is loaded twice, or not named: %s", a.Signature().String())
	}
	_, err := e.TokenEncoder(3)
	if err == nil || !strings.Contains(err.Error(), "no output hidden_states.3: it has 3 such outputs") {
		t.Errorf("a layer too many: %v", err)
	}
	pooled := openSmall(t, opts, func(m *onnxtest.Transformer) { m.Pooled = true })
	if _, err := pooled.TokenEncoder(LastLayer); err == nil || !strings.Contains(err.Error(), "no vectors of tokens") {
		t.Errorf("a model with pooled output: %v", err)
	}
	// The directory is open still, so another layer can be loaded, and then it is closed.
	late := tokenEncoder(t, e, 0)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := late.Encode(t.Context(), texts); !errors.Is(err, ErrEncoderClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := e.root.(*os.Root).Open("."); err == nil {
		t.Error("the model directory is open after Close")
	}
}

// TestTokensDoNotDependOnCompany wants the same bits alone, in company and from the cache.
func TestTokensDoNotDependOnCompany(t *testing.T) {
	texts := testTokens(t, 30)
	uncached := openSmall(t, EncoderOptions{CacheEntries: -1}, nil)
	first := encodeTokens(t, tokenEncoder(t, uncached, LastLayer), texts...)
	cached := tokenEncoder(t, openSmall(t, EncoderOptions{}, nil), LastLayer)
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			for i, text := range texts {
				got, err := cached.Encode(context.Background(), []string{text, text})
				if err != nil {
					t.Error(err)
					return
				}
				for _, v := range got {
					if !slices.EqualFunc(v.Vectors, first[i].Vectors, slices.Equal[[]float32]) {
						t.Errorf("%.30q has other bits alone", text)
					}
				}
			}
		})
	}
	wait.Wait()
	long := strings.Repeat("bibi ", 300)
	before := cached.encoder.Stats()
	for range 2 {
		if v := encodeTokens(t, cached, long)[0]; len(v.IDs) != 128 || !v.Special[127] || !v.Cut {
			t.Errorf("a long text has %d tokens, cut %v", len(v.IDs), v.Cut)
		}
	}
	after := cached.encoder.Stats()
	if after.Texts-before.Texts != 2 || after.Cut-before.Cut != 2 || after.Cached-before.Cached != 1 {
		t.Errorf("statistics %+v after %+v", after, before)
	}
}

// spoiled gives vectors that are not finite, or too few.
type spoiled struct {
	session
	value float32
	few   bool
}

func (s spoiled) run(ctx context.Context, length, rows int, texts []tokenized) ([][][]float32, error) {
	out, err := s.session.run(ctx, length, rows, texts)
	if err == nil && s.few {
		out[0] = out[0][1:]
	} else if err == nil {
		out[0][1][3] = s.value
	}
	return out, err
}

func TestTokensOfBrokenModels(t *testing.T) {
	for _, value := range []float64{0, math.NaN(), math.Inf(1), math.Inf(-1)} {
		e := openSmall(t, EncoderOptions{}, nil)
		e.session = spoiled{e.session, float32(value), value == 0}
		_, err := tokenEncoder(t, e, LastLayer).Encode(t.Context(), []string{"bibi bobo"})
		if err == nil || value != 0 && !errors.Is(err, errNotFinite) {
			t.Errorf("%v: %v", value, err)
		}
	}
	e := openSmall(t, EncoderOptions{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tokenEncoder(t, e, LastLayer).Encode(ctx, []string{"bibi bobo"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkTokenEncoder(b *testing.B) {
	forModels(b, func(b *testing.B, m *benchModel, backend string) {
		e := m.load(b, backend)
		defer e.Close()
		texts, err := onnxtest.Texts(m.tokenizer, m.texts, 7)
		if err != nil {
			b.Fatal(err)
		}
		tokens := tokenEncoder(b, e, LastLayer)
		b.ReportAllocs()
		for b.Loop() {
			encodeTokens(b, tokens, texts...)
		}
		b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "texts/s")
	})
}
