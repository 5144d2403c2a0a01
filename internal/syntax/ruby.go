package syntax

import (
	"github.com/smacker/go-tree-sitter/ruby"

	"crscore/internal/lang"
)

// rubyTable is what is known of Ruby.
var rubyTable = Table{
	Lang:    lang.Ruby,
	grammar: ruby.GetLanguage,
	roles: map[string]Role{
		"module": Namespace, "block": Lambda, "do_block": Lambda, "identifier": Identifier, "case": Switch,
		"self": Self, "begin": Try, "constant": Identifier,
	},
	Traits: Traits{Dynamic: true, Raises: true, NameSuffixes: "!?"},
}
