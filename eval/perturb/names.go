package perturb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// usage is the part that a name plays where it stands.
type usage uint8

const (
	elsewhere usage = iota // a member, a label, a type: names of another kind
	refers                 // to a variable
	declares               // a variable
	fixed                  // it must stay as it is
)

// mention is a name where it stands.
type mention struct {
	node  *syntax.Node
	usage usage
	// scope is where a declared variable is known, but for the hole in it.
	scope, hole span
	// why is the reason of a fixed name.
	why string
	// short: the name stands for itself and for the variable, as in {name}.
	short bool
}

// variable has all mentions of a name in a function. Variables of one name in different scopes
// count as one: they are renamed together.
type variable struct {
	name     string
	mentions []mention // those that refer and declare
	// why is the reason why it cannot be renamed, empty where it can.
	why string
}

func (v *variable) declarations() (out []mention) {
	for _, m := range v.mentions {
		if m.usage == declares {
			out = append(out, m)
		}
	}
	return out
}

// other is a kind of node whose names are no variables: all of them, or those in a field. With
// a reason, variables of that name stay as they are.
type other struct{ field, why string }

// nameOf: the names in a field are names of another kind.
func nameOf(field string, kinds ...string) map[string]other {
	out := map[string]other{}
	for _, k := range kinds {
		out[k] = other{field: field}
	}
	return out
}

// fixing adds kinds of nodes whose names stay, for a reason.
func fixing(to map[string]other, why, field string, kinds ...string) {
	for _, k := range kinds {
		to[k] = other{field, why}
	}
}

// other reports whether a child t of p is no variable.
func (d *dialect) other(t, p *syntax.Node) (mention, bool) {
	o, ok := d.others[p.Type()]
	if !ok || o.field != "" && !is(t, o.field) {
		return mention{}, false
	}
	if o.why != "" {
		return fixedFor(o.why), true
	}
	return mention{}, true
}

// fixedFor is a name that must stay.
func fixedFor(why string) mention { return mention{usage: fixed, why: why} }

