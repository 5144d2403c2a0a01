package fact

import (
	"cmp"
	"slices"
	"strings"

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
	Import    = 45
	Follows   = 40 // implications
	Aside     = 35 // what is said beside the main point
	Text      = 30 // comments and documentation
	Format    = 10
)

// WeightName returns the name of a weight, or of the next weight below that has a name.
func WeightName(weight int) string {
	for _, w := range []struct {
		least int
		name  string
	}{
		{File, "file"}, {Signature, "signature"}, {Declare, "declaration"}, {Behaviour, "behaviour"}, {Value, "value"}, {Detail, "detail"},
		{Result, "result"}, {Import, "import"}, {Follows, "consequence"}, {Aside, "aside"}, {Text, "text"},
	} {
		if weight >= w.least {
			return w.name
		}
	}
	return "format"
}

// Rule is a kind of fact, and how it is said.
type Rule struct {
	// ID is the stable name of the rule, such as "parameter-added".
	ID string
	// Says are the sentences of the rule. A fact is said by the first, or by the sentence for its form.
	Says []Sentence
	// Weight ranks the facts of the rule.
	Weight int
	// Kind is the kind of reference that a fact of the rule becomes; empty means a claim.
	Kind pseudoref.Kind
	// Before is the ID of the rule that says the old state beside the new state: a review that speaks of the one
	// need not speak of the other. If a rule has a sentence for Now, the old state is said apart only where Old
	// quotes code. The sentence for Now then says the new state; for a form FORM, the sentence for "FORM now"
	// does. A form that Before lacks says both states.
	Before string
	// Off says that the rule is off unless it is switched on.
	Off bool
}

// Sentence is a template of a clause. "{object} was changed from {old} to {new}" has three slots, "the key{|s}
// {names} {was|were} added" a word for one name and a word for several; {objects} is the plural of the object
// where there are several names. A part in square brackets is left out if a slot in it is empty.
type Sentence struct {
	// Form is the form of the facts that are said by it, empty for the usual form.
	Form string
	Text string
	// Weight and Kind are those of the facts said by it, where they differ from the rule's.
	Weight int
	Kind   pseudoref.Kind
}

// Now is the form of the new state, where the old state is said by a rule of its own.
const Now = "now"

// GoesOn is the form of what a long text says further on.
const GoesOn = "goes on"

// Sentence returns the sentence for a form, or the usual one if the form has none. It has
// the weight and the kind of the rule where it has none of its own.
func (r *Rule) Sentence(form string) Sentence {
	out := r.Says[max(0, slices.IndexFunc(r.Says, func(s Sentence) bool { return s.Form == form }))]
	out.Weight, out.Kind = cmp.Or(out.Weight, r.Weight), cmp.Or(out.Kind, r.Kind, pseudoref.Claim)
	return out
}

// Has tells whether the rule has a sentence of its own for a form.
func (r *Rule) Has(form string) bool { return r.Sentence(form).Form == form }

// Or returns the rule with a sentence for another form.
func (r Rule) Or(form, text string) Rule { return r.With(Sentence{Form: form, Text: text}) }

// With returns the rule with more sentences, whose facts may have a weight of their own.
func (r Rule) With(more ...Sentence) Rule {
	r.Says = append(r.Says[:len(r.Says):len(r.Says)], more...)
	return r
}

// Both returns the rule ID-added for what came and the rule ID-removed for what went. In
// the template {added} becomes "added" or "removed", {now} "now" or "no longer", and {to}
// "to" or "from", also in the sentences for other forms.
func Both(id string, weight int, says string, forms ...Sentence) []Rule {
	came := strings.NewReplacer("{added}", "added", "{now}", "now", "{to}", "to")
	went := strings.NewReplacer("{added}", "removed", "{now}", "no longer", "{to}", "from")
	added, removed := Claim(id+"-added", weight, says).With(forms...), Claim(id+"-removed", weight, says).With(forms...)
	for i := range added.Says {
		added.Says[i].Text, removed.Says[i].Text = came.Replace(added.Says[i].Text), went.Replace(removed.Says[i].Text)
	}
	return []Rule{added, removed}
}

// Claim returns a rule for what a change does.
func Claim(id string, weight int, says string) Rule {
	return Rule{ID: id, Weight: weight, Says: []Sentence{{Text: says}}}
}

// Implication returns a rule for what follows from a change.
func Implication(id, says string) Rule {
	return Rule{ID: id, Kind: pseudoref.Implication, Weight: Follows, Says: []Sentence{{Text: says}}}
}

// Changed returns the rule ID-changed for what has another value now, and the rule ID-before
// for the value that it had. Other forms have no value before.
func Changed(id string, weight int, forms ...Sentence) []Rule {
	rules := Swapped(id, weight, "{object} was changed from {old} to {new}", "{object} previously was {old}")
	rules[0] = rules[0].Or(Now, "{object} is now {new}").With(forms...)
	return rules
}

// Reworded returns the rules of Changed for what has a text, with sentences for which words
// of it came and went, and with others.
func Reworded(id string, weight int, forms ...Sentence) []Rule {
	rules := Changed(id, weight, forms...)
	rules[0] = rules[0].Or("says", "{object} now says {new} instead of {old}").
		Or("says "+Now, "{object} now says {new}").
		Or("also", "{object} now also says {new}[ in {detail}]").
		Or("less", "{object} no longer says {old}[ in {detail}]").
		Or("rewritten", "{object} was rewritten and now says {new}").
		Or(GoesOn, "{object} goes on to say {new}").
		Or("earlier", "{object} previously said {old}").
		Or("layout", "the {detail} of {object} was changed").
		Or("exchanged", "{object} was changed to {new}")
	rules[1] = rules[1].Or("says", "{object} previously said {old}")
	return rules
}

// Swapped returns the rule ID-changed for what does something else now, and the rule
// ID-before for what it did.
func Swapped(id string, weight int, now, before string) []Rule {
	changed := Claim(id+"-changed", weight, now)
	changed.Before = id + "-before"
	return []Rule{changed, Claim(changed.Before, min(weight, Aside), before)}
}

// Listed returns the rules for what stands in a line of its own and has a name, or is a
// named part of code. What is changed may be said in other forms, too.
func Listed(id string, changed ...Sentence) []Rule {
	return append(Both(id, Value, "the {objects} {names} {was|were} {added}{detail}[ {to} {of}][ with the value {new}]",
		Sentence{Form: "single", Text: "{object}[, which was {old},] was {added}{detail}[ {to} {of}][ with the value {new}]"},
		Sentence{Form: "bare", Text: "{names} {was|were} {added} {to} {of}"},
	), Reworded(id, Value, changed...)...)
}

// Verb is the end of the ID of a rule for what came or went; see Both.
func Verb(added bool) string {
	if added {
		return "added"
	}
	return "removed"
}
