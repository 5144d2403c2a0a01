package match

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/sts"
)

// FeatureNames are the features of a pair in the order of the weights. "Words" are stems that are
// no stop words; "prose" is a text without tokens that look like code.
func FeatureNames() []string {
	return []string{
		"cos",        // cosine of both texts: the same subject
		"lead",       // cosine of their first sentences, which mostly state the problem
		"prose-cos",  // cosine of their prose: names in common must not decide
		"shared",     // ln(1 + words in common): evidence grows slowly
		"prose-idf",  // root of the summed idf of prose words in common: rare words count more
		"prose-soft", // the lower share of prose that has a near word on the other side
		"soft-min",   // the lower share of words that the other side covers: they may add nothing new
		"soft-max",   // the higher share: a short text may say the same as a part of a long text
		"names",      // ln(1 + identifiers in common): they point to the same code
		"names-min",  // identifiers in common, of the text that has fewer
		"no-names",   // 1 where both name code, and nothing in common
		"concerns",   // kinds of problems in common, of the text that has fewer
		"length-min", // ln of the shorter text's words: a short text is like many
		"length-gap", // |ln| of the ratio of words: how far cosines are to be trusted
	}
}

// concerns are kinds of problems, each with the stems that tell of it.
func concerns() []string {
	return []string{
		"null nil none undefined npe nullpointerexception optional absent unset",
		"race concurr thread lock mutex deadlock synchron atom goroutin parallel simultan",
		"typo misspel spell rename name",
		"test assert mock flaki coverag",
		"comment doc document javadoc docstr mislead outdat",
		"slow perform ineffici o n redund repeat expens unnecessari wast",
		"secur inject xss ssrf csrf vulner escap sanit authent author permiss leak",
		"leak close dispos releas cleanup",
		"index bound off rang overflow underflow length",
		"catch except error throw rais panic crash swallow fail",
		"type cast convert mismatch",
		"duplic copi dri twice same",
		"unus dead remov unreach never",
		"hardcod magic constant default config",
		"import modul miss undefin exist method attribut",
		"return result valu",
		"invert wrong incorrect revers opposit logic condit",
		"cach stale invalid",
		"valid check guard verifi",
		"await async promis foreach callback",
		"case sensit insensit string compar equal refer",
		"format log messag print",
		"time date timezon utc clock ttl expir",
		"sql queri transact databas migrat",
	}
}

// analysed holds the parts of a text that features compare. Words are numbers of a vocabulary.
type analysed struct {
	whole, lead, plain []float32 // vectors of the text, its first sentence and its prose
	words, prose       []int     // distinct, in the order of the text
	names              map[string]bool
	concerns           map[int]bool
	length             int // words, with stop words
}

// vocabulary has the words of the texts of a call.
type vocabulary struct {
	number map[string]int
	words  []string
	idf    []float64
	vector [][]float32
}

var (
	hidden = regexp.MustCompile("(?is)```.*?(?:```|$)")
	ident  = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*(?:[.:]+[A-Za-z_][A-Za-z0-9_]*)*`)
	joint  = regexp.MustCompile(`[.:]+`)
)

// visible cuts blocks of code from a text, unless nothing is left, and then what exceeds limits.GoldenBytes.
func visible(text string) string {
	if t := strings.TrimSpace(hidden.ReplaceAllString(text, " ")); t != "" {
		text = t
	}
	if len(text) > limits.GoldenBytes {
		end := limits.GoldenBytes
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return text
}

// analyse reads texts. Each vector depends on its text alone.
func (m *Matcher) analyse(ctx context.Context, texts []string) ([]analysed, *vocabulary, error) {
	v := &vocabulary{number: map[string]int{}}
	out := make([]analysed, len(texts))
	var encode []string
	for i, text := range texts {
		text = visible(text)
		lead := text
		if s := m.splitter.Split(text); len(s) > 0 {
			lead = s[0].Text
		}
		var plain []string
		for _, token := range strings.Fields(text) {
			if !isCode(token) {
				plain = append(plain, token)
			}
		}
		prose := strings.Join(plain, " ")
		encode = append(encode, text, lead, prose)
		a := &out[i]
		all := strings.Fields(m.prepare(text))
		a.length = len(all)
		a.words, a.prose = m.distinct(v, all), m.distinct(v, strings.Fields(m.prepare(prose)))
		a.names, a.concerns = namesOf(text), map[int]bool{}
		for _, w := range all {
			for _, k := range m.concerns[w] {
				a.concerns[k] = true
			}
		}
	}
	vectors, err := m.encoder.Encode(ctx, append(encode, v.words...))
	if err != nil {
		return nil, nil, fmt.Errorf("encoding texts: %w", err)
	}
	for i := range out {
		out[i].whole, out[i].lead, out[i].plain = vectors[3*i], vectors[3*i+1], vectors[3*i+2]
	}
	v.vector = vectors[len(encode):]
	return out, v, nil
}

// distinct numbers the words that are no stop words, limits.GoldenWords at most.
func (m *Matcher) distinct(v *vocabulary, words []string) (out []int) {
	seen := map[int]bool{}
	for _, w := range words {
		if m.stop.Contains(w) || len(out) == limits.GoldenWords {
			continue
		}
		k, known := v.number[w]
		if !known {
			k = len(v.words)
			v.number[w] = k
			v.words, v.idf = append(v.words, w), append(v.idf, float64(m.lexicon.IDF(w)))
		}
		if !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// namesOf finds identifiers with a capital inside, an underscore or a dot, and their parts.
func namesOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, name := range ident.FindAllString(text, -1) {
		for _, part := range append([]string{name}, joint.Split(name, -1)...) {
			if len(part) > 2 && (strings.ContainsAny(part, "_.:") || strings.ToLower(part[1:]) != part[1:]) {
				out[strings.ToLower(part)] = true
			}
		}
	}
	return out
}

// isCode reports whether a token is no word of prose, such as `x`, f(), a_b, getName or os.Args.
func isCode(token string) bool {
	if strings.Contains(token, "`") {
		return true
	}
	token = strings.Trim(token, `"'([{<*.,;:!?)]}>`)
	if strings.ContainsAny(token, "_=(){}[];<>|&+%^~$#@/") || strings.Contains(token, "::") {
		return true
	}
	if len(token) > 1 && strings.ToLower(token[1:]) != token[1:] && strings.ToUpper(token) != token {
		return true
	}
	return len(token) > 3 && strings.Contains(token, ".")
}

