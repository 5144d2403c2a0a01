package syntax

import (
	"github.com/smacker/go-tree-sitter/bash"

	"crscore/internal/lang"
)

// bashTable is what is known of Bash.
var bashTable = Table{
	Lang:    lang.Bash,
	grammar: bash.GetLanguage,
	roles: map[string]Role{
		"list": Binary, "pipeline": Other, "case_statement": Switch, "word": String, "command_name": Identifier,
	},
}
