package perturb

import (
	"fmt"
	"strings"
)

// deadException is p2: the body starts with a false variable, and a throw that depends on it.
func (j *job) deadException() { j.dead(j.d.deadThrow) }

// dead inserts code that never runs at the start of each function.
func (j *job) dead(code []string) {
	name := j.fresh("never")
	for u := range j.units {
		at, before, why := u.d.start(u)
		text := fmt.Sprintf(u.lines(u.bodyIndent(), code), name)
		if why == "" && (u.hides(text) || u.declared(thrown.FindString(text))) {
			why = "functions that give another meaning to a word of the new code"
		}
		if why != "" {
			j.skip(why)
			continue
		}
		if before {
			u.edit.insert(at, strings.TrimLeft(text, " \t")+"\n"+u.indent(at))
		} else {
			u.edit.insert(at, "\n"+text)
		}
		j.places++
	}
}

// bodyIndent is the indentation of the statements of the function.
func (u *unit) bodyIndent() string {
	if first := u.body.NamedChild(0); first != nil && u.leads(first) {
		return u.indent(int(first.StartByte()))
	}
	return u.indent(int(u.node.StartByte())) + u.step()
}
