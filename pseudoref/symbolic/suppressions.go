package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
)

// suppression is a comment that tells a tool to look away, or the end of that.
type suppression struct {
	tool, scope string
	rules       []string
	on          bool
}

// forLine is where a comment behind code holds.
const forLine = "for its line"

// suppressor matches the comments of tools: the tool, what it is told, where that
// holds, and for which rules.
var suppressor = regexp.MustCompile(`^(?:(eslint|tslint|stylelint|pylint|flake8|ruff|type|pyright|rubocop|standard|@?phpcs|@phpstan|scalastyle|swiftlint|ktlint` +
	`|shellcheck|[Cc]heckstyle|ReSharper|clang-format|fmt|istanbul|c8|@formatter|@ts|lint|pragma|# ?pragma warning)[-:. ] ?` +
	`(disable|ignore|off|skip-file|noqa|nocheck|expect-error|no ?cover|todo|enable|restore)|(noqa|NOQA|nolint|nosec|NOLINT|NOSONAR))` +
	`((?:[-: ]?(?:next|line|NEXTLINE|this|once|file))*)\b[:=(\[ ]*([\w@/.-]+(?:, ?[\w@/.-]+)*)?`)

// suppressedTools are the names of tools by their marks. What has an article has no
// rules of its own, unless it is a check.
var suppressedTools = map[string]string{
	"eslint": "ESLint", "tslint": "TSLint", "stylelint": "Stylelint", "pylint": "Pylint", "noqa": "flake8", "ruff": "Ruff", "type": "the type check", "pyright": "Pyright",
	"rubocop": "RuboCop", "standard": "RuboCop", "phpcs": "PHP_CodeSniffer", "@phpcs": "PHP_CodeSniffer", "@phpstan": "PHPStan", "scalastyle": "Scalastyle",
	"swiftlint": "SwiftLint", "shellcheck": "ShellCheck", "lint": "Staticcheck", "nolint": "golangci-lint", "nosec": "Bandit", "NOLINT": "clang-tidy",
	"checkstyle": "the checks of Checkstyle", "fmt": "the formatter", "clang-format": "the formatter", "@formatter": "the formatter", "@ts": "the checks of TypeScript",
	"pragma": "the measuring of coverage", "istanbul": "the measuring of coverage", "c8": "the measuring of coverage", "NOSONAR": "the checks of SonarQube",
	"# pragma warning": "the compiler check", "#pragma warning": "the compiler check",
}

// suppressed reads a comment that suppresses something; n may be none.
func suppressed(n tree.Node, text string) (suppression, bool) {
	text = tree.OneLine(text[:min(len(text), 400)])
	if !strings.HasPrefix(text, "#pragma") && !strings.HasPrefix(text, "# pragma w") {
		text = commentText(text)
	}
	m := suppressor.FindStringSubmatch(text)
	if m == nil {
		return suppression{}, false
	}
	out := suppression{tool: m[1] + m[3], on: m[2] == "enable" || m[2] == "restore", scope: scopeOf(n)}
	if m[3] == "NOQA" {
		out.tool = "noqa"
	}
	if name := suppressedTools[out.tool]; name != "" {
		out.tool = name
	}
	switch where := strings.ToLower(m[4]); {
	case strings.Contains(where, "next"), strings.Contains(" @ts @phpstan shellcheck lint istanbul c8 ", " "+m[1]+" ") && m[2] != "nocheck":
		out.scope = "for the next line"
	case strings.Contains(where, "line"), m[3] != "":
		out.scope = forLine
	case strings.Contains(where+m[2], "file"), m[2] == "nocheck", m[2] == "noqa":
		out.scope = "for the file"
	}
	for _, name := range strings.FieldsFunc(m[5], func(r rune) bool { return r == ',' || r == ' ' }) {
		if name = strings.Trim(name, ".-"); name != "" && len(out.rules) < 20 && (!strings.HasPrefix(out.tool, "the ") || strings.HasSuffix(out.tool, " check")) {
			out.rules = append(out.rules, code(name))
		}
	}
	return out, true
}

// scopeOf tells from its place how far a suppression reaches.
func scopeOf(n tree.Node) string {
	if !n.Ok() {
		return "from there on"
	}
	start := n.Start()
	for start > 0 && n.Src[start-1] != '\n' {
		if start--; n.Src[start] != ' ' && n.Src[start] != '\t' {
			return forLine
		}
	}
	if first, _ := n.LineRange(); first > 0 && first <= 10 && !n.Parent().Parent().Ok() {
		return "for the file"
	}
	return "from there on"
}

// suppression says what a tool no longer looks at, or looks at again; either
// side may be none. It answers false for other comments.
func (w *writer) suppression(a, b tree.Node, at place) bool {
	return w.suppressionText(a, b, a.Text(), b.Text(), at.String())
}

// suppressionText is suppression for comments whose texts are known; the nodes
// may be none.
func (w *writer) suppressionText(a, b tree.Node, before, after, where string) bool {
	x, was := suppressed(a, before)
	y, is := suppressed(b, after)
	tell := func(n tree.Node, s suppression, rules []string, added bool) {
		does := map[bool]string{true: "now ", false: "no longer "}[added] + map[bool]string{true: "enables again ", false: "disables "}[s.on]
		what := s.tool
		if len(rules) > 0 {
			what = "the " + strings.TrimSuffix(strings.TrimPrefix(s.tool, "the "), " check") + " check" + plurals(rules) + " " + list(rules)
		}
		w.say(n, wBehaviour, "suppression-"+verb(added), where, "a comment "+does+what+" "+s.scope)
	}
	switch {
	case was && is && x.tool == y.tool && x.on == y.on && len(x.rules) > 0 && len(y.rules) > 0:
		if r := missing(y.rules, x.rules); len(r) > 0 {
			tell(b, y, r, true)
		}
		if r := missing(x.rules, y.rules); len(r) > 0 {
			tell(a, x, r, false)
		}
	case !was && !is:
		return false
	default:
		if was && !(is && x.tool == y.tool) {
			tell(a, x, x.rules, false)
		}
		if is {
			tell(b, y, y.rules, true)
		}
		return before == "" || after == "" || was == is // the other side is a text
	}
	return true
}
