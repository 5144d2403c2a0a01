package diffview

import (
	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/outline"
	"crscore/pseudoref/symbolic/treediff"
)

// alike is the least likeness (Dice) of two lines that are one line changed.
// Below it all words would be marked, which says nothing.
const alike = 0.4

// word is an identifier, a run of spaces, or any other single character.
var word = regexp.MustCompile(`[\pL\pN_]+|\s+|.`)

// words are the words of a line, and those that are not blank.
type words struct{ all, bare []string }

func wordsOf(text string) words {
	w := words{all: word.FindAllString(text, -1)}
	for _, one := range w.all {
		if !blank(one) {
			w.bare = append(w.bare, one)
		}
	}
	return w
}

// changedWords marks the bytes of each line that the line's partner does not have. A line
// without a partner has no marks. Each comparison takes its words from budget; where that
// is used up, no more lines are marked.
func changedWords(lines []change.Line, budget *int) [][]bool {
	marks := make([][]bool, len(lines))
	for at := 0; at < len(lines); {
		from := at
		for at < len(lines) && lines[at].Op == change.Delete {
			at++
		}
		middle := at
		for at < len(lines) && lines[at].Op == change.Add {
			at++
		}
		if from == at {
			at++
			continue
		}
		markRun(lines, marks, from, middle, at, budget)
	}
	return marks
}

// markRun marks the words of deleted lines (from to middle) and of the added lines behind
// them. Each deleted line takes the likest added line that is left, in order.
func markRun(lines []change.Line, marks [][]bool, from, middle, to int, budget *int) {
	if (middle-from)*(to-middle) > limits.ShownPairs || *budget <= 0 {
		return
	}
	of := make([]words, to-from)
	for i := range of {
		of[i] = wordsOf(cut(lines[from+i].Text))
		*budget -= len(of[i].all)
	}
	next := middle
	for i := from; i < middle && *budget > 0; i++ {
		best, likest := -1, alike
		for j := next; j < to; j++ {
			a, b := of[i-from], of[j-from]
			if len(a.all) > limits.ShownWords || len(b.all) > limits.ShownWords {
				continue
			}
			*budget -= len(a.bare) + len(b.bare)
			if l := outline.Dice(a.bare, b.bare); l > likest || l == likest && best < 0 {
				best, likest = j, l
			}
		}
		if best < 0 {
			continue
		}
		a, b := of[i-from].all, of[best-from].all
		*budget -= len(a) * len(b) / 4 // a step here is cheaper
		inA, inB := make([]bool, len(a)), make([]bool, len(b))
		for _, pair := range treediff.Subsequence(len(a), len(b), func(i, j int) bool { return a[i] == b[j] }) {
			inA[pair[0]], inB[pair[1]] = true, true
		}
		marks[i], marks[best] = spread(a, inA), spread(b, inB)
		next = best + 1
	}
}

func blank(w string) bool { return w[0] == ' ' || w[0] == '\t' }

// spread turns marks of common words into marks of the bytes of the others. Spaces between
// two changed words belong to them.
func spread(words []string, common []bool) (marks []bool) {
	for i, w := range words {
		changed := !common[i] && !(i == 0 && blank(w)) // a mark on the indentation says little
		if blank(w) && i > 0 && i+1 < len(words) && !common[i-1] && !common[i+1] {
			changed = true
		}
		for range len(w) {
			marks = append(marks, changed)
		}
	}
	return marks
}
