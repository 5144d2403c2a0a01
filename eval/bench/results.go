package bench

import (
	"crscore/eval/resample"
	"crscore/internal/dataset"
)

// Report is what a study finds. Its JSON names are stable; numbers are not rounded, and an
// undefined number is null with the reason beside it.
type Report struct {
	// These count what the systems are held against.
	PullRequests int `json:"pull_requests"`
	References   int `json:"references"`
	Invalid      int `json:"invalid"`
	// Systems are in the order in which they were given.
	Systems []*SystemReport `json:"systems"`
	// Cases are the matches, the missed references and the unmatched comments, if asked for.
	Cases []Case `json:"cases,omitempty"`
	// Warnings say what a reader has to know before the numbers.
	Warnings []string `json:"warnings,omitempty"`
	// Resamples is the number of draws behind the intervals, Seed their seed.
	Resamples int    `json:"resamples"`
	Seed      uint64 `json:"seed"`
	// Signature names everything that shapes a number.
	Signature string `json:"signature"`

	rows []dataset.Row
}

// Numbers are what a way to match gives, summed over the pull requests: pairs of a comment and a
// reference, Precision = Matches / comments, Recall = Matches / references, F1 = 2PR/(P+R).
type Numbers struct {
	// The fields are described above.
	Matches   int               `json:"matches"`
	Precision resample.Estimate `json:"precision"`
	Recall    resample.Estimate `json:"recall"`
	F1        resample.Estimate `json:"f1"`
}

// Matched are the numbers by place alone, and by place and meaning.
type Matched struct {
	// References counts the references.
	References int `json:"references"`
	// Lines are matches of places, Full of places and meaning.
	Lines Numbers `json:"line"`
	Full  Numbers `json:"full"`
}

// SystemReport is what a study finds for a system.
type SystemReport struct {
	// Name is the name of the system.
	Name string `json:"name"`
	// Answered and Missing count the pull requests with and without an answer, Unreadable the broken
	// files and instances, Comments the comments, and PerPull those for each answer.
	Answered   int      `json:"answered"`
	Missing    int      `json:"missing"`
	Unreadable int      `json:"unreadable_files"`
	Comments   int      `json:"comments"`
	PerPull    *float64 `json:"comments_per_answer"`
	Matched
	// Invalid counts the comments that match a known-invalid comment and no reference, Neither those
	// that match none of both: nothing is known of them. The shares are of all comments.
	Invalid      int               `json:"invalid_hits"`
	InvalidShare resample.Estimate `json:"invalid_share"`
	Neither      int               `json:"neither"`
	NeitherShare resample.Estimate `json:"neither_share"`
	// Undecided counts the pairs of near places that the matcher gave no answer to.
	Undecided int `json:"undecided_pairs"`
	// Spent are means over the answers that say them: some of the names in Answer.
	Spent dataset.Members[float64] `json:"spent,omitempty"`
	// Tiers are matches at other distances, Slices parts of the references.
	Tiers  []*Slice `json:"tiers,omitempty"`
	Slices []*Slice `json:"slices,omitempty"`
}

// Slice are the numbers of a part.
type Slice struct {
	// By is what parts the references, such as category, or distance; Value names the part.
	By    string `json:"by"`
	Value string `json:"value"`
	// Precision is undefined for parts that comments do not have.
	Matched
}

// Case is what a system finds and misses in a pull request.
type Case struct {
	// System and PullRequest name the case; Missing tells that there is no answer.
	System      string `json:"system"`
	PullRequest string `json:"pull_request"`
	Missing     bool   `json:"missing,omitempty"`
	// Matches are pairs, Missed references without a comment, Unmatched comments without a
	// reference.
	Matches   []Match     `json:"matches"`
	Missed    []Missed    `json:"missed"`
	Unmatched []Unmatched `json:"unmatched"`
}

// Match is a comment that meets a reference.
type Match struct {
	// Comment and Reference count from 1 in their files. Score is the matcher's. Distance is the
	// number of lines between both, nil where one has no lines.
	Comment   int     `json:"comment"`
	Reference int     `json:"reference"`
	Score     float64 `json:"score"`
	Distance  *int    `json:"distance"`
}

// Missed is a reference that no comment matches. Code are the lines with some lines around them,
// where a diff is given and has them.
type Missed struct {
	Reference
	// Code is described above.
	Code string `json:"code,omitempty"`
}

// Unmatched is a comment that matches no reference. Invalid tells that it matches a known-invalid
// comment.
type Unmatched struct {
	Place
	// Code is as in Missed.
	Text    string `json:"text"`
	Invalid bool   `json:"invalid,omitempty"`
	Code    string `json:"code,omitempty"`
}
