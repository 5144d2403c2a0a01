package sts_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/sts"
	"crscore/sts/builtin"
)

func newPair(t testing.TB) *sts.Pair {
	t.Helper()
	encoder, err := sts.NewBuiltin(t.Context(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { encoder.Close() })
	s, err := sts.NewSimilarity(sts.SimilarityPair, encoder)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*sts.Pair)
}

// The change of the tests: a cache gets a limit.
var (
	cacheCode = &sts.Code{
		Added:   []string{"self.items = LRU(limit)", `log.info("cache of %d", limit)`},
		Removed: []string{"self.items = {}"},
		Kept:    []string{"def __init__(self, limit):"},
	}
	cacheRefs = []string{
		"`self.items` is now the result of `LRU` with `limit` instead of an empty dictionary.",
		"A call to `log.info` was added.",
		"The parameter `limit` is never checked.",
	}
)

func compare(t testing.TB, p *sts.Pair, code *sts.Code, sentences, refs []string) sts.Comparison {
	t.Helper()
	c, err := p.Compare(context.Background(), code, sentences, refs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPairOrder: of two sentences the first is more about the reference, in the light of the
// change.
func TestPairOrder(t *testing.T) {
	p := newPair(t)
	for _, tt := range []struct {
		name         string
		better, poor string
		ref          int
	}{
		{"another matter", "The empty dictionary is replaced by an LRU, which limits it.", "Please sort the imports.", 0},
		{"the opposite", "A call to `log.info` was added.", "A call to `log.info` was not added.", 1},
		{"a list of names", "The limit is never checked.", "limit, LRU, log.info, self.items", 2},
		{"pasted code", "The call to log.info was added and needs a level.", `log.info("cache of %d", limit)`, 1},
		{"the scope", "A call to log.info was added here.", "I added a call to log.info here.", 1},
		{"another change", "The call to log.info was added.", "The call to log.info should be added in another pull request.", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := compare(t, p, cacheCode, []string{tt.better, tt.poor}, cacheRefs)
			if c.Sim[0][tt.ref] <= c.Sim[1][tt.ref] {
				t.Errorf("%q has %v, and %q has %v", tt.better, c.Sim[0][tt.ref], tt.poor, c.Sim[1][tt.ref])
			}
		})
	}
}

// TestPairScope: a remark about the scope is about no reference, and other sentences with
// such words are not such remarks.
func TestPairScope(t *testing.T) {
	p := newPair(t)
	for text, scope := range map[string]bool{
		"This is unrelated to log.info.":                      true,
		"Let's add the call to log.info in another PR.":       true,
		"Adding the call to log.info is a separate commit.":   true,
		"Same here, the call to log.info was added.":          true,
		"Ditto for log.info.":                                 true,
		"I've just added the call to log.info.":               true,
		"Done, I removed the call to log.info.":               true,
		"The call to log.info is out of scope.":               true,
		"The call to log.info is related to the limit.":       false,
		"What if we added a call to log.info?":                false,
		"A different call than log.info was added.":           false,
		"When I added log.info, the limit was printed twice.": false,
		"The same call to log.info was added before.":         false,
		"The variable of log.info goes out of its scope.":     false,
		"I think the call to log.info was added by mistake.":  false,
	} {
		if got := compare(t, p, cacheCode, []string{text}, cacheRefs).Sim[0][1] == 0; got != scope {
			t.Errorf("%q: a remark about the scope is %v, want %v", text, got, scope)
		}
	}
}

// TestPairAlone: a pair's value depends on the change and the two texts, and not on the other
// sentences; the other references count.
func TestPairAlone(t *testing.T) {
	p := newPair(t)
	sentences := []string{"The limit is never checked.", "The call to log.info was added.", "", "Why an `LRU`?", "limit, limit"}
	all := compare(t, p, cacheCode, sentences, cacheRefs)
	for i, s := range sentences {
		alone := compare(t, p, cacheCode, []string{s}, cacheRefs)
		if diff := cmp.Diff(all.Sim[i], alone.Sim[0]); diff != "" {
			t.Errorf("%q beside others and alone:\n%s", s, diff)
		}
		for j := range cacheRefs {
			if a, b := all.Why(i, j), alone.Why(0, j); a != b || a == "" {
				t.Errorf("%q: why %q beside others, %q alone", s, a, b)
			}
		}
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	order := rnd.Perm(len(cacheRefs))
	shuffled := make([]string, len(order))
	for to, from := range order {
		shuffled[to] = cacheRefs[from]
	}
	mixed := compare(t, p, cacheCode, sentences, shuffled)
	for i := range sentences {
		for to, from := range order {
			if math.Abs(float64(mixed.Sim[i][to]-all.Sim[i][from])) > 1e-6 {
				t.Errorf("%q: %v and %v in another order of the references", sentences[i], mixed.Sim[i][to], all.Sim[i][from])
			}
		}
	}
	if one := compare(t, p, cacheCode, sentences[:1], cacheRefs[2:]); one.Sim[0][0] == all.Sim[0][2] {
		t.Error("the other references do not count")
	}
	if other := compare(t, p, &sts.Code{Added: []string{"x = 1"}}, sentences[:1], cacheRefs); other.Sim[0][2] == all.Sim[0][2] {
		t.Error("the diff does not count")
	}
}

// TestPairText: without a diff there is another model, whose features are those of the texts.
func TestPairText(t *testing.T) {
	p := newPair(t)
	sentences := []string{"The limit is never checked."}
	text := compare(t, p, nil, sentences, cacheRefs)
	m, err := p.Matrix(t.Context(), sentences, cacheRefs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text.Sim, m); diff != "" {
		t.Errorf("Matrix is not Compare without a diff:\n%s", diff)
	}
	if with := compare(t, p, &sts.Code{}, sentences, cacheRefs); with.Sim[0][2] == text.Sim[0][2] {
		t.Error("an empty diff is no missing diff")
	}
	unknown := slices.Index(sts.PairFeatureNames(), "unknown-names")
	named, err := p.Evidence(t.Context(), cacheCode, []string{"Check `limit` in `fs.readFile`."}, cacheRefs)
	if err != nil || named[0][0].Features[unknown] != 0.5 {
		t.Errorf("one of two names is unknown, but the share is %v (%v)", named[0][0].Features[unknown], err)
	}
	evidence, err := p.Evidence(t.Context(), nil, sentences, cacheRefs)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range evidence[0][2].Features {
		if k >= unknown && v != 0 {
			t.Errorf("without a diff %s is %v", sts.PairFeatureNames()[k], v)
		}
	}
}

// TestPairWhy names the evidence.
func TestPairWhy(t *testing.T) {
	p := newPair(t)
	for _, tt := range []struct {
		sentence string
		ref      int
		want     string
	}{
		{"The parameter `limit` is never checked.", 2, "words in common (never, limit, parameter)"},
		{"limit checked", 2, "it has few words of prose"},
		{"Same here: the limit is never checked.", 2, "a remark about the scope"},
		{"A call to `log.info` was not added.", 1, "since it negates the reference"},
		{"Look at `fs.readFile` in `module.ts`.", 1, "names that the diff does not have"},
	} {
		if why := compare(t, p, cacheCode, []string{tt.sentence}, cacheRefs).Why(0, tt.ref); !strings.Contains(why, tt.want) {
			t.Errorf("%q: %q does not say %q", tt.sentence, why, tt.want)
		}
	}
}

// TestPairOdd: no text breaks anything, and every value is in [0,1].
func TestPairOdd(t *testing.T) {
	p := newPair(t)
	odd := []string{"", "   ", "???", "`", "``````", strings.Repeat("limit ", 20_000), "\xff\xfe", "not", strings.Repeat("`a`", 1000), "été 你好 🙂"}
	for _, code := range []*sts.Code{nil, {}, cacheCode, {Added: odd, Removed: odd, Kept: odd}} {
		c := compare(t, p, code, odd, odd)
		for i, row := range c.Sim {
			for j, v := range row {
				if !(v >= 0 && v <= 1) {
					t.Errorf("%.20q and %.20q: %v", odd[i], odd[j], v)
				}
				if c.Why(i, j) == "" {
					t.Errorf("%.20q and %.20q: nothing is said", odd[i], odd[j])
				}
			}
		}
	}
	for _, sides := range [][2][]string{{nil, nil}, {nil, odd}, {odd, nil}} {
		if c := compare(t, p, cacheCode, sides[0], sides[1]); len(c.Sim) != len(sides[0]) {
			t.Errorf("%d rows for %d sentences", len(c.Sim), len(sides[0]))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Compare(ctx, cacheCode, odd, odd); err == nil {
		t.Error("a cancelled call gives a result")
	}
}

// TestPairEncoder: the models belong to the encoder that they were trained with.
func TestPairEncoder(t *testing.T) {
	_, err := sts.NewSimilarity(sts.SimilarityPair, constant{})
	if err == nil || !strings.Contains(err.Error(), "trained with encoder=crscore-static-2") || !strings.Contains(err.Error(), "not with encoder=constant") {
		t.Errorf("%v", err)
	}
}

func TestParsePairModels(t *testing.T) {
	good := string(builtin.Pairs())
	if _, err := sts.ParsePairModels([]byte(good)); err != nil {
		t.Fatal(err)
	}
	if len(good) > 200<<10 {
		t.Errorf("the models have %d bytes", len(good))
	}
	feature := func(name, weight string) string {
		return fmt.Sprintf(`{"features":[{"name":%q,"weight":%s}]}`, name, weight)
	}
	for _, tt := range []struct{ name, file, want string }{
		{"no JSON", "x", "reading the models"},
		{"nothing", "{}", "diff of the pair similarity: it has no features"},
		{"an unknown field", `{"diffs":{}}`, `unknown field "diffs"`},
		{"an unknown feature", `{"diff":` + feature("length", "1") + `}`, `unknown feature "length"`},
		{"twice", `{"diff":{"features":[{"name":"cosine"},{"name":"cosine"}]}}`, "occurs twice"},
		{"too large", `{"diff":` + feature("cosine", "1e9") + `}`, "not both are from -1000 to 1000"},
		{"a feature of the diff", `{"diff":` + feature("cosine", "1") + `,"text":` + feature("pasted", "1") + `}`, "pasted needs a diff"},
	} {
		if _, err := sts.ParsePairModels([]byte(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

func FuzzParsePairModels(f *testing.F) {
	f.Add(builtin.Pairs())
	f.Add([]byte(`{"diff":{"bias":1e309},"text":{}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := sts.ParsePairModels(file)
		if err != nil {
			return
		}
		score, err := m.Diff.Scorer()
		if err != nil {
			t.Fatal(err)
		}
		if v := score(&sts.PairEvidence{Factor: 1}); !(v >= 0 && v <= 1) {
			t.Errorf("a model gives %v", v)
		}
	})
}

// FuzzPair holds values in range for any texts.
func FuzzPair(f *testing.F) {
	p := newPair(f)
	f.Add("The limit is never checked.", cacheRefs[2], "self.items = LRU(limit)")
	f.Add("`a` `", "no", "\x00")
	f.Fuzz(func(t *testing.T, sentence, ref, line string) {
		c := compare(t, p, &sts.Code{Added: []string{line}}, []string{sentence}, []string{ref, cacheRefs[0]})
		for j, v := range c.Sim[0] {
			if !(v >= 0 && v <= 1) || c.Why(0, j) == "" {
				t.Errorf("%v, %q", v, c.Why(0, j))
			}
		}
	})
}

func BenchmarkPair(b *testing.B) {
	p := newPair(b)
	sentences := make([]string, 24)
	for i := range sentences {
		sentences[i] = fmt.Sprintf("The method readBuffer%d should check the limit of the cache before it is read again.", i)
	}
	refs := slices.Repeat(cacheRefs, 3)
	for _, code := range []struct {
		name string
		code *sts.Code
	}{{"text", nil}, {"diff", &sts.Code{Added: slices.Repeat(cacheCode.Added, 20), Removed: slices.Repeat(cacheCode.Removed, 20), Kept: slices.Repeat(cacheCode.Kept, 20)}}} {
		b.Run(code.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				compare(b, p, code.code, sentences, refs)
			}
			b.ReportMetric(float64(b.N)*float64(len(sentences)*len(refs))/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}