// features are the numbers of a pair, in the order of FeatureNames. Sums run in the order of the
// words, so that they are the same bits on every run.
func (v *vocabulary) features(g, r *analysed) []float64 {
	shared, sum := 0, 0.0
	both := numbers(r.words)
	for _, w := range g.words {
		if both[w] {
			shared++
		}
	}
	both = numbers(r.prose)
	for _, w := range g.prose {
		if both[w] {
			sum += v.idf[w]
		}
	}
	nearG, nearR := v.nearest(g.words, r.words)
	there, back := v.covered(g.words, nearG, 0), v.covered(r.words, nearR, 0)
	nearG, nearR = v.nearest(g.prose, r.prose)
	names, fewest := common(g.names, r.names), min(len(g.names), len(r.names))
	kinds, fewestKinds := common(g.concerns, r.concerns), min(len(g.concerns), len(r.concerns))
	disjoint := 0.0
	if names == 0 && fewest > 0 {
		disjoint = 1
	}
	return []float64{
		float64(sts.Dot(g.whole, r.whole)),
		float64(sts.Dot(g.lead, r.lead)),
		float64(sts.Dot(g.plain, r.plain)),
		math.Log1p(float64(shared)),
		math.Sqrt(sum),
		min(v.covered(g.prose, nearG, near), v.covered(r.prose, nearR, near)),
		min(there, back),
		max(there, back),
		math.Log1p(float64(names)),
		float64(names) / float64(max(fewest, 1)),
		disjoint,
		float64(kinds) / float64(max(fewestKinds, 1)),
		math.Log(float64(min(g.length, r.length) + 1)),
		math.Abs(math.Log(float64(g.length+1) / float64(r.length+1))),
	}
}

// near is the cosine from which words of prose count as near.
const near = 0.5

// nearest finds how near each of some words is to the nearest of others, and the reverse: 1 for the
// same word, else the highest cosine, at least 0.
func (v *vocabulary) nearest(words, others []int) (there, back []float64) {
	there, back = make([]float64, len(words)), make([]float64, len(others))
	inWords, inOthers := numbers(words), numbers(others)
	for i, w := range words {
		for k, u := range others {
			if inOthers[w] && inWords[u] {
				continue // both are 1
			}
			cosine := float64(sts.Dot(v.vector[w], v.vector[u]))
			there[i], back[k] = max(there[i], cosine), max(back[k], cosine)
		}
	}
	for i, w := range words {
		if inOthers[w] {
			there[i] = 1
		}
	}
	for k, u := range others {
		if inWords[u] {
			back[k] = 1
		}
	}
	return there, back
}

// covered is the share, weighted by idf, of words that others cover, from 0 to 1. A word counts by
// how near it is, above a floor.
func (v *vocabulary) covered(words []int, near []float64, floor float64) float64 {
	var sum, total float64
	for i, w := range words {
		sum += v.idf[w] * max(0, near[i]-floor) / (1 - floor)
		total += v.idf[w]
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

func numbers(list []int) map[int]bool {
	out := make(map[int]bool, len(list))
	for _, k := range list {
		out[k] = true
	}
	return out
}

// common counts the keys of both sets.
func common[K comparable](a, b map[K]bool) (n int) {
	for k := range a {
		if b[k] {
			n++
		}
	}
	return n
}
