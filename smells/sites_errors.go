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

// Errors that are returned, hidden or handed on, and then lost.

// swallowedError finds errors that are dropped without a catch clause, in the ways of each
// language.
func swallowedError(v *visitor, n *syntax.Node) {
	before := len(v.found)
	v.lostError(n)
	if len(v.found) > before {
		if v.lang == lang.Go && v.isTest() {
			v.found = v.found[:before] // a test then fails anyway
			return
		}
		above, behind := v.beside(n)
		if excuse.Match(above) || bytes.Contains(behind, []byte("//")) || bytes.Contains(behind, []byte("# ")) {
			v.found = v.found[:before]
		}
	}
}

// excuse matches a comment that says why an error does not matter.
var excuse = regexp.MustCompile(`(?i)(?://|#|\*).*\b(?:ignor|errors?\b|fail|never|already|cannot|can't|not\b|suppress|best.effort|fire.and.forget|silence)`)

func (v *visitor) lostError(n *syntax.Node) {
	switch role := v.role(n); {
	case role == syntax.Return:
		v.returnInFinally(n)
	case v.lang == lang.Go:
		v.goError(n)
	case v.lang == lang.Rust:
		v.rustError(n)
	case role == syntax.Call && v.lang != lang.Python:
		v.emptyHandler(n)
	case role == syntax.Lambda:
		v.unusedError(n)
	case role == syntax.With:
		v.suppressed(n)
	case v.kind(n).name == "error_suppression_expression":
		if p := v.parts(n); len(p) == 1 {
			what := "an expression"
			if p[0].kind.role == syntax.Call {
				if name := v.callee(p[0].Node); name != "" && !strings.ContainsAny(name, "\n`") {
					what = "`" + name + "`"
				}
				if called := v.callee(p[0].Node); takesAway.MatchString(called) || called == "fclose" || called == "trigger_error" {
					return
				}
			}
			if v.answered(n) || v.occurs("NoSilencedErrors") > 0 {
				return // or a linter is told about it
			}
			v.say(n, "hidden by @", fill{"call": what})
		}
	case v.kind(n).name == "rescue_modifier":
		if h := v.field(n, "handler"); h != nil && v.role(h) == syntax.Null && !takesAway.MatchString(v.callee(n.NamedChild(0))) {
			v.say(n, "rescue nil", nil)
		}
	}
}

// answered reports whether the code checks the value of an expression of PHP, in the same
// statement or in the next statement. Then only the message is hidden.
func (v *visitor) answered(n *syntax.Node) bool {
	for up := 1; up < 6; up++ {
		s := v.around(up)
		switch {
		case s.kind.role.Is(syntax.ExpressionStatement, syntax.Block):
			end := int(s.node.EndByte())
			return v.around(up+1).kind.role == syntax.Try || v.around(up+2).kind.role == syntax.Try ||
				lastError.Match(v.f.Source[end:min(end+limits.WordBytes, len(v.f.Source))])
		case s.kind.role.Is(syntax.Unary, syntax.If, syntax.ElseIf, syntax.Conditional, syntax.Loop, syntax.Return):
			return true
		case s.kind.role == syntax.Binary:
			if _, op := v.operands(s.node); op != "." && op != "+" {
				return true
			}
		case s.kind.role == syntax.Assign:
			if name := v.text(v.field(s.node, "left")); name != "" {
				if end := int(s.node.EndByte()); strings.Contains(name, "uccess") || checkedIn(v.f.Source[end:min(end+3*limits.WordBytes, len(v.f.Source))], name) {
					return true
				}
			}
		case !s.kind.role.Is(syntax.Parens, syntax.Cast):
			return false
		}
	}
	return false
}

// conditionHead is the begin of a condition.
var conditionHead = regexp.MustCompile(`\b(?:if|while)\s*\(`)

