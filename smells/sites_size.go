package smells

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
	"crscore/internal/syntax"
)

// Comprehensions and classes that are too large.

// The limits of comprehensions in characters. singleLength is the limit with a single
// condition. plainLength is the limit without a condition: such a comprehension only calls
// something and is easy to read.
const singleLength, plainLength = 80, 100

var (
	// knot matches a condition.
	knot = regexp.MustCompile(`(?:^|[^.\w])(?:and|or|if)\b`)
	// inner matches the part of a loop or lambda inside a comprehension.
	inner = regexp.MustCompile(`\b(?:for|lambda)\b`)
)

// knotted reports whether a comprehension of more characters than the limit is hard to read:
// it has three conditions, two loops or a lambda, or fewer and a line that is much longer than
// the limit. longest is the length of its longest line. A comprehension that is laid out over
// lines is read like a loop.
func (v *visitor) knotted(n *syntax.Node, longest, lines int) bool {
	text := v.f.Source[n.StartByte():n.EndByte()]
	if bytes.ContainsAny(text, "\"'`") {
		text = []byte(quoted.ReplaceAllString(string(text), `""`))
	}
	conditions, inside := len(knot.FindAll(text, 3)), max(0, len(inner.FindAll(text, 3))-1) // without its own loop
	return longest > plainLength && (lines == 1 || conditions+inside > 0) ||
		lines == 1 && (inside > 0 || conditions > 2 || conditions > 0 && longest > singleLength)
}

// size returns the number of characters of a comprehension, the number of characters of its
// longest line, and the number of lines with more than brackets. A run of white space is
// one character, so that the layout of a formatter does not matter.
func (v *visitor) size(n *syntax.Node) (length, longest, lines int) {
	for line := range bytes.Lines(v.f.Source[n.StartByte():n.EndByte()]) {
		line = bytes.TrimSpace(line)
		longest = max(longest, utf8.RuneCount(line))
		if len(line) > 2 {
			lines++
		}
		for part := range bytes.FieldsSeq(line) {
			length += 1 + utf8.RuneCount(part)
		}
	}
	return length - 1, longest, lines
}

// longComprehension measures comprehensions that are too long to read easily.
func longComprehension(v *visitor, n *syntax.Node) {
	limit := v.limits[v.rule]
	if int(n.EndByte()-n.StartByte()) <= limit || n.EndByte()-n.StartByte() > limits.BranchBytes {
		return
	}
	if length, longest, lines := v.size(n); longest > limit && v.knotted(n, longest, lines) {
		v.measured(n, "", length, nil)
	}
}

// manyMethods counts the public methods that a class chooses itself. Methods that override
// a method, or are abstract, are dictated by other classes. A property of Python is one
// method.
func manyMethods(v *visitor, n *syntax.Node) {
	body := v.field(n, "body")
	if body == nil {
		return
	}
	parts, names, count := v.parts(body), map[string]bool{}, 0
	if len(parts) <= v.limits[v.rule] || testClass.MatchString(v.f.Name(n)) {
		return
	}
	for _, c := range parts {
		if c.kind.role == syntax.Identifier && (v.text(c.Node) == "private" || v.text(c.Node) == "protected") {
			break // Ruby: those that follow
		}
		if c.kind.name == "decorated_definition" {
			for _, p := range v.parts(c.Node) {
				if p.kind.role.IsFunction() {
					c = p
				}
			}
		}
		if c.kind.role == syntax.Field && v.role(v.field(c.Node, "value")) == syntax.Lambda { // JavaScript: name = () => …
			if v.public(c.Node) && !accessor.MatchString(v.f.Name(c.Node)) {
				count++
			}
			continue
		}
		if c.kind.role != syntax.Function || v.lang != lang.Ruby && v.field(c.Node, "body") == nil || !v.public(c.Node) || accessor.MatchString(v.f.Name(c.Node)) {
			continue
		}
		if v.lang == lang.Python || v.lang == lang.Ruby {
			name := v.f.Name(c.Node)
			if names[name] {
				continue
			}
			names[name] = true
		}
		count++
	}
	v.class(n, count)
}

