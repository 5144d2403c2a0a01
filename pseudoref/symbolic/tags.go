package symbolic

import (
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/syntax"
)

// tagPair is one key of a tag such as `json:"name" xml:"n"`.
var tagPair = regexp.MustCompile(`(\w+):"([^"]*)"`)

// tagValues reads a tag: its keys in order, and their values.
func tagValues(n item) (keys []string, values map[string]string) {
	values = map[string]string{}
	for _, m := range tagPair.FindAllStringSubmatch(n.text(), 20) {
		if _, ok := values[m[1]]; !ok {
			keys = append(keys, m[1])
		}
		values[m[1]] = m[2]
	}
	return keys, values
}

// tag says how the tag of a field changed; either side may be none.
func (w *writer) tag(a, b item) {
	n := b
	if !n.ok() {
		n = a
	}
	d := n.under(syntax.Field)
	of := "the field " + code(nameOf(d))
	if c := placeOf(n).class; c != "" {
		of += " of " + code(c)
	}
	before, old := tagValues(a)
	after, new := tagValues(b)
	for _, k := range after {
		switch from, ok := old[k]; {
		case !ok:
			w.say(n, wSignature, "tag-added", "", of+" now has the "+code(k)+" tag "+quote(new[k], maxCode))
		case from != new[k]:
			w.say(n, wSignature, "tag-changed", "", "the "+code(k)+" tag of "+of+" was changed from "+quote(from, maxCode)+" to "+quote(new[k], maxCode))
		}
	}
	for _, k := range before {
		if _, ok := new[k]; !ok {
			w.say(n, wSignature, "tag-removed", "", of+" no longer has the "+code(k)+" tag "+quote(old[k], maxCode))
		}
	}
}
