package refmetrics

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The stems are those of nltk 3.8.
func TestPorter(t *testing.T) {
	for _, line := range []string{
		"caresses caress, ponies poni, ties tie, flies fli, caches cach, cats cat, s s, is is, dies die, died die",
		"tried tri, feed feed, agreed agre, plastered plaster, bled bled, motoring motor, sing sing",
		"conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall, hissing hiss",
		"fizzed fizz, failing fail, filing file, happy happi, sky sky, enjoy enjoy, spy spi, relational relat",
		"conditional condit, rational ration, valency valenc, hesitancy hesit, digitizer digit, possibly possibl",
		"radically radic, differently differ, vilely vile, analogously analog, vietnamization vietnam",
		"predication predic, operator oper, feudalism feudal, decisiveness decis, hopefulness hope",
		"callousness callous, formality formal, sensitivity sensit, sensibility sensibl, hopefully hope",
		"geology geolog, triplicate triplic, formative form, formalize formal, electricity electr, electrical electr",
		"hopeful hope, goodness good, revival reviv, allowance allow, inference infer, airliner airlin",
		"gyroscopic gyroscop, adjustable adjust, defensible defens, irritant irrit, replacement replac",
		"adjustment adjust, dependent depend, adoption adopt, homologou homolog, communism commun, activate activ",
		"angularity angular, homologous homolog, effective effect, bowdlerize bowdler, probate probat, rate rate",
		"cease ceas, controll control, roll roll, dying die, innings inning, skies sky, news news, proceed proceed",
		"syzygy syzygi, yyying yy, naïvely naïv, façades façad, ééing ééing, éüed éüed, aéing aée, née née",
		"üés üé, 日本 日本, 日本s 日本, can't can't, 1000.5 1000.5",
	} {
		for pair := range strings.SplitSeq(line, ", ") {
			word, want, _ := strings.Cut(pair, " ")
			if got := porter(word); got != want {
				t.Errorf("stem of %q: %q, want %q", word, got, want)
			}
		}
	}
}

func FuzzPorter(f *testing.F) {
	for _, word := range []string{"", "y", "yyyying", "nationally", "ééing", "\xff\xfeing", "\u0080\u0080ed"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		stem := porter(word)
		if n := utf8.RuneCountInString(word); utf8.RuneCountInString(stem) > n || n > 0 && stem == "" {
			t.Errorf("stem of %q: %q", word, stem)
		}
		if !utf8.ValidString(stem) && utf8.ValidString(word) {
			t.Errorf("stem of %q: %q is not valid", word, stem)
		}
	})
}
