//go:build !fewgrammars

package syntax

import (
	"github.com/smacker/go-tree-sitter/scala"

	"crscore/internal/lang"
)

// scalaTable is what is known of Scala.
var scalaTable = Table{
	Lang:    lang.Scala,
	grammar: scala.GetLanguage,
	roles: map[string]Role{
		"case_block": Block, "indented_block": Block, "compilation_unit": Other, "simple_enum_case": EnumMember, "full_enum_case": EnumMember,
		"tuple_pattern": Collection, "given_definition": Class, "var_declaration": Variable, "wildcard": Identifier, "enum_case_definitions": Other,
		"with_template_body": Block, "stable_identifier": Member, "generic_function": Member,
	},
	fields: map[Edge]string{
		{"for_expression", "enumerator"}: "range", {"interpolated_string_expression", "identifier"}: "interpolator",
		{"instance_expression", "generic_type"}: "type", {"instance_expression", "type_identifier"}: "type",
	},
	shape: shape{
		alias: map[string]string{"indented_block": "block", "indented_cases": "case_block"},
		flat: map[Edge]bool{
			{"try_expression", "catch_clause"}: true, {"try_expression", "case_block"}: true, {"", "enum_case_definitions"}: true,
			{"", "extension_definition"}: true, {"", "enumerators"}: true, {"match_expression", "case_block"}: true,
		},
		in: map[Edge]Role{
			{"try_expression", "case_clause"}: Catch, {"template_body", "val_definition"}: Field, {"template_body", "var_definition"}: Field,
			{"template_body", "val_declaration"}: Field, {"template_body", "var_declaration"}: Field,
			{"arguments", "assignment_expression"}: KeywordArgument, {"call_expression", "block"}: Lambda, {"call_expression", "case_block"}: Lambda,
		},
		ofField: map[string]Role{"type": Type, "return_type": Type},
		forms:   []Form{{Kind: "infix_expression", Has: "+=", Role: AugAssign}, {Kind: "infix_expression", Has: "-=", Role: AugAssign}},
		tokens:  map[string]bool{"operator_identifier": true},
		tail: &Tail{
			Blocks:  map[string]bool{"block": true, "indented_block": true},
			Through: map[string]bool{"if_expression": true, "match_expression": true, "case_block": true, "case_clause": true, "try_expression": true, "catch_clause": true},
			Owners:  map[string]bool{"function_definition": true},
			Result:  "return_type", Return: "return_expression", Void: "Unit",
			Leaves: []string{"???", "()"},
			Beside: map[Edge]bool{{"match_expression", "value"}: true},
		},
	},
	Rebuild: Rebuild{
		Wrap:  map[Edge]string{{"call_expression", "block"}: "arguments", {"call_expression", "case_block"}: "arguments"},
		After: map[Edge]string{{"enumerator", "<-"}: "right", {"class_parameter", "="}: "value", {"parameter", "="}: "value"},
	},
	Traits:    Traits{ColonTypes: true, NamedArguments: true},
	braces:    true,
	condition: "(__)",
	frames:    []string{"class __ { def __ = {", "class __ {", "class __ { def __ = __ match {", "class __ { def __ = __(", "class __("},
}