// checkedIn reports whether a condition in a text has a word.
func checkedIn(text []byte, word string) bool {
	for _, at := range conditionHead.FindAllIndex(text, -1) {
		cond, _, _ := bytes.Cut(text[at[1]:], []byte("{"))
		if bytes.Contains(cond, []byte(word)) {
			return true
		}
	}
	return false
}

// lastError matches a function of PHP that returns the hidden error.
var lastError = regexp.MustCompile(`\b\w*_(?:last_error\w*|get_last|errno|errors?)\(`)

// returnInFinally finds a return in a finally clause, which drops the thrown error.
func (v *visitor) returnInFinally(n *syntax.Node) {
	for up := 1; up < limits.NodesAbove; up++ {
		switch k := v.around(up).kind; {
		case k.role == syntax.Finally:
			for _, c := range v.children(v.around(up).node) {
				if !c.kind.named && (c.kind.name == "finally" || c.kind.name == "ensure") {
					v.say(n, "return in a finally clause", fill{"finally": c.kind.name})
				}
			}
			return
		case k.role.IsFunction(), k.role.IsClass(), k.role == syntax.Lambda, k.name == "":
			return
		}
	}
}

// emptyHandler finds JavaScript's .catch(() => {}).
func (v *visitor) emptyHandler(n *syntax.Node) {
	f, args := v.field(n, "function"), v.field(n, "arguments")
	if f == nil || args == nil || !bytes.HasSuffix(v.f.Source[f.StartByte():f.EndByte()], []byte(".catch")) {
		return
	}
	p := v.parts(args)
	if len(p) != 1 || args.NamedChildCount() > 1 || p[0].kind.role != syntax.Lambda {
		return
	}
	if v.around(1).kind.name == "member_expression" {
		return // the next call of the chain runs in every case
	}
	on := v.f.Source[max(f.StartByte(), f.EndByte()-min(f.EndByte(), quotedBytes)) : f.EndByte()-uint32(len(".catch"))]
	on = bytes.TrimSuffix(bytes.TrimRight(on, " \t\r\n"), []byte("()"))
	rest := v.f.Source[n.EndByte():min(int(n.EndByte())+2*limits.WordBytes, len(v.f.Source))]
	name := v.field(f, "object")
	if takesAway.Match(on) || v.role(name) == syntax.Identifier && hasWord(rest, v.text(name)) || v.role(name) == syntax.Member && v.text(name) != "" && v.occurs(v.text(name)) > 1 {
		return // it is closed, or other code checks it
	}
	if body := v.field(p[0].Node, "body"); v.role(body) == syntax.Block && body.NamedChildCount() == 0 {
		v.say(args, "empty handler", nil)
	}
}

// errorFirst are names for the error in the first parameter of a callback. handlers are
// methods whose callbacks are called because of an error, or with another value.
var (
	errorFirst = kinds("err", "error")
	handlers   = kinds("on", "once", "use", "catch", "fail", "reduce", "replace", "addListener", "addEventListener", "param")
)

// unusedError finds a callback of JavaScript that gets an error first and never
// looks at it.
func (v *visitor) unusedError(n *syntax.Node) {
	params, body := v.field(n, "parameters"), v.field(n, "body")
	if params == nil || body == nil || v.around(1).kind.role != syntax.Arguments || body.EndByte()-body.StartByte() > limits.FunctionBytes {
		return
	}
	p := v.parts(params)
	if len(p) < 2 || v.role(body) == syntax.Block && len(v.parts(body)) == 0 {
		return
	}
	name := v.text(p[0].Node)
	if name, _, _ = strings.Cut(name, ":"); !errorFirst[strings.TrimRight(name, " ?")] {
		return
	}
	if second := v.text(p[1].Node); strings.HasPrefix(second, "req") || strings.HasPrefix(second, "ctx") {
		return // express
	}
	if call := v.around(2); call.kind.role == syntax.Call {
		callee := v.callee(call.node)
		if handlers[callee[strings.LastIndexByte(callee, '.')+1:]] {
			return
		}
	}
	name = strings.TrimRight(name, " ?")
	if !hasWord(v.f.Source[body.StartByte():body.EndByte()], name) {
		v.say(p[0].Node, "callback", fill{"error": name})
	}
}

