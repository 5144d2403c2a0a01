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

// Exceptions that are caught and then lost.

var (
	// caughtType is the name of an exception, ignoredName a variable that says that
	// it is not wanted.
	caughtType  = regexp.MustCompile(`(?:\w+(?:\.|::|\\))*(?:[A-Z]\w*|\w*exception)\b`)
	ignoredName = regexp.MustCompile(`\b(?:\w*[iI]gnored?(?:[A-Z_0-9]\w*)?|expected(?:[A-Z_]\w*)?|unused(?:[A-Z_]\w*)?|not(?:_?[uU]sed|[A-Z]\w*))\b|[\s($]_\w*\s*\)|\b(?:as|=>) _`)
)

var (
	// expectedError is the name of an exception that answers a question (whether
	// something is there, can be done, or has come to an end) rather than fails.
	expectedError = regexp.MustCompile(`^(?:(?:Import|ModuleNotFound|Load|Key|Index|Attribute|Name|FileExists|FileNotFound|ProcessLookup|EOF|BrokenPipe)Error|` +
		`StopIteration|StopAsyncIteration|GeneratorExit|KeyboardInterrupt|SystemExit|Interrupt|Exit(?:Exception)?|Empty|Full|E(?:NOENT|EXIST|SRCH|CHILD|PIPE|AGAIN))$|` +
		`^No[A-LN-Z]|Not[A-Z]|NoSuch|AlreadyExist|Unsupported|Missing|Cancell?ed|Shutdown|Closed|Disconnected|Duplicate`)
	// broadError matches the name of an exception that covers any failure.
	broadError = regexp.MustCompile(`^(?:(?:Base|Runtime|System)?(?:Exception|Throwable|Error)|StandardError|exception)$`)
	// probes matches code in a try block that finds out which features exist.
	probes = regexp.MustCompile(`\brequire\(|\bimport\(|\bActiveXObject\b|new (?:Blob|CustomEvent|Event|MouseEvent)\(|\b(?:module|exports)\.|\b(?:local|session)Storage\b`)
	// takesAway matches the name of a function for things that may be gone already, or that
	// do not matter.
	takesAway = regexp.MustCompile(`(?i)(?:^|[.:>_])(?:remove|unlink|rmdir|rmtree|close|delete|kill|terminate|shutdown|chown|chmod|utimes?|rename|quit|dispose|destroy|abort|release|cancel|disconnect|logout|finalize|cleanup|unsubscribe)\w*(?:\?\.)?$`)
	// makesDir matches the name of a function that makes a folder, which may exist already.
	makesDir = regexp.MustCompile(`(?i)(?:^|[.:>])(?:make_?dirs?|mkdir\w*)$`)
	// awaits matches the name of a function that waits for something that may not come.
	awaits = regexp.MustCompile(`(?i)(?:^|[.:>])(?:pop|get|wait|poll|join|recv|receive|accept|select|acquire)\w*$`)
)

