//go:build !fewgrammars

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
		"property_declaration": Variable, "type_identifier": Type, "class_parameter": Parameter, "primary_constructor": Parameters,
		"call_suffix": Arguments, "directly_assignable_expression": Member, "delegation_specifier": Heritage, "indexing_expression": Index, "range_expression": Binary,
		"check_expression": Binary, "anonymous_initializer": Block, "object_literal": New, "function_type": Type,
		"multi_variable_declaration": Collection, "parenthesized_type": Type,
	},
	fields: map[Edge]string{
		{"function_declaration", "function_body"}: "body", {"call_expression", "simple_identifier"}: "function",
		{"call_expression", "navigation_expression"}: "function", {"for_statement", "simple_identifier"}: "left",
		{"property_declaration", "multi_variable_declaration"}: "name", {"if_expression", "control_structure_body"}: "consequence",
	},
	shape: shape{
		flat: map[Edge]bool{
			{"call_suffix", "value_arguments"}: true, {"", "annotated_lambda"}: true, {"call_expression", "call_expression"}: true,
			{"", "navigation_suffix"}: true, {"", "indexing_suffix"}: true,
			{"property_declaration", "variable_declaration"}: true, {"for_statement", "variable_declaration"}: true,
			{"", "binding_pattern_kind"}: true, {"", "when_subject"}: true, {"", "when_condition"}: true, {"", "property_delegate"}: true,
		},
		in: map[Edge]Role{{"class_body", "property_declaration"}: Field, {"enum_class_body", "property_declaration"}: Field},
		forms: []Form{
			{Kind: "jump_expression", Has: "return", Role: Return},
			{Kind: "jump_expression", Has: "return@", Role: Return},
			{Kind: "jump_expression", Has: "throw", Role: Throw},
			{Kind: "jump_expression", Has: "break", Role: Break},
			{Kind: "jump_expression", Has: "continue", Role: Continue},
			{Kind: "class_declaration", Has: "interface", Role: Interface},
			{Kind: "class_declaration", Has: "enum", Role: Enum},
			{Kind: "value_argument", Has: "=", Role: KeywordArgument},
			{Kind: "postfix_expression", Has: "++", Role: Update},
			{Kind: "postfix_expression", Has: "--", Role: Update},
			{Kind: "function_body", Has: "=", Role: Return},
		},
		values: map[string]Role{"null": Null, "true": Bool, "false": Bool},
	},
	Rebuild: Rebuild{
		Single: map[Edge]bool{
			{"", "value_argument"}: true, {"", "directly_assignable_expression"}: true, {"lambda_parameters", "variable_declaration"}: true, {"", "control_structure_body"}: true,
			{"modifiers", "class_modifier"}: true, {"modifiers", "function_modifier"}: true, {"modifiers", "member_modifier"}: true,
			{"modifiers", "visibility_modifier"}: true, {"modifiers", "property_modifier"}: true, {"modifiers", "inheritance_modifier"}: true,
			{"function_value_parameters", "parameter_modifiers"}: true,
		},
		Adopt: map[Edge]bool{{"parameter", "="}: true, {"call_suffix", "call_suffix"}: true},
		After: map[Edge]string{
			{"assignment", "="}: "right", {"assignment", "+="}: "right", {"assignment", "-="}: "right",
			{"property_declaration", "="}: "value", {"parameter", "="}: "value", {"class_parameter", "="}: "value", {"value_argument", "="}: "value",
			{"parameter", ":"}: "type", {"class_parameter", ":"}: "type", {"property_declaration", ":"}: "type", {"function_declaration", ":"}: "return_type",
			{"for_statement", "in"}: "right", {"if_expression", "("}: "condition", {"while_statement", "("}: "condition",
			{"do_while_statement", "("}: "condition", {"if_expression", "else"}: "alternative", {"catch_block", ":"}: "type",
			{"property_declaration", "by"}: "value",
		},
	},
	Traits:    Traits{ColonTypes: true, NamedArguments: true, CalledBases: true},
	braces:    true,
	condition: "(__)",
	frames:    []string{"class __ { fun __() {", "class __ {", "fun __() { when (__) {", "interface __ {", "enum class __ {", "fun __() { __(", "class __("},
}
