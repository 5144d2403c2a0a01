package symbolic

import (
	"strings"

	"crscore/pseudoref/symbolic/tree"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// place is where something stands: the function, test and class around it.
type place struct {
	fn, class string
	kind      string // of the class: "class", "interface"
	test      bool
	titled    bool // the test has a description and no name
	suite     bool // a group of tests
	ctor      bool
	callback  string // the function that a nameless function is handed to
	heading   bool   // the class is that of a hunk's heading: others may stand in it
}

// member says to or from which class something was added or removed, or in which
// it was where the class itself may be another one inside.
func (p place) member(added bool) string {
	if p.heading {
		return " in " + code(p.class)
	}
	return " " + toFrom(added) + " " + code(p.class)
}

// String names the place for a sentence that begins with "In "; it is empty at
// the top of a file.
func (p place) String() string {
	switch {
	case p.test && p.suite:
		return "the tests of " + quote(p.fn, maxCode)
	case p.test && p.fn != "" && (p.titled || !simpleName(p.fn)):
		return "the test " + quote(p.fn, maxCode)
	case p.test && p.fn != "":
		return "the test " + code(p.fn)
	case p.ctor && p.class != "":
		return "the constructor of " + code(p.class)
	case p.ctor:
		return "the constructor"
	case p.fn != "":
		return code(p.fn)
	case p.callback != "":
		return "the callback of " + code(p.callback)
	case p.class != "":
		return p.kind + " " + code(p.class)
	}
	return ""
}

// subject names the place as the subject of a sentence: "`push` now …".
func (p place) subject() string {
	if p.callback != "" {
		return "the callback of " + code(p.callback)
	}
	if s := p.String(); s != "" && (p.fn != "" || p.callback != "" || p.ctor) {
		return s
	}
	return "the code" // classes do nothing
}

// placeOf returns the place around a node.
func placeOf(n tree.Node) place {
	var p place
	x, inBody := n.Parent(), n.Is(syntax.Return)
	for i := 0; x.Ok() && i < tree.MaxClimb; i, x = i+1, x.Parent() {
		inBody = inBody || x.Is(syntax.Block, syntax.Return)
		switch {
		case p.fn != "" || p.ctor:
		case x.Is(syntax.Field) && inBody && p.callback == "": // an accessor
			p.fn = tree.NameOf(x)
		default:
			p.within(x)
		}
		if name := tree.NameOf(x); x.Role().IsClass() && name != "" {
			p.class, p.kind, p.heading = name, classWord(x), x.Frag.Headed(x.Start())
			return p
		}
	}
	if n.Ok() && p.fn == "" && !p.ctor && n.Frag.Hunk >= 0 && n.Section != "" && n.Indented() {
		return headingPlace(n.Section)
	}
	return p
}

// within notes the function that a node is, if it is one.
func (p *place) within(x tree.Node) {
	switch own := x.Child("name"); {
	case x.Role().IsFunction():
		p.fn = tree.NameOf(x)
		p.test, p.ctor = isTest(x, p.fn), isConstructor(x)
	case x.Is(syntax.Lambda) && own.Ok():
		p.fn = own.Text()
	case x.Is(syntax.Lambda):
		p.fn, p.test, p.callback = tree.LambdaName(x, p.callback)
		p.titled, p.suite = p.test, p.test && suite(x.Under(syntax.Call))
	}
}

// cutLast cuts a text at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if k := strings.LastIndex(s, sep); k >= 0 {
		return s[:k], s[k+len(sep):], true
	}
	return s, "", false
}

// suite tells whether a call describes a group of tests.
func suite(call tree.Node) bool {
	switch f, _, _ := strings.Cut(tree.Callee(call), "."); f {
	case "describe", "suite", "context":
		return true
	}
	return false
}

// isTest tells whether a function is a test by its name or its annotations.
func isTest(n tree.Node, name string) bool {
	if _, ok := tree.MacroTest(n); ok {
		return true
	}
	for _, p := range []string{"test", "Test"} {
		if rest, ok := strings.CutPrefix(name, p); ok && (rest == "" || rest[0] == '_' || rest[0] >= 'A' && rest[0] <= 'Z' || rest[0] >= '0' && rest[0] <= '9') {
			return true
		}
	}
	for _, d := range decorators(n) {
		switch tree.NameOf(d) {
		case "cargo_test", "wasm_bindgen_test", "rstest", "Test", "ParameterizedTest", "Fact", "Theory", "TestMethod", "test", "tokio::test":
			return true
		}
	}
	return false
}

// decorators lists the annotations of a declaration.
func decorators(n tree.Node) []tree.Node {
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
func headingPlace(section string) place {
	section = cut(section, 200)
	if m := headingTest.FindStringSubmatch(section); m != nil {
		return place{fn: m[1] + "." + m[2], test: true}
	}
	if m := headingClass.FindStringSubmatchIndex(section); m != nil && !strings.Contains(section[:m[0]], "(") && classGoesOn.MatchString(section[m[1]:]) {
		return place{class: section[m[4]:m[5]], kind: section[m[2]:m[3]], heading: true}
	}
	if m := headingFunc.FindStringSubmatch(section); m != nil {
		return place{fn: m[1], test: isTest(tree.Node{}, m[1])}
	}
	if m := headingC.FindStringSubmatch(section); m != nil {
		switch m[1] {
		case "TEST_CASE", "SCENARIO", "var", "const", "import", "type", "if", "for", "while", "switch", "return", "catch", "describe", "it", "test", "context", "suite", "specify":
			return place{}
		}
		return place{fn: m[1], test: isTest(tree.Node{}, m[1])}
	}
	return place{}
}
