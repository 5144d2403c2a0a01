package score

// Aggregate sums up the scores of many reviews, of one system or of all.
// The zero value is ready for use.
type Aggregate struct {
	// Scored, Unscored and Empty count reviews. Empty ones are scored, with 0.
	Scored, Unscored, Empty int

	con, comp, rel float64
	best           float64
	sentences      int
}

// Add counts a scored review.
func (a *Aggregate) Add(r Result) {
	a.Scored++
	if r.Empty {
		a.Empty++
	}
	a.con += r.Con
	a.comp += r.Comp
	a.rel += r.Rel
	for _, s := range r.Sentences {
		a.best += s.Similarity
		a.sentences++
	}
}

// AddUnscored counts a review without a score.
func (a *Aggregate) AddUnscored() { a.Unscored++ }

// Means returns the means of con, comp and rel over the scored reviews, and
// false when there are none. The mean of rel is that of the per-review values,
// as in the paper's tables; its corpus figure is HarmonicMean(con, comp).
func (a *Aggregate) Means() (con, comp, rel float64, ok bool) {
	if a.Scored == 0 {
		return 0, 0, 0, false
	}
	n := float64(a.Scored)
	return a.con / n, a.comp / n, a.rel / n, true
}

// PaperTau returns τ by the paper's rule (section 4.3): the mean over all
// sentences of their similarity to the most similar reference; and false when
// there are no sentences.
func (a *Aggregate) PaperTau() (float64, bool) {
	if a.sentences == 0 {
		return 0, false
	}
	return a.best / float64(a.sentences), true
}
