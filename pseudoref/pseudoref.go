// Package pseudoref has the pseudo-references of a change: statements that a good review
// could make. A Ref is a claim about what the change does, an implication, or a code smell.
//
// Merge joins the references of several sources. The sources of claims are packages of
// their own: pseudoref/symbolic uses syntax trees, pseudoref/llm a language model. This
// package knows nothing of similarity and scores.
package pseudoref

// Kind is the kind of a reference.
type Kind string

// The three kinds, as in the paper (Naik et al. 2024, section 3.1).
const (
	Claim       Kind = "claim"       // what the change does
	Implication Kind = "implication" // what follows from it
	Smell       Kind = "smell"       // what is wrong with the code it touches
)

// Ref is a pseudo-reference.
type Ref struct {
	// Kind is claim, implication or smell.
	Kind Kind `json:"kind"`
	// Text is a sentence, or a few sentences, of plain English.
	Text string `json:"text"`
	// Source names the source: "symbolic", "data:NAME", "builtin", "data".
	Source string `json:"source"`
	// Rule is the rule that made the reference, such as "parameter-added"; empty for
	// ready texts.
	Rule string `json:"rule,omitempty"`
	// Path is the file, as the diff names it; empty for the whole change and for an
	// unknown path.
	Path string `json:"path,omitempty"`
	// Side is "old" if the lines are those of the old text, else "new" or empty.
	Side string `json:"side,omitempty"`
	// StartLine and EndLine are the first and the last line, counted from 1; 0 if they are
	// not known.
	StartLine int `json:"start_line,omitempty"`
	EndLine   int `json:"end_line,omitempty"`
}

// Dropped is a claim that failed a check, with the reason.
type Dropped struct {
	Ref
	// Reason is the kind of fault: "unknown-name", "duplicate".
	Reason string `json:"reason"`
	// Detail explains the fault for a person.
	Detail string `json:"detail"`
}
