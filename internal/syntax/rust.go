package syntax

import (
	"github.com/smacker/go-tree-sitter/rust"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// rustTable is what is known of Rust.
var rustTable = Table{
	Lang:    lang.Rust,
	grammar: rust.GetLanguage,
	roles: map[string]Role{
		"attribute": Other, "parameters": Parameters, "match_block": Block, "try_expression": Unary,
		"macro_definition": Function, "self": Self, "self_parameter": Self, "reference_expression": Unary, "mutable_specifier": Modifier,
		"associated_type": TypeAlias, "let_condition": Binary, "shorthand_field_initializer": Pair, "base_field_initializer": Spread,
		"field_initializer_list": Collection,
	},
	fields: map[Edge]string{{"macro_invocation", "!"}: "function"},
	shape: shape{
		in:      map[Edge]Role{{"trait_item", "trait_bounds"}: Heritage},
		inField: map[Part]Role{{"let_declaration", "alternative"}: Else},
		rename:  map[Edge]string{{"impl_item", "type"}: "name", {"match_arm", "pattern"}: "pattern"},
		tail: &Tail{
			Blocks: map[string]bool{"block": true},
			Through: map[string]bool{
				"if_expression": true, "else_clause": true, "match_expression": true, "match_block": true, "match_arm": true,
				"expression_statement": true, "unsafe_block": true,
			},
			Owners: map[string]bool{"function_item": true},
			Result: "return_type", Return: "return_expression",
			Leaves: []string{"panic!", "unreachable!", "todo!", "unimplemented!", "bail!", "()"},
		},
		mask: maskMacros,
	},
	Bases:     map[string]string{":": "requires"},
	Traits:    Traits{ColonTypes: true, OuterAttributes: true, PlainFields: true, BreakLeavesLoop: true, Annotation: "attribute", Public: PublicByKeyword},
	braces:    true,
	condition: "__",
	frames:    []string{"fn __() {", "impl __ { fn __() {", "impl __ {", "fn __() { match __ {", "struct __ {", "enum __ {", "trait __ {", "use __::{", "fn __() { __ {", "fn __() { __(", "fn __(", "impl __ { fn __("},
}

// rustMacro is the call of a macro with arguments like those of a function.
var rustMacro = regexp.MustCompile(`\b(\w+)!\s*\(`)

// maskMacros lets the grammar read calls of macros as calls of functions: it
// sees only loose tokens in them otherwise.
func maskMacros(src []byte) []byte {
	var out []byte
	for _, m := range rustMacro.FindAllSubmatchIndex(src, -1) {
		if string(src[m[2]:m[3]]) == "macro_rules" {
			continue
		}
		if out == nil {
			out = append(out, src...)
		}
		out[m[3]] = ' '
		if string(src[m[2]:m[3]]) == "try" {
			out[m[3]] = '_' // a keyword
		}
	}
	if out == nil {
		return src
	}
	return out
}
