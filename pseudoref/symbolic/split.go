package symbolic

import (
	"regexp"
	"strings"
)

// each adds a claim for each of several deeds, since a review may speak of one
// and not of another.
func (w *writer) each(n item, weight int, rule, where, prefix string, deeds []string) {
	for _, d := range deeds {
		w.say(n, weight, rule, where, prefix+d)
	}
}

// fromTo and instead find the clauses that say two things: what something was,
// and what it is now. Quotations are one control character in them.
var (
	fromTo  = regexp.MustCompile(`^(.*[^,]) (was|were) changed from (.+) to (.+)$`)
	instead = regexp.MustCompile(`^(.*) now (passes|uses|calls|returns|raises|throws|has|takes|writes|says) (.+) instead of ([^,]+)$`)
)

// past are the past forms of what instead finds.
var past = map[string]string{
	"passes": "passed", "uses": "used", "calls": "called", "returns": "returned", "raises": "raised", "throws": "threw",
	"has": "had", "takes": "took", "writes": "wrote", "says": "said",
}

// mark stands for a quotation while a clause is looked at.
const mark = "\x02"

// masked takes the quotations out of a clause.
func masked(s string) (string, []string) {
	var quotes []string
	var b strings.Builder
	last := 0
	spans(s, func(i, j int) {
		b.WriteString(s[last:i])
		b.WriteString(mark)
		quotes = append(quotes, s[i:j])
		last = j
	})
	b.WriteString(s[last:])
	return b.String(), quotes
}

// split returns a fact as one for what was and one for what is now, where it
// says both: a review that speaks of the one need not speak of the other.
func split(facts []*fact) []*fact {
	var out []*fact
	for _, f := range facts {
		if len(f.names) > 0 {
			out = append(out, f)
			continue
		}
		s, quotes := masked(f.what)
		unmasked := func(s string) string {
			for _, q := range quotes {
				if !strings.Contains(s, mark) {
					break
				}
				s = strings.Replace(s, mark, q, 1)
			}
			return s
		}
		skip := func(parts ...string) { // the quotations of these are not in what follows
			for _, p := range parts {
				quotes = quotes[strings.Count(p, mark):]
			}
		}
		var before, now string
		all := quotes
		if m := fromTo.FindStringSubmatch(s); m != nil && strings.Contains(m[3], mark) {
			is := map[string]string{"was": "is", "were": "are"}[m[2]]
			subject := unmasked(m[1])
			skip(m[1])
			old := unmasked(m[3])
			skip(m[3])
			before, now = subject+" previously "+m[2]+" "+old, subject+" "+is+" now "+unmasked(m[4])
		} else if m := instead.FindStringSubmatch(s); m != nil {
			subject := unmasked(m[1])
			skip(m[1])
			new := unmasked(m[3])
			skip(m[3])
			before, now = subject+" previously "+past[m[2]]+" "+unmasked(m[4]), subject+" now "+m[2]+" "+new
		}
		quotes = all
		if before == "" {
			out = append(out, f)
			continue
		}
		a, b := *f, *f
		a.what, b.what = before, now
		a.rule = strings.TrimSuffix(f.rule, "-changed") + "-before"
		if !strings.HasSuffix(f.rule, "-changed") {
			a.rule = f.rule + "-before"
		}
		out = append(out, &b, &a)
	}
	return out
}
