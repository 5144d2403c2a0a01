package syntax

import (
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// A hunk is cut at its ends, too: it begins with an else or in the middle of an
// expression, and ends after an operator, an attribute or a header. What is put
// there makes the grammar read what is left as what it is. As any part of a frame
// it is no code, but for the expression that the hunk goes on with.

// perGuess is what a guess about an end of a hunk costs beside a frame that
// needs none.
const perGuess = 1

// start is what a hunk goes on with.
type start struct {
	before string
	code   int // length of what stands at the end of before and is code
}

var (
	// goesOnWith matches the beginning of a line that goes on with an expression.
	goesOnWith = regexp.MustCompile(`^\s*(?:\??\.[A-Za-z_]\w*[(<]|&& ?[\w!(]|\|\| ?[\w!(]|[+?]\s+[\w"'!(@$]|\?\?\s|<<\s|, ?[\w"'&*]|[=!]=\s)`)
	// elseFirst matches a hunk that begins with a clause of the statement before it.
	elseFirst = regexp.MustCompile(`^\s*(else|elif|catch|finally|except)\b`)
	// otherwiseFirst matches the second half of a conditional expression.
	otherwiseFirst = regexp.MustCompile(`^\s*:\s+[\w"'(]`)
)

// start tells how the two sides of a hunk begin.
func (t *Table) start(texts [2]string) start {
	all := func(re *regexp.Regexp) bool {
		n := 0
		for _, text := range texts {
			if strings.TrimSpace(text) == "" {
				continue
			}
			if !re.MatchString(text) {
				return false
			}
			n++
		}
		return n > 0
	}
	for _, text := range texts {
		m := elseFirst.FindStringSubmatch(text)
		switch {
		case m == nil || !t.braces:
		case m[1] == "else":
			return start{before: "if " + t.condition + " {}\n"}
		default:
			return start{before: "try {}\n"}
		}
	}
	switch {
	case all(goesOnWith):
		return start{Unseen, len(Unseen)}
	case t.SemicolonEnds && all(otherwiseFirst):
		return start{Unseen + " ? " + Unseen, len(Unseen)}
	}
	return start{}
}

var (
	lineComment = regexp.MustCompile(`\s*(?://.*|/\*[^*]*\*/)$`)
	// operatorLast matches a line that ends before an operand.
	operatorLast = regexp.MustCompile(`(?:[^+]\+|[^-]-|[\s\w)]\*|[\s\w)]/|%|&&|\|\||[^&]&|[^|]\||[=?]|[^:]:|=>|<<|\breturn|\bin|\bnew)$`)
	labelLast    = regexp.MustCompile(`^(?:case\s.*|default|public|private|protected|\w+)\s*:$`)
	// attributeLast matches a line with nothing but attributes.
	attributeLast = regexp.MustCompile(`^(?:@[A-Za-z_][\w.]*(?:\(.*\))?|\[[A-Z][^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])$`)
	// headerLast matches the header of a statement without its body.
	headerLast = regexp.MustCompile(`^(?:\}\s*)?(?:(?:else\s+)?(?:if|for|foreach|while|switch|using|lock|catch|fixed|synchronized)\b.*\)|else|try|finally|unsafe|get|set|init)$`)
	// functionLast matches the header of a function without its body.
	functionLast  = regexp.MustCompile(`^(?:[\w~<>\[\],.?:*&]+\s+)+[*&]*[\w~:]+(?:<[^<>()]*>)?\s*\([^;={}]*\)(?:\s*(?:const|noexcept|override|final|throws [\w, .]+|where [^;{]+))*$`)
	statementWord = regexp.MustCompile(`^(?:return|throw|new|await|else|delete|case|goto|yield|in|not|and|or|assert|using|import)\b`)
	// typeLast matches the header of a type without its body.
	typeLast = regexp.MustCompile(`^(?:(?:public|private|protected|internal|static|sealed|abstract|partial|final|readonly)\s+)*(?:class|interface|struct|namespace|record)\s[\w<>,.: ]+$`)
)

// end is what a side of a hunk that leaves the brackets up open goes on with,
// and what the guess costs.
func (t *Table) end(text, up string) (string, int) {
	if !t.braces || strings.HasSuffix(up, "*") {
		return "", 0
	}
	text = strings.TrimRight(text, " \t\r\n")
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	line = lineComment.ReplaceAllString(line, "")
	if line == "" || line[0] == '#' || strings.HasPrefix(line, "*") {
		return "", 0
	}
	within := strings.HasSuffix(up, ")") || strings.HasSuffix(up, "]")
	stop := ""
	if !within && t.SemicolonEnds {
		stop = ";"
	}
	switch c := line[len(line)-1]; {
	case t.Attributed != "" && !within && attributeLast.MatchString(line):
		return "\n" + t.Attributed, 0
	case c == ',':
		if within && t.SemicolonEnds {
			return " " + Unseen, perGuess
		}
		return "", 0 // it may stand there
	case c == ':' && (!strings.Contains(line, "?") || labelLast.MatchString(line)):
		return "", 0
	case operatorLast.MatchString(line):
		return " " + Unseen + stop, perGuess
	case strings.IndexByte(";{}([", c) >= 0 || within:
		return "", 0
	case !t.SemicolonEnds:
		return "", 0
	case headerLast.MatchString(line):
		return " {}", 0
	case typeLast.MatchString(line), functionLast.MatchString(line) && !statementWord.MatchString(line):
		return " {}", perGuess
	case c == ':' || c == '>' || c == '\\':
		return "", 0
	}
	return ";", perGuess
}

var directive = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b`)

// directives counts the sections for the preprocessor of a text that begin
// before it, and those that it leaves open; of the former, those that it ends
// count against the latter.
func directives(text string) (before, open int) {
	depth := 0
	for _, m := range directive.FindAllStringSubmatch(text, limits.HunkDirectives) {
		switch m[1] {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			depth--
			before = max(before, -depth)
		default:
			before = max(before, 1-depth)
		}
	}
	return before, depth + before
}