// variables resolves the names of a function: each name that it mentions as a variable.
func (u *unit) variables() map[string]*variable {
	if u.vars != nil {
		return u.vars
	}
	u.vars = map[string]*variable{}
	own, escaped := u.node.ChildByFieldName("name"), false
	for n := range u.inside {
		if n.ChildCount() > 0 || !slices.Contains(u.d.names, n.Type()) {
			continue
		}
		name := norm.NFKC.String(n.Content()) // Python takes such names for one
		escaped = escaped || strings.Contains(name, `\`)
		m := u.d.mention(u, n)
		m.node = n
		if m.usage == elsewhere || n == own {
			continue
		}
		v := u.vars[name]
		if v == nil {
			v = &variable{name: name}
			u.vars[name] = v
		}
		if m.usage == fixed && v.why == "" {
			v.why = m.why
		}
		v.mentions = append(v.mentions, m)
	}
	for _, v := range u.vars {
		if v.why == "" {
			v.why = u.outside(v)
		}
		if escaped {
			v.why = "names with escapes"
		}
	}
	return u.vars
}

// outside returns why a mention of a variable may be of something outside the function.
func (u *unit) outside(v *variable) string {
	var known []span
	classes := map[*syntax.Node]bool{} // with a declaration
	for _, d := range v.declarations() {
		hole := d.hole
		if hole == (span{}) {
			hole = span{d.scope.to, d.scope.to}
		}
		known = append(known, span{d.scope.from, hole.from}, span{hole.to, d.scope.to})
		for c := u.innerClass(d.node); c != nil; c = u.innerClass(c) {
			classes[c] = classes[c] || where(c).has(d.scope)
		}
	}
	if len(known) == 0 {
		return "names declared outside the function"
	}
	slices.SortFunc(known, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	to, next := 0, 0
	for _, m := range v.mentions { // in the order of the text
		at := where(m.node)
		for ; next < len(known) && known[next].from <= at.from; next++ {
			to = max(to, known[next].to)
		}
		if m.usage != refers {
			continue
		}
		if to < at.to {
			return "names that are also of something outside the function"
		}
		if c := u.innerClass(m.node); c != nil && !classes[c] {
			return "names in an inner class, which may have such a field"
		}
	}
	return ""
}

// innerClass returns the innermost class body around a name, where a class's fields go before
// the variables around it.
func (u *unit) innerClass(n *syntax.Node) *syntax.Node {
	if !u.d.fieldsFirst {
		return nil
	}
	return u.up(n, "class_body", "enum_body", "interface_body")
}

// hides reports whether the function gives another meaning to a word of code that is to be
// inserted: it declares a variable or a type of that name.
func (u *unit) hides(code string) bool {
	if u.types == nil {
		u.types = map[string]bool{}
		for n := range u.inside {
			if r := u.frag.Role(n); n != u.node && (r.IsClass() || r == syntax.TypeAlias || n.Type() == "type_alias") {
				u.types[u.frag.Name(n)] = true
			}
		}
	}
	return slices.ContainsFunc(word.FindAllString(code, -1), func(w string) bool {
		v := u.variables()[w]
		return u.types[w] || v != nil && len(v.declarations()) > 0
	})
}

// thrown finds the word of new code that a file may declare itself.
var thrown = regexp.MustCompile(`\b\w*(?:Error|Exception)\b|\bpanic\b`)

// declared reports whether the file declares or imports a name.
func (s *side) declared(name string) bool {
	if name == "" || strings.Count(s.text, name) == 0 {
		return false
	}
	for n := range s.frag.Nodes.All() {
		if n.ChildCount() == 0 && n.Content() == name && n.Parent() != nil &&
			(is(n, "name") || is(n, "alias") || is(n, "left") || n.Parent().Type() == "import_clause") {
			return true
		}
	}
	return false
}

// local reports whether a name in the function is one of its variables and of nothing else.
func (u *unit) local(name string) bool {
	v := u.variables()[name]
	return v != nil && (v.why == "" || v.why == parameterWhy)
}

// rename gives a variable another name at all its places.
func (u *unit) rename(v *variable, to string, mentions []mention) {
	for _, m := range mentions {
		at := where(m.node)
		if m.short {
			u.edit.insert(at.to, ": "+to)
		} else {
			u.edit.replace(at.from, at.to, to)
		}
	}
}

// sole returns the only declaration of a variable, if the variable is never written again.
func (u *unit) sole(v *variable) (d mention, why string) {
	all := v.declarations()
	if len(all) != 1 {
		return d, "variables that are declared or assigned several times"
	}
	for _, m := range v.mentions {
		if m.usage == refers && u.written(m.node) {
			return d, "variables that are declared or assigned several times"
		}
	}
	return all[0], ""
}

// written reports whether a name stands where it is given a value.
func (u *unit) written(n *syntax.Node) bool {
	for p := n.Parent(); p != nil && p != u.body; n, p = p, p.Parent() {
		switch u.frag.Role(p) {
		case syntax.Assign, syntax.AugAssign:
			return is(n, "left") || is(n, "name")
		case syntax.Update, syntax.Delete:
			return true
		case syntax.Loop:
			return is(n, "left")
		case syntax.Parens, syntax.Collection, syntax.Spread, syntax.Pair, syntax.Parameter, syntax.Cast:
		default:
			switch k := p.Type(); {
			case k == "range_clause" || k == "receive_statement":
				return is(n, "left")
			case k != "non_null_expression" && k != "satisfies_expression" && !strings.HasSuffix(k, "pattern"):
				return false
			}
		}
	}
	return false
}

// fresh returns a name like base that occurs in none of the texts.
func (j *job) fresh(base string) string {
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%s%d", base, n)
		}
		if !j.words[name] {
			j.words[name] = true
			return name
		}
	}
}
