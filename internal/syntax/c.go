package syntax

import (
	"github.com/smacker/go-tree-sitter/c"

	"crscore/internal/lang"
)

// cTable is what is known of C.
var cTable = Table{
	Lang:    lang.C,
	grammar: c.GetLanguage,
	roles: map[string]Role{
		"case_statement": Case, "declaration": Variable, "preproc_ifdef": If, "preproc_if": If, "preproc_elif": ElseIf, "preproc_else": Else,
		"preproc_params": Parameters, "type_definition": TypeAlias, "goto_statement": Goto, "sizeof_expression": Unary, "pointer_expression": Unary,
		"preproc_defined": Unary, "array_declarator": Declarator,
	},
	fields: map[Edge]string{
		{"initializer_pair", "field_designator"}: "key", {"initializer_pair", "subscript_designator"}: "key",
	},
	shape: shape{
		flat:    cFlat,
		ofField: map[string]Role{"type": Type},
		mask:    maskC,
		rename:  map[Edge]string{{"initializer_pair", "designator"}: "key", {"preproc_ifdef", "name"}: "condition", {"preproc_function_def", "value"}: "body"},
		forms:   cForms,
	},
	Traits:    Traits{SemicolonEnds: true, Dynamic: true, SpreadTypes: true},
	braces:    true,
	condition: "(__)",
	frames:    []string{"void __() {", "void __() { switch (__) {", "struct __ {", "enum __ {", "int __[] = {"},
}

// cFlat are the declarators that stand around a name.
var cFlat = map[Edge]bool{
	{"", "function_declarator"}: true, {"", "pointer_declarator"}: true, {"", "parenthesized_declarator"}: true,
	{"", "abstract_pointer_declarator"}: true, {"", "labeled_statement"}: true,
}

// outside are the kinds that hold the declarations of a file in C and C++.
var outside = []string{
	"translation_unit", "declaration_list", "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "linkage_specification",
	"template_declaration",
}

var cForms = []Form{
	{Kind: "struct_specifier", Lacks: "body", Role: Type},
	{Kind: "union_specifier", Lacks: "body", Role: Type},
	{Kind: "enum_specifier", Lacks: "body", Role: Type},
	// A name in parentheses is a pointer to a function.
	{Kind: "declaration", Has: "(", Role: Variable},
	{Kind: "field_declaration", Has: "(", Role: Field},
	{Kind: "declaration", Has: "parameters", In: outside, Role: Function},
	{Kind: "field_declaration", Has: "parameters", Role: Function},
}
