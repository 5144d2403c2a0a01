package symbolic

import (
	"slices"
	"strings"

	"crscore/pseudoref/symbolic/tree"
)

// thing names what a tag is about: "the parameter `x`".
func (t docTag) thing() string {
	switch {
	case t.kind[0] == '@':
		return "the tag " + code(t.kind)
	case t.name == "", t.kind == "return value", t.kind == "yielded value":
		return "the " + t.kind
	}
	return "the " + t.kind + " " + code(t.name)
}

// key tells a tag from the others.
func (t docTag) key() string { return t.kind + "\x00" + t.name }

// full is what a tag says, with its type.
func (t docTag) full() string { return strings.TrimSpace(t.typ + " " + t.text) }

// tagCame says that the documentation has a tag now, or had one.
func tagCame(of string, t docTag, added bool) string {
	now, said := " no longer ", ""
	if added {
		now = " now "
		if t.text != "" {
			said = quoteText(firstPassage(t.text, 12))
		}
	}
	does := "describes " + t.thing()
	switch {
	case t.kind == "exception":
		does = "says that " + code(t.name) + " is thrown"
	case t.kind == "@deprecated":
		does = "says that it is deprecated"
	case t.kind[0] == '@':
		if does = "has " + t.thing(); t.text != "" {
			return of + now + does + " with " + quoteText(firstPassage(t.full(), 10))
		}
	case said != "":
		return of + now + does + " as " + said
	}
	if said != "" {
		does += ": " + said
	}
	return of + now + does
}

// retagged says what became of the tags of a documentation.
func retagged(of string, from, to []docTag) []string {
	var said, kinds []string
	old := map[string]docTag{}
	gone, come := map[string][]docTag{}, map[string][]docTag{}
	for _, t := range from {
		old[t.key()] = t
		kinds = append(kinds, t.kind)
	}
	kept := map[string]bool{}
	for _, t := range to {
		kinds = append(kinds, t.kind)
		x, ok := old[t.key()]
		if !ok {
			come[t.kind] = append(come[t.kind], t)
			continue
		}
		kept[t.key()] = true
		what := t.thing() + of
		if t.kind[0] != '@' {
			what = "the documentation of " + what
		} else if of == "" {
			what += " of the documentation"
		}
		switch {
		case x.typ != t.typ && x.text == t.text && x.typ != "" && t.typ != "":
			said = append(said, "the documented type of "+t.thing()+of+" was changed from "+code(x.typ)+" to "+code(t.typ))
		case x.typ != t.typ:
			said = append(said, retold(what, x.full(), t.full())...)
		case x.text != t.text:
			said = append(said, retold(what, x.text, t.text)...)
		}
	}
	for _, t := range from {
		if !kept[t.key()] {
			gone[t.kind] = append(gone[t.kind], t)
		}
	}
	for _, kind := range uniq(kinds) {
		x, y := gone[kind], come[kind]
		if len(x) == len(y) && !slices.ContainsFunc(slices.Concat(x, y), func(t docTag) bool { return t.name == "" }) {
			for i := range x {
				said = append(said, "the documentation of "+x[i].thing()+of+" now names it "+code(y[i].name))
			}
			continue
		}
		for _, t := range x {
			said = append(said, tagCame("the documentation"+of, t, false))
		}
		for _, t := range y {
			said = append(said, tagCame("the documentation"+of, t, true))
		}
	}
	return said
}

// described lists what the tags of a new documentation are about.
func (d doc) described() string {
	var names, rest []string
	for _, t := range d.tags {
		switch {
		case t.kind == "parameter" && t.name != "":
			names = append(names, code(t.name))
		case t.kind == "return value", t.kind == "exception" && t.name != "":
			rest = append(rest, t.thing())
		}
	}
	names, rest = uniq(names), uniq(rest)
	if len(names) > 0 {
		rest = append([]string{"the parameter" + plurals(names) + " " + list(names)}, rest...)
	}
	return list(rest)
}

// docsChanged compares two documentations.
func (w *writer) docsChanged(n tree.Node, rule, where, noun, of string, from, to doc) {
	if from.text != to.text {
		w.retell(n, rule, wText, where, "the "+noun+of, from.text, to.text)
	}
	for _, s := range retagged(of, from.tags, to.tags) {
		w.say(n, wText, rule, where, s)
	}
}
