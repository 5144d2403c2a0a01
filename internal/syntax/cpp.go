package syntax

import (
	"regexp"
	"strings"

	"github.com/smacker/go-tree-sitter/cpp"

	"crscore/change"
	"crscore/internal/lang"
)

// cppTable is what is known of C++.
var cppTable = Table{
	Lang:    lang.Cpp,
	grammar: cpp.GetLanguage,
	roles: map[string]Role{
		"case_statement": Case, "declaration": Variable, "preproc_ifdef": If, "preproc_if": If, "preproc_elif": ElseIf, "preproc_else": Else,
		"preproc_params": Parameters, "goto_statement": Goto, "sizeof_expression": Unary, "pointer_expression": Unary,
		"preproc_defined": Unary, "array_declarator": Declarator,
		"condition_clause": Parens, "virtual_specifier": Modifier, "virtual": Modifier, "explicit_function_specifier": Modifier,
		"noexcept": Modifier, "delete_method_clause": Modifier, "default_method_clause": Modifier, "pure_virtual_clause": Modifier,
		"template_parameter_list": TypeArguments, "destructor_name": Identifier, "operator_name": Identifier, "operator_cast": Identifier,
		"template_type": Type, "attribute_declaration": Decorator, "attribute_specifier": Decorator,
	},
	fields: map[Edge]string{
		{"initializer_pair", "field_designator"}: "key", {"initializer_pair", "subscript_designator"}: "key",
		{"field_initializer", "argument_list"}: "value", {"field_initializer", "initializer_list"}: "value",
		// The grammar names no child of a reference.
		{"parameter_declaration", "identifier"}: "declarator", {"optional_parameter_declaration", "identifier"}: "declarator",
		{"for_range_loop", "identifier"}: "declarator", {"init_declarator", "identifier"}: "declarator", {"declaration", "identifier"}: "declarator",
		{"field_declaration", "field_identifier"}: "declarator",
	},
	shape: shape{
		flat: cppFlat,
		in: map[Edge]Role{
			{"field_declaration_list", "access_specifier"}: Label,
			{"catch_clause", "parameter_declaration"}:      Other,
		},
		ofField: map[string]Role{"type": Type},
		mask:    maskCpp,
		rename: map[Edge]string{{"optional_parameter_declaration", "default_value"}: "value", {"field_declaration", "default_value"}: "value",
			{"initializer_pair", "designator"}: "key", {"preproc_ifdef", "name"}: "condition", {"preproc_function_def", "value"}: "body"},
		forms: cppForms,
	},
	Bases:     map[string]string{": public": "extends"},
	Traits:    Traits{Dynamic: true, SpreadTypes: true, TestMacros: []string{"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "TEST_CASE", "SCENARIO"}},
	braces:    true,
	condition: "(__)",
	frames:    []string{"void __() {", "class __ { void __() {", "class __ {", "void __() { switch (__) {", "enum __ {", "int __[] = {"},
}

var cppFlat = map[Edge]bool{
	{"", "function_declarator"}: true, {"", "pointer_declarator"}: true, {"", "parenthesized_declarator"}: true,
	{"", "abstract_pointer_declarator"}: true, {"", "labeled_statement"}: true,
	{"", "reference_declarator"}: true, {"", "abstract_reference_declarator"}: true, {"", "abstract_function_declarator"}: true,
	{"catch_clause", "parameter_list"}: true,
}

var cppForms = append([]Form{
	{Kind: "class_specifier", Lacks: "body", Role: Type},
	{Kind: "parameter_declaration", In: []string{"catch_clause"}, Role: Other},
	// What has no type and no destructor's name constructs.
	{Kind: "function_definition", Has: "type", Role: Function},
	{Kind: "declaration", Has: "type", In: []string{"field_declaration_list"}, Role: Variable},
	{Kind: "function_definition", Has: "destructor_name", Role: Function},
	{Kind: "declaration", Has: "destructor_name", Role: Function},
	{Kind: "function_definition", Has: "operator_cast", Role: Function},
	{Kind: "function_definition", Has: "qualified_identifier", Role: Constructor},
	{Kind: "function_definition", Lacks: "type", In: []string{"field_declaration_list"}, Role: Constructor},
	{Kind: "declaration", Lacks: "type", Has: "parameters", In: []string{"field_declaration_list"}, Role: Constructor},
}, cForms...)

var (
	// zeroMember is read as a method without a body.
	zeroMember = regexp.MustCompile(`\b(\w+)\s*=\s*(0)\s*;`)
	// Macros that stand for attributes stand where no grammar expects them.
	classMacro    = regexp.MustCompile(`\b(?:class|struct)\s+([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)\s+\w+[^;=()\n]*[{:\n]`)
	functionMacro = regexp.MustCompile(`(?m)^[ \t]*([A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?)[ \t]+(?:[a-z]\w*[ \t]+)*[\w:<>,]+[ \t*&]+\w+[ \t]*\(`)
)

// maskCpp lets the grammar read members set to 0 and declarations with macros
// before them.
func maskCpp(src []byte) []byte {
	out := append([]byte(nil), src...)
	for _, m := range zeroMember.FindAllSubmatchIndex(src, -1) {
		switch string(src[m[2]:m[3]]) {
		case "const", "noexcept", "override", "final":
		default:
			out[m[4]] = '1'
		}
	}
	return maskMacroWords(out, classMacro, functionMacro)
}

// maskMacroWords blanks the first group of each match.
func maskMacroWords(src []byte, res ...*regexp.Regexp) []byte {
	for _, re := range res {
		for _, m := range re.FindAllSubmatchIndex(src, -1) {
			for i := m[2]; i < m[3]; i++ {
				src[i] = ' '
			}
		}
	}
	return src
}

// cppWords are found in headers of C++ and not in those of C, which have the
// same extension.
var cppWords = regexp.MustCompile(`(?m)^\s*(?:class\s+\w+|template\s*<|namespace\b|using\s+\w|(?:public|private|protected):)|\bstd::|\w::\w|\bnullptr\b|\bvirtual\b|\bconstexpr\b`)

// tableFor returns the table for a file.
func tableFor(f *change.File) *Table {
	if f.Lang == lang.C && strings.HasSuffix(f.Path(), ".h") {
		for i := range f.Hunks {
			h := &f.Hunks[i]
			if cppWords.MatchString(h.Section) || cppWords.MatchString(h.Text(change.Old)) || cppWords.MatchString(h.Text(change.New)) {
				return &cppTable
			}
		}
	}
	return TableOf(f.Lang)
}
