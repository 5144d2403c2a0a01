package syntax

import (
	"slices"

	"crscore/internal/lang"
)

// Role is what a node kind means, whatever its grammar calls it.
type Role uint8

// The roles. A kind without one of them is Other: most of these are wrappers.
const (
	Other Role = iota

	// Declarations.
	Function    // functions, methods, accessors with a body or a signature
	Constructor // constructors that the grammar tells from methods
	Lambda      // function expressions, closures, arrow functions
	Class       // classes, structs, objects, implementations
	Interface   // interfaces, traits, protocols
	Enum
	EnumMember
	Namespace  // namespaces and modules that hold declarations
	Field      // a variable that belongs to a class or an interface
	Variable   // a declaration of local or global variables
	Declarator // one name of a Variable or Field, with its initial value
	Parameters // the list
	Parameter  // one of them
	Decorator  // decorators, annotations, attributes
	Modifier   // visibility, static, final and the like; one or a list
	Import
	Package
	Export
	Heritage // superclass and implemented interfaces
	TypeAlias

	// Statements.
	Block
	ExpressionStatement
	If
	ElseIf
	Else
	Loop // for, while, do, until, loop
	Switch
	Case
	Try
	Catch
	Finally
	Throw
	Return
	Yield
	Break
	Continue
	Assert
	With // with, using, lock, synchronized, defer: what is done around a block
	Delete
	Label

	// Expressions.
	Assign
	AugAssign // += and the like
	Update    // ++ and --
	Call
	New
	Arguments
	KeywordArgument
	Binary // operators with two sides, logical and comparing ones included
	Unary  // "not" included
	Conditional
	Member // a.b
	Index  // a[b]
	Cast
	Await
	Pair       // key: value in an object, map or dictionary
	Collection // list, array, tuple, set, map literals
	Comprehension
	Spread
	Element   // a markup element
	Attribute // an attribute of a markup element
	Parens

	// Leaves and near-leaves.
	Identifier
	String
	Number
	Bool
	Null
	Regex
	Comment
	Type
	TypeArguments
	Self
)

// RoleOf returns the role of a named node's kind in a language. It is wrong for
// anonymous nodes: the keyword "if" is no statement, but in Ruby the statement
// has the same kind. Fragment.Role looks at that.
func RoleOf(l lang.Name, kind string) Role {
	if r, ok := own[l][kind]; ok {
		return r
	}
	return common[kind]
}

// Is tells whether r is one of the roles.
func (r Role) Is(roles ...Role) bool { return slices.Contains(roles, r) }

// IsFunction tells whether the role is code with parameters and a name of its
// own; lambdas are not.
func (r Role) IsFunction() bool { return r == Function || r == Constructor }

// IsClass tells whether the role is a type that holds members.
func (r Role) IsClass() bool { return r == Class || r == Interface || r == Enum }

