package calibration

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"crscore/eval/agreement"
	"crscore/internal/matrices"
	"crscore/score"
)

// Table keeps only the data that rules are fitted on: the best similarity of each sentence
// and of each reference, all similarities for Comp by noisy-or, the labels, and, for the
// pairs that annotators checked, the similarity and whether the review addresses the
// reference.
//
// Changes and reviews may be added in any order: no result depends on it.
type Table struct {
	changes []change // by id once the table is ready
	ids     map[string]bool
	names   map[string]string // of systems, each kept once
	kinds   []score.Ref       // all there are
	kindOf  map[score.Ref]uint32
	refs    int // the largest number of references of a change
	ready   bool
}

type change struct {
	id      string
	kinds   []uint32 // of the references
	reviews []review
}

type review struct {
	system   string
	unscored bool
	// sentences and refs are best similarities, of each sentence and of each of
	// the change's references. A review without sentences has no refs either.
	sentences, refs []float32
	// columns has the similarities of each reference to all sentences, one reference after the
	// other. A repeated sentence has 0 (score.Repeated).
	columns []float32
	human   *agreement.Scores
	pairs   []pair
}

// pair is a review and a point that annotators checked.
type pair struct {
	similarity float32
	addressed  bool
}

// Add copies the needed data of a block and keeps no reference to the block. The error
// names the change: an id that occurs twice, a label outside 1 to 5, a similarity outside
// [0,1].
func (t *Table) Add(b *matrices.Block) error {
	if t.ids == nil {
		t.ids, t.names, t.kindOf = make(map[string]bool), make(map[string]string), make(map[score.Ref]uint32)
	}
	if t.ids[b.ID] {
		return fmt.Errorf("change %.80q occurs twice", b.ID)
	}
	c := change{id: b.ID, kinds: make([]uint32, len(b.Refs)), reviews: make([]review, len(b.Reviews))}
	for j, r := range b.Refs {
		c.kinds[j] = t.kind(score.Ref{Kind: r.Kind, Source: r.Source})
	}
	seen := make(map[string]bool, len(b.Reviews))
	for i := range b.Reviews {
		from := &b.Reviews[i]
		if seen[from.ID] {
			return fmt.Errorf("change %.80q has two reviews %.80q", b.ID, from.ID)
		}
		seen[from.ID] = true
		r, err := reduce(b, i)
		if err != nil {
			return fmt.Errorf("change %.80q, review %.80q: %w", b.ID, from.ID, err)
		}
		if _, known := t.names[from.ID]; !known {
			t.names[from.ID] = from.ID
		}
		r.system = t.names[from.ID]
		c.reviews[i] = r
	}
	t.ids[b.ID], t.ready = true, false
	t.refs = max(t.refs, len(b.Refs))
	t.changes = append(t.changes, c)
	return nil
}

func (t *Table) kind(r score.Ref) uint32 {
	k, ok := t.kindOf[r]
	if !ok {
		k = uint32(len(t.kinds))
		t.kinds, t.kindOf[r] = append(t.kinds, r), k
	}
	return k
}

// reduce keeps the largest values of the rows and columns of a review's matrices.
func reduce(b *matrices.Block, i int) (review, error) {
	from := &b.Reviews[i]
	r := review{unscored: from.Unscored != "" || len(b.Refs) == 0}
	if h := from.Human; h != nil {
		r.human = &agreement.Scores{Con: h.Con, Comp: h.Comp, Rel: h.Rel}
		for _, l := range []struct {
			name  string
			value float64
		}{{"con", h.Con}, {"comp", h.Comp}, {"rel", h.Rel}} {
			if !(l.value >= 1 && l.value <= 5) { // not for NaN
				return r, fmt.Errorf("the human label for %s is %v, not between 1 and 5", l.name, l.value)
			}
		}
	}
	rows, points := b.Rows(i)
	// As evidence.Links has it: one without a score and sentences was not compared.
	linked := from.Addressed != nil && len(b.Points) > 0 && (from.Unscored == "" || from.Sentences > 0)
	n, m := len(rows), len(b.Refs)
	kept := make([]float32, n+m+n*m) // one allocation
	r.sentences, r.refs, r.columns = kept[:n:n], kept[n:n+m:n+m], kept[n+m:]
	nearest, repeated := make([]float32, len(b.Points)), score.Repeated(rows)
	for s, row := range rows {
		for _, side := range [][]float32{row, points[s]} {
			for j, v := range side {
				if !(v >= 0 && v <= 1) {
					return r, fmt.Errorf("the similarity of sentence %d and reference %d is %v, not in [0,1]", s+1, j+1, v)
				}
			}
		}
		for j, v := range row {
			r.sentences[s], r.refs[j] = max(r.sentences[s], v), max(r.refs[j], v)
			if !repeated[s] {
				r.columns[j*n+s] = v
			}
		}
		for j, v := range points[s] {
			nearest[j] = max(nearest[j], v)
		}
	}
	if len(rows) == 0 {
		r.refs = nil
	}
	if linked {
		r.pairs = make([]pair, len(nearest))
		for j, v := range nearest {
			r.pairs[j].similarity = v
		}
		for _, n := range from.Addressed {
			if n >= 1 && n <= len(r.pairs) {
				r.pairs[n-1].addressed = true
			}
		}
	}
	return r, nil
}

