package perturb

import (
	"maps"
	"slices"

	"crscore/internal/syntax"
)

// breakDefUse is p7: behind `T v = e;` comes `T w = v;`, and w is used from there on. Where e
// is a literal or a name, w is defined by e, but for Go, where v must be used. Only variables that are assigned once are taken,
// and those of both texts only where they fit in both.
func (j *job) breakDefUse() {
	unfit := map[string]string{}
	for u := range j.units {
		for name, v := range u.variables() {
			if len(v.declarations()) == 0 {
				continue
			}
			if _, why := u.copyOf(v); why != "" {
				unfit[u.key+" "+name] = why
			}
		}
	}
	for _, why := range unfit {
		j.skip(why)
	}
	fresh := map[string]string{}
	for u := range j.units {
		vars := u.variables()
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			v := vars[name]
			if len(v.declarations()) == 0 || unfit[u.key+" "+name] != "" {
				continue
			}
			if fresh[name] == "" {
				fresh[name] = j.fresh(name + "Copy")
			}
			c, _ := u.copyOf(v)
			u.edit.insert(int(c.stmt.EndByte()), "\n"+u.indent(int(c.stmt.StartByte()))+c.code[0]+fresh[name]+c.code[1]+c.value+u.d.end)
			u.rename(v, fresh[name], c.uses)
			j.places++
		}
	}
}

// duplicate is the second definition of a variable.
type duplicate struct {
	stmt  *syntax.Node
	code  [2]string
	value string
	uses  []mention
}

func (u *unit) copyOf(v *variable) (c duplicate, why string) {
	if v.why != "" {
		return c, v.why
	}
	d, why := u.sole(v)
	if why != "" {
		return c, why
	}
	stmt, value, code, why := u.d.copied(u, d)
	if why != "" {
		return c, why
	}
	c = duplicate{stmt: stmt, code: code, value: v.name}
	if u.frag.Role(stmt.Parent()) != syntax.Block || !u.leads(stmt) {
		return c, "definitions outside a block"
	}
	switch r := u.frag.Role(value); {
	case u.d.used: // v would have no use left
	case r.Is(syntax.Number, syntax.Bool, syntax.Null):
		c.value = u.frag.Text(value)
	case r == syntax.Identifier && u.local(value.Content()):
		c.value = u.frag.Text(value)
	}
	for _, m := range v.mentions {
		if m.usage != refers {
			continue
		}
		if int(m.node.StartByte()) < int(stmt.EndByte()) {
			return c, "variables that are used before their definition"
		}
		c.uses = append(c.uses, m)
	}
	if len(c.uses) == 0 {
		return c, "variables without a use"
	}
	return c, ""
}
