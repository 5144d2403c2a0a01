package smells

import (
	"fmt"
	"slices"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// Rule is one smell that is looked for.
type Rule struct {
	ID          string // stable, such as "long-method"
	Name        string // for people
	Description string
	Languages   []lang.Name
	// On tells whether the rule is on by default.
	On bool
	// Threshold is the largest value that is not flagged, Unit what it counts;
	// "" where the rule counts nothing.
	Threshold int
	Unit      string

	// A rule either measures blocks or, where find is set, looks for places: find
	// is shown each node of one of the roles, or of one of the kinds, once.
	roles []syntax.Role
	kinds []string
	find  func(v *visitor, n *syntax.Node)
	// judge is shown each variable of the functions that are changed instead.
	named func(v *visitor, x *variable)

	// value measures a block. ok is false where the rule does not apply to the
	// block or, in a bare hunk, too little of it is seen.
	value func(*measured) (v int, ok bool)
	// lines is the place to show; nil means the whole block.
	lines func(*measured) span
	// fresh is the text for a block that is flagged by itself, worse for one
	// that was better before.
	fresh func(r reading) string
	worse func(r reading) string
}

// places tells whether the rule looks for places.
func (r *Rule) places() bool { return r.find != nil || r.named != nil }

// reading is a value over its threshold.
type reading struct {
	subject               string // "`parse`", "this function"
	value, old, threshold int
}

// Rules is the catalogue, in the order in which smells of one place are
// reported. The texts are pseudo-references: they use the words of reviewers,
// with which they will be compared, in at most 25 or so.
//
// The thresholds and the ranks are the paper's (Naik et al. 2024, section 3.1, by
// way of PyScent, which sets pylint's limits); that of nesting is pylint's
// default for too-many-nested-blocks. They are the same for all languages.
func Rules() []Rule {
	return slices.Clone(rules)
}

var rules = []Rule{
	{
		ID:   "cyclomatic-complexity",
		Name: "Cyclomatic complexity",
		Description: "A function with more than 10 independent paths through it (radon's rank C or worse) is hard to read and to test. " +
			"Counted as radon does for Python, PMD for Java, JSHint for JavaScript and TypeScript, and gocyclo for Go; " +
			"elsewhere each branch, loop, case, catch, guard and logical operator is a path more.",
		Languages: Languages(),
		On:        true,
		Threshold: 10,
		Unit:      "paths",
		value:     func(m *measured) (int, bool) { return m.Complexity, m.function() && m.whole },
		fresh: func(r reading) string {
			return fmt.Sprintf("%s is too complex: its cyclomatic complexity is %d (rank %s); it is hard to read and test and should be simplified or refactored.",
				r.subject, r.value, Rank(r.value))
		},
		worse: func(r reading) string {
			return fmt.Sprintf("The cyclomatic complexity of %s rose from %d (rank %s) to %d (rank %s); it is hard to read and should be simplified or refactored.",
				r.subject, r.old, Rank(r.old), r.value, Rank(r.value))
		},
	},
	{
		ID:   "long-method",
		Name: "Long method",
		Description: "A function with more than 50 statements does too much and should be split. Every simple and every compound statement is one; " +
			"functions with a name inside are measured by themselves, those without one in Java, JavaScript and TypeScript, too.",
		Languages: Languages(),
		On:        true,
		Threshold: 50,
		Unit:      "statements",
		value:     func(m *measured) (int, bool) { return m.statements, m.function() && m.whole },
		fresh: func(r reading) string {
			return fmt.Sprintf("%s is too long: %d statements, more than %d; it should be split into smaller functions.", r.subject, r.value, r.threshold)
		},
		worse: func(r reading) string {
			return fmt.Sprintf("%s is too long and grew from %d to %d statements, more than %d; it should be split into smaller functions.",
				r.subject, r.old, r.value, r.threshold)
		},
	},
	{
		ID:   "long-branch",
		Name: "Long branch",
		On:   true,
		Description: "A function with more than 12 branches is hard to follow. Counted as pylint does: each if, elif, else, loop and except is one, " +
			"try with finally two; and each case that does something.",
		Languages: Languages(),
		Threshold: 12,
		Unit:      "branches",
		value:     func(m *measured) (int, bool) { return m.branches, m.function() && m.whole },
		fresh: func(r reading) string {
			return fmt.Sprintf("%s has too many branches: %d, more than %d; it is hard to follow; split it or replace the conditions by a table.",
				r.subject, r.value, r.threshold)
		},
		worse: func(r reading) string {
			return fmt.Sprintf("%s has too many branches, now %d instead of %d, more than %d; it is hard to follow and should be split.",
				r.subject, r.value, r.old, r.threshold)
		},
	},
	{
		ID:   "long-parameter-list",
		Name: "Long parameter list",
		Description: "A function with more than 6 parameters is hard to call and to read. Optional, keyword-only and variadic ones count; " +
			"the receiver (self, cls, this) does not, since the caller does not write it (pylint counts it), nor does Ruby's &block.",
		Languages: Languages(),
		On:        true,
		Threshold: 6,
		Unit:      "parameters",
		value:     func(m *measured) (int, bool) { return m.params, m.function() && m.paramsWhole },
		lines:     func(m *measured) span { return span{m.StartLine, max(m.StartLine, m.paramsLines.last)} },
		fresh: func(r reading) string {
			return fmt.Sprintf("%s takes %d parameters, more than %d; so many arguments are hard to read; consider grouping them into an object.",
				r.subject, r.value, r.threshold)
		},
		worse: func(r reading) string {
			return fmt.Sprintf("%s now takes %d parameters instead of %d; that is too many (more than %d); consider grouping them into an object.",
				r.subject, r.value, r.old, r.threshold)
		},
	},
	{
		ID:   "deep-nesting",
		Name: "Deep nesting",
		Description: "Code inside more than 5 nested blocks (if, loop, try, with, switch) is hard to follow. An \"else if\" is no level of its own, nor is #if. " +
			"Of a hunk only what is seen counts, so that the true depth may be larger.",
		Languages: Languages(),
		On:        true,
		Threshold: 5,
		Unit:      "levels",
		value:     func(m *measured) (int, bool) { return m.depth, m.Kind != Class },
		lines:     func(m *measured) span { return m.deepest },
		fresh: func(r reading) string {
			return fmt.Sprintf("The code in %s is nested %d levels deep, more than %d; it is hard to read; return early or extract a function.",
				r.subject, r.value, r.threshold)
		},
		worse: func(r reading) string {
			return fmt.Sprintf("The nesting in %s got deeper, from %d to %d levels; it is hard to read; return early or extract a function.",
				r.subject, r.old, r.value)
		},
	},

	// Which of those that look for places are on, readers have decided: docs/smells.md.
	{
		ID: "empty-catch", Name: "Empty catch block",
		Description: "An exception that is caught and then ignored hides failures. A comment in the block, or a variable called ignored, is taken for a reason. " +
			"Left out are exceptions that answer a question, such as KeyError or FileNotFoundException, those of what may end with a return, a raise or a failing test, and those of what only removes, closes or converts something.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby},
		roles:     []syntax.Role{syntax.Catch}, find: emptyCatch,
	},
	{
		ID: "bare-except", Name: "Bare except", On: true,
		Description: "An except clause without a type also catches what ends the program. One that raises the exception anew is none.",
		Languages:   []lang.Name{lang.Python},
		roles:       []syntax.Role{syntax.Catch}, find: bareExcept,
	},
	{
		ID: "swallowed-error", Name: "Swallowed error",
		Description: "An error that is thrown away: in Go one that is assigned to _, of functions that surely return one, or compared with nil for an empty block; " +
			"an empty .catch or a callback that never looks at its err (JavaScript); @ (PHP); rescue nil (Ruby); suppress(Exception) (Python); " +
			".ok() and let _ = of a file operation (Rust); a return in a finally clause. Catch clauses are looked at by empty-catch. A comment beside it is taken for a reason.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.PHP, lang.Ruby, lang.Rust},
		roles:     []syntax.Role{syntax.Assign, syntax.Variable, syntax.If, syntax.Call, syntax.Lambda, syntax.With, syntax.Return},
		kinds:     []string{"error_suppression_expression", "rescue_modifier"}, find: swallowedError,
	},
	{
		ID: "mutable-default", Name: "Mutable default argument", On: true,
		Description: "A list, dictionary or set that is the default value of a parameter is made once and shared by all calls. A parameter that is called a cache is left out.",
		Languages:   []lang.Name{lang.Python},
		roles:       []syntax.Role{syntax.Parameter}, find: mutableDefault,
	},
	{
		ID: "none-comparison", Name: "Comparison with None", On: true,
		Description: "None is compared with \"is\", because a class may say what == means. Conditions of database queries are left out.",
		Languages:   []lang.Name{lang.Python},
		roles:       []syntax.Role{syntax.Binary}, find: noneComparison,
	},
	{
		ID: "loose-equality", Name: "Loose equality",
		Description: "== and != convert types before they compare. In JavaScript, comparisons with null or undefined and of typeof are left out, and everywhere those that a comment to a linter or a case for the operator speaks for.",
		Languages:   []lang.Name{lang.JavaScript, lang.TypeScript, lang.TSX, lang.PHP},
		roles:       []syntax.Role{syntax.Binary}, find: looseEquality,
	},
	{
		ID: "assignment-in-condition", Name: "Assignment in a condition", On: true,
		Description: "An assignment as a condition is mostly a == with one sign too few. In loops only that of a constant counts; a second pair of parentheses says that it is meant.",
		Languages:   []lang.Name{lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.CSharp, lang.PHP},
		roles:       []syntax.Role{syntax.If, syntax.ElseIf, syntax.Loop}, find: assignmentInCondition,
	},
	{
		ID: "missing-default", Name: "Missing default",
		Description: "A switch without a default does nothing for values that nobody thought of. In Go it is one way to write several ifs. Left out are those that the language checks for completeness, and those of which each case leaves and something follows, which is the default.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.CSharp,
			lang.PHP, lang.Ruby},
		roles: []syntax.Role{syntax.Switch}, find: missingDefault,
	},
	{
		ID: "missing-break", Name: "Missing break",
		Description: "A case that does something and then runs into the next one. A comment that says so, or [[fallthrough]], is taken for a reason.",
		Languages:   []lang.Name{lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.PHP},
		roles:       []syntax.Role{syntax.Switch}, find: missingBreak,
	},
	{
		ID: "duplicated-branch", Name: "Duplicated branch", On: true,
		Description: "Two neighbouring branches of an if, a switch or a conditional expression that do the same are one branch, or one of them is wrong.",
		Languages:   Languages(),
		roles:       []syntax.Role{syntax.If, syntax.Switch, syntax.Conditional}, find: duplicatedBranch,
	},
	{
		ID: "self-assignment", Name: "Self-assignment", On: true,
		Description: "A variable that is assigned to itself stays as it is; something else was meant.",
		Languages:   Languages(),
		roles:       []syntax.Role{syntax.Assign}, find: selfAssignment,
	},
	{
		ID: "unreachable-code", Name: "Unreachable code",
		Description: "A statement behind a return, throw, break or continue of the same block never runs.",
		Languages:   Languages(),
		roles:       []syntax.Role{syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto}, find: unreachableCode,
	},
	{
		ID: "debug-print", Name: "Debug output",
		Description: "Output to the console, or a stop for a debugger, that was left in. What speaks to users is left out: programs that are run by people, functions that are there to print, " +
			"files that print in more than five places, output under a condition such as verbose or with a comment about it, and texts that are sentences.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		roles:     []syntax.Role{syntax.Call}, kinds: []string{"debugger_statement"}, find: debugPrint,
	},
	{
		ID: "todo-comment", Name: "TODO left in", On: true,
		Description: "A comment with TODO, FIXME, XXX or HACK is work that is not done. One that names its issue is left out.",
		Languages:   Languages(),
		roles:       []syntax.Role{syntax.Comment}, find: todoComment,
	},
	{
		ID: "commented-out-code", Name: "Commented-out code", On: true,
		Description: "A comment of its own lines that holds statements of the language. Documentation, directives to tools, and examples in prose are left out.",
		Languages:   Languages(),
		roles:       []syntax.Role{syntax.Comment}, find: commentedOutCode,
	},
	{
		ID: "eval-exec", Name: "Text run as code",
		Description: "eval and its like run whatever text they are given. Constant texts, whole files and modules, and tests are left out.",
		Languages:   []lang.Name{lang.Python, lang.JavaScript, lang.TypeScript, lang.TSX, lang.PHP, lang.Ruby},
		roles:       []syntax.Role{syntax.Call, syntax.New}, find: evalExec,
	},
	{
		ID: "magic-number", Name: "Magic number",
		Description: "A number in a comparison, a calculation or a wait that neither a name nor a comment explains. Small, round and well-known numbers, data, " +
			"indexes, constants and tests are left out.",
		Languages: Languages(),
		roles:     []syntax.Role{syntax.Number}, find: magicNumber,
	},
	{
		ID: "hardcoded-credential", Name: "Hard-coded credential",
		Description: "A password, key or token in the code leaks with it. Values that look like a placeholder, a field's name or a message, and tests, are left out.",
		Languages:   Languages(),
		roles:       []syntax.Role{syntax.String}, find: hardcodedCredential,
	},
	{
		ID: "sql-concatenation", Name: "SQL by concatenation",
		Description: "A statement of SQL into which values are put as text, by +, format strings or interpolation, lets input change it. Names of tables and columns, constants and lists of placeholders are left out.",
		Languages:   Languages(),
		roles:       []syntax.Role{syntax.String}, find: sqlConcatenation,
	},
	{
		ID: "unused-import", Name: "Unused import", On: true,
		Description: "An import of which the name occurs nowhere else in the file, not even in a string or comment. Only where the whole file is known.",
		Languages:   []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.PHP},
		roles:       []syntax.Role{syntax.Import}, find: unusedImport,
	},
	{
		ID: "unused-variable", Name: "Unused variable", On: true,
		Description: "A local variable that is set and never read. Those that are unpacked, loops' and caught ones are left out, and in C++ those of classes, which may act by being there.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.CSharp, lang.PHP,
			lang.Ruby, lang.Rust},
		named: unusedVariable,
	},
	{
		ID: "unused-parameter", Name: "Unused parameter", On: true,
		Description: "A parameter that the function never reads. Left out are functions that may have to take it: what overrides or implements, what is handed on as a value, and empty ones. Only where the whole file is known.",
		Languages:   Languages(),
		named:       unusedParameter,
	},
	{
		ID: "shadowed-variable", Name: "Shadowed variable", On: true,
		Description: "A variable of an inner block that hides one of the same function. In Go only where the outer one is read afterwards; in Python, a name that hides a built-in function.",
		Languages:   []lang.Name{lang.Python, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.C, lang.Cpp, lang.Ruby},
		named:       shadowedVariable,
	},
	{
		ID: "long-lambda", Name: "Long lambda",
		Description: "A lambda of more than 60 characters is hard to read; a run of white space counts as one. Only lambdas with a condition, a loop or a lambda in them count. Outside of Python, only one of a single expression in one line that has a condition or a lambda in it and is given no name.",
		Languages:   []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust}, Threshold: 60, Unit: "characters",
		roles: []syntax.Role{syntax.Lambda}, find: longLambda,
	},
	{
		ID: "long-comprehension", Name: "Long comprehension",
		Description: "A comprehension of more than 72 characters is hard to read. Where it is laid out over lines, its longest line counts.",
		Languages:   []lang.Name{lang.Python}, Threshold: 72, Unit: "characters",
		roles: []syntax.Role{syntax.Comprehension}, find: longComprehension,
	},
	{
		ID: "many-attributes", Name: "Many attributes", On: true,
		Description: "A class with more than 7 attributes holds too much. In Python those that methods set on self count, elsewhere fields that are neither static nor constant. " +
			"Loggers do not count, and classes that only hold data (records, builders: methods of up to two statements) are left out.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.TypeScript, lang.TSX, lang.CSharp, lang.PHP}, Threshold: 7, Unit: "attributes",
		roles: []syntax.Role{syntax.Class}, find: manyAttributes,
	},
	{
		ID: "many-methods", Name: "Many methods", On: true,
		Description: "A class with more than 20 public methods does too much. Accessors (get, set, is, with), those of visitors and listeners, tests, abstract methods and those that override others do not count.",
		Languages:   []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Threshold:   20, Unit: "methods",
		roles: []syntax.Role{syntax.Class}, find: manyMethods,
	}, {
		ID: "low-cohesion", Name: "Low cohesion",
		Description: "A class of which a method uses on average less than 30% of the attributes does several things (the measure of the tool cohesion). Static methods and " +
			"those of up to two statements, such as getters, do not count, nor do test cases, classes with a base class (whose attributes are not seen) and those with fewer than 5 methods or 5 attributes.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Threshold: 70, Unit: "percent of the attributes unused",
		roles: []syntax.Role{syntax.Class}, find: lowCohesion,
	},
	{
		ID: "shotgun-surgery", Name: "Shotgun surgery",
		Description: "A class that makes or calls more than 5 other classes changes whenever one of them does. Counted are the names of classes in its calls, each once, without " +
			"exceptions and the language's own classes; what is called on variables is not known. PyScent counts the calls themselves.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Threshold: 5, Unit: "classes",
		roles: []syntax.Role{syntax.Class}, find: shotgunSurgery,
	},
}
