package syntax

import (
	"github.com/smacker/go-tree-sitter/rust"

	"crscore/internal/lang"
)

// rustTable is what is known of Rust.
var rustTable = Table{
	Lang:    lang.Rust,
	grammar: rust.GetLanguage,
	roles: map[string]Role{
		"attribute": Other, "parameters": Parameters, "match_block": Block, "try_expression": Other,
		"macro_definition": Function, "self": Self,
	},
}
