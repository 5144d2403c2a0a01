package refmetrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// ngramCounts counts the n-grams of each n to 4 as the definitions say.
func ngramCounts(tokens []string) map[string]int {
	counts := map[string]int{}
	for n := 1; n <= bleuOrder; n++ {
		for i := 0; i+n <= len(tokens); i++ {
			counts[strings.Join(tokens[i:i+n], " ")]++
		}
	}
	return counts
}

func plainMatches(hypothesis []string, references ...[]string) [bleuOrder]int {
	var out [bleuOrder]int
	most := map[string]int{}
	for _, ref := range references {
		for ngram, count := range ngramCounts(ref) {
			most[ngram] = max(most[ngram], count)
		}
	}
	for ngram, have := range ngramCounts(hypothesis) {
		out[strings.Count(ngram, " ")] += min(have, most[ngram])
	}
	return out
}

func plainLCS(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// FuzzNgrams compares the counts of shared n-grams and the longest common subsequence with
// plain definitions of both.
func FuzzNgrams(f *testing.F) {
	f.Add("the the cat", "the cat the", "cat the the the cat")
	f.Add("", "a", "")
	f.Add(strings.Repeat("a b c a ", 40), strings.Repeat("b a a ", 50), strings.Repeat("c a b ", 30))
	shared := newOverlaps()
	f.Fuzz(func(t *testing.T, hypothesis, first, second string) {
		if len(hypothesis)+len(first)+len(second) > 1_000 {
			t.Skip()
		}
		cut := func(list []string, text string) []string { return append(list, fields(text)...) }
		h, a, b := fields(hypothesis), fields(first), fields(second)
		o := shared.get()
		o.words(cut, hypothesis, first, second)
		var got [bleuOrder]int
		o.matches(got[:])
		shared.done(o)
		if want := plainMatches(h, a, b); got != want {
			t.Errorf("%q in %q and %q: %v, want %v", h, a, b, got, want)
		}
		o = shared.get()
		o.words(cut, hypothesis, first)
		o.matches(got[:1])
		length, err := o.longest(t.Context())
		shared.done(o)
		if want := plainLCS(h, a); err != nil || length != want {
			t.Errorf("longest of %q and %q: %d, %v; want %d", h, a, length, err, want)
		}
	})
}

func TestLongestOfManyBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n, letters int) string {
		var b strings.Builder
		for range n {
			b.WriteByte('a' + byte(random.IntN(letters)))
			b.WriteByte(' ')
		}
		return b.String()
	}
	shared := newOverlaps()
	for i := range 40 {
		a, b := text(random.IntN(300), 2+i%6), text(random.IntN(300), 2+i%6)
		o := shared.get()
		o.words(alnumTokens(), a, b)
		o.matches(make([]int, 1))
		length, err := o.longest(t.Context())
		shared.done(o)
		if want := plainLCS(fields(a), fields(b)); err != nil || length != want {
			t.Errorf("longest of %q and %q: %d, %v; want %d", a, b, length, err, want)
		}
	}
}

// FuzzBLEUAndROUGE tests what holds for all texts. An equal text has the largest score where it
// has a token; with the order 4 in any case only where it has four of them.
func FuzzBLEUAndROUGE(f *testing.F) {
	for _, p := range goldenPairs() {
		f.Add(p.hypothesis, p.reference, p.hypothesis)
	}
	f.Add("\xff\x00 a", "a \xff", "")
	var metrics []Named
	for _, spec := range []string{"bleu", "bleu:tok=intl:smooth=floor", "bleu:tok=none:smooth=add-k:value=0.5",
		"bleu:smooth=none:case=lc", "bleu:eff=no", "codereviewer-bleu", "codereviewer-bleu:stop=nltk:round=no",
		"rouge-1", "rouge-2:value=p", "rouge-l:value=r", "rouge-l:stem=no"} {
		metrics = append(metrics, newMetric(f, spec, Needs{}))
	}
	compat := newMetric(f, "codereviewer-bleu:round=no", Needs{Compat: true})
	f.Fuzz(func(t *testing.T, hypothesis, first, second string) {
		if len(hypothesis)+len(first)+len(second) > 1_000 {
			t.Skip()
		}
		checkScore(t, compat, hypothesis, first)
		for _, m := range metrics {
			if _, err := m.Score(t.Context(), hypothesis, []string{first}); unseen(err) {
				continue
			} else if _, err := m.Score(t.Context(), first, []string{first}); unseen(err) {
				continue
			}
			checkScore(t, m, hypothesis, first)
			one, err := m.Score(t.Context(), hypothesis, []string{first, second})
			other, err2 := m.Score(t.Context(), hypothesis, []string{second, first})
			if one != other || err != nil || err2 != nil {
				t.Errorf("%s of %q: %v and %v by the order of %q and %q", m.Spec, hypothesis, one, other, first, second)
			}
			same := checkScore(t, m, first, first)
			if want := m.Info.Max; same != want && !(same == 0 && fewTokens(m.Spec, first)) {
				t.Errorf("%s of %q and itself: %v, want %v", m.Spec, first, same, want)
			}
		}
	})
}

// fewTokens reports whether a text has too few tokens for any match.
func fewTokens(spec, text string) bool {
	switch {
	case spec == "bleu:eff=no":
		return len(tokens13a()(nil, text)) < bleuOrder
	case strings.HasPrefix(spec, "bleu"):
		return len(fields(text)) == 0
	case strings.Contains(spec, "stop=nltk"):
		return true
	case spec == "codereviewer-bleu":
		return len(fields(text)) == 0
	}
	words := alnumTokens()(nil, text)
	return len(words) < 1 || spec == "rouge-2:value=p" && len(words) < 2
}

