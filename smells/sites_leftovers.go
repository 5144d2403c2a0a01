package smells

import (
	"bytes"
	"slices"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Code that was left in, and code that should never have been added.

// todo matches one of the words in capitals, a tag of documentation, or the first word of a
// comment with a colon.
var todo = regexp.MustCompile(`\b(?:TODO|FIXME|XXX|HACK)\b|(?m:^)\W*@(?i:todo|fixme)\b|^\W*(?i:todo|fixme)(?:\([\w .-]+\))?:`)

// todoWords are the words of which a comment must contain one before the expression is
// tried.
var todoWords = [][]byte{[]byte("TODO"), []byte("todo"), []byte("Todo"), []byte("FIXME"), []byte("fixme"), []byte("Fixme"), []byte("XXX"), []byte("HACK")}

// issue matches a reference to an issue: a link, #12, ABC-12. standard matches names of
// standards, which look the same.
var (
	issue    = regexp.MustCompile(`https?://|#\d+|\b[A-Z][A-Z0-9]+-\d+|\b(?i:gh|issue|bug)[ -]?#?\d+`)
	standard = regexp.MustCompile(`^(?:UTF|SHA|ISO|RFC|MD|AES|UTC|GMT|CP|IEEE|BASE|HTTP|TLS|ECMA|ASCII|UCS|UI|JSR|PEP|AVX|SSE|GPT)-`)
)

func todoComment(v *visitor, n *syntax.Node) {
	text := v.f.Source[n.StartByte():n.EndByte()]
	if !slices.ContainsFunc(todoWords, func(w []byte) bool { return bytes.Contains(text, w) }) { // the expression costs more
		return
	}
	var at []int
	for _, m := range todo.FindAllIndex(text, limits.Todos) {
		if !standsIn(text, m) {
			at = m
			break
		}
	}
	if at == nil {
		return
	}
	at[0] = at[1] - len(bytes.TrimLeft(text[at[0]:at[1]], "/*#!<>-=; \t\r\n@"))
	if !v.seen(n) || v.namesIssue(n, at[0]) {
		return
	}
	if end := bytes.IndexAny(text[at[0]:at[1]], "(:"); end > 0 {
		at[1] = at[0] + end
	}
	row := int(n.StartPoint().Row) + strings.Count(string(text[:at[0]]), "\n")
	first, last := v.f.LinesOfRows(row, row) // of the word, not of the whole comment
	v.sayLines(first, last, "", fill{"todo": string(text[at[0]:at[1]])})
}

// standsIn reports whether a word is a placeholder for letters, as in XXX-XXXX, or is
// quoted.
func standsIn(text []byte, at []int) bool {
	var before, after byte = ' ', ' '
	if at[0] > 0 {
		before = text[at[0]-1]
	}
	if at[1] < len(text) {
		after = text[at[1]]
	}
	if bytes.IndexByte([]byte("`'\""), before) >= 0 && before == after {
		return true
	}
	return text[at[0]] == 'X' && (bytes.IndexByte([]byte("-./%$<+=\\`'\""), before) >= 0 || bytes.IndexByte([]byte("-/%$>+=\\`'\""), after) >= 0)
}

// namesIssue reports whether the paragraph around a word of a comment names an issue. The
// paragraph may continue in comments in the lines below.
func (v *visitor) namesIssue(n *syntax.Node, at int) bool {
	start := int(n.StartByte())
	from := start + bytes.LastIndexByte(v.f.Source[start:start+at], '\n') + 1
	for i := 0; i < limits.TodoLines && from < len(v.f.Source); i++ {
		line, _, _ := bytes.Cut(v.f.Source[from:], []byte("\n"))
		words := bytes.TrimLeft(line, "/*#!- \t\r")
		if i > 0 && (len(words) == 0 || from >= int(n.EndByte()) && len(words) == len(bytes.TrimLeft(line, " \t")) || todo.Match(words)) {
			return false
		}
		for _, m := range issue.FindAll(line, limits.Todos) {
			if !standard.Match(m) {
				return true
			}
		}
		from += len(line) + 1
	}
	return false
}

var (
	ecmaEval  = kinds("eval", "window.eval", "global.eval", "globalThis.eval", "self.eval", "Function", "new", "setTimeout", "setInterval", "window.setTimeout", "window.setInterval")
	evalCalls = map[lang.Name]set{
		lang.Python: kinds("eval", "exec"), lang.JavaScript: ecmaEval, lang.TypeScript: ecmaEval, lang.TSX: ecmaEval,
		lang.PHP: kinds("eval", "create_function"), lang.Ruby: kinds("eval", "Kernel.eval", "binding.eval"),
	}
	// rubyEvals run a text as a part of an object or a class.
	rubyEvals = kinds("instance_eval", "class_eval", "module_eval")
	// compiled matches an argument of eval that is a whole file or module, or the output of
	// a compiler. compiledName may be the name of such an output.
	compiled          = regexp.MustCompile(`^(?:compile\(|co$|f\.read\(|(?:File|IO)\.read\(|\w*compiled\w*$|.*\.(?:src|__code__)\b)`)
	compiledStatement = regexp.MustCompile(`^exec\s+(?:(?:__)?code(?:__)?|co|\w+_code|compile\(.*)(?:\s+in\s|$)`)
	compiledName      = regexp.MustCompile(`^(?:\w+_)?(?:byte_?)?code(?:_obj(?:ect)?)?$`)
	// evalMeant matches a comment that tells a linter that eval is intended.
	evalMeant = regexp.MustCompile(`(?i)noqa|nosec|no-eval|no-new-func|no-implied-eval|eslint-disable|jshint|rubocop|pylint|phpcs|NOSONAR`)
)

func evalExec(v *visitor, n *syntax.Node) {
	name := ""
	switch {
	case v.named(n, evalCalls[v.lang]):
		name = v.callee(n)
		if v.kind(n).name == "exec_statement" {
			name = "exec"
		}
		if name == "exec" && compiledStatement.MatchString(v.text(n)) {
			return
		}
		name = strings.TrimSpace(strings.TrimPrefix(name, "new "))
		if !evalCalls[v.lang][name] {
			return
		}
	case v.lang == lang.Ruby && v.occurs("_eval") > 0:
		if name = v.text(v.field(n, "method")); !rubyEvals[name] {
			return
		}
	default:
		return
	}
	if v.role(n) == syntax.New && name != "Function" {
		return
	}
	var p []child
	if args := v.field(n, "arguments"); args != nil {
		p = v.parts(args)
	}
	if len(p) > 0 {
		first := v.text(p[0].Node)
		switch {
		case strings.Contains(name, "set"): // setTimeout runs its first argument, if that is a text
			if !v.textual(p[0].Node) {
				return
			}
		case rubyEvals[name]:
			if p[0].kind.role.Is(syntax.String, syntax.Spread) || v.lang == lang.Ruby && (strings.HasPrefix(first, "<<") || strings.Contains(v.text(n), "__FILE__")) {
				return // it writes methods
			}
		case v.constant(p[0].Node) && (name != "Function" && name != "create_function" || v.constant(p[len(p)-1].Node)):
			return
		}
		if compiled.MatchString(first) || compiledName.MatchString(first) && (v.occurs("compile(") > v.occurs(".compile(") || strings.Contains(v.text(n), "__dict__")) {
			return
		}
	} else if rubyEvals[name] || strings.Contains(name, "set") {
		return
	}
	if above, behind := v.beside(n); v.isTest() || evalMeant.Match(above) || evalMeant.Match(behind) || evalMeant.MatchString(v.text(n)) {
		return
	}
	v.say(n, "", fill{"call": name})
}

// textual reports whether a node is certainly a text: a string, or a sum with a string.
func (v *visitor) textual(n *syntax.Node) bool {
	for range 8 {
		switch v.role(n) {
		case syntax.String:
			return true
		case syntax.Binary, syntax.Parens:
			p, operator := v.operands(n)
			if len(p) == 0 || v.role(n) == syntax.Binary && operator != "+" {
				return false
			}
			if v.role(p[len(p)-1].Node) == syntax.String {
				return true
			}
			n = p[0].Node
		default:
			return false
		}
	}
	return false
}

// constant reports whether a node is a string without anything put in.
func (v *visitor) constant(n *syntax.Node) bool {
	if v.kind(n).name == "argument" { // PHP
		n = n.NamedChild(0)
	}
	if f := v.field(n, "function"); v.role(n) == syntax.Call && v.field(f, "object") != nil { // Python's "...".strip()
		if args := v.field(n, "arguments"); args == nil || args.NamedChildCount() > 0 {
			return false
		}
		n = v.field(f, "object")
	}
	if v.role(n) != syntax.String {
		return false
	}
	for _, c := range v.parts(n) {
		if c.kind.name == "interpolation" || c.kind.name == "template_substitution" || c.kind.name == "variable_name" {
			return false
		}
	}
	return true
}

// unusedImport finds a name that is imported and occurs nowhere else, not even
// in a comment or a string.
func unusedImport(v *visitor, n *syntax.Node) {
	if !v.f.Whole || strings.HasSuffix(v.path, "__init__.py") || strings.HasSuffix(v.path, "compat.py") || !v.seen(n) || n.EndByte()-n.StartByte() > limits.ImportBytes {
		return
	}
	for i := range v.seats {
		if v.seats[i].kind.role == syntax.Try {
			return // the code tests whether the import exists
		}
	}
	if v.words == nil {
		v.words = map[string]int{}
		countWords(v.f.Source, v.words)
	}
	if rest, _, _ := strings.Cut(string(v.f.Source[n.EndByte():min(int(n.EndByte())+limits.WordBytes, len(v.f.Source))]), "\n"); strings.Contains(rest, "noqa") || strings.Contains(rest, "nolint") ||
		bytes.Contains(v.f.Source[n.StartByte():n.EndByte()], []byte("noqa")) {
		return
	}
	if v.lang == lang.Python && relative.Match(v.f.Source[n.StartByte():n.EndByte()]) &&
		!v.defines.to(func() bool { return definition.Match(v.f.Source) }) {
		return // the module only exports names of other modules
	}
	own := map[string]int{}
	countWords(v.f.Source[n.StartByte():n.EndByte()], own)
	for _, name := range v.imported(n, nil, 0) {
		t := v.text(name)
		if t == "" || t == "React" || v.words[t] > own[t] || v.words[t] > 1 && v.lang == lang.Java || v.lang == lang.PHP && v.otherLetters(t) {
			continue
		}
		text := v.sentence("", fill{"name": t})
		v.report(name, name, site{text: text, key: text, far: true}) // the change may have taken the last use
	}
}

// otherLetters reports whether a word occurs in the text with other small or capital
// letters, which is the same name in PHP.
func (v *visitor) otherLetters(word string) bool {
	if v.folded == nil {
		v.folded = map[string]int{}
		for w, n := range v.words {
			v.folded[strings.ToLower(w)] += n
		}
	}
	return v.folded[strings.ToLower(word)] > v.words[word]
}

// relative matches an import from the module's own package, definition a function or a
// class.
var (
	relative   = regexp.MustCompile(`^from\s+\.`)
	definition = regexp.MustCompile(`(?m)^\s*(?:async def|def|class)\b`)
)

// countWords counts the words of a text.
func countWords(src []byte, into map[string]int) {
	for len(src) > 0 {
		if n := wordEnd(src); n > 0 {
			into[string(src[:n])]++
			src = src[n:]
		} else {
			src = src[1:]
		}
	}
}

// importWrappers are the kinds in an import that hold its names.
var importWrappers = kinds("import_clause", "named_imports", "import_require_clause", "namespace_import", "namespace_use_clause", "namespace_use_group",
	"namespace_use_group_clause", "namespace_aliasing_clause", "namespace_name", "qualified_name", "scoped_identifier")

// imported returns the nodes of the names that an import brings in.
func (v *visitor) imported(n *syntax.Node, out []*syntax.Node, depth int) []*syntax.Node {
	if depth > 6 || v.kind(n).name == "future_import_statement" {
		return out
	}
	children := v.children(n)
	if v.kind(n).name == "import_specifier" || v.kind(n).name == "aliased_import" {
		name := v.field(n, "alias")
		if name == nil {
			name = v.field(n, "name")
		} else if v.text(name) == v.text(v.field(n, "name")) {
			return out // by habit, names that are exported again
		}
		if name != nil {
			out = append(out, name)
		}
		return out
	}
	var named []child
	for _, c := range children {
		switch {
		case c.kind.name == "asterisk", c.kind.name == "wildcard_import", c.field == "source", c.field == "module_name":
			if c.kind.name == "asterisk" {
				return out
			}
		case c.kind.named && c.kind.role != syntax.Comment:
			named = append(named, c)
		}
	}
	last := len(named) - 1
	switch v.kind(n).name {
	case "qualified_name", "scoped_identifier", "namespace_use_clause", "namespace_use_group_clause", "namespace_name":
		if last < 0 {
			return out
		}
		named = named[last:] // of a path the last part, of an alias the new name
	case "namespace_use_declaration":
		named = slices.DeleteFunc(named, func(c child) bool { return c.kind.name == "namespace_name" })
	case "dotted_name":
		named = named[:1] // import a.b brings in a
	}
	for _, c := range named {
		switch {
		case c.kind.name == "dotted_name" && v.kind(n).name == "import_from_statement", c.kind.name == "identifier", c.kind.name == "name", c.kind.name == "type_identifier":
			out = append(out, c.Node)
		case importWrappers[c.kind.name], c.kind.name == "dotted_name", c.kind.name == "import_specifier", c.kind.name == "aliased_import":
			out = v.imported(c.Node, out, depth+1)
		}
	}
	return out
}