// hasWord reports whether a text has a word.
func hasWord(text []byte, word string) bool {
	for word != "" {
		i := bytes.Index(text, []byte(word))
		if i < 0 {
			return false
		}
		if (i == 0 || wordEnd(text[i-1:i]) == 0) && wordEnd(text[i:]) == len(word) {
			return true
		}
		text = text[i+len(word):]
	}
	return false
}

// suppressed finds Python's suppress(Exception).
func (v *visitor) suppressed(n *syntax.Node) {
	head, _, _ := strings.Cut(string(v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+limits.WordBytes)]), "\n")
	for _, name := range []string{"suppress(Exception)", "suppress(BaseException)"} {
		if strings.Contains(head, name) {
			v.say(n, "suppress", fill{"call": name})
		}
	}
}

// rustMethods are methods of Rust whose Result is the only sign of success.
var rustMethods = kinds("write_all", "flush", "sync_all", "sync_data", "set_len", "read_exact", "read_to_end", "read_to_string", "read_line", "execute", "commit",
	"save", "send")

// rustError finds a Result that is dropped.
func (v *visitor) rustError(n *syntax.Node) {
	call := n
	switch v.role(n) {
	case syntax.Assign:
		if call = v.field(n, "right"); v.text(v.field(n, "left")) != "_" {
			return
		}
	case syntax.Variable:
		call = v.field(n, "value")
		if p := v.field(n, "pattern"); call == nil || p != nil && v.text(p) != "_" || p == nil && !strings.HasPrefix(v.text(n), "let _ =") {
			return
		}
	}
	if v.role(call) != syntax.Call {
		return
	}
	f := v.field(call, "function")
	if f == nil {
		return
	}
	name := string(v.f.Source[max(f.StartByte(), f.EndByte()-min(f.EndByte(), quotedBytes)):f.EndByte()])
	if call == n {
		text := bytes.HasPrefix(v.f.Source[f.StartByte():f.EndByte()], []byte("write")) // it usually writes into a text, which cannot fail
		if args := v.field(n, "arguments"); strings.HasSuffix(name, ".ok") && !text && v.around(1).kind.role == syntax.ExpressionStatement && args != nil && args.NamedChildCount() == 0 {
			v.say(n, ".ok()", nil)
		}
		return
	}
	t := v.text(f)
	last := t[strings.LastIndexAny(t, ".:")+1:]
	if strings.ContainsAny(t, "`\n") || takesAway.MatchString(t) {
		return
	}
	if strings.HasPrefix(t, "fs::") || strings.Contains(t, "::fs::") || strings.Contains(t, ".") && rustMethods[last] {
		v.say(n, "dropped result", fill{"function": t})
	}
}

// errorPackages are packages of Go whose functions with several results return an error as
// the last result, except the functions in noErrors. errorVerbs begin the names of methods
// and functions: more than 95 in 100 with such a name return an error last, in Go's library
// and in the libraries of this repository.
var (
	errorPackages = kinds("os", "io", "ioutil", "strconv", "json", "xml", "yaml", "http", "url", "hex", "sql", "exec", "net", "regexp", "gzip", "tls", "x509",
		"filepath", "time", "user", "csv", "zip")
	noErrors = kinds("os.LookupEnv", "strconv.Unquote", "http.ParseHTTPVersion", "json.Valid", "filepath.Split")
	// onlyError are functions whose only important result is an error. filled are methods
	// and functions that fill an argument.
	onlyError = kinds("json.Unmarshal", "xml.Unmarshal", "yaml.Unmarshal", "toml.Unmarshal", "proto.Unmarshal", "os.Setenv", "os.Mkdir", "os.MkdirAll", "os.WriteFile",
		"ioutil.WriteFile", "os.Chdir", "os.Symlink", "os.Link", "os.Truncate", "io.Copy", "io.CopyN", "io.ReadFull", "binary.Write", "binary.Read",
		"http.ListenAndServe", "http.ListenAndServeTLS", "http.Serve", "viper.ReadInConfig", "cmd.Run", "cmd.Start", "tx.Commit", "db.Exec", "tx.Exec", "db.Ping", "enc.Encode", "encoder.Encode")
	filled     = kinds("Decode", "Unmarshal", "Scan", "Sscanf", "Sscan", "Fscanf", "ReadJSON", "BindJSON", "ShouldBindJSON", "ReadFull")
	errorVerbs = kinds("Marshal", "Read", "Write", "Open", "Dial", "Exec", "Stat", "Seek", "Compile", "Generate", "List")
)

