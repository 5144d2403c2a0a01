package gate

import (
	"slices"
	"strings"
	"unicode"
)

// RemarkKind is a kind of remark that is not about the code of a change.
type RemarkKind string

// The kinds of remarks.
const (
	Praise  RemarkKind = "praise"  // praise, approval, thanks
	Process RemarkKind = "process" // commits, branches, CI, scope, the review itself
	Remark  RemarkKind = "remark"  // either in other words, or boilerplate: "Make sure that this is tested."
)

// text names a kind in a sentence.
func (k RemarkKind) text() string {
	switch k {
	case Process:
		return "process remarks"
	case Remark:
		return "praise, process remarks or boilerplate"
	}
	return string(k)
}

// vocabulary recognizes sentences of a kind of remark: such a sentence has a key phrase,
// and no word that is neither in a key phrase nor a filler. "Please rebase the pointer
// arithmetic." has two other words, so it is about the code.
type vocabulary struct {
	kind    RemarkKind
	phrases [][]string      // the longest first
	fillers map[string]bool // words that say nothing about the code by themselves
	numbers bool            // numbers are fillers, too
	asks    bool            // a question can be such a remark
}

// Words of both kinds of remarks.
const commonFillers = `a an the this that these those it its all everything here there now again and but so then also just
	overall otherwise generally is are was be been looks look looking seems seem to for of on in with from at as by i im ive id we my
	me you your our us hi hey hello everyone folks pr mr prs pull request merge change changes changeset commit commits
	patch diff branch code review`

// vocabularies is the table of remarks.
func vocabularies() []vocabulary {
	return []vocabulary{
		newVocabulary(Praise, `good, great, nice, fine, perfect, awesome, excellent, amazing, fantastic, brilliant, cool, neat, lovely,
			wonderful, superb, fabulous, impressive, stellar, outstanding, spot on, good call, right call, +1, r+, lgtm, sgtm, ship it, approve, approved, well done, i like, i really like, love, kudos, congrats,
			congratulations, thanks, thank you, thx, ty, cheers, appreciate, appreciated, keep it up, no issue, no issues, no problem, no problems, no concern,
			no concerns, no complaints, no objection, no objections, no further comments, no comments, no remarks, no corrections,
			no improvements, no corrections or improvements`,
			`ok okay very really pretty quite super absolutely much many lot big huge job work catch idea stuff cleanup clean
			improvement improvements find one start addition approach refactor refactoring step contribution contributions solution move effort
			codebase project quick fast fix fixing fixes update updates doing making submitting contributing opening sending working
			taking care looking into reading reviewing time help feedback patience found needed required necessary have see any go far
			im side up keep done well`, false, false),
		newVocabulary(Process, `squash, squashed, squashing, bump, ping, retest, rebase, rebased, rebasing, merge conflict, merge conflicts, has conflicts, ci, travis, jenkins,
			circleci, appveyor, codecov, github actions, build is red, build is broken, build is failing, build failed, build fails, build is green,
			pipeline is red, pipeline is failing, pipeline failed, checks are failing, checks failed, checks are red, unrelated, not related, related to this pr, out of scope, outside the scope, outside
			of the scope, beyond the scope, not in scope, separate pr, separate prs, separate pull request, separate commit, separate commits, separate patch,
			separate change, different pr, different commit, different pull request, another pr, another commit, another pull request, own pr, own commit, own
			pull request, follow up pr, followup pr, follow up pull request, commit message, commit messages, pr description, pr title, pull request
			title, pull request description, cla, dco, sign off, ptal, wip, ready for review, needs review, from this pr, from the pr, comments below,
			comments inline, inline comments, notes below, suggestions below, few comments, some comments, few suggestions, few notes, a couple of comments`,
			`please pls plz can could would should must need needs have has had do dont forget remember lets let think maybe perhaps
			probably nit note before after when once until while merging merged landing land pushing push latest current upstream origin
			main master trunk develop head base onto against top into one single together fixup history red green failing failed fails
			fail failure failures broken passing pass passes flaky unhappy happy still not no re rerun restart retrigger wait waiting fix resolve
			build builds job jobs run runs pipeline checks check error errors how why what if or completely entirely totally bit
			scope related purpose rest split move put submit open make go own new issue ticket up sign update reword title description
			file files remove exclude left added made made see my few some couple several minor small comments suggestions notes inline
			below sorry will get got yet only separate different`, true, true),
	}
}

func newVocabulary(kind RemarkKind, phrases, fillers string, numbers, asks bool) vocabulary {
	v := vocabulary{kind: kind, fillers: make(map[string]bool), numbers: numbers, asks: asks}
	for p := range strings.SplitSeq(phrases, ",") {
		v.phrases = append(v.phrases, strings.Fields(p))
	}
	slices.SortStableFunc(v.phrases, func(a, b []string) int { return len(b) - len(a) })
	for _, w := range strings.Fields(commonFillers + " " + fillers) {
		v.fillers[w] = true
	}
	return v
}

// matches reports whether a sentence is a remark of the kind.
func (v vocabulary) matches(sentence string) bool {
	if strings.Contains(sentence, "`") || !v.asks && strings.Contains(sentence, "?") {
		return false // code, or a question about it
	}
	found := false
	words := remarkWords(sentence)
next:
	for len(words) > 0 {
		for _, p := range v.phrases {
			if len(p) <= len(words) && slices.Equal(p, words[:len(p)]) {
				words, found = words[len(p):], true
				continue next
			}
		}
		if !v.fillers[words[0]] && !(v.numbers && strings.Trim(words[0], "0123456789") == "") {
			return false
		}
		words = words[1:]
	}
	return found
}

// remarkWords are the words of a sentence in lower case, without mentions and names of
// emoji; an emoji of approval is "+1".
func remarkWords(sentence string) []string {
	sentence = strings.NewReplacer("'", "", "’", "", "👍", " +1 ", "🎉", " +1 ", "🚀", " +1 ", "👏", " +1 ", ":+1:", " +1 ", "❤", " +1 ", "💯", " +1 ").Replace(strings.ToLower(sentence))
	var words []string
	for _, field := range strings.Fields(sentence) {
		if strings.HasPrefix(field, "@") || strings.HasPrefix(field, ":") { // :tada:
			continue
		}
		words = append(words, strings.FieldsFunc(field, func(r rune) bool { return r != '+' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
	}
	return words
}

// remarkKind is the kind of a comment all of whose sentences are remarks, "" for any
// other comment. A comment with both kinds is about the process.
func remarkKind(table []vocabulary, sentences []string) RemarkKind {
	kind := RemarkKind("")
	for _, s := range sentences {
		i := slices.IndexFunc(table, func(v vocabulary) bool { return v.matches(s) })
		if i < 0 {
			return ""
		}
		if kind != Process {
			kind = table[i].kind
		}
	}
	return kind
}
