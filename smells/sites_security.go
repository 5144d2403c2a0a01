package smells

import (
	"bytes"
	"strings"

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
