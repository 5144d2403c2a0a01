package syntax

import (
	"github.com/smacker/go-tree-sitter/typescript/typescript"

	"crscore/internal/lang"
)

// typescriptTable is what is known of TypeScript.
var typescriptTable = Table{
	Lang:    lang.TypeScript,
	grammar: typescript.GetLanguage,
	roles: map[string]Role{
		"object_pattern": Collection, "array_pattern": Collection, "interface_declaration": Interface,
	},
	shape:     ecmaShape,
	Traits:    Traits{FieldsApart: true, Constructor: "constructor", Dynamic: true, Directives: true, Public: PublicByExport},
	braces:    true,
	condition: "(__)",
	rows:      []string{"__ = {", "__("},
	method:    "__() {",
	frames:    []string{"class __ { __() {", "class __ {", "interface __ {", "__ = {", "__ = [", "switch (__) {", "async function __() {", "enum __ {", "type __ = {", "import {", "abstract class __ {"},
}
