package syntax

import (
	"github.com/smacker/go-tree-sitter/kotlin"

	"crscore/internal/lang"
)

// kotlinTable is what is known of Kotlin.
var kotlinTable = Table{
	Lang:    lang.Kotlin,
	grammar: kotlin.GetLanguage,
	roles: map[string]Role{
		"property_declaration": Variable, "type_identifier": Type, "class_parameter": Field,
	},
	Traits: Traits{NamedArguments: true, MixedBases: true},
}
