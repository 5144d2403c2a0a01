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
		"case_block": Block, "indented_block": Block, "compilation_unit": Other,
	},
	Traits:    Traits{NamedArguments: true},
	braces:    true,
	condition: "(__)",
	frames:    []string{"class __ { def __ = {", "class __ {", "class __ { def __ = __ match {", "class __("},
}
