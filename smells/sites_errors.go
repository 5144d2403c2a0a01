package smells

import (
	"regexp"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// Errors that are caught, or returned, and then lost.

var (
	// caughtType is the name of an exception, ignoredName a variable that says that
	// it is not wanted.
	caughtType  = regexp.MustCompile(`(?:\w+(?:\.|::|\\))*(?:[A-Z]\w*|\w*exception)\b`)
	ignoredName = regexp.MustCompile(`\b(?:ignored?|expected|unused|_)\b`)
)

// expectedErrors are caught to ask whether something is there, or to end.
var expectedErrors = kinds("ImportError", "ModuleNotFoundError", "LoadError", "KeyboardInterrupt", "StopIteration")

// emptyCatch finds a catch clause that does nothing. A comment in it is taken
// for a reason.
func emptyCatch(v *visitor, n *sitter.Node) {
	var word string
	body, end := (*sitter.Node)(nil), n.EndByte()
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
	if !v.ended(n) || v.hashed(n) {
		return
	}
	head := string(v.f.Source[n.StartByte():min(end, n.StartByte()+maxShort)])
	if ignoredName.MatchString(head) {
		return
	}
	what := "An exception"
	if v.lang != lang.JavaScript && v.lang != lang.TypeScript && v.lang != lang.TSX {
		types := caughtType.FindAllString(head, -1)
		if slices.ContainsFunc(types, func(t string) bool { return expectedErrors[t] }) {
			return
		}
		if len(types) > 0 && len(types[0]) <= maxQuoted {
			what = "`" + types[0] + "`"
		}
	}
	v.say(n, "%s is swallowed: this `%s` block is empty; handle the error, log it, or let it pass on.", what, word)
}

// idle tells whether a statement does nothing.
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

// hashed tells whether a comment that begins with # stands in a node or behind
// it; the grammars put it anywhere.
func (v *visitor) hashed(n *sitter.Node) bool {
	if v.lang != lang.Python && v.lang != lang.Ruby {
		return false
	}
	rest, _, _ := strings.Cut(string(v.f.Source[n.EndByte():min(int(n.EndByte())+maxShort, len(v.f.Source))]), "\n")
	return strings.Contains(v.text(n)+rest, "#")
}

// bareExcept finds Python's "except:" unless it raises the exception anew.
func bareExcept(v *visitor, n *sitter.Node) {
	var word *sitter.Node
	for _, c := range v.children(n) {
		switch {
		case c.kind.role == syntax.Block:
			for _, s := range v.parts(c.Node) {
				if s.kind.role == syntax.Throw {
					return
				}
			}
		case c.kind.named && c.kind.role != syntax.Comment:
			return
		case c.kind.name == "except":
			word = c.Node
		}
	}
	if word != nil && v.seen(n) && v.ended(n) {
		v.say(word, "A bare `except:` also catches `KeyboardInterrupt` and `SystemExit`; name the exceptions that are expected.")
	}
}

// errorPackages are packages of Go of which a function with several results
// returns an error as the last, save those in noErrors.
var (
	errorPackages = kinds("os", "io", "ioutil", "strconv", "json", "xml", "http", "url", "hex", "sql", "exec", "net", "regexp", "gzip", "tls", "x509")
	noErrors      = kinds("os.LookupEnv", "http.ParseHTTPVersion", "json.Valid")
)

// swallowedError finds an error of Go that is assigned to nothing, or compared
// with nil for nothing.
func swallowedError(v *visitor, n *sitter.Node) {
	if v.role(n) == syntax.If {
		cond, body := n.ChildByFieldName("condition"), n.ChildByFieldName("consequence")
		if v.role(cond) != syntax.Binary || body == nil || body.NamedChildCount() > 0 || n.ChildByFieldName("alternative") != nil {
			return
		}
		name, ok := strings.CutSuffix(v.text(cond), " != nil")
		if ok && (name == "err" || strings.HasSuffix(name, "Err")) {
			v.sayFrom(cond, body, "The error `%s` is swallowed: it is checked, but the block is empty; return it or handle it.", name)
		}
		return
	}
	left, right := n.ChildByFieldName("left"), v.bare(n.ChildByFieldName("right"))
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
			v.say(n, "The error `%s` is ignored; return it or handle it.", t)
		}
	case syntax.Call:
		name := v.callee(right)
		if pkg, _, ok := strings.Cut(name, "."); ok && len(targets) > 1 && errorPackages[pkg] && !noErrors[name] {
			v.say(n, "The error that `%s` returns is ignored; it should be checked.", name)
		}
	}
}

// named tells whether the text of a node begins with one of the names, as a call
// of it does; it is asked before callee, which costs more.
func (v *visitor) named(n *sitter.Node, names set) bool {
	text := v.f.Source[n.StartByte():min(n.EndByte(), n.StartByte()+maxQuoted)]
	end := 0
	for end < len(text) && (text[end] == '_' || text[end] == '.' || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	return names[string(text[:end])]
}

// callee returns the text of what is called, "" of a long one.
func (v *visitor) callee(n *sitter.Node) string {
	end := n.EndByte()
	for _, c := range v.children(n) {
		if c.kind.role == syntax.Arguments {
			end = c.StartByte()
			break
		}
	}
	if end-n.StartByte() > maxQuoted {
		return ""
	}
	return strings.TrimSpace(string(v.f.Source[n.StartByte():end]))
}
