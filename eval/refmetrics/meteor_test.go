package refmetrics

import (
	"math"
	"strings"
	"testing"
)

func TestGoldensOfMeteor(t *testing.T) {
	checkGoldens(t, "meteor-exact-stem", Needs{}, [8]float64{.7199, .3659, .9977, 0, 0, .2174, .5984, .3254})
}

func TestMeteor(t *testing.T) {
	for _, c := range []struct {
		spec, hypothesis string
		references       []string
		want             float64
	}{
		{"meteor-exact-stem", "repair the error quickly", []string{"fix the mistake fast"}, .125},
		{"meteor-exact-stem", "fixes", []string{"Fixed"}, .5},
		// The first "a" stays alone: 2 of 3 tokens match, in 1 chunk.
		{"meteor-exact-stem", "a a b", []string{"a b"}, 20. / 21 * (1 - .5/8)},
		// The later of two equal words is taken, so that "b a" are two chunks.
		{"meteor-exact-stem", "b a", []string{"a b a b"}, 10. / 19 * .5},
		{"meteor-exact-stem:gamma=0:alpha=0", "a a b", []string{"a b"}, 2. / 3}, // P
		{"meteor-exact-stem:gamma=0:alpha=1", "a", []string{"a b"}, .5},         // R
		{"meteor-exact-stem:gamma=1:beta=0", "a", []string{"a"}, 0},
		{"meteor-exact-stem:gamma=1:beta=1", "a b", []string{"c", "a b", "a"}, .5},
	} {
		got, err := newMetric(t, c.spec, Needs{}).Score(t.Context(), c.hypothesis, c.references)
		if err != nil || !nearGolden(got, c.want) {
			t.Errorf("%s of %q and %q: %v, %v; want %v", c.spec, c.hypothesis, c.references, got, err, c.want)
		}
	}
}

// The tokens are those of nltk 3.8.
func TestTreebankTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"It isn't (a, b).", "it is n't ( a , b ) ."},
		{"He said: \"Don't\" (or \"do\"), he'll'S.", "he said : `` do n't '' ( or `` do '' ) , he 'll 's ."},
		{"Version 1.2, at 10:30, costs $5.00; 100% off!", "version 1.2 , at 10:30 , costs $ 5.00 ; 100 % off !"},
		{"a,,b a,,5 a::b x: y,", "a , ,b a , ,5 a : :b x : y ,"},
		{"...wait.. e.g. this. ", "... wait .. e.g. this ."},
		{"End. \"", "end. ``"},
		{"End.\")' ", "end . '' ) '"},
		{"End.)\n", "end . )"},
		{"End.\n)", "end. )"},
		{"isn't\nisn't it's\tx", "isn't is n't it's x"},
		{"'quoted' 'a 'b' 's 'x", "'quoted ' ' a ' b ' 's ' x"},
		{"foo'? foo') foo'' '''", "foo ' ? foo ' ) foo '' `` '"},
		{"``code`` `x` ```y```", "`` code `` ` x ` `` ` y `` `"},
		{"\"\"a\" ('b' [''c'']", "`` `` a '' ( ' b ' [ `` c '' ]"},
		{"«a» “b” ‘c’ „d“", "« a » “ b ” ‘ c ’ „ d “"},
		{"-- a--b ---c - d-e", "-- a -- b -- -c - d-e"},
		{"cannot CANNOT x-cannot-y scannot gonna gotta lemme gimme wanna wanna, d'ye more'n",
			"can not can not x- can not -y scannot gon na got ta lem me gim me wan na wan na , d 'ye more 'n"},
		{"'tis 'Twas x'tis\n'tis 'tisn't", "'t is 't was x'tis 'tis 't is n't"},
		{"don't can't N'T I'M you'd WE'RE they've'S", "do n't ca n't n't i 'm you 'd we 're they 've 's"},
		{"a*b* @c #d e&f <g>{h}[i]", "a * b * @ c # d e & f < g > { h } [ i ]"},
		{"no period..", "no period .."},
		{"one.", "one ."},
		{"..", ".."},
		{"a\u00a0b\u2003c\x1cd", "a b c d"},
		{"İX ΑΣ", "i̇x ας"},
		{"\"x\". \"", "`` x '' . ``"},
		{"1,٣ ,x", "1,٣ , x"},
		{"'é' 'ab", "' é ' 'ab"},
	} {
		if got := strings.Join(treebankTokens(nil, c.text), " "); got != c.want {
			t.Errorf("tokens of %q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func FuzzMeteor(f *testing.F) {
	for _, p := range goldenPairs() {
		f.Add(p.hypothesis, p.reference)
	}
	f.Add("'tis'twas \"''cannot'' '\xff'll's", "d'ye. \")'\n")
	m := newMetric(f, "meteor-exact-stem", Needs{})
	unordered := newMetric(f, "meteor-exact-stem:gamma=0:alpha=0.5", Needs{})
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 10_000 || len(b) > 10_000 {
			t.Skip()
		}
		score := checkScore(t, m, a, b)
		if got := checkScore(t, m, b, b); len(fields(b)) > 0 {
			if n := float64(len(treebankTokens(nil, b))); math.Abs(got-(1-.5/(n*n*n))) > 1e-12 {
				t.Errorf("%q of %v tokens and itself: %v", b, n, got)
			}
		}
		there, back := checkScore(t, unordered, a, b), checkScore(t, unordered, b, a)
		if math.Abs(there-back) > 1e-12 || (there == 0) != (score == 0) {
			t.Errorf("%q and %q: %v, without the order %v and %v", a, b, score, there, back)
		}
	})
}

// The tokens are the text without its white space, in lower case, but for quotation marks.
func FuzzTreebankTokens(f *testing.F) {
	for _, text := range []string{"", "\"x\". \"", "İ ΑΣ", "\xceΑ\xceΣ\xa3", "a,,5 he'll's cannot'tis", "\xff'\xc3 ''``'", "\x1c\u0085n't\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, token := range treebankTokens(nil, text) {
			if token == "" || len(fields(token)) != 1 {
				t.Errorf("token %q of %q", token, text)
			}
		}
		without := func(text, set string) string {
			return strings.Map(func(r rune) rune {
				if isSpace(r) || strings.ContainsRune(set, r) {
					return -1
				}
				return r
			}, text)
		}
		// The lower case of İ has two letters, the one of Σ depends on its place. Left out, they
		// could join two broken bytes to another Σ.
		text = strings.NewReplacer("İ", "x", "Σ", "x").Replace(text)
		tokens := strings.Join(treebankTokens(nil, text), "")
		if got, want := without(tokens, "\"'`"), without(strings.ToLower(text), "\"'`"); got != want {
			t.Errorf("tokens %q of %q", tokens, text)
		}
	})
}
