package phrase

import (
	"slices"
	"strings"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
	"crscore/pseudoref/symbolic/tree"
)

// Place is where something stands: the function, test and class around it.
type Place struct {
	// Fn and Class are the names of the function and the class, empty for none.
	Fn, Class string
	kind      string // of the class: "class", "interface"
	// Test reports whether the function is a test, Ctor whether it makes an object.
	Test, Ctor bool
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

// String names the place for a sentence that begins with "In "; it is empty at the top of a file.
func (p Place) String() string {
	switch {
	case p.Test && p.Fn != "":
		return "the test " + Either(SimpleName(p.Fn), Code(p.Fn), Quote(p.Fn, CodeRunes))
	case p.Ctor:
		return "the constructor" + Either(p.Class != "", " of "+Code(p.Class), "")
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
	switch {
	case p.Callback != "": // the function around it does not do what it does
		return "the callback of " + Code(p.Callback)
	case p.Fn != "" || p.Ctor:
		return p.String()
	}
	return "the code" // classes do nothing
}

// PlaceOf returns the place around a node.
func PlaceOf(n tree.Node) Place {
	var p Place
	x, inBody := n.Parent(), n.Is(syntax.Return)
	for i := 0; x.Ok() && i < limits.Climb; i, x = i+1, x.Parent() {
		inBody = inBody || x.Is(syntax.Block, syntax.Return)
		switch {
		case p.Fn != "" || p.Ctor:
		case x.Is(syntax.Field) && inBody && p.Callback == "": // an accessor
			p.Fn = tree.NameOf(x)
		case x.Role().IsFunction():
			p.Fn = tree.NameOf(x)
			p.Test, p.Ctor = IsTest(x, p.Fn), IsConstructor(x)
		case x.Is(syntax.Lambda) && x.Child("name").Ok():
			p.Fn = x.Child("name").Text()
		case x.Is(syntax.Lambda):
			p.Fn, p.Test, p.Callback = tree.LambdaName(x, p.Callback)
		}
		if !x.Role().IsClass() {
			continue // a name is looked for among all children: in a block, that is every statement
		}
		if name := tree.NameOf(x); name != "" {
			p.Class, p.kind, p.heading = name, ClassWord(x), x.Frag.Headed(x.Start())
			return p
		}
	}
	if n.Ok() && p.Fn == "" && !p.Ctor && n.Frag.Hunk >= 0 && n.Section != "" && n.Indented() {
		return headingPlace(n.Section)
	}
	return p
}

// IsTest tells whether a function is a test by its macro, its name or its annotations.
func IsTest(n tree.Node, name string) bool {
	marks := func(d tree.Node) bool { return slices.Contains(testMarks, tree.NameOf(d)) }
	_, macro := tree.MacroTest(n)
	return macro || testName.MatchString(name) || slices.ContainsFunc(Decorators(n), marks)
}

// testName are the names of tests: TestPush, test_push; not testament.
var testName = regexp.MustCompile(`^[tT]est(?:$|[_A-Z0-9])`)

// testMarks are the annotations of tests.
var testMarks = strings.Fields("cargo_test wasm_bindgen_test rstest Test ParameterizedTest Fact Theory TestMethod test tokio::test")

// Decorators lists the annotations of a declaration: those in it, those around it in Python,
// and those before it in Rust, which are its siblings.
func Decorators(n tree.Node) []tree.Node {
	var around []tree.Node
	before := n.Prev()
	for i := 0; i < limits.Climb && n.Traits().OuterAttributes && before.Is(syntax.Decorator, syntax.Comment); i++ {
		around, before = append(around, before), before.Prev()
	}
	slices.Reverse(around)
	around = append(around, n.Kids()...)
	for _, k := range n.Kids() {
		if k.Is(syntax.Modifier) {
			around = append(around, k.Kids()...)
		}
	}
	if p := n.Parent(); p.Kind() == "decorated_definition" {
		around = append(around, p.Kids()...)
	}
	return slices.DeleteFunc(around, func(k tree.Node) bool { return !k.Is(syntax.Decorator) })
}

var (
	headingFunc  = regexp.MustCompile(`\b(?:def|func|function|fn|fun|sub)\s+(?:\([^)]*\)\s*)?(?:<[^>]*>\s*)?(?:[\w<>?]+\.)*([A-Za-z_$][\w$]*)`)
	headingClass = regexp.MustCompile(`\b(class|interface|struct|enum|trait|module|object)\s+([A-Za-z_$][\w$]*)`)
	headingC     = regexp.MustCompile(`^[\w\s<>,.*&\[\]@?:~]*?((?:\b\w+::)*~?\b[A-Za-z_$][\w$]*)\s*\([^;]*$`)
	// What may stand behind the name of a class that is declared.
	classGoesOn = regexp.MustCompile(`^\s*(?:$|[{:<(;,\[]|(?:extends|implements|final|where|with|permits|sealed|for|as)\b)`)
)

// headingPlace reads the place from the heading of a hunk, where the tree does not hold it.
func headingPlace(section string) Place {
	section = Cut(section, 200)
	if m := headingClass.FindStringSubmatchIndex(section); m != nil &&
		!strings.Contains(section[:m[0]], "(") && classGoesOn.MatchString(section[m[1]:]) {
		return Place{Class: section[m[4]:m[5]], kind: section[m[2]:m[3]], heading: true}
	}
	m := headingFunc.FindStringSubmatch(section)
	if m == nil {
		m = headingC.FindStringSubmatch(section)
	}
	if m == nil || slices.Contains(noFunctions, m[1]) {
		return Place{}
	}
	return Place{Fn: m[1], Test: IsTest(tree.Node{}, m[1])}
}

// noFunctions are the words before a bracket in a heading that name no function.
var noFunctions = strings.Fields("TEST TEST_F TEST_P TYPED_TEST TEST_CASE SCENARIO var const import type if for while switch " +
	"return catch describe it test context suite specify")
