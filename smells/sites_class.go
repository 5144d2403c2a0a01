package smells

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Classes that do not hang together.

// members holds the names that the methods of a class use.
type members struct {
	start   uint32 // of the class, which it is kept for
	methods []method
	// calls are the classes outside of this class that are made or called, with the first
	// word of each call.
	calls map[string]string
	tests bool // it has test cases
}

// method is a method of a class.
type method struct {
	node *syntax.Node
	body *syntax.Node
	name string
	// small methods have at most two statements: accessors, stubs, steps of a builder.
	small, static bool
	// first says that the method makes the object, and so may use every attribute.
	first bool
	// uses are the attributes and methods of the object itself that the method uses.
	uses map[string]bool
}

// A class with fewer methods or attributes is not judged. A class with manyParts of both
// may be split even if something holds the parts together.
const minMethods, minAttributes, manyParts = 5, 5, 10

// lowCohesion follows the tool cohesion (mschwager, 2016), which PyScent runs: the share of
// a class's attributes that a method uses, as a mean over the methods. There are four
// differences. Constructors, static methods and methods of up to two statements are left
// out, because getters would make any class a bad class. A method also uses the attributes
// of the methods that it calls. Attributes are the names that some method uses, without
// constants. And a small class must fall into parts. The value is the share that is not
// used, rounded up, so that a higher value is worse, as with the other rules.
func lowCohesion(v *visitor, n *syntax.Node) {
	m := v.members(n)
	if m == nil || m.tests || !v.ended(n) || v.extends(n) || v.kind(n).name == "singleton_class" || v.lang == lang.Rust && v.spread(n) {
		return
	}
	byName := map[string]*method{}
	for i := range m.methods {
		byName[m.methods[i].name] = &m.methods[i]
	}
	attributes, sum, count, fluent := map[string]bool{}, 0, 0, 0
	parts := pieces{}
	for i := range m.methods {
		f := &m.methods[i]
		if f.small || f.static || f.first {
			continue
		}
		own := map[string]bool{}
		f.reach(byName, own, map[*method]bool{}, len(m.methods) <= limits.MethodsFollowed)
		maps.Copy(attributes, own)
		parts.add(own)
		sum += len(own)
		count++
		if returnsSelf.Match(v.f.Source[max(f.body.StartByte(), f.body.EndByte()-quotedBytes):f.body.EndByte()]) {
			fluent++
		}
	}
	if 2*fluent > count {
		return // a builder sets one attribute with each
	}
	if count < minMethods || len(attributes) < minAttributes || (count < manyParts || len(attributes) < manyParts) && !parts.apart() {
		return
	}
	all := count * len(attributes)
	lack := (100*(all-sum) + all - 1) / all
	name := v.className(n)
	v.measured(n, name, lack, fill{"class": name, "percent": strconv.Itoa(100 - lack), "attributes": strconv.Itoa(len(attributes))})
}

// pieces are the parts of a class that have no attribute in common. Each attribute leads,
// through other attributes, to the attribute that represents its part. That attribute has
// the number of methods of the part.
type pieces struct {
	up      map[string]string
	methods map[string]int
	all     int
}

func (p *pieces) top(a string) string {
	for p.up[a] != a {
		p.up[a] = p.up[p.up[a]]
		a = p.up[a]
	}
	return a
}

// add joins the parts that a method uses.
func (p *pieces) add(used map[string]bool) {
	if p.up == nil {
		p.up, p.methods = map[string]string{}, map[string]int{}
	}
	first := ""
	for a := range used {
		if p.up[a] == "" {
			p.up[a] = a
		}
		switch a = p.top(a); {
		case first == "":
			first = a
		case first != a:
			p.up[a] = first
			p.methods[first] += p.methods[a]
			delete(p.methods, a)
		}
	}
	if first != "" {
		p.methods[first]++
		p.all++
	}
}