// goError finds an error of Go that is assigned to nothing, or compared with nil
// for nothing.
func (v *visitor) goError(n *syntax.Node) {
	if v.role(n) == syntax.If {
		cond, body := v.field(n, "condition"), v.field(n, "consequence")
		if v.role(cond) != syntax.Binary || body == nil || body.NamedChildCount() > 0 || v.field(n, "alternative") != nil {
			return
		}
		name, ok := strings.CutSuffix(v.text(cond), " != nil")
		if ok && (name == "err" || strings.HasSuffix(name, "Err")) {
			v.sayFrom(cond, body, "empty block", fill{"error": name})
		}
		return
	}
	if v.role(n) == syntax.Call {
		if v.around(1).kind.role != syntax.ExpressionStatement && v.around(1).kind.role != syntax.Block {
			return
		}
		if name := v.callee(n); (v.failsOnly(n, name) || v.ours(name)) && !drained.MatchString(v.text(n)) {
			v.say(n, "result assigned to nothing", fill{"function": name})
		}
		return
	}
	left, right := v.field(n, "left"), v.bare(v.field(n, "right"))
	if left == nil || right == nil {
		return
	}
	targets := strings.Split(v.text(left), ",")
	if strings.TrimSpace(targets[len(targets)-1]) != "_" {
		return
	}
	switch v.role(right) {
	case syntax.Identifier:
		if t := v.text(right); t == "err" {
			v.say(n, "error assigned to nothing", fill{"error": t})
		}
	case syntax.Call:
		if name := v.callee(right); name != "" && (v.returnsError(name, targets) || len(targets) == 1 && v.failsOnly(right, name)) && !v.surely(right) && !drained.MatchString(v.text(right)) {
			if len(targets) == 2 && v.emptyAsked(n, targets[0]) {
				return // the code tests the result, which is empty after a failure
			}
			v.say(n, "result assigned to nothing", fill{"function": name})
		}
	}
}

// drained matches a call that only reads the rest of a stream.
var drained = regexp.MustCompile(`^io\.Copy\((?:io|ioutil)\.Discard,`)

// emptyAsked reports whether the line behind an assignment asks whether there is
// nothing in a variable.
func (v *visitor) emptyAsked(n *syntax.Node, name string) bool {
	end := int(n.EndByte())
	next := v.f.Source[end:min(end+limits.WordBytes, len(v.f.Source))]
	next = bytes.TrimLeft(next, "; \t\r\n")
	next, _, _ = bytes.Cut(next, []byte("{"))
	cond, ok := bytes.CutPrefix(next, []byte("if "+strings.TrimSpace(name)+" "))
	return ok && (bytes.Contains(cond, []byte(`= ""`)) || bytes.Contains(cond, []byte("= nil")) || bytes.Contains(cond, []byte("= 0")))
}

// failsOnly reports whether a call returns only an error, or fills the variable whose
// address it gets.
func (v *visitor) failsOnly(call *syntax.Node, name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return onlyError[name] || last == "Encode" && strings.Contains(name, "NewEncoder(") ||
		filled[last] && last != name && strings.Contains(v.text(v.field(call, "arguments")), "&")
}

