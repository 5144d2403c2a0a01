package symbolic

import (
	"embed"
	"io/fs"
	"slices"

	"crscore/pseudoref/symbolic/data"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/rules"
)

// Rules returns the catalogue: each kind of claim that is made, and its sentence.
func Rules() []fact.Rule { return slices.Concat(changeRules(), rules.All(), data.All()) }

// archives hold small changes with the claims about them, which show what the rules say.
//
//go:embed testdata/*.txtar
var archives embed.FS

// Archives holds the cases of the rules, which package cases reads.
func Archives() fs.FS { return archives }
