package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/phrase"

	"crscore/change"
	"crscore/pseudoref/symbolic/fact"

	"crscore/pseudoref/symbolic/tree"
)

// Rules returns the catalogue: each kind of claim that is made, and its sentence. A family
// of rules stands in the file with the code that finds its facts.
func Rules() []fact.Rule {
	return slices.Concat(
		annotationRules(),
		assertionRules(),
		branchRules(),
		callRules(),
		changeRules(),
		classRules(),
		commentRules(),
		compiledRules(),
		conditionRules(),
		consequenceRules(),
		dataflowRules(),
		documentRules(),
		facetRules(),
		failureRules(),
		fieldRules(),
		fileRules(),
		functionRules(),
		importRules(),
		layoutRules(),
		lineRules(),
		lockRules(),
		moveRules(),
		nodeRules(),
		outcomeRules(),
		parameterRules(),
		partRules(),
		reachRules(),
		renameRules(),
		replacementRules(),
		statementRules(),
		structuredRules(),
		typeRules(),
		valueRules(),
		variableRules(),
		versionRules(),
	)
}

// ruleTable returns the catalogue by ID.
func ruleTable() map[string]*fact.Rule {
	rules := Rules()
	out := make(map[string]*fact.Rule, len(rules))
	for i := range rules {
		out[rules[i].ID] = &rules[i]
	}
	return out
}

// add adds a fact about a node under a rule of the catalogue. Names fill the slot {names};
// the fact is merged with facts that differ only in their names.
func (w *writer) add(n tree.Node, id, where string, s fact.Slots, names ...string) *finding {
	r := w.rule(id)
	f := (&finding{where: where, names: names, path: w.file.Path(), side: change.New}).fill(r, s)
	if n.Ok() {
		f.side = n.Frag.Side
		f.first, f.last = n.LineRange()
	}
	// A tree of broken code may hide a name; a claim without it is none.
	if len(w.facts) < maxFacts && !(n.Ok() && strings.Contains(f.what, phrase.Nothing)) && !slices.Contains(names, phrase.Nothing) {
		w.facts = append(w.facts, f)
	}
	if before := w.rules[r.Before]; before != nil && !r.Has(fact.Now) && before.Has(s.Form) {
		w.aside(f, r.Before, s)
	}
	return f
}

// aside adds a fact that is said beside another one, about the same place: a review that
// speaks of the one need not speak of the other.
func (w *writer) aside(f *finding, id string, s fact.Slots) {
	g := *f
	g.fill(w.rule(id), s)
	g.weight = min(f.weight, g.weight)
	if len(w.facts) < maxFacts && !strings.Contains(f.what+g.what, phrase.Nothing) {
		w.facts = append(w.facts, &g)
	}
}

// fill says under which rule a fact is, and what its sentence is filled with.
func (f *finding) fill(r *fact.Rule, s fact.Slots) *finding {
	says := r.Sentence(s.Form)
	f.rule, f.weight, f.kind, f.def, f.slots = r.ID, says.Weight, says.Kind, r, s
	f.what, f.many = phrase.Fill(says.Text, s, slot, false), phrase.Fill(says.Text, s, slot, true)
	return f
}

// rule looks an ID up in the catalogue. An unknown ID is a fault of the program, which
// TestCatalogue finds.
func (w *writer) rule(id string) *fact.Rule {
	r := w.rules[id]
	if r == nil {
		panic("no rule " + id + " in the catalogue")
	}
	return r
}
