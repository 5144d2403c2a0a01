package smells

import (
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
	// Says are the rule's sentences: filled, they are the texts of its smells.
	Says []Sentence

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
}

// places tells whether the rule looks for places.
func (r *Rule) places() bool { return r.find != nil || r.named != nil }

// Rules is the catalogue, in the order in which smells of one place are
// reported. The texts are pseudo-references: they use the words of reviewers,
// with which they will be compared, in at most 25 or so.
//
// The thresholds and the ranks are the paper's (Naik et al. 2024, section 3.1, by
// way of PyScent, which sets pylint's limits); that of nesting is pylint's
// default for too-many-nested-blocks. They are the same for all languages.
func Rules() []Rule {
	out := slices.Clone(rules)
	for i := range out {
		out[i].Languages, out[i].Says = slices.Clone(out[i].Languages), slices.Clone(out[i].Says)
	}
	return out
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
		Says: []Sentence{
			{Text: "{function} is too complex: its cyclomatic complexity is {value} (rank {rank}); it is hard to read and test and should be simplified or refactored."},
			{When: worse, Text: "The cyclomatic complexity of {function} rose from {old-value} (rank {old-rank}) to {value} (rank {rank}); it is hard to read and should be simplified or refactored."},
		},
		value: func(m *measured) (int, bool) { return m.Complexity, m.function() && m.whole },
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
		Says: []Sentence{
			{Text: "{function} is too long: {value} statements, more than {limit}; it should be split into smaller functions."},
			{When: worse, Text: "{function} is too long and grew from {old-value} to {value} statements, more than {limit}; it should be split into smaller functions."},
		},
		value: func(m *measured) (int, bool) { return m.statements, m.function() && m.whole },
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
		Says: []Sentence{
			{Text: "{function} has too many branches: {value}, more than {limit}; it is hard to follow; split it or replace the conditions by a table."},
			{When: worse, Text: "{function} has too many branches, now {value} instead of {old-value}, more than {limit}; it is hard to follow and should be split."},
		},
		value: func(m *measured) (int, bool) { return m.branches, m.function() && m.whole },
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
		Says: []Sentence{
			{Text: "{function} takes {value} parameters, more than {limit}; so many arguments are hard to read; consider grouping them into an object."},
			{When: worse, Text: "{function} now takes {value} parameters instead of {old-value}; that is too many (more than {limit}); consider grouping them into an object."},
		},
		value: func(m *measured) (int, bool) { return m.params, m.function() && m.paramsWhole },
		lines: func(m *measured) span { return span{m.StartLine, max(m.StartLine, m.paramsLines.last)} },
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
		Says: []Sentence{
			{Text: "The code in {function} is nested {value} levels deep, more than {limit}; it is hard to read; return early or extract a function."},
			{When: worse, Text: "The nesting in {function} got deeper, from {old-value} to {value} levels; it is hard to read; return early or extract a function."},
		},
		value: func(m *measured) (int, bool) { return m.depth, m.Kind != Class },
		lines: func(m *measured) span { return m.deepest },
	},

	// Which of those that look for places are on, readers have decided: docs/smells.md.
	{
		ID: "empty-catch", Name: "Empty catch block",
		Description: "An exception that is caught and then ignored hides failures. A comment in the block or beside it, or a variable called ignored, is taken for a reason. " +
			"Left out are exceptions that answer a question, such as KeyError or FileNotFoundException, those of what may end with a return, a raise or a failing test, and those of what only removes, closes or converts something.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby},
		Says:      []Sentence{{Text: "{exception} is swallowed: this `{catch}` block is empty; handle the error, log it, or let it pass on."}},
		roles:     []syntax.Role{syntax.Catch}, find: emptyCatch,
	},
	{
		ID: "bare-except", Name: "Bare except", On: true,
		Description: "An except clause without a type also catches what ends the program. One that raises the exception anew is none.",
		Languages:   []lang.Name{lang.Python},
		Says:        []Sentence{{Text: "A bare `except:` also catches `KeyboardInterrupt` and `SystemExit`; name the exceptions that are expected."}},
		roles:       []syntax.Role{syntax.Catch}, find: bareExcept,
	},
	{
		ID: "swallowed-error", Name: "Swallowed error", On: true,
		Description: "An error that is thrown away: in Go one that is assigned to _ or dropped, of functions that surely return one, or compared with nil for an empty block; " +
			"an empty .catch or a callback that never looks at its err (JavaScript); @ (PHP); rescue nil (Ruby); suppress(Exception) (Python); " +
			".ok() and let _ = of what reads, writes or sends (Rust); a return in a finally clause. Catch clauses are looked at by empty-catch. A comment beside it is taken for a reason.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.PHP, lang.Ruby, lang.Rust},
		Says: []Sentence{
			{When: "error assigned to nothing", Text: "The error `{error}` is ignored; return it or handle it."},
			{When: "result assigned to nothing", Text: "The error that `{function}` returns is ignored; it should be checked."},
			{When: "empty block", Text: "The error `{error}` is swallowed: it is checked, but the block is empty; return it or handle it."},
			{When: "empty handler", Text: "The error is swallowed: this `.catch` handler is empty; handle the error, log it, or let it pass on."},
			{When: "callback", Text: "The error `{error}` is ignored: this callback never looks at it; handle it or pass it on."},
			{When: "hidden by @", Text: "The `@` operator hides the errors of {call}; check for them and handle them instead."},
			{When: "rescue nil", Text: "`rescue nil` swallows every error; rescue the one that is expected, and handle or log it."},
			{When: "suppress", Text: "`{call}` swallows every error; name the exceptions that are expected."},
			{When: ".ok()", Text: "The error is swallowed: the result of `.ok()` is dropped; handle the error or pass it on with `?`."},
			{When: "dropped result", Text: "The error that `{function}` returns is ignored; handle it or pass it on with `?`."},
			{When: "return in a finally clause", Text: "A `return` in `{finally}` discards any exception that was thrown; return behind it instead."},
		},
		roles: []syntax.Role{syntax.Assign, syntax.Variable, syntax.If, syntax.Call, syntax.Lambda, syntax.With, syntax.Return},
		kinds: []string{"error_suppression_expression", "rescue_modifier"}, find: swallowedError,
	},
	{
		ID: "mutable-default", Name: "Mutable default argument", On: true,
		Description: "A list, dictionary or set that is the default value of a parameter is made once and shared by all calls. A parameter that is called a cache is left out.",
		Languages:   []lang.Name{lang.Python},
		Says:        []Sentence{{Text: "The default value of {parameter} is mutable and shared by all calls; use `None` and create it in the function."}},
		roles:       []syntax.Role{syntax.Parameter}, find: mutableDefault,
	},
	{
		ID: "none-comparison", Name: "Comparison with None", On: true,
		Description: "None is compared with \"is\", because a class may say what == means. Conditions of database queries are left out.",
		Languages:   []lang.Name{lang.Python},
		Says:        []Sentence{{Text: "{value} is compared with `None` by `{operator}`; use `{better}`."}},
		roles:       []syntax.Role{syntax.Binary}, find: noneComparison,
	},
	{
		ID: "loose-equality", Name: "Loose equality",
		Description: "== and != convert types before they compare. In JavaScript, comparisons with null or undefined and of typeof are left out, and everywhere those of a length or count with a number, and those that a comment to a linter or a case for the operator speaks for.",
		Languages:   []lang.Name{lang.JavaScript, lang.TypeScript, lang.TSX, lang.PHP},
		Says:        []Sentence{{Text: "`{operator}` converts the types of {left} and {right} before it compares them; use `{operator}=`."}},
		roles:       []syntax.Role{syntax.Binary}, find: looseEquality,
	},
	{
		ID: "assignment-in-condition", Name: "Assignment in a condition", On: true,
		Description: "An assignment as a condition is mostly a == with one sign too few. In loops only that of a constant counts; a second pair of parentheses says that it is meant.",
		Languages:   []lang.Name{lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.CSharp, lang.PHP},
		Says:        []Sentence{{Text: "The condition assigns to {variable}; was `==` meant? If not, move the assignment out of the condition."}},
		roles:       []syntax.Role{syntax.If, syntax.ElseIf, syntax.Loop}, find: assignmentInCondition,
	},
	{
		ID: "missing-default", Name: "Missing default",
		Description: "A switch without a default does nothing for values that nobody thought of. In Go it is one way to write several ifs. Left out are those that the language checks for completeness, such as enumerations, those over keys and characters, those of what has a value before, and those of which each case leaves and something follows, which is the default.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.CSharp,
			lang.PHP, lang.Ruby},
		Says:  []Sentence{{Text: "The `{switch}` over {value} has no `{default}` branch; handle unexpected values."}},
		roles: []syntax.Role{syntax.Switch}, find: missingDefault,
	},
	{
		ID: "missing-break", Name: "Missing break", On: true,
		Description: "A case that does something and then runs into the next one. A comment that says so, or [[fallthrough]], is taken for a reason.",
		Languages:   []lang.Name{lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.PHP},
		Says:        []Sentence{{Text: "This {case} falls through into the next case without a `break`; add one, or a comment that it is meant."}},
		roles:       []syntax.Role{syntax.Switch}, find: missingBreak,
	},
	{
		ID: "duplicated-branch", Name: "Duplicated branch", On: true,
		Description: "Two neighbouring branches of an if, a switch or a conditional expression that do the same are one branch, or one of them is wrong.",
		Languages:   Languages(),
		Says: []Sentence{
			{When: "if", Text: "Two branches of this `if` do the same; join their conditions or mend one of them."},
			{When: "else", Text: "The `else` branch does the same as the branch before it; the condition makes no difference."},
			{When: "case", Text: "This case does the same as the one before it; join them or mend one of them."},
			{When: "conditional expression", Text: "Both sides of this conditional expression are the same: {side}; is one of them wrong?"},
		},
		roles: []syntax.Role{syntax.If, syntax.Switch, syntax.Conditional}, find: duplicatedBranch,
	},
	{
		ID: "self-assignment", Name: "Self-assignment", On: true,
		Description: "A variable that is assigned to itself stays as it is; something else was meant.",
		Languages:   Languages(),
		Says:        []Sentence{{Text: "{variable} is assigned to itself; this does nothing, so another variable may have been meant."}},
		roles:       []syntax.Role{syntax.Assign}, find: selfAssignment,
	},
	{
		ID: "unreachable-code", Name: "Unreachable code", On: true,
		Description: "A statement behind a return, throw, break or continue of the same block never runs.",
		Languages:   Languages(),
		Says:        []Sentence{{Text: "The code after this `{return}` is unreachable: it never runs; remove it or mend the flow."}},
		roles:       []syntax.Role{syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto}, find: unreachableCode,
	},
	{
		ID: "debug-print", Name: "Debug output",
		Description: "Output to the console, or a stop for a debugger, that was left in. What speaks to users is left out: programs that are run by people, functions that are there to print, " +
			"files that print in more than five places, output under a condition such as verbose or with a comment about it, and texts that are sentences. In C and C++ only a printf whose text says that it is for debugging.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.C, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Says:      []Sentence{{Text: "`{call}` looks like debug output that was left in; remove it or use a logger."}},
		roles:     []syntax.Role{syntax.Call}, kinds: []string{"debugger_statement", "body_statement", "block_body", "then"}, find: debugPrint,
	},
	{
		ID: "todo-comment", Name: "TODO left in", On: true,
		Description: "A comment with TODO, FIXME, XXX or HACK is work that is not done. One that names its issue is left out.",
		Languages:   Languages(),
		Says:        []Sentence{{Text: "A `{todo}` comment is left in; resolve it now or open an issue for it."}},
		roles:       []syntax.Role{syntax.Comment}, find: todoComment,
	},
	{
		ID: "commented-out-code", Name: "Commented-out code", On: true,
		Description: "A comment of its own lines that holds statements of the language. Documentation, directives to tools, and examples in prose are left out.",
		Languages:   Languages(),
		Says:        []Sentence{{Text: "This is commented-out code; remove it, since version control keeps the old code, or say why it stays."}},
		roles:       []syntax.Role{syntax.Comment}, find: commentedOutCode,
	},
	{
		ID: "eval-exec", Name: "Text run as code", On: true,
		Description: "eval and its like run whatever text they are given. Constant texts, whole files and modules, and tests are left out.",
		Languages:   []lang.Name{lang.Python, lang.JavaScript, lang.TypeScript, lang.TSX, lang.PHP, lang.Ruby},
		Says:        []Sentence{{Text: "`{call}` runs text as code, which is dangerous with any input from outside; use a safer way."}},
		roles:       []syntax.Role{syntax.Call, syntax.New}, find: evalExec,
	},
	{
		ID: "magic-number", Name: "Magic number", On: true,
		Description: "A number in a comparison, a calculation or a wait that neither a name nor a comment explains. Small, round and well-known numbers, coefficients, data, " +
			"indexes, constants and tests are left out.",
		Languages: Languages(),
		Says:      []Sentence{{Text: "The number {number} {in-function} is a magic number; give it a name, such as a constant, that says what it means."}},
		roles:     []syntax.Role{syntax.Number}, find: magicNumber,
	},
	{
		ID: "hardcoded-credential", Name: "Hard-coded credential",
		Description: "A password, key or token in the code leaks with it. Values that look like a placeholder, a field's name or a message, and tests, are left out.",
		Languages:   Languages(),
		Says: []Sentence{
			{Text: "{credential} is hard-coded; it leaks with the code, so read it from the environment or the configuration."},
			{When: "by its shape", Text: "This string holds {credential}; a hard-coded credential leaks with the code, so read it from the environment or the configuration."},
		},
		roles: []syntax.Role{syntax.String}, kinds: []string{"preproc_arg"}, find: hardcodedCredential,
	},
	{
		ID: "sql-concatenation", Name: "SQL by concatenation",
		Description: "A statement of SQL into which values are put as text, by +, format strings or interpolation, lets input change it. Names of tables and columns, constants and lists of placeholders are left out.",
		Languages:   Languages(),
		Says:        []Sentence{{Text: "This SQL statement is put together from values, which allows SQL injection; use a prepared statement with parameters."}},
		roles:       []syntax.Role{syntax.String}, find: sqlConcatenation,
	},
	{
		ID: "unused-import", Name: "Unused import", On: true,
		Description: "An import of which the name occurs nowhere else in the file, not even in a string or comment. Only where the whole file is known.",
		Languages:   []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.PHP},
		Says:        []Sentence{{Text: "The import `{name}` is never used; remove it."}},
		roles:       []syntax.Role{syntax.Import}, find: unusedImport,
	},
	{
		ID: "unused-variable", Name: "Unused variable", On: true,
		Description: "A local variable that is set and never read. Those that are unpacked, loops' and caught ones are left out, and in C++ those of classes, which may act by being there.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.CSharp, lang.PHP,
			lang.Ruby, lang.Rust},
		Says:  []Sentence{{Text: "The variable `{name}` is {assigned} {in-function} but never used; it should be removed."}},
		named: unusedVariable,
	},
	{
		ID: "unused-parameter", Name: "Unused parameter",
		Description: "A parameter that the function never reads. Left out are functions that may have to take it: what overrides or implements, what is handed on as a value, and empty ones. Only where the whole file is known.",
		Languages:   Languages(),
		Says:        []Sentence{{Text: "The parameter `{name}` {of-function} is never used; it should be removed or used."}},
		named:       unusedParameter,
	},
	{
		ID: "shadowed-variable", Name: "Shadowed variable", On: true,
		Description: "A variable of an inner block that hides one of the same function. In Go only where the outer one is read afterwards; in Python, a name that hides a built-in function.",
		Languages:   []lang.Name{lang.Python, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.C, lang.Cpp, lang.Ruby},
		Says: []Sentence{
			{Text: "The {variable} `{name}` {in-function} shadows {outer}; rename one of them to avoid confusion."},
			{When: "read afterwards", Text: "`{name}` shadows the {outer} {of-function}, which is read afterwards; {advice}."},
			{When: "built-in", Text: "The {variable} `{name}` {of-function} shadows the built-in `{name}`; rename it."},
		},
		named: shadowedVariable,
	},
	{
		ID: "long-lambda", Name: "Long lambda",
		Description: "A lambda of more than 60 characters is hard to read; a run of white space counts as one. Only lambdas with two conditions, a loop or a lambda in them count, with one condition those with a line of more than 80, without any of more than 100. Outside of Python, only one of a single expression in one line that has two conditions, or one in more than 120 characters, and is given no name.",
		Languages:   []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust}, Threshold: 60, Unit: "characters",
		Says: []Sentence{
			{Text: "This lambda is {value} characters long, more than {limit}; it is hard to read; define a named function instead."},
			{When: worse, Text: "This lambda grew from {old-value} to {value} characters, more than {limit}; it is hard to read; define a named function instead."},
		},
		roles: []syntax.Role{syntax.Lambda}, find: longLambda,
	},
	{
		ID: "long-comprehension", Name: "Long comprehension",
		Description: "A comprehension of more than 72 characters is hard to read. Left out are those with one loop and up to two conditions in up to 80 characters, and those that only map something, or are laid out over lines, of up to 100.",
		Languages:   []lang.Name{lang.Python}, Threshold: 72, Unit: "characters",
		Says: []Sentence{
			{Text: "This comprehension is {value} characters long, more than {limit}; it is hard to read; use a loop or split it."},
			{When: worse, Text: "This comprehension grew from {old-value} to {value} characters, more than {limit}; it is hard to read; use a loop or split it."},
		},
		roles: []syntax.Role{syntax.Comprehension}, find: longComprehension,
	},
	{
		ID: "many-attributes", Name: "Many attributes", On: true,
		Description: "A class with more than 7 attributes holds too much. In Python those that methods set on self count, elsewhere fields that are neither static nor constant. " +
			"Loggers do not count, and classes that only hold data (records, builders: methods of up to two statements) are left out.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.TypeScript, lang.TSX, lang.CSharp, lang.PHP}, Threshold: 7, Unit: "attributes",
		Says: []Sentence{
			{Text: "{class} has {value} attributes, more than {limit}; it does too much and should be split."},
			{When: worse, Text: "{class} grew from {old-value} to {value} attributes, more than {limit}; it does too much and should be split."},
		},
		roles: []syntax.Role{syntax.Class}, find: manyAttributes,
	},
	{
		ID: "many-methods", Name: "Many methods", On: true,
		Description: "A class with more than 20 public methods does too much. Accessors (get, set, is, with), those of visitors and listeners, tests, abstract methods and those that override others do not count.",
		Languages:   []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Threshold:   20, Unit: "methods",
		Says: []Sentence{
			{Text: "{class} has {value} public methods, more than {limit}; it does too much and should be split."},
			{When: worse, Text: "{class} grew from {old-value} to {value} public methods, more than {limit}; it does too much and should be split."},
		},
		roles: []syntax.Role{syntax.Class}, find: manyMethods,
	}, {
		ID: "low-cohesion", Name: "Low cohesion", On: true,
		Description: "A class of which a method uses on average less than 30% of the attributes does several things (the measure of the tool cohesion). What a method uses through others that it calls counts. A class with fewer than 10 such methods or attributes must fall into parts that share none. Constructors, static methods and " +
			"those of up to two statements, such as getters, do not count, nor do constants, test cases, builders, classes with a base class (whose attributes are not seen) and those with fewer than 5 methods or 5 attributes.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Threshold: 70, Unit: "percent of the attributes unused",
		Says: []Sentence{
			{Text: "{class} has low cohesion: its methods use {attributes} attributes together, but each on average only {percent}% of them; it could be split."},
			{When: worse, Text: "{class} has low cohesion, which fell: on average a method uses {percent}% of its attributes, before {old-percent}%; it could be split."},
		},
		roles: []syntax.Role{syntax.Class}, find: lowCohesion,
	},
	{
		ID: "shotgun-surgery", Name: "Shotgun surgery", On: true,
		Description: "A class that makes or calls more than 5 other classes changes whenever one of them does. Counted are the names of classes in its calls, each once, without exceptions and the classes of the language " +
			"and of libraries, as far as the imports tell; of these, more than 5 must be of different kinds, those that end with the same word being one. What is called on variables is not known. Factories, helpers and the parts of windows are left out. PyScent counts the calls themselves.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Threshold: 5, Unit: "classes",
		Says: []Sentence{
			{Text: "{class} depends on {value} other classes ({classes}), more than {limit}; one change may have to touch many of them (shotgun surgery)."},
			{When: worse, Text: "{class} now depends on {value} other classes instead of {old-value}; one change may have to touch many of them (shotgun surgery)."},
		},
		roles: []syntax.Role{syntax.Class}, find: shotgunSurgery,
	},
}
