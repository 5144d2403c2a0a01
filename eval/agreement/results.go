package agreement

import (
	"crscore/internal/dataset"
)

// Results are the studies of metrics, for people and as JSON. The names of its
// JSON are stable.
type Results struct {
	// Studies has one for each metric.
	Studies []NamedReport `json:"studies"`
	// Validity has one for each metric, of comments that people found valid or invalid.
	Validity []*Validity `json:"validity,omitempty"`
	// Comparison sets the second study's scores beside the first's.
	Comparison *Comparison `json:"comparison,omitempty"`
	// ComparisonAsZero counts unscored reviews as 0; nil where none is unscored, or where
	// 0 would be no score.
	ComparisonAsZero *Comparison `json:"comparison_unscored_as_zero,omitempty"`
	// Metrics sets several metrics side by side.
	Metrics *Standings `json:"metrics,omitempty"`
	// Resamples is the number of draws behind the intervals.
	Resamples int `json:"resamples"`
	// Seed is the seed of the draws.
	Seed uint64 `json:"seed"`
}

// NamedReport is the agreement of one metric's scores, with what belongs to the run.
type NamedReport struct {
	// Name is the metric that was asked for, the file of scores, or the dataset that was
	// scored.
	Name string `json:"name"`
	// Metric is Input.Metric.
	Metric string `json:"metric,omitempty"`
	// Turned is Input.Turned: all numbers of the metric here have the sign turned.
	Turned bool `json:"turned,omitempty"`
	Report
	// Unmatched are the reviews that only the scores or only the labels have.
	Unmatched *Unmatched `json:"unmatched,omitempty"`
	// PaperTau is τ by the paper's rule, over the reviews of the labelled systems.
	PaperTau *float64 `json:"paper_tau,omitempty"`
	// Signature is how the scores were made.
	Signature string `json:"signature,omitempty"`
	// Input has the rows behind the report.
	Input Input `json:"-"`
}

// Unmatched are the ids of reviews that one side lacks.
type Unmatched struct {
	// OnlyScores have a score and are not in the dataset.
	OnlyScores []ReviewID `json:"only_in_scores"`
	// OnlyData are in the dataset and have no score.
	OnlyData []ReviewID `json:"only_in_data"`
}

// CaseEvidence shows why a review has the score that people disagree with.
type CaseEvidence struct {
	// Text is the review.
	Text string `json:"text,omitempty"`
	// Explain is the output of crscore score --explain.
	Explain *dataset.Explain `json:"explain,omitempty"`
	// Points are the annotators' references of the change.
	Points []CasePoint `json:"points,omitempty"`
}

// CasePoint is an annotators' reference.
type CasePoint struct {
	// Kind is the annotators' name for it, such as claim or issue.
	Kind string `json:"kind"`
	// Text is its words.
	Text string `json:"text"`
	// Addressed reports whether annotators found it in the review.
	Addressed bool `json:"addressed"`
}
