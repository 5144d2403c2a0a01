package symbolic

import (
	"slices"

	"crscore/pseudoref/symbolic/data"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/rules"
)

// Rules returns the catalogue: each kind of claim that is made, and its sentence.
func Rules() []fact.Rule { return slices.Concat(changeRules(), rules.All(), data.All()) }
