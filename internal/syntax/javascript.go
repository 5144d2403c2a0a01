package syntax

import (
	"github.com/smacker/go-tree-sitter/javascript"

	"crscore/internal/lang"
)

// javascriptTable is what is known of JavaScript.
var javascriptTable = Table{
	Lang:    lang.JavaScript,
	grammar: javascript.GetLanguage,
	roles: map[string]Role{
		"class": Class, "object_pattern": Collection, "array_pattern": Collection,
	},
	shape:     ecmaShape,
	Traits:    Traits{Constructor: "constructor", Dynamic: true, Directives: true, LooseArguments: true, Public: PublicByExport},
	braces:    true,
	condition: "(__)",
	rows:      []string{"__ = {", "__("},
	method:    "__() {",
	frames:    []string{"class __ { __() {", "class __ {", "__ = {", "__ = [", "switch (__) {", "async function __() {", "import {", "__(function () {"},
}
