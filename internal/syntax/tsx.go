package syntax

import (
	"github.com/smacker/go-tree-sitter/typescript/tsx"

	"crscore/internal/lang"
)

// tsxTable is what is known of TSX.
var tsxTable = Table{
	Lang:    lang.TSX,
	grammar: tsx.GetLanguage,
	roles: map[string]Role{
		"object_pattern": Collection, "array_pattern": Collection,
	},
	shape:     ecmaShape,
	Traits:    Traits{FieldsApart: true, Constructor: "constructor", Dynamic: true, Directives: true, Public: PublicByExport},
	braces:    true,
	condition: "(__)",
	rows:      []string{"__ = {", "__("},
	method:    "__() {",
	frames:    []string{"class __ { __() {", "class __ {", "interface __ {", "__ = {", "__ = [", "switch (__) {", "async function __() {", "enum __ {", "type __ = {", "import {", "abstract class __ {"},
}
