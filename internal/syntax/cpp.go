package syntax

import (
	"slices"
	"strings"

	"github.com/smacker/go-tree-sitter/cpp"

	"crscore/change"
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
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
	Traits:    Traits{SemicolonEnds: true, Dynamic: true, SpreadTypes: true, TestMacros: cppTests},
	braces:    true,
	condition: "(__)",
	frames:    []string{"void __() {", "class __ { void __() {", "class __ {", "void __() { switch (__) {", "enum __ {", "int __[] = {"},
}

// cppTests are the macros that stand in the place of a test's name.
var cppTests = []string{
	"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P", "TEST_CASE", "TEST_CASE_TEMPLATE", "TEST_CASE_FIXTURE", "TEST_CASE_METHOD",
	"BOOST_AUTO_TEST_CASE", "SCENARIO",
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
	functionMacro = regexp.MustCompile(`(?m)^[ \t]*(?:(?:static|inline|virtual|constexpr|extern|explicit|friend)[ \t]+)*([A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?)[ \t]+(?:[a-z]\w*[ \t]+)*[\w:<>,]+[ \t*&]+(?:[A-Z]+[ \t]+)?\w+[ \t]*\(`)
	// Macros whose name says what they are, wherever they stand before a name.
	attributeMacro = regexp.MustCompile(`(?m)(?:^|[ \t*&])([A-Z][A-Z0-9_]*(?:ATTRIBUTE|EXPORT|INLINE|CONSTEXPR|UNUSED|NODISCARD|DEPRECATED|LIFETIME)[A-Z0-9_]*(?:\([^()\n]*\))?)[ \t]+(?:~?\w+[ \t]*\(|[\w:<>,]+[ \t*&]+[A-Za-z_~])`)
	// Those between a name and its value.
	valueMacro = regexp.MustCompile(`\w[ \t]+([A-Z][A-Z0-9_]*ATTRIBUTE[A-Z0-9_]*(?:_|BOUND))[ \t]+=[^=]`)
	callMacro  = regexp.MustCompile(`[ \t*](JNICALL|WINAPI|APIENTRY|CALLBACK|STDCALL)[ \t]+\w`)
	// Those behind the parameters of a function.
	trailingMacro = regexp.MustCompile(`\)\s*(?:const\s+)?([A-Z][A-Z0-9]*_[A-Z0-9_]+)\s*(?:[;{]|:[^:])`)
	// Those of Clang's checks of locks, which have arguments.
	lockMacro = regexp.MustCompile(`\)\s*(?:const\s+)?(?:override\s+)?(\w*(?:LOCKS_REQUIRED|LOCKS_EXCLUDED|SAFETY_ANALYSIS|LOCK_FUNCTION)(?:\([^()\n]*\))?)\s*[;{]`)
	// Those behind a parameter.
	unusedMacro = regexp.MustCompile(`[\w*&][ \t]+((?:[A-Z0-9]+_)*UNUSED(?:_[A-Z0-9]+)*)[ \t]*[,)]`)
	// Qt's: one of a line of its own before an access specifier, a word in one, and
	// one that stands for one.
	ownMacro   = regexp.MustCompile(`(?m)^[ \t]*([A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?)[ \t]*\n\s*(?:public|private|protected|signals|Q_SIGNALS)[ \t\w]*:`)
	slotsMacro = regexp.MustCompile(`\b(?:public|private|protected)[ \t]+(slots|Q_SLOTS)[ \t]*:`)
	signals    = regexp.MustCompile(`(?m)^[ \t]*(signals|Q_SIGNALS)[ \t]*:`)
	// mockMethod matches a method that a macro declares.
	mockMethod = regexp.MustCompile(`\bMOCK_METHOD\(\s*([^(),]+|\([^()]*\))\s*,\s*(\w+)\s*,\s*(\((?:[^()]|\([^()]*\))*\))\s*(?:,\s*\([^()]*\))?\s*\)\s*;`)
	// eachMacro matches a loop that is written as a macro: what it declares, and
	// what it goes over.
	eachMacro = regexp.MustCompile(`(?m)^[ \t]+(Q_FOREACH|BOOST_FOREACH|foreach)[ \t]*\([^(),;]*[\w>&*][ \t&*]+\w+[ \t]*(,)`)
	// emptyDefault matches a default that the grammar does not know.
	emptyDefault = regexp.MustCompile(`\w[ \t]*=[ \t]*(\{\})[ \t]*[,)]`)
	// Macros with a block behind them, which are no function.
	blockMacro = regexp.MustCompile(`(?m)^[ \t]+([A-Z][A-Z0-9_]{2,}|\w*for_?each\w*)[ \t]*\(`)
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
	for _, m := range eachMacro.FindAllSubmatchIndex(out, -1) {
		copy(out[m[2]:m[3]], "for"+strings.Repeat(" ", m[3]-m[2]-len("for")))
		out[m[4]] = ':'
	}
	for _, m := range emptyDefault.FindAllSubmatchIndex(out, -1) {
		copy(out[m[2]:m[3]], "00")
	}
	maskMacroWords(out, ownMacro, slotsMacro)
	for _, m := range signals.FindAllSubmatchIndex(out, -1) {
		copy(out[m[2]:m[3]], "public"+strings.Repeat(" ", m[3]-m[2]-len("public")))
	}
	return maskNames(out, cppTests)
}

// maskC lets the grammar read declarations with macros before them.
func maskC(src []byte) []byte {
	return maskNames(append([]byte(nil), src...), nil)
}

// maskNames blanks the macros that stand where no grammar expects them, and
// puts a semicolon between a macro and the block behind it.
func maskNames(src []byte, tests []string) []byte {
	for _, m := range mockMethod.FindAllSubmatchIndex(src, -1) {
		// What is left is the declaration of a method.
		for _, part := range [][2]int{{m[0], m[2]}, {m[3], m[4]}, {m[5], m[6]}, {m[7], m[1] - 1}} {
			for i := part[0]; i < part[1]; i++ {
				if src[i] != '\n' {
					src[i] = ' '
				}
			}
		}
	}
	maskMacroWords(src, classMacro, functionMacro, attributeMacro, valueMacro, callMacro, trailingMacro, lockMacro, unusedMacro)
	for _, m := range blockMacro.FindAllSubmatchIndex(src, -1) {
		if slices.Contains(tests, string(src[m[2]:m[3]])) {
			continue
		}
		depth, i := 1, m[1]
		for ; i < len(src) && depth > 0 && i < m[1]+limits.MacroBytes; i++ {
			switch src[i] {
			case '(':
				depth++
			case ')':
				depth--
			case '"':
				i = skipString(string(src[i:min(i+limits.MacroBytes, len(src))]), 0) + i
			}
		}
		gap := i
		for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\n') {
			i++
		}
		if depth == 0 && i < len(src) && src[i] == '{' && i > gap && src[i-1] != '\n' {
			src[i-1] = ';'
		}
	}
	return src
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
var cppWords = regexp.MustCompile(`(?m)^\s*(?:class\s+\w+|template\s*<|namespace\b|using\s+\w|(?:public|private|protected):)|\bstd::|\w::\w|\bnullptr\b|\bvirtual\b|\bconstexpr\b|\b(?:static|const|reinterpret|dynamic)_cast<|\bauto\s+[&*]?\w+\s*[=:]|\bstruct\s+\w+<|\bnoexcept\b|\boperator\s*[^\w\s]|\bthis->|\boverride\b`)

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
