package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// each adds a claim for each of several deeds, since a review may speak of one
// and not of another.
func (w *writer) each(n item, weight int, rule, where, prefix string, deeds []string) {
	for _, d := range deeds {
		w.say(n, weight, rule, where, prefix+d)
	}
}

// past are the past forms of what a claim may say "instead of".
var past = map[string]string{
	"passes": "passed", "uses": "used", "calls": "called", "returns": "returned", "raises": "raised", "throws": "threw",
	"has": "had", "takes": "took", "writes": "wrote", "says": "said",
}

// splitting finds clauses that say several things: a review that speaks of the
// one need not speak of the other. Quotations are one rune each in them. The
// first part keeps the rule; the others get its name with what is added to it.
type splitting struct {
	clause *regexp.Regexp
	parts  []string // templates, with "" for what is left out
	rule   string
}

// q is a quotation in a clause.
const q = "[\ue000-\uf8ff]"

var splittings = []splitting{
	{regexp.MustCompile(`^(.*[^,]) was changed from (.*` + q + `.*) to (.+)$`), []string{"${1} is now ${3}", "${1} previously was ${2}"}, "before"},
	{regexp.MustCompile(`^(.*[^,]) were changed from (.*` + q + `.*) to (.+)$`), []string{"${1} are now ${3}", "${1} previously were ${2}"}, "before"},
	{regexp.MustCompile(`^(.*) now (passes|uses|calls|returns|raises|throws|has|takes|writes|says) (.+) instead of ([^,]+)$`), []string{"${1} now ${2} ${3}", "${1} previously <${2}> ${4}"}, "before"},
	{regexp.MustCompile(`^(.*) is now made on (.+) instead of (.+)$`), []string{"${1} is now made on ${2}", "${1} was previously made on ${3}"}, "before"},
	{regexp.MustCompile(`^(.*) (is|are) now imported from (.*) instead of (.*)$`), []string{"${1} ${2} now imported from ${3}", "${1} previously came from ${4}"}, "before"},
	{regexp.MustCompile(`^((?:a|the)(?: new)? (?:\w+ )?(?:function|method|macro|procedure) (` + q + `))() with the parameters? (.+) (was added.*), documented as (.+)$`), []string{"${1} ${5}", "${2} takes ${4}", "${2} is documented as ${6}"}, "details"},
	{regexp.MustCompile(`^((?:a|the)(?: new)? (?:\w+ )?(?:function|method|macro|procedure) (` + q + `))() with the parameters? (.+) (was added.*)$`), []string{"${1} ${5}", "${2} takes ${4}"}, "details"},
	{regexp.MustCompile(`^(a constructor)() with the parameters? (.+) (was added.*)$`), []string{"${1} ${4}", "the new constructor takes ${3}"}, "details"},
	{regexp.MustCompile(`^(.*?(` + q + `).* was added.*), documented as (.+)$`), []string{"${1}", "${2} is documented as ${3}"}, "details"},
	{regexp.MustCompile(`^(.* was replaced by )the (call to (` + q + `)) with (.+)$`), []string{"${1}the ${2}", "the new ${2} passes ${4}"}, "arguments"},
	{regexp.MustCompile(`^(.*) now takes an optional parameter (` + q + `) with the default (.+)$`), []string{"${1} now takes an optional parameter ${2}", "${2} has the default ${3}"}, "default"},
	{regexp.MustCompile(`^(a (?:call|chain of calls) to (.+?)) with (.+) was added(.*)$`), []string{"${1} was added${4}", "the new call to ${2} passes ${3}"}, "arguments"},
}

// masked takes the quotations out of a clause.
func masked(s string) (string, []string) {
	var quotes []string
	var b strings.Builder
	last := 0
	spans(s, func(i, j int) {
		if len(quotes) < 1000 {
			b.WriteString(s[last:i])
			b.WriteRune(rune(0xe000 + len(quotes)))
			quotes = append(quotes, s[i:j])
			last = j
		}
	})
	b.WriteString(s[last:])
	return b.String(), quotes
}

// unmasked puts them back.
func unmasked(s string, quotes []string) string {
	var b strings.Builder
	for _, r := range s {
		if k := int(r) - 0xe000; k >= 0 && k < len(quotes) {
			b.WriteString(quotes[k])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// split returns facts for each thing that a fact says.
func split(facts []*fact) []*fact {
	var out []*fact
	for _, f := range facts {
		parts, rule := f.parts()
		for i, p := range parts {
			g := *f
			g.what = p
			if i > 0 {
				g.rule = strings.TrimSuffix(strings.TrimSuffix(f.rule, "-changed"), "-added") + "-" + rule
				g.weight = min(f.weight, wAside)
			}
			out = append(out, &g)
		}
		if parts == nil {
			out = append(out, f)
		}
	}
	return out
}

// parts are the clauses of a fact that says several things, or nil.
func (f *fact) parts() (parts []string, rule string) {
	if len(f.names) > 0 || strings.ContainsFunc(f.what, func(r rune) bool { return r >= 0xe000 && r <= 0xf8ff }) {
		return nil, ""
	}
	s, quotes := masked(f.what)
	for _, p := range splittings {
		m := p.clause.FindStringSubmatchIndex(s)
		if m == nil || strings.Contains(s, "instead of only") {
			continue
		}
		for _, t := range p.parts {
			c := string(p.clause.ExpandString(nil, t, s, m))
			if a, rest, ok := strings.Cut(c, "<"); ok {
				verb, rest, _ := strings.Cut(rest, ">")
				c = a + past[verb] + rest
			}
			parts = append(parts, unmasked(c, quotes))
		}
		return parts, p.rule
	}
	return nil, ""
}
