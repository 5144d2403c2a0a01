package smells

import (
	"bytes"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Secrets in the code. What a sentence says never holds the secret.

var (
	// secretTarget matches the text before a value that is given to a name like a
	// credential: an assignment, a comparison, a key, a keyword argument, the name of a
	// setter, or the first choice, as in env.TOKEN || "value".
	secretTarget = regexp.MustCompile(`(?i)([A-Za-z_$][\w$-]*)(["'\]]+|(?:\[\w*\])?(?:\s*:\s*&?(?:'static\s+)?[A-Za-z][\w<>]*|\s+string|\s+\*?str)?)\s*(:?=|===?|!==?|=>|:|,|\(|\|\||\?\?|\?:|\bor|\.equals(?:IgnoreCase)?\(|\beq)\s*(?:(?:\[\]byte|new\s+String|String::from|(?:std::)?string|Buffer\.from|bytes)\s*\(\s*)?$`)
	// secretDefine is the same for a macro.
	secretDefine = regexp.MustCompile(`^#\s*define\s+(\w+)\s*$`)
	// passwordName and secretName are names that end in a credential.
	passwordName = regexp.MustCompile(`(?i:(?:^|[a-z0-9_$-])(?:password|passwd|passphrase|pass_?word|pwd)\d*$|(?:^|[_$-])pass$)|[a-z]Pass$`)
	secretName   = regexp.MustCompile(`(?i)(?:^|[a-z0-9_$-])(?:secret|secret_?key(?:_?base)?|api_?key|api_?secret|private_?key|access_?key(?:_?id)?|auth_?token|access_?token|api_?token|secret_?token|bearer_?token|client_?secret|jwt_?key|signing_?key|encryption_?key|token)\d*$`)
	// otherName matches a name that ends like the name of a credential and means something
	// else.
	otherName = regexp.MustCompile(`(?i)dummy|fake|mock|sample|example|test|placeholder|invalid|wrong|incorrect|bad_|mask|hash|enc(?:rypted|oded)|(?:next|page|prev|sync|csrf|xsrf|cancel|start|end|left|right|current|last|first|peek|continuation)_?token|bypass|compass|(?:public|no|show|forgot|change|reset|confirm|new|old|set|get|has|is|use|must|missing|require[sd]?|wrong|input|label|msg|message|text|lbl|txt|error|err|type|auth_?type)[_-]?(?:pass|pwd|token|secret|key)`)
	// placeholder matches a value, or a part of a value, that stands for another value.
	placeholder = regexp.MustCompile(`(?i)\$\{|\$\(|#\{|\{\w*\}|\{\{|%[sdv(@]|<\w|xxx|\*\*\*|\.\.\.|your|example|placeholder|dummy|fake|mock|sample|test|todo|replace|insert|foo|bar\b|default|undefined|invalid|wrong|null|none|redact|hidden|encrypted|anonymous|change[_-]me|urn:|^@|^\$\w+$|&#|0x|\\[uxnt]|1234567890|abcdef`)
	// weakPasswords are words that are nothing but passwords.
	weakPasswords = kinds("admin", "root", "changeme", "changeit", "secret", "letmein", "postgres", "guest", "qwerty", "tiger", "welcome", "hunter", "abc", "toor", "superuser",
		"supersecret", "topsecret", "mysecret", "mypassword", "mysecretpassword", "supersecretpassword", "secretpassword", "iloveyou", "monkey", "opensesame")
	letters   = regexp.MustCompile(`^[A-Za-z]+$`)
	fieldLike = regexp.MustCompile(`(?i)^[a-z_.:@-]*(?:pass|pwd|token|secret|key|credential)[a-z_.:@-]*\d?$`)
	// namedSecret matches a word for a secret that is used as its value.
	namedSecret = regexp.MustCompile(`(?i)^(?:my|our|super|top|very|this[-_]?is)[-_]?\w*[-_]?(?:secret|key|pass)|^(?:secret|password|passw0rd)\d{2,}!?$|^keyboard cat$`)
	// madeOfWords is a value of words with at most a small number behind, such as
	// the name of an algorithm.
	madeOfWords = regexp.MustCompile(`(?i)^(?:[a-z]+|[a-z]*\d{1,3})(?:[-_.:/ ](?:[a-z]+|[a-z]{0,5}\d{1,3}))+$|^(?:utf|sha|md|latin|base|hmac|rs|hs|es|aes|iso|ascii|win|cp|ssl|tls|oauth|http)[-_]?\d+\w*$|^[A-Z]{1,5}\d{2,5}(?:\.[A-Z\d]+)?$|^[\d.]+$`)
	// hashHead matches the beginning of a hash of a password.
	hashHead  = regexp.MustCompile(`^\$\w{1,6}\$`)
	someDigit = regexp.MustCompile(`\d`)
	someLower = regexp.MustCompile(`[a-z]`)
)

// secretShapes are values that are credentials whatever name they are assigned to. A value
// must contain the mark before the expression is tried.
var secretShapes = []struct {
	mark, what string
	shape      *regexp.Regexp
}{
	{"AKIA", "an AWS access key", regexp.MustCompile(`\bAKIA[0-9A-Z]{16}\b`)},
	{"PRIVATE KEY-----", "a private key", regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\s|\\n|["'+])*(?:(?:MII|b3Bl)[A-Za-z0-9+/]{5}|[A-Za-z0-9+/]{40})`)},
	{"gh", "a GitHub token", regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{36}\b`)},
	{"github_pat_", "a GitHub token", regexp.MustCompile(`\bgithub_pat_\w{40}`)},
	{"glpat-", "a GitLab token", regexp.MustCompile(`\bglpat-[\w-]{20}`)},
	{"xox", "a Slack token", regexp.MustCompile(`\bxox[abprs]-\d+-[\w-]{10}`)},
	{"AIza", "a Google API key", regexp.MustCompile(`\bAIza[\w-]{35}\b`)},
	{"_live_", "a live API key", regexp.MustCompile(`\b[sr]k_live_[A-Za-z0-9]{16}`)},
	{"SG.", "a SendGrid key", regexp.MustCompile(`\bSG\.[\w-]{22}\.[\w-]{43}\b`)},
	{"npm_", "an npm token", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"Bearer ", "a bearer token", regexp.MustCompile(`\bBearer [A-Za-z0-9_-]*\d[A-Za-z0-9_-]*[A-Za-z0-9_.=/+-]{20}`)},
}

var (
	urlPassword = regexp.MustCompile(`^\W?\w{0,2}\W?[a-z][a-z0-9+.:-]*://([^/\s:@'"]*):([^/\s:@'"]+)@([^/\s:'"]*)`)
	// dsnPassword is a password among the parts of a connection string.
	dsnPassword = regexp.MustCompile(`(?i)\b(?:password|pwd)\s*=\s*([^\s;'"&]+)`)
	dsnPart     = regexp.MustCompile(`(?i)\b(?:server|host|data source|user id|uid|user|dbname|database|initial catalog)\s*=\s*[^\s;'"]`)
)

// connectors matches functions that have a password as the argument with the given number.
var connectors = regexp.MustCompile(`(?:\b(mysqli?_connect|mysqli|mysqli_real_connect|PDO|getConnection|mysql_real_connect)|\b(NetworkCredential|UsernamePasswordCredentials|PasswordAuthentication|HTTPBasicAuth|basic_auth|SetBasicAuth|login))\s*\(\s*$`)

// maxSecret is the number of bytes above which a string is only looked at for
// shapes.
const maxSecret = 300

func hardcodedCredential(v *visitor, n *syntax.Node) {
	start, end := int(n.StartByte()), int(n.EndByte())
	if end-start < 5 {
		return
	}
	text := v.f.Source[start:end]
	if what := v.secretShape(text, start); what != "" {
		if !v.alreadyAt(n) && !v.isTest() && !demoPath.MatchString(v.path) {
			v.say(n, "by its shape", fill{"credential": what})
		}
		return
	}
	if end-start > maxSecret {
		return
	}
	line := v.f.Source[max(0, start-maxShort):start]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	before := bytes.TrimRight(line, " \t")
	macro := v.kind(n).name == "preproc_arg"
	if len(before) == 0 || !macro && bytes.IndexByte([]byte("=:,(>|?rq"), before[len(before)-1]) < 0 {
		return
	}
	form := secretTarget
	if macro {
		form, before = secretDefine, line
		text = bytes.TrimSpace(text)
	}
	m := form.FindSubmatch(before)
	if m == nil {
		return
	}
	name, operator := string(m[1]), "="
	if !macro {
		operator = strings.TrimSpace(string(m[3]))
	}
	password := passwordName.MatchString(name)
	value, ok := unquoted(text)
	if v.lang == lang.PHP && bytes.HasPrefix(text, []byte{'"'}) && bytes.IndexByte(text, '$') >= 0 {
		return // something is put in
	}
	if !ok || !password && !secretName.MatchString(name) {
		if ok && operator == "," {
			v.connection(n, value)
		}
		return
	}
	if otherName.MatchString(name) && !strings.HasPrefix(strings.ToLower(name), "set") {
		return
	}
	given := operator == "=" || operator == ":=" || operator == ":" || operator == "=>"
	if !isSecret(name, value, password, given) || v.isTest() || demoPath.MatchString(v.path) || strings.Contains(strings.ToLower(v.around(0).function), "test") {
		return
	}
	if around := v.around(1).kind; around.role == syntax.Type || around.name == "literal_type" {
		return
	}
	what := "The credential `" + name + "`"
	at := len(before) - len(m[0])
	switch operator {
	case ",":
		arguments := v.around(1).kind.role.Is(syntax.Arguments) || strings.HasPrefix(v.around(1).kind.name, "argument")
		text := strings.ContainsAny(string(m[2]), "\"'")
		if !arguments || !text && !copies.Match(before) || asks.Match(before) {
			return // the next element of a list, or something about a credential
		}
		what = "A credential in this call" // its name may be another secret
	case "(":
		lower := strings.ToLower(name)
		if at > 0 && before[at-1] == '.' && v.lang != lang.PHP || strings.HasPrefix(lower, "set") || strings.HasPrefix(lower, "with") {
			break
		}
		return // a function that makes one, or a field of a form
	case "===", "==", "!=", "!==":
		if weakPasswords[strings.ToLower(value)] {
			return // a question whether it was changed
		}
	}
	v.say(n, "", fill{"credential": what})
}

var (
	// copies matches a call that compares or copies a text, reads a setting or shows a
	// field.
	copies = regexp.MustCompile(`\b(?:strn?cmp|strcasecmp|memcmp|strn?cpy|strlcpy|memcpy|hash_equals|compare_digest|equals)\s*\([^()]*$`)
	asks   = regexp.MustCompile(`(?i)(?:input|field|label|text|trans|option|compare|slash|arg(?:ument)?|assert\w*|env|column|form|html|describe|message|error|warn|log|get|post|param|request|fetch|help|validate\w*|rule|add)\s*\([^()]*$`)
	// demoPath matches the paths of code to learn from.
	demoPath = regexp.MustCompile(`(?i)(?:^|/)(?:examples?|samples?|demos?|docs?|tutorials?|i18n|lang|langs|locales?|translations?)/`)
)

// connection finds a password among the arguments of a call that connects.
func (v *visitor) connection(n *syntax.Node, value string) {
	args := v.around(1)
	if args.kind.name == "argument" { // PHP
		args = v.around(2)
	}
	if args.kind.role != syntax.Arguments || letters.MatchString(value) && !weakPasswords[strings.ToLower(value)] || !isSecret("password", value, true, true) {
		return
	}
	from := int(args.node.StartByte())
	m := connectors.FindSubmatch(v.f.Source[max(0, from-maxQuoted) : from+1])
	if m == nil {
		return
	}
	want := 1
	if m[1] != nil {
		want = 2
	}
	for i, p := range v.parts(args.node) {
		if p.StartByte() <= n.StartByte() && n.EndByte() <= p.EndByte() && (i == want || i == 3 && strings.HasSuffix(string(m[1]), "real_connect")) && !v.isTest() {
			v.say(n, "", fill{"credential": "A credential in this call"})
		}
	}
}

// alreadyAt reports whether the line where a node starts has the same finding already.
func (v *visitor) alreadyAt(n *syntax.Node) bool {
	if len(v.found) == 0 {
		return false
	}
	last := &v.found[len(v.found)-1]
	first, _ := v.f.Lines(n)
	return last.rule == v.rule && first >= last.first && first <= last.last
}

// secretShape returns the kind of credential that a string is, "" for other strings.
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
	if len(text) > maxSecret {
		return ""
	}
	if bytes.IndexByte(text, '=') >= 0 && !bytes.ContainsAny(text, "{&") {
		if m := dsnPassword.FindSubmatch(text); m != nil && dsnPart.Match(text) {
			if pass := string(m[1]); len(pass) > 3 && !placeholder.MatchString(pass) && (!fieldLike.MatchString(pass) || namedSecret.MatchString(pass)) && !strings.ContainsAny(pass, "<>{}$%[]()?#") {
				return "a connection string with a password"
			}
		}
	}
	if !bytes.Contains(text, []byte("://")) || bytes.IndexByte(text, '@') < 0 {
		return ""
	}
	m := urlPassword.FindSubmatch(text)
	if m == nil {
		return ""
	}
	user, pass, host := string(m[1]), string(m[2]), string(m[3])
	local := strings.Contains(host, "localhost") || strings.HasPrefix(host, "127.")
	if user == pass || local && !someDigit.MatchString(pass) || placeholder.MatchString(pass+" "+host) || len(pass) < 4 ||
		fieldLike.MatchString(pass) && !weakPasswords[pass] || strings.ContainsAny(user+pass+host, "<>{}$%[]()") {
		return ""
	}
	return "a URL with a password"
}

// unquoted returns the text between the quotes of a string.
func unquoted(text []byte) (string, bool) {
	t := strings.TrimLeft(string(text), "rRbBuUL@")
	for _, q := range []string{`"""`, `"`, `'`, "`"} {
		if inner, ok := strings.CutPrefix(t, q); ok {
			return strings.CutSuffix(inner, q)
		}
	}
	return "", false
}

// isSecret reports whether a value that is given to a credential is a secret, and not the
// name of a field, a message or a placeholder.
func isSecret(name, value string, password, given bool) bool {
	upper := name == strings.ToUpper(name)
	weak := weakPasswords[strings.ToLower(value)] && (!upper || value != "secret" && value != "admin" && value != "guest")
	switch {
	case len(value) < 3 || strings.EqualFold(name, value) || strings.Trim(value, value[:1]) == "" || hashHead.MatchString(value):
		return false
	case namedSecret.MatchString(value) && given && !placeholder.MatchString(value):
		return true
	case len(value) >= 40 && someDigit.MatchString(value) && !strings.ContainsAny(value, " \t\n<>") && strings.Contains(strings.ToLower(name), "secret"):
		return !placeholder.MatchString(strings.NewReplacer("$(", "", "%(", "").Replace(value)) // a framework's placeholder may hold any value
	case strings.ContainsAny(value, " \t\n<>{}|\\") || placeholder.MatchString(value) || fieldLike.MatchString(value) ||
		strings.ContainsAny(value[:1], "/.#:+?") || strings.Contains(value, "://"):
		return weak && password && given
	case letters.MatchString(value):
		return password && weak
	case strings.IndexFunc(value, func(r rune) bool { return r > 126 }) >= 0, strings.HasPrefix(strings.ToLower(value), strings.ToLower(name)):
		return false // in another language
	case value == strings.ToUpper(value) && strings.Contains(value, "_"):
		return false // the name of a variable of the environment
	case strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_:/") == "":
		return false // a path, a key of a message
	case madeOfWords.MatchString(value):
		return password && !upper && len(value) >= 4 && strings.Trim(value, "0123456789") == ""
	case strings.HasSuffix(strings.ToLower(name), "pass"):
		return someDigit.MatchString(value) && someLower.MatchString(value)
	case password:
		return true
	}
	// Of keys and tokens, report only values that look like a key: a long mixture without
	// words.
	return len(value) >= 12 && someDigit.MatchString(value) && !strings.ContainsAny(value, "()[],;^*%$")
}
