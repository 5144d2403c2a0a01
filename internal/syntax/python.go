package syntax

import (
	"github.com/smacker/go-tree-sitter/python"

	"crscore/internal/lang"
)

// pythonTable is what is known of Python.
var pythonTable = Table{
	Lang:    lang.Python,
	grammar: python.GetLanguage,
	roles: map[string]Role{
		"module": Other, "case_clause": Case, "attribute": Member, "print_statement": Call, "exec_statement": Call,
		"expression_list": Collection, "pattern_list": Collection, "tuple_pattern": Collection, "pass_statement": Label,
		"type_alias_statement": TypeAlias, "interpolation": Other, "set": Collection,
	},
	Traits: Traits{Dynamic: true, Raises: true, Docstrings: true, NamedArguments: true, ImportsBind: true, ValueFirst: true, Public: PublicByDefault},
}
