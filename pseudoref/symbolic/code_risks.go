package symbolic

import (
	"slices"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// What reviewers ask about new code because of what it is, whatever was there
// before: security, resources, loops that cost, values that may be missing.

// wRisk is the weight of a risk: above what merely follows from a claim.
const wRisk = 65

// risks says what is risky in the nodes that only the new side has.
func (w *writer) risks(a, b *tree) {
	if b == nil {
		return
	}
	type key struct {
		kind string
		hash uint64
	}
	old := map[key]bool{}
	if a != nil {
		for i := range a.nodes {
			if n := (item{a, i}); n.named() {
				old[key{n.kind(), n.hash()}] = true
			}
		}
	}
	for i := range b.nodes {
		if len(w.facts) >= maxFacts {
			return
		}
		n := item{b, i}
		if !n.is(risky...) || old[key{n.kind(), n.hash()}] || !w.changes(n, true) {
			continue
		}
		w.riskOf(n)
	}
}

// risky are the roles of what a risk is told of.
var risky = []syntax.Role{
	syntax.Call, syntax.New, syntax.KeywordArgument, syntax.Pair, syntax.Assign, syntax.Variable, syntax.Declarator, syntax.Field,
	syntax.Binary, syntax.String, syntax.Index, syntax.Attribute, syntax.Arguments, syntax.AugAssign, syntax.Unary, syntax.Delete, syntax.Catch, syntax.Import,
}

// risk adds a risk about a node, in the words of a clause.
func (w *writer) risk(n item, rule, what string) {
	w.say(n, wRisk, rule, "", what).kind = implication
}

func (w *writer) riskOf(n item) {
	test := placeOf(n).test
	switch {
	case n.is(syntax.Call, syntax.New):
		w.riskyCall(n)
		w.nullableResult(n)
		w.readOnce(n)
		w.costInLoop(n)
		w.waits(n, test)
	case n.is(syntax.String):
		w.sqlText(n)
	case n.is(syntax.Binary):
		w.comparesBadly(n)
	case n.is(syntax.Index):
		w.firstOfNone(n)
	case n.is(syntax.Catch):
		w.errorUnused(n)
	case n.is(syntax.Import):
		w.importQuestions(n)
	case n.is(syntax.Assign, syntax.AugAssign, syntax.Unary, syntax.Delete):
		w.argumentChanged(n)
		w.unlikeSiblings(n)
	}
	if n.is(syntax.Pair, syntax.KeywordArgument, syntax.Assign, syntax.Call, syntax.Arguments) && n.size() < 400 && unchecked.MatchString(n.text()) && !n.up(func(p item) bool {
		return p.is(syntax.Pair, syntax.KeywordArgument, syntax.Assign, syntax.Call, syntax.Arguments) && unchecked.MatchString(p.text())
	}).ok() {
		w.risk(n, "tls-unchecked", "certificates are no longer verified with "+code(unchecked.FindString(n.text()))+", so the connection can be intercepted")
	}
	if n.is(syntax.Assign, syntax.Attribute) {
		l := nameOf(n)
		if n.is(syntax.Assign) {
			x, _ := sides(n)
			l = lastName(x.text())
		}
		if v := assigned(n); slices.Contains(unescaped, l) && !test && (!n.is(syntax.Assign) || len(v.leaves(1, syntax.Identifier)) > 0) {
			w.risk(n, "html-unescaped", code(l)+" puts its value into the page without escaping it, so untrusted text could run as script")
		}
	}
	if n.is(syntax.Assign, syntax.Variable, syntax.Declarator, syntax.Field, syntax.Pair, syntax.KeywordArgument) {
		w.credential(n, test)
		w.unclosed(n)
		w.uncheckedLike(n)
	}
}

// callRisk is a rule about calls.
type callRisk struct {
	rule  string
	names []string       // of what is called, as it ends
	has   *regexp.Regexp // what the call's text must hold, or nil
	lacks *regexp.Regexp // what it must not hold, or nil
	what  string         // %s is replaced by the name
	lang  lang.Name      // the only one it is about; all where it is empty
}

// callRisks are the calls that deserve a question wherever they are new. The
// names are those of the languages' own libraries.
var callRisks = []callRisk{
	{rule: "shell-command", names: []string{"os.system", "os.popen", "child_process.exec", "execSync", "shell_exec", "passthru", "popen", "system", "Kernel.system", "Open3.capture2"},
		what: "%s runs a shell command, so what comes from outside must be checked or quoted"},
	{rule: "shell-command", names: []string{"subprocess.run", "subprocess.call", "subprocess.Popen", "subprocess.check_output", "subprocess.check_call", "Popen", "check_output"}, has: regexp.MustCompile(`shell\s*=\s*True`),
		what: "%s goes through the shell, so what comes from outside must be checked or quoted"},
	{rule: "shell-command", names: []string{"exec"}, has: regexp.MustCompile(`getRuntime\(\)\s*\.exec`),
		what: "%s runs an external command, so what comes from outside must be checked"},
	{rule: "shell-command", names: []string{"exec.Command", "exec.CommandContext", "Command::new", "spawn"}, has: regexp.MustCompile(`"(?:/bin/)?(?:ba)?sh"|'(?:/bin/)?(?:ba)?sh'|shell:\s*true`),
		what: "%s goes through the shell, so what comes from outside must be checked or quoted"},
	{rule: "code-from-text", names: []string{"eval", "Function", "instance_eval", "class_eval", "create_function", "execfile"},
		what: "%s runs text as code, so whatever reaches it must be trusted"},
	{rule: "unsafe-deserialisation", names: []string{"pickle.load", "pickle.loads", "cPickle.loads", "marshal.loads", "Marshal.load", "unserialize", "readObject", "yaml.unsafe_load", "jsonpickle.decode", "dill.loads", "YAML.load"},
		what: "%s can run code that is hidden in what it reads, so its input must be trusted"},
	{rule: "unsafe-deserialisation", names: []string{"yaml.load"}, lacks: regexp.MustCompile(`Safe`),
		what: "%s without a safe loader can run code that is hidden in what it reads"},
	{rule: "weak-hash", names: []string{"md5", "sha1", "hashlib.md5", "hashlib.sha1", "md5.New", "md5.Sum", "sha1.New", "sha1.Sum", "MD5.Create", "SHA1.Create", "MD5", "SHA1", "DigestUtils.md5Hex", "Digest::MD5.hexdigest", "Digest::SHA1.hexdigest"},
		what: "%s is a weak hash that must not protect passwords or signatures"},
	{rule: "weak-hash", names: []string{"createHash", "MessageDigest.getInstance", "hashlib.new", "hash"}, has: regexp.MustCompile(`(?i)["'](?:md5|sha-?1)["']`),
		what: "%s is asked for a weak hash that must not protect passwords or signatures"},
	{rule: "buffer-overflow", names: []string{"strcpy", "strcat", "sprintf", "vsprintf", "gets"},
		what: "%s does not know the size of its target, so a long text could overflow it"},
	{rule: "html-unescaped", names: []string{"document.write", "html_safe", "mark_safe", "Html.Raw", "template.HTML"},
		what: "%s puts text into the page without escaping it, so untrusted text could run as script"},
	{rule: "open-permissions", names: []string{"chmod", "os.chmod", "os.Chmod", "fs.chmod", "fs.chmodSync", "File.chmod", "mkdir", "os.makedirs", "os.MkdirAll", "os.Mkdir"}, has: regexp.MustCompile(`\b(?:0o?)?777\b`),
		what: "%s gives every user of the machine the right to write"},
	{rule: "default-locale", names: []string{".toLowerCase", ".toUpperCase"}, has: regexp.MustCompile(`\(\s*\)$`), lang: lang.Java,
		what: "%s without a locale depends on the language of the machine"},
	{rule: "strip-set", names: []string{".strip", ".lstrip", ".rstrip"}, has: regexp.MustCompile(`strip\(\s*['"]\w{2,}['"]\s*\)$`), lang: lang.Python,
		what: "%s takes off any of the characters that it is given, not the text as a whole"},
	{rule: "process-exit", names: []string{"sys.exit", "os.Exit", "System.exit", "process.exit", "os._exit", "exit!", "std::process::exit", "log.Fatal", "log.Fatalf"},
		what: "%s ends the whole program, so callers cannot handle the failure"},
}

// unchecked matches settings that switch the check of certificates off.
var unchecked = regexp.MustCompile(`\bverify\s*=\s*False\b|\bInsecureSkipVerify\s*:\s*true\b|\brejectUnauthorized['"]?\s*:\s*false\b|\bcheck_hostname\s*=\s*False\b|\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:false|0)\b|\bdanger_accept_invalid_certs\(true\)|\bVERIFY_NONE\b|\b_create_unverified_context\b|\bstrictSSL['"]?\s*:\s*false\b`)

// unescaped are the properties and attributes that take markup as it is.
var unescaped = []string{"innerHTML", "outerHTML", "dangerouslySetInnerHTML", "v-html"}

func (w *writer) riskyCall(n item) {
	c := callee(n)
	if c == "" {
		return
	}
	for _, r := range callRisks {
		for _, name := range r.names {
			if !endsIn(c, name) || r.lang != "" && r.lang != n.frag.Lang || r.rule == "buffer-overflow" && !n.traits().SpreadTypes {
				continue
			}
			text := ""
			if r.has != nil || r.lacks != nil {
				text = cutBytes(n.text(), 1000)
			}
			if r.has != nil && !r.has.MatchString(text) || r.lacks != nil && r.lacks.MatchString(text) {
				continue
			}
			if r.rule == "process-exit" && (placeOf(n).fn == "main" || placeOf(n).fn == "") {
				return
			}
			w.risk(n, r.rule, strings.Replace(r.what, "%s", code(c), 1))
			return
		}
	}
	if logged, _ := logging(n); logged != "" || printing(n) {
		for _, id := range arguments(n).leaves(50, syntax.Identifier) {
			if t := id.text(); secret.MatchString(t) && !strings.HasSuffix(strings.ToLower(t), "error") {
				w.risk(n, "secret-logged", "the value of "+code(t)+" is written out, where others may read it")
				return
			}
		}
	}
}

// endsIn tells whether a dotted name ends in another: "a.b.c" in "b.c". A bare
// name is one of a function, and not of a method.
func endsIn(c, name string) bool {
	rest, ok := strings.CutSuffix(c, name)
	if !ok {
		return false
	}
	if rest == "" || name[0] == '.' {
		return true
	}
	return strings.ContainsAny(name, ".:") && strings.ContainsRune(".:\\/>", rune(rest[len(rest)-1])) || rest == "::" || rest == "\\" || rest == "std::"
}

func cutBytes(s string, n int) string { return s[:min(n, len(s))] }

// sqlLike matches a text that is an SQL statement.
var sqlLike = regexp.MustCompile(`(?is)^[\s"'` + "`" + `$frb@]*(?:select\s.+\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s)`)

// holes matches the places of values in a text that another function fills in.
var holes = regexp.MustCompile(`%[sdv]|\{\w*\}`)

// sqlText says that an SQL statement is put together from texts.
func (w *writer) sqlText(n item) {
	t := cutBytes(n.text(), 2000)
	if n.parent().is(syntax.String) || !sqlLike.MatchString(t) {
		return
	}
	built := false
	// Interpolated: the grammar knows of an expression in the text.
	for _, k := range n.find(20, nil, syntax.Identifier, syntax.Call, syntax.Member, syntax.Index) {
		built = built || !k.is(syntax.String)
	}
	for p, i := n.parent(), 0; p.ok() && i < 6 && !built && !statement(p); i, p = i+1, p.parent() {
		switch {
		case p.is(syntax.Binary) && slices.Contains([]string{"+", ".", "||", "%"}, operator(p)):
			for _, k := range p.namedKids() {
				built = built || !strip(k).is(syntax.String, syntax.Number) && !strip(k).contains(n)
			}
		case p.is(syntax.Call):
			name := strings.ToLower(calledName(p))
			built = (name == "format" || strings.HasSuffix(name, "printf")) && holes.MatchString(t)
		}
	}
	if built {
		w.risk(n, "sql-from-text", "the SQL statement is put together from texts, so a value in it could inject SQL; parameters would be safer")
	}
}

// secret matches the names of what must stay secret.
var secret = regexp.MustCompile(`(?i)(?:^|[_a-z0-9.-])(?:passwd|password|secret|api_?key|access_?key|private_?key|auth_?token|access_?token)$|^(?:pwd|token)$`)

func (w *writer) credential(n item, test bool) {
	name := nameOf(n)
	v := valueOf(n)
	if n.is(syntax.Assign) {
		l, r := sides(n)
		name, v = lastName(l.text()), r
	}
	if test || !v.is(syntax.String) || !secret.MatchString(name) || n.is(syntax.Variable) && n.first(syntax.Declarator).ok() {
		return
	}
	t := unquoted(v.text())
	if len(t) < 6 || strings.ContainsAny(t, " ${}<>%") || v.find(1, nil, syntax.Identifier) != nil || strings.EqualFold(t, name) {
		return
	}
	w.risk(n, "hard-coded-credential", code(name)+" stands in the code as a literal, so whoever reads the code knows it")
}

// costly are the beginnings of names of calls that reach a database, a disk or
// another machine; whether one does depends on what it is called on.
var (
	costly     = regexp.MustCompile(`^(?i:query|execute|exec|fetch|urlopen|sendrequest|readfile|writefile|loadurl|http|connect|select|raw_?query)`)
	costlyOf   = regexp.MustCompile(`(?i)(?:repo|repository|dao|\bdb|database|session|client|\.objects|axios|requests|http|cursor|conn|connection|mapper|collection|\bes|redis|s3|storage)[\w$]*(?:\(\))?(?:\.|->|::)(?:get|find|save|delete|update|insert|post|put|send|load|create|list|search|all|filter|count|first|one|add|commit|flush)\w*$`)
	compileOf  = regexp.MustCompile(`(?:^re\.compile|Pattern\.compile|regexp\.MustCompile|regexp\.Compile|Regex::new|new RegExp|^RegExp|^Regex)$`)
	eachNames  = []string{"forEach", "map", "each", "flatMap", "filter", "ForEach", "Select", "each_with_index", "array_map", "collect", "for_each"}
	parallelly = regexp.MustCompile(`Promise\.all|gather|errgroup|WhenAll|join_all`)
)

// costInLoop says that something costly runs once for each item.
func (w *writer) costInLoop(n item) {
	c := callee(n)
	if n.is(syntax.New) && c != "" {
		c = "new " + c
	}
	waits := n.parent().is(syntax.Await)
	if c == "" || !waits && !costly.MatchString(lastName(c)) && !costlyOf.MatchString(c) && !compileOf.MatchString(c) {
		return
	}
	over := ""
	for p, i := n.parent(), 0; p.ok() && i < maxClimb && over == ""; i, p = i+1, p.parent() {
		switch {
		case p.role().IsFunction():
			return
		case p.is(syntax.Loop) && inBody(p, n):
			if p.child("condition").ok() && !p.child("right", "value", "collection").ok() {
				return // such as one that tries again
			}
			over = strings.TrimPrefix(loopOver(p), "over ")
			if strings.HasPrefix(over, "while ") {
				over = "the rounds " + over
			}
		case p.is(syntax.Lambda):
			call := p.up(func(x item) bool { return x.is(syntax.Call) || statement(x) })
			if !call.is(syntax.Call) || !slices.Contains(eachNames, calledName(call)) || parallelly.MatchString(cutBytes(call.up(statement).text(), 300)) {
				return
			}
			if over = "its items"; receiver(call).ok() && receiver(call).size() <= maxCode {
				over = say(receiver(call))
			}
		}
	}
	if over == "" || over == "its values" {
		return
	}
	what := code(strings.TrimPrefix(c, "new ")) + " is called once for each of " + over
	switch {
	case compileOf.MatchString(c):
		w.risk(n, "compiled-in-loop", what+", though its pattern could be compiled once before the loop")
	case waits && !costly.MatchString(lastName(c)) && !costlyOf.MatchString(c):
		w.risk(n, "awaited-in-loop", "the loop over "+over+" awaits "+code(c)+" one after the other, which takes long for many")
	default:
		w.risk(n, "costly-in-loop", what+", which could be slow for many")
	}
}

// inBody tells whether n stands in the body of a loop, and not in its head.
func inBody(loop, n item) bool {
	b := loop.child("body")
	if !b.ok() {
		b = loop.first(syntax.Block)
	}
	return b.contains(n)
}

// waits says that a test sleeps.
func (w *writer) waits(n item, test bool) {
	if !test {
		return
	}
	of := callee(n)
	for _, name := range []string{"sleep", "Thread.sleep", "time.sleep", "time.Sleep", "usleep", "Task.Delay", "asyncio.sleep", "setTimeout", "TimeUnit.SECONDS.sleep"} {
		if endsIn(of, name) {
			w.risk(n, "test-sleeps", "the test waits a fixed time with "+code(callee(n))+", which makes it slow and possibly flaky")
			return
		}
	}
}

// comparesBadly says that a comparison does not mean what it seems to.
func (w *writer) comparesBadly(n item) {
	op, k := operator(n), n.namedKids()
	if len(k) != 2 || op != "==" && op != "!=" {
		return
	}
	for i, x := range k {
		switch other := k[1-i]; {
		case x.is(syntax.Number) && strings.Contains(x.text(), ".") && !strings.HasSuffix(strings.TrimRight(x.text(), "fFdD"), ".0"):
			w.risk(n, "float-equality", "comparing "+say(other)+" with "+say(x)+" by "+code(op)+" depends on how the number was rounded")
			return
		case x.is(syntax.String) && n.traits().TextIdentity && !other.is(syntax.String) && strings.HasPrefix(x.text(), `"`):
			w.risk(n, "text-identity", code(op)+" compares "+say(other)+" with "+say(x)+" by identity; `equals` compares the texts")
			return
		}
	}
}

// firstOfNone says that the first or last of a list is taken although nothing
// around asks whether there is one.
func (w *writer) firstOfNone(n item) {
	k := n.namedKids()
	if len(k) != 2 || k[1].text() != "0" && k[1].text() != "-1" || !k[0].is(syntax.Identifier, syntax.Member, syntax.Call) || k[0].size() > maxCode {
		return
	}
	l, _ := sides(n.under(syntax.Assign))
	if l.contains(n) || n.under(syntax.Type, syntax.Import).ok() {
		return
	}
	f := n.up(func(p item) bool { return p.role().IsFunction() || p.is(syntax.Lambda) })
	if !f.ok() || !n.frag.Whole || strings.Contains(placeOf(n).String(), "test") {
		return // the check may stand before the hunk
	}
	name := k[0].text()
	if k[0].is(syntax.Call) {
		if lastName(callee(k[0])) != "split" { // which never gives none
			w.risk(n, "empty-input", say(n)+" fails or is undefined if "+say(k[0])+" gives nothing")
		}
		return
	}
	if n.under(syntax.If, syntax.Conditional).ok() || !w.reads(f.size()) {
		return
	}
	// Whoever asks about it, or fills it, knows whether it is empty.
	if text := f.text(); strings.Count(text, name) != strings.Count(text, name+"[") {
		for _, c := range f.find(200, nil, syntax.If, syntax.ElseIf, syntax.Loop, syntax.Conditional, syntax.Assert, syntax.Switch, syntax.Case, syntax.Assign, syntax.Variable, syntax.Call, syntax.Binary, syntax.Unary) {
			if strings.Contains(c.text(), name) && !c.contains(n) {
				return
			}
		}
	}
	w.risk(n, "empty-input", say(n)+" is taken without asking whether "+code(name)+" is empty")
}

// opens are the calls that give something that must be closed, and how it is.
var opens = []struct{ name, closed string }{
	{"open", "close"}, {"io.open", "close"}, {"codecs.open", "close"}, {"fopen", "fclose"}, {"os.Open", "Close"}, {"os.Create", "Close"}, {"os.OpenFile", "Close"},
	{"FileInputStream", "close"}, {"FileOutputStream", "close"}, {"FileReader", "close"}, {"FileWriter", "close"}, {"BufferedReader", "close"}, {"Socket", "close"},
	{"FileStream", "Dispose"}, {"StreamReader", "Dispose"}, {"StreamWriter", "Dispose"}, {"socket.socket", "close"}, {"sql.Open", "Close"},
	{"DriverManager.getConnection", "close"}, {"malloc", "free"}, {"calloc", "free"}, {"File.open", "close"}, {"sqlite3.connect", "close"},
}

// unclosed says that what a variable opens is closed nowhere in its function.
func (w *writer) unclosed(n item) {
	v := strip(valueOf(n))
	name := nameOf(n)
	if n.is(syntax.Assign) {
		l, r := sides(n)
		if !strip(l).is(syntax.Identifier) && len(strip(l).namedKids()) == 0 {
			return
		}
		name, v = l.text(), strip(r)
	}
	if !v.is(syntax.Call, syntax.New) || !n.frag.Whole || n.is(syntax.Field, syntax.Pair, syntax.KeywordArgument) || n.under(syntax.With).ok() || n.is(syntax.Variable) && n.first(syntax.Declarator).ok() {
		return
	}
	if k := strings.IndexByte(name, ','); k > 0 {
		name = name[:k] // the value beside an error
	}
	f := n.up(func(p item) bool { return p.role().IsFunction() || p.is(syntax.Lambda) })
	if !simpleName(name) || !f.ok() || v.under(syntax.Try).ok() && v.up(func(p item) bool {
		return p.is(syntax.Parens) && p.field() == "resources" || p.kind() == "resource_specification"
	}).ok() {
		return
	}
	for _, o := range opens {
		if callee(v) != o.name {
			continue
		}
		if !w.reads(f.size()) {
			return
		}
		text := f.text()
		lower := strings.ToLower(text)
		// Closed, or handed to whoever closes it.
		if strings.Contains(lower, strings.ToLower(o.closed)) || strings.Contains(lower, "return "+strings.ToLower(name)) || strings.Contains(lower, "dispose") || handedOn(f, name) {
			return
		}
		w.risk(n, "not-closed", "what "+code(o.name)+" gives to "+code(name)+" is not closed in "+placeOf(n).subject())
		return
	}
}

// handedOn tells whether a value is given to a call, kept in a member or
// returned in something.
func handedOn(f item, name string) bool {
	for _, c := range f.find(500, nil, syntax.Arguments, syntax.Return, syntax.Collection, syntax.Assign) {
		for _, id := range c.find(100, func(r syntax.Role) bool { return r == syntax.Member }, syntax.Identifier) {
			if id.text() != name {
				continue
			}
			if l, _ := sides(c); c.is(syntax.Assign) && l.contains(id) {
				continue
			}
			return true
		}
	}
	return false
}

// uncheckedLike says that the result of a call is used without the check that
// the result of the same call gets elsewhere in the function.
func (w *writer) uncheckedLike(n item) {
	if !n.is(syntax.Variable, syntax.Declarator, syntax.Assign) {
		return
	}
	name, v := nameOf(n), strip(valueOf(n))
	if n.is(syntax.Assign) {
		l, r := sides(n)
		name, v = l.text(), strip(r)
	}
	f := n.up(func(p item) bool { return p.role().IsFunction() })
	if !v.is(syntax.Call) || !simpleName(name) || !f.ok() || calledName(v) == "" || n.is(syntax.Variable) && n.first(syntax.Declarator).ok() || !w.reads(f.size()) {
		return
	}
	var checked []string // values that the function compares with null
	for _, c := range f.find(200, nil, syntax.If, syntax.ElseIf, syntax.Conditional, syntax.Loop) {
		cond := condition(c)
		for _, b := range append(cond.find(20, nil, syntax.Binary, syntax.Unary), cond) {
			if x, _ := nullCheck(b); x.ok() {
				checked = append(checked, x.text())
			} else if k := b.namedKids(); b.is(syntax.Unary) && len(k) == 1 {
				checked = append(checked, k[0].text())
			} else if b.is(syntax.Identifier) {
				checked = append(checked, b.text())
			}
		}
	}
	if slices.Contains(checked, name) {
		return
	}
	for _, o := range f.find(200, nil, syntax.Declarator, syntax.Variable, syntax.Assign) {
		other, ov := nameOf(o), strip(valueOf(o))
		if o.is(syntax.Assign) {
			l, r := sides(o)
			other, ov = l.text(), strip(r)
		}
		if other != name && ov.is(syntax.Call) && callee(ov) == callee(v) && slices.Contains(checked, other) && strings.Contains(f.text(), name+".") {
			w.risk(n, "check-missing", code(name)+" comes from "+code(callee(v))+" like "+code(other)+", but is not checked for null as that is")
			return
		}
	}
}
