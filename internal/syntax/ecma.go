package syntax

// ecmaShape is the shape that the trees of JavaScript, TypeScript and their
// dialects with markup have in common.
var ecmaShape = shape{
	// The names of an import or an export hang from it directly.
	flat: map[Edge]bool{{"", "import_clause"}: true, {"", "named_imports"}: true, {"", "export_clause"}: true},
	// A parameter with a default.
	in: map[Edge]Role{{"formal_parameters", "assignment_pattern"}: Parameter},
}