// apart reports whether every part has at most two thirds of the methods that use any
// attribute.
func (p *pieces) apart() bool {
	largest := 0
	for _, n := range p.methods {
		largest = max(largest, n)
	}
	return 3*largest <= 2*p.all && p.all >= minMethods
}

// spread reports whether the methods of a type of Rust are in several blocks.
func (v *visitor) spread(n *syntax.Node) bool {
	if v.impls == nil {
		v.impls = map[string]int{}
		for rest, more := v.f.Source, true; more; _, rest, more = bytes.Cut(rest, []byte("\n")) {
			if wordEnd(rest[:min(len(rest), 5)]) != len("impl") || !bytes.HasPrefix(rest, []byte("impl")) {
				continue
			}
			head := rest[:min(len(rest), limits.WordBytes)]
			end := bytes.IndexAny(head, "{;")
			if end < 0 || head[end] == ';' || bytes.Contains(head[:end], []byte(" for ")) {
				continue
			}
			words := map[string]int{}
			countWords(head[:end], words)
			for w := range words {
				v.impls[w]++
			}
		}
	}
	return v.impls[v.classTitle(n)] > 1
}

// reach notes the attributes that a method uses, itself or through those that it
// calls; constants are none.
func (f *method) reach(byName map[string]*method, into map[string]bool, seen map[*method]bool, deep bool) {
	seen[f] = true
	for name := range f.uses {
		switch other := byName[name]; {
		case other == nil:
			if strings.ToUpper(name) != name || strings.ToLower(name) == name || len(name) < 3 {
				into[name] = true
			}
		case !seen[other] && (deep || other.small):
			other.reach(byName, into, seen, deep)
		}
	}
}

// returnsSelf ends a method that gives its object back.
var returnsSelf = regexp.MustCompile(`\b(?:return\s+)?(?:self|this|\$this)\s*;?\s*\}?$`)

// extension is the head of a class with a base: there are attributes that are not seen.
var extension = regexp.MustCompile(`\bextends\b|\w\s*<\s*[A-Z:]|:\s*(?:public|protected|private|virtual|[A-HJ-Z]|I[a-z])`)

// extends reports whether a class has a base class.
func (v *visitor) extends(n *syntax.Node) bool {
	head := v.f.Source[n.StartByte():min(v.field(n, "body").StartByte(), n.StartByte()+2*limits.WordBytes)]
	switch v.lang {
	case lang.Python:
		_, bases, _ := bytes.Cut(head, []byte("("))
		bases, _, _ = bytes.Cut(bases, []byte(")"))
		b := string(bytes.TrimSpace(bases))
		return b != "" && b != "object" && !strings.HasPrefix(b, "Generic[") && !strings.HasPrefix(b, "Protocol") && b != "ABC" && b != "abc.ABC"
	case lang.Rust:
		return false
	case lang.Ruby, lang.CSharp, lang.Cpp:
		line, _, _ := bytes.Cut(head, []byte("\n"))
		return extension.Match(line)
	}
	return hasWord(head, "extends")
}

// className is how a sentence calls a class.
func (v *visitor) className(n *syntax.Node) string {
	what := "class"
	if v.lang == lang.Rust {
		what = "type"
	}
	if t := v.classTitle(n); t != "" && len(t) <= quotedBytes {
		return fmt.Sprintf("The %s `%s`", what, t)
	}
	return "This " + what
}

// classTitle returns the name of a class, in Rust of the type that is implemented.
func (v *visitor) classTitle(n *syntax.Node) string {
	if t := v.field(n, "type"); t != nil && v.lang == lang.Rust {
		name, _, _ := strings.Cut(v.text(t), "<")
		return name
	}
	return v.f.Name(n)
}

