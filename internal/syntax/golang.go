package syntax

import (
	"github.com/smacker/go-tree-sitter/golang"

	"crscore/internal/lang"
)

// golangTable is what is known of Go.
var golangTable = Table{
	Lang:    lang.Go,
	grammar: golang.GetLanguage,
	roles: map[string]Role{
		"type_spec": Class, "type_declaration": Other, "expression_list": Other, "import_declaration": Other, "import_spec": Import, "field_declaration": Field, "go_statement": With,
	},
	Traits: Traits{Public: PublicByCapital},
}
