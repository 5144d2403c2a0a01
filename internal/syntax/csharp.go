package syntax

import (
	"github.com/smacker/go-tree-sitter/csharp"

	"crscore/internal/lang"
)

// csharpTable is what is known of C#.
var csharpTable = Table{
	Lang:    lang.CSharp,
	grammar: csharp.GetLanguage,
	roles: map[string]Role{
		"attribute": Decorator, "property_declaration": Field, "indexer_declaration": Function, "conversion_operator_declaration": Function,
		"delegate_declaration": TypeAlias, "arrow_expression_clause": Return, "tuple_pattern": Collection, "checked_statement": With,
		"fixed_statement": With, "unsafe_statement": With, "anonymous_object_creation_expression": New, "implicit_parameter": Parameter,
		"preproc_region": Comment, "preproc_endregion": Comment, "constructor_initializer": Call, "member_binding_expression": Member,
		"event_declaration": Field, "preproc_if": If, "preproc_elif": ElseIf, "preproc_else": Else,
	},
	fields: map[Edge]string{
		{"variable_declarator", "tuple_pattern"}: "name", {"switch_expression", "switch_expression_arm"}: "arm",
	},
	shape: shape{
		flat: map[Edge]bool{
			{"", "attribute_list"}: true, {"", "global_statement"}: true, {"local_declaration_statement", "variable_declaration"}: true,
			{"field_declaration", "variable_declaration"}: true, {"event_field_declaration", "variable_declaration"}: true,
			{"is_pattern_expression", "negated_pattern"}: true, {"", "declaration_expression"}: true,
		},
		in: map[Edge]Role{
			{"initializer_expression", "assignment_expression"}: Pair, {"attribute_argument", "assignment_expression"}: KeywordArgument,
		},
		ofField: map[string]Role{"type": Type, "returns": Type},
		rename:  map[Edge]string{{"method_declaration", "returns"}: "return_type"},
		forms: []Form{
			{Kind: "argument", Has: ":", Role: KeywordArgument},
			{Kind: "postfix_unary_expression", Has: "++", Role: Update},
			{Kind: "postfix_unary_expression", Has: "--", Role: Update},
			{Kind: "prefix_unary_expression", Has: "++", Role: Update},
			{Kind: "prefix_unary_expression", Has: "--", Role: Update},
		},
		tokens: map[string]bool{"implicit_type": true},
	},
	Rebuild: Rebuild{
		Single: map[Edge]bool{{"", "argument"}: true, {"", "attribute_argument"}: true, {"", "constant_pattern"}: true},
		After: map[Edge]string{
			{"variable_declarator", "="}: "value", {"parameter", "="}: "value", {"argument", ":"}: "value",
			{"switch_expression_arm", "=>"}: "value", {"anonymous_object_creation_expression", "="}: "value",
		},
	},
	Traits:    Traits{SemicolonEnds: true, Attributed: "int __;", Annotation: "attribute", NamedArguments: true, MixedBases: true, Public: PublicByKeyword},
	braces:    true,
	condition: "(__)",
	frames:    []string{"class __ { void __() {", "class __ {", "class __ { void __() { __(", "class __ { void __(", "class __ { void __() { switch (__) {", "enum __ {", "interface __ {", "class __ { int[] __ = {"},
}
