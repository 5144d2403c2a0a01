package commentcheck

import (
	"fmt"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// kind is what a name may be the name of.
const kind = `(?:methods?|functions?|class(?:es)?|variables?|parameters?|params?|arguments?|fields?|propert(?:y|ies)|` +
	`constants?|imports?|attributes?|flags?|options?|props?|members?|changes)`

var (
	dotted = regexp.MustCompile(`^[A-Za-z_][\w.]*(?:\(\))?$`)
	// acted ends before a name that must be there to be acted on.
	acted = regexp.MustCompile(`(?i)\b(?:remove|removing|delete|deleting|drop|dropping|rename|renaming|get rid of|inline|inlining|` +
		`inside|incrementing|why we use|typo in|(?:earlier|already \w+|used|defined|declared|checked|handled|overrides) (?:in|of)|` +
		`(?:definition|implementation|callers?|calls?|usages?|use|purpose|question) (?:of|about)|` +
		`(?:getter|setter|accessor|property|field|tests?|mock) (?:of|for))` +
		`(?: the| this| that| these| your)?(?: ` + kind + `)?\s*$`)
	// the stands before and itsKind behind a name: "the `name` method".
	the     = regexp.MustCompile(`(?i)\b(?:the|this|that|your|these)(?: existing| current| new| old| private| public| static| replacement)?\s*$`)
	itsKind = regexp.MustCompile(`(?i)^\s+(?:helper )?` + kind + `\b`)
	// states follows a name of which something is said.
	states = regexp.MustCompile(`(?i)^(?: ` + kind + `)?\s+(?:is|are|was|were|isn't|aren't|does|doesn't|tells|refers?|` +
		`corresponds|defaults|takes|returns|already|seems?|should be|react|needed)\b|^\s*(?:->|=>|→)`)
	// proposes ends before a name that a comment proposes, or knows from elsewhere.
	proposes = regexp.MustCompile(`(?i)\b(?:use|uses|using|add|adding|have|having|create|creating|introduce|make|via|through|like|` +
		`call|calling|import|implement|implementing|prefer|need|want|override|overriding|extend|new|separate|such as|e\.g\.|to|` +
		`named|called|instead of|maybe|if)(?: \w+)?\s+(?:the |a |an |this |that |your )?$`)
)

// absentName finds a name of which a comment speaks as of a thing that is there, and that is
// nowhere in the texts: "remove the `retryCount` field". The name of a library that a comment
// proposes is no such name.
func absentName(t *Texts, c *comment) string {
	for _, s := range c.sentences {
		for _, p := range names(s) {
			if len(p.name) > limits.NamedBytes || !dotted.MatchString(p.name) || !shaped.MatchString(p.name) {
				continue
			}
			if p.presupposed() && !t.has(p.name) {
				return fmt.Sprintf("neither the change nor its files have the name `%s`", p.name)
			}
		}
	}
	return ""
}

// presupposed reports whether a sentence speaks of a name as of a thing that is there.
func (p place) presupposed() bool {
	before, after := p.before[max(0, len(p.before)-limits.NamedAround):], p.after[:min(len(p.after), limits.NamedAround)]
	switch {
	case acted.MatchString(before):
		return true
	case proposes.MatchString(before):
		return false
	}
	return the.MatchString(before) && itsKind.MatchString(after) || states.MatchString(after)
}