// common holds the kinds that mean the same wherever a grammar has them; the
// grammars share most of their names by convention.
var common = map[string]Role{
	// Declarations.
	"function_definition": Function, "function_declaration": Function, "function_item": Function,
	"generator_function_declaration": Function, "method_declaration": Function, "method_definition": Function,
	"method": Function, "singleton_method": Function, "function_signature": Function, "method_signature": Function,
	"function_signature_item": Function, "local_function_statement": Function, "abstract_method_signature": Function,
	"operator_declaration": Function, "destructor_declaration": Function, "protocol_function_declaration": Function,
	"annotation_type_element_declaration": Function, "method_elem": Function, "preproc_function_def": Function,
	"macro_definition": Function, "constructor_declaration": Constructor, "compact_constructor_declaration": Constructor,
	"secondary_constructor": Constructor, "init_declaration": Constructor,
	"lambda": Lambda, "lambda_expression": Lambda, "arrow_function": Lambda, "function_expression": Lambda,
	"generator_function": Lambda, "func_literal": Lambda, "closure_expression": Lambda, "lambda_literal": Lambda,
	"anonymous_method_expression": Lambda, "anonymous_function": Lambda, "anonymous_function_creation_expression": Lambda,
	"class_definition": Class, "class_declaration": Class, "class": Class, "class_specifier": Class,
	"abstract_class_declaration": Class, "struct_specifier": Class, "struct_declaration": Class, "struct_item": Class,
	"union_specifier": Class, "union_item": Class, "record_declaration": Class, "object_definition": Class,
	"object_declaration": Class, "impl_item": Class, "companion_object": Class, "singleton_class": Class,
	"interface_declaration": Interface, "trait_item": Interface, "trait_declaration": Interface,
	"trait_definition": Interface, "protocol_declaration": Interface, "annotation_type_declaration": Interface,
	"enum_declaration": Enum, "enum_specifier": Enum, "enum_item": Enum, "enum_definition": Enum,
	"enum_constant": EnumMember, "enumerator": EnumMember, "enum_variant": EnumMember, "enum_entry": EnumMember,
	"enum_member_declaration": EnumMember, "enum_case": EnumMember, "enum_assignment": EnumMember,
	"namespace_definition": Namespace, "namespace_declaration": Namespace, "mod_item": Namespace,
	"file_scoped_namespace_declaration": Package, "internal_module": Namespace, "module": Namespace,
	"field_declaration": Field, "property_declaration": Field, "field_definition": Field,
	"public_field_definition": Field, "property_signature": Field, "constant_declaration": Field,
	"protocol_property_declaration": Field, "event_field_declaration": Field,
	"local_variable_declaration": Variable, "local_declaration_statement": Variable, "lexical_declaration": Variable,
	"variable_declaration": Variable, "short_var_declaration": Variable, "var_declaration": Variable,
	"const_declaration": Variable, "let_declaration": Variable, "const_item": Variable, "static_item": Variable,
	"val_definition": Variable, "var_definition": Variable, "val_declaration": Variable, "declaration": Variable,
	"declaration_command": Variable, "preproc_def": Variable,
	"variable_declarator": Declarator, "init_declarator": Declarator, "var_spec": Declarator, "const_spec": Declarator,
	"parameters": Parameters, "formal_parameters": Parameters, "parameter_list": Parameters,
	"method_parameters": Parameters, "function_value_parameters": Parameters, "closure_parameters": Parameters,
	"lambda_parameters": Parameters, "class_parameters": Parameters, "block_parameters": Parameters,
	"formal_parameter": Parameter, "spread_parameter": Parameter, "receiver_parameter": Parameter,
	"parameter": Parameter, "parameter_declaration": Parameter, "required_parameter": Parameter,
	"optional_parameter": Parameter, "typed_parameter": Parameter, "default_parameter": Parameter,
	"typed_default_parameter": Parameter, "variadic_parameter": Parameter, "variadic_parameter_declaration": Parameter,
	"optional_parameter_declaration": Parameter, "simple_parameter": Parameter, "self_parameter": Parameter,
	"keyword_parameter": Parameter, "splat_parameter": Parameter, "hash_splat_parameter": Parameter,
	"block_parameter": Parameter, "class_parameter": Parameter, "property_promotion_parameter": Parameter,
	"list_splat_pattern": Parameter, "dictionary_splat_pattern": Parameter,
	"decorator": Decorator, "annotation": Decorator, "marker_annotation": Decorator, "attribute_item": Decorator,
	"inner_attribute_item": Decorator, "attribute_list": Decorator,
	"modifiers": Modifier, "modifier": Modifier, "visibility_modifier": Modifier, "accessibility_modifier": Modifier,
	"access_modifier": Modifier, "storage_class_specifier": Modifier, "type_qualifier": Modifier,
	"function_modifiers": Modifier, "access_specifier": Modifier, "override_modifier": Modifier, "static_modifier": Modifier,
	"import_statement": Import, "import_from_statement": Import, "future_import_statement": Import,
	"import_declaration": Import, "using_directive": Import, "use_declaration": Import, "preproc_include": Import,
	"import_header": Import, "namespace_use_declaration": Import, "extern_crate_declaration": Import,
	"using_declaration":   Import,
	"package_declaration": Package, "package_clause": Package, "package_header": Package,
	"export_statement": Export, "export_declaration": Export,
	"superclass": Heritage, "super_interfaces": Heritage, "class_heritage": Heritage, "extends_interfaces": Heritage,
	"base_list": Heritage, "base_class_clause": Heritage, "extends_clause": Heritage, "implements_clause": Heritage,
	"extends_type_clause": Heritage, "base_clause": Heritage,
	"class_interface_clause": Heritage, "inheritance_specifier": Heritage,
	"type_alias_declaration": TypeAlias, "type_alias": TypeAlias, "type_definition": TypeAlias, "type_item": TypeAlias,
	"typealias_declaration": TypeAlias, "alias_declaration": TypeAlias, "type_declaration": TypeAlias,

	// Statements.
	"block": Block, "statement_block": Block, "compound_statement": Block, "class_body": Block, "constructor_body": Block,
	"interface_body": Block, "enum_body": Block, "declaration_list": Block, "field_declaration_list": Block,
	"body_statement": Block, "do_block": Block, "statements": Block, "function_body": Block, "template_body": Block,
	"control_structure_body": Block, "switch_block": Block, "switch_body": Block, "match_block": Block,
	"then": Block, "annotation_type_body": Block, "enum_class_body": Block,
	"enum_member_declaration_list": Block, "enum_variant_list": Block, "enumerator_list": Block, "object_type": Block,
	"do_group":             Block,
	"expression_statement": ExpressionStatement,
	"if_statement":         If, "if_expression": If, "if": If, "unless": If, "if_modifier": If, "unless_modifier": If,
	"guard_statement": If, "elif_clause": ElseIf, "elsif": ElseIf, "else_if_clause": ElseIf, "else_clause": Else, "else": Else,
	"for_statement": Loop, "enhanced_for_statement": Loop, "for_in_statement": Loop, "foreach_statement": Loop,
	"for_range_loop": Loop, "for_expression": Loop, "while_statement": Loop, "while_expression": Loop,
	"do_statement": Loop, "do_while_statement": Loop, "do_while_expression": Loop, "loop_expression": Loop,
	"repeat_while_statement": Loop, "c_style_for_statement": Loop, "while": Loop, "until": Loop, "for": Loop,
	"while_modifier": Loop, "until_modifier": Loop,
	"switch_statement": Switch, "switch_expression": Switch, "match_statement": Switch, "match_expression": Switch,
	"expression_switch_statement": Switch, "type_switch_statement": Switch, "select_statement": Switch,
	"case_statement": Switch, "when_expression": Switch, "case": Switch, "case_match": Switch,
	"switch_case": Case, "switch_default": Case, "case_clause": Case, "switch_rule": Case, "switch_section": Case,
	"switch_block_statement_group": Case, "switch_expression_arm": Case, "expression_case": Case, "type_case": Case,
	"default_case": Case, "communication_case": Case, "match_arm": Case, "case_item": Case, "switch_entry": Case,
	"when_entry": Case, "when": Case, "in_clause": Case, "default_statement": Case,
	"match_conditional_expression": Case, "match_default_expression": Case,
	"try_statement": Try, "try_with_resources_statement": Try, "try_expression": Try, "begin": Try,
	"catch_clause": Catch, "except_clause": Catch, "except_group_clause": Catch, "rescue": Catch, "catch_block": Catch,
	"finally_clause": Finally, "finally_block": Finally, "ensure": Finally,
	"throw_statement": Throw, "raise_statement": Throw, "throw_expression": Throw,
	"return_statement": Return, "return_expression": Return, "return": Return, "co_return_statement": Return,
	"yield": Yield, "yield_statement": Yield, "yield_expression": Yield, "co_yield_statement": Yield,
	"break_statement": Break, "break_expression": Break, "break": Break,
	"continue_statement": Continue, "continue_expression": Continue, "next": Continue,
	"assert_statement": Assert, "static_assert_declaration": Assert,
	"with_statement": With, "using_statement": With, "synchronized_statement": With, "lock_statement": With,
	"defer_statement": With, "go_statement": With, "unsafe_block": With, "async_block": With,
	"delete_statement": Delete, "delete_expression": Delete, "labeled_statement": Label,

	// Expressions.
	"assignment": Assign, "assignment_expression": Assign, "assignment_statement": Assign, "variable_assignment": Assign,
	"named_expression": Assign, "augmented_assignment": AugAssign, "augmented_assignment_expression": AugAssign,
	"compound_assignment_expr": AugAssign, "operator_assignment": AugAssign,
	"update_expression": Update, "inc_statement": Update, "dec_statement": Update,
	"call": Call, "call_expression": Call, "method_invocation": Call, "invocation_expression": Call,
	"function_call_expression": Call, "member_call_expression": Call, "scoped_call_expression": Call,
	"nullsafe_member_call_expression": Call, "macro_invocation": Call, "command": Call,
	"explicit_constructor_invocation": Call,
	"object_creation_expression":      New, "new_expression": New, "array_creation_expression": New,
	"implicit_object_creation_expression": New, "composite_literal": New, "struct_expression": New, "instance_expression": New,
	"argument_list": Arguments, "arguments": Arguments, "value_arguments": Arguments, "annotation_argument_list": Arguments,
	"attribute_argument_list": Arguments, "bracketed_argument_list": Arguments,
	"keyword_argument":   KeywordArgument,
	"element_value_pair": KeywordArgument,
	"binary_expression":  Binary, "binary_operator": Binary, "boolean_operator": Binary, "comparison_operator": Binary,
	"binary": Binary, "infix_expression": Binary, "instanceof_expression": Binary, "is_expression": Binary,
	"conjunction_expression": Binary, "disjunction_expression": Binary, "equality_expression": Binary,
	"comparison_expression": Binary, "additive_expression": Binary, "multiplicative_expression": Binary,
	"is_pattern_expression": Binary, "elvis_expression": Binary, "nil_coalescing_expression": Binary,
	"unary_expression": Unary, "unary_operator": Unary, "not_operator": Unary, "unary": Unary, "prefix_expression": Unary,
	"prefix_unary_expression": Unary, "unary_op_expression": Unary, "negated_command": Unary,
	"conditional_expression": Conditional, "ternary_expression": Conditional, "conditional": Conditional,
	"attribute": Member, "member_expression": Member, "field_access": Member, "member_access_expression": Member,
	"selector_expression": Member, "field_expression": Member, "navigation_expression": Member,
	"scope_resolution": Member, "scoped_identifier": Member, "qualified_identifier": Member,
	"conditional_access_expression": Member, "class_constant_access_expression": Member,
	"scoped_property_access_expression": Member, "method_reference": Member,
	"subscript": Index, "subscript_expression": Index, "index_expression": Index, "array_access": Index,
	"element_access_expression": Index, "element_reference": Index, "slice_expression": Index,
	"cast_expression": Cast, "as_expression": Cast, "type_cast_expression": Cast, "type_assertion_expression": Cast,
	"type_conversion_expression": Cast, "satisfies_expression": Cast,
	"await": Await, "await_expression": Await,
	"pair": Pair, "keyed_element": Pair, "initializer_pair": Pair, "shorthand_property_identifier": Pair,
	"field_initializer": Pair, "array_element_initializer": Pair,
	"list": Collection, "tuple": Collection, "dictionary": Collection, "set": Collection, "array": Collection,
	"object": Collection, "hash": Collection, "array_expression": Collection, "tuple_expression": Collection,
	"initializer_list": Collection, "array_initializer": Collection, "element_value_array_initializer": Collection,
	"initializer_expression": Collection, "literal_value": Collection, "array_literal": Collection,
	"dictionary_literal": Collection, "string_array": Collection, "collection_literal": Collection,
	"list_comprehension": Comprehension, "dictionary_comprehension": Comprehension, "set_comprehension": Comprehension,
	"generator_expression": Comprehension,
	"spread_element":       Spread, "list_splat": Spread, "dictionary_splat": Spread, "splat_argument": Spread,
	"jsx_element": Element, "jsx_self_closing_element": Element, "jsx_attribute": Attribute,
	"parenthesized_expression": Parens, "parenthesized_statements": Parens,

	// Leaves and near-leaves.
	"identifier": Identifier, "property_identifier": Identifier, "field_identifier": Identifier,
	"private_property_identifier": Identifier, "simple_identifier": Identifier, "constant": Identifier,
	"variable_name": Identifier, "instance_variable": Identifier, "global_variable": Identifier, "name": Identifier,
	"class_variable": Identifier, "package_identifier": Identifier, "namespace_identifier": Identifier, "word": Identifier,
	"dotted_name": Identifier, "shorthand_property_identifier_pattern": Identifier, "simple_symbol": Identifier,
	"statement_identifier": Identifier, "command_name": Identifier, "qualified_name": Identifier,
	"string": String, "string_literal": String, "template_string": String, "interpreted_string_literal": String,
	"raw_string_literal": String, "concatenated_string": String, "encapsed_string": String, "line_string_literal": String,
	"multi_line_string_literal": String, "verbatim_string_literal": String, "interpolated_string_expression": String,
	"char_literal": String, "character_literal": String, "rune_literal": String, "heredoc_body": String,
	"raw_string": String, "interpolated_string": String, "system_lib_string": String, "heredoc": String,
	"integer": Number, "float": Number, "number": Number, "number_literal": Number, "decimal_integer_literal": Number,
	"decimal_floating_point_literal": Number, "hex_integer_literal": Number, "octal_integer_literal": Number,
	"binary_integer_literal": Number, "int_literal": Number, "float_literal": Number, "integer_literal": Number,
	"real_literal": Number, "floating_point_literal": Number, "long_literal": Number, "hex_literal": Number,
	"true": Bool, "false": Bool, "boolean_literal": Bool, "boolean": Bool,
	"none": Null, "null": Null, "null_literal": Null, "nil": Null, "undefined": Null,
	"regex": Regex, "regex_literal": Regex,
	"comment": Comment, "line_comment": Comment, "block_comment": Comment, "multiline_comment": Comment,
	"doc_comment": Comment, "html_comment": Comment,
	"type": Type, "type_annotation": Type, "type_identifier": Type, "primitive_type": Type, "generic_type": Type,
	"integral_type": Type, "floating_point_type": Type, "boolean_type": Type, "void_type": Type, "array_type": Type,
	"scoped_type_identifier": Type, "predefined_type": Type, "qualified_type": Type, "pointer_type": Type,
	"map_type": Type, "slice_type": Type, "user_type": Type, "nullable_type": Type, "reference_type": Type,
	"union_type": Type, "generic_name": Type, "named_type": Type, "optional_type": Type, "sized_type_specifier": Type,
	"type_arguments": TypeArguments, "type_argument_list": TypeArguments, "template_argument_list": TypeArguments,
	"type_parameters": TypeArguments, "type_parameter_list": TypeArguments,
	"this": Self, "super": Self, "self": Self, "self_expression": Self, "super_expression": Self,
}

