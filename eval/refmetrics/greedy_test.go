package refmetrics

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crscore/sts"
)

// pytorchModels are small models, with the scores that PyTorch computes for them (see
// encoders.py beside them).
const pytorchModels = "../../sts/testdata/pytorch/small"

func newBuiltin(t testing.TB) Needs {
	t.Helper()
	e, err := sts.NewBuiltin(t.Context(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return Needs{Encoder: e}
}

func openModel(t testing.TB, name string, opts sts.EncoderOptions) Needs {
	t.Helper()
	e, err := sts.OpenEncoder(t.Context(), filepath.Join(pytorchModels, name), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return Needs{Encoder: e}
}

// fixedTokens has the vectors of texts as they are given; ids are those of letters.
type fixedTokens map[string]sts.TokenVectors

func (f fixedTokens) Encode(_ context.Context, texts []string) ([]sts.TokenVectors, error) {
	var out []sts.TokenVectors
	for _, text := range texts {
		out = append(out, f[text])
	}
	return out, nil
}

func (f fixedTokens) IDs(text string) (ids []int) {
	for i, id := range f[text].IDs {
		if !f[text].Special[i] {
			ids = append(ids, id)
		}
	}
	return ids
}

// tokens are vectors, with special tokens at the ends.
func tokens(vectors ...[]float32) sts.TokenVectors {
	v := sts.TokenVectors{Vectors: vectors, IDs: make([]int, len(vectors)), Special: make([]bool, len(vectors))}
	for i := range vectors {
		v.IDs[i] = i
	}
	v.Special[0], v.Special[len(vectors)-1] = true, true
	return v
}

// TestGreedyGolden has the values of bert-score 0.3.13.
func TestGreedyGolden(t *testing.T) {
	texts := fixedTokens{
		"h": tokens([]float32{1, 0, 0}, []float32{.6, .8, 0}, []float32{0, 1, 0}, []float32{0, 0, 1}),
		"r": tokens([]float32{1, 0, 0}, []float32{0, .6, .8}, []float32{.8, .6, 0}, []float32{0, .8, .6}, []float32{0, 0, 1}),
	}
	tests := []struct {
		m    greedy
		want float64
	}{
		{greedy{value: "p"}, .8800},
		{greedy{value: "r"}, .8533},
		{greedy{value: "f"}, .8665},
		{greedy{value: "mean"}, .8667},
		{greedy{value: "p", ignore: true}, .8800},
		{greedy{value: "r", ignore: true}, .7867},
		{greedy{value: "f", ignore: true}, .8307},
		{greedy{value: "p", baseline: .5}, .7600},
	}
	for _, tt := range tests {
		m := tt.m
		m.tokens = texts
		if got, err := m.Score(t.Context(), "h", []string{"r"}); err != nil || !nearGolden(got, tt.want) {
			t.Errorf("%+v: %f, %v, want %f", tt.m, got, err, tt.want)
		}
		// The best of several references, and the texts trimmed.
		if got, err := m.Score(t.Context(), " h\n", []string{"", "r", ""}); err != nil || !nearGolden(got, tt.want) {
			t.Errorf("%+v with references: %f, %v, want %f", tt.m, got, err, tt.want)
		}
		for _, pair := range [][2]string{{"", "r"}, {"h", ""}, {"", ""}} {
			if got, err := m.Score(t.Context(), pair[0], []string{pair[1]}); err != nil || got != m.min() {
				t.Errorf("%+v: an empty text scores %f, %v, want %f", tt.m, got, err, m.min())
			}
		}
	}
}

// TestGreedyIDF: of the references a b, a c and a a, the token a is in all three and weighs
// ln(4/4) = 0; b and c weigh ln(4/2), and d, which is in none, ln(4/1), twice as much.
func TestGreedyIDF(t *testing.T) {
	a, b, c, d := []float32{1, 0, 0}, []float32{0, 1, 0}, []float32{0, 0, 1}, []float32{0, .8, .6}
	text := func(ids []int, vectors ...[]float32) sts.TokenVectors {
		return sts.TokenVectors{IDs: ids, Vectors: vectors, Special: make([]bool, len(ids))}
	}
	texts := fixedTokens{
		"a b": text([]int{0, 1}, a, b), "a c": text([]int{0, 2}, a, c),
		"a b d": text([]int{0, 1, 3}, a, b, d),
		"a a":   text([]int{0, 0}, a, a),
	}
	m := greedyIDF{greedy{tokens: texts, value: "p", idf: &idf{df: map[int]int{}}}}
	_, err := m.Score(t.Context(), "a b", []string{"a c"})
	if err == nil || !strings.Contains(err.Error(), "idf 0, by 0 references") {
		t.Errorf("before any reference: %v", err)
	}
	for _, refs := range [][]string{{"a b", "a c"}, {"a a"}} {
		m.Observe(refs)
	}
	for id, want := range []float64{0, math.Log(2), math.Log(2), math.Log(4)} {
		if got := m.idf.weight(id); got != want {
			t.Errorf("the token %d weighs %f, want %f", id, got, want)
		}
	}
	// b has no match, d has .6 with c and weighs twice as much.
	want := (0*1 + .6*2) / 3.0
	if got, err := m.Score(t.Context(), "a b d", []string{"a c"}); err != nil || math.Abs(got-want) > 1e-7 {
		t.Errorf("%f, %v, want %f", got, err, want)
	}
	if got, err := m.Score(t.Context(), "a a", []string{"a c"}); err == nil {
		t.Errorf("a text whose tokens all weigh 0 scores %f", got)
	}
}

func TestGreedyNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		texts := fixedTokens{
			"good": tokens([]float32{1, 0}, []float32{0, 1}, []float32{1, 0}),
			"bad":  tokens([]float32{1, 0}, []float32{0, float32(bad)}, []float32{1, 0}),
		}
		m := greedy{tokens: texts, value: "f"}
		for _, pair := range [][2]string{{"good", "bad"}, {"bad", "good"}, {"bad", "bad"}} {
			if got, err := m.Score(t.Context(), pair[0], []string{pair[1]}); err == nil {
				t.Errorf("%v: %q scores %f", bad, pair, got)
			}
		}
		e := embedding{fixedVectors{"a": {float32(bad), 1}, "b": {1, 1}}}
		if got, err := e.Score(t.Context(), "a", []string{"b"}); err == nil {
			t.Errorf("%v: the embedding similarity is %f", bad, got)
		}
	}
}

// fixedVectors are the vectors of texts.
type fixedVectors map[string][]float32

func (f fixedVectors) Encode(_ context.Context, texts []string) (out [][]float32, err error) {
	for _, text := range texts {
		out = append(out, f[text])
	}
	return out, nil
}
func (fixedVectors) Dim() int { return 2 }
func (fixedVectors) Signature() sts.Signature {
	return sts.Signature{{Name: "encoder", Value: "fixed"}}
}

func TestEmbeddingSimilarity(t *testing.T) {
	m := embedding{fixedVectors{"a": {.6, .8}, "b": {.8, .6}, "opposite": {-.6, -.8}, "": {0, 0}}}
	for _, tt := range []struct {
		refs []string
		want float64
	}{
		{[]string{"b"}, .96}, {[]string{"a"}, 1}, {[]string{"opposite"}, 0}, {[]string{""}, 0},
		{[]string{"opposite", "b", ""}, .96},
	} {
		if got, err := m.Score(t.Context(), "a", tt.refs); err != nil || math.Abs(got-tt.want) > 1e-7 {
			t.Errorf("%q: %f, %v, want %f", tt.refs, got, err, tt.want)
		}
	}
}

// TestBERTScoreEqualsPyTorch scores texts with an ONNX model of each kind.
func TestBERTScoreEqualsPyTorch(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(pytorchModels, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Texts     []string
		BERTScore map[string][][5]float64 // hypothesis, reference, P, R, F
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.BERTScore) != 5 {
		t.Fatalf("scores of %d models", len(want.BERTScore))
	}
	for name, rows := range want.BERTScore {
		needs := openModel(t, name, sts.EncoderOptions{})
		for i, value := range []string{"p", "r", "f"} {
			m := newMetric(t, "bertscore:value="+value, needs)
			for _, row := range rows {
				h, r := want.Texts[int(row[0])], want.Texts[int(row[1])]
				if got, err := m.Score(t.Context(), h, []string{r}); err != nil || math.Abs(got-row[2+i]) > 1e-4 {
					t.Errorf("%s %s: %.40q and %.40q score %f, %v, want %f", name, value, h, r, got, err, row[2+i])
				}
			}
		}
	}
}

func TestSignaturesOfEncoders(t *testing.T) {
	builtin, bert := newBuiltin(t), openModel(t, "bert", sts.EncoderOptions{Pooling: sts.PoolingModel})
	for spec, want := range map[string]string{
		"bertscore": "|layer:last|value:f|specials:match|prefix-space:no|baseline:no|idf:no",
		"bertscore:baseline=.6/.7/.5:idf=yes:specials=ignore:value=r:layer=last:prefix-space=yes": "" +
			"|layer:last|value:r|specials:ignore|prefix-space:yes|baseline:.6/.7/.5|idf:yes",
		"embedding-similarity": "",
	} {
		m := newMetric(t, spec, bert)
		want = m.Info.Name + want + "|encoder:bert@sha256:"
		if !strings.HasPrefix(m.Signature, want) || strings.ContainsAny(m.Signature, " =") ||
			!strings.Contains(m.Signature, "|backend:hugot-") {
			t.Errorf("the signature of %s is %s, want %s…", spec, m.Signature, want)
		}
		if _, ok := m.Metric.(Observer); ok != strings.Contains(spec, "idf=yes") {
			t.Errorf("%s observes: %v", spec, ok)
		}
	}
	end := "|text:plain|maxtokens:64|output:last_hidden_state|unseen:unscored"
	if s := newMetric(t, "bertscore", bert).Signature; !strings.HasSuffix(s, end) {
		t.Errorf("the signature of bertscore is %s", s)
	}
	if s := newMetric(t, "embedding-similarity", bert).Signature; !strings.HasSuffix(s, "|pooling:model:mean|unseen:unscored") {
		t.Errorf("the signature of embedding-similarity is %s", s)
	}
	want := "greedy-matching|value:mean|idf:no|encoder:crscore-static-"
	if s := newMetric(t, "greedy-matching", builtin).Signature; !strings.HasPrefix(s, want) {
		t.Errorf("the signature of greedy-matching is %s", s)
	}
	m := newMetric(t, "bertscore:baseline=.5/.75/0:value=r", bert)
	if m.Info.Min != -3 || m.Info.Max != 1 {
		t.Errorf("the rescaled range is %f to %f, want -3 to 1", m.Info.Min, m.Info.Max)
	}
	for _, tt := range []struct {
		needs     Needs
		has, lack string
	}{{builtin, "greedy-matching", "bertscore"}, {bert, "bertscore", "greedy-matching"}} {
		all, err := Parse("all", tt.needs)
		if err != nil {
			t.Fatal(err)
		}
		named := func(name string) bool {
			return slices.ContainsFunc(all, func(m Named) bool { return m.Info.Name == name })
		}
		if !named(tt.has) || named(tt.lack) || !named("embedding-similarity") {
			t.Errorf("all has %s: %v, and %s: %v", tt.has, named(tt.has), tt.lack, named(tt.lack))
		}
	}
	all, err := Parse("all", Needs{})
	if err != nil || slices.ContainsFunc(all, func(m Named) bool { return m.Info.Encoder }) {
		t.Errorf("all without an encoder: %d metrics, %v", len(all), err)
	}
}

func TestEncoderMetricErrors(t *testing.T) {
	builtin, bert := newBuiltin(t), openModel(t, "bert", sts.EncoderOptions{})
	for _, tt := range []struct {
		spec  string
		needs Needs
		want  string
	}{
		{"bertscore", builtin, "greedy-matching"},
		{"bertscore", builtin, "--encoder"},
		{"bertscore", Needs{}, "needs an encoder"},
		{"greedy-matching", bert, "ask for bertscore"},
		{"greedy-matching:layer=1", builtin, "no option layer"},
		{"bertscore:layer=1", bert, "last_hidden_state: layer 1 needs an export with an output hidden_states.1"},
		{"bertscore:layer=-1", bert, "the number of a layer"},
		{"bertscore:layer=x", bert, "the number of a layer"},
		{"bertscore:baseline=.5", bert, "P/R/F"},
		{"bertscore:baseline=.5/.5/.5/.5", bert, "P/R/F"},
		{"bertscore:baseline=.5/.5/1", bert, "P/R/F"},
		{"bertscore:baseline=.5/nan/.5", bert, "P/R/F"},
		{"bertscore:specials=maybe", bert, "choose match, ignore"},
		{"embedding-similarity:a=b", builtin, "has none"},
	} {
		if m, err := New(tt.spec, tt.needs); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v, want %q", tt.spec, m.Signature, err, tt.want)
		}
	}
	metrics := []Named{
		newMetric(t, "bertscore", bert), newMetric(t, "embedding-similarity", bert), newMetric(t, "greedy-matching", builtin),
	}
	if err := errors.Join(bert.Encoder.Close(), builtin.Encoder.Close()); err != nil {
		t.Fatal(err)
	}
	for _, m := range metrics {
		if v, err := m.Score(t.Context(), "a", []string{"b"}); !errors.Is(err, sts.ErrEncoderClosed) {
			t.Errorf("%s with a closed encoder: %f, %v", m.Spec, v, err)
		}
	}
}

