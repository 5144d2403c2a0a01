package smells

import "slices"

// equivalentRules has, for rules of the catalogue, the rules of other sources for the same
// smell. The claims from syntax ("symbolic") are a source, too.
var equivalentRules = []struct {
	rule    string
	sources map[string][]string
}{
	{"cyclomatic-complexity", map[string][]string{
		"radon": {"cyclomatic-complexity"}, "pmd": {"CyclomaticComplexity"}, "jshint": {"W074"}, "eslint": {"complexity"}, "checkstyle": {"CyclomaticComplexity"},
		"phpmd": {"CyclomaticComplexity"}, "phpcs": {"Generic.Metrics.CyclomaticComplexity"}, "rubocop": {"Metrics/CyclomaticComplexity"}, "golangci-lint": {"gocyclo", "cyclop"},
	}},
	{"long-method", map[string][]string{
		"pylint": {"too-many-statements"}, "eslint": {"max-statements"}, "checkstyle": {"ExecutableStatementCount", "MethodLength"}, "phpmd": {"ExcessiveMethodLength"},
		"rubocop": {"Metrics/MethodLength"}, "jshint": {"W071"},
	}},
	{"long-parameter-list", map[string][]string{
		"pylint": {"too-many-arguments"}, "eslint": {"max-params"}, "checkstyle": {"ParameterNumber"}, "pmd": {"ExcessiveParameterList"}, "phpmd": {"ExcessiveParameterList"},
		"rubocop": {"Metrics/ParameterLists"}, "jshint": {"W072"},
	}},
	{"long-branch", map[string][]string{"pylint": {"too-many-branches"}}},
	{"deep-nesting", map[string][]string{"pylint": {"too-many-nested-blocks"}, "eslint": {"max-depth"}, "checkstyle": {"NestedIfDepth"}, "rubocop": {"Metrics/BlockNesting"},
		"jshint": {"W073"}, "phpcs": {"Generic.Metrics.NestingLevel"}}},
	{"many-attributes", map[string][]string{"pylint": {"too-many-instance-attributes"}, "phpmd": {"TooManyFields"}, "pmd": {"TooManyFields"}}},
	{"many-methods", map[string][]string{"pylint": {"too-many-public-methods"}, "phpmd": {"TooManyPublicMethods", "TooManyMethods"}, "checkstyle": {"MethodCount"}, "pmd": {"TooManyMethods"}}},
	{"unused-import", map[string][]string{"pylint": {"unused-import"}, "pmd": {"UnnecessaryImport"}, "checkstyle": {"UnusedImports"}}},
	{"unused-variable", map[string][]string{
		"symbolic": {"unused"}, "pylint": {"unused-variable"}, "pmd": {"UnusedLocalVariable"}, "eslint": {"no-unused-vars"}, "jshint": {"W098"}, "rubocop": {"Lint/UselessAssignment"},
		"phpmd": {"UnusedLocalVariable"}, "cppcheck": {"unusedVariable", "unreadVariable", "unassignedVariable"},
	}},
	{"unused-parameter", map[string][]string{
		"pylint": {"unused-argument"}, "pmd": {"UnusedFormalParameter"}, "phpmd": {"UnusedFormalParameter"}, "rubocop": {"Lint/UnusedMethodArgument", "Lint/UnusedBlockArgument"},
		"phpcs": {"Generic.CodeAnalysis.UnusedFunctionParameter"},
	}},
	{"shadowed-variable", map[string][]string{"eslint": {"no-shadow"}, "cppcheck": {"shadowVariable", "shadowArgument"}, "rubocop": {"Lint/ShadowingOuterLocalVariable"}}},
	{"empty-catch", map[string][]string{
		"pmd": {"EmptyCatchBlock"}, "checkstyle": {"EmptyCatchBlock", "EmptyBlock"}, "eslint": {"no-empty"}, "phpmd": {"EmptyCatchBlock"}, "rubocop": {"Lint/SuppressedException"},
		"phpcs": {"Generic.CodeAnalysis.EmptyStatement"},
	}},
	{"swallowed-error", map[string][]string{"golangci-lint": {"errcheck"}}},
	{"bare-except", map[string][]string{"pylint": {"bare-except"}}},
	{"mutable-default", map[string][]string{"pylint": {"dangerous-default-value"}}},
	{"none-comparison", map[string][]string{"pylint": {"singleton-comparison"}}},
	{"loose-equality", map[string][]string{"eslint": {"eqeqeq"}, "jshint": {"W116", "W041"}}},
	{"assignment-in-condition", map[string][]string{
		"eslint": {"no-cond-assign"}, "jshint": {"W084"}, "pmd": {"AssignmentInOperand"}, "checkstyle": {"InnerAssignment"}, "rubocop": {"Lint/AssignmentInCondition"},
		"phpmd": {"IfStatementAssignment"}, "phpcs": {"Generic.CodeAnalysis.AssignmentInCondition"},
	}},
	{"constant-condition", map[string][]string{
		"pylint": {"using-constant-test"}, "eslint": {"no-constant-condition"}, "rubocop": {"Lint/LiteralAsCondition"}, "pmd": {"UnconditionalIfStatement"},
		"phpcs": {"Generic.CodeAnalysis.UnconditionalIfStatement"},
	}},
	{"missing-default", map[string][]string{"checkstyle": {"MissingSwitchDefault"}, "pmd": {"NonExhaustiveSwitch"}, "eslint": {"default-case"}}},
	{"missing-break", map[string][]string{"checkstyle": {"FallThrough"}, "pmd": {"ImplicitSwitchFallThrough"}, "eslint": {"no-fallthrough"}, "jshint": {"W086"}}},
	{"duplicated-branch", map[string][]string{"cppcheck": {"duplicateBranch"}, "rubocop": {"Lint/DuplicateBranch"}}},
	{"magic-number", map[string][]string{"checkstyle": {"MagicNumber"}, "eslint": {"no-magic-numbers"}}},
	{"todo-comment", map[string][]string{"checkstyle": {"TodoComment"}, "pylint": {"fixme"}, "eslint": {"no-warning-comments"}, "phpcs": {"Generic.Commenting.Todo", "Generic.Commenting.Fixme"}}},
	{"commented-out-code", map[string][]string{"phpcs": {"Squiz.PHP.CommentedOutCode"}}},
	{"debug-print", map[string][]string{"eslint": {"no-console", "no-debugger"}, "jshint": {"W087"}, "pmd": {"SystemPrintln"}, "phpmd": {"DevelopmentCodeFragment"}, "rubocop": {"Lint/Debugger"}}},
	{"eval-exec", map[string][]string{"pylint": {"eval-used", "exec-used"}, "eslint": {"no-eval", "no-implied-eval", "no-new-func"}, "jshint": {"W061", "W054"}, "phpmd": {"EvalExpression"}, "rubocop": {"Security/Eval"}}},
	{"unreachable-code", map[string][]string{"pylint": {"unreachable"}, "eslint": {"no-unreachable"}, "jshint": {"W027"}, "cppcheck": {"unreachableCode"}, "rubocop": {"Lint/UnreachableCode"}, "phpcs": {"Squiz.PHP.NonExecutableCode"}}},
	{"self-assignment", map[string][]string{"pylint": {"self-assigning-variable"}, "eslint": {"no-self-assign"}, "cppcheck": {"selfAssignment"}, "rubocop": {"Lint/SelfAssignment"}}},
}

// SameRule returns the rule of the catalogue for the same smell as another source's rule,
// "" if there is none. A built-in rule is its own equivalent. Two references from
// equivalent rules at one place are one reference.
func SameRule(source, rule string) string {
	for _, s := range equivalentRules {
		if slices.Contains(s.sources[source], rule) {
			return s.rule
		}
	}
	if source == Source {
		return rule
	}
	return ""
}
