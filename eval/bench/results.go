package bench

import (
	"crscore/eval/resample"
	"crscore/internal/report"
)

// Report is what a study finds. Its JSON names are stable; numbers are not rounded, and an
// undefined number is null with the reason beside it.
type Report struct {
	// PullRequests, References and Invalid count what the systems are held against.
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

	rows []report.Row
}

// Numbers are what a way to match gives, summed over the pull requests.
type Numbers struct {
	// Matches are pairs of a comment and a reference.
	Matches int `json:"matches"`
	// Precision is matches by comments, Recall matches by references, F1 = 2PR/(P+R).
	Precision resample.Estimate `json:"precision"`
	Recall    resample.Estimate `json:"recall"`
	F1        resample.Estimate `json:"f1"`
}

// SystemReport is what a study finds for a system.
type SystemReport struct {
	// Name is the name of the system.
	Name string `json:"name"`
	// Answered counts the pull requests with an answer, Missing the others, of which Unreadable
	// have a broken file at least. Counted are those in the sums.
	Answered   int `json:"answered"`
	Missing    int `json:"missing"`
	Unreadable int `json:"unreadable_files"`
	Counted    int `json:"counted"`
	// Comments counts the comments, PerPull those for each answer.
	Comments int      `json:"comments"`
	PerPull  *float64 `json:"comments_per_answer"`
	// Lines are matches of places, Full of places and meaning.
	Lines Numbers `json:"line"`
	Full  Numbers `json:"full"`
	// Invalid counts the comments that match a known-invalid comment and no reference, Neither those
	// that match none of both: nothing is known of them. The shares are of all comments.
	Invalid      int               `json:"invalid_hits"`
	InvalidShare resample.Estimate `json:"invalid_share"`
	Neither      int               `json:"neither"`
	NeitherShare resample.Estimate `json:"neither_share"`
	// Undecided counts the pairs of near places that the matcher gave no answer to.
	Undecided int `json:"undecided_pairs"`
	// Spent is what the answers took, for those that say it.
	Spent Spent `json:"spent"`
	// Tiers are matches at other distances, Slices parts of the references.
	Tiers  []*Slice `json:"tiers,omitempty"`
	Slices []*Slice `json:"slices,omitempty"`
}

// Spent are means over the answers that say them, nil where none does.
type Spent struct {
	// Seconds, InputTokens, OutputTokens and Cost are for each answer.
	Seconds      *float64 `json:"seconds"`
	InputTokens  *float64 `json:"input_tokens"`
	OutputTokens *float64 `json:"output_tokens"`
	Cost         *float64 `json:"cost"`
}

// Slice are the numbers of a part.
type Slice struct {
	// By is what parts the references, such as category, or distance; Value names the part.
	By    string `json:"by"`
	Value string `json:"value"`
	// References counts the references in the part.
	References int `json:"references"`
	// Lines and Full are as in SystemReport. Precision is undefined for parts that comments do not
	// have.
	Lines Numbers `json:"line"`
	Full  Numbers `json:"full"`
}

// Case is what a system finds and misses in a pull request.
type Case struct {
	// System and PullRequest name the case.
	System      string `json:"system"`
	PullRequest string `json:"pull_request"`
	// Missing tells that there is no answer.
	Missing bool `json:"missing,omitempty"`
	// Matches are pairs, Missed references without a comment, Unmatched comments without a
	// reference.
	Matches   []Match       `json:"matches"`
	Missed    []MissedNote  `json:"missed"`
	Unmatched []OtherRemark `json:"unmatched"`
}

// Match is a comment that meets a reference.
type Match struct {
	// Comment and Reference count from 1 in their files.
	Comment   int `json:"comment"`
	Reference int `json:"reference"`
	// Score is the matcher's.
	Score float64 `json:"score"`
	// Distance is the number of lines between both, nil where one has no lines.
	Distance *int `json:"distance"`
}

// MissedNote is a reference that no comment matches.
type MissedNote struct {
	Reference
	// Code are the lines with some lines around them, where a diff is given and has them.
	Code string `json:"code,omitempty"`
}

// OtherRemark is a comment that matches no reference.
type OtherRemark struct {
	Place
	// Text is the comment.
	Text string `json:"text"`
	// Invalid tells that it matches a known-invalid comment.
	Invalid bool `json:"invalid,omitempty"`
	// Code is as in MissedNote.
	Code string `json:"code,omitempty"`
}