func TestBLEUTakesTheBestOfTheReferences(t *testing.T) {
	m := newMetric(t, "bleu", Needs{})
	references := []string{"a b c d", "a b c d e f g h"}
	// Both lengths are as close, so the shorter counts, and no brevity is punished.
	got, err := m.Score(t.Context(), "a b c d e f", references)
	if err != nil || got != 100 {
		t.Errorf("%v, %v; want 100", got, err)
	}
	// Each reference has one "a": two of them are clipped to one.
	want := newMetric(t, "bleu", Needs{})
	clipped, _ := want.Score(t.Context(), "a a", []string{"a b"})
	if got, _ := m.Score(t.Context(), "a a", []string{"a b", "c a"}); got != clipped || got >= 100 {
		t.Errorf("two references: %v, want %v as with the first", got, clipped)
	}
}

func TestCodeReviewerBLEUTakesTheShortestReference(t *testing.T) {
	m := newMetric(t, "codereviewer-bleu", Needs{})
	for _, references := range [][]string{{"a b c d e f", "a b"}, {"a b", "a b c d e f"}} {
		if got, err := m.Score(t.Context(), "a b c", references); err != nil || got != 100 {
			t.Errorf("%q: %v, %v; want 100", references, got, err)
		}
	}
}

func TestBLEUIgnoresCaseOnRequest(t *testing.T) {
	lc, mixed := newMetric(t, "bleu:case=lc", Needs{}), newMetric(t, "bleu", Needs{})
	for _, p := range goldenPairs() {
		want := checkScore(t, mixed, strings.ToLower(p.hypothesis), strings.ToLower(p.reference))
		if got := checkScore(t, lc, p.hypothesis, p.reference); got != want {
			t.Errorf("%q: %v, want %v", p.hypothesis, got, want)
		}
	}
}

func TestEffectiveOrderIsForShortTexts(t *testing.T) {
	for spec, want := range map[string]float64{
		"bleu": 100, "bleu:eff=no": 0, "bleu:eff=no:smooth=add-k": 100,
		"bleu:eff=nltk:smooth=floor": 100 * math.Pow(1*1*0.1*0.1, 0.25), // no run of 3 or 4 is 0.1 of 1
	} {
		if got := checkScore(t, newMetric(t, spec, Needs{}), "fix it", "fix it"); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", spec, got, want)
		}
	}
}

func TestLongTexts(t *testing.T) {
	words := strings.Repeat("a bb ccc dddd ", 75_000) // a megabyte
	for _, spec := range []string{"bleu", "codereviewer-bleu", "rouge-2"} {
		m := newMetric(t, spec, Needs{})
		if got, err := m.Score(t.Context(), words, []string{words}); got != m.Info.Max || err != nil {
			t.Errorf("%s: %v, %v; want %v", spec, got, err, m.Info.Max)
		}
	}
	m := newMetric(t, "rouge-l", Needs{})
	got, err := m.Score(t.Context(), words, []string{"ccc dddd x " + strings.Repeat("y ", 500_000)})
	if err != nil || got <= 0 {
		t.Errorf("rouge-l: %v, %v", got, err)
	}
	_, err = m.Score(t.Context(), words, []string{words})
	if err == nil || !strings.Contains(err.Error(), "300000 words of the review") {
		t.Errorf("rouge-l of too many words: error %v", err)
	}
}

func TestSignaturesOfBLEUAndROUGE(t *testing.T) {
	for _, test := range []struct {
		spec string
		n    Needs
		want string
	}{
		{"bleu", Needs{}, "bleu|tok:13a|smooth:exp|eff:yes|case:mixed"},
		{"bleu:smooth=floor", Needs{Compat: true}, "bleu|tok:13a|smooth:floor|value:0.1|eff:yes|case:mixed"},
		{"codereviewer-bleu", Needs{}, "codereviewer-bleu|stop:keep|round:yes"},
		{"codereviewer-bleu", Needs{Compat: true}, "codereviewer-bleu|stop:keep|round:yes|compat:literature"},
		{"codereviewer-bleu:stop=given", Needs{StopWords: []string{"b", "a", "b"}},
			"codereviewer-bleu|stop:given|words:2-7e18f737|round:yes"},
		{"rouge-l:value=r", Needs{}, "rouge-l|stem:yes|value:r|unseen:unscored"},
		{"rouge-l", Needs{Compat: true}, "rouge-l|stem:yes|value:f"},
	} {
		if got := newMetric(t, test.spec, test.n).Signature; got != test.want {
			t.Errorf("%s: %s, want %s", test.spec, got, test.want)
		}
	}
	for _, spec := range []string{"bleu:value=1", "bleu:smooth=floor:value=2", "codereviewer-bleu:stop=given"} {
		if m, err := New(spec, Needs{}); err == nil {
			t.Errorf("%s: no error but %s", spec, m.Signature)
		}
	}
}

func TestStemsAreThoseOfPorter(t *testing.T) {
	s := newStems(4)
	words := []string{"caches", "dogs", "its", strings.Repeat("ing", 30), "caches"}
	var got []string
	for range 2 { // the second time from memory
		got = s.tokens(func([]string, string) []string { return slices.Clone(words) })(nil, "")
	}
	for i := range 2 * stemSlots { // more than are remembered
		word := fmt.Sprintf("w%dings", i)
		for range 2 {
			if got := s.stem(word); got != porter(word) {
				t.Fatalf("stem of %s: %s, want %s", word, got, porter(word))
			}
		}
	}
	want := []string{porter("caches"), "dog", "its", porter(words[3]), porter("caches")}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
