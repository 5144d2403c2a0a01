package syntax

import (
	"github.com/smacker/go-tree-sitter/c"

	"crscore/internal/lang"
)

// cTable is what is known of C.
var cTable = Table{
	Lang:    lang.C,
	grammar: c.GetLanguage,
	roles: map[string]Role{
		"case_statement": Case, "declaration": Variable, "preproc_ifdef": If, "preproc_if": If, "type_definition": TypeAlias,
	},
	Traits: Traits{Dynamic: true},
}
