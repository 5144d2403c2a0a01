package symbolic

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
)

// suppression is a comment that tells a tool to look away.
type suppression struct {
	noun  string // of one rule of the tool
	all   string // what is suppressed where no rule is named
	rules []string
	scope string // "the file", "the next line"
	on    bool   // the end of one
}

// Where a suppression holds.
const (
	forLine  = "for its line"
	forNext  = "for the next line"
	forFile  = "for the file"
	fromHere = "from there on"
)

// suppressors are the comments of tools. The group of each pattern holds the
// rules. An empty scope depends on where the comment stands.
var suppressors = []struct {
	comment          *regexp.Regexp
	noun, all, scope string
	on               bool
}{
	{regexp.MustCompile(`^eslint-disable-next-line\b(.*)`), "ESLint rule", "ESLint", forNext, false},
	{regexp.MustCompile(`^eslint-disable-line\b(.*)`), "ESLint rule", "ESLint", forLine, false},
	{regexp.MustCompile(`^eslint-disable\b(.*)`), "ESLint rule", "ESLint", "", false},
	{regexp.MustCompile(`^eslint-enable\b(.*)`), "ESLint rule", "ESLint", fromHere, true},
	{regexp.MustCompile(`^tslint:disable-next-line:?(.*)`), "TSLint rule", "TSLint", forNext, false},
	{regexp.MustCompile(`^tslint:disable:?(.*)`), "TSLint rule", "TSLint", "", false},
	{regexp.MustCompile(`^stylelint-disable(?:-next)?-line\b(.*)`), "Stylelint rule", "Stylelint", forNext, false},
	{regexp.MustCompile(`^stylelint-disable\b(.*)`), "Stylelint rule", "Stylelint", "", false},
	{regexp.MustCompile(`^@ts-(?:ignore|expect-error)\b()`), "", "the type check of TypeScript", forNext, false},
	{regexp.MustCompile(`^@ts-nocheck\b()`), "", "the type check of TypeScript", forFile, false},
	{regexp.MustCompile(`^(?:flake8|ruff): *noqa(?::(.*))?`), "flake8 check", "flake8", forFile, false},
	{regexp.MustCompile(`(?i)^noqa(?::(.*))?`), "flake8 check", "flake8", forLine, false},
	{regexp.MustCompile(`^pylint: *skip-file()`), "", "Pylint", forFile, false},
	{regexp.MustCompile(`^pylint: *disable-next=(.*)`), "Pylint check", "Pylint", forNext, false},
	{regexp.MustCompile(`^pylint: *disable=(.*)`), "Pylint check", "Pylint", "", false},
	{regexp.MustCompile(`^pylint: *enable=(.*)`), "Pylint check", "Pylint", fromHere, true},
	{regexp.MustCompile(`^type: *ignore(?:\[(.*?)\])?`), "type check", "the type check", forLine, false},
	{regexp.MustCompile(`^pyright: *ignore(?:\[(.*?)\])?`), "Pyright check", "Pyright", forLine, false},
	{regexp.MustCompile(`^pragma: *no ?cover()`), "", "the measuring of coverage", forLine, false},
	{regexp.MustCompile(`^nosec\b:?(.*)`), "Bandit check", "Bandit", forLine, false},
	{regexp.MustCompile(`^fmt: *off()`), "", "the formatter", fromHere, false},
	{regexp.MustCompile(`^clang-format off()`), "", "clang-format", fromHere, false},
	{regexp.MustCompile(`^(?:@formatter:off|prettier-ignore)()`), "", "the formatter", "", false},
	{regexp.MustCompile(`^nolint\b(?::([^ ]*))?`), "linter", "golangci-lint", forLine, false},
	{regexp.MustCompile(`^lint:ignore (\S+)`), "Staticcheck check", "Staticcheck", forNext, false},
	{regexp.MustCompile(`^(?:rubocop|standard):(?:disable|todo)\b(.*)`), "RuboCop cop", "RuboCop", "", false},
	{regexp.MustCompile(`^(?:rubocop|standard):enable\b(.*)`), "RuboCop cop", "RuboCop", fromHere, true},
	{regexp.MustCompile(`^(?:@?phpcs:(?:ignore|disable)|@codingStandardsIgnore\w+)\b(.*)`), "PHP_CodeSniffer rule", "PHP_CodeSniffer", "", false},
	{regexp.MustCompile(`^@phpstan-ignore(?:-next-line|-line)?\b(.*)`), "PHPStan check", "PHPStan", forNext, false},
	{regexp.MustCompile(`^NOLINTNEXTLINE(?:\((.*?)\))?`), "clang-tidy check", "clang-tidy", forNext, false},
	{regexp.MustCompile(`^NOLINT(?:\((.*?)\))?`), "clang-tidy check", "clang-tidy", forLine, false},
	{regexp.MustCompile(`^NOSONAR\b()`), "", "SonarQube", forLine, false},
	{regexp.MustCompile(`(?i)^checkstyle[:.] ?off\b()`), "", "Checkstyle", fromHere, false},
	{regexp.MustCompile(`^scalastyle:off\b(.*)`), "Scalastyle rule", "Scalastyle", fromHere, false},
	{regexp.MustCompile(`^(?:istanbul|c8|v8) ignore (?:next|if|else|file)()`), "", "the measuring of coverage", forNext, false},
	{regexp.MustCompile(`^shellcheck disable=(\S+)`), "ShellCheck check", "ShellCheck", forNext, false},
	{regexp.MustCompile(`^(?:swift|kt)lint[:-]disable(?::next|:this)?\b(.*)`), "lint rule", "the linter", "", false},
	{regexp.MustCompile(`^(?i:resharper) disable(?: once)?\b(.*)`), "ReSharper inspection", "ReSharper", "", false},
	{regexp.MustCompile(`^#\s*pragma warning disable\b(.*)`), "compiler warning", "compiler warnings", fromHere, false},
	{regexp.MustCompile(`^#\s*pragma warning restore\b(.*)`), "compiler warning", "compiler warnings", fromHere, true},
}

