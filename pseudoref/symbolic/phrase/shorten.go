package phrase

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// The parts of a clause that may go where it is too long, as patterns; "\x00" stands for a
// quotation. What is left is less, and as true.
var (
	// "the result of `f` with `a` and `b`" is "the result of `f`".
	given = regexp.MustCompile("(result of \x00) with \x00(?:(?:, \x00)* and (?:\x00|\\d+ more))?")
	// "the check was removed, so `x` no longer depends on it" is "the check was removed".
	so = regexp.MustCompile("(), so .+ no longer depends? on it$")
	// "into the `else` branch where `n` is less than `0`" is "into the `else` branch".
	where = regexp.MustCompile("(into the \x00 branch) where .+$")
	// "`a`, `b` and `c`" is "`a` and more".
	listed = regexp.MustCompile("(\x00)(?:, \x00)+ and (?:\x00|\\d+ more)( |$)")
	// "a function that calls `f` and returns `x`" is "a function that calls `f`".
	deeds = regexp.MustCompile("( (?:that|where it) [a-z]+s .*?),? and (?:" + verbs + ") .*?( when | was (?:added|removed)$|$)")
	// "`a` is set and `b` is not set" is "`a` is set and 1 other condition holds".
	conditions = regexp.MustCompile(condition + "(?: (?:and|or) " + condition + ")+")
)

const (
	verbs     = "sets|calls|checks|loops|returns|asserts|throws|raises|creates|updates|appends"
	relations = "(?:is (?:(?:not )?in|at least|at most|less than|greater than|an instance of)|equals|differs from|contains|matches|does not match)"
	condition = "(?:the result of )?\x00 (?:" + relations + " \x00|is (?:not )?(?:true|false|set|defined|null|nil|\x00))"
)

// Shorten leaves parts of a clause out until it has at most MaxWords words, those behind
// first: they tell of the old state. At last it cuts all quotations of several words.
func Shorten(s string) string {
	for _, cut := range []func(string) string{
		without(so, "$1"), without(given, "$1"), without(where, "$1"), without(listed, "$1 and more$2"), without(deeds, "$1$2"), fewerConditions,
	} {
		for range MaxSay {
			short := masked(s, cut)
			if CountWords(s) <= MaxWords || CountWords(short) >= CountWords(s) {
				break
			}
			s = short
		}
	}
	for limit := ShortCode; limit >= MaxCode/10 && CountWords(s) > MaxWords; limit /= 2 {
		s = Requote(s, func(q string, words int) string {
			if CountWords(q) > 1 && words > MaxWords {
				return Shorter(q, limit)
			}
			return q
		})
	}
	return s
}

// masked changes a clause outside of its quotations. What change leaves out goes with the
// quotations in it.
func masked(s string, change func(string) string) string {
	var quotations []string
	var b strings.Builder
	last := 0
	spans(s, func(i, j int) {
		b.WriteString(s[last:i] + "\x00")
		quotations, last = append(quotations, s[i:j]), j
	})
	long := b.String() + s[last:]
	short := change(long)
	// What both begin with has the first quotations, the rest of the shorter one the last.
	same := 0
	for same < min(len(long), len(short)) && long[same] == short[same] {
		same++
	}
	ahead := strings.Count(short[:same], "\x00")
	behind := strings.Count(short[same:], "\x00")
	for _, q := range slices.Concat(quotations[:ahead], quotations[len(quotations)-behind:]) {
		short = strings.Replace(short, "\x00", q, 1)
	}
	return short
}

// without replaces the last match of a pattern.
func without(re *regexp.Regexp, by string) func(string) string {
	return func(s string) string {
		at := re.FindAllStringIndex(s, -1)
		if len(at) == 0 {
			return s
		}
		i, j := at[len(at)-1][0], at[len(at)-1][1]
		return s[:i] + re.ReplaceAllString(s[i:j], by) + s[j:]
	}
}

// fewerConditions counts the last conditions of the last chain, up to another operator.
func fewerConditions(s string) string {
	at := conditions.FindAllStringIndex(s, -1)
	for _, m := range slices.Backward(at) {
		rest := s[m[1]:]
		if strings.HasPrefix(rest, " and ") || strings.HasPrefix(rest, " or ") {
			continue
		}
		chain, word, n := s[m[0]:m[1]], "", 0
		for {
			and, or := strings.LastIndex(chain, " and "), strings.LastIndex(chain, " or ")
			next := Either(and > or, "and", "or")
			if max(and, or) < 0 || word != "" && next != word {
				break
			}
			chain, word, n = chain[:max(and, or)], next, n+1
		}
		holds := Plural(n, "other condition") + Either(word == "and" && n > 1, " hold", " holds")
		return s[:m[0]] + chain + " " + word + Either(word == "or" && n > 1, " one of ", " ") + holds + rest
	}
	return s
}
