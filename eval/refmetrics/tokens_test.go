package refmetrics

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTokenizersTraps(t *testing.T) {
	all := map[string]tokenizer{"13a": tokens13a(), "intl": tokensIntl(), "words": wordTokens(nil), "alnum": alnumTokens()}
	for _, test := range []struct{ tokenizer, text, want string }{
		{"13a", "x-y isn't 5-6 5--6", "x-y isn't 5 - 6 5 - -6"},
		{"13a", "1,000.5 1. .5 a.b a..5 5..5", "1,000.5 1 . . 5 a . b a . .5 5 . . 5"},
		{"13a", "say &quot;a &amp;lt; b&quot;", `say " a < b "`},
		{"13a", "re<skipped>use-\n<skipped>d a\nb", "reused a b"},
		{"13a", "snake_case()[0]", "snake _ case ( ) [ 0 ]"},
		{"13a", "5 – 6…\u00a0„é“", "5 – 6… „é“"},
		{"13a", "cut-\n", "cut-"}, // white space at the end goes first, so nothing is joined
		{"13a", "end. \t\u2003", "end ."},
		{"intl", "x-y isn't 1,000.5", "x - y isn ' t 1,000.5"},
		{"intl", ".5 5. (5)", ".5 5 . ( 5)"},
		{"intl", "at 5.", "at 5."},
		{"intl", "&quot;a+b „é“ ½,5 €5", "& quot ; a + b „ é “ ½,5 € 5"},
		{"words", "Isn't snake_Case 1,000.5?!", "isn ' t snake _ case 1 , 000 . 5 ? !"},
		{"words", "ÀB\xff½ 🙂", "àb \ufffd ½ 🙂"},
		{"alnum", "Isn't snake_Case 1,000.5 naïve 日本", "isn t snake case 1 000 5 na ve"},
	} {
		if got := strings.Join(all[test.tokenizer](nil, test.text), " "); got != test.want {
			t.Errorf("%s of %q: %q, want %q", test.tokenizer, test.text, got, test.want)
		}
	}
}

func TestWordTokensDropStopWordsInTheCaseOfTheText(t *testing.T) {
	stop := map[string]bool{"the": true, "don't": true, "snake": true, "?!": true}
	got := strings.Join(wordTokens(stop)(nil, "The the don't snake_case snake ?! ?"), " ")
	if want := "the don ' t snake _ case ?"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// substitutions is a tokenizer as sacreBLEU writes it: pairs of a regular expression and what
// replaces it.
func substitutions(rules ...string) func(text string) []string {
	var expressions []*regexp.Regexp
	for i := 0; i < len(rules); i += 2 {
		expressions = append(expressions, regexp.MustCompile(rules[i]))
	}
	return func(text string) []string {
		for i, e := range expressions {
			text = e.ReplaceAllString(text, rules[2*i+1])
		}
		return fields(text)
	}
}

func FuzzTokenizers(f *testing.F) {
	for _, p := range goldenPairs() {
		f.Add(p.hypothesis)
		f.Add(p.reference)
	}
	f.Add("a..5...6-7--8,,9 .5. x-\ny &amp;quot; <skip<skipped>ped> ½.5 \xff. é, \x1c")
	mteval13a, intl, words := tokens13a(), tokensIntl(), wordTokens(nil)
	want13a := substitutions("([{-~\\[-` -&(-+:-@/])", " $1 ", `([^0-9])([.,])`, "$1 $2 ",
		`([.,])([^0-9])`, " $1 $2", `([0-9])(-)`, "$1 $2 ")
	wantIntl := substitutions(`(\P{N})(\p{P})`, "$1 $2 ", `(\p{P})(\P{N})`, " $1 $2", `(\p{S})`, " $1 ")
	wantWords := substitutions(`([^\pL\pN_])`, " $1 ", `_`, " _ ")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1_000 {
			t.Skip()
		}
		end := strings.TrimRightFunc(text, isSpace)
		plain := end
		for _, rule := range [][2]string{{"<skipped>", ""}, {"-\n", ""}, {"\n", " "},
			{"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}} {
			plain = strings.ReplaceAll(plain, rule[0], rule[1])
		}
		want := want13a(" " + plain + " ")
		if got := mteval13a(nil, text); !slices.Equal(got, want) {
			t.Errorf("13a of %q: %q, want %q", text, got, want)
		}
		want = wantIntl(end)
		if got := intl(nil, text); !slices.Equal(got, want) {
			t.Errorf("intl of %q: %q, want %q", text, got, want)
		}
		want = wantWords(lower(text))
		if got := words(nil, text); !slices.Equal(got, want) {
			t.Errorf("words of %q: %q, want %q", text, got, want)
		}
	})
}
