package score

// Aggregate sums up the scores of many reviews, of one system or of all.
// The zero value is ready for use.
type Aggregate struct {
	// Scored, Unscored and Empty are numbers of reviews. Empty reviews are scored, with 0.
	Scored, Unscored, Empty int

	con, comp, rel float64
	best           float64
	sentences      int
}

// Add adds a scored review.
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

// AddUnscored adds a review without a score.
func (a *Aggregate) AddUnscored() { a.Unscored++ }

// Summary has the numbers of reviews and their means.
type Summary struct {
	// Scored is the number of reviews with a score.
	Scored int `json:"scored"`
	// Unscored is the number of reviews without a score.
	Unscored int `json:"unscored"`
	// Empty is the number of scored reviews that are empty; their scores are 0.
	Empty int `json:"empty"`
	// Means are over the scored reviews; nil where there are none.
	Means *Means `json:"means,omitempty"`
}

// Means are the figures of a system, with both of the paper's ways to average Rel.
type Means struct {
	// Con is the mean conciseness.
	Con float64 `json:"con"`
	// Comp is the mean comprehensiveness.
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
