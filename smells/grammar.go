package smells

import (
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// A grammar says how the node kinds of one language are measured. syntax.Table gives the
// role of a kind (a function, a loop, a list of parameters); this table adds only the data
// for smells.
type grammar struct {
	// decisions are the kinds, and tokens the keywords and operators, that add one to the
	// cyclomatic complexity of the function around them.
	decisions, tokens set
	// under overrides the value of a kind below a certain parent.
	under map[parentChild]int
	// conditions are the kinds whose "condition" is weighed as in PMD: see weigh. The
	// operators in weighed count once for every condition around them, and elsewhere not
	// at all.
	conditions, weighed set
	// statements are the kinds of statements, without blocks, labels and declarations of
	// functions and classes. A statement inside one of heads does not count, as in
	// `if (int x = f(); x > 0)`.
	statements, heads set
	// bodies are the kinds in which other nodes are statements, too: the kinds in loose,
	// or, if loose is not set, all kinds but those in clauses.
	bodies, loose, clauses set
	// levels are the kinds that are a level of nesting: they hold blocks and decide
	// whether or how often the blocks run, or clean up after them. These are the kinds
	// of pylint's too-many-nested-blocks, and similar kinds in other languages.
	levels set
	// sealed are the kinds whose content is not measured.
	sealed set
	// headers: decisions in a function's default values and annotations, and in a class's
	// bases, are counted.
	headers bool
	// lambdas: a function expression is measured by itself and not with the function around
	// it.
	lambdas bool
	// receivers are the names of a first parameter that does not count, because the
	// caller of a method does not write it.
	receivers set
	// separators are the named children of a parameter list that are not parameters. A
	// child in grouped may declare several parameters, each with its name. A list of
	// void is empty.
	separators, grouped set
	void                bool
	// declarators are the kinds between a function and its parameter list.
	declarators set
	// accessors are the kinds of blocks that are named after their property.
	accessors set
	// typesApart: methods are outside of their types, so that types are not blocks.
	typesApart bool
	// indented: only the code after a function shows its end.
	indented bool
}

type (
	set         map[string]bool
	parentChild struct{ parent, child string }
)

func kinds(names ...string) set {
	s := make(set, len(names))
	for _, n := range names {
		s[n] = true
	}
	return s
}

// grammars has an entry for every language with detectors.
var grammars = map[lang.Name]*grammar{
	// radon 5.1, radon/visitors.py: an assert counts as one and is not looked
	// into; a match statement, its cases and their guards, "except*" and the else
	// behind it, "with" and decorators count for nothing; a lambda counts with its
	// function.
	lang.Python: {
		decisions: kinds("if_statement", "elif_clause", "conditional_expression", "for_statement", "while_statement",
			"except_clause", "boolean_operator", "for_in_clause", "if_clause", "assert_statement"),
		under: map[parentChild]int{
			{"for_statement", "else_clause"}:   1,
			{"while_statement", "else_clause"}: 1,
			{"try_statement", "else_clause"}:   1,
			{"case_clause", "if_clause"}:       0,
		},
		statements: kinds("expression_statement", "if_statement", "elif_clause", "for_statement", "while_statement",
			"try_statement", "with_statement", "match_statement", "return_statement", "raise_statement", "assert_statement",
			"break_statement", "continue_statement", "pass_statement", "delete_statement", "global_statement",
			"nonlocal_statement", "import_statement", "import_from_statement", "print_statement", "exec_statement"),
		levels:     kinds("if_statement", "for_statement", "while_statement", "try_statement", "with_statement", "match_statement"),
		sealed:     kinds("assert_statement", "decorator"),
		receivers:  kinds("self", "cls"),
		separators: kinds("positional_separator", "keyword_separator"),
		indented:   true,
	},
	// PMD 7.28, CyclomaticComplexity (net.sourceforge.pmd.lang.java.metrics.
	// internal.CycloVisitor): case alternatives, catch and throw count, && and ||
	// only in conditions; lambdas and anonymous classes do not count with the
	// method around them.
	lang.Java: {
		decisions: kinds("if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement",
			"ternary_expression", "catch_clause", "throw_statement"),
		conditions: kinds("if_statement", "for_statement", "while_statement", "do_statement", "ternary_expression", "switch_expression"),
		weighed:    kinds("&&", "||"),
		statements: kinds("expression_statement", "local_variable_declaration", "if_statement", "for_statement",
			"enhanced_for_statement", "while_statement", "do_statement", "try_statement",
			"try_with_resources_statement", "synchronized_statement", "return_statement", "throw_statement", "break_statement",
			"continue_statement", "yield_statement", "assert_statement", "explicit_constructor_invocation"),
		// The grammar has one kind for switches that are statements and others.
		bodies: kinds("block", "constructor_body", "switch_block_statement_group", "switch_rule"), loose: kinds("switch_expression"),
		levels: kinds("if_statement", "for_statement", "enhanced_for_statement", "while_statement", "do_statement", "switch_expression",
			"try_statement", "try_with_resources_statement", "synchronized_statement"),
		headers: true, lambdas: true,
		separators: kinds("receiver_parameter"),
	},
	lang.JavaScript: &ecmascript,
	lang.TypeScript: &ecmascript,
	lang.TSX:        &ecmascript,
	// gocyclo 0.6: a default adds nothing. A function literal is a part of the function
	// around it; only the value of a global variable is measured by itself.
	lang.Go: {
		decisions: kinds("if_statement", "for_statement"),
		tokens:    kinds("case", "&&", "||"),
		statements: kinds("expression_statement", "short_var_declaration", "var_declaration", "const_declaration", "assignment_statement",
			"if_statement", "for_statement", "expression_switch_statement", "type_switch_statement", "select_statement",
			"return_statement", "go_statement", "defer_statement", "send_statement", "inc_statement", "dec_statement",
			"break_statement", "continue_statement", "goto_statement", "fallthrough_statement"),
		heads:      kinds("for_clause"),
		levels:     kinds("if_statement", "for_statement", "expression_switch_statement", "type_switch_statement", "select_statement"),
		sealed:     kinds("interface_type"),
		grouped:    kinds("parameter_declaration"),
		typesApart: true,
	},
	// McCabe's measure, as lizard and most tools take it in these languages: each
	// branch, loop, case, catch, ?: and logical operator; functions without a name
	// count with the function around them.
	lang.C: {
		decisions:  kinds("if_statement", "for_statement", "while_statement", "do_statement", "conditional_expression"),
		tokens:     kinds("case", "&&", "||"),
		statements: cStatements, levels: cLevels, declarators: cDeclarators, void: true,
		sealed: kinds("preproc_function_def"),
	},
	lang.Cpp: {
		decisions: kinds("if_statement", "for_statement", "for_range_loop", "while_statement", "do_statement", "catch_clause",
			"conditional_expression"),
		tokens:     kinds("case", "&&", "||", "and", "or"),
		statements: cStatements, levels: cLevels, declarators: cDeclarators, void: true,
		heads:  kinds("init_statement", "condition_clause"),
		sealed: kinds("preproc_function_def"),
	},
	lang.CSharp: {
		decisions: kinds("if_statement", "for_statement", "foreach_statement", "while_statement", "do_statement", "catch_clause",
			"conditional_expression", "switch_expression_arm"),
		under: map[parentChild]int{
			{"switch_expression_arm", "discard"}:     -1, // the default
			{"switch_expression_arm", "when_clause"}: 1,
		},
		tokens: kinds("case", "&&", "||", "??"),
		statements: kinds("expression_statement", "local_declaration_statement", "if_statement", "for_statement", "foreach_statement",
			"while_statement", "do_statement", "switch_statement", "try_statement", "using_statement", "lock_statement",
			"return_statement", "throw_statement", "break_statement", "continue_statement", "yield_statement", "goto_statement",
			"fixed_statement", "checked_statement", "unsafe_statement"),
		levels: kinds("if_statement", "for_statement", "foreach_statement", "while_statement", "do_statement", "switch_statement",
			"try_statement", "using_statement", "lock_statement"),
		receivers:  kinds("this"),
		separators: kinds("array_type", "nullable_type", "attribute_list"), // `params` is not in a node
		accessors:  kinds("accessor_declaration"),
	},
	// pdepend's ccn2.
	lang.PHP: {
		decisions: kinds("if_statement", "else_if_clause", "for_statement", "foreach_statement", "while_statement", "do_statement",
			"catch_clause", "conditional_expression", "match_conditional_expression"),
		tokens: kinds("case", "&&", "||", "and", "or"),
		statements: kinds("expression_statement", "echo_statement", "if_statement", "for_statement", "foreach_statement", "while_statement",
			"do_statement", "switch_statement", "try_statement", "return_statement", "break_statement", "continue_statement",
			"unset_statement", "exit_statement", "goto_statement", "throw_statement", "global_declaration", "function_static_declaration"),
		levels: kinds("if_statement", "for_statement", "foreach_statement", "while_statement", "do_statement", "switch_statement", "try_statement"),
	},
	// rubocop's, without the blocks of iterating methods and the safe navigation, and
	// with each clause of a rescue.
	lang.Ruby: {
		decisions: kinds("if", "unless", "elsif", "while", "until", "for", "if_modifier", "unless_modifier", "while_modifier", "until_modifier",
			"when", "in_clause", "rescue", "rescue_modifier", "conditional"),
		tokens:     kinds("&&", "||", "and", "or", "&&=", "||="),
		bodies:     kinds("body_statement", "then", "else", "do", "block_body", "begin", "ensure"),
		clauses:    kinds("rescue", "ensure", "else", "heredoc_body", "empty_statement"),
		levels:     kinds("if", "unless", "while", "until", "for", "case", "case_match", "begin"),
		separators: kinds("block_parameter"),
		headers:    true,
	},
	lang.Rust: {
		decisions: kinds("if_expression", "for_expression", "while_expression", "loop_expression", "match_arm"),
		under: map[parentChild]int{
			{"match_pattern", "_"}:  -1, // the default
			{"match_pattern", "if"}: 1,
		},
		tokens:     kinds("&&", "||"),
		bodies:     kinds("block"),
		clauses:    kinds("attribute_item", "inner_attribute_item", "empty_statement", "label"),
		levels:     kinds("if_expression", "for_expression", "while_expression", "loop_expression", "match_expression"),
		sealed:     kinds("macro_definition"),
		separators: kinds("self_parameter", "attribute_item"),
	},
}

// ecmascript is JSHint 2.13's maxcomplexity: every function by itself; the logical
// operators count everywhere.
var ecmascript = grammar{
	decisions: kinds("if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement",
		"ternary_expression", "catch_clause", "switch_case"),
	tokens: kinds("&&", "||", "??", "&&=", "||=", "??="), // the latter came after it
	statements: kinds("expression_statement", "variable_declaration", "lexical_declaration", "if_statement", "for_statement",
		"for_in_statement", "while_statement", "do_statement", "switch_statement", "try_statement", "with_statement",
		"return_statement", "throw_statement", "break_statement", "continue_statement", "debugger_statement"),
	levels: kinds("if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement", "switch_statement", "try_statement",
		"with_statement"),
	receivers: kinds("this"), // of TypeScript
	headers:   true, lambdas: true,
}

// cLevels are the levels of nesting of C and C++; #if is none.
var cLevels = kinds("if_statement", "for_statement", "for_range_loop", "while_statement", "do_statement", "switch_statement", "try_statement")

// cDeclarators are nodes around the name and the parameters of a function in C and C++.
var cDeclarators = kinds("function_declarator", "pointer_declarator", "parenthesized_declarator", "reference_declarator", "array_declarator",
	"attributed_declarator", "operator_cast", "abstract_function_declarator", "abstract_pointer_declarator", "abstract_reference_declarator")

// cStatements are the statements of C and C++.
var cStatements = kinds("expression_statement", "declaration", "if_statement", "for_statement", "for_range_loop", "while_statement",
	"do_statement", "switch_statement", "try_statement", "return_statement", "throw_statement", "break_statement", "continue_statement", "goto_statement")

// kind has the properties of a node kind of a grammar. They are computed once for each
// fragment and kind, because tree-sitter copies a name for each question.
type kind struct {
	name                string
	named               bool
	role                syntax.Role
	decision, statement bool
	weighed, condition  bool
	opens, sealed       bool
	variant             bool // has entries in grammar.under
	level               bool
	body, loose, head   bool
	declarator          bool
	accessor            bool
	separator, grouped  bool
	group               bool // a clause for groups of exceptions
}

// kindTable maps a tree's symbols to kinds.
type kindTable struct {
	lang lang.Name
	g    *grammar
	// kinds are by symbol.
	kinds []*kind
}

func (t *kindTable) get(n *syntax.Node) *kind {
	return t.of(n.Symbol(), func() *syntax.Node { return n })
}

// at is get for the cursor's node.
func (t *kindTable) at(c *syntax.Cursor) *kind {
	return t.of(c.CurrentSymbol(), c.CurrentNode)
}

func (t *kindTable) of(sym syntax.Symbol, n func() *syntax.Node) *kind {
	if sym == errorSymbol {
		return &errorKind
	}
	for len(t.kinds) <= int(sym) {
		t.kinds = append(t.kinds, nil)
	}
	if t.kinds[sym] == nil {
		n := n()
		t.kinds[sym] = t.classify(n.Type(), n.IsNamed())
	}
	return t.kinds[sym]
}

// errorSymbol is tree-sitter's ts_builtin_sym_error, the largest symbol.
const errorSymbol = 1<<16 - 1

// errorKind is for code that the grammar did not understand, frameKind for the frame around a
// hunk, which is not in the change.
var errorKind, frameKind = kind{name: "ERROR", named: true}, kind{named: true}

func (t *kindTable) classify(name string, named bool) *kind {
	g := t.g
	k := &kind{name: name, named: named}
	for pc := range g.under {
		k.variant = k.variant || pc.child == name
	}
	if !named {
		// The operator && is a node; the keyword "if" is one too, and no decision.
		k.decision, k.weighed = g.tokens[name], g.weighed[name]
		return k
	}
	k.role = syntax.TableOf(t.lang).Role(name)
	k.decision = g.decisions[name]
	k.statement, k.head = g.statements[name], g.heads[name]
	k.body, k.loose = g.bodies[name], g.loose[name] || g.loose == nil && !g.clauses[name]
	k.level, k.group = g.levels[name], name == "except_group_clause"
	k.condition = g.conditions[name]
	k.sealed = g.sealed[name] || k.role.Is(syntax.Identifier, syntax.Number, syntax.Bool, syntax.Null, syntax.Self)
	k.opens = !g.sealed[name] && (k.role.IsFunction() || k.role == syntax.Lambda && g.lambdas || k.role.IsClass() && !g.typesApart || g.accessors[name])
	k.accessor = g.accessors[name]
	k.declarator = g.declarators[name]
	k.separator, k.grouped = g.separators[name], g.grouped[name]
	return k
}