var (
	// accessor matches the names of methods that get or set a value, as PMD's
	// TooManyMethods does, of tests, and of methods of visitors and listeners.
	accessor  = regexp.MustCompile(`^(?:(?:[gs]et|is|with|on|visit|depart|leave|enter|exit|accept|[Tt]est)(?:[A-Z_]|$)|(?:Get|Set|Is|With|On|Visit)[A-Z])|=$`)
	testClass = regexp.MustCompile(`(?:Tests?|TestCase|TestBase|Spec)$|^(?:Test|Null|Noop|Dummy|Mock|Fake|Stub)[A-Z]`)
	fixtures  = regexp.MustCompile(`(?:Tests?|TestCase|Spec)$`) // test classes, whose attributes are set up for tests
	override  = regexp.MustCompile(`@Override\b|\boverride\b`)
)

// public reports whether a method can be used from outside and overrides no method of
// another class.
func (v *visitor) public(n *syntax.Node) bool {
	said := false
	for _, c := range v.children(n) {
		if c.kind.role == syntax.Modifier || c.kind.name == "override_modifier" {
			t := v.f.Text(c.Node)
			if strings.Contains(t, "private") || strings.Contains(t, "protected") || override.MatchString(t) {
				return false
			}
			said = said || strings.Contains(t, "public") || strings.HasPrefix(t, "pub")
		}
		if k := c.kind.name; k == "private_property_identifier" || (k == "get" || k == "set") && !c.kind.named {
			return false
		}
	}
	switch v.lang {
	case lang.Python:
		return !strings.HasPrefix(v.f.Name(n), "_")
	case lang.Java, lang.CSharp, lang.Rust:
		return said
	}
	return true
}

// class reports that a class has too many methods or attributes.
func (v *visitor) class(n *syntax.Node, count int) {
	if !v.ended(n) {
		return
	}
	name := "This class"
	if t := v.f.Name(n); t != "" && len(t) <= quotedBytes {
		name = fmt.Sprintf("The class `%s`", t)
	}
	v.measured(n, name, count, fill{"class": name})
}

// manyAttributes counts the fields of a class; in Python, the names that are set on self.
func manyAttributes(v *visitor, n *syntax.Node) {
	body := v.field(n, "body")
	if body == nil || fixtures.MatchString(v.f.Name(n)) {
		return
	}
	if v.lang == lang.Python {
		if v.mayHaveAttributes(body) && !v.holdsData(body) {
			v.class(n, v.selfAttributes(body))
		}
		return
	}
	count := 0
	for _, c := range v.parts(body) {
		if c.kind.role.IsFunction() {
			count += v.promoted(c.Node)
		}
		if c.kind.role != syntax.Field || v.computed(c.Node) {
			continue
		}
		names, constant := 0, false
		for _, p := range v.children(c.Node) {
			if p.kind.role == syntax.Declarator {
				names++
			}
			if t := v.text(p.Node); p.kind.role == syntax.Modifier && (strings.Contains(t, "static") || strings.Contains(t, "const")) {
				constant = true
			}
			if p.kind.name == "const" || p.kind.name == "static" || p.kind.role == syntax.Parameters {
				constant = true
			}
		}
		if first, _, _ := bytes.Cut(v.f.Source[c.StartByte():c.EndByte()], []byte("=")); !constant && !noAttribute.Match(bytes.TrimRight(first, "; \n")) {
			count += max(names, 1)
		}
	}
	if count > v.limits[v.rule] && !v.holdsData(body) {
		v.class(n, count)
	}
}

// promoted counts the parameters of a constructor that are also attributes.
func (v *visitor) promoted(n *syntax.Node) int {
	if name := v.f.Name(n); name != "constructor" && name != "__construct" {
		return 0
	}
	count := 0
	for _, p := range v.parts(v.field(n, "parameters")) {
		if p.kind.name == "property_promotion_parameter" || fieldWord.Match(v.f.Source[p.StartByte():min(p.EndByte(), p.StartByte()+limits.WordBytes)]) {
			count++
		}
	}
	return count
}