// TestGreedyMeaning: static vectors see that words are of a kind.
func TestGreedyMeaning(t *testing.T) {
	needs := newBuiltin(t)
	for _, spec := range []string{"greedy-matching", "embedding-similarity"} {
		m := newMetric(t, spec, needs)
		score := func(h, r string) float64 {
			t.Helper()
			v, err := m.Score(t.Context(), h, []string{r})
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		near, far := score("raise an exception", "throw an error"), score("raise an exception", "update the readme")
		if !(near > far) || near >= 1 {
			t.Errorf("%s: %f for what is near, %f for what is far", spec, near, far)
		}
		for _, text := range []string{"why?", "Rename 変数 to count.", "\xff broken", strings.Repeat("long text ", 1<<17)} {
			if v := score(text, text); v != 1 {
				t.Errorf("%s: %.20q scores %v with itself", spec, text, v)
			}
		}
		if v := score("", "a word"); v != 0 {
			t.Errorf("%s: an empty text scores %f", spec, v)
		}
	}
}

// FuzzMatch has vectors of bytes: signed values, three a token, a special token where the
// first is a multiple of 7.
func FuzzMatch(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\xff\xfe\xfd"), []byte("\x03\x02\x01"))
	f.Add([]byte("\x07\x00\x00\x01\x00\x00"), []byte("\x80\x80\x80\x00\x00\x00"))
	f.Add([]byte(""), []byte("\x07\x01\x01"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a) > 300 || len(b) > 300 {
			t.Skip()
		}
		read := func(bytes []byte) (v sts.TokenVectors) {
			for c := range slices.Chunk(bytes, 3) {
				if len(c) == 3 {
					v.Vectors = append(v.Vectors, []float32{float32(int8(c[0])), float32(int8(c[1])), float32(int8(c[2]))})
					v.Special = append(v.Special, c[0]%7 == 0)
					v.IDs = append(v.IDs, int(c[0]))
				}
			}
			return v
		}
		texts := fixedTokens{"a": read(a), "b": read(b)}
		for _, m := range []greedy{{}, {ignore: true}} {
			m.tokens = texts
			score := func(value, h, r string) float64 {
				m.value = value
				v, err := m.Score(t.Context(), h, []string{r})
				if err != nil && !unseen(err) {
					t.Fatal(err)
				}
				if !(v >= 0 && v <= 1) {
					t.Errorf("%s is %v", value, v)
				}
				return v
			}
			if p, r := score("p", "a", "b"), score("r", "b", "a"); p != r {
				t.Errorf("P is %v, R the other way %v", p, r)
			}
			for _, value := range []string{"f", "mean"} {
				if x, y := score(value, "a", "b"), score(value, "b", "a"); x != y {
					t.Errorf("%s is %v and the other way %v", value, x, y)
				}
			}
			p, r, fm := score("p", "a", "b"), score("r", "a", "b"), score("f", "a", "b")
			if fm > (p+r)/2+1e-12 || fm < min(p, r)-1e-12 {
				t.Errorf("P %v, R %v, F %v", p, r, fm)
			}
			words, err := m.side(texts["a"])
			if err != nil {
				t.Fatal(err)
			}
			if self := score("f", "a", "a"); self != 1 && len(words.vectors) > 0 {
				t.Errorf("a text scores %v with itself", self)
			}
		}
	})
}