// members collects the methods of a class, without the classes inside it. It returns nil if
// there are too few methods for a judgement.
func (v *visitor) members(n *syntax.Node) *members {
	if v.lastClass != nil && v.lastClass.start == n.StartByte() {
		return v.lastClass
	}
	body := v.field(n, "body")
	if body == nil {
		return nil
	}
	m := &members{start: n.StartByte(), calls: map[string]string{}}
	known := map[string]bool{} // names that are used without naming the object
	nested := map[string]bool{v.classTitle(n): true}
	for _, c := range v.parts(body) {
		switch decorated := c.Node; {
		case c.kind.name == "decorated_definition":
			for _, p := range v.parts(decorated) {
				if p.kind.role.IsFunction() {
					m.add(v, n, p.Node, decorated)
				}
			}
		case c.kind.role.IsFunction():
			m.add(v, n, c.Node, c.Node)
		case c.kind.role.IsClass():
			nested[v.f.Name(c.Node)] = true
		case c.kind.role == syntax.Field:
			v.fieldNames(m, c.Node, known)
		case v.lang == lang.Ruby && c.kind.role == syntax.Call:
			t := v.text(c.Node)
			if !strings.HasPrefix(t, "attr_") {
				continue
			}
			for _, name := range strings.FieldsFunc(t, func(r rune) bool { return r == ' ' || r == ',' || r == ':' || r == '(' || r == ')' || r == '\n' })[1:] {
				known[name] = true
			}
		}
	}
	if len(m.methods) == 0 {
		return nil
	}
	for _, f := range m.methods {
		known[f.name] = true
	}
	bare := v.lang == lang.Java || v.lang == lang.CSharp || v.lang == lang.Cpp || v.lang == lang.Ruby
	for i := range m.methods {
		v.walkMethod(m, &m.methods[i], known, bare)
	}
	for name := range nested {
		delete(m.calls, name)
	}
	// Those that it extends are no others.
	head := string(v.f.Source[n.StartByte():min(body.StartByte(), n.StartByte()+limits.WordBytes)])
	for _, name := range strings.FieldsFunc(head, func(r rune) bool { return r < 0x80 && wordEnd([]byte{byte(r)}) == 0 }) {
		delete(m.calls, name)
	}
	for name := range known {
		delete(m.calls, name) // C#: properties look like classes
	}
	v.lastClass = m
	return m
}

var constructors = kinds("__init__", "__construct", "__new__", "constructor", "initialize")

// add records a method of a class. whole is its node with annotations and decorators above
// it.
func (m *members) add(v *visitor, class, n, whole *syntax.Node) {
	body := v.field(n, "body")
	if body == nil {
		return
	}
	f := method{node: n, body: body, name: v.f.Name(n), uses: map[string]bool{}}
	f.small = v.statements(body) <= 2
	f.first = v.role(n) == syntax.Constructor || constructors[f.name] || f.name == v.f.Name(class)
	head := v.f.Source[whole.StartByte():body.StartByte()]
	if len(head) > limits.WordBytes {
		head = head[:limits.WordBytes]
	}
	switch v.lang {
	case lang.Python:
		first := v.field(n, "parameters")
		if first != nil {
			first = first.NamedChild(0)
		}
		name, _, _ := strings.Cut(v.text(first), ":")
		f.static = name != "self"
	case lang.Rust:
		f.static = !bytes.Contains(head, []byte("self"))
	case lang.Ruby:
		f.static = v.kind(n).name == "singleton_method"
	default:
		f.static = hasWord(head, "static")
	}
	if strings.HasPrefix(strings.ToLower(f.name), "test") || bytes.Contains(head, []byte("@Test")) || bytes.Contains(head, []byte("[Test")) || bytes.Contains(head, []byte("[Fact")) {
		m.tests = true
	}
	m.methods = append(m.methods, f)
}

