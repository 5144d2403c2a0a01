package syntax

import (
	"github.com/smacker/go-tree-sitter/ruby"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// rubyTable is what is known of Ruby.
var rubyTable = Table{
	Lang:    lang.Ruby,
	grammar: ruby.GetLanguage,
	roles: map[string]Role{
		"module": Namespace, "block": Lambda, "do_block": Lambda, "identifier": Identifier, "case": Switch,
		"self": Self, "begin": Try, "constant": Identifier, "block_body": Block, "string_array": Collection, "symbol_array": Collection,
		"do": Block, "pattern": Parens, "hash_key_symbol": Identifier, "block_argument": Spread, "exception_variable": Other, "subshell": String,
		"hash_splat_nil": Parameter, "element_reference": Index, "undef": Delete, "alias": Other, "redo": Continue, "retry": Continue,
	},
	calls: map[string]Role{
		"raise": Throw, "fail": Throw, "require": Import, "require_relative": Import, "autoload": Import,
		"include": Heritage, "extend": Heritage, "prepend": Heritage,
		"private": Modifier, "protected": Modifier, "public": Modifier, "module_function": Modifier, "private_class_method": Modifier,
		"private_constant": Modifier, "attr_reader": Field, "attr_writer": Field, "attr_accessor": Field,
	},
	fields: map[Edge]string{{"case", "else"}: "alternative", {"case_match", "else"}: "alternative"},
	shape: shape{in: map[Edge]Role{{"argument_list", "pair"}: KeywordArgument}, rename: map[Edge]string{
		{"if_modifier", "body"}: "consequence", {"unless_modifier", "body"}: "consequence",
	}, alias: map[string]string{"do_block": "block", "block_body": "body_statement"}, tail: &Tail{
		Blocks: map[string]bool{"body_statement": true, "then": true, "else": true, "block_body": true},
		Through: map[string]bool{
			"if": true, "unless": true, "elsif": true, "else": true, "case": true, "when": true, "case_match": true, "in_clause": true,
		},
		Owners: map[string]bool{"method": true, "singleton_method": true, "block": true, "do_block": true},
		Beside: map[Edge]bool{{"case", "value"}: true, {"case_match", "value"}: true},
		Return: "return",
		Effect: rubyEffect,
	}},
	Rebuild: Rebuild{Lists: map[string]List{
		"begin":  {Kind: "then", Role: Block, Field: "body", After: "begin", Until: []string{"rescue", "else", "ensure", "end"}},
		"ensure": {Kind: "then", Role: Block, Field: "body", After: "ensure"},
		"else":   {Kind: "then", Role: Block, Field: "body", After: "else"},
	}},
	Bases: map[string]string{"<": "extends", "include": "includes", "extend": "is extended with", "prepend": "is prepended with"},
	Errors: map[string]string{
		"StandardError": "Exception", "ArgumentError": "StandardError", "EncodingError": "StandardError", "FiberError": "StandardError",
		"IOError": "StandardError", "EOFError": "IOError", "IndexError": "StandardError", "KeyError": "IndexError",
		"StopIteration": "IndexError", "LocalJumpError": "StandardError", "NameError": "StandardError", "NoMethodError": "NameError",
		"RangeError": "StandardError", "FloatDomainError": "RangeError", "RegexpError": "StandardError", "RuntimeError": "StandardError",
		"FrozenError": "RuntimeError", "SystemCallError": "StandardError", "Errno::ENOENT": "SystemCallError", "Errno::EACCES": "SystemCallError",
		"Errno::ECONNREFUSED": "SystemCallError", "ThreadError": "StandardError", "TypeError": "StandardError", "ZeroDivisionError": "StandardError",
		"SignalException": "Exception", "Interrupt": "SignalException", "ScriptError": "Exception", "LoadError": "ScriptError",
		"NotImplementedError": "ScriptError", "SystemExit": "Exception",
	},
	Traits: Traits{Dynamic: true, Raises: true, NameSuffixes: "!?", Constructor: "initialize", LocalsInClasses: true},
	hash:   true,
	words:  &rubyBlocks,
}

// rubyEffect reports whether an expression at the end of a method is there for
// what it does more often than for its value.
func rubyEffect(n *Node) bool {
	switch n.Type() {
	case "heredoc_body", "call", "yield", "if_modifier", "unless_modifier", "while_modifier", "until_modifier", "rescue_modifier", "super":
		return true
	case "binary":
		switch op := n.ChildByFieldName("operator"); {
		case op == nil:
		case op.Type() == "<<", op.Type() == "and", op.Type() == "or":
			return true
		}
	}
	return false
}

// rubyBlocks says how Ruby opens and closes blocks.
var rubyBlocks = wordBlocks{
	opens: []blockWord{
		{regexp.MustCompile(`^(?:(?:private|public|protected|module_function|private_class_method|memoize)\s+)*def\s+(?:self\.)?[\w.]+[?!=]?\s*(?:\([^()]*\))?\s*=\s`), ""}, // without an end
		{regexp.MustCompile(`^(?:while|until|for)\b.*`), "end"},
		{regexp.MustCompile(`^(?:(?:private|public|protected|module_function|private_class_method|memoize)\s+)*(?:class|module|def|if|unless|case|begin)\b`), "end"},
		{regexp.MustCompile(`(?:=|<<|\(|\breturn|&&|\|\|)\s*(?:if|unless|case|begin|while|until)\b`), "end"},
		{regexp.MustCompile(`\bdo\b(?:\s*\|[^|]*\|)?\s*(?:#.*)?$`), "end"},
	},
	closes:   regexp.MustCompile(`(?:^|[\s;])(end)\b(?:[^?!:\w]|$)`),
	middles:  regexp.MustCompile(`^(else|elsif|when|in|rescue|ensure)\b`),
	closed:   map[string]string{"end": "begin"},
	split:    map[string]string{"else": "if __", "elsif": "if __", "when": "case __", "in": "case __", "rescue": "begin", "ensure": "begin"},
	declares: regexp.MustCompile(`^(?:def|private|protected|public|class|module|end|it|describe|context)\b`),
}
