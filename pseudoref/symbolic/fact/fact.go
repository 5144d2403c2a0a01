// Package fact holds what the rules find in a change, as data: which rule, about what,
// where, how heavy. Facts are compared, merged and ranked before any of them is a
// sentence.
//
// English may come in only as the templates of rules and as noun phrases in slots. What
// looks at trees may not come in.
package fact

import (
	"strings"

	"crscore/change"
	"crscore/pseudoref"
)

// Weights rank facts when there are more than a change may have claims: first what
// changes for callers, then behaviour, then what is only read.
const (
	File      = 100
	Signature = 90
	Declare   = 80
	Behaviour = 70
	Value     = 60
	Detail    = 50
	Result    = 48 // what comes of a change
	Guard     = 46 // what a change depends on
	Import    = 45
	Follows   = 40 // implications
	Aside     = 35 // what is said beside the main point
	Text      = 30 // comments and documentation
	Format    = 10
)

// Rule is a kind of fact, and how it is said.
type Rule struct {
	// ID is the stable name of the rule, such as "parameter-added".
	ID string
	// Says is the template of its clause. "{object} was changed from {old} to {new}" has
	// three slots, "the {parameter|parameters} {names}" a word for one name and a word
	// for several. A part in square brackets is left out if a slot in it is empty.
	Says string
	// Weight ranks the facts of the rule.
	Weight int
	// Kind is the kind of reference that a fact of the rule becomes; empty means a claim.
	Kind pseudoref.Kind
	// Now and Before replace Says where Old quotes code: the new state is said by Now, the
	// old state by the rule with the ID Before. A review that speaks of the new state need
	// not speak of the old state.
	Now, Before string
}

// Slots fill the template of a rule. Each is a noun phrase or a clause, with code in
// backticks; what a template has no slot for is empty.
type Slots struct {
	// Object is what the fact is about, Of what the object belongs to.
	Object string `json:"object,omitempty"`
	Of     string `json:"of,omitempty"`
	// Old and New are the states before and after the change.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Detail is what else the sentence says.
	Detail string `json:"detail,omitempty"`
}

// Fact is one thing that a rule found in a change.
type Fact struct {
	Rule   *Rule `json:"-"`
	Weight int   `json:"weight"`
	Slots
	// Names fill the slot {names}. Facts that differ only in their names are merged.
	Names []string `json:"names,omitempty"`
	// Place is the phrase for the function, class or test around it, "" for the file.
	Place string `json:"place,omitempty"`
	// Path and Side say in which file, First and Last on which lines, counted from 1;
	// zeros stand for the whole file.
	Path  string      `json:"path"`
	Side  change.Side `json:"side"`
	First int         `json:"first"`
	Last  int         `json:"last"`
}

// Both returns the rule ID-added for what came and the rule ID-removed for what went. In
// the template {added} becomes "added" or "removed", {now} "now" or "no longer", and {to}
// "to" or "from".
func Both(id string, weight int, says string) []Rule {
	came := strings.NewReplacer("{added}", "added", "{now}", "now", "{to}", "to")
	went := strings.NewReplacer("{added}", "removed", "{now}", "no longer", "{to}", "from")
	return []Rule{
		{ID: id + "-added", Weight: weight, Says: came.Replace(says)},
		{ID: id + "-removed", Weight: weight, Says: went.Replace(says)},
	}
}

// Implication returns the rule for what follows from a change.
func Implication(id, says string) Rule {
	return Rule{ID: id, Kind: pseudoref.Implication, Weight: Follows, Says: says}
}

// Changed returns the rule ID-changed for what has another value now, and the rule ID-before
// for the value that it had.
func Changed(id string, weight int) []Rule {
	return []Rule{
		{ID: id + "-changed", Weight: weight, Says: "{object} was changed from {old} to {new}", Now: "{object} is now {new}", Before: id + "-before"},
		{ID: id + "-before", Weight: min(weight, Aside), Says: "{object} previously was {old}"},
	}
}