// computed reports whether a member of a class that looks like a field holds no value of
// its own: it is a method, or a property that computes its value (C#).
func (v *visitor) computed(n *syntax.Node) bool {
	value := v.field(n, "value")
	if v.role(value) == syntax.Lambda || v.kind(n).name == "property_declaration" && value != nil && v.kind(value).name == "arrow_expression_clause" {
		return true
	}
	if list := v.field(n, "accessors"); list != nil {
		return slices.ContainsFunc(v.parts(list), func(c child) bool { return v.field(c.Node, "body") != nil })
	}
	return false
}

var (
	// noAttribute ends the declaration, up to its value, of a logger or a constant.
	noAttribute = regexp.MustCompile(`(?:^|[\s$._])(?:_?(?:log|logger|LOG|LOGGER|Log|Logger)|[A-Z][A-Z0-9]*_[A-Z0-9_]+)$`)
	// plainMethod is the name of a method that any holder of data may have.
	plainMethod = regexp.MustCompile(`^(?:__\w+__|__construct|constructor|equals|hashCode|toString|compareTo|clone|build|Equals|GetHashCode|ToString|CompareTo|Clone|Build)$`)
)

// smallMethod are the lines of a method that only gives or takes a value.
const smallMethod = 8

// holdsData reports whether a class only holds data: like records and builders, it has only
// accessors and methods that make or compare objects.
func (v *visitor) holdsData(body *syntax.Node) bool {
	for _, c := range v.parts(body) {
		if c.kind.name == "decorated_definition" {
			for _, p := range v.parts(c.Node) {
				if p.kind.role.IsFunction() {
					c = p
				}
			}
		}
		if !c.kind.role.IsFunction() || c.kind.role == syntax.Constructor || plainMethod.MatchString(v.f.Name(c.Node)) {
			continue
		}
		b := v.field(c.Node, "body")
		if b != nil && (b.EndPoint().Row-b.StartPoint().Row > smallMethod || v.statements(b) > 2) {
			return false
		}
	}
	return true
}

// statements counts the statements of a body, without a docstring.
func (v *visitor) statements(body *syntax.Node) int {
	count := 0
	for _, c := range v.parts(body) {
		if !(c.kind.role == syntax.ExpressionStatement && c.NamedChildCount() == 1 && v.role(c.NamedChild(0)) == syntax.String) {
			count++
		}
	}
	return count
}

// mayHaveAttributes reports whether selfAttributes may find too many. Searching the text
// costs less than a walk.
func (v *visitor) mayHaveAttributes(body *syntax.Node) bool {
	names := map[string]bool{}
	self := []byte("self.")
	for rest := v.f.Source[body.StartByte():body.EndByte()]; len(names) <= v.limits[v.rule]; {
		i := bytes.Index(rest, self)
		if i < 0 {
			return false
		}
		rest = rest[i+len(self):]
		name := rest[:wordEnd(rest)]
		if after := bytes.TrimLeft(rest[len(name):min(len(rest), len(name)+8)], " \t)]"); len(after) == 0 || bytes.IndexByte([]byte("=:,\\\r\n"), after[0]) >= 0 {
			names[string(name)] = true
		}
	}
	return true
}

// wordEnd returns the length of the word that a text begins with.
func wordEnd(t []byte) int {
	for i, c := range t {
		if c != '_' && c != '$' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80 {
			return i
		}
	}
	return len(t)
}

// selfAttributes walks the inside of a class, without the classes inside it.
func (v *visitor) selfAttributes(body *syntax.Node) int {
	names := map[string]bool{}
	add := func(n *syntax.Node) {
		if v.kind(n).name != "attribute" {
			return
		}
		if o, a := v.field(n, "object"), v.field(n, "attribute"); o != nil && a != nil && v.text(o) == "self" {
			if name := v.text(a); !noAttribute.MatchString(name) {
				names[name] = true
			}
		}
	}
	cur := v.nodes.Cursor(body)
	for {
		n, k := cur.CurrentNode(), v.kindAt(cur)
		if k.role == syntax.Assign {
			if left := v.field(n, "left"); left != nil {
				add(left)
				if v.role(left) == syntax.Collection {
					for _, c := range v.parts(left) {
						add(c.Node)
					}
				}
			}
		}
		if k.named && !k.role.IsClass() && cur.GoToFirstChild() {
			continue
		}
		for !cur.GoToNextSibling() {
			if !cur.GoToParent() {
				return len(names)
			}
		}
	}
}
