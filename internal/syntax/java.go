package syntax

import (
	"github.com/smacker/go-tree-sitter/java"

	"crscore/internal/lang"
)

// javaTable is what is known of Java.
var javaTable = Table{
	Lang:    lang.Java,
	grammar: java.GetLanguage,
	roles: map[string]Role{
		"module_declaration": Namespace, "element_value_pair": KeywordArgument, "resource": Declarator,
		"throws": Other, "scoped_identifier": Member, "catch_formal_parameter": Other,
	},
	Traits:    Traits{SemicolonEnds: true, Attributed: "int __;", Public: PublicByKeyword},
	braces:    true,
	condition: "(__)",
	frames:    []string{"class __ { void __() {", "class __ {", "class __ { void __() { __(", "class __ { void __(", "class __ { void __() { switch (__) {", "interface __ {", "enum __ {", "enum __ { __;", "@interface __ {", "class __ { int[] __ = {"},
}
