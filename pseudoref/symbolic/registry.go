package symbolic

import (
	"slices"

	"crscore/pseudoref/symbolic/fact"
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
		documentRules(),
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
		typeRules(),
		valueRules(),
		variableRules(),
		versionRules(),
	)
}
