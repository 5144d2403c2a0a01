package perturb

import (
	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// dialect has what the perturbations need to know of a language.
type dialect struct {
	lang lang.Name
	// names are the kinds of leaves that are names, mention tells what a name is there.
	names   []string
	mention func(u *unit, n *syntax.Node) mention
	// others are the kinds of nodes whose names are no variables.
	others map[string]other
	// lambdas: functions without a name are functions of their own, where no other is around.
	lambdas bool
	// fieldsFirst: in an inner class its inherited fields go before variables around it.
	fieldsFirst bool
	// reflects finds code that looks at the names of variables.
	reflects *regexp.Regexp

	// start returns the first byte where statements may be inserted, and whether they stand
	// before a statement there (a line of its own) or behind a token.
	start func(u *unit) (at int, before bool, why string)
	// not, before and after a condition.
	not [2]string
	// deadThrow, deadAssign are lines of code for a fresh variable %[1]s.
	deadThrow, deadAssign []string
	// wrap are the lines before and behind the body with a fresh name; nil: no exceptions.
	wrapBefore, wrapBehind []string
	indented               bool // blocks are indented, without braces
	// result is the code before the value of a return that goes into a variable of that name; why
	// says that the function has no such value.
	result func(u *unit, value *syntax.Node, name string) (code, why string)
	// copied returns the code that defines the variable to beside the statement that defines
	// a variable, with a value; the statement and its value. why: no such form.
	copied func(u *unit, d mention) (stmt, value *syntax.Node, code [2]string, why string)
	end    string // of a statement
	used   bool   // a variable must be used
}

func dialects() []*dialect {
	return []*dialect{
		java(), python(), ecma(lang.JavaScript), ecma(lang.TypeScript), ecma(lang.TSX), golang(),
	}
}

func dialectOf(l lang.Name) *dialect {
	for _, d := range dialects() {
		if d.lang == l {
			return d
		}
	}
	return nil
}

const parameterWhy = "parameters that callers may name"

// scopeOf is the span of a node that may be nil.
func scopeOf(n *syntax.Node) span {
	if n == nil {
		return span{}
	}
	return where(n)
}

// afterBrace is the start of a body in braces: behind the brace, or behind the last of the
// statements that must come first.
func afterBrace(u *unit, first func(n *syntax.Node) bool) (at int, before bool, why string) {
	at = int(u.body.StartByte()) + 1
	for c := range children(u.body) {
		switch {
		case u.frag.Role(c) == syntax.Comment:
			if !u.leads(c) && u.lineStart(at) == u.lineStart(int(c.StartByte())) { // behind the brace
				at = int(c.EndByte())
			}
		case !u.leads(c):
			return 0, false, "functions in one line"
		case first(c):
			at = int(c.EndByte())
		default:
			return at, false, ""
		}
	}
	return at, false, ""
}
