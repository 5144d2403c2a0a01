package syntax

import (
	"github.com/smacker/go-tree-sitter/golang"

	"crscore/internal/lang"
)

// golangTable is what is known of Go.
var golangTable = Table{
	Lang:    lang.Go,
	grammar: golang.GetLanguage,
	roles: map[string]Role{
		"type_spec": Class, "type_declaration": Other, "import_declaration": Other, "import_spec": Import,
		// Lists of values are mostly of one.
		"expression_list": Parens, "literal_element": Parens,
		"receive_statement": Assign, "channel_type": Type, "function_type": Type,
	},
	fields: map[Edge]string{
		{"for_statement", "range_clause"}: "range", {"for_statement", "for_clause"}: "clause",
		{"for_statement", "binary_expression"}: "condition", {"for_statement", "unary_expression"}: "condition",
		{"for_statement", "call_expression"}: "condition", {"for_statement", "identifier"}: "condition",
		{"for_statement", "selector_expression"}: "condition",
		{"keyed_element", "literal_element"}:     "key",
	},
	shape: shape{inField: map[Part]Role{
		{"method_declaration", "receiver"}: Receiver, {"field_declaration", "tag"}: Tag,
		{"function_declaration", "result"}: Type, {"method_declaration", "result"}: Type, {"func_literal", "result"}: Type,
		{"method_elem", "result"}: Type,
	}},
	Traits: Traits{
		ErrorValues: true, FieldsApart: true, Public: PublicByCapital,
	},
	braces:    true,
	condition: "__",
	frames:    []string{"func __() {", "func __() { switch {", "func __() { select {", "type __ struct {", "type __ interface {", "import (", "var (", "const (", "var __ = __{"},
}