// expects reports whether a caught exception is expected: its name says so, or the code
// after the try block is there for it.
func (v *visitor) expects(n *syntax.Node, types []string) bool {
	asked, broad := false, len(types) == 0
	for _, t := range types {
		name := t[strings.LastIndexAny(t, `.:\`)+1:]
		asked = asked || expectedError.MatchString(name)
		broad = broad || broadError.MatchString(name) && (name == t || name != "Error")
	}
	if asked && !broad {
		return true
	}
	around := v.parent()
	if around == nil || around.node.EndByte()-around.node.StartByte() > limits.FunctionBytes {
		return false
	}
	tried := v.f.Source[around.node.StartByte():n.StartByte()]
	last, only := v.lastTried(n)
	if last.Node == nil {
		return false
	}
	if !broad && leavesWord.Match(tried) {
		return true // the code below runs after a failure
	}
	if left := v.field(v.sole(last), "left"); !broad && only && left != nil && v.role(left) == syntax.Identifier {
		if right := v.field(v.sole(last), "right"); right != nil && hasWord(v.f.Source[right.StartByte():right.EndByte()], v.text(left)) {
			return true // it stays as it was
		}
	}
	if p := v.children(around.node); !broad && p[len(p)-1].kind.role == syntax.Else {
		return true // the else clause runs after a success
	}
	if end := int(around.node.EndByte()); !broad && leavesNext.Match(v.f.Source[end:min(end+limits.WordBytes, len(v.f.Source))]) {
		return true // the next statement throws an error
	}
	typed := v.lang != lang.JavaScript && v.lang != lang.TypeScript && v.lang != lang.TSX
	if !typed {
		if probes.Match(tried) || leavesWord.Match(tried) && v.followed(around.node) {
			return true // the code tests for a feature, or the function continues in another way
		}
		rest := v.f.Source[n.EndByte():min(int(n.EndByte())+limits.WordBytes, len(v.f.Source))]
		if m := checked.FindSubmatch(rest); m != nil && only && v.text(v.field(v.sole(last), "left")) == string(m[1]) {
			return true // the code below checks whether the variable is set
		}
	}
	call := v.sole(last)
	if k := v.kind(call).name; k == "if_modifier" || k == "unless_modifier" {
		call = v.field(call, "body")
	} else if body := v.field(call, "consequence"); v.role(call) == syntax.If && v.field(call, "alternative") == nil && body != nil {
		if p := v.parts(body); len(p) == 1 {
			call = v.sole(p[0])
		}
	}
	if k := v.kind(call).name; k == "await_expression" || k == "await" {
		if p := v.parts(call); len(p) == 1 {
			call = p[0].Node
		}
	}
	if v.role(call) == syntax.Call {
		name := v.callee(call)
		if awaits.MatchString(name) && slices.ContainsFunc(types, func(t string) bool { return strings.Contains(t, "Timeout") }) {
			return true
		}
		test := strings.HasSuffix(strings.ToLower(name), "fail") && !(broad && v.lang == lang.Python)
		return test || only && (takesAway.MatchString(name) || makesDir.MatchString(name)) && !(broad && typed)
	}
	return false
}

// leavesWord matches a statement that leaves the try block.
var leavesWord = regexp.MustCompile(`(?m)(?:^|[;{:])\s*(?:return|raise|throw|break|continue|yield|next)\b`)

// leavesNext matches a throw directly after the try statement.
var leavesNext = regexp.MustCompile(`^[\s;})]*(?:raise|throw)\b`)

// sole returns the expression of a statement.
func (v *visitor) sole(c child) *syntax.Node {
	if c.kind.role == syntax.ExpressionStatement {
		if p := v.parts(c.Node); len(p) == 1 {
			return p[0].Node
		}
	}
	return c.Node
}

// lastTried returns the last statement of the try block of a catch clause, and whether it
// is the only statement.
func (v *visitor) lastTried(n *syntax.Node) (last child, only bool) {
	around, count := v.parent(), 0
	if around == nil {
		return child{}, false
	}
	for _, c := range v.parts(around.node) {
		if c.StartByte() >= n.StartByte() || c.kind.role == syntax.Catch {
			break
		}
		last = c
		count++
	}
	if last.Node != nil && last.kind.role == syntax.Block {
		p := v.parts(last.Node)
		if count = len(p); count == 0 {
			return child{}, false
		}
		last = p[len(p)-1]
	}
	return last, count == 1
}

// emptyCatch finds a catch clause that does nothing. A comment in it is taken
// for a reason.
func emptyCatch(v *visitor, n *syntax.Node) {
	var word string
	body, end := (*syntax.Node)(nil), n.EndByte()
	for _, c := range v.children(n) {
		switch {
		case c.kind.role == syntax.Comment:
			return
		case c.kind.role == syntax.Block:
			body, end = c.Node, c.StartByte()
		case !c.kind.named && word == "":
			word = c.kind.name
		}
	}
	if body != nil {
		for _, c := range v.children(body) {
			if c.kind.named && !idle(v, c) {
				return
			}
		}
	} else if v.lang != lang.Ruby {
		return
	}
	if around := v.parent(); around != nil && n.StartByte()-around.node.StartByte() < limits.FunctionBytes && unimportant.Match(v.f.Source[around.node.StartByte():n.StartByte()]) {
		return // the text of the try block says why
	}
	if !v.ended(n) || v.hashed(n) || v.excused(n) {
		return
	}
	head := string(v.f.Source[n.StartByte():min(end, n.StartByte()+limits.WordBytes)])
	if ignoredName.MatchString(head) {
		return
	}
	what, types := "an exception", []string(nil)
	if v.lang != lang.JavaScript && v.lang != lang.TypeScript && v.lang != lang.TSX {
		types = caughtType.FindAllString(head, -1)
		if len(types) > 0 && len(types[0]) <= quotedBytes {
			what = "`" + types[0] + "`"
		}
	}
	if v.expects(n, types) || v.nothing(n, types) || v.kept(n, head) {
		return
	}
	v.say(n, "", fill{"exception": what, "catch": word})
}

// excused reports whether a comment is after a catch clause, directly before it, or above
// the try block. Above the try block the comment must have words that give a reason.
func (v *visitor) excused(n *syntax.Node) bool {
	_, behind := v.beside(n)
	if t := bytes.TrimLeft(behind, " \t;"); bytes.HasPrefix(t, []byte("//")) || bytes.HasPrefix(t, []byte("/*")) || bytes.HasPrefix(t, []byte("#")) {
		return true
	}
	start := int(n.StartByte())
	before := bytes.TrimRight(v.f.Source[max(0, start-limits.WordBytes):start], " \t\r\n}")
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	if t := bytes.TrimSpace(line); bytes.HasPrefix(t, []byte("//")) || bytes.HasPrefix(t, []byte("#")) || bytes.HasSuffix(t, []byte("*/")) {
		return true
	}
	around := v.parent()
	if around == nil {
		return false
	}
	above, _ := v.beside(around.node)
	return excuse.Match(above) || optional.Match(above)
}

// unimportant matches a comment in a try block that says why a failure does not matter.
var unimportant = regexp.MustCompile(`(?i)(?://|#|\*).*\b(?:try/catch|silence|ignore|even (?:if|though)|anyway|regardless|don'?t care|throws? (?:in|on|if|when)|fails? (?:in|on|if|when))`)

// optional matches a comment above code that may fail.
var optional = regexp.MustCompile(`(?i)(?://|#|\*).*\b(?:optional|if (?:possible|available|any|it exists)|safe(?:ly)?|may|might|attempt|in case|best|fall ?back|feature|support(?:s|ed)?|old|legacy|workaround)\b`)

// rubyVariable matches the variable for the caught exception in a clause of Ruby.
var rubyVariable = regexp.MustCompile(`=>\s*(@?\w+)`)

// kept reports whether code after a clause of Ruby uses the variable that the clause sets.
func (v *visitor) kept(n *syntax.Node, head string) bool {
	if v.lang != lang.Ruby {
		return false
	}
	m := rubyVariable.FindStringSubmatch(head)
	rest := v.f.Source[n.EndByte():min(int(n.EndByte())+2*limits.WordBytes, len(v.f.Source))]
	if i := bytes.Index(rest, []byte("\n\n")); i >= 0 {
		rest = rest[:i]
	}
	return m != nil && hasWord(rest, m[1]) && !rubyVariable.Match(rest)
}

// nothing reports whether a clause of Ruby for named exceptions consists of nil: the method
// then returns nil.
func (v *visitor) nothing(n *syntax.Node, types []string) bool {
	if v.lang != lang.Ruby || len(types) == 0 || slices.ContainsFunc(types, broadError.MatchString) {
		return false
	}
	t := strings.Fields(v.text(n))
	return len(t) > 0 && t[len(t)-1] == "nil"
}

// idle reports whether a statement does nothing.
func idle(v *visitor, c child) bool {
	switch c.kind.name {
	case "pass_statement", "nil", "empty_statement":
		return true
	case "expression_statement":
		p := v.children(c.Node)
		return len(p) == 1 && (p[0].kind.name == "ellipsis" || p[0].kind.name == ";")
	}
	return false
}

// hashed reports whether there is a comment that begins with # in a node or after it. The
// grammars put the comment anywhere.
func (v *visitor) hashed(n *syntax.Node) bool {
	if v.lang != lang.Python && v.lang != lang.Ruby {
		return false
	}
	rest, _, _ := strings.Cut(string(v.f.Source[n.EndByte():min(int(n.EndByte())+limits.WordBytes, len(v.f.Source))]), "\n")
	return strings.Contains(v.text(n)+rest, "#")
}

// passedOn is in a clause that raises the exception anew, now or later, or ends the
// program itself.
var passedOn = regexp.MustCompile(`\b(?:re_?)?raises?\b|_reraise\b|excepthook|\b_?exit\(`)

// bareExcept finds Python's "except:" unless it passes the exception on. A comment
// behind it is taken for a reason.
func bareExcept(v *visitor, n *syntax.Node) {
	var word *syntax.Node
	for _, c := range v.children(n) {
		switch {
		case c.kind.named && c.kind.role != syntax.Block && c.kind.role != syntax.Comment:
			return
		case c.kind.name == "except":
			word = c.Node
		}
	}
	if word == nil || !v.seen(n) || !v.ended(n) {
		return
	}
	text := v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+limits.FunctionBytes)]
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if !passedOn.Match(text) && !bytes.Contains(line, []byte(":  #")) && !bytes.Contains(line, []byte(": #")) {
		v.say(word, "", nil)
	}
}
