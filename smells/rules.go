package smells

import (
	"fmt"
	"slices"

	"crscore/internal/lang"
)

// Rule is one smell that is looked for.
type Rule struct {
	ID          string // stable, such as "long-method"
	Name        string // for people
	Description string
	Languages   []lang.Name
	// Threshold is the largest value that is not flagged, Unit what it counts.
	Threshold int
	Unit      string

	// value measures a block. ok is false where the rule does not apply to the
	// block or, in a bare hunk, too little of it is seen.
	value func(*measured) (v int, ok bool)
	// lines is the place to show; nil means the whole block.
	lines func(*measured) span
	// fresh is the text for a block that is flagged by itself, worse for one
	// that was better before.
	fresh func(r reading) string
	worse func(r reading) string
}

// reading is a value over its threshold.
type reading struct {
	subject               string // "`parse`", "this function"
	value, old, threshold int
}

// Rules is the catalogue, in the order in which smells of one place are
// reported. The texts are pseudo-references: they use the words of reviewers,
// with which they will be compared, in at most 25 or so.
//
// The first three thresholds and the ranks are the paper's (Naik et al. 2024,
// section 3.1, by way of PyScent, which sets pylint's limits); that of nesting
// is pylint's default for too-many-nested-blocks. They are the same for all
// languages.
func Rules() []Rule {
	return slices.Clone(rules)
}

var rules = []Rule{
	{
		ID:   "cyclomatic-complexity",
		Name: "Cyclomatic complexity",
		Description: "A function with more than 10 independent paths through it (radon's rank C or worse) is hard to read and to test. " +
			"Counted as radon does for Python, PMD for Java and JSHint for JavaScript.",
		Languages: Languages(),
		Threshold: 10,
		Unit:      "paths",
		value:     func(m *measured) (int, bool) { return m.Complexity, m.function() && m.whole },
		fresh: func(r reading) string {
			return fmt.Sprintf("%s is too complex: its cyclomatic complexity is %d (rank %s); it is hard to read and test and should be simplified or refactored.",
				r.subject, r.value, Rank(r.value))
		},
		worse: func(r reading) string {
			return fmt.Sprintf("The cyclomatic complexity of %s rose from %d (rank %s) to %d (rank %s); it is hard to read and should be simplified or refactored.",
				r.subject, r.old, Rank(r.old), r.value, Rank(r.value))
		},
	},
	{
		ID:   "long-method",
		Name: "Long method",
		Description: "A function with more than 50 statements does too much and should be split. Every simple and every compound statement is one; " +
			"functions inside are measured by themselves.",
		Languages: Languages(),
		Threshold: 50,
		Unit:      "statements",
		value:     func(m *measured) (int, bool) { return m.statements, m.function() && m.whole },
		fresh: func(r reading) string {
			return fmt.Sprintf("%s is too long: %d statements, more than %d; it should be split into smaller functions.", r.subject, r.value, r.threshold)
		},
		worse: func(r reading) string {
			return fmt.Sprintf("%s is too long and grew from %d to %d statements, more than %d; it should be split into smaller functions.",
				r.subject, r.old, r.value, r.threshold)
		},
	},
	{
		ID:   "long-parameter-list",
		Name: "Long parameter list",
		Description: "A function with more than 6 parameters is hard to call and to read. Optional, keyword-only and variadic ones count; " +
			"the receiver (self, cls, this) does not, since the caller does not write it (pylint counts it).",
		Languages: Languages(),
		Threshold: 6,
		Unit:      "parameters",
		value:     func(m *measured) (int, bool) { return m.params, m.function() && m.paramsWhole },
		lines:     func(m *measured) span { return span{m.StartLine, max(m.StartLine, m.paramsLines.last)} },
		fresh: func(r reading) string {
			return fmt.Sprintf("%s takes %d parameters, more than %d; so many arguments are hard to read; consider grouping them into an object.",
				r.subject, r.value, r.threshold)
		},
		worse: func(r reading) string {
			return fmt.Sprintf("%s now takes %d parameters instead of %d; that is too many (more than %d); consider grouping them into an object.",
				r.subject, r.value, r.old, r.threshold)
		},
	},
	{
		ID:   "deep-nesting",
		Name: "Deep nesting",
		Description: "Code inside more than 5 nested blocks (if, loop, try, with, switch; an \"else if\" is no level of its own) is hard to follow. " +
			"Of a hunk only what is seen counts, so that the true depth may be larger.",
		Languages: Languages(),
		Threshold: 5,
		Unit:      "levels",
		value:     func(m *measured) (int, bool) { return m.depth, m.Kind != Class },
		lines:     func(m *measured) span { return m.deepest },
		fresh: func(r reading) string {
			return fmt.Sprintf("The code in %s is nested %d levels deep, more than %d; it is hard to read; return early or extract a function.",
				r.subject, r.value, r.threshold)
		},
		worse: func(r reading) string {
			return fmt.Sprintf("The nesting in %s got deeper, from %d to %d levels; it is hard to read; return early or extract a function.",
				r.subject, r.old, r.value)
		},
	},
}