// own holds, for each language, the kinds that mean something else there.
var own = map[lang.Name]map[string]Role{
	lang.Python: {
		"module": Other, "case_clause": Case, "attribute": Member, "print_statement": Call, "exec_statement": Call,
		"expression_list": Collection, "pattern_list": Collection, "tuple_pattern": Collection, "pass_statement": Label,
		"type_alias_statement": TypeAlias, "interpolation": Other, "set": Collection,
	},
	lang.Java: {
		"module_declaration": Namespace, "element_value_pair": KeywordArgument, "resource": Declarator,
		"throws": Other, "scoped_identifier": Member, "catch_formal_parameter": Other,
	},
	lang.JavaScript: {"class": Class, "object_pattern": Collection, "array_pattern": Collection},
	lang.TypeScript: {"object_pattern": Collection, "array_pattern": Collection, "interface_declaration": Interface},
	lang.TSX:        {"object_pattern": Collection, "array_pattern": Collection},
	lang.Go:         {"type_spec": Class, "type_declaration": Other, "expression_list": Other, "import_declaration": Other, "import_spec": Import, "field_declaration": Field, "go_statement": With},
	lang.C:          {"case_statement": Case, "declaration": Variable, "preproc_ifdef": If, "preproc_if": If, "type_definition": TypeAlias},
	lang.Cpp:        {"case_statement": Case, "declaration": Variable, "preproc_ifdef": If, "preproc_if": If},
	lang.CSharp:     {"attribute": Decorator, "attribute_list": Other, "property_declaration": Field, "parameter_list": Parameters},
	lang.PHP:        {"case_statement": Case, "name": Identifier, "attribute_list": Decorator},
	lang.Ruby: {
		"module": Namespace, "block": Lambda, "do_block": Lambda, "identifier": Identifier, "case": Switch,
		"self": Self, "begin": Try, "constant": Identifier,
	},
	lang.Rust: {
		"attribute": Other, "parameters": Parameters, "match_block": Block, "try_expression": Other,
		"macro_definition": Function, "self": Self,
	},
	lang.Kotlin: {"property_declaration": Variable, "type_identifier": Type, "class_parameter": Field},
	lang.Scala:  {"case_block": Block, "indented_block": Block, "compilation_unit": Other},
	lang.Swift:  {"property_declaration": Variable, "attribute": Decorator, "try_expression": Other},
	lang.Bash:   {"list": Binary, "pipeline": Other, "case_statement": Switch, "word": String, "command_name": Identifier},
}
