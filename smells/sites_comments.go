package smells

import (
	"bytes"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Code in comments. A comment is code if its lines have the form of statements and no line
// reads like prose.

func commentedOutCode(v *visitor, n *syntax.Node) {
	src := v.f.Source
	start, end := int(n.StartByte()), int(n.EndByte())
	lineStart := max(0, start-limits.WordBytes)
	if i := bytes.LastIndexByte(src[lineStart:start], '\n'); i >= 0 {
		lineStart += i + 1
	}
	indent := bytes.TrimSpace(src[lineStart:start])
	jsx := len(indent) == 1 && indent[0] == '{'
	if len(indent) > 0 && !jsx || end-start > limits.CommentRunBytes {
		return // the comment is after code, or it is none
	}
	mark := commentMark(src[start:end])
	if mark == "" {
		return
	}
	first, last := v.f.Lines(n)
	text := src[start:end]
	if mark != "/*" {
		// Those that follow belong to it, and it to one before, which a hunk may not
		// show.
		if top, _ := v.f.LinesOfRows(0, 0); first == top && !v.f.Whole {
			return
		}
		if lineStart > 0 {
			above := src[max(0, lineStart-limits.CommentRunBytes) : lineStart-1]
			above = above[bytes.LastIndexByte(above, '\n')+1:]
			if bytes.HasPrefix(bytes.TrimLeft(above, " \t"), []byte(mark)) && !v.f.Framed(lineStart-1) {
				return
			}
		}
		end, last = v.commentEnd(start, first, mark)
		text = src[start:end]
	}
	if !v.inside(first, last) || !v.looksLikeCode(text, mark) || first == last && v.explains(bytes.TrimSpace(text[len(mark):]), start, end) || !v.seen(n) {
		return
	}
	v.sayLines(first, last, "", nil)
}

var (
	// meaning matches a line that explains a number, or that shows a tree of objects.
	meaning = regexp.MustCompile(`^(?:[A-Z][A-Z0-9_]* = -?\w+|[A-Z]\w*\(.*)$`)
	// assigned matches a variable that is set and not declared.
	assigned = regexp.MustCompile(`^\w+ [-+*/|&]?= `)
)

// explains reports whether a comment of one line is about the code that follows. In Python,
// inside blocks, such a comment gives the meaning of a number. In Go it sets a variable
// that does not occur nearby.
func (v *visitor) explains(line []byte, start, end int) bool {
	switch v.lang {
	case lang.Python:
		return start > 0 && v.f.Source[start-1] != '\n' && meaning.Match(line)
	case lang.Go:
		if assigned.Match(line) {
			name := string(line[:wordEnd(line)])
			return !hasWord(v.f.Source[max(0, start-limits.CommentRunBytes/2):start], name) && !hasWord(v.f.Source[end:min(len(v.f.Source), end+limits.CommentRunBytes/2)], name)
		}
	}
	return false
}

// commentMark returns the characters at the start of a comment, "" for a comment that
// documents code or addresses a tool.
func commentMark(text []byte) string {
	for _, m := range []string{"/**", "/*!", "/*!", "///", "//!", "//#", "//go:", "//@", "#!", "#:", "##"} {
		if bytes.HasPrefix(text, []byte(m)) {
			return ""
		}
	}
	for _, m := range []string{"//", "/*", "#"} {
		if bytes.HasPrefix(text, []byte(m)) {
			return m
		}
	}
	return ""
}

// commentEnd returns the end of a run of line comments that begins at a byte.
func (v *visitor) commentEnd(start, first int, mark string) (end, last int) {
	rest := v.f.Rest(start)
	last = first - 1
	for line := range bytes.Lines(rest[:min(len(rest), limits.CommentRunBytes)]) {
		if !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte(mark)) {
			break
		}
		end += len(line)
		last++
	}
	return start + end, max(last, first)
}

