package perturb

import (
	"fmt"
	"strings"

	"crscore/internal/syntax"
)

// tryWrapper is p4: the body stands in a try whose handler throws what it caught.
func (j *job) tryWrapper() {
	if j.d.wrapBefore == nil {
		j.skip("the language has no exceptions")
		return
	}
	name := j.fresh("e")
	for u := range j.units {
		if why := u.wrap(name); why != "" {
			j.skip(why)
		} else {
			j.places++
		}
	}
}

func (u *unit) wrap(name string) (why string) {
	at, before, why := u.d.start(u)
	if why != "" {
		return why
	}
	var inside []*syntax.Node // behind the start
	code := 0
	functions := map[string]bool{}
	for c := range children(u.body) {
		if int(c.StartByte()) < at {
			continue
		}
		inside = append(inside, c)
		switch r := u.frag.Role(c); {
		case r.IsFunction() && !u.d.indented: // in a block it must be the only thing of its name
			name := u.frag.Name(c)
			if v := u.variables()[name]; functions[name] || v != nil && len(v.declarations()) > 0 {
				return "functions with an inner function whose name is declared twice"
			}
			functions[name] = true
			code++
		case r != syntax.Comment:
			code++
		}
	}
	switch {
	case u.d.indented && strings.Contains(u.text[at:u.node.EndByte()], "\f"):
		return "functions with form feeds"
	case u.hides("Exception") || u.declared("Exception"):
		return "functions that give another meaning to a word of the new code"
	case code == 0:
		return "functions without statements"
	case code == 1 && u.frag.Role(inside[len(inside)-1]) == syntax.Try:
		return "functions in a try"
	}
	indent, end := u.bodyIndent(), int(inside[len(inside)-1].EndByte())
	head, tail := u.lines(indent, u.d.wrapBefore), u.lines(indent, u.d.wrapBehind)
	if !u.d.indented {
		tail = fmt.Sprintf(tail, name)
		u.edit.insert(at, "\n"+head)
		u.edit.insert(end, "\n"+tail)
		return ""
	}
	if !before {
		return "functions without statements"
	}
	step, inString := u.step(), u.stringLines()
	u.edit.insert(at, head[len(indent):]+"\n"+indent+step)
	for i := at; i < end; i++ {
		if u.text[i] == '\n' && i+1 < end && u.text[i+1] != '\n' && !inString[i+1] {
			u.edit.insert(i+1, step)
		}
	}
	u.edit.insert(end, "\n"+tail)
	return ""
}
