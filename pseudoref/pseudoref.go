// Package pseudoref is stage 1: what a good review of a change could talk
// about, as a list of pseudo-references (Refs): claims about what the change
// does, implications, and code smells.
//
// This package holds the value itself and the merging of lists from several
// sources. The sources live below it (pseudoref/symbolic makes claims from
// syntax trees); similarity and scores may not come in.
package pseudoref

// Kind says what a pseudo-reference states.
type Kind string

// The three kinds, as in the paper (Naik et al. 2024, section 3.1).
const (
	Claim       Kind = "claim"       // what the change does
	Implication Kind = "implication" // what follows from it
	Smell       Kind = "smell"       // what is wrong with the code it touches
)

// Ref is one pseudo-reference.
type Ref struct {
	Kind Kind `json:"kind"`
	// Text is one or a few sentences of plain English.
	Text string `json:"text"`
	// Source is where it comes from: "symbolic", "data:NAME", "builtin", "data".
	Source string `json:"source"`
	// Rule is the rule that made it, such as "parameter-added"; empty for
	// ready-made texts.
	Rule string `json:"rule,omitempty"`
	// Path is the file it is about, as the diff names it; empty where the
	// whole change is meant or the path is not known.
	Path string `json:"path,omitempty"`
	// Side is "old" where Lines count on the old side; else "new" or empty.
	Side string `json:"side,omitempty"`
	// StartLine and EndLine are the lines it is about, counted from 1 and
	// inclusive; 0 where they are not known.
	StartLine int `json:"start_line,omitempty"`
	EndLine   int `json:"end_line,omitempty"`
}

// Dropped is a claim that did not pass a check, with the reason.
type Dropped struct {
	Ref
	// Reason is the class of fault: "unknown-name", "duplicate".
	Reason string `json:"reason"`
	// Detail says it for a person.
	Detail string `json:"detail"`
}
