package symbolic

import (
	"embed"
	"io/fs"
	"slices"
	"sync"

	"crscore/pseudoref/symbolic/data"
	"crscore/pseudoref/symbolic/fact"
	"crscore/pseudoref/symbolic/rules"
)

// Rules returns the catalogue: each kind of claim that is made, and its sentence. The caller
// may change it.
func Rules() []fact.Rule { return slices.Concat(changeRules(), rules.All(), data.All()) }

// catalogue is the one table of the rules that claims are made by. To fill their templates
// anew would be a third of the work of a small change. Nobody may change it.
var catalogue = sync.OnceValue(func() fact.Rules { return fact.Table(Rules()) })

// archives hold small changes with the claims about them, which show what the rules say.
//
//go:embed testdata/*.txtar
var archives embed.FS

// Archives holds the cases of the rules, which package cases reads.
func Archives() fs.FS { return archives }
