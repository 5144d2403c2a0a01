package syntax

import (
	"github.com/smacker/go-tree-sitter/csharp"

	"crscore/internal/lang"
)

// csharpTable is what is known of C#.
var csharpTable = Table{
	Lang:    lang.CSharp,
	grammar: csharp.GetLanguage,
	roles: map[string]Role{
		"attribute": Decorator, "attribute_list": Other, "property_declaration": Field, "parameter_list": Parameters,
	},
	Traits:    Traits{NamedArguments: true, MixedBases: true, Public: PublicByKeyword},
	braces:    true,
	condition: "(__)",
	frames:    []string{"class __ { void __() {", "class __ {", "class __ { void __() { switch (__) {", "enum __ {", "interface __ {", "class __ { int[] __ = {"},
}
