package sts

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// actionKinds are stems for what a change or a review may do, a line a kind. A read-only
// table.
const actionKinds = `
add introduc new insert creat includ append appear
remov delet drop elimin strip discard
renam name call
replac chang switch instead swap convert move modifi updat
return result yield output
check valid verifi condit assert whether compar
null nil undefin option empti miss
throw rais error except catch fail crash handl tri
log print debug messag warn info
import depend requir packag modul librari
type cast generic annot interfac class
default paramet argument flag config set
loop iter
test unit mock coverag
comment doc document javadoc docstr typo spell
format style indent whitespac line space
perform slow fast memori effici cach alloc
thread lock async await concurr race synchron
string text encod pars
unus dead duplic redund unnecessari need
`

// actionsByStem are the kinds of actions of each stem, a bit a kind.
func actionsByStem() map[string]uint32 {
	out := make(map[string]uint32)
	for kind, stems := range strings.Split(strings.TrimSpace(actionKinds), "\n") {
		for _, stem := range strings.Fields(stems) {
			out[stem] |= 1 << kind
		}
	}
	return out
}

// Sentences about the scope of a change, or about what their writer did ("Let's do this in another
// PR.", "Same here.", "I removed the call."), do not talk about the change. scopeRemark finds them by
// what may stand anywhere, which has one of scopeWords in it, and scopeStart by how they begin.
const (
	scopeRemark = `(?i)` +
		`\bunrelated (to|change|changes)\b|\b(is|are|be|seems?|looks?) unrelated\b` +
		`|\b(another|separate|different|next|future|follow[- ]?up) (pr|prs|pull request|merge request|mr|commit|patch|ticket)s?\b` +
		`|\b(out of|outside|outside of|beyond) (the )?scope\b`
	scopeStart = `(?i)` +
		`^(same (here|comment|question|remark)|ditto)\b` +
		`|^((ok|okay|yes|yeah|yep|sure|right|done|fixed)[,.:;!]* )?(i|i've|i have|we've|we have)( just| also| already| now)? ` +
		`(removed|added|changed|moved|renamed|fixed|updated|deleted|reverted|replaced|copied|pushed|extracted)\b`
)

var scopeWords = []string{"unrelated", "another", "separate", "different", "next", "future", "follow", "scope"}

// scopeRemarks finds sentences about the scope of a change.
type scopeRemarks struct{ anywhere, start *regexp.Regexp }

func newScopeRemarks() scopeRemarks {
	return scopeRemarks{regexp.MustCompile(scopeRemark), regexp.MustCompile(scopeStart)}
}

// has looks for the words first, which takes a tenth of the time. Other letters than ASCII may
// be the same letters for the expression.
func (s scopeRemarks) has(text string) bool {
	if s.start.MatchString(text) {
		return true
	}
	lower := strings.ToLower(text)
	other := strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
	if !other && !slices.ContainsFunc(scopeWords, func(w string) bool { return strings.Contains(lower, w) }) {
		return false
	}
	return s.anywhere.MatchString(text)
}
