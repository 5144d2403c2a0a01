package smells

import (
	"bytes"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Secrets in the code, and SQL that input can change. What a sentence says never
// holds the secret.

var (
	// secretTarget is what stands before a value that is given to something named
	// like a credential: an assignment, a comparison, a key, a keyword argument or
	// the name of a setter.
	secretTarget = regexp.MustCompile(`(?i)([A-Za-z_$][\w$-]*)(?:["'\]]+|(?:\[\])?(?:\s*:\s*&?(?:'static\s+)?[A-Za-z]\w*|\s+string)?)\s*(?:[:=]?=|===?|!==?|=>|:|,|\()\s*$`)
	// secretName is a name that ends in a credential.
	passwordName = regexp.MustCompile(`(?i)(?:^|[a-z0-9_-])(?:password|passwd|passphrase|pass_?word|pwd)\d*$`)
	secretName   = regexp.MustCompile(`(?i)(?:^|[a-z0-9_-])(?:secret|secret_?key|api_?key|api_?secret|private_?key|access_?key(?:_?id)?|auth_?token|access_?token|api_?token|secret_?token|bearer_?token|client_?secret|token)\d*$`)
	// placeholder is a value, or a part of one, that stands for another.
	placeholder = regexp.MustCompile(`(?i)\$\{|\$\(|#\{|\{\w*\}|\{\{|%[sdv(@]|<\w|xxx|\*\*|\.\.\.|your|example|placeholder|dummy|fake|mock|sample|test|todo|replace|insert|foo|bar\b|default|undefined|invalid|wrong|null|none|redact|hidden|encrypted|anonymous`)
	// weakPasswords are words that are nothing but passwords.
	weakPasswords = kinds("admin", "root", "changeme", "changeit", "secret", "letmein", "postgres", "guest", "qwerty", "tiger", "welcome", "hunter", "abc", "toor", "superuser")
	letters       = regexp.MustCompile(`^[A-Za-z]+$`)
	fieldLike     = regexp.MustCompile(`(?i)^[a-z_.:-]*(?:pass|pwd|token|secret|key|credential)[a-z_.:-]*$`)
	someDigit     = regexp.MustCompile(`\d`)
)

// secretShapes are values that are credentials whatever they are assigned to; a
// value must contain the mark before the expression is tried.
var secretShapes = []struct {
	mark, what string
	shape      *regexp.Regexp
}{
	{"AKIA", "an AWS access key", regexp.MustCompile(`\bAKIA[0-9A-Z]{16}\b`)},
	{"PRIVATE KEY-----", "a private key", regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\s|\\n|["'+])*[A-Za-z0-9+/]{40}`)},
	{"gh", "a GitHub token", regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{36}\b`)},
	{"glpat-", "a GitLab token", regexp.MustCompile(`\bglpat-[\w-]{20}`)},
	{"xox", "a Slack token", regexp.MustCompile(`\bxox[abprs]-\d+-[\w-]{10}`)},
	{"AIza", "a Google API key", regexp.MustCompile(`\bAIza[\w-]{35}\b`)},
	{"_live_", "a live API key", regexp.MustCompile(`\b[sr]k_live_[A-Za-z0-9]{20}`)},
}

var urlPassword = regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://([^/\s:@'"]+):([^/\s:@'"]+)@([^/\s:'"]*)`)

// maxSecret is the number of bytes above which a string is only looked at for
// shapes.
const maxSecret = 120

func hardcodedCredential(v *visitor, n *syntax.Node) {
	start, end := int(n.StartByte()), int(n.EndByte())
	if end-start < 5 {
		return
	}
	text := v.f.Source[start:end]
	if what := v.secretShape(text, start); what != "" {
		if !v.alreadyAt(n) && !v.isTest() {
			v.say(n, "by its shape", fill{"credential": what})
		}
		return
	}
	if end-start > maxSecret {
		return
	}
	before := v.f.Source[max(0, start-maxQuoted*2):start]
	before = bytes.TrimRight(before[bytes.LastIndexByte(before, '\n')+1:], " \t")
	if len(before) == 0 || bytes.IndexByte([]byte("=:,(>"), before[len(before)-1]) < 0 {
		return
	}
	m := secretTarget.FindSubmatch(before)
	if m == nil {
		return
	}
	name := string(m[1])
	password := passwordName.MatchString(name)
	if !password && !secretName.MatchString(name) {
		return
	}
	value, ok := unquoted(text)
	if !ok || !isSecret(name, value, password) || v.isTest() || strings.Contains(strings.ToLower(v.around(0).function), "test") {
		return
	}
	if around := v.around(1).kind; around.role == syntax.Type || around.name == "literal_type" {
		return
	}
	what := "the credential `" + name + "`"
	if before[len(before)-1] == ',' {
		if !v.around(1).kind.role.Is(syntax.Arguments) && !strings.HasPrefix(v.around(1).kind.name, "argument") {
			return // the next element of a list
		}
		what = "a credential in this call" // its name may be another secret
	}
	v.say(n, "", fill{"credential": what})
}

// alreadyAt tells whether the same was said of the line where a node starts.
func (v *visitor) alreadyAt(n *syntax.Node) bool {
	if len(v.found) == 0 {
		return false
	}
	last := &v.found[len(v.found)-1]
	first, _ := v.f.Lines(n)
	return last.rule == v.rule && first >= last.first && first <= last.last
}

// secretShape says what kind of credential a string is, "" of none.
func (v *visitor) secretShape(text []byte, start int) string {
	for _, s := range secretShapes {
		if !bytes.Contains(text, []byte(s.mark)) {
			continue
		}
		if s.mark == "PRIVATE KEY-----" { // it may go on in the next string
			text = v.f.Source[start:min(start+4*maxShort, len(v.f.Source))]
		}
		if found := s.shape.Find(text); found != nil && !bytes.Contains(found, []byte("EXAMPLE")) && !bytes.Contains(found, []byte("xxxx")) {
			return s.what
		}
	}
	if !bytes.Contains(text, []byte("://")) || !bytes.Contains(text, []byte("@")) {
		return ""
	}
	m := urlPassword.FindSubmatch(text)
	if m == nil {
		return ""
	}
	user, pass, host := string(m[1]), string(m[2]), string(m[3])
	if user == pass || strings.Contains(host, "localhost") || strings.HasPrefix(host, "127.") || placeholder.MatchString(pass+" "+host) || len(pass) < 4 ||
		fieldLike.MatchString(pass) || strings.ContainsAny(user+pass+host, "<>{}$%[]()") {
		return ""
	}
	return "a URL with a password"
}

// unquoted returns what stands between the quotes of a string.
func unquoted(text []byte) (string, bool) {
	t := strings.TrimLeft(string(text), "rRbBuUL@")
	for _, q := range []string{`"""`, `"`, `'`, "`"} {
		if inner, ok := strings.CutPrefix(t, q); ok {
			return strings.CutSuffix(inner, q)
		}
	}
	return "", false
}

// isSecret tells whether a value that is given to a credential is one, and not
// the name of a field, a message or what stands for it.
func isSecret(name, value string, password bool) bool {
	if len(value) < 3 || strings.ContainsAny(value, " \t\n<>{}$%*") || placeholder.MatchString(value) || fieldLike.MatchString(value) ||
		strings.EqualFold(name, value) || strings.HasPrefix(value, "/") || strings.HasPrefix(value, ".") || strings.HasPrefix(value, "#") || strings.Contains(value, "://") {
		return weakPasswords[strings.ToLower(value)] && password && name != strings.ToUpper(name)
	}
	if letters.MatchString(value) {
		return password && weakPasswords[strings.ToLower(value)] && name != strings.ToUpper(name)
	}
	if value == strings.ToUpper(value) && strings.Contains(value, "_") {
		return false // the name of a variable of the environment
	}
	if strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_:/\\") == "" {
		return false // a path, a key of a message
	}
	if password {
		return true
	}
	// Of keys and tokens only what looks like one: a long mixture without words.
	return len(value) >= 12 && someDigit.MatchString(value) && !strings.ContainsAny(value, "()[],;|^\\")
}

// sqlStart is the beginning of a statement of SQL.
var sqlStart = regexp.MustCompile(`^(?i:select\s[^;]*?\sfrom\s|insert\s+(?:ignore\s+)?into\s|replace\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|select\s)`)

// sqlValue is a text of SQL up to where a value belongs.
var sqlValue = regexp.MustCompile(`(?is)\b(?:where|set|values|limit|offset|having|on|and|or)\b.*(?:[=<>(,'%]|\\"|\b(?:like|in|limit|offset|between|values))\s*$`)

// sqlMaker is what stands before the first argument of a function that fills in
// values.
var sqlMaker = regexp.MustCompile(`(?:Sprintf|[Ss]tring\.[Ff]ormat|\b[vn]?s?n?printf|\bformat!?)\s*\([^()"']*$`)

// maxSQL is the number of bytes of a statement that are looked at.
const maxSQL = 2000

func sqlConcatenation(v *visitor, n *syntax.Node) {
	start, end := int(n.StartByte()), int(n.EndByte())
	text := v.f.Source[start:min(end, start+maxSQL)]
	body := text
	if i := bytes.IndexAny(text[:min(len(text), 6)], "\"'`"); i >= 0 {
		body = bytes.TrimLeft(text[i:], "\"'`( \t\r\n\\")
	}
	if len(body) < 7 || bytes.IndexByte([]byte("sSiIuUdDrR"), body[0]) < 0 || end-start > maxSQL || !sqlStart.Match(body) {
		return
	}
	// The statement with a mark for each value that is put into it.
	top, sql := v.sqlText(n)
	if v.sqlOpen(sql) && !v.alreadyAt(n) {
		v.say(top, "", nil)
	}
}

// hole is the mark of a value in a text of SQL.
const hole = "\x00"

// sqlText returns the text of a statement that begins with a string, and what
// all of it is written in.
func (v *visitor) sqlText(n *syntax.Node) (*syntax.Node, string) {
	own := v.filled(n, v.f.Text(n), false)
	up := 1
	for up < maxLevels && v.around(up).kind.role == syntax.Parens || v.around(up).kind.name == "concatenated_string" {
		up++
	}
	s := v.around(up)
	if s.kind.role == syntax.Member && v.lang == lang.Python && v.around(up+1).kind.role == syntax.Call && strings.HasSuffix(v.tail(s.node), ".format") {
		return v.around(up + 1).node, v.filled(n, v.f.Text(v.around(up-1).node), true)
	}
	if s.kind.role == syntax.Arguments || s.kind.name == "argument" || s.kind.name == "token_tree" {
		before := v.f.Source[max(0, int(n.StartByte())-maxQuoted*2):n.StartByte()]
		if sqlMaker.Match(before) {
			return n, v.filled(n, v.f.Text(n), true)
		}
		return n, own
	}
	if s.kind.role != syntax.Binary {
		return n, own
	}
	if op := v.operator(s.node); op == "%" {
		return s.node, v.filled(n, v.f.Text(v.around(up-1).node), true)
	}
	// A chain of + or . has its first part deepest.
	top := s.node
	for ; up < maxLevels && v.around(up).kind.role.Is(syntax.Binary, syntax.Parens); up++ {
		if s := v.around(up); s.kind.role == syntax.Binary && v.operator(s.node) != "+" && v.operator(s.node) != "." {
			break
		}
		top = v.around(up).node
	}
	if top.StartByte() > n.StartByte() || top.EndByte()-top.StartByte() > maxSQL {
		return n, own
	}
	var b strings.Builder
	v.sqlParts(top, &b, 0)
	return top, b.String()
}

// tail returns the last bytes of a node.
func (v *visitor) tail(n *syntax.Node) string {
	return string(v.f.Source[max(n.StartByte(), n.EndByte()-min(n.EndByte(), 20)):n.EndByte()])
}

// operator returns the operator of an expression with two sides.
func (v *visitor) operator(n *syntax.Node) string {
	for _, c := range v.children(n) {
		if !c.kind.named {
			return c.kind.name
		}
	}
	return ""
}

// sqlParts writes the parts of a concatenation, a hole for what is no literal.
func (v *visitor) sqlParts(n *syntax.Node, b *strings.Builder, depth int) {
	switch r := v.role(n); {
	case depth > 60:
	case r.Is(syntax.Binary, syntax.Parens):
		for _, c := range v.parts(n) {
			v.sqlParts(c.Node, b, depth+1)
		}
	case r == syntax.String:
		t := v.filled(n, v.f.Text(n), false)
		if inner, ok := unquoted([]byte(strings.TrimLeft(t, "fF$"))); ok {
			t = inner
		}
		b.WriteString(t)
	case r == syntax.Number, harmless.MatchString(v.text(n)):
		b.WriteString("0")
	default:
		b.WriteString(hole)
	}
}

// harmless are values that no input can change: constants, numbers, and marks
// for parameters.
var harmless = regexp.MustCompile(`(?i:placeholder|question|params?$|\.join\(|quote|escape|sanit|\bint\(|parseInt|Number\(|intval|\blen\()|^(?:[\w$]+(?:\.|::|->))*\$?[A-Z][A-Z0-9_]*$`)

var (
	holesPython = regexp.MustCompile(`\{[^{}]*\}`)
	holesFormat = regexp.MustCompile(`%%|%(?:\(\w+\))?[-+ 0]*\d*[sv@]|%\d+\$s|\{\w*\}`)
	holesEcma   = regexp.MustCompile(`\$\{[^{}]*\}`)
	holesRuby   = regexp.MustCompile(`#\{[^{}]*\}`)
	holesPHP    = regexp.MustCompile(`\{\$[^{}]*\}|\$\w+(?:->\w+|\[[^\]]*\])?`)
)

// filled returns the text of a string with holes for what is put into it: by
// the language or, where format is set, by a function.
func (v *visitor) filled(n *syntax.Node, text string, format bool) string {
	var holes *regexp.Regexp
	prefix, _, _ := strings.Cut(text, `"`)
	switch {
	case format:
		holes = holesFormat
	case v.lang == lang.Python:
		prefix, _, _ = strings.Cut(prefix, "'")
		if strings.ContainsAny(prefix, "fF") {
			holes = holesPython
		}
	case v.lang == lang.CSharp:
		if strings.Contains(prefix, "$") {
			holes = holesPython
		}
	case v.kind(n).name == "template_string":
		if v.around(1).kind.role != syntax.Call { // a tag sees to it
			holes = holesEcma
		}
	case v.lang == lang.Ruby:
		holes = holesRuby
	case v.lang == lang.PHP && !strings.HasPrefix(text, "'"):
		holes = holesPHP
	}
	if holes == nil {
		return text
	}
	return holes.ReplaceAllStringFunc(text, func(m string) string {
		if m == "%%" || !format && harmless.MatchString(strings.Trim(m, "${}#")) {
			return "0"
		}
		return hole
	})
}

// sqlOpen tells whether a hole is where a value belongs.
func (v *visitor) sqlOpen(sql string) bool {
	for i := 0; ; i++ {
		at := strings.Index(sql[i:], hole)
		if at < 0 {
			return false
		}
		i += at
		if sqlValue.MatchString(sql[:i]) {
			return true
		}
	}
}
