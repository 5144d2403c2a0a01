package perturb

import (
	"fmt"
	"slices"
	"strings"

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
	parameter   bool
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

// variables resolves the names of a function: each name that it mentions as a variable.
func (u *unit) variables() map[string]*variable {
	if u.vars != nil {
		return u.vars
	}
	u.vars = map[string]*variable{}
	for n := range u.inside {
		if n.ChildCount() > 0 || !slices.Contains(u.d.names, n.Type()) {
			continue
		}
		m := u.d.mention(u, n)
		m.node = n
		if m.usage == elsewhere || n == u.node.ChildByFieldName("name") {
			continue
		}
		name := n.Content()
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
	}
	return u.vars
}

// outside returns why a mention of a variable may be of something outside the function.
func (u *unit) outside(v *variable) string {
	declared := v.declarations()
	if len(declared) == 0 {
		return "names declared outside the function"
	}
	for _, m := range v.mentions {
		if m.usage != refers {
			continue
		}
		at := where(m.node)
		known := slices.IndexFunc(declared, func(d mention) bool {
			return d.scope.has(at) && (d.hole == span{} || !d.hole.has(at))
		})
		if known < 0 {
			return "names that are also of something outside the function"
		}
		if c := u.innerClass(m.node); c != nil && !slices.ContainsFunc(declared, func(d mention) bool { return where(c).has(d.scope) }) {
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
		case syntax.Parens, syntax.Collection, syntax.Spread, syntax.Pair, syntax.Parameter:
		default:
			if k := p.Type(); k == "range_clause" || k == "receive_statement" {
				return is(n, "left")
			}
			if !strings.HasSuffix(p.Type(), "pattern") {
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