// ours reports whether a function or method of this file has the name, and returns only an
// error.
func (v *visitor) ours(name string) bool {
	on, last, method := strings.Cut(name, ".")
	if !method {
		on, last = "", name
	}
	return last != "" && last != "Close" && !takesAway.MatchString("."+last) && v.declaredResults()[last] == 1 && (on == "" || v.occurs("func ("+on+" ") > 0)
}

// matched matches a call with a part of a match of a regular expression, which has checked
// the form. asked matches a question for a position.
var matched, asked = regexp.MustCompile(`^strconv\.\w+\([\w.]+(?:\[\w+\])+[,)]`), regexp.MustCompile(`\.Seek\(0, \w+\.SeekCurrent\)$`)

// literalPattern is a call with a regular expression that is known.
var literalPattern = regexp.MustCompile("^regexp\\.\\w+\\([\"`]")

// surely reports whether a call cannot fail, as far as its text shows.
func (v *visitor) surely(call *syntax.Node) bool {
	t := v.text(call)
	if literalPattern.MatchString(t) {
		return true
	}
	return asked.MatchString(t) || matched.MatchString(t) && v.occurs("Submatch(") > 0
}

// returnsError reports whether the last result of a function of Go is an error. For a
// function of this file the declaration decides.
func (v *visitor) returnsError(name string, targets []string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	kept := slices.ContainsFunc(targets, func(t string) bool { return strings.TrimSpace(t) != "_" })
	if last == "Close" || len(targets) > 1 && !kept {
		return false // Close runs at the end or after a failure; an author who writes _, _ = drops the results on purpose
	}
	if results, ok := v.declaredResults()[last]; ok {
		return results == len(targets)
	}
	if !kept {
		return false
	}
	if pkg, _, ok := strings.Cut(name, "."); ok && errorPackages[pkg] {
		return !noErrors[name]
	}
	verb := strings.IndexFunc(last[min(1, len(last)):], func(r rune) bool { return r < 'a' || r > 'z' })
	if verb < 0 {
		verb = len(last) - 1
	}
	return last != name && errorVerbs[last[:verb+1]]
}

// declaredResults returns, by name, the number of results of the functions and methods of a
// file of Go whose last result is an error. The number is 0 for a name without an error,
// and for a name that several functions use differently.
func (v *visitor) declaredResults() map[string]int {
	if v.results != nil {
		return v.results
	}
	v.results = map[string]int{}
	for _, c := range v.children(v.nodes.Root()) {
		if !c.kind.role.IsFunction() {
			continue
		}
		name, results := v.field(c.Node, "name"), v.field(c.Node, "result")
		if name == nil {
			continue
		}
		count := 0
		if results != nil {
			switch t := v.text(results); {
			case t == "error":
				count = 1
			case strings.HasSuffix(t, " error)") || t == "(error)":
				count = int(results.NamedChildCount())
			}
		}
		id := v.text(name)
		if was, ok := v.results[id]; ok && was != count {
			count = 0
		}
		v.results[id] = count
	}
	return v.results
}

// named reports whether the text of a node begins with one of the names, as the text of a
// call does. It is checked before callee, which costs more.
func (v *visitor) named(n *syntax.Node, names set) bool {
	text := v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+quotedBytes)]
	end := 0
	for end < len(text) && (text[end] == '_' || text[end] == '.' || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	return names[string(text[:end])]
}

// callee returns the text of the called expression, "" for a long text.
func (v *visitor) callee(n *syntax.Node) string {
	end := n.EndByte()
	for _, c := range v.children(n) {
		if c.kind.role == syntax.Arguments {
			end = c.StartByte()
			break
		}
	}
	if end-n.StartByte() > quotedBytes {
		return ""
	}
	return strings.TrimSpace(string(v.f.Source[n.StartByte():end]))
}
