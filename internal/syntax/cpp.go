package syntax

import (
	"github.com/smacker/go-tree-sitter/cpp"

	"crscore/internal/lang"
)

// cppTable is what is known of C++.
var cppTable = Table{
	Lang:    lang.Cpp,
	grammar: cpp.GetLanguage,
	roles: map[string]Role{
		"case_statement": Case, "declaration": Variable, "preproc_ifdef": If, "preproc_if": If,
	},
	Traits: Traits{Dynamic: true},
}
