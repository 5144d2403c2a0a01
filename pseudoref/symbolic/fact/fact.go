// Package fact holds what the rules find in a change, as data: which rule, about what, where, how heavy. Facts
// are compared, merged and ranked before any of them is a sentence.
//
// English may come in only as the templates of rules and as noun phrases in slots. What
// looks at trees may not come in.
package fact

import (
	"slices"
	"strings"

	"crscore/change"
	"crscore/pseudoref"
)

// Slots fill the template of a rule. Each is a noun phrase or a clause, with code in
// backticks; what a template has no slot for is empty.
type Slots struct {
	// Form chooses the sentence of the rule.
	Form string
	// Object is what the fact is about, Of what the object belongs to.
	Object, Of string
	// Old and New are the states before and after the change.
	Old, New string
	// Detail is what else the sentence says.
	Detail string
}

// Nothing is the noun phrase for an empty text. Where a name should stand, it says that
// the tree of broken code hides it.
const Nothing = "an empty text"

// slotNames are the names of the slots in templates, Form apart.
var slotNames = []string{"object", "of", "old", "new", "detail"}

// Named returns the slot of a name in a template, such as "old"; it is nil for other names.
func (s *Slots) Named(name string) *string {
	return map[string]*string{"object": &s.Object, "of": &s.Of, "old": &s.Old, "new": &s.New, "detail": &s.Detail}[name]
}

// Hold tells whether one of the slots holds a phrase.
func (s Slots) Hold(phrase string) bool {
	return slices.ContainsFunc(slotNames, func(name string) bool { return strings.Contains(*s.Named(name), phrase) })
}

// usedBy returns the slots that a template has: facts that are said in the same words are the same.
func (s Slots) usedBy(template string) Slots {
	for _, name := range slotNames {
		if !strings.Contains(template, "{"+name) {
			*s.Named(name) = ""
		}
	}
	return s
}

// Lines are where a fact stands in its file. Zeros stand for the whole file.
type Lines struct {
	// Side is the text that the lines are counted in.
	Side change.Side
	// First and Last are lines of the fact, counted from 1.
	First, Last int
}

// Changing returns all changed lines of a file: those of the new side, if it has any.
func Changing(f *change.File) Lines {
	for _, side := range []change.Side{change.New, change.Old} {
		if lines := f.ChangedLines(side); len(lines) > 0 {
			return Lines{Side: side, First: lines[0], Last: lines[len(lines)-1]}
		}
	}
	return Lines{Side: change.Old}
}

// Fact is one thing that a rule found in a change. Its sentence is made of its rule and its
// slots when all facts are known.
type Fact struct {
	// Rule is the rule that found it, Weight its rank among the facts of the change.
	Rule   *Rule
	Weight int
	Kind   pseudoref.Kind
	Slots
	// Names fill the slot {names}. Facts that differ only in their names are merged, but
	// only within a Group, such as the arguments of one call.
	Names []string
	Group any
	// Place is the phrase for the function, class or test around it, "" for the file. Also
	// are the other places where the same happens.
	Place string
	Also  []string
	// Test says that it is about a test, or about code in one.
	Test bool
	// Path is the path of the file, "" for the change as a whole.
	Path string
	Lines
}

// As says under which rule a fact is, and what its sentence is filled with.
func (f *Fact) As(r *Rule, s Slots) *Fact {
	says := r.Sentence(s.Form)
	f.Rule, f.Slots, f.Weight, f.Kind = r, s, says.Weight, says.Kind
	return f
}

// quotes tells whether a phrase quotes code or words.
func quotes(phrase string) bool { return strings.ContainsAny(phrase, "`\"“") }

// before returns the fact that says the old state beside the new one of f, or nil. A fact
// that can say both at once says only the new state then.
func (f *Fact) before(rules Rules) *Fact {
	r := rules[f.Rule.Before]
	if r == nil {
		return nil
	}
	was := *f
	was.As(r, f.Slots).Weight = min(f.Weight, was.Weight)
	switch now := strings.TrimSpace(f.Form + " " + Now); {
	case f.Rule.Has(now):
		if len(f.Names) > 0 || !quotes(f.Old) {
			return nil
		}
		f.Form = now
	case f.Rule.Has(Now) || !r.Has(f.Form) || f.Hold(Nothing):
		return nil
	}
	return &was
}
