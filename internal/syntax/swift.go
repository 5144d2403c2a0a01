package syntax

import (
	"github.com/smacker/go-tree-sitter/swift"

	"crscore/internal/lang"
)

// swiftTable is what is known of Swift.
var swiftTable = Table{
	Lang:    lang.Swift,
	grammar: swift.GetLanguage,
	roles: map[string]Role{
		"property_declaration": Variable, "attribute": Decorator, "try_expression": Other,
	},
	Traits: Traits{NamedArguments: true, MixedBases: true},
}
