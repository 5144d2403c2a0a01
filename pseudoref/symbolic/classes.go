package symbolic

import (
	"maps"
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/tree"

	"crscore/internal/syntax"
)

func classWord(n tree.Node) string {
	if n.Kind() == "type_spec" { // Go
		switch n.Child("type").Kind() {
		case "struct_type":
			return "struct"
		case "interface_type":
			return "interface"
		}
		return "type"
	}
	if n.Kind() == "impl_item" {
		return "type"
	}
	// The keyword says it best.
	for _, k := range n.Kids() {
		switch t := k.Kind(); t {
		case "struct", "union", "record", "object", "trait", "protocol", "extension", "interface", "enum", "given":
			if !k.Named() {
				return t
			}
		}
	}
	switch {
	case n.Is(syntax.Interface):
		return "interface"
	case n.Is(syntax.Enum):
		return "enum"
	}
	return "class"
}

// class says that a class came or went, and what a new one declares.
func (w *writer) class(n tree.Node, added bool) {
	name, word, v := code(tree.NameOf(n)), classWord(n), verb(added)
	switch trait := n.Child("trait"); {
	case name == nothing: // Kotlin
		of := ""
		if c := placeOf(n).class; c != "" {
			of = " of " + code(c)
		}
		w.say(n, wDeclare, "class-"+v, "", "the "+strings.ReplaceAll(n.Kind(), "_", " ")+of+" was "+v)
		return
	case n.Kind() == "impl_item" && trait.Ok():
		w.say(n, wDeclare, "impl-"+v, "", name+" "+now(added)+" implements the trait "+code(trait.Text()))
	case n.Kind() == "impl_item":
		w.say(n, wDeclare, "impl-"+v, "", "an `impl` block for "+name+" was "+v)
	case added:
		that := heritage(n)
		if that != "" {
			that = " that " + that
		}
		w.documentedAs(w.say(n, wDeclare, "class-added", "", "the "+word+" "+name+that+" was added"), name, n)
		w.annotated(n, "the new "+word+" "+name)
	default:
		w.say(n, wDeclare, "class-removed", "", "the "+word+" "+name+" was removed")
		if of := tree.NameOf(n); !strings.HasPrefix(of, "Test") && !strings.HasSuffix(of, "Test") && !strings.HasSuffix(of, "Tests") { // nobody uses one
			w.follows(n, "class-removed-users", "code that uses the removed "+word+" "+name+" must be updated")
		}
	}
	if added {
		w.classMembers(n, name)
	}
}

// classMembers says what a new class declares and what its methods do.
func (w *writer) classMembers(n tree.Node, name string) {
	what := "field"
	if n.Is(syntax.Enum) {
		what = "constant"
	}
	found := map[string][]string{}
	for _, k := range tree.Body(n) {
		m := tree.Unnested(k)
		switch {
		case isConstructor(m):
		case m.Role().IsClass():
			found["type"] = append(found["type"], code(tree.NameOf(m)))
		case m.Role().IsFunction() && abstract(m):
			found["abstract method"] = append(found["abstract method"], code(tree.NameOf(m)))
		case m.Role().IsFunction():
			found["method"] = append(found["method"], code(tree.NameOf(m)))
		case m.Is(syntax.Field) && m.First(syntax.Arguments).Ok(): // Ruby's attributes
			for _, a := range m.First(syntax.Arguments).NamedKids() {
				found[what] = append(found[what], code(strings.TrimLeft(a.Text(), ":")))
			}
		case m.Is(syntax.Field, syntax.Variable, syntax.EnumMember, syntax.Assign):
			found[what] = append(found[what], code(tree.NameOf(m)))
		}
	}
	var declares []string
	for _, word := range []string{what, "abstract method", "method", "type"} {
		if names := uniq(found[word]); len(names) > 0 && names[0] != nothing {
			declares = append(declares, "the "+many(len(names), word)+" "+list(names))
		}
	}
	if len(declares) > 0 {
		w.say(n, wDetail, "class-members", "", name+" declares "+list(declares))
	}
	for _, k := range tree.Body(n) {
		m := tree.Unnested(k)
		switch {
		case isConstructor(m):
			w.functionDetails(m, "the constructor", true)
		case m.Role().IsFunction():
			w.functionDetails(m, tree.NameOf(m), true)
		}
	}
}

// abstract tells whether a method says that others must give it a body.
func abstract(n tree.Node) bool {
	head, _, _ := strings.Cut(n.Text(), "(")
	return slices.Contains(strings.Fields(head), "abstract") ||
		slices.ContainsFunc(decorators(n), func(d tree.Node) bool { return tree.LastName(tree.NameOf(d)) == "abstractmethod" })
}

// inHeritage tells whether a node is one of the base types of a class.
func inHeritage(n tree.Node) bool {
	p := n.Parent()
	return n.Named() && (p.Is(syntax.Heritage) || p.Role() == syntax.Other && p.Parent().Is(syntax.Heritage))
}

// base says that a class has one base type more or less, or all that a clause names.
func (w *writer) base(n tree.Node, added bool) {
	c, clause := n.Under(syntax.Class, syntax.Interface, syntax.Enum), n
	if !n.Is(syntax.Heritage) {
		clause = n.Under(syntax.Heritage)
	}
	word, bases, _ := strings.Cut(heritageWords(clause), " `")
	if bases = "`" + bases; clause != n {
		word, bases = either(added, "also ", "")+word, code(n.Text())
	}
	one := classWord(c) + " " + code(tree.NameOf(c)) + " " + now(added) + " " + word + " " + slot
	w.names(n, wSignature, "heritage-"+verb(added), "", one, one, bases)
}

// heritage is "extends `A` and implements `B`", or "".
func heritage(n tree.Node) string {
	var out []string
	for _, k := range n.Kids() {
		if k.Is(syntax.Heritage) {
			out = append(out, heritageWords(k))
		}
	}
	return strings.Join(out, " and ")
}

// heritageWords is "extends `A`" for one clause of a class.
func heritageWords(k tree.Node) string {
	s := tree.OneLine(k.Text())
	if t := k.Frag.Table; t != nil {
		for _, base := range slices.Sorted(maps.Keys(t.Bases)) {
			if rest, ok := strings.CutPrefix(s, base+" "); ok {
				return t.Bases[base] + " " + list(codes(splitList(rest)))
			}
		}
	}
	word := "extends"
	switch {
	case k.Traits().MixedBases:
		word = "has the base type" // a class or an interface
	case k.Traits().CalledBases && !strings.HasSuffix(s, ")") && !k.Parent().Is(syntax.Interface):
		word = "implements"
	}
	if strings.HasPrefix(s, "implements") || strings.Contains(k.Kind(), "super_interfaces") {
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
func (w *writer) heritageChanged(a, b tree.Node) {
	if w.done[b] {
		return
	}
	w.done[a], w.done[b] = true, true
	c := b.Under(syntax.Class, syntax.Interface, syntax.Enum)
	x, y := heritageWords(a), heritageWords(b)
	if i, j := strings.Index(x, "`"), strings.Index(y, "`"); i > 0 && j > 0 && x[:i] == y[:j] {
		x = x[i:]
	}
	w.say(b, wSignature, "heritage-changed", "", classWord(c)+" "+code(tree.NameOf(c))+" now "+y+" instead of "+x)
}
