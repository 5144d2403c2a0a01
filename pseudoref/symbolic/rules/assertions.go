package rules

import (
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/phrase"
	"crscore/pseudoref/symbolic/tree"
)

// Assertions in words: what a test takes to be true.

// assertionPhrase is "an assertion that `x` holds", or else "the assertion …".
func assertionPhrase(n tree.Node) string {
	if s := phrase.Asserted(n); s != "" {
		return "an assertion that " + s
	}
	return "the assertion " + phrase.AssertedOr(n)
}

func assertionRules() []fact.Rule {
	return fact.Both("assertion", fact.Behaviour, "{object} was {added}")
}
