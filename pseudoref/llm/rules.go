package llm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// tooLong objects to claims that are too long for one statement of a reviewer.
func tooLong(_ *evidence, c *claim) string {
	if len(c.text) <= limits.ClaimBytes {
		return ""
	}
	return fmt.Sprintf("it has %d bytes, more than the limit of %d", len(c.text), limits.ClaimBytes)
}

// brokenOff objects to a text that is no sentence, or one without its end.
func brokenOff(ev *evidence, c *claim) string {
	s := strings.TrimSpace(c.text)
	if len(word.FindAllString(s, 2)) < 2 {
		return "it is no sentence"
	}
	if hasStop(s) {
		return ""
	}
	if end := openEnd.FindString(c.frame); end != "" {
		return fmt.Sprintf("it breaks off behind %q", strings.TrimSpace(end))
	}
	if strings.Count(s, "`")%2 == 1 || strings.Count(s, "(") > strings.Count(s, ")") || strings.Count(s, `"`)%2 == 1 {
		return "it breaks off inside quotes or brackets"
	}
	if ev.stops {
		return "it has no full stop, as the other claims have"
	}
	return ""
}

// hasStop reports whether a text ends like a sentence.
func hasStop(s string) bool {
	s = strings.TrimRight(strings.TrimSpace(s), "\"'`)]*_”’")
	last, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?…。！？:;", last)
}

// openEnd is a word that no sentence ends with.
var openEnd = regexp.MustCompile(`(?i)\b(?:a|an|the|this|these|those|that|which|of|to|in|on|at|for|by|from|with|into|and|or|but|if|as|is|are|was|were|be|been|has|have|had|can|could|may|might|will|would|should|must|not|when|where|while|because|it|its|their|than|any|other|also|potentially|likely)\s*[,:]?$`)

// verdict objects to a judgement that says nothing about the change.
func verdict(_ *evidence, c *claim) string {
	for _, p := range []*regexp.Regexp{judgement, praise} {
		if m := p.FindString(c.frame); m != "" {
			return fmt.Sprintf("it passes judgement (%q)", strings.TrimSpace(m))
		}
	}
	return ""
}

// praise is of a review, which no change contains.
var praise = regexp.MustCompile(`(?i)\b(?:this|the|your)\s+(?:code\s+)?review(?:er)?s?\b[^.;‹]{0,60}?\b(?:perfect|flawless|excellent|great|good|outstanding|wonderful|thorough|comprehensive|complete|correct|approved?|accepted?)\b`)

var judgement = regexp.MustCompile(`(?i)^\W*(?:(?:overall|in summary|in general|generally),?\s+)?(?:` +
	`(?:this|the|that|your|its?)\s+(?:code\s+)?(?:review|reviewer|feedback|change|changes|code|commit|patch|pull request|diff|pr)s?\s+(?:is|are|was|were|looks?|seems?|deserves?|should be)\s+(?:\w+ly\s+|a\s+|an\s+|very\s+|all\s+|to be\s+)*` +
	`(?:perfect|flawless|excellent|great|good|fine|correct|complete|comprehensive|wonderful|approved|accepted|merged|well[- ](?:written|done|structured)|safe to merge|ready to merge|high[- ]quality)\b` +
	`|(?:lgtm|looks good to me|no (?:issues|problems|objections)(?: (?:were )?found)?)\b)`)

// aside objects to the phrases that models write around their answers, or instead of them.
func aside(_ *evidence, c *claim) string {
	if m := asides.FindString(c.frame); m != "" {
		return fmt.Sprintf("it is not about the change (%q)", m)
	}
	return ""
}

var asides = regexp.MustCompile(`^\W*(?:I(?:['’]m| am| can(?:not|['’]t)?| could not| will|['’]ll| do not| don['’]t| hope| would| apologi[sz]e)\b|(?i:(?:I['’]m )?sorry\b|as an (?:ai|language model)\b|(?:certainly|sure|of course)[,!]|(?:here|below) (?:is|are) (?:the|a|an|my|your|some)\b|(?:please )?let me know\b|please (?:provide|share|paste)\b))`)

// guess objects to a sentence that says that it does not know. What may follow
// from a change is no guess of this kind.
func guess(_ *evidence, c *claim) string {
	if m := guesses.FindString(c.frame); m != "" {
		return fmt.Sprintf("it says itself that it does not know (%q)", m)
	}
	return ""
}