var (
	// prose matches the start or end of a text about code: an example follows.
	prose = regexp.MustCompile(`(?i)\b(?:e\.g|i\.e|example|usage|note|todo|fixme|see|copyright|license|returns?:|param|output|input|equivalent|same as|instead|such as|like this|translat|pseudo|syntax|format|looks like|expands|generated|becomes|expected|sample)\b`)
	// twoWords is prose within a line.
	twoWords = regexp.MustCompile(`\b([A-Za-z_]\w*) ([A-Za-z_]\w*)`)
	// apart matches two things next to each other that have an operator between them in
	// code: a formula or a grammar.
	apart  = regexp.MustCompile(`["')\]\d] ([A-Za-z_]\w*)|["')\]] \d|\w\^\w|\w\^\(|\.\.\.|…| -> | => | \| |\|\||\) = |\) \(`)
	quoted = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`")

	codeWords = kinds("return", "throw", "new", "delete", "await", "async", "yield", "import", "from", "as", "public", "private", "protected", "static", "final",
		"const", "let", "var", "val", "void", "int", "char", "float", "double", "long", "short", "bool", "boolean", "unsigned", "else", "if", "elif", "for",
		"while", "switch", "case", "in", "not", "is", "and", "or", "lambda", "def", "class", "function", "typeof", "instanceof", "func", "fn", "mut", "pub", "use",
		"struct", "enum", "interface", "extends", "implements", "package", "raise", "print", "del", "global", "assert", "do", "end", "unless", "then", "require",
		"export", "default", "string", "String", "auto", "using", "namespace", "echo", "foreach", "try", "except", "with", "None", "True", "False", "null", "nil", "goto", "match",
		"override", "abstract", "synchronized", "throws", "go", "defer", "range", "type", "super", "self", "this", "impl", "where", "size_t", "printf")
)

// The forms of statements. Strong forms occur hardly anywhere else. Weak forms occur in
// code but prove nothing.
var (
	braceStrong = regexp.MustCompile(`^(?:` +
		`(?:[\w$.\[\]<>,*&:!@]+ )*[\w$.\[\]()'"*>-]+ ?(?:[-+*/|&]?=|:=) ?\S.*[;,{(]` + // a = b;
		`|(?:(?:return|await|throw|delete|yield|new|echo|print|go|defer) )*[\w$.:>()\[\]'"-]+\(.*\)(?:\.\w+|!)*;` + // a.b(c);
		`|(?:\w+::)*\w+ (?:<<|>>) .*;|(?:return|throw|break|continue)\b.*;|(?:import|using|package|include|use) [\w.*:{}\\ ]+;` +
		`|#\s*include [<"].*` +
		`|\}? ?(?:else )?(?:if|for|while|switch|catch|foreach) ?\(.*\)(?: ?\{| .*;)?` +
		`|(?:public|private|protected|static|final|async|export|function|class|func|fn|void) .*\{` +
		`|\w[\w$. ]*\(.*(?:\{|=>|\[)` + // a(b, function () {
		`)$`)
	ecmaStrong = regexp.MustCompile(`^(?:(?:const|let|var) (?:\w+|\{.*\}|\[.*\]) = .+|(?:\w+\.)+\w+\(.+\)|import .+ from ['"].+|(?:[\w$]+\.)+[\w$]+ = \S.*|</?[A-Za-z][\w.]*(?:\s[^>]*)?/?>.*)$`)
	goStrong   = regexp.MustCompile(`^(?:[\w.\[\]*]+(?:, [\w.\[\]*]+)* [-+*/|&]?:?= .*[\w)\]}{"]|(?:\w+\.)+\w+\(.+\)|(?:if|for|switch|func) .*\{|return .*(?:[()&]|\.\w).*|var \w+ .*=.*)$`)
	pyStrong   = regexp.MustCompile(`^(?:` +
		`[A-Za-z_][\w.\[\]'", ]* [-+*/|&]?= (?:.*(?:[A-Za-z_]\w*[.(\[]\w*|["'\[{]).*|None|True|False)|\w*(?:_\w+|[.\[][\w.\[\]"]+) [-+*/|&]?= \S.*` +
		`|(?:return |yield |await |print |raise |assert |del )?(?:[A-Za-z_]\w*\.)+\w+\(.*[)(,]` +
		`|(?:return|yield|await|raise|assert|print)\b.*[([.=].*` +
		`|print\(.*\)|\w+\(.*(?:['"=]|\w\.).*\)` +
		`|(?:if|elif|while|with|for)\b.*[([.=<>].*:|for \w+(?:, \w+)* in .*:|def \w+\(.*|class \w+(?:\(.*\))?:` +
		`|from [\w.]+ import .+|import \w+(?:\.\w+)+(?: as \w+)?|import \w+ as \w+` +
		`)$`)
	rubyStrong = regexp.MustCompile(`^(?:` +
		`[@A-Za-z_][\w.\[\]:'", ]* [-+*/|]{0,2}= (?:.*[A-Za-z_]\w*[.(\[].*|["'\[{:@].*|nil|true|false)|[@\w]*(?:_\w+|[.\[][\w.\[\]"]+) [-+*/|]{0,2}= \S.*|@{0,2}(?:\w+\.)+\w+[?!]?\(.*\)(?: do.*)?|(?:puts|raise|require|include|attr_\w+) .+` +
		`|(?:if|unless|while) .*[=.(<>?].*|def \w+.*|.*[.(].* do(?: \|.*\|)?` +
		`)$`)
	weakLine = regexp.MustCompile(`^(?:@[\w.]+(?:\(.*\))?|import \w+|\w+ = [\w +*/-]+|[\[\](){};,:\s]+|\}?\s*(?:else|end|try|finally|then|do|pass|break|continue|return)[;:{\s]*|[\w.$'"]+\s*[:=]?.*[,({\[]|[)\]}].*|\..*\(.*|['"].*|[+|&?:].*)$`)
)

// codeLike reports whether a line has the form of a statement of the language.
func (v *visitor) codeLike(line string) bool {
	switch v.lang {
	case lang.Python:
		return pyStrong.MatchString(line)
	case lang.Ruby:
		return rubyStrong.MatchString(line)
	case lang.Go:
		return goStrong.MatchString(line)
	case lang.JavaScript, lang.TypeScript, lang.TSX:
		return ecmaStrong.MatchString(line) || braceStrong.MatchString(line)
	}
	return braceStrong.MatchString(line)
}

// looksLikeCode reports whether a comment is code: a line has a strong form, and at most an
// eighth of the lines have no form of a statement. A comment with a line of prose that
// announces an example, or with prose as its only line, is none.
func (v *visitor) looksLikeCode(text []byte, mark string) bool {
	strong, weak, total := 0, 0, 0
	if mark == "/*" {
		text = bytes.TrimSuffix(text, []byte("*/"))
	}
	for raw := range bytes.Lines(text) {
		line := strings.TrimSpace(string(raw))
		line = strings.TrimSpace(strings.TrimPrefix(line, mark))
		if mark == "/*" {
			line = strings.TrimSpace(strings.TrimLeft(line, "*"))
		}
		nested := strings.HasPrefix(line, "//") || strings.HasPrefix(line, "# ")
		line = strings.Join(strings.Fields(line), " ")
		if nested || line == "" || strings.Trim(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ:") == "" {
			continue // nothing, a comment of the code, or a FIXME
		}
		total++
		plain := line
		if strings.ContainsAny(line, "\"'`") {
			plain = quoted.ReplaceAllString(line, `""`)
		}
		if i := strings.Index(plain, "//"); i > 0 && v.lang != lang.Python && v.lang != lang.Ruby {
			plain = strings.TrimSpace(plain[:i])
		} else if i := strings.Index(plain, " #"); i > 0 && (v.lang == lang.Python || v.lang == lang.Ruby) {
			plain = strings.TrimSpace(plain[:i])
		}
		switch {
		case len(line) > limits.WordBytes*2 || directiveLine.MatchString(line):
			return false
		case v.reads(plain):
			if total == 1 || prose.MatchString(line) {
				return false // the line explains the code that follows
			}
		case v.codeLike(plain):
			strong++
		case weakLine.MatchString(plain):
			weak++
		}
	}
	return strong > 0 && (total-strong-weak)*8 <= total
}

// directiveLine is a line that tells a tool something.
var directiveLine = regexp.MustCompile(`^(?:eslint|jshint|jslint|globals?\b|exported\b|noinspection|@ts-|prettier-|pylint|noqa|type: ?|mypy|flake8|pragma|-\*-|vim?:|nolint|rubocop|frozen_string|clang-|NOLINT|NOSONAR|region|endregion|sourceMapping|@flow|istanbul|CHECKSTYLE|webpack|sphinx|doctest|>>>|\$ |https?:|@\w+ [{\w])`)

var (
	// elided matches the dots for an omitted part of an example; "catch (...)" is code.
	elided = regexp.MustCompile(`(?:^|[\s,{\[]|\w\()(?:\.\.\.|…)(?:$|[\s),;}\]])`)
	// formula has factors before a name, or letters that names seldom have.
	formula = regexp.MustCompile(`\b[1-9]\d*[ghkmp-tv-z]\b|[\x{80}-\x{10ffff}]`)
	// introduces an example.
	introduces = regexp.MustCompile(`(?i)^(?:e\.g\.?|i\.e\.?|cf\.|(?:see|example|usage|note|ex|so|thus|like|where|such as|prints?|output|input|result|expected|before|after|was|old|new|eg)\s*:) `)
	// signs are read as "becomes", "if" and "or else" where the language has no such operator.
	signs = map[lang.Name]*regexp.Regexp{
		lang.Go: regexp.MustCompile(` -> | => | \? |[^e] if |[^}] else | or | and |[(,] ?\w+=`), lang.C: cSigns, lang.Cpp: regexp.MustCompile(` => |[^e] if [^(]`),
		lang.JavaScript: arrowSigns, lang.TypeScript: arrowSigns, lang.TSX: arrowSigns, lang.PHP: arrowSigns,
		lang.Java: regexp.MustCompile(` => |[^e] if [^(]| or | and `), lang.CSharp: arrowSigns,
	}
	cSigns     = regexp.MustCompile(` -> | => |[^e] if [^(]| or | and `)
	arrowSigns = regexp.MustCompile(` -> |[^e] if [^(]| or `)
)

// reads reports whether a line is prose: it has two words next to each other, or a sign,
// that occur in no code.
func (v *visitor) reads(plain string) bool {
	allowed := 1 // a type and a name
	switch v.lang {
	case lang.Python, lang.JavaScript:
		allowed = 0
	}
	for rest := plain; ; {
		m := twoWords.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		if a, b := rest[m[2]:m[3]], rest[m[4]:m[5]]; !codeWords[a] && !codeWords[b] {
			if allowed--; allowed < 0 {
				return true
			}
		}
		rest = rest[m[4]:]
	}
	if strings.HasSuffix(plain, ".") && !strings.HasSuffix(plain, "..") || elided.MatchString(plain) || formula.MatchString(plain) || introduces.MatchString(plain) || signs[v.lang] != nil && signs[v.lang].MatchString(plain) {
		return true
	}
	script := v.lang == lang.Python || v.lang == lang.Ruby // no casts, no statement behind a condition in parentheses
	for _, m := range apart.FindAllStringSubmatch(plain, -1) {
		switch {
		case m[1] != "":
			if !codeWords[m[1]] && (script || m[0][0] != ')') {
				return true
			}
		case v.lang == lang.Python && (m[0] != " -> " || !strings.HasPrefix(plain, "def ")), v.lang == lang.Ruby && m[0] == " | ":
			return true
		}
	}
	return false
}
