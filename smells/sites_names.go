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

// Variables and parameters that nobody needs, and those that hide another.

// unwanted are names that say that they are there for their place only, or that
// a compiler made them.
var unwanted = regexp.MustCompile(`(?i)^(?:_.*|unused.*|ignored?.*|dummy.*|.*[_$]|.*unused)$`)

// sayName reports a variable. It may come to be unused by a change elsewhere in
// its function.
func (v *visitor) sayName(x *variable, anywhere bool, when string, put fill) {
	f := v.scopes.list[x.scope].fn
	first, last := v.f.Lines(f.seat.node)
	v.report(x.first.node, x.first.node, site{text: v.sentence(when, put), key: x.name.text, function: f.seat.function,
		far: anywhere && v.inside(first, last)})
}

// writtenLine is the longest line that people write, in bytes.
const writtenLine = 400

// minified reports whether a byte is in a longer line.
func minified(src []byte, at int) bool {
	before, after := src[max(0, at-writtenLine-1):at], src[at:min(len(src), at+writtenLine+1)]
	n := len(before) - 1 - bytes.LastIndexByte(before, '\n')
	if end := bytes.IndexByte(after, '\n'); end >= 0 {
		return n+end > writtenLine
	}
	return n+len(after) > writtenLine
}

// in returns the words for the function that a name is in.
func in(f *fn, before string) string {
	name := f.seat.function[strings.LastIndexByte(f.seat.function, '.')+1:]
	if name == "" {
		return ""
	}
	return before + " `" + name + "`"
}

func unusedVariable(v *visitor, x *variable) {
	s := &v.scopes.list[x.scope]
	if x.first.what == parameter || len(x.reads) > 0 || x.name.wild || s.class || s.fn == nil || s.fn.opaque || unwanted.MatchString(x.name.text) {
		return
	}
	if !v.inert(x) || keeper.MatchString(x.name.text) || v.inMacro(x.name.text) || v.pulled() {
		return
	}
	end := x.first.node.EndByte()
	value := bytes.ContainsRune(v.f.Source[end:min(x.first.up[0].node.EndByte(), end+limits.WordBytes)], '=')
	if v.lang == lang.Python && !value && len(x.writes) == 0 {
		return // x: int
	}
	what := "declared"
	if value || x.first.what == writes || len(x.writes) > 0 {
		what = "assigned"
	}
	v.sayName(x, true, "", fill{"name": v.f.Text(x.first.node), "assigned": what, "in-function": in(s.fn, "in")})
}

// keeper is the name of a variable that does something by being there, or when it goes.
var keeper = regexp.MustCompile(`(?i)(?:scope|guard|lock|keep_?alive)(?:variable)?$`)

// label matches a label before a statement of C, goTo a jump to a label.
var (
	label = regexp.MustCompile(`(?m)^\s*([A-Za-z_]\w*):\s*$`)
	goTo  = regexp.MustCompile(`\bgoto\s+([A-Za-z_]\w*)`)
)

// pulled reports whether macros change the code of the outermost function, in C: the
// function has a label without a goto.
func (v *visitor) pulled() bool {
	if v.lang != lang.C && v.lang != lang.Cpp {
		return false
	}
	return v.scopes.pulled.to(func() bool {
		text := v.f.Text(v.scopes.list[0].node)
		gone := map[string]bool{"default": true, "public": true, "private": true, "protected": true, "signals": true, "slots": true}
		for _, m := range goTo.FindAllStringSubmatch(text, -1) {
			gone[m[1]] = true
		}
		return slices.ContainsFunc(label.FindAllStringSubmatch(text, -1), func(m []string) bool { return !gone[m[1]] })
	})
}