var guesses = regexp.MustCompile(`(?i)\b(?:(?:is|are|was|were|has|have|will)\s+(?:most\s+|very\s+)?(?:likely|probably|presumably)|(?:likely|probably|presumably)\s+(?:used|meant|intended|added|removed|due|because)|(?:seems?|appears?)\s+to\s+be|(?:may|might|could)\s+(?:now\s+|also\s+)?(?:be\s+(?:using|handling|planning|intended|meant|planned)|have\s+been))\b`)

// pasted objects to a text that occurs word for word in the change.
func pasted(ev *evidence, c *claim) string {
	w := plainWords(c.text)
	if strings.Count(w, " ") < 4 { // three words
		return ""
	}
	for _, l := range ev.lines {
		if strings.Contains(l, w) {
			return "it stands in a line of the change word for word"
		}
	}
	return ""
}

// unknownName objects to names and values that do not occur.
func unknownName(ev *evidence, c *claim) string {
	var unknown []string
	for i, n := range c.names {
		if len(n.text) <= longName && (n.code || !strings.Contains(n.text, " ")) && !ev.knows(n.text) && !errorName.MatchString(n.text) && !c.isExample(i) {
			unknown = append(unknown, n.text)
		}
	}
	if len(unknown) == 0 {
		return ""
	}
	return fmt.Sprintf("%s does not occur in the change or its files", quoteAll(unknown))
}

// isExample reports whether a name is given as an example: "such as ‹1› or ‹2›".
func (c *claim) isExample(i int) bool {
	before, _, _ := strings.Cut(c.frame, fmt.Sprintf("‹%d›", i))
	return sample.MatchString(before)
}

var sample = regexp.MustCompile(`(?i)(?:\b(?:such as|like|for example|for instance|similar to|including)|\be\.g\.),?\s+(?:[^.;]*(?:‹\d+›|\w+)\s*(?:,|\bor\b|\band\b)\s*)*(?:(?:the|a|an)\s+)?$`)

// longName is the length from which a name is rather a value, in which models
// mistake a letter without meaning another.
const longName = 40

// errorName is the name of an error, which a claim may give as a consequence.
var errorName = regexp.MustCompile(`^[A-Z]\w*(?:Error|Exception)s?$`)

// The parts of a sentence about a name: "the new parameter ‹0›", "‹0› and ‹1›". A place may
// follow the noun; it is no part of the name.
const (
	thing = `((?:‹\d+›)(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)(?:the\s+)?‹\d+›)*)`
	noun  = `(?:\s+[\p{L}-]+){0,2}`
	where = `(?:\s+(?:in|from|of|to|for|on|at|within|inside)\s+(?:[^,.;‹]|‹\d+›){0,80}?)?`
	been  = `\s+(?:(?:has|have|had)\s+(?:now\s+|also\s+)?been|was|were)\s+(?:now\s+|also\s+|newly\s+|completely\s+)?`
)

var (
	wasAdded   = regexp.MustCompile(`(?i)` + thing + noun + where + been + `(?:added|introduced)\b`)
	wasRemoved = regexp.MustCompile(`(?i)` + thing + noun + where + been + `(?:removed|deleted|dropped)\b`)
	addition   = regexp.MustCompile(`(?i)\b(?:addition|introduction)\s+of\s+(?:[\p{L}-]+\s+){0,4}?` + thing)
	removal    = regexp.MustCompile(`(?i)\b(?:removal|deletion)\s+of\s+(?:[\p{L}-]+\s+){0,4}?` + thing)
	// The same as the whole of a sentence: "Adds ‹0›", "The change removes ‹0›".
	adds                 = regexp.MustCompile(`(?i)^(?:(?:the|this)\s+(?:code\s+)?(?:change|commit|patch|diff)s?\s+)?(?:adds?|added|introduces?|introduced)\s+(?:[\p{L}-]+\s+){0,4}?` + thing)
	removes              = regexp.MustCompile(`(?i)^(?:(?:the|this)\s+(?:code\s+)?(?:change|commit|patch|diff)s?\s+)?(?:removes?|removed|deletes?|deleted|drops|dropped)\s+(?:[\p{L}-]+\s+){0,4}?` + thing)
	anyAdded, anyRemoved = regexp.MustCompile(`(?i)` + been + `(?:added|introduced)\b`), regexp.MustCompile(`(?i)` + been + `(?:removed|deleted)\b`)
	becomes              = regexp.MustCompile(`(?i)\b(?:changed|renamed|modified|updated|switched|replaced)\s+from\s+(?:[\p{L}-]+\s+){0,2}‹(\d+)›\s+(?:to|with|by)\s+(?:[\p{L}-]+\s+){0,2}‹(\d+)›`)
	replaced             = regexp.MustCompile(`(?i)‹(\d+)›` + noun + where + been + `(?:replaced|renamed|changed)\s+(?:by|with|to)\s+(?:[\p{L}-]+\s+){0,2}‹(\d+)›`)
)