// prepare puts changes and reviews into the order of their ids.
func (t *Table) prepare() {
	if t.ready {
		return
	}
	slices.SortFunc(t.changes, func(a, b change) int { return cmp.Compare(a.id, b.id) })
	for i := range t.changes {
		slices.SortFunc(t.changes[i].reviews, func(a, b review) int { return cmp.Compare(a.system, b.system) })
	}
	t.ready = true
}

// Changes is the number of changes.
func (t *Table) Changes() int { return len(t.changes) }

// Systems are the ids of reviews, sorted.
func (t *Table) Systems() []string {
	var names []string
	for n := range t.names {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// scorer scores reviews of a table by one rule.
type scorer struct {
	rule    score.Rule
	tau     float32   // of hard mode, which compares as float32
	weights []float64 // by kind; nil weighs all alike
}

func (t *Table) scorer(rule score.Rule) scorer {
	s := scorer{rule: rule, tau: float32(rule.Tau)}
	if rule.Weights.String() != "" {
		s.weights = make([]float64, len(t.kinds))
		for k, ref := range t.kinds {
			s.weights[k] = rule.Weights.Of(ref.Kind, ref.Source)
		}
	}
	return s
}

// score equals score.ScoreRefs, to the last digit, of the whole matrix of the review, of
// which the table keeps a part. It returns false for a review without a score.
func (s *scorer) score(c *change, r *review) (v agreement.Scores, ok bool) {
	if r.unscored {
		return v, false
	}
	v.Con = s.mean(r.sentences)
	if s.weights == nil && !s.rule.NoisyOr() {
		v.Comp = s.mean(r.refs)
	} else if v.Comp, ok = s.covered(c, r); !ok {
		return agreement.Scores{}, false
	}
	v.Rel = score.HarmonicMean(v.Con, v.Comp)
	return v, true
}

// covered is Comp by weight or by noisy-or. It returns false where all references weigh 0.
func (s *scorer) covered(c *change, r *review) (comp float64, ok bool) {
	sum, whole, heaviest := 0.0, 0.0, 0.0
	n := len(r.sentences)
	for j, k := range c.kinds {
		w := 1.0
		if s.weights != nil {
			w = s.weights[k]
		}
		switch {
		case r.refs == nil:
		case s.rule.NoisyOr():
			sum += float64(w * s.rule.Cover(r.columns[j*n:][:n]))
		default:
			sum += float64(w * s.credit(r.refs[j]))
		}
		whole += w
		heaviest = max(heaviest, w)
	}
	return sum / whole, heaviest > 0
}

func (s *scorer) mean(side []float32) float64 {
	if len(side) == 0 {
		return 0
	}
	sum := 0.0
	if s.rule.Mode == score.Hard { // millions of times in a sweep
		n := 0
		for _, v := range side {
			if v > s.tau {
				n++
			}
		}
		sum = float64(n)
	} else {
		for _, v := range side {
			sum += s.rule.Credit(float64(v))
		}
	}
	return sum / float64(len(side))
}

func (s *scorer) credit(v float32) float64 { return s.rule.Credit(float64(v)) }

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
