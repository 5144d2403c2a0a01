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

// Summary is an Aggregate in figures, the counts always beside the means.
type Summary struct {
	Scored   int `json:"scored"`
	Unscored int `json:"unscored"`
	Empty    int `json:"empty"` // of the scored ones, with 0
	// Means are over the scored reviews; nil where there are none.
	Means *Means `json:"means,omitempty"`
}

// Means are what the paper gives of a system, in both of its ways.
type Means struct {
	Con  float64 `json:"con"`
	Comp float64 `json:"comp"`
	// Rel is the mean of the reviews' own values, as in the paper's tables.
	Rel float64 `json:"rel"`
	// RelOfMeans is the harmonic mean of Con and Comp, as the authors' code
	// prints it. It is never below Rel: here, what one review lacks another makes
	// up for.
	RelOfMeans float64 `json:"rel_of_means"`
}

// Summary returns the figures.
func (a *Aggregate) Summary() Summary {
	s := Summary{Scored: a.Scored, Unscored: a.Unscored, Empty: a.Empty}
	if n := float64(a.Scored); n > 0 {
		s.Means = &Means{Con: a.con / n, Comp: a.comp / n, Rel: a.rel / n, RelOfMeans: HarmonicMean(a.con/n, a.comp/n)}
	}
	return s
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
