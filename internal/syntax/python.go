package syntax

import (
	"bytes"

	"github.com/smacker/go-tree-sitter/python"

	"crscore/internal/lang"
)

// pythonTable is what is known of Python.
var pythonTable = Table{
	Lang:    lang.Python,
	grammar: python.GetLanguage,
	roles: map[string]Role{
		"module": Other, "case_clause": Case, "attribute": Member, "print_statement": Call, "exec_statement": Call,
		"expression_list": Collection, "pattern_list": Collection, "tuple_pattern": Collection, "pass_statement": Label,
		"type_alias_statement": TypeAlias, "interpolation": Other, "set": Collection,
	},
	shape: shape{in: map[Edge]Role{{"class_definition", "argument_list"}: Heritage}, mask: maskPython},
	Errors: map[string]string{
		"Exception": "BaseException", "KeyboardInterrupt": "BaseException", "SystemExit": "BaseException", "GeneratorExit": "BaseException",
		"ArithmeticError": "Exception", "ZeroDivisionError": "ArithmeticError", "OverflowError": "ArithmeticError", "AssertionError": "Exception",
		"AttributeError": "Exception", "EOFError": "Exception", "ImportError": "Exception", "ModuleNotFoundError": "ImportError",
		"LookupError": "Exception", "IndexError": "LookupError", "KeyError": "LookupError", "NameError": "Exception",
		"UnboundLocalError": "NameError", "OSError": "Exception", "IOError": "OSError", "EnvironmentError": "OSError", "FileNotFoundError": "OSError",
		"FileExistsError": "OSError", "PermissionError": "OSError", "NotADirectoryError": "OSError", "IsADirectoryError": "OSError",
		"TimeoutError": "OSError", "ConnectionError": "OSError", "ConnectionResetError": "ConnectionError", "BrokenPipeError": "ConnectionError",
		"ConnectionRefusedError": "ConnectionError", "RuntimeError": "Exception", "NotImplementedError": "RuntimeError", "RecursionError": "RuntimeError",
		"StopIteration": "Exception", "StopAsyncIteration": "Exception", "SyntaxError": "Exception", "TypeError": "Exception",
		"ValueError": "Exception", "UnicodeError": "ValueError", "UnicodeDecodeError": "UnicodeError", "UnicodeEncodeError": "UnicodeError",
		"json.JSONDecodeError": "ValueError", "JSONDecodeError": "ValueError", "subprocess.CalledProcessError": "Exception",
	},
	Traits: Traits{Dynamic: true, Raises: true, Docstrings: true, NamedArguments: true, ValueFirst: true, Public: PublicByDefault,
		Constructor: "__init__",
		Builtins: []string{"all", "any", "bytes", "dict", "dir", "filter", "format", "hash", "id", "input", "iter", "len", "list", "map", "max", "min", "next", "object", "open", "range",
			"reversed", "set", "slice", "sorted", "str", "sum", "tuple", "type", "vars", "zip"}},
	hash:     true,
	indented: true,
	rows:     []string{"__(", "__ = {"},
	frames:   []string{"__ = {", "__ = [", "from __ import ("},
}

// maskPython lets the grammar, which knows but "except* E", read "except *E". In
// texts and comments it changes nothing that a grammar sees.
func maskPython(src []byte) []byte {
	return bytes.ReplaceAll(src, []byte("except *"), []byte("except* "))
}
