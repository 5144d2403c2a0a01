package smells

import (
	"slices"

	"crscore/change"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// Rule describes one smell and how to find it.
type Rule struct {
	ID   string // stable, such as "long-method"
	Name string // for people
	// Description says, in a few sentences, what the rule finds.
	Description string
	// Languages are the languages that the rule knows.
	Languages []lang.Name
	// On reports whether the rule is on by default.
	On bool
	// Threshold is the largest value that is not flagged. Unit names the things that the
	// rule counts, "" if it counts nothing.
	Threshold int
	Unit      string
	// Says are the rule's sentences. With their names filled in they are the texts of
	// smells.
	Says []Sentence

	// A rule either measures blocks or looks for places. find is called once for each
	// node with one of the roles or kinds.
	roles []syntax.Role
	kinds []string
	find  func(v *visitor, n *syntax.Node)
	// named is called for each variable of the changed functions.
	named func(v *visitor, x *variable)

	// file looks at the change of a file that has no syntax tree. It gets all rules.
	file func(r *Rule, all []Rule, f *change.File) (Smell, bool)

	// value measures a block. ok is false if the rule does not apply to the block, or if
	// a bare hunk shows too little of it.
	value func(*measured) (v int, ok bool)
	// lines returns the lines to report; nil means the whole block.
	lines func(*measured) span
}

// places reports whether the rule looks for places.
func (r *Rule) places() bool { return r.find != nil || r.named != nil }

// Rules returns the catalogue, in the order in which smells at the same line are reported.
// The sentences are compared with reviews, so they use the words of reviewers, about 25 at
// most.
//
// The thresholds and ranks are the paper's (Naik et al. 2024, section 3.1), which uses
// PyScent with pylint's limits. The threshold of nesting is pylint's default for
// too-many-nested-blocks. They are the same for all languages.
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
		Description: "A function has more than 10 independent paths (radon's rank C or worse). Paths are counted as radon does for Python, PMD for Java, " +
			"JSHint for JavaScript and TypeScript, and gocyclo for Go. In other languages each branch, loop, case, catch, guard and logical " +
			"operator adds a path.",
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
		Description: "A function has more than 50 statements. Simple and compound statements count as one each. A named function inside another is " +
			"measured by itself; in Java, JavaScript and TypeScript an unnamed function is, too.",
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
		Description: "A function has more than 12 branches. Branches are counted as pylint does: each if, elif, else, loop and except is one, try with " +
			"finally is two. A case counts if it does something.",
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
		Description: "A function has more than 6 parameters. Optional, keyword-only and variadic parameters count. The receiver (self, cls, this) and " +
			"Ruby's &block do not, because the caller does not write them.",
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
		Description: "Code stands inside more than 5 nested blocks (if, loop, try, with, switch). An \"else if\" and #if are no levels. In a hunk only " +
			"the visible levels count, so the true depth may be larger.",
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

	// The verdicts of readers decide which of the following rules are on by default:
	// docs/smells-rating.md.
	{
		ID: "empty-catch", Name: "Empty catch block",
		Description: "A catch block ignores an exception. A comment in the block or beside it, or a variable named ignored, is taken as a reason. Left " +
			"out: exceptions that answer a question, such as KeyError or FileNotFoundException; try blocks that may end with a return, a raise " +
			"or a failing test; and code that only removes, closes or converts something.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby},
		Says:      []Sentence{{Text: "{exception} is swallowed: this `{catch}` block is empty; handle the error, log it, or let it pass on."}},
		roles:     []syntax.Role{syntax.Catch}, find: emptyCatch,
	},
	{
		ID: "bare-except", Name: "Bare except", On: true,
		Description: "An except clause without a type catches even the exceptions that end the program. A clause that raises the exception again is left " +
			"out.",
		Languages: []lang.Name{lang.Python},
		Says:      []Sentence{{Text: "A bare `except:` also catches `KeyboardInterrupt` and `SystemExit`; name the exceptions that are expected."}},
		roles:     []syntax.Role{syntax.Catch}, find: bareExcept,
	},
	{
		ID: "swallowed-error", Name: "Swallowed error", On: true,
		Description: "An error is thrown away. In Go: an error assigned to _, dropped, or compared with nil for an empty block, where the function " +
			"surely returns an error. In JavaScript: an empty .catch, or a callback that never reads its err. In PHP: @. In Ruby: rescue nil. " +
			"In Python: suppress(Exception). In Rust: .ok() and let _ = on a call that reads, writes or sends. In several languages: a return " +
			"in a finally clause. A comment beside the place is taken as a reason. empty-catch looks at catch clauses.",
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
		Description: "The default value of a parameter is a list, dictionary or set, which all calls share. A parameter named as a cache is left out.",
		Languages:   []lang.Name{lang.Python},
		Says:        []Sentence{{Text: "The default value of {parameter} is mutable and shared by all calls; use `None` and create it in the function."}},
		roles:       []syntax.Role{syntax.Parameter}, find: mutableDefault,
	},
	{
		ID: "none-comparison", Name: "Comparison with None", On: true,
		Description: "A value is compared with None by == or !=, whose meaning a class can change. Conditions of database queries are left out.",
		Languages:   []lang.Name{lang.Python},
		Says:        []Sentence{{Text: "{value} is compared with `None` by `{operator}`; use `{better}`."}},
		roles:       []syntax.Role{syntax.Binary}, find: noneComparison,
	},
	{
		ID: "loose-equality", Name: "Loose equality",
		Description: "== or != converts types before it compares. Left out: comparisons with null or undefined and comparisons of typeof in JavaScript; " +
			"comparisons of a length or count with a number; and operators that a comment to a linter, or a case for the operator, explains.",
		Languages: []lang.Name{lang.JavaScript, lang.TypeScript, lang.TSX, lang.PHP},
		Says:      []Sentence{{Text: "`{operator}` converts the types of {left} and {right} before it compares them; use `{operator}=`."}},
		roles:     []syntax.Role{syntax.Binary}, find: looseEquality,
	},
	{
		ID: "assignment-in-condition", Name: "Assignment in a condition", On: true,
		Description: "A condition assigns a value, where == was probably meant. In loops only the assignment of a constant counts. A second pair of " +
			"parentheses is taken as a sign of intent.",
		Languages: []lang.Name{lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.CSharp, lang.PHP},
		Says:      []Sentence{{Text: "The condition assigns to {variable}; was `==` meant? If not, move the assignment out of the condition."}},
		roles:     []syntax.Role{syntax.If, syntax.ElseIf, syntax.Loop}, find: assignmentInCondition,
	},
	{
		ID: "constant-condition", Name: "Constant condition",
		Description: "The condition of an if or of a conditional expression is true or false whatever the program does: true, 0, x && false. Left out: " +
			"loops, the preprocessor, values with a name, and conditions that a comment explains.",
		Languages: Languages(),
		Says: []Sentence{
			{When: "true", Text: "The condition {condition} is always true, so it decides nothing; remove it or mend it."},
			{When: "false", Text: "The condition {condition} is always false, so the code under it never runs; remove it or mend the condition."},
		},
		roles: []syntax.Role{syntax.If, syntax.ElseIf, syntax.Conditional}, find: constantCondition,
	},
	{
		ID: "missing-default", Name: "Missing default",
		Description: "A switch has no default, so it ignores values that nobody expected. Go is left out, where a switch replaces ifs. Also left out: " +
			"switches that the language checks for completeness, such as those over enumerations; switches over keys and characters; switches " +
			"that set a variable which has a value before; and switches whose cases all leave, so that the code behind is the default.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.CSharp,
			lang.PHP, lang.Ruby},
		Says:  []Sentence{{Text: "The `{switch}` over {value} has no `{default}` branch; handle unexpected values."}},
		roles: []syntax.Role{syntax.Switch}, find: missingDefault,
	},
	{
		ID: "missing-break", Name: "Missing break", On: true,
		Description: "A case does something and then runs into the next case. A comment that says so, or [[fallthrough]], is taken as a reason.",
		Languages:   []lang.Name{lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.PHP},
		Says:        []Sentence{{Text: "This {case} falls through into the next case without a `break`; add one, or a comment that it is meant."}},
		roles:       []syntax.Role{syntax.Switch}, find: missingBreak,
	},
	{
		ID: "duplicated-branch", Name: "Duplicated branch", On: true,
		Description: "Two neighbouring branches of an if, a switch or a conditional expression do the same.",
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
		Description: "A variable is assigned to itself.",
		Languages:   Languages(),
		Says:        []Sentence{{Text: "{variable} is assigned to itself; this does nothing, so another variable may have been meant."}},
		roles:       []syntax.Role{syntax.Assign}, find: selfAssignment,
	},
	{
		ID: "unreachable-code", Name: "Unreachable code", On: true,
		Description: "A statement stands behind a return, throw, break or continue of the same block, so it never runs.",
		Languages:   Languages(),
		Says:        []Sentence{{Text: "The code after this `{return}` is unreachable: it never runs; remove it or mend the flow."}},
		roles:       []syntax.Role{syntax.Return, syntax.Throw, syntax.Break, syntax.Continue, syntax.Goto}, find: unreachableCode,
	},
	{
		ID: "debug-print", Name: "Debug output",
		Description: "Output to the console, or a stop for a debugger, was left in. Left out is output for users: in programs that people run, in " +
			"functions whose purpose is printing, in files that print in more than five places, under a condition such as verbose, with a " +
			"comment about it, and texts that are sentences. In C and C++ only a printf with a text about debugging counts.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.C, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Says:      []Sentence{{Text: "`{call}` looks like debug output that was left in; remove it or use a logger."}},
		roles:     []syntax.Role{syntax.Call}, kinds: []string{"debugger_statement", "body_statement", "block_body", "then"}, find: debugPrint,
	},
	{
		ID: "todo-comment", Name: "TODO left in", On: true,
		Description: "A comment has TODO, FIXME, XXX or HACK. A comment that names its issue is left out.",
		Languages:   Languages(),
		Says:        []Sentence{{Text: "A `{todo}` comment is left in; resolve it now or open an issue for it."}},
		roles:       []syntax.Role{syntax.Comment}, find: todoComment,
	},
	{
		ID: "commented-out-code", Name: "Commented-out code", On: true,
		Description: "A comment on its own lines holds statements of the language. Documentation, directives to tools, and examples in prose are left " +
			"out.",
		Languages: Languages(),
		Says:      []Sentence{{Text: "This is commented-out code; remove it, since version control keeps the old code, or say why it stays."}},
		roles:     []syntax.Role{syntax.Comment}, find: commentedOutCode,
	},
	{
		ID: "eval-exec", Name: "Text run as code", On: true,
		Description: "eval or a similar function runs a text as code. Constant texts, whole files and modules, and tests are left out.",
		Languages:   []lang.Name{lang.Python, lang.JavaScript, lang.TypeScript, lang.TSX, lang.PHP, lang.Ruby},
		Says:        []Sentence{{Text: "`{call}` runs text as code, which is dangerous with any input from outside; use a safer way."}},
		roles:       []syntax.Role{syntax.Call, syntax.New}, find: evalExec,
	},
	{
		ID: "magic-number", Name: "Magic number", On: true,
		Description: "A number in a comparison, a calculation or a wait has neither a name nor a comment. Left out: small, round and well-known numbers, " +
			"coefficients, data, indexes, constants and tests.",
		Languages: Languages(),
		Says:      []Sentence{{Text: "The number {number} {in-function} is a magic number; give it a name, such as a constant, that says what it means."}},
		roles:     []syntax.Role{syntax.Number}, find: magicNumber,
	},
	{
		ID: "unused-import", Name: "Unused import", On: true,
		Description: "The name of an import occurs nowhere else in the file, not even in a string or comment. The rule needs the whole file.",
		Languages:   []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.PHP},
		Says:        []Sentence{{Text: "The import `{name}` is never used; remove it."}},
		roles:       []syntax.Role{syntax.Import}, find: unusedImport,
	},
	{
		ID: "unused-variable", Name: "Unused variable", On: true,
		Description: "A local variable is set and never read. Left out: variables that are unpacked, loop variables, caught exceptions, and C++ " +
			"variables whose class may act by its constructor.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.C, lang.Cpp, lang.CSharp, lang.PHP,
			lang.Ruby, lang.Rust},
		Says:  []Sentence{{Text: "The variable `{name}` is {assigned} {in-function} but never used; it should be removed."}},
		named: unusedVariable,
	},
	{
		ID: "unused-parameter", Name: "Unused parameter",
		Description: "A function never reads a parameter. Left out: functions that override or implement another, functions that are passed as values, " +
			"and empty functions. The rule needs the whole file.",
		Languages: Languages(),
		Says:      []Sentence{{Text: "The parameter `{name}` {of-function} is never used; it should be removed or used."}},
		named:     unusedParameter,
	},
	{
		ID: "shadowed-variable", Name: "Shadowed variable", On: true,
		Description: "A variable of an inner block has the name of a variable in the same function. In Go it counts only if the outer variable is read " +
			"afterwards. In Python the name of a built-in function counts, too.",
		Languages: []lang.Name{lang.Python, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Go, lang.C, lang.Cpp, lang.Ruby},
		Says: []Sentence{
			{Text: "The {variable} `{name}` {in-function} shadows {outer}; rename one of them to avoid confusion."},
			{When: "read afterwards", Text: "`{name}` shadows the {outer} {of-function}, which is read afterwards; {advice}."},
			{When: "built-in", Text: "The {variable} `{name}` {of-function} shadows the built-in `{name}`; rename it."},
		},
		named: shadowedVariable,
	},
	{
		ID: "long-comprehension", Name: "Long comprehension",
		Description: "A comprehension has more than 72 characters. Left out up to 80 characters: one loop with at most two conditions. Left out up to " +
			"100 characters: comprehensions that only map, or that are laid out over several lines.",
		Languages: []lang.Name{lang.Python}, Threshold: 72, Unit: "characters",
		Says: []Sentence{
			{Text: "This comprehension is {value} characters long, more than {limit}; it is hard to read; use a loop or split it."},
			{When: worse, Text: "This comprehension grew from {old-value} to {value} characters, more than {limit}; it is hard to read; use a loop or split it."},
		},
		roles: []syntax.Role{syntax.Comprehension}, find: longComprehension,
	},
	{
		ID: "many-attributes", Name: "Many attributes", On: true,
		Description: "A class has more than 7 attributes. In Python the attributes that methods set on self count, in other languages the fields that " +
			"are neither static nor constant. Left out: loggers, and classes that only hold data (records and builders, with methods of at most " +
			"two statements).",
		Languages: []lang.Name{lang.Python, lang.Java, lang.TypeScript, lang.TSX, lang.CSharp, lang.PHP}, Threshold: 7, Unit: "attributes",
		Says: []Sentence{
			{Text: "{class} has {value} attributes, more than {limit}; it does too much and should be split."},
			{When: worse, Text: "{class} grew from {old-value} to {value} attributes, more than {limit}; it does too much and should be split."},
		},
		roles: []syntax.Role{syntax.Class}, find: manyAttributes,
	},
	{
		ID: "many-methods", Name: "Many methods", On: true,
		Description: "A class has more than 20 public methods. Left out: accessors (get, set, is, with), methods of visitors and listeners, tests, " +
			"abstract methods and overriding methods.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Threshold: 20, Unit: "methods",
		Says: []Sentence{
			{Text: "{class} has {value} public methods, more than {limit}; it does too much and should be split."},
			{When: worse, Text: "{class} grew from {old-value} to {value} public methods, more than {limit}; it does too much and should be split."},
		},
		roles: []syntax.Role{syntax.Class}, find: manyMethods,
	}, {
		ID: "low-cohesion", Name: "Low cohesion", On: true,
		Description: "The methods of a class use on average less than 30% of its attributes (the measure of the tool cohesion). A method also uses what " +
			"the methods that it calls use. A class with fewer than 10 methods or attributes must also fall into parts that share none. Left " +
			"out: constructors, static methods, methods of at most two statements, constants, test cases, builders, classes with a base class, " +
			"and classes with fewer than 5 methods or 5 attributes.",
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
		Description: "A class makes or calls more than 5 other classes. The class names in its calls count, each once, without exceptions and without " +
			"classes of the language and of libraries as far as the imports show them. More than 5 of them must be of different kinds; names " +
			"that end with the same word are one kind. Calls on variables are not seen. Left out: factories, helpers and the parts of windows. " +
			"PyScent counts the calls themselves.",
		Languages: []lang.Name{lang.Python, lang.Java, lang.JavaScript, lang.TypeScript, lang.TSX, lang.Cpp, lang.CSharp, lang.PHP, lang.Ruby, lang.Rust},
		Threshold: 5, Unit: "classes",
		Says: []Sentence{
			{Text: "{class} depends on {value} other classes ({classes}), more than {limit}; one change may have to touch many of them (shotgun surgery)."},
			{When: worse, Text: "{class} now depends on {value} other classes instead of {old-value}; one change may have to touch many of them (shotgun surgery)."},
		},
		roles: []syntax.Role{syntax.Class}, find: shotgunSurgery,
	},
	{
		// What two versions of a file say is no matter of taste, so no reader rated it.
		ID: "rules-switched-off", Name: "Rules switched off", On: true,
		Description: "The change of `.crscore.yaml` in the root of the project switches rules of claims or smells off, raises thresholds, or ignores more " +
			"paths. What the old file had is left out. Where the whole file is not known, the lines of the diff decide.",
		Languages: []lang.Name{lang.YAML},
		Says: []Sentence{
			{Text: "The change switches rules off in `.crscore.yaml` ({list}); these checks should stay on."},
			{When: onlyLower, Text: "The change weakens rules in `.crscore.yaml` ({list}); these checks should stay as strict as they were."},
			{When: ofLines, Text: "The changed lines of `.crscore.yaml` seem to switch rules off or weaken them ({list}); these checks should stay on."},
		},
		file: switchedOff,
	},
}
