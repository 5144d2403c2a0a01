package diffview

import (
	"regexp"

	"crscore/change"
)

const (
	// alike is the least share of common words of two lines that are one line changed.
	// Below it all words would be marked, which says nothing.
	alike = 0.4
	// maxPairs bounds the comparisons within a run of lines, maxWords the words of a line
	// that is compared, and maxCompared the words of all comparisons of a change.
	maxPairs    = 2_500
	maxWords    = 200
	maxCompared = 4_000_000
)

// word is an identifier, a run of spaces, or any other single character.
var word = regexp.MustCompile(`[\pL\pN_]+|\s+|.`)

// words are the words of a line.
type words struct {
	list  []string
	count map[string]int // of the words that are not blank
	all   int            // the sum of count
}

func wordsOf(text string) words {
	w := words{list: word.FindAllString(text, -1), count: map[string]int{}}
	for _, one := range w.list {
		if !blank(one) {
			w.count[one]++
			w.all++
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
	if (middle-from)*(to-middle) > maxPairs || *budget <= 0 {
		return
	}
	of := make([]words, to-from)
	for i := range of {
		of[i] = wordsOf(cut(lines[from+i].Text))
		*budget -= len(of[i].list)
	}
	next := middle
	for i := from; i < middle && *budget > 0; i++ {
		best, likest := -1, alike
		for j := next; j < to; j++ {
			a, b := of[i-from], of[j-from]
			if len(a.list) > maxWords || len(b.list) > maxWords {
				continue
			}
			*budget -= min(len(a.count), len(b.count))
			if l := likeness(a, b); l > likest || l == likest && best < 0 {
				best, likest = j, l
			}
		}
		if best < 0 {
			continue
		}
		a, b := of[i-from].list, of[best-from].list
		*budget -= len(a) * len(b) / 4 // a step here is cheaper
		inA, inB := common(a, b)
		marks[i], marks[best] = spread(a, inA), spread(b, inB)
		next = best + 1
	}
}

// likeness is the share of the two lines' words, spaces aside, that occur in both (Dice).
func likeness(a, b words) float64 {
	if a.all+b.all == 0 {
		return 0
	}
	if len(a.count) > len(b.count) {
		a, b = b, a
	}
	both := 0
	for w, n := range a.count {
		both += min(n, b.count[w])
	}
	return 2 * float64(both) / float64(a.all+b.all)
}

func blank(w string) bool { return w[0] == ' ' || w[0] == '\t' }

// common marks the words of a longest common subsequence.
func common(a, b []string) (inA, inB []bool) {
	longest := make([][]int16, len(a)+1)
	for i := range longest {
		longest[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			inA[i], inB[j] = true, true
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB
}

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