// FuzzEncoderMetrics scores texts with the built-in vectors.
func FuzzEncoderMetrics(f *testing.F) {
	f.Add("Please rename tmp.", "Rename `tmp`, please")
	f.Add("", "\xff\x00")
	f.Add("中文", "why?\n\n- why")
	needs := newBuiltin(f)
	greedy, cosine := newMetric(f, "greedy-matching", needs), newMetric(f, "embedding-similarity", needs)
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 1<<10 || len(b) > 1<<10 {
			t.Skip()
		}
		for _, m := range []Named{greedy, cosine} {
			score := func(h, r string) float64 {
				v, err := m.Score(t.Context(), h, []string{r})
				if err != nil && !unseen(err) {
					t.Fatal(err)
				}
				if !(v >= m.Info.Min && v <= m.Info.Max) {
					t.Errorf("%s is %v", m.Spec, v)
				}
				return v
			}
			if x, y := score(a, b), score(b, a); x != y {
				t.Errorf("%s is %v and the other way %v", m.Spec, x, y)
			}
			if self := score(a, a); self != 1 && self != 0 {
				t.Errorf("%s of a text with itself is %v", m.Spec, self)
			}
		}
	})
}

func BenchmarkEncoderMetrics(b *testing.B) {
	builtin := newBuiltin(b)
	b.Run("greedy-matching", func(b *testing.B) { benchmark(b, newMetric(b, "greedy-matching", builtin)) })
	b.Run("embedding-similarity", func(b *testing.B) { benchmark(b, newMetric(b, "embedding-similarity", builtin)) })
	// A model of two layers, to see what is not the model's.
	bert := openModel(b, "bert", sts.EncoderOptions{})
	b.Run("bertscore/tiny", func(b *testing.B) { benchmark(b, newMetric(b, "bertscore", bert)) })
}

// BenchmarkMatch matches vectors of BERT's size.
func BenchmarkMatch(b *testing.B) {
	for name, n := range map[string]int{"30": 30, "512": 512} {
		v := make([][]float32, n)
		for i := range v {
			v[i] = make([]float32, 768)
			v[i][i] = 1
		}
		m := greedy{tokens: fixedTokens{"a": tokens(v...)}, value: "f"}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Score(b.Context(), "a", []string{"a"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
