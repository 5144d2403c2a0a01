package syntax

import (
	"github.com/smacker/go-tree-sitter/bash"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// bashTable is what is known of Bash.
var bashTable = Table{
	Lang:    lang.Bash,
	grammar: bash.GetLanguage,
	roles: map[string]Role{
		"list": Binary, "pipeline": Pipeline, "case_statement": Switch, "word": Identifier, "command_name": Identifier, "test_command": Parens,
		"test_operator": Other, "simple_expansion": Identifier, "expansion": Identifier, "special_variable_name": Identifier,
		"extglob_pattern": String, "concatenation": Other, "command_substitution": Other, "subshell": Block, "unset_command": Delete,
		"arithmetic_expansion": Other, "heredoc_body": String, "herestring_redirect": Other,
		"array": Collection, "c_style_for_statement": Loop, "negated_command": Unary, "process_substitution": Other, "ansi_c_string": String,
	},
	calls: map[string]Role{
		"exit": Return, "return": Return, "break": Break, "continue": Continue,
	},
	leaves: map[string]bool{"command_name": true, "simple_expansion": true, "extglob_pattern": true, "concatenation": true},
	fields: map[Edge]string{{"elif_clause", "test_command"}: "condition", {"elif_clause", "command"}: "condition", {"elif_clause", "list"}: "condition"},
	Rebuild: Rebuild{Lists: map[string]List{
		"command":      {Kind: "arguments", Role: Arguments, Field: "arguments", Of: "argument"},
		"if_statement": {Kind: "then", Role: Block, Field: "consequence", After: "then", Until: []string{"elif_clause", "else_clause", "fi"}},
		"elif_clause":  {Kind: "then", Role: Block, Field: "consequence", After: "then"},
		"else_clause":  {Kind: "then", Role: Block, Field: "body", After: "else"},
		"case_item":    {Kind: "then", Role: Block, Field: "body", After: ")", Until: []string{";;", ";&", ";;&"}},
	}},
	shape: shape{
		flat: map[Edge]bool{{"", "redirected_statement"}: true},
		in:   map[Edge]Role{{"declaration_command", "variable_assignment"}: Declarator},
	},
	hash:   true,
	words:  &bashBlocks,
	Traits: Traits{CallWord: "command"},
}

// bashBlocks says how Bash opens and closes blocks.
var bashBlocks = wordBlocks{
	opens: []blockWord{
		{regexp.MustCompile(`(?:^|[;|&]\s*|\b(?:then|do|else)\s+)if\b`), "fi"},
		{regexp.MustCompile(`(?:^|[;|&]\s*|\b(?:then|do|else)\s+)(?:for|while|until|select)\b`), "done"},
		{regexp.MustCompile(`(?:^|[;|&]\s*|\b(?:then|do|else)\s+)case\b`), "esac"},
		{regexp.MustCompile(`^(?:function\s+[\w:-]+|[\w:-]+\s*\(\))\s*(?:\(\)\s*)?\{`), "}"},
	},
	closes:   regexp.MustCompile(`(?:^|[;|&]\s*)(fi|done|esac|\})(?:[\s;|&)<>]|$)`),
	middles:  regexp.MustCompile(`^(else|elif)\b|(;;)$`),
	closed:   map[string]string{"fi": "if __; then", "done": "while __; do", "esac": "case __ in\n__)", "}": "__() {"},
	split:    map[string]string{"else": "if __; then\n__", "elif": "if __; then\n__", ";;": "case __ in\n__)"},
	declares: regexp.MustCompile(`^(?:function\b|[\w:-]+\s*\(\)|\})`),
}
