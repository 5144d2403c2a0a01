package refmetrics

import (
	"strings"
	"unicode/utf8"
)

// porter returns the stem of a word in lower case: "caches" gives "cach". The rules are those
// of Porter, "An algorithm for suffix stripping" (1980), with the changes that nltk 3.8 makes
// to them by default.
func porter(word string) string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			return porterRunes([]rune(word))
		}
	}
	return porterASCII(word)
}

// porterRunes stems a word that has letters beyond ASCII. The rules see each such letter as a
// consonant, equal to the letter before it or not. Only the end of a word changes, so the
// letters that are left stay in their places.
func porterRunes(word []rune) string {
	plain := make([]byte, len(word))
	for i, r := range word {
		switch {
		case r < utf8.RuneSelf:
			plain[i] = byte(r)
		case i > 0 && word[i-1] == r:
			plain[i] = plain[i-1]
		case i > 0 && plain[i-1] == 0x80:
			plain[i] = 0x81
		default:
			plain[i] = 0x80
		}
	}
	stem := porterASCII(string(plain))
	out := make([]rune, len(stem))
	for i := range len(stem) {
		if out[i] = rune(stem[i]); stem[i] >= utf8.RuneSelf {
			out[i] = word[i]
		}
	}
	return string(out)
}

func porterASCII(w string) string {
	switch w {
	case "skies":
		return "sky"
	case "dying", "lying", "tying":
		return w[:1] + "ie"
	case "innings", "outings", "cannings":
		return w[:len(w)-1]
	case "sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed":
		return w
	}
	if len(w) <= 2 {
		return w
	}
	w = porter1b(porter1a(w))
	if n := len(w) - 1; n > 1 && w[n] == 'y' && isConsonant(w, n-1) { // step 1c
		w = w[:n] + "i"
	}
	w = porter2(w)
	w = cutSuffix(w, 0, porter3())
	if n := len(w); !strings.HasSuffix(w, "ion") || n > 3 && (w[n-4] == 's' || w[n-4] == 't') {
		w = cutSuffix(w, 1, porter4())
	}
	if n := len(w) - 1; n >= 0 && w[n] == 'e' { // step 5a
		if m := measure(w[:n]); m > 1 || m == 1 && !endsCVC(w[:n]) {
			w = w[:n]
		}
	}
	if n := len(w) - 1; strings.HasSuffix(w, "ll") && measure(w[:n]) > 1 { // step 5b
		w = w[:n]
	}
	return w
}

func porter1a(w string) string {
	n := len(w)
	switch {
	case w[n-1] != 's', strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "sses"):
		return w
	case strings.HasSuffix(w, "ies") && n == 4: // "ties" gives "tie"
		return w[:3]
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ies"):
		return w[:n-2]
	}
	return w[:n-1]
}

func porter1b(w string) string {
	switch n := len(w); {
	case strings.HasSuffix(w, "ied") && n == 4: // "tied" gives "tie"
		return w[:3]
	case strings.HasSuffix(w, "ied"):
		return w[:n-2]
	case strings.HasSuffix(w, "eed"):
		if measure(w[:n-3]) > 0 {
			return w[:n-1]
		}
		return w
	case strings.HasSuffix(w, "ed") && hasVowel(w[:n-2]):
		w = w[:n-2]
	case strings.HasSuffix(w, "ing") && hasVowel(w[:n-3]):
		w = w[:n-3]
	default:
		return w
	}
	n := len(w)
	switch {
	case strings.HasSuffix(w, "at"), strings.HasSuffix(w, "bl"), strings.HasSuffix(w, "iz"):
		return w + "e"
	case n > 1 && w[n-1] == w[n-2] && isConsonant(w, n-1):
		if strings.IndexByte("lsz", w[n-1]) < 0 {
			return w[:n-1]
		}
	case measure(w) == 1 && endsCVC(w):
		return w + "e"
	}
	return w
}

func porter2(w string) string {
	if stem, ok := strings.CutSuffix(w, "alli"); ok && measure(stem) > 0 {
		return porter2(stem + "al")
	}
	if stem, ok := strings.CutSuffix(w, "logi"); ok { // the l belongs to the stem: "geologi"
		if measure(stem+"l") > 0 {
			return stem + "log"
		}
		return w
	}
	return cutSuffix(w, 0, []suffix{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"bli", "ble"},
		{"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"},
		{"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
		{"iviti", "ive"}, {"biliti", "ble"}, {"fulli", "ful"},
	})
}

func porter3() []suffix {
	return []suffix{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
}

func porter4() []suffix {
	return []suffix{
		{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""},
		{"ement", ""}, {"ment", ""}, {"ent", ""}, {"ion", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""},
		{"ous", ""}, {"ive", ""}, {"ize", ""},
	}
}

// suffix is a rule: the end of a word, and what takes its place.
type suffix struct{ from, to string }

// cutSuffix applies the first rule whose suffix the word has, where the measure of the rest is
// more than least.
func cutSuffix(w string, least int, rules []suffix) string {
	for _, r := range rules {
		stem, ok := strings.CutSuffix(w, r.from)
		switch {
		case !ok:
			continue
		case measure(stem) <= least:
			return w
		case strings.HasPrefix(r.from, r.to): // no new text
			return w[:len(stem)+len(r.to)]
		}
		return stem + r.to
	}
	return w
}

// isConsonant reports whether a letter is a consonant. A y is none after a consonant.
func isConsonant(w string, i int) bool {
	first := i
	for first > 0 && w[first] == 'y' {
		first--
	}
	return strings.IndexByte("aeiou", w[first]) < 0 == ((i-first)%2 == 0)
}

// measure counts the vowels that are followed by a consonant.
func measure(w string) int {
	n, vowel := 0, false
	for i := range len(w) {
		was := vowel
		switch w[i] {
		case 'a', 'e', 'i', 'o', 'u':
			vowel = true
		case 'y':
			vowel = i > 0 && !was
		default:
			vowel = false
		}
		if was && !vowel {
			n++
		}
	}
	return n
}

// hasVowel reports whether a word has a vowel: with a consonant at its end, the vowel counts.
func hasVowel(w string) bool { return measure(w+"b") > 0 }

// endsCVC reports whether a word ends in consonant, vowel, consonant, such as "hop", and its
// last letter is not w, x or y; or whether it is a vowel and a consonant.
func endsCVC(w string) bool {
	n := len(w)
	if n < 2 || isConsonant(w, n-2) || !isConsonant(w, n-1) {
		return false
	}
	return n == 2 || isConsonant(w, n-3) && strings.IndexByte("wxy", w[n-1]) < 0
}