// define is a macro of C with the lines that it goes on in.
var define = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define\b(?:.*\\\r?\n)*.*$`)

// inMacro reports whether a word occurs in a macro of the file, which may then read a
// variable of this name wherever the macro is used.
func (v *visitor) inMacro(word string) bool {
	if v.lang != lang.C && v.lang != lang.Cpp {
		return false
	}
	if v.macros == nil {
		v.macros = map[string]int{}
		for _, m := range define.FindAll(v.f.Source, -1) {
			countWords(m, v.macros)
		}
	}
	return v.macros[word] > 0
}

// acting matches words in the declaration of a variable that has a purpose other than its
// value.
var acting = regexp.MustCompile(`\b(?:volatile|extern|static|using|await using|unused|maybe_unused|register|__attribute__|global)\b|\[\[`)

// plainType matches a type of C++ whose variables have no effect by themselves.
var plainType = regexp.MustCompile(`^(?:(?:const|constexpr|unsigned|signed|short|long|int|char|bool|float|double|wchar_t|(?:std::)?(?:size_t|string|u?int\d*_t|ptrdiff_t|ssize_t)|u?int\d+)\s*)+$`)

// inert reports whether a variable does nothing by being there.
func (v *visitor) inert(x *variable) bool {
	d := x.first.up[1].node
	if x.first.up[0].kind.name == "declaration" {
		d = x.first.up[0].node
	}
	if d == nil || x.first.what != declares {
		return true
	}
	head := string(v.f.Source[d.StartByte():max(d.StartByte(), x.first.at)])
	if len(head) > limits.WordBytes || acting.MatchString(head) {
		return false
	}
	switch v.lang {
	case lang.C:
		return !strings.Contains(head, "\n") // else a macro that is no type
	case lang.CSharp: // a using statement disposes of the variable at the end
		rest := v.f.Source[:d.StartByte()]
		return !bytes.HasSuffix(bytes.TrimRight(rest, " "), []byte("using")) && !bytes.HasSuffix(bytes.TrimRight(rest, " ("), []byte("using"))
	case lang.Cpp:
		if strings.ContainsAny(head, "&\n") || x.first.up[1].kind.name == "condition_clause" { // of a reference, or a macro that is no type
			return false
		}
		if strings.Contains(head, "*") {
			return true
		}
		if strings.Contains(head, "auto") {
			value := v.field(x.first.up[0].node, "value")
			return value != nil && v.role(value) != syntax.Call
		}
		return plainType.MatchString(strings.TrimSpace(head))
	}
	return true
}

func unusedParameter(v *visitor, x *variable) {
	f := v.scopes.list[x.scope].fn
	if x.first.what != parameter || !v.f.Whole || len(x.reads) > 0 || len(x.writes) > 0 || x.name.wild || f == nil || f.opaque || f.blind ||
		unwanted.MatchString(x.name.text) || f.scope != x.scope || conventional[x.name.text] || v.inMacro(x.name.text) || userData(v, x) {
		return
	}
	if (v.scopes.scoping == &ecmaScoping || v.lang == lang.PHP) && x.first.at < f.lastUsed {
		return // a later parameter is used, so this parameter cannot be removed
	}
	if idle := f.params - f.used; v.f.Table.Dynamic && idle > 1 && idle >= f.used {
		return // its callers hand the same to others
	}
	if f.free == nil {
		free := v.free(f)
		f.free = &free
	}
	if !*f.free {
		return
	}
	v.sayName(x, true, "", fill{"name": v.f.Text(x.first.node), "of-function": in(f, "of")})
}

// userData reports whether a parameter is handed through by those who call back.
func userData(v *visitor, x *variable) bool {
	return (v.lang == lang.C || v.lang == lang.Cpp) && bytes.HasPrefix(v.f.Source[x.first.up[0].node.StartByte():], []byte("void"))
}

// conventional are names of parameters that callers hand over by convention.
var conventional = kinds("self", "cls", "this", "req", "request", "res", "resp", "response", "next", "e", "ev", "evt", "event", "args", "argv", "argc", "kwargs", "sender",
	"ctx", "context", "opts", "options", "props", "signum", "frame", "mcs", "klass", "exports", "module", "require", "environ", "start_response")

// bound matches words in the head of a function that show that other code dictates its
// parameters. own matches words that show the opposite.
var (
	bound = regexp.MustCompile(`@|\[[A-Z]|\b(?:override|virtual|abstract|extern|partial|native|operator|default|delete|unused|UNUSED|maybe_unused|implements|protected|friend)\b|\)\s*(?:const\s+)?(?:noexcept\s+)?final\b`)
	own   = regexp.MustCompile(`\b(?:private|static)\b`)
	stub  = regexp.MustCompile(`(?i)not\s?_?(?:yet\s)?(?:implemented|supported)|unsupported|todo!|unimplemented|must (?:be )?(?:implement|overr)`)
	// double matches the name of a class or function that replaces another, or that exists
	// for derived classes.
	double = regexp.MustCompile(`(?i)test|mock|fake|stub|dummy|null|noop|abstract|mixin|\b_?base[A-Z_]|(?-i:[a-z]Base\b)`)
)

// free reports whether a function chooses its own parameters, as far as its file shows.
func (v *visitor) free(f *fn) bool {
	n := f.seat.node
	body := v.field(n, "body")
	name := f.seat.function[strings.LastIndexByte(f.seat.function, '.')+1:]
	if body == nil || name == "" || f.seat.kind.role == syntax.Lambda && !v.namedLambda(f) || f.up[0].kind.role.Is(syntax.Collection, syntax.Pair) || double.MatchString(f.seat.function) || protocols[name] ||
		strings.HasPrefix(name, "__") && name != "__init__" && name != "__construct" || strings.HasSuffix(name, "=") {
		return false
	}
	for _, up := range f.up {
		if up.kind.role.Is(syntax.If, syntax.ElseIf, syntax.Else, syntax.Try, syntax.Catch) {
			return false // there may be a function of this name for another system
		}
	}
	head := string(v.f.Source[n.StartByte():max(n.StartByte(), min(body.StartByte(), n.StartByte()+limits.NotedBytes))])
	if bound.MatchString(head) || v.decorated(f) || v.empty(body, f.used > 0) ||
		f.params > 1 && f.used == 0 { // it replaces another function, or macros do its work
		return false
	}
	if list := v.field(n, "parameters"); list != nil && v.family(name, v.text(list)) {
		return false
	}
	mine := own.MatchString(head) || name[0] == '_' || name[0] == '#'
	if v.lang == lang.Python && f.class != nil && (v.derived(f.class.node) || v.passed("("+v.f.Name(f.class.node)+")") > 0) {
		return false // anything can be overridden
	}
	if c := f.class; c != nil && !mine {
		made := name == "__init__" || name == "__construct" || name == "constructor" || name == "initialize" || f.seat.kind.role == syntax.Constructor
		if c.kind.role != syntax.Class || v.derived(c.node) || v.marked(c.node) || v.f.Table.Dynamic && v.lang != lang.Cpp && v.lang != lang.PHP && !made {
			return false // in languages without declared types any method may belong to an interface
		}
	}
	switch v.lang {
	case lang.Go:
		if f.seat.kind.name == "method_declaration" || name[0] >= 'A' && name[0] <= 'Z' || bytes.Contains(v.f.Source[:min(len(v.f.Source), limits.NotedBytes)], []byte("\n//go:build")) {
			return false
		}
	case lang.C:
		if !mine {
			return false
		}
		fallthrough
	case lang.Cpp:
		if strings.Contains(head, "::"+name) {
			return false
		}
	case lang.PHP:
		if f.class != nil && name != "__construct" && !strings.Contains(head, "private") {
			return false // others may override it, or call it by its name
		}
	case lang.Java, lang.CSharp:
		if f.class == nil && !mine {
			return false // of a value of an enumeration, or in a function
		}
	case lang.Ruby:
		if f.up[1].kind.role == syntax.Namespace || f.seat.kind.name == "singleton_method" {
			return false
		}
	}
	if c := f.class; c != nil && name == v.f.Name(c.node) { // a constructor has the name of the class
		return v.occurs(name+"::new") == 0
	}
	mentions := 0
	if f.seat.kind.role == syntax.Lambda {
		mentions = 1 // const name =
	}
	return v.passed(name) <= mentions
}

// family reports whether a function is one of several that are called in the same way: it
// takes any arguments, or another function has its name, or another function has the same
// parameters.
func (v *visitor) family(name, list string) bool {
	if v.lang == lang.Python && strings.Contains(list, "**") {
		return true
	}
	if v.heads == nil {
		v.heads = map[string]int{}
		for _, m := range head.FindAllSubmatchIndex(v.f.Source, -1) {
			v.heads[string(v.f.Source[m[2]:m[3]])]++
			if t := v.f.Source[m[3]:min(len(v.f.Source), m[3]+limits.WordBytes)]; len(t) > 0 && t[0] == '(' {
				v.heads[string(t[:closing(t)])]++
			}
		}
	}
	return v.heads[name] > 1 || strings.Contains(list, ",") && v.heads[list] > 1
}

// closing returns the length of the text in the parentheses at the start of a text,
// parentheses included.
func closing(t []byte) int {
	depth := 0
	for i, c := range t {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(t)
}

// head matches the start of a function in languages without types before its name.
var head = regexp.MustCompile(`\b(?:def|function|func|fn)\s+(?:self\.)?(\w+)`)

// protocols are functions that some tool looks for by name and calls.
var protocols = kinds("main", "Main", "load_tests", "setup", "teardown", "initialize_copy", "_load", "_dump", "WinMain", "init", "initializer")

// namedLambda reports whether a function without a name is the value of a variable
// of JavaScript, of no declared type.
func (v *visitor) namedLambda(f *fn) bool {
	d := f.up[0]
	return d.kind.name == "variable_declarator" && v.scopes.scoping == &ecmaScoping && v.field(d.node, "type") == nil && v.role(v.field(d.node, "name")) == syntax.Identifier
}

// empty reports whether a body does nothing or next to nothing: it may be there
// to be overridden. What is calculated of other parameters is something.
func (v *visitor) empty(body *syntax.Node, used bool) bool {
	if v.role(body) != syntax.Block { // an expression
		return !used || v.role(body).Is(syntax.Identifier, syntax.Member, syntax.Null, syntax.Bool, syntax.Number, syntax.String, syntax.Collection)
	}
	parts := v.parts(body)
	parts = slices.DeleteFunc(parts, func(c child) bool {
		if idle(v, c) || c.kind.role == syntax.String {
			return true
		}
		if c.kind.role == syntax.ExpressionStatement {
			p := v.children(c.Node)
			return len(p) > 0 && p[0].kind.role == syntax.String
		}
		return false
	})
	if len(parts) == 0 {
		return true
	}
	text := v.f.Source[body.StartByte():min(body.EndByte(), body.StartByte()+limits.NotedBytes)]
	if len(parts) > 1 {
		return len(parts) == 2 && (stub.Match(text) || parts[1].kind.role == syntax.Throw || bytes.HasPrefix(v.f.Source[parts[1].StartByte():], []byte("panic")))
	}
	switch p := parts[0]; p.kind.role {
	case syntax.Function, syntax.Class:
		return false
	case syntax.Throw, syntax.Null, syntax.Bool, syntax.Number, syntax.Self:
		return true
	case syntax.Collection:
		return p.NamedChildCount() == 0
	case syntax.Return:
		if r := v.parts(p.Node); used && len(r) > 0 && r[0].kind.role.Is(syntax.Binary, syntax.Conditional, syntax.Index) {
			return false
		}
		return !bytes.ContainsRune(text, '(') || stub.Match(text)
	}
	return stub.Match(text) || bytes.HasPrefix(v.f.Source[parts[0].StartByte():], []byte("raise")) || bytes.HasPrefix(v.f.Source[parts[0].StartByte():], []byte("panic"))
}

// decorated reports whether something is noted at a function that makes it known
// elsewhere.
func (v *visitor) decorated(f *fn) bool {
	if f.up[0].kind.name == "decorated_definition" {
		head := string(v.f.Source[f.up[0].node.StartByte():f.seat.node.StartByte()])
		return strings.Count(head, "@") != strings.Count(head, "@staticmethod")+strings.Count(head, "@classmethod")
	}
	return v.marked(f.seat.node)
}

// marked reports whether there is an annotation in the line before a node.
func (v *visitor) marked(n *syntax.Node) bool {
	lines := bytes.Split(bytes.TrimSpace(v.f.Source[max(0, int(n.StartByte())-limits.WordBytes):n.StartByte()]), []byte("\n"))
	last := bytes.TrimSpace(lines[len(lines)-1])
	return bytes.HasPrefix(last, []byte("@")) || bytes.HasPrefix(last, []byte("#[")) || bytes.HasPrefix(last, []byte("["))
}

// derived reports whether a class has others above it.
func (v *visitor) derived(class *syntax.Node) bool {
	for _, c := range v.children(class) {
		if c.kind.role == syntax.Heritage || c.field == "trait" || c.field == "superclasses" && strings.Trim(v.text(c.Node), "() ") != "object" && v.text(c.Node) != "()" {
			return true
		}
		if c.kind.role == syntax.Modifier && strings.Contains(v.text(c.Node), "abstract") {
			return true
		}
	}
	return false
}

// passed counts the uses of a word in the file that are no calls: code may pass a function
// of that name on. A word in parentheses is a class; its number is the number of uses as a
// base class.
func (v *visitor) passed(word string) int {
	if v.values == nil {
		v.values = map[string]int{}
		comment := []string{"//", "* ", "*/", "/*"}
		if !v.f.Table.HashDirectives() {
			comment = append(comment, "#")
		}
		for line := range bytes.Lines(v.f.Source) {
			trimmed := string(bytes.TrimSpace(line))
			if slices.ContainsFunc(comment, func(c string) bool { return strings.HasPrefix(trimmed, c) }) {
				continue
			}
			if i := strings.IndexByte(trimmed, '('); i > 0 && strings.HasPrefix(trimmed, "class ") { // a base class of Python
				for base := range strings.SplitSeq(strings.TrimRight(trimmed[i+1:], "):"), ",") {
					v.values["("+strings.TrimSpace(base)+")"]++
				}
			}
			for len(line) > 0 {
				n := wordEnd(line)
				if n == 0 {
					line = line[1:]
					continue
				}
				if rest := bytes.TrimLeft(line[n:], " "); len(rest) == 0 || rest[0] != '(' {
					v.values[string(line[:n])]++
				}
				line = line[n:]
			}
		}
	}
	return v.values[word]
}

// keywords are built-ins whose names callers like to use for parameters.
var keywords = kinds("id", "type", "format", "input", "object", "filter", "dir", "next")

func shadowedVariable(v *visitor, x *variable) {
	sc := v.scopes
	s := &sc.list[x.scope]
	t := x.name.text
	if s.class || s.fn == nil || unwanted.MatchString(t) {
		return
	}
	if v.lang == lang.Python {
		if x.first.what == parameter && (s.fn.seat.kind.role == syntax.Lambda || keywords[t] || renewed(v, x) || s.fn.class != nil && v.derived(s.fn.class.node)) || !slices.Contains(v.f.Table.Builtins, t) {
			return
		}
		what := "variable"
		if x.first.what == parameter {
			what = "parameter"
		}
		v.sayName(x, false, "built-in", fill{"variable": what, "name": t, "of-function": in(s.fn, "of")})
		return
	}
	o := sc.outer(x)
	if o == nil || o.known > x.first.at || x.first.what == parameter && v.lang != lang.Ruby || x.first.what == writes {
		return
	}
	if o.first.scope != o.scope { // it belongs to another block (Ruby)
		return
	}
	where := "an outer variable of that name"
	if o.first.what == parameter {
		where = "the parameter of that name"
	}
	if v.lang == lang.Go {
		if x.first.up[1].kind.role.Is(syntax.If, syntax.Switch, syntax.Loop) || x.first.up[0].kind.role == syntax.Switch || !v.goesOn(x, o) || renewed(v, x) {
			return
		}
		hidden, advice := "outer `"+t+"`", "assign with `=` or rename it"
		if o.first.what == parameter {
			hidden = "parameter of that name"
		}
		if x.first.up[1].kind.name == "for_clause" {
			advice = "rename one of them"
		}
		v.sayName(x, false, "read afterwards", fill{"name": t, "outer": hidden, "of-function": in(s.fn, "of"), "advice": advice})
		return
	}
	what := "variable"
	if x.first.what == parameter {
		what = "block parameter"
	}
	v.sayName(x, false, "", fill{"variable": what, "name": t, "in-function": in(s.fn, "in"), "outer": where})
}

// goesOn reports whether the hidden variable is read after the block of the variable that
// hides it, before it is set again.
func (v *visitor) goesOn(x, o *variable) bool {
	list := v.scopes.list
	end := list[x.scope].end
	for s, i := x.scope, 0; s != o.scope && s >= 0; s, i = list[s].parent, i+1 {
		if i == limits.Scopes || v.left(&list[s]) {
			return false
		}
		if v.role(list[s].node).Is(syntax.If, syntax.Switch) { // its other branches are no afterwards
			end = max(end, list[s].end)
		}
	}
	at, ok := after(o.reads, end)
	w, set := after(o.writes, end)
	return ok && (!set || at < w)
}

// renewed reports whether a variable is made from the variable that it hides, as x := x.
func renewed(v *visitor, x *variable) bool {
	t := string(v.f.Source[x.first.up[0].node.StartByte():min(x.known, x.first.up[0].node.StartByte()+limits.WordBytes)])
	left, right, ok := strings.Cut(strings.ReplaceAll(t, " ", ""), "=")
	return ok && strings.TrimSuffix(left, ":") == right
}

// left reports whether a block ends by leaving it.
func (v *visitor) left(s *scope) bool {
	if s.leaves == nil {
		parts := v.parts(s.node)
		left := len(parts) > 0 && v.leaves(parts[len(parts)-1])
		s.leaves = &left
	}
	return *s.leaves
}