// suppressed reads a comment that suppresses something; n may be none.
func suppressed(n item, text string) (suppression, bool) {
	text = oneLine(text[:min(len(text), 400)])
	if !strings.HasPrefix(text, "#pragma") && !strings.HasPrefix(text, "# pragma") {
		text = commentText(text)
	}
	for _, s := range suppressors {
		m := s.comment.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		out := suppression{noun: s.noun, all: s.all, scope: s.scope, on: s.on}
		names, _, _ := strings.Cut(m[1], " -- ") // what follows are reasons
		names, _, _ = strings.Cut(names, " //")
		for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' }) {
			if name = strings.Trim(name, ".;:()"); name != "" && len(out.rules) < 20 && s.noun != "" {
				out.rules = append(out.rules, code(name))
			}
		}
		if out.scope == "" {
			out.scope = scopeOf(n)
		}
		return out, true
	}
	return suppression{}, false
}

// scopeOf tells from its place how far a suppression reaches.
func scopeOf(n item) string {
	if !n.ok() {
		return fromHere
	}
	start := n.node().start
	for start > 0 && n.src[start-1] != '\n' {
		if start--; n.src[start] != ' ' && n.src[start] != '\t' {
			return forLine
		}
	}
	if first, _ := n.lineRange(); first > 0 && first <= 10 && !n.parent().parent().ok() {
		return forFile
	}
	return fromHere
}

// suppression says what a tool no longer looks at, or looks at again; either
// side may be none. It answers false for other comments.
func (w *writer) suppression(a, b item, at place) bool {
	return w.suppressionText(a, b, a.text(), b.text(), at.String())
}

// suppressionText is suppression for comments whose texts are known; the nodes
// may be none.
func (w *writer) suppressionText(a, b item, before, after, where string) bool {
	x, was := suppressed(a, before)
	y, is := suppressed(b, after)
	tell := func(n item, s suppression, rules []string, added bool) {
		does := map[bool]string{true: "a comment now disables ", false: "a comment no longer disables "}[added]
		if s.on {
			does = map[bool]string{true: "a comment now enables again ", false: "a comment no longer enables again "}[added]
		}
		what := s.all
		if len(rules) > 0 {
			what = "the " + s.noun + plurals(rules) + " " + list(rules)
		}
		w.say(n, wBehaviour, "suppression-"+verb(added), where, does+what+" "+s.scope)
	}
	switch {
	case was && is && x.all == y.all && x.on == y.on && len(x.rules) > 0 && len(y.rules) > 0:
		if r := missing(y.rules, x.rules); len(r) > 0 {
			tell(b, y, r, true)
		}
		if r := missing(x.rules, y.rules); len(r) > 0 {
			tell(a, x, r, false)
		}
	case !was && !is:
		return false
	default:
		if was && !(is && x.all == y.all) {
			tell(a, x, x.rules, false)
		}
		if is {
			tell(b, y, y.rules, true)
		}
		return before == "" || after == "" || was == is // the other side is a text
	}
	return true
}
