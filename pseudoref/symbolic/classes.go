package symbolic

import (
	"maps"
	"slices"
	"strings"

	"crscore/internal/syntax"
)

func classWord(n item) string {
	if n.kind() == "type_spec" { // Go
		switch n.child("type").kind() {
		case "struct_type":
			return "struct"
		case "interface_type":
			return "interface"
		}
		return "type"
	}
	if n.kind() == "impl_item" {
		return "type"
	}
	// The keyword says it best.
	for _, k := range n.kids() {
		switch t := k.kind(); t {
		case "struct", "union", "record", "object", "trait", "protocol", "extension", "interface", "enum", "given":
			if !k.named() {
				return t
			}
		}
	}
	switch {
	case n.is(syntax.Interface):
		return "interface"
	case n.is(syntax.Enum):
		return "enum"
	}
	return "class"
}

func (w *writer) class(n item, added bool) {
	name := nameOf(n)
	v := verb(added)
	s := ""
	if h := heritage(n); h != "" && added {
		s = " that " + h
	}
	if name == "" { // Kotlin
		what := strings.ReplaceAll(n.kind(), "_", " ")
		if c := placeOf(n).class; c != "" {
			what += " of " + code(c)
		}
		w.say(n, wDeclare, "class-"+v, "", "the "+what+" was "+v)
		return
	}
	if n.kind() == "impl_item" {
		if t := n.child("trait"); t.ok() {
			w.say(n, wDeclare, "impl-"+v, "", code(name)+map[bool]string{true: " now implements", false: " no longer implements"}[added]+" the trait "+code(t.text()))
		} else {
			w.say(n, wDeclare, "impl-"+v, "", "an `impl` block for "+code(name)+" was "+v)
		}
		if !added {
			return
		}
	} else {
		doc := ""
		if added {
			doc = w.documentedAs(n)
		}
		w.say(n, wDeclare, "class-"+v, "", "the "+classWord(n)+" "+code(name)+s+" was "+v+doc)
		if added {
			w.annotated(n, "the new "+classWord(n)+" "+code(name))
		}
	}
	if !added {
		if strings.HasPrefix(name, "Test") || strings.HasSuffix(name, "Test") || strings.HasSuffix(name, "Tests") {
			return // nobody uses one
		}
		w.follows(n, "class-removed-users", "code that uses the removed "+classWord(n)+" "+code(name)+" must be updated")
		return
	}
	var fields, methods, types []string
	for _, m := range members(n) {
		switch {
		case isConstructor(m):
		case m.role().IsClass():
			types = append(types, code(nameOf(m)))
		case m.role().IsFunction():
			methods = append(methods, code(nameOf(m)))
		case m.is(syntax.Field) && m.first(syntax.Arguments).ok(): // Ruby's attributes
			for _, a := range m.first(syntax.Arguments).namedKids() {
				fields = append(fields, code(strings.TrimLeft(a.text(), ":")))
			}
		case m.is(syntax.Field, syntax.Variable, syntax.EnumMember) || m.is(syntax.Assign):
			fields = append(fields, code(nameOf(m)))
		}
	}
	fields, methods = uniq(fields), uniq(methods)
	what := "field"
	if n.is(syntax.Enum) {
		what = "constant"
	}
	var declares []string
	if len(fields) > 0 {
		declares = append(declares, "the "+many(len(fields), what)+" "+list(fields))
	}
	if len(methods) > 0 {
		declares = append(declares, "the "+many(len(methods), "method")+" "+list(methods))
	}
	if types = uniq(types); len(types) > 0 && types[0] != nothing {
		declares = append(declares, "the "+many(len(types), "type")+" "+list(types))
	}
	if len(declares) > 0 {
		w.say(n, wDetail, "class-members", "", code(name)+" declares "+list(declares))
	}
	for _, m := range members(n) {
		if m.role().IsFunction() {
			mn := nameOf(m)
			if isConstructor(m) {
				mn = "the constructor"
			}
			w.functionDetails(m, mn, true)
		}
	}
}

// members lists what a class declares.
func members(n item) []item {
	var out []item
	for _, k := range body(n) {
		out = append(out, unnested(k))
	}
	return out
}

// constraints tells whether a node limits type parameters.
func constraints(n item) bool {
	return n.kind() == "type_parameter_constraints_clause" || n.kind() == "type_constraints"
}

// inHeritage tells whether a node is one of the base types of a class.
func inHeritage(n item) bool {
	p := n.parent()
	return n.named() && (p.is(syntax.Heritage) || p.role() == syntax.Other && p.parent().is(syntax.Heritage))
}

// base says that a class has one base type more or less.
func (w *writer) base(n item, added bool) {
	c := n.under(syntax.Class, syntax.Interface, syntax.Enum)
	h := n.under(syntax.Heritage)
	word, _, _ := strings.Cut(heritageWords(h), " `")
	now := map[bool]string{true: " now also ", false: " no longer "}[added]
	one := classWord(c) + " " + code(nameOf(c)) + now + word + " " + slot
	w.names(n, wSignature, "heritage-"+verb(added), "", one, one, code(n.text()))
}

// heritage is "extends `A` and implements `B`", or "".
func heritage(n item) string {
	var out []string
	for _, k := range n.kids() {
		if k.is(syntax.Heritage) {
			out = append(out, heritageWords(k))
		}
	}
	return strings.Join(out, " and ")
}

// heritageWords is "extends `A`" for one clause of a class.
func heritageWords(k item) string {
	s := oneLine(k.text())
	if t := k.frag.Table; t != nil {
		for _, base := range slices.Sorted(maps.Keys(t.Bases)) {
			if rest, ok := strings.CutPrefix(s, base+" "); ok {
				return t.Bases[base] + " " + list(codes(splitList(rest)))
			}
		}
	}
	word := "extends"
	switch {
	case k.traits().MixedBases:
		word = "has the base type" // a class or an interface
	case k.traits().CalledBases && !strings.HasSuffix(s, ")") && !k.parent().is(syntax.Interface):
		word = "implements"
	}
	if strings.HasPrefix(s, "implements") || strings.Contains(k.kind(), "super_interfaces") {
		word = "implements"
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "extends"), "implements")
	if strings.HasPrefix(s, "(") {
		s = strings.Trim(s, "()")
	}
	return word + " " + list(codes(splitList(strings.TrimLeft(s, ": "))))
}

// splitList splits a list at its commas, those inside brackets left alone.
func splitList(s string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			if t := strings.Trim(s[from:i], " ;"); t != "" {
				out = append(out, t)
			}
			from = i + 1
		case strings.IndexByte("([{<", s[i]) >= 0:
			depth++
		case strings.IndexByte(")]}>", s[i]) >= 0:
			depth--
		}
	}
	return out
}

// heritageChanged says how the base types of a class changed.
func (w *writer) heritageChanged(a, b item) {
	if w.done[b] {
		return
	}
	w.done[a], w.done[b] = true, true
	c := b.under(syntax.Class, syntax.Interface, syntax.Enum)
	x, y := heritageWords(a), heritageWords(b)
	old := x
	if f, g := strings.Index(x, "`"), strings.Index(y, "`"); f > 0 && g > 0 && x[:f] == y[:g] {
		old = x[f:]
	}
	w.say(b, wSignature, "heritage-changed", "", classWord(c)+" "+code(nameOf(c))+" now "+y+" instead of "+old)
}
