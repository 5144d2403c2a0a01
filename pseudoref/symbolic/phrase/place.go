package phrase

import (
	"strings"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// Place is where something stands: the function, test and class around it.
type Place struct {
	// Fn and Class are the names of the function and the class, empty for none.
	Fn, Class string
	kind      string // of the class: "class", "interface"
	// Test reports whether the function is a test, Ctor whether it makes an object.
	Test, Ctor bool
	titled     bool // the test has a description and no name
	suite      bool // a group of tests
	// Callback is the function that a nameless function is handed to.
	Callback string
	heading  bool // the class is that of a hunk's heading: others may stand in it
}

// Member says to or from which class something was added or removed, or in which
// it was where the class itself may be another one inside.
func (p Place) Member(added bool) string {
	if p.heading {
		return " in " + Code(p.Class)
	}
	return " " + ToFrom(added) + " " + Code(p.Class)
}

// String names the place for a sentence that begins with "In "; it is empty at
// the top of a file.
func (p Place) String() string {
	switch {
	case p.Test && p.suite:
		return "the tests of " + Quote(p.Fn, MaxCode)
	case p.Test && p.Fn != "" && (p.titled || !SimpleName(p.Fn)):
		return "the test " + Quote(p.Fn, MaxCode)
	case p.Test && p.Fn != "":
		return "the test " + Code(p.Fn)
	case p.Ctor && p.Class != "":
		return "the constructor of " + Code(p.Class)
	case p.Ctor:
		return "the constructor"
	case p.Fn != "":
		return Code(p.Fn)
	case p.Callback != "":
		return "the callback of " + Code(p.Callback)
	case p.Class != "":
		return p.kind + " " + Code(p.Class)
	}
	return ""
}

// Subject names the place as the subject of a sentence: "`push` now …".
func (p Place) Subject() string {
	if p.Callback != "" {
		return "the callback of " + Code(p.Callback)
	}
	if s := p.String(); s != "" && (p.Fn != "" || p.Callback != "" || p.Ctor) {
		return s
	}
	return "the code" // classes do nothing
}

// PlaceOf returns the place around a node.
func PlaceOf(n tree.Node) Place {
	var p Place
	x, inBody := n.Parent(), n.Is(syntax.Return)
	for i := 0; x.Ok() && i < tree.MaxClimb; i, x = i+1, x.Parent() {
		inBody = inBody || x.Is(syntax.Block, syntax.Return)
		switch {
		case p.Fn != "" || p.Ctor:
		case x.Is(syntax.Field) && inBody && p.Callback == "": // an accessor
			p.Fn = tree.NameOf(x)
		default:
			p.within(x)
		}
		if name := tree.NameOf(x); x.Role().IsClass() && name != "" {
			p.Class, p.kind, p.heading = name, ClassWord(x), x.Frag.Headed(x.Start())
			return p
		}
	}
	if n.Ok() && p.Fn == "" && !p.Ctor && n.Frag.Hunk >= 0 && n.Section != "" && n.Indented() {
		return headingPlace(n.Section)
	}
	return p
}

// within notes the function that a node is, if it is one.
func (p *Place) within(x tree.Node) {
	switch own := x.Child("name"); {
	case x.Role().IsFunction():
		p.Fn = tree.NameOf(x)
		p.Test, p.Ctor = IsTest(x, p.Fn), IsConstructor(x)
	case x.Is(syntax.Lambda) && own.Ok():
		p.Fn = own.Text()
	case x.Is(syntax.Lambda):
		p.Fn, p.Test, p.Callback = tree.LambdaName(x, p.Callback)
		p.titled, p.suite = p.Test, p.Test && Suite(x.Under(syntax.Call))
	}
}

// CutLast cuts a text at the last separator.
func CutLast(s, sep string) (before, after string, found bool) {
	if k := strings.LastIndex(s, sep); k >= 0 {
		return s[:k], s[k+len(sep):], true
	}
	return s, "", false
}

// Suite tells whether a call describes a group of tests.
func Suite(call tree.Node) bool {
	switch f, _, _ := strings.Cut(tree.Callee(call), "."); f {
	case "describe", "suite", "context":
		return true
	}
	return false
}

// IsTest tells whether a function is a test by its name or its annotations.
func IsTest(n tree.Node, name string) bool {
	if _, ok := tree.MacroTest(n); ok {
		return true
	}
	for _, p := range []string{"test", "Test"} {
		if rest, ok := strings.CutPrefix(name, p); ok && (rest == "" || rest[0] == '_' || rest[0] >= 'A' && rest[0] <= 'Z' || rest[0] >= '0' && rest[0] <= '9') {
			return true
		}
	}
	for _, d := range Decorators(n) {
		switch tree.NameOf(d) {
		case "cargo_test", "wasm_bindgen_test", "rstest", "Test", "ParameterizedTest", "Fact", "Theory", "TestMethod", "test", "tokio::test":
			return true
		}
	}
	return false
}

// Decorators lists the annotations of a declaration.
func Decorators(n tree.Node) []tree.Node {
	out := outerAttributes(n)
	for _, k := range n.Kids() {
		switch {
		case k.Is(syntax.Decorator):
			out = append(out, k)
		case k.Is(syntax.Modifier):
			for _, m := range k.Kids() {
				if m.Is(syntax.Decorator) {
					out = append(out, m)
				}
			}
		}
	}
	if p := n.Parent(); p.Ok() && p.Kind() == "decorated_definition" {
		for _, k := range p.Kids() {
			if k.Is(syntax.Decorator) {
				out = append(out, k)
			}
		}
	}
	return out
}

var (
	headingFunc  = regexp.MustCompile(`\b(?:def|func|function|fn|fun|sub)\s+(?:\([^)]*\)\s*)?(?:<[^>]*>\s*)?(?:[\w<>?]+\.)*([A-Za-z_$][\w$]*)`)
	headingClass = regexp.MustCompile(`\b(class|interface|struct|enum|trait|module|object)\s+([A-Za-z_$][\w$]*)`)
	headingC     = regexp.MustCompile(`^[\w\s<>,.*&\[\]@?:~]*?((?:\b\w+::)*~?\b[A-Za-z_$][\w$]*)\s*\([^;]*$`)
	// What may stand behind the name of a class that is declared.
	classGoesOn = regexp.MustCompile(`^\s*(?:$|[{:<(;,\[]|(?:extends|implements|final|where|with|permits|sealed|for|as)\b)`)
	headingTest = regexp.MustCompile(`^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)`)
)

// headingPlace reads the place from the heading of a hunk, where the tree does
// not hold it.
func headingPlace(section string) Place {
	section = Cut(section, 200)
	if m := headingTest.FindStringSubmatch(section); m != nil {
		return Place{Fn: m[1] + "." + m[2], Test: true}
	}
	if m := headingClass.FindStringSubmatchIndex(section); m != nil && !strings.Contains(section[:m[0]], "(") && classGoesOn.MatchString(section[m[1]:]) {
		return Place{Class: section[m[4]:m[5]], kind: section[m[2]:m[3]], heading: true}
	}
	if m := headingFunc.FindStringSubmatch(section); m != nil {
		return Place{Fn: m[1], Test: IsTest(tree.Node{}, m[1])}
	}
	if m := headingC.FindStringSubmatch(section); m != nil {
		switch m[1] {
		case "TEST_CASE", "SCENARIO", "var", "const", "import", "type", "if", "for", "while", "switch", "return", "catch", "describe", "it", "test", "context", "suite", "specify":
			return Place{}
		}
		return Place{Fn: m[1], Test: IsTest(tree.Node{}, m[1])}
	}
	return Place{}
}
