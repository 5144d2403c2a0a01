package perturb

import (
	"fmt"

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
	for i := range int(u.body.NamedChildCount()) {
		if c := u.body.NamedChild(i); int(c.StartByte()) >= at {
			inside = append(inside, c)
			if u.frag.Role(c) != syntax.Comment {
				code++
			}
		}
	}
	switch {
	case code == 0:
		return "functions without statements"
	case code == 1 && u.frag.Role(inside[len(inside)-1]) == syntax.Try:
		return "functions in a try"
	}
	indent, end := u.bodyIndent(), int(inside[len(inside)-1].EndByte())
	head, tail := u.lines(indent, escaped(u.d.wrapBefore)...), u.lines(indent, escaped(u.d.wrapBehind)...)
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
		if u.text[i] == '\n' && u.text[i+1] != '\n' && !inString[i+1] {
			u.edit.insert(i+1, step)
		}
	}
	u.edit.insert(end, "\n"+tail)
	return ""
}
