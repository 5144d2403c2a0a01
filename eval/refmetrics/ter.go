package refmetrics

import (
	"context"
	"fmt"
	"math"

	"crscore/internal/limits"
)

// Limits of the search for shifts, as sacrebleu 2.6.0 and tercom have them.
const (
	terShift      = 10    // words of a shift
	terDistance   = 50    // words between a shift's places in the two texts
	terBeam       = 25    // words from the diagonal of the table of distances
	terCandidates = 1_000 // shifts that are tried
)

func terInfo() Info {
	return Info{
		Name: "ter", About: "edits by word, shifts of phrases among them, per 100 words of the reference",
		Source: "TER: Snover et al. (2006), as sacrebleu 2.6.0 has it",
		Max:    math.Inf(1), LowerIsBetter: true,
		build: func(*options, Needs) (Metric, error) { return ter{newOverlaps()}, nil },
	}
}

type ter struct{ overlaps *overlaps }

func (m ter) Score(ctx context.Context, hypothesis string, references []string) (float64, error) {
	edits, length, err := m.edits(ctx, hypothesis, references)
	return terScore(edits, length), err
}

func (m ter) NewCorpus() Corpus { return &terCorpus{ter: m} }

type terCorpus struct {
	ter
	sum    int
	length float64
}

func (c *terCorpus) Add(hypothesis string, references []string) error {
	edits, length, err := c.edits(context.Background(), hypothesis, references)
	c.sum += edits
	c.length += length
	return err
}

func (c *terCorpus) Score() float64 { return terScore(c.sum, c.length) }

// terScore is 100·edits/length; 100 where only the references are empty.
func terScore(edits int, length float64) float64 {
	if length > 0 {
		return 100 * (float64(edits) / length)
	}
	return float64(100 * min(edits, 1))
}

// edits returns the least edits that make a reference of the hypothesis, and the mean
// length of the references.
func (m ter) edits(ctx context.Context, hypothesis string, references []string) (least int, length float64, err error) {
	words := func(list []string, text string) []string { return append(list, fields(lower(text))...) }
	o := m.overlaps.get()
	defer m.overlaps.done(o)
	for i, text := range references {
		o.words(words, hypothesis, text)
		t := terPair{hyp: o.texts[0].ids, ref: o.texts[1].ids}
		if n := max(len(t.hyp), len(t.ref)); n > limits.TERWords {
			return 0, 0, fmt.Errorf("TER: a text has %d words: the limit is %d", n, limits.TERWords)
		}
		edits, err := t.edits(ctx)
		if err != nil {
			return 0, 0, err
		}
		if i == 0 || edits < least {
			least = edits
		}
		length += float64(len(t.ref))
	}
	return least, length / float64(max(1, len(references))), nil
}

// terPair is a hypothesis, which shifts change, and a reference.
type terPair struct {
	hyp, ref []int32
	rows     [][]terCell // the distances of the first i words of hyp and the first j of ref
	shifted  []int32     // memory for tries
	tryRows  [2][]terCell
	tried    int

	hypWrong, refWrong []int // how many of the first words need an edit
	at                 []int // by word of ref: the word of hyp that it stands for, or the word before
}

// terCell is a distance and the last edit on the way to it.
type terCell struct {
	cost int32
	edit byte
}

// The edits make the reference out of the hypothesis.
const (
	terNone    = ' '
	terReplace = 's'
	terDelete  = 'd'
	terInsert  = 'i'
)

// edits is the number of shifts and of other edits. Each turn does the best shift, until no
// shift makes the distance smaller or all candidates are spent.
func (t *terPair) edits(ctx context.Context) (int, error) {
	if len(t.ref) == 0 || len(t.hyp) == 0 {
		return len(t.hyp) + len(t.ref), nil
	}
	t.shifted = make([]int32, len(t.hyp))
	for i := range t.tryRows {
		t.tryRows[i] = make([]terCell, len(t.ref)+1)
	}
	t.rows = make([][]terCell, len(t.hyp)+1)
	for i := range t.rows {
		t.rows[i] = make([]terCell, len(t.ref)+1)
	}
	for j := range t.rows[0] {
		t.rows[0][j] = terCell{int32(j), terInsert}
	}
	for shifts := 0; ; shifts++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for i := 1; i < len(t.rows); i++ {
			t.row(t.rows[i-1], t.rows[i], t.hyp[i-1], i)
		}
		best := t.bestShift()
		if t.tried >= terCandidates || best.gain <= 0 {
			return shifts + t.distance(), nil
		}
		t.hyp, t.shifted = best.apply(t.shifted[:0], t.hyp), t.hyp
	}
}

func (t *terPair) distance() int { return int(t.rows[len(t.hyp)][len(t.ref)].cost) }

