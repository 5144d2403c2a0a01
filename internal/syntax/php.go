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
		"case_statement": Case, "name": Identifier, "attribute_list": Decorator, "php_tag": Package,
		"array_creation_expression": Collection, "list_literal": Collection, "property_element": Declarator, "const_element": Declarator,
		"property_initializer": Parens, "use_declaration": Heritage, "enum_declaration_list": Block, "match_condition_list": Parens,
		"final_modifier": Modifier, "abstract_modifier": Modifier, "readonly_modifier": Modifier, "var_modifier": Modifier,
		"relative_scope": Self, "print_intrinsic": Call, "echo_statement": Call, "exit_statement": Return,
	},
	fields: map[Edge]string{
		{"property_element", "property_initializer"}: "value", {"const_element", "name"}: "name",
	},
	shape: shape{in: map[Edge]Role{
		{"declaration_list", "const_declaration"}: Field, {"enum_declaration_list", "const_declaration"}: Field,
	}},
	Rebuild: Rebuild{After: map[Edge]string{{"foreach_statement", "("}: "right", {"const_element", "="}: "value"}},
	leaves:  map[string]bool{"variable_name": true, "qualified_name": true, "namespace_name": true},
	Bases:   map[string]string{"use": "uses the trait"},
	Errors: map[string]string{
		"Exception": "Throwable", "Error": "Throwable", "RuntimeException": "Exception", "LogicException": "Exception", "ErrorException": "Exception",
		"InvalidArgumentException": "LogicException", "DomainException": "LogicException", "LengthException": "LogicException",
		"OutOfRangeException": "LogicException", "BadFunctionCallException": "LogicException", "BadMethodCallException": "BadFunctionCallException",
		"OutOfBoundsException": "RuntimeException", "RangeException": "RuntimeException", "OverflowException": "RuntimeException",
		"UnderflowException": "RuntimeException", "UnexpectedValueException": "RuntimeException", "PDOException": "RuntimeException",
		"TypeError": "Error", "ValueError": "Error", "ArgumentCountError": "TypeError", "ArithmeticError": "Error",
		"DivisionByZeroError": "ArithmeticError", "UnhandledMatchError": "Error", "JsonException": "Exception",
	},
	Traits:    Traits{LocalsInClasses: true, Dynamic: true, NamedArguments: true, Constructor: "__construct"},
	braces:    true,
	condition: "(__)",
	hash:      true,
	open:      "<?php ",
	rows:      []string{"$__ = ["},
	method:    "function __() {",
	stop:      ";",
	frames:    []string{"class __ { function __() {", "class __ {", "switch ($__) {", "$__ = [", "__(", "enum __ {", "interface __ {"},
}
