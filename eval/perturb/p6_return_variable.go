package perturb

import (
	"strings"

	"crscore/internal/syntax"
)

// returnVariable is p6: `return e;` becomes `T v = e; return v;`.
func (j *job) returnVariable() {
	name := j.fresh("returned")
	for u := range j.units {
		blocks, jumps := map[*syntax.Node]bool{}, false // blocks with the variable
		for n := range u.inside {
			jumps = jumps || n.Type() == "goto_statement"
		}
		for n := range u.inside {
			if u.frag.Role(n) != syntax.Return || n.NamedChildCount() == 0 {
				continue
			}
			why := "functions with goto, which must not jump over a variable"
			if !jumps {
				why = u.returned(n, name, blocks[n.Parent()])
			}
			if why != "" {
				j.skip(why)
			} else {
				blocks[n.Parent()] = true
				j.places++
			}
		}
	}
}

func (u *unit) returned(n *syntax.Node, name string, again bool) (why string) {
	around := u.frag.Enclosing(n, func(r syntax.Role) bool { return r.IsFunction() || r == syntax.Lambda })
	token, value := n.Child(0), n.NamedChild(0)
	switch {
	case around != u.node:
		return "return in an inner function"
	case u.frag.Role(n.Parent()) != syntax.Block || !u.leads(n):
		return "return outside a block"
	case again:
		return "return behind a return"
	case n.NamedChildCount() != 1 || u.frag.Role(value) == syntax.Comment || token.Type() != "return" ||
		strings.Trim(between(u, token, value), " \t") != "":
		return "return with comments or several values"
	}
	code, why := u.d.result(u, value, name)
	if why != "" {
		return why
	}
	u.edit.insert(int(n.StartByte()), code)
	u.edit.replace(int(token.EndByte()), int(value.StartByte()), u.d.end+"\n"+u.indent(int(n.StartByte())))
	u.edit.insert(int(value.EndByte()), " "+name)
	u.edit.swap(where(token), where(value))
	return ""
}
