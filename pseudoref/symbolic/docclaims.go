package symbolic

import (
	"slices"
	"strings"
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

// tagCame says that the documentation has a tag now, or had one.
func tagCame(of string, t docTag, added bool) string {
	now, s := " no longer ", ""
	if added {
		now = " now "
		if t.text != "" {
			if p := passages(t.text, 12, 1); len(p) > 0 {
				s = " as " + quoteText(p[0])
			}
		}
	}
	switch t.kind {
	case "exception":
		return of + now + "says that " + code(t.name) + " is thrown" + strings.Replace(s, " as ", ": ", 1)
	case "@deprecated":
		return of + now + "says that it is deprecated" + strings.Replace(s, " as ", ": ", 1)
	case "@type", "@var", "@rtype":
		return of + now + "gives the type " + code(strings.TrimSpace(t.typ+" "+t.text))
	}
	if t.kind[0] == '@' {
		if t.text != "" {
			return of + now + "has the tag " + code(t.kind) + " with " + quoteText(firstPassage(t.text, 10))
		}
		return of + now + "has the tag " + code(t.kind)
	}
	return of + now + "describes " + t.thing() + s
}

// retagged says what became of the tags of a documentation.
func retagged(of string, from, to []docTag) []string {
	var said []string
	gone, come := map[string][]docTag{}, map[string][]docTag{}
	index := map[string]docTag{}
	for _, t := range from {
		index[t.key()] = t
	}
	seen := map[string]bool{}
	for _, t := range to {
		x, ok := index[t.key()]
		if seen[t.key()] = true; !ok {
			come[t.kind] = append(come[t.kind], t)
			continue
		}
		what, typed := "the documentation of "+t.thing()+of, "the documented type of "+t.thing()+of
		if t.kind[0] == '@' {
			if what = t.thing() + of; of == "" {
				what += " of the documentation"
			}
		}
		if t.kind == "@var" || t.kind == "@type" {
			typed = "the documented type" + of
		}
		switch {
		case x.typ != t.typ && x.typ != "" && t.typ != "":
			said = append(said, typed+" was changed from "+code(x.typ)+" to "+code(t.typ))
		case x.typ != t.typ && t.typ != "":
			said = append(said, what+" now gives its type as "+code(t.typ))
		case x.typ != t.typ:
			said = append(said, what+" no longer gives its type, "+code(x.typ))
		}
		if x.text != t.text {
			switch {
			case x.text == "":
				for _, p := range passages(t.text, 14, 1) {
					said = append(said, what+" now says "+quoteText(p))
				}
			case t.text == "":
				said = append(said, what+" no longer says more than its name")
			default:
				said = append(said, retold(what, x.text, t.text)...)
			}
		}
	}
	var kinds []string
	for _, t := range append(append([]docTag{}, from...), to...) {
		kinds = append(kinds, t.kind)
	}
	for _, t := range from {
		if !seen[t.key()] {
			gone[t.kind] = append(gone[t.kind], t)
		}
	}
	for _, kind := range uniq(kinds) {
		x, y := gone[kind], come[kind]
		for i := 0; i < len(x); i++ { // another name for the same text
			j := slices.IndexFunc(y, func(t docTag) bool { return t.text == x[i].text && t.text != "" && t.name != "" && x[i].name != "" })
			if j < 0 {
				continue
			}
			said = append(said, "the documentation of "+x[i].thing()+of+" now names it "+code(y[j].name))
			x, y = slices.Delete(x, i, i+1), slices.Delete(y, j, j+1)
			i--
		}
		if len(x) == len(y) {
			for i := range x {
				if x[i].name == "" || y[i].name == "" {
					said = append(said, tagCame("the documentation"+of, x[i], false), tagCame("the documentation"+of, y[i], true))
					continue
				}
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
		case t.kind == "return value", t.kind == "exception" && t.name != "", t.kind == "@deprecated", t.kind == "@example":
			if rest = append(rest, t.thing()); t.kind[0] == '@' {
				rest[len(rest)-1] = map[string]string{"@deprecated": "the deprecation", "@example": "an example"}[t.kind]
			}
		}
	}
	names, rest = uniq(names), uniq(rest)
	if len(names) > 0 {
		rest = append([]string{"the parameter" + plurals(names) + " " + list(names)}, rest...)
	}
	return list(rest)
}

// docsChanged compares two documentations.
func (w *writer) docsChanged(n item, rule, where, noun, of string, from, to doc) {
	if from.text != to.text {
		switch what := "the " + noun + of; {
		case from.text == "":
			for _, s := range goesOn(what+" now says ", what, to.text, 2) {
				w.say(n, wText, rule, where, s)
			}
		case to.text == "":
			w.say(n, wText, rule, where, what+" no longer says "+quoteText(firstPassage(from.text, wordsSaid)))
		default:
			w.retell(n, rule, wText, where, what, from.text, to.text)
		}
	}
	for _, s := range retagged(of, from.tags, to.tags) {
		w.say(n, wText, rule, where, s)
	}
}
