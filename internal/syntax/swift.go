//go:build !fewgrammars

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
		"property_declaration": Variable, "attribute": Decorator, "try_expression": Parens, "pattern": Collection, "do_statement": Try,
		"call_suffix": Arguments, "directly_assignable_expression": Member, "dictionary_literal": Collection, "array_literal": Collection, "check_expression": Binary,
		"protocol_body": Block, "deinit_declaration": Function, "subscript_declaration": Function, "computed_property": Block,
		"associatedtype_declaration": TypeAlias, "range_expression": Binary, "function_type": Type, "dictionary_type": Type,
		"tuple_type": Type, "protocol_composition_type": Type, "willset_didset_block": Block,
	},
	fields: map[Edge]string{
		{"call_expression", "simple_identifier"}: "function", {"call_expression", "navigation_expression"}: "function",
		{"property_declaration", "type_annotation"}: "type", {"deinit_declaration", "deinit"}: "name",
	},
	shape: shape{
		flat: map[Edge]bool{
			{"call_suffix", "value_arguments"}: true, {"", "navigation_suffix"}: true,
			{"", "value_argument_label"}: true, {"property_declaration", "value_binding_pattern"}: true, {"", "try_operator"}: true,
			{"protocol_property_declaration", "pattern"}: true, {"", "as_operator"}: true, {"catch_block", "pattern"}: true,
			{"", "lambda_function_type_parameters"}: true,
		},
		in: map[Edge]Role{{"class_body", "property_declaration"}: Field, {"enum_class_body", "property_declaration"}: Field},
		forms: []Form{
			{Kind: "control_transfer_statement", Has: "return", Role: Return},
			{Kind: "control_transfer_statement", Has: "throw_keyword", Role: Throw},
			{Kind: "control_transfer_statement", Has: "break", Role: Break},
			{Kind: "control_transfer_statement", Has: "continue", Role: Continue},
			{Kind: "class_declaration", Has: "enum", Role: Enum},
			{Kind: "value_argument", Has: ":", Role: KeywordArgument},
		},
		values: map[string]Role{"nil": Null, "true": Bool, "false": Bool},
		tokens: map[string]bool{
			"else": true, "throw_keyword": true, "where_keyword": true, "default_keyword": true, "catch_keyword": true, "bang": true,
			"getter_specifier": true, "setter_specifier": true,
		},
	},
	Rebuild: Rebuild{
		Single: map[Edge]bool{
			{"", "value_argument"}: true, {"", "directly_assignable_expression"}: true, {"property_declaration", "pattern"}: true, {"for_statement", "pattern"}: true,
			{"modifiers", "inheritance_modifier"}: true, {"modifiers", "property_modifier"}: true, {"modifiers", "member_modifier"}: true,
			{"modifiers", "visibility_modifier"}: true, {"modifiers", "function_modifier"}: true, {"modifiers", "mutation_modifier"}: true,
		},
		Adopt: map[Edge]bool{{"parameter", "="}: true},
		After: map[Edge]string{
			{"assignment", "="}: "right", {"assignment", "+="}: "right", {"assignment", "-="}: "right",
			{"parameter", "="}: "value", {"parameter", ":"}: "type", {"function_declaration", "->"}: "return_type",
			{"protocol_function_declaration", "->"}: "return_type", {"value_argument", ":"}: "value", {"for_statement", "in"}: "right",
			{"if_statement", "else"}: "alternative", {"catch_block", "as"}: "type", {KindBinding, "="}: "value",
		},
		Lists: map[string]List{
			"if_statement":    {Kind: KindConditions, Role: Binary, Field: "condition", After: "if", Until: []string{"{"}},
			"guard_statement": {Kind: KindConditions, Role: Binary, Field: "condition", After: "guard", Until: []string{"else"}},
			"while_statement": {Kind: KindConditions, Role: Binary, Field: "condition", After: "while", Until: []string{"{"}},
		},
	},
	Traits:    Traits{ColonTypes: true, Annotation: "attribute", NamedArguments: true, MixedBases: true, Public: PublicByKeyword},
	braces:    true,
	condition: "__",
	frames:    []string{"class __ { func __() {", "class __ {", "func __() { switch __ {", "enum __ {", "protocol __ {", "func __() { __("},
}
