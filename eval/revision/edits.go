package revision

import (
	"index/suffixarray"
	"regexp"
	"slices"
	"strings"
)

// edits are what a revision does to a text: the runs of tokens that it deletes, and those that it
// adds in their places or between others.
type edits struct{ deleted, added [][]string }

// editsOf are the edits from one text to another.
func editsOf(from, to []string) (e edits, err error) {
	same, err := blocks(from, to, maxSteps)
	i, j := 0, 0
	for _, b := range same {
		if i < b.a {
			e.deleted = append(e.deleted, from[i:b.a])
		}
		if j < b.b {
			e.added = append(e.added, to[j:b.b])
		}
		i, j = b.a+b.size, b.b+b.size
	}
	return e, err
}

// size is |edits|: the number of tokens in the runs that count.
func (e edits) size(counts func(string) bool) (n int) {
	for _, group := range slices.Concat(e.deleted, e.added) {
		for _, token := range group {
			if counts(token) {
				n++
			}
		}
	}
	return n
}

// contains reports whether each deleted run of other lies in a deleted run of e, and each added
// run in an added run.
func (e edits) contains(other edits) bool {
	return within(other.deleted, e.deleted, delimited) && within(other.added, e.added, delimited)
}

// containsText reports whether each run of other, as a text, is a part of a run of e, whatever
// the case and whether deleted or added.
func (e edits) containsText(other edits) bool {
	return within(slices.Concat(other.deleted, other.added), slices.Concat(e.deleted, e.added), lowered)
}

func delimited(group []string) string {
	return tokenMark + strings.Join(group, tokenMark) + tokenMark
}

func lowered(group []string) string { return strings.ToLower(strings.Join(group, " ")) }

// within reports whether the text of each group is a part of the text of one of the others.
func within(groups, others [][]string, text func([]string) string) bool {
	if len(groups) == 0 {
		return true
	}
	var all strings.Builder
	for _, g := range others {
		all.WriteString(text(g) + openMark)
	}
	index := suffixarray.New([]byte(all.String())) // many groups are looked up
	for _, g := range groups {
		if len(index.Lookup([]byte(text(g)), 1)) == 0 {
			return false
		}
	}
	return true
}

// excess is REE of an answer whose edits hold those of the target; infinite where these are none.
func excess(answer, target int) float64 {
	if answer == target {
		return 0
	}
	return float64(answer-target) / float64(target)
}

// published are the texts as the program of the paper sees them.
type published struct{ tokens, letters *regexp.Regexp }

func newPublished() *published {
	return &published{
		tokens: regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9]+|==|!=|<=|>=|&&|\|\||[{}()\[\];,<>!=+\-*/%]`),
		// EXM compares these, so that numbers and operators do not count.
		letters: regexp.MustCompile(`[A-Za-z_]+`),
	}
}

func (p *published) exact(a, b string) bool {
	text := func(s string) string { return strings.Join(p.letters.FindAllString(strings.ToLower(s), -1), " ") }
	return text(a) == text(b)
}

// word reports whether |edits| counts a token.
func word(token string) bool {
	c := token[0]
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