// fieldNames records the names of a field that is neither static nor constant. A function
// in the field is a method.
func (v *visitor) fieldNames(m *members, n *syntax.Node, known map[string]bool) {
	if value := v.field(n, "value"); value != nil && v.role(value) == syntax.Lambda {
		if body := v.field(value, "body"); body != nil {
			name := v.field(n, "property")
			if name == nil {
				name = v.field(n, "name")
			}
			if name != nil {
				m.methods = append(m.methods, method{node: value, body: body, name: v.text(name), small: v.role(body) != syntax.Block || body.NamedChildCount() <= 2, uses: map[string]bool{}})
			}
		}
		return
	}
	if first, _, _ := strings.Cut(v.text(n), "="); hasWord([]byte(first), "static") || hasWord([]byte(first), "const") {
		return
	}
	note := func(d *syntax.Node) {
		if name := v.field(d, "name"); name != nil {
			d = name
		}
		if v.role(d) == syntax.Identifier {
			known[v.text(d)] = true
		}
	}
	for _, c := range v.parts(n) {
		switch {
		case c.kind.role == syntax.Declarator, c.field == "declarator", c.field == "name":
			note(c.Node)
		case c.kind.role == syntax.Variable: // C#
			for _, d := range v.parts(c.Node) {
				if d.kind.role == syntax.Declarator {
					note(d.Node)
				}
			}
		}
	}
}

// walkMethod records which names of its object a method uses, by "self.name" and, where
// bare names mean attributes, by known names. It also records calls of other objects.
func (v *visitor) walkMethod(m *members, f *method, known map[string]bool, bare bool) {
	cur := v.nodes.Cursor(f.body)
	var callee [2]uint32
	var thrown uint32 // the end of the thrown expression
	for {
		n, k := cur.CurrentNode(), v.kindAt(cur)
		start, end := cur.CurrentBytes()
		switch {
		case !k.named:
		case k.role == syntax.Throw:
			thrown = end
		case k.role.Is(syntax.Call, syntax.New):
			if cur.GoToFirstChild() {
				callee[0], callee[1] = cur.CurrentBytes()
				cur.GoToParent()
			}
			if name := v.ownCall(n, k); known[name] {
				f.uses[name] = true
			}
			if head, name := v.calledClass(n, k.role == syntax.New); name != "" && end > thrown && m.calls[name] == "" {
				m.calls[name] = head
			}
		case k.role == syntax.Member:
			if name := v.ofSelf(n); name != "" && (callee != [2]uint32{start, end} || known[name]) {
				f.uses[name] = true
			}
		case k.name == "instance_variable":
			if name := v.text(n); name != "" {
				f.uses[name[1:]] = true
			}
		case bare && k.role == syntax.Identifier:
			if field := cur.CurrentFieldName(); field != "name" && field != "field" || v.lang == lang.Ruby {
				if name := v.f.Source[start:end]; known[string(name)] {
					f.uses[string(name)] = true
				}
			}
		}
		skip := !k.named || k.leaf || k.role.IsClass() || k.role.Is(syntax.Type, syntax.TypeArguments, syntax.Decorator) || k.text && v.plain(n)
		if !skip && cur.GoToFirstChild() {
			continue
		}
		for !cur.GoToNextSibling() {
			if !cur.GoToParent() {
				return
			}
		}
	}
}

// ownCall returns the name of the method of the object itself that a call of Java or
// PHP is one of, where the name is no expression of its own.
func (v *visitor) ownCall(n *syntax.Node, k *siteKind) string {
	if k.name != "method_invocation" && k.name != "member_call_expression" {
		return ""
	}
	if object := v.field(n, "object"); object != nil && v.text(object) != "this" && v.text(object) != "$this" {
		return ""
	}
	return v.text(v.field(n, "name"))
}

// ofSelf returns the name that is used of the object itself, "" for another object.
func (v *visitor) ofSelf(n *syntax.Node) string {
	object, name := n.Child(0), n.Child(int(n.ChildCount())-1)
	if object == nil || name == nil || object.EndByte()-object.StartByte() > 5 || name.EndByte()-name.StartByte() > limits.NameBytes {
		return ""
	}
	switch string(v.f.Source[object.StartByte():object.EndByte()]) {
	case "self", "this", "$this":
		return v.f.Text(name)
	}
	return ""
}