// row computes row i of the table from the row above.
func (t *terPair) row(above, row []terCell, word int32, i int) {
	const far = math.MaxInt32 / 2
	ratio := float64(len(t.ref)) / float64(len(t.hyp))
	beam := terBeam
	if terBeam < ratio/2 {
		beam = int(math.Ceil(ratio/2 + terBeam))
	}
	diagonal := int(math.Floor(float64(i) * ratio))
	low, high := max(0, diagonal-beam), min(len(row), diagonal+beam)
	if i == len(t.hyp) {
		high = len(row)
	}
	for j := range row {
		row[j] = terCell{far, 0}
	}
	for j := low; j < high; j++ {
		if j == 0 {
			row[0] = terCell{above[0].cost + 1, terDelete}
			continue
		}
		// Of equal ways the first is taken.
		best := terCell{above[j-1].cost + 1, terReplace}
		if t.ref[j-1] == word {
			best = terCell{above[j-1].cost, terNone}
		}
		if cost := above[j].cost + 1; cost < best.cost {
			best = terCell{cost, terDelete}
		}
		if cost := row[j-1].cost + 1; cost < best.cost {
			best = terCell{cost, terInsert}
		}
		if best.cost < far {
			row[j] = best
		}
	}
}

// align follows the edits back from the end of both texts.
func (t *terPair) align() {
	t.hypWrong = append(t.hypWrong[:0], make([]int, len(t.hyp)+1)...)
	t.refWrong = append(t.refWrong[:0], make([]int, len(t.ref)+1)...)
	t.at = append(t.at[:0], make([]int, len(t.ref))...)
	for i, j := len(t.hyp), len(t.ref); i > 0 || j > 0; {
		edit, wrong := t.rows[i][j].edit, 1
		if edit == terNone {
			wrong = 0
		}
		if edit != terDelete {
			j--
			t.at[j], t.refWrong[j+1] = i-1, wrong
		}
		if edit != terInsert {
			i--
			t.hypWrong[i+1] = wrong
		}
	}
	for i := range t.hyp {
		t.hypWrong[i+1] += t.hypWrong[i]
	}
	for j := range t.ref {
		t.refWrong[j+1] += t.refWrong[j]
	}
}

// terMove is a shift of words of the hypothesis to before the word target.
type terMove struct{ gain, start, size, target int }

// bestShift tries the shifts of phrases that both texts have, where some word of the phrase
// is wrong in both places.
func (t *terPair) bestShift() (best terMove) {
	t.align()
	found := false
	for start := range t.hyp {
		for j := max(0, start-terDistance); j < min(len(t.ref), start+terDistance+1); j++ {
			for size := 1; size <= terShift && start+size <= len(t.hyp) && j+size <= len(t.ref); size++ {
				if t.hyp[start+size-1] != t.ref[j+size-1] {
					break
				}
				if t.hypWrong[start+size] == t.hypWrong[start] || t.refWrong[j+size] == t.refWrong[j] ||
					start <= t.at[j] && t.at[j] < start+size {
					continue
				}
				for offset, before := -1, -1; offset < size; offset++ {
					move := terMove{start: start, size: size}
					if j+offset >= 0 {
						move.target = t.at[j+offset] + 1
					}
					if move.target == before {
						continue
					}
					before = move.target
					t.tried++
					if t.try(&move); !found || move.better(best) {
						best, found = move, true
					}
				}
				if t.tried >= terCandidates {
					return best
				}
			}
		}
	}
	return best
}

// better reports whether a shift comes before another: it gains more, else is longer, else
// starts earlier, else ends earlier.
func (m terMove) better(other terMove) bool {
	switch {
	case m.gain != other.gain:
		return m.gain > other.gain
	case m.size != other.size:
		return m.size > other.size
	case m.start != other.start:
		return m.start < other.start
	}
	return m.target < other.target
}

// try finds the gain of a shift. The rows of the words before the first change are known.
func (t *terPair) try(m *terMove) {
	words := m.apply(t.shifted[:0], t.hyp)
	first := 0
	for first < len(words) && words[first] == t.hyp[first] {
		first++
	}
	above := t.rows[first]
	for i := first + 1; i <= len(words); i++ {
		row := t.tryRows[i%2]
		t.row(above, row, words[i-1], i)
		above = row
	}
	m.gain = t.distance() - int(above[len(t.ref)].cost)
}

// apply appends the words after the shift.
func (m terMove) apply(to, words []int32) []int32 {
	end := m.start + m.size
	phrase := words[m.start:end]
	switch {
	case m.target < m.start:
		to = append(append(append(to, words[:m.target]...), phrase...), words[m.target:m.start]...)
		return append(to, words[end:]...)
	case m.target > end:
		to = append(append(append(to, words[:m.start]...), words[end:m.target]...), phrase...)
		return append(to, words[m.target:]...)
	}
	// Within the phrase: the words behind the phrase come before it.
	behind := min(m.size+m.target, len(words))
	to = append(append(to, words[:m.start]...), words[end:behind]...)
	return append(append(to, phrase...), words[behind:]...)
}