// wrongSign objects to a claim that removed code was added, and to similar contradictions.
// A name that occurs on no changed line proves nothing.
func wrongSign(ev *evidence, c *claim) string {
	for _, sign := range []struct {
		patterns []*regexp.Regexp
		any      *regexp.Regexp
		to, from *side
		what     string
	}{
		{[]*regexp.Regexp{wasAdded, addition, adds}, anyAdded, &ev.added, &ev.removed, "added"},
		{[]*regexp.Regexp{wasRemoved, removal, removes}, anyRemoved, &ev.removed, &ev.added, "removed"},
	} {
		if sign.to.lines == 0 && sign.from.lines > 0 && sign.any.MatchString(c.frame) {
			return "no line was " + sign.what
		}
		for _, o := range c.objects(sign.patterns) {
			n := o.name
			to, from := sign.to.count(n), sign.from.count(n)
			if from > 0 && (to == 0 || to <= from && !o.carried) {
				return fmt.Sprintf("`%s` stands %d times on added lines and %d times on removed ones", n, ev.added.count(n), ev.removed.count(n))
			}
		}
	}
	for _, pattern := range []*regexp.Regexp{becomes, replaced} {
		for _, m := range pattern.FindAllStringSubmatch(c.frame, -1) {
			from, to := c.name(m[1]), c.name(m[2])
			switch {
			case from == to:
				return fmt.Sprintf("it says that `%s` became what it was", from)
			case ev.removed.count(from) == 0 && ev.added.count(from) > 0 && ev.added.count(to) == 0 && ev.removed.count(to) > 0:
				return fmt.Sprintf("it is the other way round: `%s` was removed and `%s` added", to, from)
			}
		}
	}
	return ""
}

// object is a name that something happened to. carried means that it happened to a larger
// part with the name, such as a call, and other lines may have more of these.
type object struct {
	name    string
	carried bool
}

// objects are the names that something happened to, by the patterns.
func (c *claim) objects(patterns []*regexp.Regexp) []object {
	var out []object
	for _, p := range patterns {
		for _, m := range p.FindAllStringSubmatchIndex(c.frame, -1) {
			before := c.frame[:m[2]]
			if p != addition && p != removal && !isHead(before) {
				continue
			}
			for _, n := range c.marked(c.frame[m[2]:m[3]]) {
				out = append(out, object{n, carrier.MatchString(before)})
			}
		}
	}
	return out
}

// isHead reports whether the sentence says that something happened to the next name. It
// reads the text before the name in its clause: "the new parameter" is a head, "the line
// that calls" and "a parameter of" are not.
func isHead(before string) bool {
	if i := strings.LastIndexAny(before, ".,;:()"); i >= 0 {
		before = before[i+1:]
	}
	words := strings.Fields(strings.ToLower(carrier.ReplaceAllString(before, "")))
	return len(words) <= 6 && !slices.ContainsFunc(words, func(w string) bool { return notHead[w] || strings.HasSuffix(w, "ing") || mark.MatchString(w) })
}

// carrier matches words for a part of code that is added and removed together with the name
// behind it.
var carrier = regexp.MustCompile(`(?i)\b(?:imports?|uses?|usages?|references?|calls?)\s+(?:of|to)\s+`)

// notHead are words after which a name is only a part of the subject.
var notHead = words("in of to from for on at within inside into by with between using that which who where when if while because via through against as under over after before than like is are was were has have had")

// name returns a name by the digits of its mark.
func (c *claim) name(digits string) string {
	i, err := strconv.Atoi(digits)
	if err != nil || i >= len(c.names) {
		return ""
	}
	return c.names[i].text
}

func (c *claim) marked(s string) []string {
	var out []string
	for _, m := range mark.FindAllStringSubmatch(s, -1) {
		if n := c.name(m[1]); n != "" && strings.IndexFunc(n, unicode.IsLetter) >= 0 {
			out = append(out, n)
		}
	}
	return out
}
