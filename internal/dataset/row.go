package dataset

// Row is the result of a review. Its JSON form is a contract: fields may be added, never renamed.
type Row struct {
	ID     string `json:"id"`     // of the change
	Review string `json:"review"` // the review's id: the system that wrote it
	Status string `json:"status"` // "scored" or "unscored"
	// Reason says why the review is unscored; empty for a scored review.
	Reason string `json:"reason,omitempty"`
	// Metrics are the scores of reference-based metrics, in the order in which they were asked
	// for. A row that has them has no numbers of CRScore.
	Metrics Members[float64] `json:"metrics,omitempty"`
	// UnscoredMetrics says for each metric without a score why it has none.
	UnscoredMetrics Members[string] `json:"unscored_metrics,omitempty"`
	// The next fields are those of language models as judges. Grades and Grade are from 1 to
	// 5, Criteria from 1 to 10. Rank is the place among the reviews of the change, 1 for the
	// best. Score is the grade, or the mean of the criteria, from 0 to 1. Con, Comp and Rel
	// are Grades from 0 to 1.
	Grades   *Human           `json:"grades,omitempty"`
	Grade    *int             `json:"grade,omitempty"`
	Criteria Members[float64] `json:"criteria,omitempty"`
	Rank     *float64         `json:"rank,omitempty"`
	Score    *float64         `json:"score,omitempty"`
	// Judge is how the judge came to the numbers.
	Judge *Judge `json:"judge,omitempty"`
	// The numbers are nil for an unscored review.
	Con       *float64 `json:"con,omitempty"`
	Comp      *float64 `json:"comp,omitempty"`
	Rel       *float64 `json:"rel,omitempty"`
	Sentences *int     `json:"sentences,omitempty"`
	Refs      *int     `json:"refs,omitempty"`
	Mode      string   `json:"mode,omitempty"` // empty for reference-based metrics
	// CompBy is noisy-or where Comp credits a reference by all sentences, and empty where it does
	// so by the best.
	CompBy    string   `json:"comp_by,omitempty"`
	Tau       *float64 `json:"tau,omitempty"`     // nil in a mode without one
	Low       *float64 `json:"low,omitempty"`     // mode ramp's
	Slope     *float64 `json:"slope,omitempty"`   // mode calibrated's
	Weights   string   `json:"weights,omitempty"` // of references in Comp, as score.ParseWeights reads them
	Signature string   `json:"signature"`
	Note      string   `json:"note,omitempty"`
	Human     *Human   `json:"human,omitempty"`  // labels that came with the review
	Lang      string   `json:"lang,omitempty"`   // of the change, where a dataset tells it
	System    string   `json:"system,omitempty"` // is Review, under the name that others give it
	// Kind is what made the numbers: "score", "judge", "metrics" or "bench". Protocol is that of a judge.
	Kind     string `json:"kind,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	// LowerIsBetter names the metrics that are distances or error rates.
	LowerIsBetter []string `json:"lower_is_better,omitempty"`
	// Warnings say what of the change was repaired or left out.
	Warnings []string `json:"warnings,omitempty"`
	// LeftOut is the number of files of the change that could not be read.
	LeftOut int `json:"left_out,omitempty"`
	// Tools are the answers of external analyzers that were asked about the change.
	Tools []Tool `json:"tools,omitempty"`
	// Explain is the evidence, nil unless asked for.
	Explain *Explain `json:"explain,omitempty"`
}

// Tool is the answer of an external analyzer about the change.
type Tool struct {
	// Name is the name as in flags, such as "radon". Version is empty if it is
	// not known.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	State   string `json:"state"` // clean, findings, failed, timed out, unsupported version or missing
	// Reason says why a file has no answer; empty if every file has one.
	Reason string `json:"reason,omitempty"`
	// Files is the number of changed files in the tool's languages, Unread the number of
	// these files without an answer, Findings the number of the tool's smells.
	Files    int `json:"files"`
	Unread   int `json:"unread,omitempty"`
	Findings int `json:"findings,omitempty"`
}

// Judge is how a language model judged a review.
type Judge struct {
	// Votes are the answers of several votes: con, comp and rel, or the grade; null for an
	// answer that could not be used.
	Votes [][]int `json:"votes,omitempty"`
	// Orders are the place and the rank of the review in each order of the list.
	Orders []Place `json:"orders,omitempty"`
	// Reasons are the model's, one for each answer.
	Reasons []string `json:"reasons,omitempty"`
}

// Place is where a review stood in a list, and its rank there.
type Place struct {
	Place int     `json:"place"` // counted from 1
	Rank  float64 `json:"rank"`  // 1 for the best
}

// Explain is the evidence behind the numbers.
type Explain struct {
	// Sentences are in the order of the review. Refs are the references of the change. Both
	// are empty for an unscored review.
	Sentences []Sentence `json:"sentences"`
	Refs      []Ref      `json:"refs"`
	// Dropped are claims of models that are no references, with the reasons.
	Dropped []Dropped `json:"dropped,omitempty"`
}

// Dropped is a claim of a model that is no reference, with the reason.
type Dropped struct {
	Ref
	Reason string `json:"reason"` // the class of fault
	Detail string `json:"detail"` // for a person
}

// Sentence is a sentence of the review with its most similar reference.
type Sentence struct {
	// Text is the review's text from byte Start up to, and without, byte End.
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	// PointsBack reports whether the sentence begins with a word that refers to the sentence
	// before. The similarities of the sentence before then add to its own.
	PointsBack bool `json:"points_back,omitempty"`
	// Ref is the place of the reference in Explain.Refs, counted from 1.
	Ref        int     `json:"ref"`
	Similarity float64 `json:"similarity"`
	// Matched is nil in a mode without a threshold.
	Matched *bool `json:"matched,omitempty"`
	// Credit is the sentence's part in Con, from 0 to 1.
	Credit float64 `json:"credit"`
	// Why says which evidence shaped the similarity; empty where the similarity does not say.
	Why string `json:"why,omitempty"`
}

// Ref is a pseudo-reference with its most similar sentence, as JSON.
type Ref struct {
	// The fields down to EndLine are the fields of pseudoref.Ref.
	Kind      string `json:"kind"`
	Text      string `json:"text"`
	Source    string `json:"source"`
	Rule      string `json:"rule,omitempty"`
	Path      string `json:"path,omitempty"`
	Side      string `json:"side,omitempty"`
	StartLine int    `json:"start_line,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	// Sentence is the place of the sentence in Explain.Sentences, counted from 1; 0 where the
	// review has no sentence. Matched is nil in a mode without a threshold. All fields from
	// here to Credit are nil for a reference without a match.
	Sentence   *int     `json:"sentence,omitempty"`
	Similarity *float64 `json:"similarity,omitempty"`
	Matched    *bool    `json:"matched,omitempty"`
	Credit     *float64 `json:"credit,omitempty"` // its part in Comp, from 0 to 1
	Weight     *float64 `json:"weight,omitempty"` // nil for 1
}
