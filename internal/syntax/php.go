package syntax

import (
	"github.com/smacker/go-tree-sitter/php"

	"crscore/internal/lang"
)

// phpTable is what is known of PHP.
var phpTable = Table{
	Lang:    lang.PHP,
	grammar: php.GetLanguage,
	roles: map[string]Role{
		"case_statement": Case, "name": Identifier, "attribute_list": Decorator,
	},
	Traits: Traits{Dynamic: true, NamedArguments: true},
}
